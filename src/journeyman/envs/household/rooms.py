"""Furnished rooms from a seed: fixtures along the walls, things in plausible places.

A room is laid out from modules (a sink with its cabinet, a desk with its drawers) pushed against
the walls without overlap, and a table in the middle; then its stock is put on and in them. Every
position is drawn here. Lengths are in metres: x runs along the room's width, z along its depth, y
up, and (0, 0) is the centre.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from journeyman.core.seeding import digest
from journeyman.envs.household.furniture import (
    CENTRES,
    KEEP_OFF,
    MODULES,
    NEST_CHANCE,
    PLANS,
    SIZES,
    STANDING,
    SUPPORTS,
    VESSEL_CONTENTS,
    Module,
    stock,
)
from journeyman.envs.household.scene import Room, Scene, SceneObject
from journeyman.envs.household.vocab import BASINS, OPEN_AT_RESET

_STEP = 0.05
_WALK = 0.6
"""Free floor kept in front of every module."""

Rectangle = tuple[float, float, float, float]
"""x low, z low, x high, z high."""


@dataclass(frozen=True)
class Fixture:
    """A placed part; ``turned`` where its wall runs along z instead of x."""

    object: SceneObject
    turned: bool


@dataclass(frozen=True)
class Layout:
    """An empty room. ``bodies`` are the footprints of its modules."""

    width: float
    depth: float
    fixtures: tuple[Fixture, ...]
    bodies: tuple[Rectangle, ...]


def object_id(type_name: str, position: tuple[float, float, float]) -> str:
    """AI2-THOR's id of an object: ``Apple|+00.10|+00.95|-01.20``."""
    return "|".join([type_name, *(f"{value:+06.2f}" for value in position)])


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _rounded(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Whole centimetres, as the id shows them; never -0.0."""
    return round(x, 2) + 0.0, round(y, 2) + 0.0, round(z, 2) + 0.0


class _Plan:
    """A room while modules are being put into it."""

    walls = ("north", "east", "south", "west")

    def __init__(self, width: float, depth: float) -> None:
        self.width, self.depth = width, depth
        self.fixtures: list[Fixture] = []
        self.bodies: list[Rectangle] = []
        self.fronts: list[Rectangle] = []

    def _point(self, wall: str, along: float, out: float) -> tuple[float, float]:
        half_x, half_z = self.width / 2, self.depth / 2
        return {
            "north": (along, half_z - out),
            "south": (along, out - half_z),
            "east": (half_x - out, along),
            "west": (out - half_x, along),
        }[wall]

    def _footprint(self, wall: str, middle: float, width: float, depth: float) -> Rectangle:
        ends = [
            self._point(wall, middle - width / 2, 0),
            self._point(wall, middle + width / 2, depth),
        ]
        (x_low, x_high), (z_low, z_high) = (sorted(values) for values in zip(*ends, strict=True))
        return x_low, z_low, x_high, z_high

    def _free(self, body: Rectangle, front: Rectangle) -> bool:
        return not any(
            _overlap(body, other_body) or _overlap(front, other_body) or _overlap(body, other_front)
            for other_body, other_front in zip(self.bodies, self.fronts, strict=True)
        )

    def put_by_wall(self, module: Module, rng: random.Random) -> bool:
        """Push the module against a wall where it fits; False where no wall has room."""
        for wall in rng.sample(self.walls, len(self.walls)):
            length = self.width if wall in ("north", "south") else self.depth
            middle = module.width / 2 - length / 2 + rng.choice((0.0, 0.05, 0.15))
            while middle + module.width / 2 <= length / 2 + 1e-9:
                body = self._footprint(wall, middle, module.width, module.depth)
                front = self._footprint(wall, middle, module.width, module.depth + _WALK)
                if self._free(body, front):
                    self._add(module, wall, middle, 0.0, body, front)
                    return True
                middle += _STEP
        return False

    def put_in_centre(self, module: Module) -> None:
        out = self.depth / 2 - module.depth / 2
        body = self._footprint("north", 0.0, module.width, module.depth)
        body = (body[0], -module.depth / 2, body[2], module.depth / 2)
        front = (body[0] - _WALK, body[1] - _WALK, body[2] + _WALK, body[3] + _WALK)
        self._add(module, "north", 0.0, out, body, front)

    def _add(
        self,
        module: Module,
        wall: str,
        middle: float,
        out: float,
        body: Rectangle,
        front: Rectangle,
    ) -> None:
        self.bodies.append(body)
        self.fronts.append(front)
        turned = wall in ("east", "west")
        shell = ""
        for part in module.parts:
            x, z = self._point(wall, middle + part.along, out + part.out)
            position = _rounded(x, part.height, z)
            name = object_id(part.type, position)
            if part.type in BASINS:
                name = f"{shell}|{part.type}"
            shell = name
            self.fixtures.append(Fixture(SceneObject(name, part.type, position), turned))


def layout(room: Room, rng: random.Random) -> Layout:
    """An empty room: its modules are drawn once, and the room grows until all of them fit."""
    modules = [MODULES[name] for name, chance in PLANS[room] if rng.random() < chance]
    centres = CENTRES[room]
    centre = MODULES[rng.choice(centres)] if centres else None
    width, depth = SIZES[room]
    while True:
        plan = _Plan(width, depth)
        if centre:
            plan.put_in_centre(centre)
        if all(plan.put_by_wall(module, rng) for module in modules):
            return Layout(width, depth, tuple(plan.fixtures), tuple(plan.bodies))
        width, depth = width + 0.2, depth + 0.2


class _Spots:
    """The free spots on and in the fixtures of a room; each is given away once."""

    def __init__(self, empty: Layout, rng: random.Random) -> None:
        self._rng = rng
        self._standing = [f.object for f in empty.fixtures if f.object.type in STANDING]
        self._free: dict[str, list[tuple[float, float, float]]] = {}
        self.by_type: dict[str, list[SceneObject]] = {}
        for fixture in empty.fixtures:
            self.offer(fixture.object, turned=fixture.turned)

    def offer(self, owner: SceneObject, *, turned: bool = False) -> None:
        support = SUPPORTS.get(owner.type)
        if support is None:
            return
        across = -(-support.capacity // (2 * len(support.rises))) if support.capacity > 1 else 1
        spots = []
        for rise in support.rises:
            for column in range(across):
                along = support.half_along * (2 * (column + 0.5) / across - 1)
                for out in (-support.half_out / 2, support.half_out / 2):
                    dx, dz = (out, along) if turned else (along, out)
                    x, y, z = owner.position
                    spots.append((x + dx, y + rise, z + dz))
        spots = [spot for spot in spots if not self._taken_by_appliance(owner, spot)]
        self._rng.shuffle(spots)
        self._free[owner.id] = spots[: support.capacity]
        self.by_type.setdefault(owner.type, []).append(owner)

    def _taken_by_appliance(self, owner: SceneObject, spot: tuple[float, float, float]) -> bool:
        return owner.type not in STANDING and any(
            abs(spot[0] - other.position[0]) < KEEP_OFF
            and abs(spot[2] - other.position[2]) < KEEP_OFF
            and abs(spot[1] - other.position[1]) < 0.3
            for other in self._standing
        )

    def take(self, place: str) -> tuple[SceneObject, tuple[float, float, float]] | None:
        """A free spot of some instance of this class, or None."""
        owners = [owner for owner in self.by_type.get(place, ()) if self._free[owner.id]]
        if not owners:
            return None
        owner = self._rng.choice(owners)
        return owner, _rounded(*self._free[owner.id].pop())


def _floor(empty: Layout, rng: random.Random, clearance: float) -> tuple[float, float]:
    """A point of the free floor on the 0.25 m grid."""
    steps_x, steps_z = int(empty.width / 0.5) - 1, int(empty.depth / 0.5) - 1
    grid = [
        (0.25 * i, 0.25 * j)
        for i in range(-steps_x, steps_x + 1)
        for j in range(-steps_z, steps_z + 1)
    ]
    free = [
        (x, z)
        for x, z in grid
        if not any(
            _overlap((x - clearance, z - clearance, x + clearance, z + clearance), body)
            for body in empty.bodies
        )
    ]
    return rng.choice(free)


def _furnish(room: Room, empty: Layout, rng: random.Random) -> list[SceneObject]:
    spots = _Spots(empty, rng)
    objects: dict[str, SceneObject] = {}
    # Vessels first, so that a few small things may lie in them.
    for name, kind in sorted(stock(room).items(), key=lambda item: item[0] not in VESSEL_CONTENTS):
        for _ in range(rng.randint(kind.low, kind.high)):
            nests = [v for v, small in VESSEL_CONTENTS.items() if name in small]
            if nests and rng.random() < NEST_CHANCE:
                places = [rng.choice(nests)]
            else:
                places = rng.choices(list(kind.starts), weights=list(kind.starts.values()), k=6)
            for place in places:
                if place == "Floor":
                    x, z = _floor(empty, rng, 0.1)
                    parent, position = None, (x, 0.05, z)
                else:
                    taken = spots.take(place)
                    if taken is None:
                        continue
                    parent, position = taken[0].id, taken[1]
                thing = SceneObject(
                    object_id(name, position), name, position, parent, is_open=name in OPEN_AT_RESET
                )
                if thing.id in objects:
                    continue
                objects[thing.id] = thing
                if name in VESSEL_CONTENTS:
                    spots.offer(thing)
                break
    return list(objects.values())


def build(room: Room, scene_id: str, seed: int) -> tuple[Layout, Scene]:
    """The empty room and the furnished scene that ``scene_id`` and ``seed`` decide.

    The objects are shuffled into their metadata order, as in AI2-THOR: a bare name means the first
    of its class in that order, not the nearest.
    """
    rng = random.Random(digest("household scene", room, scene_id, seed))
    empty = layout(room, rng)
    objects = [fixture.object for fixture in empty.fixtures] + _furnish(room, empty, rng)
    rng.shuffle(objects)
    return empty, Scene(scene_id, room, tuple(objects), _floor(empty, rng, 0.2))
