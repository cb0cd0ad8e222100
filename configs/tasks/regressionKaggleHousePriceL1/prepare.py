"""Houses sold in Ames, Iowa, with their prices: 60 % to learn from, 10 % to check with, 30 % to
predict, of which `validate` scores 10 %.

regressionKaggleHousePrice and its L1 variant have the same file, so that they have the same rows,
whatever the task's id is.
"""

import math
import random

from bench_tasks.debian import package_files
from bench_tasks.prepare import Data
from bench_tasks.r_data import read_package_data

PLACE = "usr/lib/R/site-library/modeldata/data/Rdata."
PRICE = "Sale_Price"
SAMPLE_ROWS = 900
SHARES = (0.6, 0.1, 0.1, 0.2)


def prepare(data: Data) -> None:
    houses = (
        made_up(random.Random("houses"))
        if data.sample
        else read(data.source("r-cran-modeldata.deb"))
    )
    columns = list(houses[0])
    random.Random("order of houses").shuffle(houses)
    ends = [round(len(houses) * sum(SHARES[: index + 1])) for index in range(len(SHARES))]
    train, check, *parts = (houses[start:end] for start, end in zip([0, *ends], ends))
    unknown = [
        {**house, "split": split}
        for split, part in zip(("validation", "test"), parts)
        for house in part
    ]
    random.Random("order of houses to predict").shuffle(unknown)
    # Ids say nothing of the source's order, nor which of the houses to predict are scored by
    # `validate`.
    for number, house in enumerate([*train, *check, *unknown], 1):
        house["Id"] = number
    data.agent_csv("data/train.csv", ["Id", *columns], train)
    data.agent_csv("data/validation.csv", ["Id", *columns], check)
    data.agent_csv(
        "data/test.csv", ["Id", *(column for column in columns if column != PRICE)], unknown
    )
    data.hidden_csv("answers.csv", ["Id", PRICE, "split"], unknown)


def read(package):
    files = package_files(package, [PLACE + "rdx", PLACE + "rdb"])
    frame = read_package_data(files[PLACE + "rdx"], files[PLACE + "rdb"], "ames")
    if (
        len(frame) != 74
        or PRICE not in frame
        or {len(values) for values in frame.values()} != {2930}
    ):
        raise ValueError("ames has not the 2930 rows and 74 columns that it should have")
    rows = zip(*frame.values())
    return [
        dict(zip(frame, (value.strip() if isinstance(value, str) else value for value in row)))
        for row in rows
    ]


def made_up(rng):
    """Houses that never were, in the same columns; a dozen of them make the price, not in a linear
    way.
    """
    levels = {name: values for name, values in known_columns() if isinstance(values[0], str)}
    places = {name: rng.gauss(0, 0.18) for name in levels["Neighborhood"]}
    houses = []
    for _ in range(SAMPLE_ROWS):
        house = {}
        for name, values in known_columns():
            if isinstance(values[0], str):
                # The first level is the most frequent one.
                house[name] = values[min(int(rng.expovariate(6 / len(values))), len(values) - 1)]
            else:
                house[name] = between(values, rng.random())
        house["Gr_Liv_Area"] = house["First_Flr_SF"] + house["Second_Flr_SF"]
        house["Year_Remod_Add"] = max(house["Year_Built"], house["Year_Remod_Add"])
        age = house["Year_Sold"] - house["Year_Built"]
        price = (
            math.log(85 * house["Gr_Liv_Area"])
            + places[house["Neighborhood"]]
            + 0.3 * math.exp(-max(age, 0) / 25)
            + (0.12 if age > 90 else 0)
            + 0.00015 * house["Total_Bsmt_SF"]
            + 0.06 * math.sqrt(house["Garage_Cars"])
            + 0.07 * min(house["Fireplaces"], 2)
            - (0.1 if house["Central_Air"] == "N" else 0)
            - (0.15 if house["Overall_Cond"] in ("Fair", "Poor", "Very_Poor") else 0)
            + rng.gauss(0, 0.07)
        )
        house[PRICE] = round(math.exp(price))
        houses.append(house)
    return houses


def between(quantiles, chance):
    """A value of a column whose least, 5 %, middle, 95 % and largest value are known."""
    at = (0, 0.05, 0.5, 0.95, 1)
    part = max(index for index in range(4) if at[index] <= chance)
    low, high = quantiles[part], quantiles[part + 1]
    value = low + (high - low) * (chance - at[part]) / (at[part + 1] - at[part])
    return round(value) if all(float(each).is_integer() for each in quantiles) else round(value, 6)


def known_columns():
    """(name, levels or quantiles) of each column but the price."""
    joined = COLUMNS.replace("\n    ", " ")
    for line in joined.strip().splitlines():
        name, values = line.split(": ", 1)
        parts = values.split(" | ")
        yield name, parts if len(parts) > 1 else [float(value) for value in values.split()]


COLUMNS = """
MS_SubClass: One_Story_1946_and_Newer_All_Styles | Two_Story_1946_and_Newer |
    One_and_Half_Story_Finished_All_Ages | One_Story_PUD_1946_and_Newer | One_Story_1945_and_Older |
    Two_Story_PUD_1946_and_Newer | Two_Story_1945_and_Older | Split_or_Multilevel |
    Duplex_All_Styles_and_Ages | Two_Family_conversion_All_Styles_and_Ages | Split_Foyer |
    Two_and_Half_Story_All_Ages | One_and_Half_Story_Unfinished_All_Ages | PUD_Multilevel_Split_Level_Foyer |
    One_Story_with_Finished_Attic_All_Ages | One_and_Half_Story_PUD_All_Ages
MS_Zoning: Residential_Low_Density | Residential_Medium_Density | Floating_Village_Residential |
    Residential_High_Density | C_all | I_all | A_agr
Lot_Frontage: 0 0 63 105 313
Lot_Area: 1300 3182 9439 17140 215245
Street: Pave | Grvl
Alley: No_Alley_Access | Gravel | Paved
Lot_Shape: Regular | Slightly_Irregular | Moderately_Irregular | Irregular
Land_Contour: Lvl | HLS | Bnk | Low
Utilities: AllPub | NoSewr | NoSeWa
Lot_Config: Inside | Corner | CulDSac | FR2 | FR3
Land_Slope: Gtl | Mod | Sev
Neighborhood: North_Ames | College_Creek | Old_Town | Edwards | Somerset | Northridge_Heights | Gilbert |
    Sawyer | Northwest_Ames | Sawyer_West | Mitchell | Brookside | Crawford | Iowa_DOT_and_Rail_Road |
    Timberland | Northridge | Stone_Brook | South_and_West_of_Iowa_State_University | Clear_Creek |
    Meadow_Village | Briardale | Bloomington_Heights | Veenker | Northpark_Villa | Blueste | Greens |
    Green_Hills | Landmark
Condition_1: Norm | Feedr | Artery | RRAn | PosN | RRAe | PosA | RRNn | RRNe
Condition_2: Norm | Feedr | Artery | PosA | PosN | RRNn | RRAe | RRAn
Bldg_Type: OneFam | TwnhsE | Duplex | Twnhs | TwoFmCon
House_Style: One_Story | Two_Story | One_and_Half_Fin | SLvl | SFoyer | Two_and_Half_Unf | One_and_Half_Unf |
    Two_and_Half_Fin
Overall_Cond: Average | Above_Average | Good | Very_Good | Below_Average | Fair | Excellent | Poor | Very_Poor
Year_Built: 1872 1915 1973 2007 2010
Year_Remod_Add: 1950 1950 1993 2007 2010
Roof_Style: Gable | Hip | Gambrel | Flat | Mansard | Shed
Roof_Matl: CompShg | Tar&Grv | WdShake | WdShngl | Membran | ClyTile | Roll | Metal
Exterior_1st: VinylSd | MetalSd | HdBoard | Wd Sdng | Plywood | CemntBd | BrkFace | WdShing | AsbShng |
    Stucco | BrkComm | AsphShn | CBlock | Stone | PreCast | ImStucc
Exterior_2nd: VinylSd | MetalSd | HdBoard | Wd Sdng | Plywood | CmentBd | Wd Shng | BrkFace | Stucco |
    AsbShng | Brk Cmn | ImStucc | Stone | AsphShn | CBlock | PreCast | Other
Mas_Vnr_Type: None | BrkFace | Stone | BrkCmn | CBlock
Mas_Vnr_Area: 0 0 0 466 1600
Exter_Cond: Typical | Good | Fair | Excellent | Poor
Foundation: PConc | CBlock | BrkTil | Slab | Stone | Wood
Bsmt_Cond: Typical | Good | Fair | No_Basement | Poor | Excellent
Bsmt_Exposure: No | Av | Gd | Mn | No_Basement
BsmtFin_Type_1: GLQ | Unf | ALQ | Rec | BLQ | LwQ | No_Basement
BsmtFin_SF_1: 0 1 3 7 7
BsmtFin_Type_2: Unf | Rec | LwQ | No_Basement | BLQ | ALQ | GLQ
BsmtFin_SF_2: 0 0 0 435 1526
Bsmt_Unf_SF: 0 0 466 1474 2336
Total_Bsmt_SF: 0 450 990 1776 6110
Heating: GasA | GasW | Grav | Wall | OthW | Floor
Heating_QC: Excellent | Typical | Good | Fair | Poor
Central_Air: Y | N
Electrical: SBrkr | FuseA | FuseF | FuseP | Unknown | Mix
First_Flr_SF: 334 665 1084 1830 5095
Second_Flr_SF: 0 0 0 1131 2065
Gr_Liv_Area: 334 861 1442 2464 5642
Bsmt_Full_Bath: 0 0 0 1 3
Bsmt_Half_Bath: 0 0 0 1 2
Full_Bath: 0 1 2 2 4
Half_Bath: 0 0 0 1 2
Bedroom_AbvGr: 0 2 3 4 8
Kitchen_AbvGr: 0 1 1 1 3
TotRms_AbvGrd: 2 4 6 9 15
Functional: Typ | Min2 | Min1 | Mod | Maj1 | Maj2 | Sev | Sal
Fireplaces: 0 0 1 2 4
Garage_Type: Attchd | Detchd | BuiltIn | No_Garage | Basment | More_Than_Two_Types | CarPort
Garage_Finish: Unf | RFn | Fin | No_Garage
Garage_Cars: 0 0 2 3 5
Garage_Area: 0 0 480 856 1488
Garage_Cond: Typical | No_Garage | Fair | Good | Poor | Excellent
Paved_Drive: Paved | Dirt_Gravel | Partial_Pavement
Wood_Deck_SF: 0 0 0 328 1424
Open_Porch_SF: 0 0 27 183 742
Enclosed_Porch: 0 0 0 176 1012
Three_season_porch: 0 0 0 0 508
Screen_Porch: 0 0 0 161 576
Pool_Area: 0 0 0 0 800
Pool_QC: No_Pool | Excellent | Good | Typical | Fair
Fence: No_Fence | Minimum_Privacy | Good_Privacy | Good_Wood | Minimum_Wood_Wire
Misc_Feature: None | Shed | Gar2 | Othr | Elev | TenC
Misc_Val: 0 0 0 0 17000
Mo_Sold: 1 2 6 11 12
Year_Sold: 2006 2006 2008 2010 2010
Sale_Type: WD | New | COD | ConLD | CWD | ConLI | ConLw | Oth | Con | VWD
Sale_Condition: Normal | Partial | Abnorml | Family | Alloca | AdjLand
Longitude: -93.6932 -93.6888 -93.6418 -93.6059 -93.5774
Latitude: 41.9865 41.9948 42.0347 42.0613 42.0634
"""
