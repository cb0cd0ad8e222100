"""Drawn scenes of one to three coloured shapes, with five captions each."""

SIZE = 64
COLOURS = {
    "red": (210, 40, 40),
    "green": (40, 160, 60),
    "blue": (50, 70, 210),
    "yellow": (230, 210, 50),
    "white": (240, 240, 240),
}
GROUNDS = {"dark": (35, 35, 40), "grey": (120, 120, 120)}
SHAPES = ("circle", "square", "triangle")
COUNTS = {1: "one", 2: "two", 3: "three"}
# Centres of the places that shapes may take: far enough apart that they do not touch.
PLACES = {
    ("left", "top"): (17, 17),
    ("right", "top"): (17, 46),
    ("left", "bottom"): (46, 17),
    ("right", "bottom"): (46, 46),
}


def made_scene(rng):
    """Rows of pixels, and captions."""
    ground = rng.choice(sorted(GROUNDS))
    places = rng.sample(sorted(PLACES), rng.choice([1, 1, 2, 2, 3]))
    colours = rng.sample(sorted(COLOURS), len(places))
    things = [
        {"colour": colour, "shape": rng.choice(SHAPES), "big": rng.random() < 0.5, "place": place}
        for colour, place in zip(colours, places)
    ]
    return drawn(rng, ground, things), captions(rng, ground, things)


def drawn(rng, ground, things):
    light = rng.uniform(0.85, 1.0)
    pixels = [bytearray(shade(GROUNDS[ground], light) * SIZE) for _ in range(SIZE)]
    for thing in things:
        row, column = (centre + rng.randint(-3, 3) for centre in PLACES[thing["place"]])
        radius = rng.randint(10, 12) if thing["big"] else rng.randint(5, 6)
        colour = shade(COLOURS[thing["colour"]], light)
        for down in range(-radius, radius + 1):
            half = half_width(thing["shape"], down, radius)
            start, end = max(0, column - half), min(SIZE, column + half + 1)
            if 0 <= row + down < SIZE:
                pixels[row + down][3 * start : 3 * end] = colour * (end - start)
    return pixels


def shade(colour, light):
    return bytes(int(value * light) for value in colour)


def half_width(shape, down, radius):
    if shape == "square":
        return radius
    if shape == "triangle":
        return (radius + down) // 2
    return int((radius * radius - down * down) ** 0.5)


def captions(rng, ground, things):
    """Different people say different things of the same scene, and not all of them say everything."""
    first, others = things[0], things[1:]
    said = [f"{size(thing)} {plain(thing)}" for thing in things]
    where = f"in the {first['place'][1]} {first['place'][0]} corner"
    everything = "a " + " and a ".join(said)
    found = [
        f"{everything} on a {ground} background",
        f"there is a {plain(first)} {where}",
        f"a picture of a {plain(first)} and {('nothing else' if not others else 'a ' + plain(others[0]))}",
        f"{COUNTS[len(things)]} {('shape' if not others else 'shapes')} on a {ground} background",
    ]
    if others:
        found.append(f"a {plain(first)} {relation(first, others[0])} a {plain(others[0])}")
    else:
        found.append(f"a single {plain(first)} {where} of the picture")
    rng.shuffle(found)
    return [text[0].upper() + text[1:] + "." if rng.random() < 0.5 else text for text in found]


def size(thing):
    return "large" if thing["big"] else "small"


def plain(thing):
    return f"{thing['colour']} {thing['shape']}"


def relation(one, other):
    (row, column), (other_row, other_column) = PLACES[one["place"]], PLACES[other["place"]]
    if row != other_row:
        return "above" if row < other_row else "below"
    return "left of" if column < other_column else "right of"
