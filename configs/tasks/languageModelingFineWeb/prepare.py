"""FineWeb as tokens of GPT-2, with windows of its validation shard hidden; for a sample, bytes of
made-up text (made_text.py).
"""

import json
import shutil
import struct

from bench_tasks.prepare import Data
from made_text import made_text

MAGIC, VERSION, HEADER = 20240520, 1, 1024
VALIDATION_SHARD = "fineweb_val_000000.bin"
# The shards whose checksums were published, eighteen as in the reference.
SHARDS = (1, 3, 7, 8, 9, 10, 11, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26)
VOCABULARY, WINDOW, WINDOWS = 50257, 513, 64
SAMPLE_VOCABULARY, SAMPLE_WINDOW, SAMPLE_WINDOWS = 256, 257, 16


def prepare(data: Data) -> None:
    if data.sample:
        vocabulary, window, count = SAMPLE_VOCABULARY, SAMPLE_WINDOW, SAMPLE_WINDOWS
        for shard in SHARDS[:2]:
            tokens = made_text(data.rng(f"shard {shard}"), 300_000)
            write_shard(data.agent_path(place_of(shard)), struct.pack(f"<{len(tokens)}H", *tokens))
        held_out = made_text(data.rng("held out"), 100_000)
        held_out = struct.pack(f"<{len(held_out)}H", *held_out)
    else:
        vocabulary, window, count = VOCABULARY, WINDOW, WINDOWS
        for shard in SHARDS:
            shutil.copyfile(data.source(name_of(shard)), data.agent_path(place_of(shard)))
        held_out = read_shard(data.source(VALIDATION_SHARD))
    hide_windows(data, held_out, window, count)
    write_json(data.hidden_path("settings.json"), {"vocabulary": vocabulary, "window": window})
    shown = {"vocabulary": vocabulary, "context": window - 1, "windows": count}
    write_json(data.agent_path("data/evaluation.json"), shown)


def name_of(shard):
    return f"fineweb_train_{shard:06d}.bin"


def place_of(shard):
    return "data/fineweb10B/" + name_of(shard)


def hide_windows(data, tokens, window, count):
    """As many windows for validation as for the test, none of which overlap.

    `tokens`: bytes, two for each.
    """
    places = data.rng("windows").sample(range(len(tokens) // 2 // window), 2 * count)
    for split, chosen in (("validation", places[:count]), ("test", places[count:])):
        parts = [tokens[2 * window * place : 2 * window * (place + 1)] for place in chosen]
        write_shard(data.hidden_path(split + ".bin"), b"".join(parts))


def read_shard(path):
    with open(path, "rb") as file:
        magic, version, count = struct.unpack("<3i", file.read(HEADER)[:12])
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(f"{path} is no shard of tokens: it begins with {magic}, {version}")
        return file.read(2 * count)


def write_shard(path, tokens):
    with open(path, "wb") as file:
        file.write(struct.pack("<3i", MAGIC, VERSION, len(tokens) // 2).ljust(HEADER, b"\0"))
        file.write(tokens)


def write_json(path, values):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(values, file)
