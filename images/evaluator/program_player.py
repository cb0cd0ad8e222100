"""Runs the program that a task of kind `program` names.

Everything in this process belongs to the submission.
"""

from __future__ import annotations

import json
import os
import random
import runpy
import sys
import traceback


def main() -> None:
    order = json.loads(sys.argv[1])
    script = order["script"]
    random.seed(int(order["seed"], 16))
    sys.argv = [script, order["inputs"], order["outputs"]]
    # Beside the script, and in the submission: a script of the task's own imports the submission's
    # modules.
    sys.path[0:1] = list(dict.fromkeys([os.path.dirname(script), os.getcwd()]))
    runpy.run_path(script, run_name="__main__")


def report(error: BaseException) -> None:
    """The traceback from the script's own frames on."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        report(error)
        sys.exit(1)
