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
from journeyman.envs.tabletop.shapes import SHAPES, placed
from journeyman.envs.tabletop.solids import Edges, edges
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


def whole_pixels(rgb: NDArray[np.uint8]) -> NDArray[np.void]:
    """The same picture with each pixel as one item, shape (h, w): copied ten times as fast."""
    return rgb.view("V3")[..., 0]


def fill(
    row: NDArray[np.float64],
    col: NDArray[np.float64],
    edges: Edges,
    size: tuple[int, int],
) -> NDArray[np.bool_]:
    """For each piece, which pixels' middles lie inside an odd number of its polygons.

    Args:
        row: Picture row of each corner of ``edges``; whole numbers are the middles of pixels.
        col: Picture column of each.
        edges: Which corners are joined.
        size: Rows and columns of the raster; no corner lies above or below it.

    Returns:
        Shape (pieces, rows, columns).
    """
    rows, cols = size
    end_row, end_col = row[edges.following], col[edges.following]
    # An edge crosses the lines from its upper end to before its lower one.
    begin, end = np.ceil(row).astype(np.intp), np.ceil(end_row).astype(np.intp)
    crossed = np.abs(end - begin)
    edge = np.repeat(np.arange(len(row)), crossed)
    before = np.cumsum(crossed) - crossed
    at = np.arange(len(edge)) + (np.minimum(begin, end) - before)[edge]
    share = (at - row[edge]) / (end_row - row)[edge]
    crossing = np.ceil(col[edge] + share * (end_col - col)[edge]).astype(np.intp)
    first = np.minimum(np.maximum(crossing, 0), cols)
    place = (edges.piece[edge] * rows + at) * (cols + 1) + first
    flips = np.bincount(place, minlength=edges.pieces * rows * (cols + 1)) & 1 != 0
    return np.logical_xor.accumulate(flips.reshape(edges.pieces, rows, -1)[:, :, :cols], axis=2)


@lru_cache(maxsize=128)
def patch(body: Body, camera: Camera) -> Patch:
    """The body as the camera sees it alone; kept, for bodies seldom move. Not to be written to.

    A wall is the upper face again, lower by one row at a time; the texture runs on down it.
    """
    solid = edges(body.shape)
    row_m, column_m = camera.row_m, camera.column_m
    thick = body.height_m / SHAPES[body.shape].height_m
    tops = body.bottom_m + solid.tops_m * thick
    drops = camera.lean * solid.walls_m * (thick / row_m)
    where = placed(solid.corners, body)
    x0, y0 = camera.to_world(0, 0)
    at_row = (where[:, 0] - (x0 + camera.lean * tops[solid.piece])) / row_m
    at_col = (where[:, 1] - y0) / column_m
    row, col = floor(at_row.min()), floor(at_col.min())
    rows = ceil((at_row + drops[solid.piece]).max()) + 1 - row
    cols = ceil(at_col.max()) + 1 - col
    faces = fill(at_row - row, at_col - col, solid, (rows, cols))

    levels = np.zeros((rows, cols), np.int16)
    surface = np.zeros((rows, cols), np.intp)  # twice the piece's number, plus one on its walls
    for number, face in enumerate(faces):
        top, drop = float(tops[number]), round(float(drops[number]))
        own = face * np.int16(_level(top)) if drop == 0 else np.zeros_like(levels)
        for k in range(drop, -1 if drop else 0, -1):
            np.copyto(own[k:], _level(top - k * row_m), where=face[: rows - k])
        seen = own > levels
        np.copyto(levels, own, where=seen)
        np.copyto(surface, 2 * number + 1, where=seen)
        np.copyto(surface, 2 * number, where=seen & face)

    planes = np.repeat(camera.lean * tops, 2)
    x = (x0 + row * row_m - body.pose.x) + np.arange(rows) * row_m
    y = (y0 + col * column_m - body.pose.y) + np.arange(cols) * column_m
    colours = _covered(body, camera, planes, x, y, surface)
    shades = np.outer(solid.shades, (1.0, WALL_SHADE)).reshape(-1).astype(np.float32)
    rgb = (colours * shades[surface][..., None]).astype(np.uint8)
    rgb.setflags(write=False)
    levels.setflags(write=False)
    return Patch(row, col, rgb, levels)


def _level(height_m: float) -> int:
    return max(1, round(height_m * LEVELS_PER_M))


def _covered(
    body: Body,
    camera: Camera,
    planes: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    surface: NDArray[np.intp],
) -> NDArray[np.uint8]:
    """The texture's colours over a patch, shape (rows, columns, 3).

    Args:
        body: What is covered.
        camera: Decides how fine a tile is looked up.
        planes: What to add to ``x`` on each surface: a higher one is seen farther up.
        x: Offset of each row from the body's centre along the world's x axis, metres.
        y: Offset of each column along its y axis.
        surface: Number of the surface at each pixel.
    """
    side = SWATCH_PX
    while side < 8 * SWATCH_PX and side * NATIVE_HEIGHT_PX < SWATCH_PX * camera.height_px:
        side *= 2
    turn = radians(body.pose.yaw_deg)
    c, s = cos(turn) * side / TILE_M, sin(turn) * side / TILE_M

    def along(of_x: float, of_y: float) -> NDArray[np.intp]:
        """Place in the tile along one of the body's axes, in 65536ths of its pixels, cut off."""
        down = np.rint((x * of_x + side / 2) * 65536).astype(np.intp)
        across = np.rint(y * of_y * 65536).astype(np.intp)
        place = down[:, None] + across
        if camera.lean:
            place += np.rint(planes * of_x * 65536).astype(np.intp)[surface]
        # The side is a power of two: masking its bits is the remainder, of negative places too.
        place >>= 16
        place &= side - 1
        return place

    place = along(-s, c) * side + along(c, s)
    tile = whole_pixels(swatch(body.texture, side)).reshape(-1)
    colours: NDArray[np.uint8] = tile[place].view(np.uint8).reshape(*place.shape, 3)
    return colours
