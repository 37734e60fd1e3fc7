"""The state of a household and what follows from it: what is where, and what is in reach.

All values inside the mappings are immutable, so a copy of the mappings is a snapshot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from journeyman.envs.household.names import shells_of
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.vocab import (
    HIDES_CONTENTS,
    OPENABLE,
    RECEPTACLES,
    SLICEABLE,
    SURFACE_M,
    TOGGLEABLE,
    is_pickupable,
    kind_of,
)

REACH_M = 1.5
"""Visibility distance of the benchmark, measured along the floor as AI2-THOR's capsule does."""

STAND_M = 0.6
"""How far from its target the agent stands after a find (ours: there is no map of free floor)."""

VIEW_HALF_ANGLE_DEG = 45.0
"""Things further to the side than this are not in view (ours: points stand for whole objects)."""

AGENT_HEIGHT_M = 0.9
CAMERA_HEIGHT_M = 1.65
"""Agent height plus the benchmark's camera offset of 0.75 m."""

PITCH_FACTOR = 0.9
"""The camera is pitched 0.9 of the exact angle to the target."""

_VIEW_COSINE = math.cos(math.radians(VIEW_HALF_ANGLE_DEG))

Position = tuple[float, float, float]


@dataclass(slots=True)
class State:
    """Where everything is. Object ids are the keys, in metadata order.

    Attributes:
        type: Class of each object.
        position: (x, y, z) in metres.
        parent: The receptacle that an object is directly in or on, or None.
        contents: Objects directly in or on a receptacle, oldest first.
        members: Kind (the word of ``find``) to ids in metadata order; the shell of a sink whose
            basin is an object of its own is left out (see `names.shells_of`).
        open, on: Ids.
        heated, cooled, cleaned: Ids, never removed.
        held: What the agent holds, or None.
        agent: (x, z) in metres.
        rotation_deg: Heading, 0 along +z, 90 along +x.
        horizon_deg: Camera pitch, positive down.
        centre: (x, z) of the room's middle, towards which the agent stands.
    """

    type: dict[str, str]
    position: dict[str, Position]
    parent: dict[str, str | None]
    contents: dict[str, tuple[str, ...]]
    members: dict[str, tuple[str, ...]]
    open: set[str]
    on: set[str]
    heated: set[str] = field(default_factory=set)
    cooled: set[str] = field(default_factory=set)
    cleaned: set[str] = field(default_factory=set)
    held: str | None = None
    agent: tuple[float, float] = (0.0, 0.0)
    rotation_deg: float = 0.0
    horizon_deg: float = 0.0
    centre: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, scene: Scene) -> State:
        """The state at reset: the agent at ``scene.agent``, looking at the middle of the room."""
        contents: dict[str, list[str]] = {}
        members: dict[str, list[str]] = {}
        parent: dict[str, str | None] = {}
        shells = shells_of(scene)
        for thing in scene.objects:
            if thing.id not in shells:
                members.setdefault(kind_of(thing.type), []).append(thing.id)
            inside = parent[thing.id] = shells.get(thing.parent or "", thing.parent)
            if inside is not None:
                contents.setdefault(inside, []).append(thing.id)
        xs = [thing.position[0] for thing in scene.objects] or [0.0]
        zs = [thing.position[2] for thing in scene.objects] or [0.0]
        state = cls(
            type={thing.id: thing.type for thing in scene.objects},
            position={thing.id: thing.position for thing in scene.objects},
            parent=parent,
            contents={key: tuple(value) for key, value in contents.items()},
            members={key: tuple(value) for key, value in members.items()},
            open={t.id for t in scene.objects if t.is_open and t.type in OPENABLE},
            on={t.id for t in scene.objects if t.is_on and t.type in TOGGLEABLE},
            agent=scene.agent,
            centre=((min(xs) + max(xs)) / 2, (min(zs) + max(zs)) / 2),
        )
        state.face(*state.centre)
        return state

    def copy(self) -> State:
        """A snapshot that later steps do not change."""
        return State(
            self.type.copy(),
            self.position.copy(),
            self.parent.copy(),
            self.contents.copy(),
            self.members.copy(),
            self.open.copy(),
            self.on.copy(),
            self.heated.copy(),
            self.cooled.copy(),
            self.cleaned.copy(),
            self.held,
            self.agent,
            self.rotation_deg,
            self.horizon_deg,
            self.centre,
        )

    def face(self, x: float, z: float) -> None:
        """Turn towards a point on the floor."""
        dx, dz = x - self.agent[0], z - self.agent[1]
        self.rotation_deg = math.degrees(math.atan2(dx, dz)) % 360.0

    def stand_at(self, object_id: str) -> None:
        """Stand `STAND_M` from an object, on the side of the room's middle, and look at it."""
        x, y, z = self.position[object_id]
        dx, dz = self.centre[0] - x, self.centre[1] - z
        span = math.hypot(dx, dz)
        if span < 1e-6:
            dx, dz, span = 0.0, -1.0, 1.0
        self.agent = (x + STAND_M * dx / span, z + STAND_M * dz / span)
        self.face(x, z)
        pitch = math.degrees(math.atan2(CAMERA_HEIGHT_M - y, STAND_M))
        self.horizon_deg = PITCH_FACTOR * pitch

    def ancestors(self, object_id: str) -> list[str]:
        """The receptacles around an object, innermost first (AI2-THOR's parentReceptacles)."""
        found = []
        parent = self.parent[object_id]
        while parent is not None:
            found.append(parent)
            parent = self.parent.get(parent)
        return found

    def inside(self, receptacle_id: str) -> list[str]:
        """Everything in or on a receptacle at any depth (AI2-THOR's receptacleObjectIds).

        A thing in a bowl on a counter is on the counter too, as AI2-THOR's trigger boxes see it.
        """
        found = list(self.contents.get(receptacle_id, ()))
        for object_id in found:
            found.extend(self.contents.get(object_id, ()))
        return found

    def in_hand(self, object_id: str) -> bool:
        """Whether an object is held, or lies in the vessel that is held."""
        held = self.held
        if held is None:
            return False
        return object_id == held or held in self.ancestors(object_id)

    def shut_in(self, object_id: str) -> bool:
        """Whether some closed container around an object hides it."""
        parent = self.parent[object_id]
        while parent is not None:
            if self.type[parent] in HIDES_CONTENTS and parent not in self.open:
                return True
            parent = self.parent.get(parent)
        return False

    def visible(self, object_id: str) -> bool:
        """Whether an object is in view and so in reach: near, ahead, and not shut in."""
        if self.held is not None and self.in_hand(object_id):
            return not self.shut_in(object_id)
        x, _, z = self.position[object_id]
        dx, dz = x - self.agent[0], z - self.agent[1]
        span = math.hypot(dx, dz)
        if span > REACH_M:
            return False
        if span > 0.3:
            heading = math.radians(self.rotation_deg)
            if dx * math.sin(heading) + dz * math.cos(heading) < _VIEW_COSINE * span:
                return False
        return not self.shut_in(object_id)

    def distance(self, object_id: str) -> float:
        """Metres from the agent to an object; what is held is 0.3 m away."""
        if self.held is not None and self.in_hand(object_id):
            return 0.3
        x, y, z = self.position[object_id]
        dx, dz, dy = x - self.agent[0], z - self.agent[1], y - AGENT_HEIGHT_M
        return math.sqrt(dx * dx + dy * dy + dz * dz)

    def between(self, one: str, other: str) -> float:
        """Metres between two objects."""
        return math.dist(self.position[one], self.position[other])

    def place(self, object_id: str, receptacle_id: str | None, position: Position) -> None:
        """Move an object, with what is in it, into a receptacle or (None) onto the floor."""
        self.take(object_id)
        self.parent[object_id] = receptacle_id
        if receptacle_id is not None:
            self.contents[receptacle_id] = (*self.contents.get(receptacle_id, ()), object_id)
        for moved in (object_id, *self.inside(object_id)):
            self.position[moved] = position

    def spot(self, receptacle_id: str) -> Position:
        """Where in a receptacle the next thing lies: a spiral around its middle, at its height.

        The height is that of what already lies there, else the usual one of the class, but at
        least just above the receptacle's own position.
        """
        x, y, z = self.position[receptacle_id]
        lying = self.contents.get(receptacle_id, ())
        usual = max(y + 0.05, SURFACE_M.get(self.type[receptacle_id], 0.0))
        height = self.position[lying[0]][1] if lying else usual
        radius = 0.04 * math.sqrt(len(lying))
        angle = 2.4 * len(lying)
        return (x + radius * math.cos(angle), height, z + radius * math.sin(angle))

    def take(self, object_id: str) -> None:
        """Lift an object out of what it is in."""
        parent = self.parent[object_id]
        if parent is not None:
            self.contents[parent] = tuple(o for o in self.contents[parent] if o != object_id)
            self.parent[object_id] = None

    def metadata(self, name: dict[str, str]) -> list[dict[str, Any]]:
        """AI2-THOR's object metadata, one dict an object; ``name`` gives each its label.

        Rotation is always zero: the data and the rules have no use for it.
        """
        return [
            {
                "objectId": object_id,
                "objectType": kind,
                "name": name.get(object_id, object_id),
                "position": dict(zip("xyz", self.position[object_id], strict=True)),
                "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
                "visible": self.visible(object_id),
                "distance": self.distance(object_id),
                "receptacle": kind in RECEPTACLES,
                "receptacleObjectIds": self.inside(object_id) if kind in RECEPTACLES else None,
                "parentReceptacles": self.ancestors(object_id) or None,
                "openable": kind in OPENABLE,
                "isOpen": object_id in self.open,
                "toggleable": kind in TOGGLEABLE,
                "isToggled": object_id in self.on,
                "pickupable": is_pickupable(kind),
                "isPickedUp": object_id == self.held,
                "sliceable": kind in SLICEABLE,
                "isSliced": kind not in SLICEABLE and kind_of(kind) in SLICEABLE,
            }
            for object_id, kind in self.type.items()
        ]
