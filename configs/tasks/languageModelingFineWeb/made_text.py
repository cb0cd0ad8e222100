"""Text of a small made-up language, as bytes: words that follow each other by rules, some far more
often than others.
"""

SYLLABLES = ["ka", "lo", "mi", "ren", "sa", "tu", "vel", "dor", "fi", "gan", "hu", "pel"]
# How sentences are built: N noun, A adjective, V verb, D article, P preposition, C conjunction.
PLANS = ["DNV", "DANV", "DNVDN", "DANVDN", "DNVPDN", "DNVDANPDN", "DNVCDNV", "DNPDNVDAN"]
SMALL = {"D": ["the", "a", "this"], "P": ["in", "under", "near"], "C": ["and", "but"]}
WORDS = {"N": 120, "A": 40, "V": 60}


def made_text(rng, length):
    """`length` bytes. The words are the same for all texts; which ones come is up to `rng`."""
    words = vocabulary(rng)
    parts, size = [], 0
    while size < length:
        topic = rng.randrange(4)
        paragraph = " ".join(sentence(rng, words, topic) for _ in range(rng.randint(3, 8))) + "\n"
        parts.append(paragraph)
        size += len(paragraph)
    return "".join(parts).encode("ascii")[:length]


def vocabulary(rng):
    fixed = type(rng)("words")
    found = dict(SMALL)
    for kind, count in WORDS.items():
        ending = {"N": "", "A": "ish", "V": "s"}[kind]
        made = [
            "".join(fixed.choice(SYLLABLES) for _ in range(fixed.randint(1, 3))) + ending
            for _ in range(count)
        ]
        found[kind] = list(dict.fromkeys(made))
    return found


def sentence(rng, words, topic):
    said = []
    for kind in rng.choice(PLANS):
        choices = words[kind]
        if kind in WORDS:
            # A paragraph keeps to the words of its topic, of which the first are the most frequent.
            choices = choices[topic::4]
            said.append(choices[int(len(choices) * rng.random() ** 3)])
        else:
            said.append(rng.choice(choices))
    text = " ".join(said)
    return text[0].upper() + text[1:] + "."
