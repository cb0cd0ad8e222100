"""Who of the Titanic's passengers survived: 691 to learn from, 618 to predict, of which `validate`
scores 200.

The package's row names are the passengers' names. They are not read: with them anyone could be
looked up.
"""

from bench_tasks.debian import package_files
from bench_tasks.prepare import Data
from bench_tasks.r_data import read_package_data

PLACE = "usr/lib/R/site-library/carData/data/Rdata."
FEATURES = ("passengerClass", "sex", "age")
# As many to rank by as in the competition of the same name.
VALIDATION, TEST = 200, 418
PASSENGERS = 1309
SAMPLE_PASSENGERS = 1000


def prepare(data: Data) -> None:
    passengers = (
        made_up(data.rng("passengers")) if data.sample else read(data.source("r-cran-cardata.deb"))
    )
    # The source is in the order of classes and names, which would tell who is who: ids follow
    # chance.
    data.rng("order").shuffle(passengers)
    for number, passenger in enumerate(passengers, 1):
        passenger["id"] = number
    unknown, train = passengers[-VALIDATION - TEST :], passengers[: -VALIDATION - TEST]
    chosen = set(data.rng("validation").sample(range(len(unknown)), VALIDATION))
    for place, passenger in enumerate(unknown):
        passenger["split"] = "validation" if place in chosen else "test"
    data.agent_csv("data/train.csv", ["id", *FEATURES, "survived"], train)
    data.agent_csv("data/test.csv", ["id", *FEATURES], unknown)
    data.hidden_csv("answers.csv", ["id", "survived", "split"], unknown)


def read(package):
    files = package_files(package, [PLACE + "rdx", PLACE + "rdb"])
    frame = read_package_data(files[PLACE + "rdx"], files[PLACE + "rdb"], "TitanicSurvival")
    if set(frame) != {*FEATURES, "survived"} or {len(values) for values in frame.values()} != {
        PASSENGERS
    }:
        raise ValueError(
            f"TitanicSurvival has not the {PASSENGERS} rows and 4 columns that it should have"
        )
    return [
        {
            "passengerClass": int(kind[0]),
            "sex": sex,
            # Stored as 32-bit floats: 0.916700006.
            "age": None if age is None else round(age, 4),
            "survived": int(survived == "yes"),
        }
        for kind, sex, age, survived in zip(*(frame[name] for name in (*FEATURES, "survived")))
    ]


def made_up(rng):
    """Passengers that never were: the chance to survive hangs on sex and class, on age for boys,
    and a little on luck.
    """
    passengers = []
    for _ in range(SAMPLE_PASSENGERS):
        kind = rng.choices((1, 2, 3), (0.25, 0.21, 0.54))[0]
        sex = "male" if rng.random() < 0.64 else "female"
        age = round(max(0.5, rng.gauss(44 - 6 * kind, 13)), 0 if rng.random() < 0.97 else 1)
        if sex == "female":
            chance = (0.97, 0.9, 0.5)[kind - 1]
        else:
            chance = 0.75 if age < 13 and kind < 3 else (0.3, 0.12, 0.12)[kind - 1]
        passengers.append(
            {
                "passengerClass": kind,
                "sex": sex,
                "age": None if rng.random() < (0.1, 0.05, 0.3)[kind - 1] else age,
                "survived": int(rng.random() < chance),
            }
        )
    return passengers
