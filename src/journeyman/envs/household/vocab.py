"""The words of EB-ALFRED: object classes, what can be done to each, and the 162 static actions.

The lists are facts of the benchmark (release of February 2025) in its own order, since the order
decides the action ids. Sizes and rooms in receptacles are ours: the benchmark has real geometry
there.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FINDABLE: tuple[str, ...] = _words(
    """Cart Potato Faucet Ottoman CoffeeMachine Candle CD Pan Watch HandTowel SprayBottle
    BaseballBat CellPhone Kettle Mug StoveBurner Bowl Toilet DiningTable Spoon TissueBox Shelf Apple
    TennisRacket SoapBar Cloth Plunger FloorLamp ToiletPaperHanger CoffeeTable Spatula Plate Bed
    Glassbottle Knife Tomato ButterKnife Dresser Microwave CounterTop GarbageCan WateringCan Vase
    ArmChair Safe KeyChain Pot Pen Cabinet Desk Newspaper Drawer Sofa Bread Book Lettuce CreditCard
    AlarmClock ToiletPaper SideTable Fork Box Egg DeskLamp Ladle WineBottle Pencil Laptop
    RemoteControl BasketBall DishSponge Cup SaltShaker PepperShaker Pillow Bathtub SoapBottle Statue
    Fridge Sink"""
)
"""The 80 classes of ``find a X``."""

PICKUPABLE: tuple[str, ...] = _words(
    """KeyChain Potato Pot Pen Candle CD Pan Watch Newspaper HandTowel SprayBottle BaseballBat Bread
    CellPhone Book Lettuce CreditCard Mug AlarmClock Kettle ToiletPaper Bowl Fork Box Egg Spoon
    TissueBox Apple TennisRacket Ladle WineBottle Cloth Plunger SoapBar Pencil Laptop RemoteControl
    BasketBall DishSponge Cup Spatula SaltShaker Plate PepperShaker Pillow Glassbottle SoapBottle
    Knife Statue Tomato ButterKnife WateringCan Vase"""
)
"""The 53 classes of ``pick up the X``."""

OPENABLE: tuple[str, ...] = ("Safe", "Laptop", "Fridge", "Box", "Microwave", "Cabinet", "Drawer")
"""The 7 classes of ``open the X`` and ``close the X``."""

TOGGLEABLE: tuple[str, ...] = ("Microwave", "DeskLamp", "FloorLamp", "Faucet")
"""The 4 classes of ``turn on the X`` and ``turn off the X``."""

SLICEABLE: tuple[str, ...] = ("Potato", "Lettuce", "Tomato", "Apple", "Bread")
"""The 5 classes of ``slice the X``."""

BENCHMARK_RECEPTACLES: tuple[str, ...] = _words(
    """ArmChair Safe Cart Ottoman Pot CoffeeMachine Desk Cabinet Pan Drawer Sofa Mug StoveBurner
    SideTable Toilet Bowl Box DiningTable Shelf ToiletPaperHanger CoffeeTable Cup Plate Bathtub Bed
    Dresser Fridge Microwave CounterTop Sink GarbageCan"""
)
"""The receptacle classes that the benchmark names."""

BASINS: Mapping[str, str] = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}
"""A basin answers to the name of its fixture: `Sink|x|y|z|SinkBasin` is found as ``a Sink``."""

RECEPTACLES: frozenset[str] = frozenset(BENCHMARK_RECEPTACLES) | {
    *BASINS,
    "TVStand",
    "HandTowelHolder",
    "TowelHolder",
}
"""Every class that things can be in or on; the last three cannot be found by name."""

VESSELS: frozenset[str] = frozenset(PICKUPABLE) & RECEPTACLES
"""Receptacles that can be carried: Bowl, Box, Cup, Mug, Pan, Plate, Pot."""

FIXTURES: frozenset[str] = RECEPTACLES - VESSELS
"""Receptacles that stay where they are."""

HIDES_CONTENTS: frozenset[str] = frozenset(OPENABLE) & RECEPTACLES
"""Closed, these hide what is inside."""

OPEN_AT_RESET: frozenset[str] = frozenset({"Box", "Laptop"})
"""Openable classes that start open in the benchmark; the others start closed."""

OFF_WHILE_OPEN: frozenset[str] = frozenset({"Microwave"})
"""AI2-THOR: must be closed to be turned on, and off to be opened."""

SLICES: Mapping[str, int] = {"Apple": 6, "Tomato": 7, "Potato": 8, "Lettuce": 7, "Bread": 8}
"""How many pieces a thing falls into (ours)."""

UNLISTED_PICKUPABLE: frozenset[str] = frozenset(
    {"Towel", "ScrubBrush", "TeddyBear", "Boots", "PaperTowelRoll"}
)
"""Things that the simulator could pick up but for which the benchmark has no action."""


def sliced(kind: str) -> str:
    """The class of a piece of ``kind``: ``AppleSliced``."""
    return f"{kind}Sliced"


SLICED_FROM: Mapping[str, str] = {sliced(kind): kind for kind in SLICEABLE}

_KINDS: Mapping[str, str] = {**BASINS, **SLICED_FROM}


def kind_of(object_type: str) -> str:
    """The word that finds an object of ``object_type``: a slice is an Apple, a basin a Sink."""
    return _KINDS.get(object_type, object_type)


_CAN_BE_CARRIED: frozenset[str] = (
    frozenset(PICKUPABLE) | UNLISTED_PICKUPABLE | frozenset(SLICED_FROM)
)


def is_pickupable(object_type: str) -> bool:
    """Whether an object of this class can be carried."""
    return object_type in _CAN_BE_CARRIED


_SIZE_GROUPS: Mapping[int, str] = {
    1: """KeyChain Pen Pencil Candle CD Watch CellPhone CreditCard Fork Knife ButterKnife Spoon
       Ladle Spatula Egg SoapBar RemoteControl DishSponge Cloth SaltShaker PepperShaker AppleSliced
       TomatoSliced PotatoSliced LettuceSliced BreadSliced""",
    2: "Apple Tomato Potato Lettuce Bread Cup Mug AlarmClock Statue ToiletPaper",
    4: """Pillow Laptop BaseballBat TennisRacket BasketBall Box Plunger WateringCan Towel TeddyBear
       Boots""",
}
SIZES: Mapping[str, int] = {
    object_type: size for size, group in _SIZE_GROUPS.items() for object_type in group.split()
}


def size_of(object_type: str) -> int:
    """1 small, 2 fits a bowl, 3 fits a box or a drawer (the rest), 4 bulky."""
    return SIZES.get(object_type, 3)


ROOM: Mapping[str, tuple[int, int]] = {
    "Mug": (1, 3),
    "Cup": (1, 3),
    "Bowl": (2, 6),
    "Pan": (2, 6),
    "Pot": (2, 6),
    "Plate": (2, 6),
    "Box": (3, 8),
    "Drawer": (3, 12),
    "Safe": (3, 8),
    "Microwave": (3, 4),
    "GarbageCan": (3, 16),
    "CoffeeMachine": (2, 1),
    "StoveBurner": (3, 1),
    "ToiletPaperHanger": (2, 1),
    "HandTowelHolder": (3, 1),
    "TowelHolder": (4, 1),
}
"""Largest size and number of things directly in a receptacle; classes not named take anything.

Slices do not count towards the number.
A Cup, for one, holds up to three small things (a Fork, a Pen); it does not hold an Apple.
"""

SURFACE_M: Mapping[str, float] = {
    "Fridge": 0.8,
    "Dresser": 0.8,
    "DiningTable": 0.75,
    "Desk": 0.7,
    "Cart": 0.7,
    "SideTable": 0.6,
    "Bed": 0.55,
    "Sofa": 0.45,
    "ArmChair": 0.45,
    "CoffeeTable": 0.45,
    "Ottoman": 0.4,
    "Toilet": 0.45,
}
"""Usual height of what lies in or on fixtures whose own position may be at floor level."""


def _static_actions() -> tuple[str, ...]:
    return (
        *(f"find a {kind}" for kind in FINDABLE),
        *(f"pick up the {kind}" for kind in PICKUPABLE),
        "put down the object in hand",
        "drop the object in hand",
        *(f"{verb} the {kind}" for kind in OPENABLE for verb in ("open", "close")),
        *(f"turn {way} the {kind}" for kind in TOGGLEABLE for way in ("on", "off")),
        *(f"slice the {kind}" for kind in SLICEABLE),
    )


STATIC_ACTIONS: tuple[str, ...] = _static_actions()
"""Ids 0 to 161; the names of further instances follow (see `names`)."""
