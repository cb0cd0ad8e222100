"""What a rejection tells of what a submission wrote to stderr."""

from __future__ import annotations

import re

from messages import last_words


def test_of_a_traceback_the_place_and_the_error_are_told() -> None:
    traceback = "\n".join(
        [
            "Traceback (most recent call last):",
            '  File "predict.py", line 4, in <module>',
            "    load()",
            '  File "load.py", line 2, in load',
            '    raise ValueError("no rows")',
            "ValueError: no rows",
        ]
    )
    assert last_words(traceback) == 'File "load.py", line 2, in load: ValueError: no rows'


def test_hidden_data_that_a_submission_writes_do_not_get_out() -> None:
    hidden = [f"token {number}" for number in range(500)]
    assert last_words("\n".join(hidden)) == "token 499"
    told = last_words("ValueError: " + " ".join(hidden))
    assert len(told) == 160
    assert " ... " in told


def test_only_printable_ascii_is_told() -> None:
    told = last_words("\x1b[31mKeyError:\xa0\u202e\U0001f600é\0")
    assert re.fullmatch(r"[\x20-\x7e]+", told)


def test_nothing_written_is_nothing_told() -> None:
    assert last_words(" \n\n") == ""
