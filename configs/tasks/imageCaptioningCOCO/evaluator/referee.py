"""Compares the submitted captions with all captions that people wrote for the images of this split."""

from bench_tasks.bleu import corpus_bleu
from bench_tasks.files import Files, Text

NAME = Text(100)
CAPTION = Text(1000)


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv(
        "captions.csv", {"file_name": NAME, "split": Text(20), "caption": CAPTION}
    )
    references: dict[str, list[str]] = {}
    splits: dict[str, str] = {}
    for name, split, caption in zip(truth["file_name"], truth["split"], truth["caption"]):
        references.setdefault(name, []).append(caption)
        splits[name] = split
    names = list(references)
    rows = files.csv(
        "submission.csv", {"file_name": NAME, "caption": CAPTION}, ids=("file_name", names)
    )
    asked = [
        (caption, references[name])
        for name, caption in zip(names, rows["caption"])
        if splits[name] == files.split
    ]
    return {
        "BLEU Score": corpus_bleu([caption for caption, _ in asked], [meant for _, meant in asked])
    }
