"""CIFAR-10: 45,000 images to learn from, 15,000 to label; 5,000 of these, taken from the training
set, are scored by `validate`.

imageClassificationCifar10 and its L1 variant have the same file, so that they have the same images,
whatever the task's id is.
"""

import math
import random
import tarfile

from bench_tasks.images import write_npy
from bench_tasks.prepare import Data

SIDE, CHANNELS = 32, 3
SIZE = SIDE * SIDE * CHANNELS
CLASSES = 10
# An image of the source: its label, then the red, the green and the blue plane.
RECORD, RECORDS = 1 + SIZE, 10_000
BATCHES = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST_BATCH = "test_batch.bin"
VALIDATION = 5_000
SAMPLE = (800, 200, 400)


def prepare(data: Data) -> None:
    if data.sample:
        train, validation, test = (
            made_up(random.Random(name), count)
            for name, count in zip(("train", "validation", "test"), SAMPLE)
        )
    else:
        known, test = read(data.source("cifar-10-binary.tar.gz"))
        order = list(range(len(known)))
        random.Random("validation").shuffle(order)
        train, validation = (
            [known[i] for i in sorted(part)] for part in (order[VALIDATION:], order[:VALIDATION])
        )
    unknown = [(record, "validation") for record in validation] + [
        (record, "test") for record in test
    ]
    # Their order tells neither the source's nor which of them `validate` scores.
    random.Random("order").shuffle(unknown)
    write(data, "data/train_images.npy", train)
    write_npy(
        data.agent_path("data/train_labels.npy"),
        (len(train),),
        [bytes(record[0] for record in train)],
    )
    write(data, "data/test_images.npy", [record for record, _ in unknown])
    rows = [
        {"id": i, "label": record[0], "split": split} for i, (record, split) in enumerate(unknown)
    ]
    data.hidden_csv("labels.csv", ["id", "label", "split"], rows)


def write(data, path, records):
    write_npy(
        data.agent_path(path),
        (len(records), CHANNELS, SIDE, SIDE),
        (record[1:] for record in records),
    )


def read(archive):
    """The records of the training set and of the test set."""
    found = {}
    with tarfile.open(archive, "r:gz") as files:
        for member in files:
            name = member.name.rsplit("/", 1)[-1]
            file = files.extractfile(member) if name in (*BATCHES, TEST_BATCH) else None
            if file is not None:
                batch = file.read()
                if len(batch) != RECORDS * RECORD:
                    raise ValueError(f"{name} of CIFAR-10 has {len(batch)} bytes")
                found[name] = [
                    batch[start : start + RECORD] for start in range(0, len(batch), RECORD)
                ]
    missing = [name for name in (*BATCHES, TEST_BATCH) if name not in found]
    if missing:
        raise ValueError(f"{archive} does not hold {', '.join(missing)}")
    return [record for name in BATCHES for record in found[name]], found[TEST_BATCH]


def made_up(rng, count):
    """Ten textures: waves of five directions, with a spot of one of two shapes upon them; colours
    tell only a little.
    """
    labels = [i % CLASSES for i in range(count)]
    rng.shuffle(labels)
    return [bytes([label]) + picture(rng, label) for label in labels]


def picture(rng, label):
    direction, round_spot = label // 2 * math.pi / 5, label % 2 == 0
    step, phase = 2 * math.pi / rng.uniform(6, 8), rng.uniform(0, 2 * math.pi)
    middle, across, reach = rng.randrange(9, 23), rng.randrange(9, 23), rng.randrange(5, 8)
    # All sums are between 0 and 255.
    light = [
        rng.uniform(95, 110) + (25 if channel == label % CHANNELS else 0)
        for channel in range(CHANNELS)
    ]
    swing = [rng.uniform(20, 35) for _ in range(CHANNELS)]
    spot = rng.choice((-1, 1)) * rng.uniform(35, 50)
    along, athwart = step * math.cos(direction), step * math.sin(direction)
    waves = [math.sin(along * x + athwart * y + phase) for y in range(SIDE) for x in range(SIDE)]
    spots = [0.0] * (SIDE * SIDE)
    for y in range(middle - reach, middle + reach + 1):
        for x in range(across - reach, across + reach + 1):
            down, right = abs(y - middle), abs(x - across)
            if down * down + right * right <= reach * reach if round_spot else min(down, right) < 2:
                spots[y * SIDE + x] = spot
    planes = []
    for base, height in zip(light, swing):
        noise = rng.randbytes(SIDE * SIDE)
        planes.append(
            bytes(
                int(base + height * wave + more) + (bit >> 3)
                for wave, more, bit in zip(waves, spots, noise)
            )
        )
    return b"".join(planes)
