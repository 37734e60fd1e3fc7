"""How the bodies of a scene stand: walls and which way fixtures face, read back from positions.

A scene holds points only. Those of a generated room are matched with the modules that furnish such
rooms (`furniture.MODULES`); what matches none faces away from the nearest wall. Lengths are in
metres; a body's own x runs to the right as seen from behind it, y up, z out of its front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from journeyman.envs.household.furniture import CENTRES, MODULES, SIZES, Module, Part
from journeyman.envs.household.scene import Scene, SceneObject
from journeyman.envs.household.vocab import is_pickupable

_TOLERANCE = 0.011
_GROWTH = 20
"""Rooms grow in steps of 0.2 m until their modules fit; more steps than this are not tried."""
_BEHIND_M = 0.4
"""From the outermost fixture to the wall, where they are not those of a generated room."""

_TURNS = {"north": math.pi, "south": 0.0, "east": -math.pi / 2, "west": math.pi / 2, "centre": 0.0}
_FLIPPED = frozenset({"north", "west"})
"""Walls along which positions run against a body's own x (see `rooms`)."""

_MIDDLE = frozenset(name for names in CENTRES.values() for name in names)

_UPPER_M = 1.5
_FRONTS = {
    "bedside": (-0.23, 0.23, 0.25, 0.6),
    "bedside_lamp": (-0.23, 0.23, 0.25, 0.6),
    "desk": (0.2, 0.58, 0.15, 0.72),
    "desk_lamp": (0.2, 0.58, 0.15, 0.72),
    "dresser": (-0.65, 0.65, 0.08, 0.86),
    "vanity": (-1.0, 1.0, 0.08, 0.87),
    "wardrobe": (-0.5, 0.5, 0.03, 1.85),
}
"""The part of a module's front that its doors and drawers share: along low, high, y low, high."""

_BASINS_FROM: Mapping[str, float] = {"sink": -0.45, "vanity": 0.15, "washstand": -0.4}
"""Where along a module the slab with the basin begins; doors beyond are lower than the basin."""
_BASIN_BOTTOM_M = 0.68


@dataclass(frozen=True)
class Cell:
    """The space behind a door or a drawer's front, from the position of its owner.

    x runs as ``along`` does in `furniture.MODULES`.
    """

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    back: float
    front: float

    @property
    def sides(self) -> tuple[float, float, float, float, float, float]:
        """In the order that `block` takes: x low, x high, y low, y high, back, front."""
        return self.x_low, self.x_high, self.y_low, self.y_high, self.back, self.front

    def mirrored(self) -> Cell:
        """The cell of a body that is mirrored from side to side."""
        return replace(self, x_low=-self.x_high, x_high=-self.x_low)


@dataclass(frozen=True)
class Setting:
    """How a fixture stands.

    ``turn_rad`` is the heading of its front, 0 along +z, pi/2 along +x; ``flipped`` where its own x
    runs against the order in which `furniture.MODULES` gives the parts along a wall.
    """

    turn_rad: float
    flipped: bool = False
    module: str = ""
    cell: Cell | None = None


@dataclass(frozen=True)
class Stand:
    """A module in the room: its middle at the wall (x, z), and how it stands."""

    module: str
    middle: tuple[float, float]
    turn_rad: float
    flipped: bool


@dataclass(frozen=True)
class Arrangement:
    """Walls (x low, z low, x high, z high), each fixture's setting by id, and the modules."""

    walls: tuple[float, float, float, float]
    settings: dict[str, Setting]
    stands: tuple[Stand, ...]


def arrange(scene: Scene) -> Arrangement:
    """The arrangement of a scene: the smallest room in which most of its fixtures match."""
    standing = [o for o in scene.objects if o.parent is None]
    fixtures = [o for o in standing if not is_pickupable(o.type)]
    reach_x = max((abs(o.position[0]) for o in standing), default=0.0)
    reach_z = max((abs(o.position[2]) for o in standing), default=0.0)
    best: Arrangement | None = None
    for step in range(_GROWTH):
        half_x, half_z = (side / 2 + 0.1 * step for side in SIZES[scene.room])
        if half_x < reach_x or half_z < reach_z:
            continue
        found = _matched(fixtures, half_x, half_z)
        if best is None or len(found.settings) > len(best.settings):
            best = found
        if len(found.settings) == len(fixtures):
            break
    best = best or Arrangement((0.0, 0.0, 0.0, 0.0), {}, ())
    if len(best.settings) < len(fixtures):
        half_x = max(best.walls[2], reach_x + _BEHIND_M)
        half_z = max(best.walls[3], reach_z + _BEHIND_M)
        best = replace(best, walls=(-half_x, -half_z, half_x, half_z))
    for thing in fixtures:
        if thing.id not in best.settings:
            best.settings[thing.id] = Setting(_from_nearest_wall(thing, best.walls))
    return best


def _along_out(
    wall: str, x: float, z: float, half_x: float, half_z: float, module: Module
) -> tuple[float, float]:
    return {
        "north": (x, half_z - z),
        "south": (x, z + half_z),
        "east": (z, half_x - x),
        "west": (z, x + half_x),
        "centre": (x, z + module.depth / 2),
    }[wall]


def _matched(fixtures: list[SceneObject], half_x: float, half_z: float) -> Arrangement:
    """What matches modules in a room of this size, those of many parts first."""
    free = {thing.id: thing for thing in fixtures}
    settings: dict[str, Setting] = {}
    stands = []
    for name, module in sorted(MODULES.items(), key=lambda item: -len(item[1].parts)):
        walls = ("centre",) if name in _MIDDLE else ("north", "south", "east", "west")
        for wall in walls:
            places = {
                thing.id: (
                    *_along_out(wall, thing.position[0], thing.position[2], half_x, half_z, module),
                    thing.position[1],
                )
                for thing in free.values()
            }
            for middle, owners in _instances(module, free, places):
                flipped = wall in _FLIPPED
                for object_id, part in owners.items():
                    cell = cell_of(name, part)
                    settings[object_id] = Setting(_TURNS[wall], flipped, name, cell)
                    del free[object_id]
                point = {
                    "north": (middle, half_z),
                    "south": (middle, -half_z),
                    "east": (half_x, middle),
                    "west": (-half_x, middle),
                    "centre": (middle, -module.depth / 2),
                }[wall]
                stands.append(Stand(name, point, _TURNS[wall], flipped))
    return Arrangement((-half_x, -half_z, half_x, half_z), settings, tuple(stands))


def _instances(
    module: Module,
    free: dict[str, SceneObject],
    places: dict[str, tuple[float, float, float]],
) -> Iterator[tuple[float, dict[str, Part]]]:
    """Each middle at which every part of the module is found, with the owners of its parts."""
    first = module.parts[0]
    for start in [o for o in free.values() if o.type == first.type]:
        if start.id not in free:
            continue
        middle = places[start.id][0] - first.along
        owners: dict[str, Part] = {}
        for part in module.parts:
            expected = (middle + part.along, part.out, part.height)
            for thing in free.values():
                apart = zip(places[thing.id], expected, strict=True)
                if thing.type == part.type and all(abs(a - b) < _TOLERANCE for a, b in apart):
                    owners[thing.id] = part
                    break
            else:
                break
        else:
            yield middle, owners


def cell_of(name: str, part: Part) -> Cell | None:
    """The cell of a module's door or drawer: it shares the front with its neighbours."""
    if part.type not in ("Cabinet", "Drawer"):
        return None
    module = MODULES[name]
    doors = [p for p in module.parts if p.type in ("Cabinet", "Drawer")]
    row = [p for p in doors if (p.height > _UPPER_M) == (part.height > _UPPER_M)]
    if part.height > _UPPER_M:
        low, high, bottom, top = part.along - 0.33, part.along + 0.33, 1.69, 2.35
        front = 2 * part.out
    else:
        half = module.width / 2
        low, high, bottom, top = _FRONTS.get(name, (-half, half, 0.08, 0.92))
        front = module.depth - 0.03
    if part.along > _BASINS_FROM.get(name, math.inf):
        top = _BASIN_BOTTOM_M
    columns = [p.along for p in row]
    levels = [p.height for p in row if p.along == part.along]
    left, right = _between(columns, part.along, low, high)
    y_low, y_high = _between(levels, part.height, bottom, top)
    return Cell(
        left - part.along,
        right - part.along,
        y_low - part.height,
        y_high - part.height,
        0.01 - part.out,
        front - part.out,
    )


def _between(values: list[float], value: float, low: float, high: float) -> tuple[float, float]:
    """Half-way to the neighbours of ``value``, or the ends of the range where there is none."""
    below = [v for v in values if v < value]
    above = [v for v in values if v > value]
    return (
        (max(below) + value) / 2 if below else low,
        (min(above) + value) / 2 if above else high,
    )


def _from_nearest_wall(thing: SceneObject, walls: tuple[float, float, float, float]) -> float:
    x, _, z = thing.position
    x_low, z_low, x_high, z_high = walls
    gaps = {"north": z_high - z, "south": z - z_low, "east": x_high - x, "west": x - x_low}
    return _TURNS[min(gaps, key=lambda wall: gaps[wall])]
