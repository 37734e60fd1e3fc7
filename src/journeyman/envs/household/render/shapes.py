"""What each class looks like, in its state and its module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from journeyman.envs.household.render import fittings
from journeyman.envs.household.render.placing import Cell
from journeyman.envs.household.render.solids import Shape, block, box, seat, table, turned
from journeyman.envs.household.render.things import THINGS

FIXTURES: Mapping[str, Shape] = {
    "ArmChair": seat(0.8, 0.8, 0.45),
    "Bathtub": (
        block(-0.85, -0.77, -0.3, 0.27, -0.4, 0.4, "porcelain"),
        block(0.77, 0.85, -0.3, 0.27, -0.4, 0.4, "porcelain"),
        block(-0.85, 0.85, -0.3, 0.27, -0.4, -0.32, "porcelain"),
        block(-0.85, 0.85, -0.3, 0.27, 0.32, 0.4, "porcelain"),
        block(-0.8, 0.8, -0.3, -0.16, -0.35, 0.35, "porcelain"),
        box(0.06, 0.12, 0.06, "chrome", x=-0.78, y=0.27),
    ),
    "Bed": (
        block(-0.8, 0.8, 0.1, 0.32, -1.0, 1.0, "wood"),
        block(-0.8, 0.8, 0, 1.05, -1.0, -0.94, "wood"),
        block(-0.77, 0.77, 0.32, 0.53, -0.94, 0.97, "white"),
        block(-0.785, 0.785, 0.3, 0.55, -0.35, 0.985, "own"),
    ),
    "Cart": (
        *(box(0.03, 0.82, 0.03, "steel", x=x, z=z) for x in (-0.22, 0.22) for z in (-0.17, 0.17)),
        box(0.46, 0.02, 0.36, "white", y=0.28),
        box(0.46, 0.02, 0.36, "white", y=0.78),
    ),
    "CoffeeMachine": (
        block(-0.11, 0.11, 0, 0.05, -0.16, 0.14, "black"),
        block(-0.11, 0.11, 0.05, 0.36, -0.16, -0.05, "iron"),
        block(-0.11, 0.11, 0.24, 0.36, -0.16, 0.14, "iron"),
        box(0.05, 0.03, 0.01, "red", y=0.29, z=0.145),
    ),
    "CoffeeTable": table(1.2, 0.45, 0.7, "wood"),
    "Desk": (
        box(1.2, 0.04, 0.6, "wood", y=0.73),
        box(0.04, 0.73, 0.56, "wood", x=-0.57),
        box(0.02, 0.73, 0.56, "wood", x=0.59),
        box(1.12, 0.4, 0.02, "wood", y=0.33, z=-0.26),
    ),
    "DiningTable": table(1.6, 0.8, 0.9, "oak", 0.08),
    "Dresser": (box(1.3, 0.05, 0.5, "wood", y=0.85), box(1.26, 0.08, 0.42, "dark")),
    "GarbageCan": (
        turned((0.13, 0), (0.17, 0.45), (0.16, 0.45), (0.125, 0.13), colour="own", sides=10),
    ),
    "HandTowelHolder": (box(0.4, 0.02, 0.05, "steel"),),
    "Ottoman": (box(0.6, 0.3, 0.6, y=0.12), *table(0.56, 0.14, 0.56, "dark")),
    "Shelf": (block(-0.43, 0.43, 0.02, 0.05, -0.16, 0.17, "oak"),),
    "SideTable": table(0.5, 0.65, 0.45, "wood", 0.05),
    "Sofa": seat(2.0, 0.9, 0.48),
    "StoveBurner": (
        turned((0.13, 0), (0.13, 0.03), colour="black", sides=12),
        turned((0.09, 0.03), (0.09, 0.04), colour="rust", sides=12),
        box(0.25, 0.02, 0.02, "iron", y=0.03),
        box(0.02, 0.02, 0.25, "iron", y=0.03),
    ),
    "Toilet": (
        block(-0.14, 0.14, 0, 0.3, -0.12, 0.22, "porcelain"),
        turned(
            (0.15, 0.28),
            (0.21, 0.43),
            (0.15, 0.43),
            (0.08, 0.3),
            colour="porcelain",
            z=0.14,
            sides=12,
        ),
        turned((0.1, 0.28), (0.1, 0.34), colour="water", z=0.14, sides=10),
        block(-0.2, 0.2, 0.43, 0.78, -0.05, -0.03, "white"),
        block(-0.22, 0.22, 0.36, 0.8, -0.28, -0.06, "porcelain"),
        box(0.04, 0.02, 0.02, "chrome", x=-0.12, y=0.7, z=-0.05),
    ),
    "ToiletPaperHanger": (block(-0.09, 0.09, -0.01, 0.01, -0.05, 0.03, "chrome"),),
    "TowelHolder": (box(0.5, 0.02, 0.05, "steel"),),
    "TVStand": (box(1.4, 0.5, 0.45, "dark"),),
}
"""From the position of each, which for most is on the floor."""

SCENERY: Mapping[str, Shape] = {
    "stove": (
        block(-0.4, 0.4, 0, 0.93, 0.01, 0.62, "steel"),
        block(-0.3, 0.3, 0.2, 0.6, 0.62, 0.63, "black"),
        block(-0.32, 0.32, 0.68, 0.71, 0.63, 0.67, "chrome"),
        *(box(0.05, 0.05, 0.03, "black", x=x, y=0.8, z=0.63) for x in (-0.25, -0.08, 0.08, 0.25)),
    ),
    "shelves": (
        block(-0.45, -0.43, 0, 1.75, 0.01, 0.34, "oak"),
        block(0.43, 0.45, 0, 1.75, 0.01, 0.34, "oak"),
    ),
    "vanity": (
        block(-0.77, 0.97, 1.18, 2.02, 0.005, 0.015, "steel"),
        block(-0.75, 0.95, 1.2, 2.0, 0.01, 0.025, "mirror"),
    ),
    "washstand": (
        block(-0.32, 0.32, 1.18, 1.92, 0.005, 0.015, "steel"),
        block(-0.3, 0.3, 1.2, 1.9, 0.01, 0.025, "mirror"),
    ),
}
"""What a module has beyond its objects, from its middle at the wall."""

_STATEFUL: Mapping[str, Callable[[bool, bool], Shape]] = {
    "Box": lambda opened, on: fittings.cardboard_box(opened),
    "DeskLamp": lambda opened, on: fittings.lamp(0.45, on),
    "Faucet": lambda opened, on: fittings.faucet(on),
    "FloorLamp": lambda opened, on: fittings.lamp(1.6, on),
    "Fridge": lambda opened, on: fittings.fridge(opened),
    "Laptop": lambda opened, on: fittings.laptop(opened),
    "Microwave": fittings.microwave,
    "Safe": lambda opened, on: fittings.safe(opened),
}
_UNKNOWN: Shape = (box(0.2, 0.2, 0.2, "grey"),)


@cache
def shape_of(
    object_type: str, opened: bool, on: bool, module: str = "", cell: Cell | None = None
) -> Shape:
    """The shape of a thing; a grey cube for a class of no known look.

    Args:
        object_type: Its class.
        opened: Whether it is open.
        on: Whether it is switched on.
        module: The module of `furniture.MODULES` that it is part of, if known.
        cell: Of a cabinet or a drawer: the space that it has.
    """
    if object_type == "Cabinet":
        return fittings.cabinet(cell or fittings.CABINET, opened)
    if object_type == "Drawer":
        return fittings.drawer(cell or fittings.DRAWER, opened)
    if object_type == "CounterTop":
        return fittings.countertop(module)
    if object_type == "Sink":
        return fittings.sink(module)
    if object_type == "Dresser" and not module:
        return (*FIXTURES["Dresser"], box(1.26, 0.77, 0.44, "wood", y=0.08))
    if object_type in _STATEFUL:
        return _STATEFUL[object_type](opened, on)
    return THINGS.get(object_type) or FIXTURES.get(object_type, _UNKNOWN)
