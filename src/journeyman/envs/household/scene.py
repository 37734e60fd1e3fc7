"""A household scene and a task's goal as data (AI2-THOR names, ALFRED goal parameters)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Room = Literal["kitchen", "living_room", "bedroom", "bathroom"]

TaskType = Literal[
    "pick_and_place_simple",
    "pick_two_obj_and_place",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_and_place_with_movable_recep",
]


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object at reset.

    Attributes:
        id: AI2-THOR objectId, e.g. ``Apple|+00.10|+00.95|-01.20``; unique in the scene.
        type: Its class, e.g. ``Apple``.
        position: (x, y, z) in metres, y up.
        parent: Id of the receptacle it is in or on; None for fixtures and things on the floor.
        is_open: For openable classes only.
        is_on: For toggleable classes only.
    """

    id: str
    type: str
    position: tuple[float, float, float]
    parent: str | None = None
    is_open: bool = False
    is_on: bool = False


@dataclass(frozen=True)
class Scene:
    """A room; ``objects`` are in metadata order, which decides what a bare name means."""

    id: str
    room: Room
    objects: tuple[SceneObject, ...]
    agent: tuple[float, float] = (0.0, 0.0)
    """Where the agent starts: x, z in metres."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Scene:
        objects = tuple(
            SceneObject(**{**o, "position": tuple(o["position"])}) for o in data["objects"]
        )
        return cls(data["id"], data["room"], objects, tuple(data["agent"]))


@dataclass(frozen=True, slots=True)
class Goal:
    """ALFRED's goal parameters: classes, not instances; unused ones are empty."""

    task_type: TaskType
    object_target: str
    parent_target: str = ""
    mrecep_target: str = ""
    toggle_target: str = ""
    object_sliced: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Goal:
        return cls(**data)
