"""Fashion-MNIST.

55,000 images to learn from, 15,000 to label; 5,000 of these, taken from the training set, are
scored by `validate`.
"""

import gzip

from bench_tasks.debian import package_files
from bench_tasks.images import read_idx, write_idx
from bench_tasks.prepare import Data

PLACE = "usr/share/datasets/fashion-mnist/"
SIDE = 28
CLASSES = 10
TRAIN, VALIDATION, TEST = 55_000, 5_000, 10_000
SAMPLE = (1500, 300, 600)


def prepare(data: Data) -> None:
    if data.sample:
        train, validation, test = (
            made_up(data.rng(name), count)
            for name, count in zip(("train", "validation", "test"), SAMPLE)
        )
    else:
        known, test = read(data.source("dataset-fashion-mnist.deb"))
        order = list(range(len(known)))
        data.rng("validation").shuffle(order)
        train, validation = (
            [known[i] for i in sorted(part)] for part in (order[VALIDATION:], order[:VALIDATION])
        )
    unknown = [(image, label, "validation") for image, label in validation] + [
        (image, label, "test") for image, label in test
    ]
    # Their order tells neither the source's nor which of them `validate` scores.
    data.rng("order").shuffle(unknown)
    write(data, "data/train-images-idx3-ubyte", [image for image, _ in train])
    write_idx(
        data.agent_path("data/train-labels-idx1-ubyte"),
        (len(train),),
        [bytes(label for _, label in train)],
    )
    write(data, "data/test-images-idx3-ubyte", [image for image, _, _ in unknown])
    rows = [
        {"id": i, "label": label, "split": split} for i, (_, label, split) in enumerate(unknown)
    ]
    data.hidden_csv("labels.csv", ["id", "label", "split"], rows)


def write(data, path, images):
    write_idx(data.agent_path(path), (len(images), SIDE, SIDE), images)


def read(package):
    """[(image, label)] of the training set and of the test set."""
    names = {
        part: (PLACE + part + "-images-idx3-ubyte.gz", PLACE + part + "-labels-idx1-ubyte.gz")
        for part in ("train", "t10k")
    }
    files = package_files(package, [name for pair in names.values() for name in pair])
    sets = []
    for part, count in (("train", TRAIN + VALIDATION), ("t10k", TEST)):
        (shape, pixels), (_, labels) = (
            read_idx(gzip.decompress(files[name])) for name in names[part]
        )
        if shape != (count, SIDE, SIDE) or len(labels) != count or max(labels) >= CLASSES:
            raise ValueError(
                f"{part} of Fashion-MNIST has the shape {shape} and {len(labels)} labels"
            )
        size = SIDE * SIDE
        sets.append([(pixels[i * size : (i + 1) * size], labels[i]) for i in range(count)])
    return sets


def made_up(rng, count):
    """Ten shapes of three bars each, in places that vary, of varying brightness, with noise."""
    labels = [i % CLASSES for i in range(count)]
    rng.shuffle(labels)
    return [(picture(rng, label), label) for label in labels]


def picture(rng, label):
    right, down = rng.randrange(-4, 5), rng.randrange(-4, 5)
    light, random = rng.uniform(90, 190), rng.random
    rows = [[random() * 70 for _ in range(SIDE)] for _ in range(SIDE)]
    for top, left, height, width in BARS[label]:
        high, wide = height + rng.randrange(-1, 2), width + rng.randrange(-1, 2)
        for y in range(max(0, top + down), min(SIDE, top + down + high)):
            row = rows[y]
            for x in range(max(0, left + right), min(SIDE, left + right + wide)):
                row[x] += light
    return bytes(min(255, int(value)) for row in rows for value in row)


# Top, left, height, width.
BARS = (
    ((6, 6, 16, 4), (6, 18, 16, 4), (12, 10, 4, 8)),
    ((6, 6, 16, 4), (6, 18, 16, 4), (18, 10, 4, 8)),
    ((6, 6, 16, 4), (6, 18, 16, 4), (6, 10, 4, 8)),
    ((6, 6, 4, 16), (18, 6, 4, 16), (10, 12, 8, 4)),
    ((6, 6, 4, 16), (18, 6, 4, 16), (10, 18, 8, 4)),
    ((6, 6, 4, 16), (18, 6, 4, 16), (10, 6, 8, 4)),
    ((6, 6, 4, 16), (10, 12, 12, 4), (12, 6, 4, 6)),
    ((6, 12, 16, 4), (12, 6, 4, 16), (20, 6, 3, 16)),
    ((6, 6, 16, 4), (6, 10, 4, 8), (14, 10, 4, 8)),
    ((6, 18, 16, 4), (6, 10, 4, 8), (14, 10, 4, 8)),
)
