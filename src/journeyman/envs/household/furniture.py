"""What furnishes the rooms: modules of fixtures, what stands where, and what lies where.

How often a class occurs and where it lies follows what is usual in AI2-THOR's rooms; the numbers
are ours. Lengths are in metres.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from journeyman.envs.household.scene import Room


@dataclass(frozen=True)
class Part:
    """One fixture of a module: ``along`` the wall from its middle, ``out`` from the wall."""

    type: str
    along: float
    out: float
    height: float


@dataclass(frozen=True)
class Module:
    width: float
    depth: float
    parts: tuple[Part, ...]


def _module(width: float, depth: float, *parts: tuple[str, float, float, float]) -> Module:
    return Module(width, depth, tuple(Part(*part) for part in parts))


MODULES: Mapping[str, Module] = {
    "armchair": _module(0.8, 0.8, ("ArmChair", 0, 0.4, 0.0)),
    "bathtub": _module(1.7, 0.8, ("Bathtub", 0, 0.4, 0.3), ("BathtubBasin", 0, 0.4, 0.1)),
    "bed": _module(1.6, 2.0, ("Bed", 0, 1.0, 0.0)),
    "bedside": _module(0.5, 0.45, ("SideTable", 0, 0.22, 0.0), ("Drawer", 0, 0.22, 0.4)),
    "bedside_lamp": _module(
        0.5,
        0.45,
        ("SideTable", 0, 0.22, 0.0),
        ("Drawer", 0, 0.22, 0.4),
        ("DeskLamp", -0.15, 0.12, 0.65),
    ),
    "cart": _module(0.5, 0.4, ("Cart", 0, 0.2, 0.0)),
    "coffee_counter": _module(
        1.3,
        0.65,
        ("CounterTop", 0, 0.32, 0.95),
        ("CoffeeMachine", -0.5, 0.2, 1.0),
        ("Cabinet", -0.33, 0.45, 0.47),
        ("Cabinet", 0.33, 0.45, 0.47),
        ("Cabinet", -0.33, 0.2, 2.02),
        ("Cabinet", 0.33, 0.2, 2.02),
    ),
    "counter": _module(
        1.3,
        0.65,
        ("CounterTop", 0, 0.32, 0.95),
        ("Drawer", -0.33, 0.4, 0.83),
        ("Drawer", -0.33, 0.4, 0.56),
        ("Drawer", -0.33, 0.4, 0.27),
        ("Cabinet", 0.33, 0.45, 0.47),
        ("Cabinet", 0.33, 0.2, 2.02),
    ),
    "desk": _module(
        1.2,
        0.6,
        ("Desk", 0, 0.3, 0.0),
        ("Drawer", 0.4, 0.35, 0.55),
        ("Drawer", 0.4, 0.35, 0.3),
    ),
    "desk_lamp": _module(
        1.2,
        0.6,
        ("Desk", 0, 0.3, 0.0),
        ("DeskLamp", -0.5, 0.12, 0.77),
        ("Drawer", 0.4, 0.35, 0.55),
        ("Drawer", 0.4, 0.35, 0.3),
    ),
    "dining_table": _module(1.6, 0.9, ("DiningTable", 0, 0.45, 0.0)),
    "dresser": _module(
        1.3,
        0.5,
        ("Dresser", 0, 0.25, 0.0),
        ("Drawer", -0.33, 0.3, 0.65),
        ("Drawer", 0.33, 0.3, 0.65),
        ("Drawer", -0.33, 0.3, 0.3),
        ("Drawer", 0.33, 0.3, 0.3),
    ),
    "floor_lamp": _module(0.4, 0.4, ("FloorLamp", 0, 0.2, 0.0)),
    "fridge": _module(0.9, 0.8, ("Fridge", 0, 0.4, 0.0)),
    "garbage": _module(0.4, 0.4, ("GarbageCan", 0, 0.2, 0.0)),
    "island": _module(1.6, 0.9, ("CounterTop", 0, 0.45, 0.95)),
    "microwave_counter": _module(
        1.3,
        0.65,
        ("CounterTop", 0, 0.32, 0.95),
        ("Microwave", 0.4, 0.25, 1.1),
        ("Cabinet", -0.33, 0.45, 0.47),
        ("Drawer", 0.33, 0.4, 0.83),
        ("Drawer", 0.33, 0.4, 0.56),
        ("Cabinet", -0.33, 0.2, 2.02),
    ),
    "ottoman": _module(0.6, 0.6, ("Ottoman", 0, 0.3, 0.0)),
    "safe": _module(0.45, 0.4, ("Safe", 0, 0.2, 0.2)),
    "shelves": _module(
        0.9,
        0.35,
        ("Shelf", 0, 0.17, 0.35),
        ("Shelf", 0, 0.17, 0.87),
        ("Shelf", 0, 0.17, 1.4),
    ),
    "side_table": _module(0.55, 0.5, ("SideTable", 0, 0.25, 0.0)),
    "side_table_lamp": _module(
        0.55, 0.5, ("SideTable", 0, 0.25, 0.0), ("DeskLamp", -0.17, 0.12, 0.65)
    ),
    "sink": _module(
        0.9,
        0.65,
        ("Sink", 0, 0.32, 0.93),
        ("SinkBasin", 0, 0.32, 0.76),
        ("Faucet", 0, 0.08, 1.06),
        ("Cabinet", -0.22, 0.45, 0.47),
        ("Cabinet", 0.22, 0.45, 0.47),
    ),
    "sofa": _module(2.0, 0.9, ("Sofa", 0, 0.45, 0.0)),
    "stove": _module(
        0.8,
        0.65,
        ("StoveBurner", -0.18, 0.2, 0.93),
        ("StoveBurner", 0.18, 0.2, 0.93),
        ("StoveBurner", -0.18, 0.47, 0.93),
        ("StoveBurner", 0.18, 0.47, 0.93),
    ),
    "coffee_table": _module(1.2, 0.7, ("CoffeeTable", 0, 0.35, 0.0)),
    "toilet": _module(0.6, 0.7, ("Toilet", 0, 0.3, 0.0), ("ToiletPaperHanger", 0.3, 0.05, 0.7)),
    "vanity": _module(
        2.0,
        0.6,
        ("CounterTop", -0.45, 0.3, 0.9),
        ("Sink", 0.6, 0.3, 0.88),
        ("SinkBasin", 0.6, 0.3, 0.72),
        ("Faucet", 0.6, 0.08, 1.0),
        ("Cabinet", 0.4, 0.4, 0.43),
        ("Cabinet", 0.8, 0.4, 0.43),
        ("Drawer", -0.6, 0.35, 0.7),
        ("Drawer", -0.6, 0.35, 0.4),
        ("Cabinet", -0.15, 0.4, 0.43),
    ),
    "washstand": _module(
        0.8,
        0.55,
        ("Sink", 0, 0.28, 0.88),
        ("SinkBasin", 0, 0.28, 0.72),
        ("Faucet", 0, 0.08, 1.0),
        ("Cabinet", 0, 0.4, 0.43),
    ),
    "wardrobe": _module(1.0, 0.6, ("Cabinet", -0.25, 0.3, 0.9), ("Cabinet", 0.25, 0.3, 0.9)),
}

PLANS: Mapping[Room, tuple[tuple[str, float], ...]] = {
    "kitchen": (
        ("fridge", 1.0),
        ("microwave_counter", 1.0),
        ("sink", 1.0),
        ("stove", 1.0),
        ("counter", 1.0),
        ("coffee_counter", 0.6),
        ("side_table", 0.35),
        ("shelves", 0.3),
        ("garbage", 0.8),
        ("safe", 0.1),
    ),
    "living_room": (
        ("sofa", 1.0),
        ("dresser", 0.7),
        ("shelves", 0.6),
        ("armchair", 0.9),
        ("armchair", 0.4),
        ("side_table", 0.8),
        ("side_table_lamp", 0.35),
        ("wardrobe", 0.35),
        ("desk", 0.25),
        ("ottoman", 0.3),
        ("safe", 0.35),
        ("floor_lamp", 1.0),
        ("garbage", 0.4),
    ),
    "bedroom": (
        ("bed", 1.0),
        ("bedside_lamp", 0.6),
        ("bedside", 0.6),
        ("desk_lamp", 1.0),
        ("dresser", 0.6),
        ("shelves", 0.6),
        ("wardrobe", 0.35),
        ("armchair", 0.4),
        ("safe", 0.4),
        ("floor_lamp", 0.35),
        ("garbage", 0.5),
    ),
    "bathroom": (
        ("bathtub", 0.85),
        ("vanity", 1.0),
        ("toilet", 1.0),
        ("washstand", 0.3),
        ("shelves", 0.4),
        ("cart", 0.35),
        ("side_table", 0.3),
        ("garbage", 0.7),
    ),
}
"""Modules along the walls with their chance, the large ones first."""

CENTRES: Mapping[Room, tuple[str, ...]] = {
    "kitchen": ("dining_table", "dining_table", "dining_table", "island"),
    "living_room": ("coffee_table", "coffee_table", "dining_table"),
    "bedroom": (),
    "bathroom": (),
}

SIZES: Mapping[Room, tuple[float, float]] = {
    "kitchen": (4.6, 4.2),
    "living_room": (5.4, 4.6),
    "bedroom": (4.4, 4.2),
    "bathroom": (3.4, 3.2),
}


@dataclass(frozen=True)
class Support:
    """Where things lie on or in a class: half extents and the heights above its position."""

    half_along: float
    half_out: float
    rises: tuple[float, ...]
    capacity: int


SUPPORTS: Mapping[str, Support] = {
    "ArmChair": Support(0.2, 0.2, (0.45,), 2),
    "BathtubBasin": Support(0.5, 0.18, (0.05,), 4),
    "Bed": Support(0.6, 0.75, (0.55,), 8),
    "Bowl": Support(0.0, 0.0, (0.03,), 1),
    "Box": Support(0.05, 0.05, (0.03,), 2),
    "Cabinet": Support(0.12, 0.1, (0.0,), 3),
    "Cart": Support(0.18, 0.12, (0.3, 0.8), 4),
    "CoffeeMachine": Support(0.0, 0.0, (0.05,), 1),
    "CoffeeTable": Support(0.48, 0.22, (0.45,), 6),
    "CounterTop": Support(0.52, 0.2, (0.05,), 8),
    "Cup": Support(0.0, 0.0, (0.03,), 1),
    "Desk": Support(0.5, 0.2, (0.77,), 7),
    "DiningTable": Support(0.7, 0.35, (0.8,), 12),
    "Drawer": Support(0.12, 0.1, (0.0,), 3),
    "Dresser": Support(0.55, 0.15, (0.9,), 6),
    "Fridge": Support(0.22, 0.15, (0.5, 0.9, 1.3), 6),
    "GarbageCan": Support(0.08, 0.08, (0.15,), 2),
    "Microwave": Support(0.0, 0.0, (0.0,), 1),
    "Mug": Support(0.0, 0.0, (0.03,), 1),
    "Ottoman": Support(0.15, 0.15, (0.42,), 2),
    "Plate": Support(0.0, 0.0, (0.03,), 1),
    "Safe": Support(0.08, 0.05, (0.0,), 2),
    "Shelf": Support(0.38, 0.1, (0.05,), 4),
    "SideTable": Support(0.18, 0.15, (0.65,), 3),
    "SinkBasin": Support(0.14, 0.1, (0.04,), 3),
    "Sofa": Support(0.75, 0.2, (0.48,), 5),
    "StoveBurner": Support(0.0, 0.0, (0.05,), 1),
    "Toilet": Support(0.12, 0.05, (0.8,), 2),
    "ToiletPaperHanger": Support(0.0, 0.0, (0.0,), 1),
}

STANDING = ("CoffeeMachine", "DeskLamp", "Microwave")
"""Fixtures that stand on another one: nothing lies within ``KEEP_OFF`` of them."""
KEEP_OFF = 0.25

_CONTENTS: Mapping[Room, str] = {
    "kitchen": """
    Apple 1-3 CounterTop*3 DiningTable*3 Fridge*3 SinkBasin Microwave | SideTable GarbageCan
    Bowl 1-3 Cabinet*4 DiningTable*2 CounterTop*2 Fridge SinkBasin | Shelf SideTable
    Bread 1-2 CounterTop*4 DiningTable*3 Fridge*2 Cabinet | SideTable GarbageCan
    ButterKnife 1-2 CounterTop*3 DiningTable*3 Drawer*3 SinkBasin | SideTable
    Cup 1-3 Cabinet*3 CounterTop*3 DiningTable*2 Microwave SinkBasin | Shelf SideTable
    DishSponge 1-2 Cabinet*3 CounterTop*2 Drawer*2 SinkBasin*2 |
    Egg 1-3 CounterTop*2 DiningTable*2 Fridge*3 SinkBasin Microwave | SideTable GarbageCan
    Fork 1-3 CounterTop*3 DiningTable*3 Drawer*4 SinkBasin | SideTable
    Glassbottle 0-2 CounterTop*2 Cabinet Fridge DiningTable | Shelf SideTable GarbageCan
    Kettle 0-1 CounterTop*2 StoveBurner*2 Cabinet | DiningTable
    Knife 1-2 CounterTop*3 DiningTable*3 Drawer*3 | SideTable SinkBasin
    Ladle 0-1 CounterTop*2 DiningTable Drawer*2 Cabinet | SinkBasin
    Lettuce 1-2 CounterTop*3 DiningTable*3 Fridge*3 SinkBasin | SideTable GarbageCan
    Mug 1-3 CounterTop*3 Cabinet*3 DiningTable*2 CoffeeMachine Microwave SinkBasin | Shelf
    Pan 1-2 StoveBurner*3 CounterTop*2 Cabinet*2 | DiningTable SinkBasin Fridge
    PepperShaker 1-2 Cabinet*3 CounterTop*3 DiningTable*2 Drawer*2 | Shelf SideTable
    Plate 1-3 Cabinet*4 DiningTable*2 CounterTop*2 Fridge | SinkBasin Shelf SideTable
    Pot 1-2 StoveBurner*3 CounterTop*2 Cabinet*2 Fridge | DiningTable SinkBasin
    Potato 1-3 CounterTop*3 DiningTable*2 Fridge*3 SinkBasin Microwave | SideTable GarbageCan
    SaltShaker 1-2 Cabinet*3 CounterTop*3 DiningTable*2 Drawer*2 | Shelf SideTable
    SoapBottle 1-2 Cabinet*3 CounterTop*3 | GarbageCan Drawer SideTable
    Spatula 1-2 CounterTop*3 DiningTable*2 Drawer*3 SinkBasin | SideTable
    Spoon 1-3 CounterTop*3 DiningTable*3 Drawer*4 SinkBasin | SideTable
    Tomato 1-3 CounterTop*3 DiningTable*3 Fridge*3 SinkBasin | SideTable GarbageCan Microwave
    Vase 0-1 Shelf*2 DiningTable CounterTop | Cabinet SideTable
    WineBottle 0-2 DiningTable*2 Cabinet*2 CounterTop Fridge | Shelf GarbageCan
        """,
    "living_room": """
    Book 0-3 CoffeeTable*2 Sofa*2 Dresser Drawer*2 Shelf*2 Cabinet | ArmChair Desk SideTable
    Bowl 0-1 DiningTable CoffeeTable Shelf SideTable Dresser |
    Box 1-2 Sofa CoffeeTable DiningTable Dresser ArmChair | SideTable Ottoman Desk
    Candle 0-2 CoffeeTable SideTable Dresser Shelf Drawer*2 Cabinet | DiningTable
    CellPhone 0-2 CoffeeTable*2 Drawer*2 Sofa Dresser SideTable | ArmChair Desk Safe
    CreditCard 1-3 CoffeeTable*2 Drawer*3 Sofa*2 ArmChair Dresser | Desk SideTable Safe
    KeyChain 1-3 Sofa*2 Drawer*3 CoffeeTable*2 SideTable Dresser | ArmChair Desk Safe
    Laptop 1-2 Sofa*2 CoffeeTable*2 DiningTable Desk | ArmChair SideTable Dresser
    Newspaper 0-2 Sofa*2 CoffeeTable*2 Drawer*2 Dresser | ArmChair SideTable GarbageCan Cabinet
    Pen 0-2 CoffeeTable SideTable Drawer*2 Desk | Shelf Dresser
    Pencil 0-2 CoffeeTable SideTable Drawer*2 Desk | Shelf Dresser
    Pillow 1-2 Sofa*3 ArmChair | Ottoman Cabinet
    Plate 0-1 DiningTable CoffeeTable SideTable | Shelf
    RemoteControl 1-3 Sofa*3 CoffeeTable*2 Dresser Drawer*2 Cabinet | ArmChair SideTable Shelf
    Statue 1-3 CoffeeTable*2 Shelf*3 SideTable Dresser Cabinet | DiningTable Desk
    TissueBox 0-2 CoffeeTable DiningTable SideTable Drawer Cabinet | Dresser Shelf
    Vase 1-3 Shelf*3 CoffeeTable DiningTable SideTable Dresser Cabinet | Safe
    Watch 0-2 Drawer*2 CoffeeTable SideTable Dresser | Shelf Safe
    WateringCan 0-1 SideTable Shelf Dresser Cabinet | CoffeeTable
        """,
    "bedroom": """
    AlarmClock 1-2 SideTable*2 Desk Shelf Dresser Drawer | Bed
    BaseballBat 0-1 Bed Floor*2 | ArmChair Cabinet
    BasketBall 0-1 Bed Floor*2 | ArmChair Cabinet
    Book 1-3 Bed*3 Desk*2 Drawer*2 Dresser Shelf | SideTable ArmChair Cabinet
    Bowl 0-2 Desk Shelf Dresser SideTable |
    Box 0-1 Bed Desk Shelf Dresser |
    CD 1-3 Drawer*3 Desk*2 Shelf*2 Dresser SideTable | Safe GarbageCan
    CellPhone 1-2 Bed*2 Drawer*2 Desk Dresser | SideTable Safe ArmChair
    Cloth 0-1 Shelf Drawer Cabinet | Bed Dresser
    CreditCard 1-3 Drawer*3 Shelf SideTable Dresser Desk | Safe
    KeyChain 1-3 Drawer*3 Shelf SideTable Dresser Desk | Safe Bed
    Laptop 1-2 Bed*2 Desk*2 | Dresser ArmChair
    Mug 0-2 Desk*2 Shelf SideTable Dresser |
    Pen 1-3 Desk*2 Drawer*2 Shelf Dresser SideTable | GarbageCan
    Pencil 1-3 Desk*2 Drawer*2 Shelf Dresser SideTable | GarbageCan
    Pillow 1-3 Bed*4 ArmChair | Cabinet
    RemoteControl 0-2 Bed Drawer Desk Dresser | SideTable Shelf
    Statue 0-1 Shelf Dresser | Desk SideTable
    TennisRacket 0-1 Bed Floor*2 | Cabinet
    TissueBox 0-1 SideTable Desk Drawer | Dresser Shelf
    Vase 0-2 Shelf Desk Dresser | SideTable Safe
    Watch 0-2 Drawer*2 SideTable Dresser Safe | Desk Shelf
        """,
    "bathroom": """
    Candle 1-3 CounterTop*3 Cabinet*2 Drawer Shelf Toilet | BathtubBasin Cart SideTable
    Cloth 1-2 BathtubBasin*2 Cabinet*3 CounterTop Drawer*2 SinkBasin | Shelf Cart SideTable
    DishSponge 0-2 CounterTop BathtubBasin Cabinet*2 Drawer | SinkBasin Toilet Cart
    HandTowel 1-2 CounterTop*2 Cabinet*2 Shelf Drawer | BathtubBasin SinkBasin Cart SideTable
    Plunger 0-1 Cabinet Floor |
    SoapBar 1-3 CounterTop*2 BathtubBasin*2 Cabinet*2 SinkBasin Drawer | Toilet Shelf Cart
    SoapBottle 1-3 CounterTop*2 Cabinet*3 Toilet Shelf | BathtubBasin Drawer GarbageCan Cart
    SprayBottle 1-3 CounterTop*2 Cabinet*3 Toilet Shelf | GarbageCan Drawer Cart SideTable
    TissueBox 0-2 CounterTop Shelf Cabinet Drawer | Toilet Cart SideTable
    ToiletPaper 1-3 Toilet*2 Cabinet*3 CounterTop Drawer ToiletPaperHanger | Shelf GarbageCan Cart
        """,
}
"""Per line: class, how many, where it may lie at reset (with weights) | where else it may go."""

VESSEL_CONTENTS: Mapping[str, tuple[str, ...]] = {
    "Bowl": ("KeyChain", "CreditCard", "Pen", "Pencil", "Egg", "Spoon"),
    "Box": ("KeyChain", "CellPhone", "CreditCard", "RemoteControl", "Watch"),
    "Mug": ("Spoon", "Pencil", "Pen"),
    "Plate": ("Fork", "Bread", "ButterKnife"),
}
NEST_CHANCE = 0.03


@dataclass(frozen=True)
class Stock:
    """How many of a class a room holds, where they may lie at reset and where they may be taken."""

    low: int
    high: int
    starts: Mapping[str, int]
    destinations: tuple[str, ...]


@cache
def stock(room: Room) -> Mapping[str, Stock]:
    """The classes that a room of this kind may hold."""
    found: dict[str, Stock] = {}
    for line in _CONTENTS[room].strip().splitlines():
        usual, _, others = line.partition("|")
        name, count, *places = usual.split()
        starts: dict[str, int] = {}
        for place in places:
            where, _, weight = place.partition("*")
            starts[where] = int(weight or 1)
        low, _, high = count.partition("-")
        destinations = tuple(place for place in starts if place != "Floor")
        found[name] = Stock(int(low), int(high), starts, (*destinations, *others.split()))
    return found
