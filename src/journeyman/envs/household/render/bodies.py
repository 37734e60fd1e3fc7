"""The bodies of a household now: every object that is not shut in, where it is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from journeyman.core.seeding import digest
from journeyman.envs.household.furniture import SUPPORTS
from journeyman.envs.household.names import shells_of
from journeyman.envs.household.render.colours import (
    CEILING,
    COLOURS,
    FLOORS,
    WALLS,
    Colour,
    own_colour,
)
from journeyman.envs.household.render.fittings import (
    CABINET,
    DRAWER,
    DRAWN_OUT_M,
    cabinet_level,
    drawer_level,
)
from journeyman.envs.household.render.placing import Arrangement, Setting, arrange
from journeyman.envs.household.render.raster import Camera, Matrix
from journeyman.envs.household.render.shapes import SCENERY, shape_of
from journeyman.envs.household.render.solids import Quads, Shape, block
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.state import Position, State
from journeyman.envs.household.vocab import BASINS, is_pickupable

_CEILING_M = 2.6

_LEVELS = {kind: support.rises for kind, support in SUPPORTS.items()} | {
    "Microwave": (-0.08,),
    "Safe": (-0.18,),
    "GarbageCan": (0.14,),
    "Pan": (0.012,),
    "Pot": (0.014,),
    "HandTowelHolder": (-0.05,),
    "TowelHolder": (-0.08,),
    "TVStand": (0.5,),
}
"""Heights above a receptacle's position at which things lie on or in its shape."""

_FORWARD_M = {"Cabinet": 0.06, "Drawer": DRAWN_OUT_M, "Toilet": -0.17}
"""How far before their position things are drawn: by the door, in the tray, on the cistern."""

_DOORS = frozenset({"Cabinet", "Fridge", "Microwave", "Safe"})
_LOOSE = Setting(0.0)

_HELD = (0.28, 0.34, 0.5)
"""Where a held thing is from the camera: metres right, down, ahead."""
_HELD_LARGEST_M = 0.22
_HELD_MOST_SCALE = 1.4


@dataclass(frozen=True)
class Body:
    """Faces in the room: corners (n, 4, 3), colours (n, 3), whether they take light and shade."""

    quads: Quads
    colours: Matrix
    lit: NDArray[np.bool_]

    @classmethod
    def of(cls, bodies: list[Body]) -> Body:
        """All faces of several bodies."""
        return cls(
            np.concatenate([body.quads for body in bodies]),
            np.concatenate([body.colours for body in bodies]),
            np.concatenate([body.lit for body in bodies]),
        )


@dataclass(frozen=True)
class Place:
    """What does not change in a scene: where it stands, its shells (see `names`), its walls."""

    arrangement: Arrangement
    shells: dict[str, str]
    surroundings: Body

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, scene: Scene) -> Place:
        arrangement = arrange(scene)
        return cls(arrangement, shells_of(scene), _surroundings(scene, arrangement))


def _surroundings(scene: Scene, arrangement: Arrangement) -> Body:
    """Floor (the first face), ceiling, walls, and what modules have beyond their objects."""
    x0, z0, x1, z1 = arrangement.walls
    inside = block(x0, x1, 0.0, _CEILING_M, z0, z1).quads[[2, 3, 0, 1, 4, 5], ::-1]
    wall = WALLS[scene.room]
    paint = np.array([FLOORS[scene.room], CEILING, wall, wall, wall, wall], float)
    bodies = [Body(inside, paint, np.ones(6, bool))]
    for stand in arrangement.stands:
        shape = SCENERY.get(stand.module)
        if shape is not None:
            x, z = stand.middle
            place = (x, 0.0, z)
            bodies.append(_placed(shape, (0, 0, 0), place, stand.turn_rad, mirrored=stand.flipped))
    return Body.of(bodies)


def objects(place: Place, state: State, camera: Camera) -> Iterator[tuple[str, Body]]:
    """Each object that is not shut in, with its body.

    A sink or a bathtub goes by the id of its basin, whose body it is.
    """
    arrangement, shells = place.arrangement, place.shells
    basins = set(shells.values())
    spots: dict[str, tuple[Position, float]] = {}
    for object_id, object_type in state.type.items():
        if object_id in basins or state.shut_in(object_id):
            continue
        position, turn_rad = _spot(object_id, state, arrangement, camera, spots)
        setting = arrangement.settings.get(object_id, _LOOSE)
        body = _body(
            object_id,
            BASINS.get(object_type, object_type),
            object_id in state.open,
            object_id in state.on,
            setting,
            position,
            turn_rad,
            object_type in _DOORS and _opens_right(setting, position, state.centre),
            state.held is not None and state.in_hand(object_id),
        )
        yield shells.get(object_id, object_id), body


def _spot(
    object_id: str,
    state: State,
    arrangement: Arrangement,
    camera: Camera,
    spots: dict[str, tuple[Position, float]],
) -> tuple[Position, float]:
    """Where a thing is drawn, and the heading of its front: on the surface of what it lies on."""
    if object_id in spots:
        return spots[object_id]
    x, y, z = state.position[object_id]
    parent = state.parent[object_id]
    setting = arrangement.settings.get(object_id)
    if object_id == state.held:
        x, y, z = (float(value) for value in camera.eye + _HELD @ camera.axes)
        turn_rad = math.atan2(camera.axes[2, 0], camera.axes[2, 2]) + math.pi
    elif setting is not None:
        turn_rad = setting.turn_rad
    elif parent is None:
        turn_rad = _jitter_rad(object_id)
        y = 0.0 if is_pickupable(state.type[object_id]) else y
    else:
        (px, py, pz), turn_rad = _spot(parent, state, arrangement, camera, spots)
        was_x, was_y, was_z = state.position[parent]
        kind = state.type[parent]
        cell = arrangement.settings.get(parent, _LOOSE).cell
        levels = _LEVELS.get(kind, (0.0,))
        if kind == "Cabinet":
            levels = (cabinet_level(cell or CABINET),)
        elif kind == "Drawer":
            levels = (drawer_level(cell or DRAWER),)
        forward = _FORWARD_M.get(kind, 0.0)
        x += px - was_x + forward * math.sin(turn_rad)
        z += pz - was_z + forward * math.cos(turn_rad)
        y = py + min(levels, key=lambda level: abs(y - was_y - level))
        turn_rad += _jitter_rad(object_id)
    spots[object_id] = (x, y, z), turn_rad
    return spots[object_id]


def _opens_right(setting: Setting, position: Position, centre: tuple[float, float]) -> bool:
    """Whether a hinge belongs on the side of high x: the one away from the room's middle."""
    dx, dz = centre[0] - position[0], centre[1] - position[2]
    return dx * math.cos(setting.turn_rad) < dz * math.sin(setting.turn_rad)


@lru_cache(maxsize=4096)
def _body(
    object_id: str,
    object_type: str,
    opened: bool,
    on: bool,
    setting: Setting,
    position: Position,
    turn_rad: float,
    opens_right: bool,
    held: bool,
) -> Body:
    mirrored = opens_right if object_type in _DOORS else setting.flipped
    cell = setting.cell
    if cell and mirrored != setting.flipped:
        cell = cell.mirrored()
    shape = shape_of(object_type, opened, on, setting.module, cell)
    scale = 1.0
    if held:
        corners = np.concatenate([part.quads for part in shape]).reshape(-1, 3)
        scale = min(_HELD_MOST_SCALE, _HELD_LARGEST_M / float(np.ptp(corners, axis=0).max()))
    own = own_colour(object_type, digest("colour", object_id))
    return _placed(shape, own, position, turn_rad, mirrored=mirrored, scale=scale)


def _placed(
    shape: Shape,
    own: Colour,
    position: Position,
    turn_rad: float,
    *,
    mirrored: bool = False,
    scale: float = 1.0,
) -> Body:
    quads = scale * np.concatenate([part.quads for part in shape])
    if mirrored:
        quads = (quads * (-1, 1, 1))[:, ::-1]
    sine, cosine = math.sin(turn_rad), math.cos(turn_rad)
    quads = quads @ np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]]) + position
    counts = [len(part.quads) for part in shape]
    colours = [own if part.colour == "own" else COLOURS[part.colour] for part in shape]
    lit = [part.colour != "glow" for part in shape]
    painted = np.repeat(np.array(colours, float), counts, axis=0)
    return Body(quads, painted, np.repeat(lit, counts))


@lru_cache(maxsize=4096)
def _jitter_rad(object_id: str) -> float:
    """A small turn of its own for each thing, up to 30 degrees to either side."""
    return math.radians(digest("turn", object_id) % 61 - 30)
