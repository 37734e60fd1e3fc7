"""Pictures of single bodies: which pixels, how high, in what colour.

Both cameras are orthographic, and along a ray of either the higher point is the nearer one. A body
is therefore a patch of pixels with heights, and where patches meet the higher pixel is seen: no
sorting, and what lies in a bowl is hidden by its front wall alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, floor, radians, sin

import numpy as np
from numpy.typing import NDArray

from journeyman.envs.tabletop.camera import NATIVE_HEIGHT_PX, Camera
from journeyman.envs.tabletop.patterns import TILE_M
from journeyman.envs.tabletop.scene import Body
from journeyman.envs.tabletop.shapes import SHAPES, Polygon, placed
from journeyman.envs.tabletop.solids import Prism, prisms
from journeyman.envs.tabletop.textures import SWATCH_PX, swatch

WALL_SHADE = 0.58
"""Brightness of side walls against the upper face."""
LEVELS_PER_M = 10_000
"""Heights are kept as whole tenths of a millimetre."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A body as one camera sees it, alone.

    Attributes:
        row: Picture row of the patch's first; may lie outside the picture, as may ``col``.
        col: Picture column of the patch's first.
        rgb: Colours, shape (h, w, 3).
        levels: Height of what is seen, in steps of 1 / `LEVELS_PER_M` m, at least 1 on the body and
            0 beside it, shape (h, w).
    """

    row: int
    col: int
    rgb: NDArray[np.uint8]
    levels: NDArray[np.int16]


def fill(polygons: list[Polygon], rows: int, cols: int) -> NDArray[np.bool_]:
    """Which pixels' middles lie inside the polygons: inside an odd number of them.

    Args:
        polygons: Corners as (row, column), whole numbers being the middles of pixels.
        rows: Height of the raster.
        cols: Its width.
    """
    start = np.concatenate(polygons)
    end = np.concatenate([np.roll(polygon, -1, axis=0) for polygon in polygons])
    row0, col0 = start.T
    row1, col1 = end.T
    line = np.arange(rows)[:, None]
    row, edge = np.nonzero((row0 <= line) != (row1 <= line))
    share = (row - row0[edge]) / (row1 - row0)[edge]
    crossing = col0[edge] + share * (col1 - col0)[edge]
    first = np.clip(np.ceil(crossing), 0, cols).astype(np.intp)
    flips = np.bincount(row * (cols + 1) + first, minlength=rows * (cols + 1))
    inside: NDArray[np.bool_] = np.cumsum(flips.reshape(rows, cols + 1)[:, :cols], axis=1) % 2 == 1
    return inside


@lru_cache(maxsize=128)
def patch(body: Body, camera: Camera) -> Patch:
    """The body as the camera sees it alone; kept, for bodies seldom move. Not to be written to."""
    shape = SHAPES[body.shape]
    thick = body.height_m / shape.height_m
    top_row, left = camera.to_pixel(*placed(shape.outline, body).min(axis=0), _top(body))
    bottom_row, right = camera.to_pixel(*placed(shape.outline, body).max(axis=0), body.bottom_m)
    row, col = floor(top_row), floor(left)
    rows, cols = ceil(bottom_row) + 1 - row, ceil(right) + 1 - col
    rgb = np.zeros((rows, cols, 3), np.uint8)
    levels = np.zeros((rows, cols), np.int16)
    for prism in prisms(body.shape):
        _add(prism, thick, body, camera, (row, col), rgb, levels)
    rgb.setflags(write=False)
    levels.setflags(write=False)
    return Patch(row, col, rgb, levels)


def _top(body: Body) -> float:
    return body.bottom_m + body.height_m


def _add(
    prism: Prism,
    thick: float,
    body: Body,
    camera: Camera,
    corner: tuple[int, int],
    rgb: NDArray[np.uint8],
    levels: NDArray[np.int16],
) -> None:
    """Draw one piece of the body into its patch, where it is higher than what is there.

    A wall is the upper face again, lower by one row at a time.
    """
    top = body.bottom_m + prism.top_m * thick
    drop = camera.lean * (prism.top_m - prism.bottom_m) * thick / camera.row_m
    x0, y0 = camera.to_world(*corner, z=top)
    scale = (camera.row_m, camera.column_m)
    pixels = [(placed(polygon, body) - (x0, y0)) / scale for polygon in prism.polygons]
    rows, cols = levels.shape
    face = fill(pixels, rows, cols)
    own = np.zeros_like(levels)
    below = np.zeros_like(levels)
    for k in range(round(drop), -1, -1):
        where = face[: rows - k]
        np.copyto(own[k:], _level(top - k * camera.row_m), where=where)
        np.copyto(below[k:], k, where=where)
    row, col = np.nonzero(own > levels)
    k = below[row, col]
    levels[row, col] = own[row, col]
    x = x0 + (row - k) * camera.row_m - body.pose.x
    y = y0 + col * camera.column_m - body.pose.y
    shade = np.where(k > 0, np.float32(prism.shade * WALL_SHADE), np.float32(prism.shade))
    rgb[row, col] = _covered(body, camera, x, y) * shade[:, None]


def _level(height_m: float) -> int:
    return max(1, round(height_m * LEVELS_PER_M))


def _covered(
    body: Body, camera: Camera, x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """The texture's colours at offsets (x, y) from the body's centre in world axes, (N, 3)."""
    side = SWATCH_PX
    while side < 8 * SWATCH_PX and side * NATIVE_HEIGHT_PX < SWATCH_PX * camera.height_px:
        side *= 2
    tile = swatch(body.texture, side)
    turn = radians(body.pose.yaw_deg)
    c, s = cos(turn) * side / TILE_M, sin(turn) * side / TILE_M
    u = np.floor(x * c + y * s + side / 2).astype(np.intp) % side
    v = np.floor(y * c - x * s + side / 2).astype(np.intp) % side
    return tile[v, u]
