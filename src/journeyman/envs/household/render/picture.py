"""The household's egocentric picture, with the mask of instances and the depth; numpy only.

The camera is the benchmark's: 500 x 500 pixels, 90 degrees, at the head of the agent. What is shut
in is not drawn; an open door stands open, a drawer comes out with what is in it, what is held is at
the lower right, a burning lamp glows and a running faucet shows its water.

Two departures from the pose of the state, whose rules know no bodies: the camera steps back where
it would be inside or right before a tall body, and is pitched down 50 degrees at most. What is in
the picture is more than what is in reach: it shows the far side of the room too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from journeyman.core.values import ImageHWC
from journeyman.envs.household.furniture import MODULES
from journeyman.envs.household.render.bodies import Body, Place, objects
from journeyman.envs.household.render.colours import TILES_M
from journeyman.envs.household.render.placing import Arrangement, Stand
from journeyman.envs.household.render.raster import (
    MOST_FACES,
    NEAR_M,
    Camera,
    Matrix,
    Surfaces,
    visible,
)
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.state import CAMERA_HEIGHT_M, State

SIZE = 500
NOTHING = -1
"""In the mask: floor, walls and what else is no object."""

_MOST_DOWN_DEG = 50.0
_TALL = ("fridge", "wardrobe", "shelves")
_BEFORE_TALL_M = 0.8
"""How far from a tall module straight ahead the camera stays."""

_SECOND_TILE = 0.88
"""How bright every second tile or board of the floor is beside the first."""

_OUTLINE = 0.55
"""How much of its light a pixel keeps where another object begins beside or below it."""

_LOOK = np.dtype([("rgb", np.uint8, 3), ("", np.uint8), ("owner", np.int16), ("", np.int16)])
"""What a face gives a pixel, in 8 bytes, so that one look-up gives all."""

_BAND = 50
"""Lines that are coloured at once: small enough for the processor's cache."""


class Moment(Protocol):
    """What a picture is of: a scene and where everything is now. A `Simulator` is one."""

    @property
    def scene(self) -> Scene: ...

    @property
    def state(self) -> State: ...


@dataclass(frozen=True)
class Picture:
    """What the camera sees.

    Attributes:
        rgb: (size, size, 3) uint8.
        mask: (size, size) int16, indices into ``objects``; `NOTHING` elsewhere.
        objects: Ids of the objects that were drawn; one of them may be hidden behind others.
    """

    rgb: ImageHWC
    mask: NDArray[np.int16]
    objects: tuple[str, ...]
    surfaces: Surfaces

    @cached_property
    def depth_m(self) -> NDArray[np.float32]:
        """(size, size), metres along the optical axis."""
        return self.surfaces.depth_m()

    @property
    def in_sight(self) -> dict[str, int]:
        """The objects that have pixels, and how many."""
        numbers, counts = np.unique(self.mask[self.mask != NOTHING], return_counts=True)
        return {self.objects[n]: int(c) for n, c in zip(numbers, counts, strict=True)}


def draw(moment: Moment) -> ImageHWC:
    """What the agent sees now, shape (500, 500, 3)."""
    return render(moment).rgb


def render(moment: Moment, size: int = SIZE) -> Picture:
    """What the agent sees now, with the mask of instances and the depth."""
    place, state = Place.of(moment.scene), moment.state
    camera = camera_of(state, place.arrangement)
    drawn = list(objects(place, state, camera))
    bodies = [place.surroundings, *(body for _, body in drawn)]
    body = Body.of(bodies)
    owner = np.repeat(np.arange(-1, len(drawn), dtype=np.int16), [len(b.quads) for b in bodies])
    surfaces = visible(body.quads, camera, size)
    faces = surfaces.faces

    looks = np.zeros(len(faces) + 2, _LOOK)  # of nothing, of each face, of the second tile
    light = np.where(body.lit[faces], _light(surfaces.normals), 1.0)
    looks["rgb"][1:-1] = body.colours[faces] * light[:, None]
    looks["owner"] = np.concatenate([[NOTHING], owner[faces], [NOTHING]])
    floor = 1 if len(faces) and faces[0] == 0 else -1
    looks["rgb"][-1] = looks["rgb"][1] * _SECOND_TILE
    tile = TILES_M[moment.scene.room]
    rgb = np.empty((size, size, 3), np.uint8)
    mask = np.empty((size, size), np.int16)
    for top in range(0, size, _BAND):
        band = slice(top, top + _BAND)
        face = (surfaces.key[band] & MOST_FACES).astype(np.intp)
        on_floor = face == floor
        if on_floor.any():
            face[on_floor & _second_tiles(camera, band, size, tile)] = len(faces) + 1
        pixels = np.take(looks.view(np.uint64), face).view(_LOOK)
        for channel in range(3):
            rgb[band, :, channel] = pixels["rgb"][..., channel]
        mask[band] = pixels["owner"]
    _outline(rgb, mask)
    return Picture(rgb, mask, tuple(object_id for object_id, _ in drawn), surfaces)


def _light(normals: Matrix) -> Matrix:
    """Light from a window and a little from behind, by the outward normals of faces."""
    window = np.maximum(normals @ (0.3, 0.85, 0.43), 0)
    fill = np.maximum(normals @ (-0.75, 0.0, -0.4), 0)
    below = np.maximum(-normals[:, 1], 0)
    light: Matrix = 0.68 + 0.32 * window + 0.1 * fill + 0.25 * below
    return np.minimum(light, 1.0)


def _second_tiles(
    camera: Camera, band: slice, size: int, tile: tuple[float, float]
) -> NDArray[np.bool_]:
    """Where the floor, seen through each pixel of some lines, has a tile of the second colour."""
    right, down, ahead = camera.axes
    pixels = (np.arange(size) + 0.5) * (2 / size) - 1
    rays = pixels[band, None] * down + ahead
    depth = np.minimum(camera.eye[1] / np.maximum(-rays[:, 1], 1e-9), 100.0).astype(np.float32)
    number = np.zeros((len(rays), size), np.int32)
    for axis, side in zip((0, 2), tile, strict=True):
        start = ((camera.eye[axis] + depth * rays[:, axis]) / side + 1000.5).astype(np.float32)
        across = (pixels * right[axis] / side).astype(np.float32)
        number += (start[:, None] + depth[:, None] * across).astype(np.int32)
    return (number & 1).astype(bool)


def _outline(rgb: ImageHWC, mask: NDArray[np.int16]) -> None:
    """Darken the last pixel of each object before another, from left to right and top to bottom."""
    pixels, size = rgb.reshape(-1, 3), len(mask)
    flat = mask.reshape(-1)
    edge = np.zeros(flat.shape, bool)
    np.not_equal(flat[1:], flat[:-1], out=edge[:-1])
    edge[:-size] |= flat[size:] != flat[:-size]
    edge[size - 1 :: size] = False
    where = np.flatnonzero(edge)
    pixels[where] = (pixels[where] * _OUTLINE).astype(np.uint8)


def camera_of(state: State, arrangement: Arrangement) -> Camera:
    """The agent's eye, or where it steps back to."""
    heading = math.radians(state.rotation_deg)
    pitch = math.radians(min(state.horizon_deg, _MOST_DOWN_DEG))
    ahead = np.array([math.sin(heading), math.cos(heading)])
    point = np.array(state.agent)
    for stand in arrangement.stands:
        if stand.module in _TALL:
            enter, leave = _crossing(point, ahead, *_footprint(stand))
            if leave > max(enter, 0.0) and enter < _BEFORE_TALL_M:
                point = point - (_BEFORE_TALL_M - enter) * ahead
    x_low, z_low, x_high, z_high = arrangement.walls
    x = min(max(point[0], x_low + NEAR_M), x_high - NEAR_M)
    z = min(max(point[1], z_low + NEAR_M), z_high - NEAR_M)
    sine, cosine = math.sin(pitch), math.cos(pitch)
    axes = np.array(
        [
            [ahead[1], 0.0, -ahead[0]],
            [-ahead[0] * sine, -cosine, -ahead[1] * sine],
            [ahead[0] * cosine, -sine, ahead[1] * cosine],
        ]
    )
    return Camera(np.array([x, CAMERA_HEIGHT_M, z]), axes)


def _footprint(stand: Stand) -> tuple[Matrix, Matrix]:
    module = MODULES[stand.module]
    front = np.array([math.sin(stand.turn_rad), math.cos(stand.turn_rad)])
    side = module.width / 2 * np.array([front[1], -front[0]])
    middle = np.array(stand.middle)
    corners = np.array([middle + side, middle - side + module.depth * front])
    return corners.min(0), corners.max(0)


def _crossing(point: Matrix, ahead: Matrix, low: Matrix, high: Matrix) -> tuple[float, float]:
    """How far ahead a line enters and leaves a rectangle; it misses where enter > leave."""
    steps = np.where(np.abs(ahead) < 1e-9, 1e-9, ahead)
    one, other = (low - point) / steps, (high - point) / steps
    return float(np.minimum(one, other).max()), float(np.maximum(one, other).min())
