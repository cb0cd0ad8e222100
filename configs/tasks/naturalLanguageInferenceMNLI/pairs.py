"""Made-up pairs of sentences: one premise with a hypothesis of each label.

What follows must be learned from both sentences.
"""

KINDS = {
    "animal": ["dog", "cat", "horse", "rabbit", "goat"],
    "person": ["nurse", "farmer", "teacher", "child", "singer"],
    "vehicle": ["truck", "bus", "tractor", "tram", "van"],
}
ACTS = {
    "animal": ["sleeping", "eating", "running", "hiding"],
    "person": ["singing", "walking", "reading", "waiting"],
    "vehicle": ["parked", "arriving", "burning", "turning"],
}
PLACES = [
    "in the park",
    "near the river",
    "behind the house",
    "at the station",
    "on the hill",
    "by the market",
]
QUALITIES = ["old", "young", "brown", "tall", "quiet", "strange"]
TIMES = ["in the morning", "at noon", "every day", "after the rain"]
GENRES = ["fiction", "travel", "letters"]
PLURALS = {"bus": "buses", "child": "children"}
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)


def made_pairs(rng, groups):
    return [pair for number in range(groups) for pair in made_group(rng, f"g{number}")]


def made_group(rng, group):
    kind = rng.choice(sorted(KINDS))
    facts = {
        "amount": rng.choice(["all", "two", "three", "some", "many"]),
        "quality": rng.choice(QUALITIES) if rng.random() < 0.6 else "",
        "noun": kind if rng.random() < 0.3 else rng.choice(KINDS[kind]),
        "act": rng.choice(ACTS[kind]),
        "place": rng.choice(PLACES) if rng.random() < 0.6 else "",
        "time": rng.choice(TIMES) if rng.random() < 0.4 else "",
    }
    # People do not always agree either.
    labels = {label: rng.randrange(3) if rng.random() < 0.08 else label for label in range(3)}
    changes = {ENTAILMENT: entailed, NEUTRAL: open_question, CONTRADICTION: contradicted}
    genre, premise = rng.choice(GENRES), sentence(facts)
    return [
        {
            "group": group,
            "genre": genre,
            "premise": premise,
            "hypothesis": sentence({**facts, **change(rng, kind, facts)}),
            "label": labels[label],
        }
        for label, change in sorted(changes.items())
    ]


# No kind of words gives a label away: negations, details and changes occur with several.


def entailed(rng, kind, facts):
    fewer = [{name: ""} for name in ("quality", "place", "time") if facts[name]]
    return rng.choice(
        [
            {"noun": kind},
            {"amount": "some"},
            {"act": "not " + another(rng, ACTS[kind], facts["act"])},
            {"noun": kind, "amount": "some"},
        ]
        + 2 * fewer
    )


def open_question(rng, kind, facts):
    elsewhere = another(rng, KINDS[kind], facts["noun"])
    return rng.choice(
        [
            {"quality": another(rng, QUALITIES, facts["quality"])},
            {"time": another(rng, TIMES, facts["time"])},
            {"noun": elsewhere},
            {"noun": elsewhere, "amount": "no"},
            {"noun": elsewhere, "act": "not " + facts["act"]},
            {"noun": elsewhere, "act": another(rng, ACTS[kind], facts["act"])},
        ]
    )


def contradicted(rng, kind, facts):
    elsewhere = another(rng, ACTS[kind], facts["act"])
    fewer = {name: "" for name in ("quality", "time") if facts[name]}
    return rng.choice(
        [
            {"amount": "no"},
            {"act": "not " + facts["act"]},
            {"act": elsewhere},
            {"act": elsewhere, **fewer},
        ]
    )


def another(rng, values, value):
    return rng.choice([each for each in values if each != value])


def sentence(facts):
    noun = PLURALS.get(facts["noun"], facts["noun"] + "s")
    words = [
        facts["amount"],
        facts["quality"],
        noun,
        "are",
        facts["act"],
        facts["place"],
        facts["time"],
    ]
    text = " ".join(word for word in words if word)
    return text[0].upper() + text[1:] + "."
