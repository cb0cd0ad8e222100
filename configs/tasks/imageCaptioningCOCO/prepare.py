"""Photographs of MS-COCO 2014 with their captions; for a sample, drawn scenes (scenes.py)."""

import json
import shutil
import zipfile

from bench_tasks.prepare import Data
from scenes import made_scene
from tiny_png import png

TRAIN, VALIDATION, TEST = 37609, 9435, 9435


def prepare(data: Data) -> None:
    if data.sample:
        train, asked = made_images(data, "train", 400), made_images(data, "test", 160)
        parts = (80, 80)
    else:
        train = fetched_images(data, "train", TRAIN)
        asked = fetched_images(data, "val", VALIDATION + TEST)
        parts = (VALIDATION, TEST)
    splits = ["validation"] * parts[0] + ["test"] * parts[1]
    data.rng("parts").shuffle(splits)
    data.agent_csv("data/train_captions.csv", ["file_name", "caption"], rows(train))
    data.agent_csv("data/test.csv", ["file_name"], [{"file_name": name} for name in asked])
    data.hidden_csv("captions.csv", ["file_name", "split", "caption"], rows(asked, splits))


def rows(images, splits=None):
    for (name, captions), split in zip(images.items(), splits or [None] * len(images)):
        for caption in captions:
            yield {"file_name": name, "split": split, "caption": " ".join(caption.split())}


def made_images(data, folder, count):
    """{file name: captions}; the images are written."""
    rng, images = data.rng("scenes for " + folder), {}
    for number in range(count):
        name = f"scene_{folder}_{number:06d}.png"
        pixels, images[name] = made_scene(rng)
        with open(data.agent_path(f"data/{folder}/{name}"), "wb") as file:
            file.write(png(pixels))
    return images


def fetched_images(data, part, count):
    """The same, of `count` images of COCO's part "train" or "val"; agents see the latter's as
    data/test/.
    """
    with zipfile.ZipFile(data.source("annotations_trainval2014.zip")) as archive:
        found = json.loads(archive.read(f"annotations/captions_{part}2014.json"))
    names = {image["id"]: image["file_name"] for image in found["images"]}
    captions: dict[str, list[str]] = {}
    for annotation in found["annotations"]:
        captions.setdefault(names[annotation["image_id"]], []).append(annotation["caption"])
    chosen = data.rng("images of " + part).sample(sorted(captions), count)
    folder = "train" if part == "train" else "test"
    with zipfile.ZipFile(data.source(f"{part}2014.zip")) as archive:
        for name in chosen:
            path = data.agent_path(f"data/{folder}/{name}")
            with archive.open(f"{part}2014/{name}") as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
    return {name: captions[name] for name in chosen}
