"""What the bundled task sets are made of: their mixes, their rooms, and which goals make sense."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import get_args

from journeyman.envs.household.scene import Room, TaskType
from journeyman.envs.household.vocab import HIDES_CONTENTS, OPEN_AT_RESET

ROOMS: tuple[Room, ...] = get_args(Room)

_CLEANABLE = """Apple Bowl ButterKnife Cloth Cup DishSponge Egg Fork HandTowel Kettle Knife Ladle
    Lettuce Mug Pan Plate Pot Potato SoapBar Spatula Spoon Tomato"""

FITS: Mapping[str, tuple[str, ...]] = {
    vessel: tuple(things.split())
    for vessel, things in {
        "Bowl": """Apple CellPhone CreditCard Egg Fork KeyChain Pen Pencil Potato RemoteControl
                Spoon Tomato Watch""",
        "Box": "CD Candle CellPhone CreditCard KeyChain Pen Pencil RemoteControl Statue Watch",
        "Cup": "ButterKnife Fork Pen Pencil Spoon",
        "Mug": "ButterKnife Fork Pen Pencil Spoon",
        "Pan": "Apple Egg Ladle Potato Spatula Tomato",
        "Plate": "Apple Bread ButterKnife Egg Fork KeyChain Knife Potato Spoon Tomato Watch",
        "Pot": "Apple DishSponge Egg Ladle Potato Spatula Spoon Tomato",
    }.items()
}
"""What people put into a vessel to carry it there."""

SUITABLE: Mapping[TaskType, Collection[str]] = {
    "pick_clean_then_place_in_recep": frozenset(_CLEANABLE.split())
}
"""The objects of a task type, where not all will do."""

TREATED_AT: Mapping[TaskType, str] = {
    "pick_clean_then_place_in_recep": "SinkBasin",
    "pick_heat_then_place_in_recep": "Microwave",
    "pick_cool_then_place_in_recep": "Fridge",
}
"""Where things are treated; not a place to bring them to afterwards."""

LAMPS = frozenset({"DeskLamp", "FloorLamp"})

DOORS = HIDES_CONTENTS - OPEN_AT_RESET
"""Classes of places whose door must be opened first."""


@dataclass(frozen=True)
class Slot:
    """One task to be filled.

    Attributes:
        task_type: Of the goal.
        sliced: Whether a slice is wanted.
        door_to_put: Whether the place has a door; None where it does not matter.
        door_to_take: Whether something to be carried must be taken from behind a door.
    """

    task_type: TaskType
    sliced: bool = False
    door_to_put: bool | None = None
    door_to_take: bool | None = None


@dataclass(frozen=True)
class Caps:
    """At most how many tasks share a scene, a goal and, within a type, an object or a place."""

    scene: int
    goal: int
    object: int
    place: int


@dataclass(frozen=True)
class Recipe:
    """How a task set is made; ``side`` is 0 for a first set and 1 for the held-out one."""

    rooms: tuple[tuple[Room, int], ...]
    slots: tuple[Slot, ...]
    caps: Caps
    side: int


_DOOR_PATTERN = ((True, False), (False, True), (False, False), (True, True), (False, False))


def _slots(task_type: TaskType, count: int, *, sliced: bool = False) -> tuple[Slot, ...]:
    """Slots of a type: two fifths put behind a door, two fifths take from behind one."""
    pattern = (_DOOR_PATTERN[number % len(_DOOR_PATTERN)] for number in range(count))
    if task_type == "look_at_obj_in_light":
        return tuple(Slot(task_type, sliced, None, take) for _, take in pattern)
    return tuple(Slot(task_type, sliced, put, take) for put, take in pattern)


_BASE_SLOTS = (
    *_slots("look_at_obj_in_light", 7),
    *_slots("pick_two_obj_and_place", 10),
    *_slots("pick_and_place_with_movable_recep", 10),
    *_slots("pick_clean_then_place_in_recep", 13),
    *_slots("pick_and_place_simple", 10),
)
_LONG_SLOTS = (
    *_slots("pick_two_obj_and_place", 6, sliced=True),
    *_slots("pick_cool_then_place_in_recep", 16, sliced=True),
    *_slots("pick_heat_then_place_in_recep", 28, sliced=True),
)
_BASE_ROOMS: tuple[tuple[Room, int], ...] = (
    ("kitchen", 8),
    ("living_room", 4),
    ("bedroom", 4),
    ("bathroom", 4),
)
_LONG_ROOMS: tuple[tuple[Room, int], ...] = (("kitchen", 20),)
_BASE_CAPS = Caps(scene=3, goal=1, object=2, place=3)
_LONG_CAPS = Caps(scene=3, goal=3, object=7, place=7)

RECIPES: Mapping[str, Recipe] = {
    "base-v0": Recipe(_BASE_ROOMS, _BASE_SLOTS, _BASE_CAPS, 0),
    "base-heldout-v0": Recipe(_BASE_ROOMS, _BASE_SLOTS, _BASE_CAPS, 1),
    "long_horizon-v0": Recipe(_LONG_ROOMS, _LONG_SLOTS, _LONG_CAPS, 0),
    "long_horizon-heldout-v0": Recipe(_LONG_ROOMS, _LONG_SLOTS, _LONG_CAPS, 1),
}
