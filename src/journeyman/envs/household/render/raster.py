"""An exact z-buffer of convex faces in numpy.

One over depth is linear across the picture, so the depths of a face are the sums of two rows of
whole numbers, one by column and one by line. With the number of the face in the low bits, hiding is
a maximum: the larger sum is nearer and brings its face along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

NEAR_M = 0.1
"""What is nearer to the camera than this is not drawn."""

FACE_BITS = 12
MOST_FACES = (1 << FACE_BITS) - 1
DEPTH_SCALE = ((1 << (31 - FACE_BITS)) - 2) * NEAR_M
"""One over depth in metres, times this, fills the high bits: 0.2 mm apart at 3 m."""

_EDGE_ON_M = 1e-6
_FEW_PIXELS = 600
"""Faces of fewer pixels are drawn together, as a list of pixels."""
_BAND = 100
"""Lines of a large face that are drawn at once: few enough for the processor's cache."""


@dataclass(frozen=True)
class Camera:
    """``eye`` in the room; the rows of ``axes`` point right, down and ahead; 90 degrees wide."""

    eye: Matrix
    axes: Matrix


@dataclass(frozen=True)
class Surfaces:
    """What is visible.

    Attributes:
        faces: The faces that may be in view, as indices into the quads given.
        normals: Their outward unit normals, (n, 3).
        key: (size, size) int32: one over depth times `DEPTH_SCALE` above `FACE_BITS` bits that hold
            the place in ``faces`` plus one; 0 where there is nothing.
    """

    faces: NDArray[np.intp]
    normals: Matrix
    key: NDArray[np.int32]

    def depth_m(self) -> NDArray[np.float32]:
        """Metres along the optical axis, infinite where there is nothing."""
        with np.errstate(divide="ignore"):
            return np.float32(DEPTH_SCALE) / (self.key >> FACE_BITS).astype(np.float32)


def visible(quads: Matrix, camera: Camera, size: int) -> Surfaces:
    """The visible surface of every pixel.

    Args:
        quads: Faces, (n, 4, 3) metres, corners so that cross(c2 - c0, c3 - c1) points outwards;
            the last corners may coincide. Faces seen from behind are not drawn. Of more than
            `MOST_FACES` faces in view the last are left out.
        camera: Where from.
        size: Width and height of the picture in pixels.
    """
    normals = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    away = np.einsum("ij,ij->i", normals, quads[:, 0] - camera.eye)
    faces = np.flatnonzero(away < -_EDGE_ON_M)
    corners = (quads[faces] - camera.eye) @ camera.axes.T
    across, down, ahead = np.moveaxis(corners, 2, 0)
    inside = (ahead > NEAR_M).any(1)
    for side in (across, -across, down, -down):
        inside &= (side < ahead).any(1)
    kept = np.flatnonzero(inside)[:MOST_FACES]
    faces, corners = faces[kept], corners[kept]
    polygons = np.concatenate([corners, corners[:, 3:]], 1)
    for index in np.flatnonzero(corners[..., 2].min(1) < NEAR_M):
        polygons[index] = _clipped(corners[index])
    points = size / 2 * (1 + polygons[..., :2] / polygons[..., 2:])
    planes = normals[faces] @ camera.axes.T / away[faces, None] * DEPTH_SCALE
    by_column, by_line = planes[:, 0] * (2 / size), planes[:, 1] * (2 / size)
    key = np.zeros((size, size), np.int32)
    _fill(key, points, by_column, by_line, planes[:, 2] - planes[:, 0] - planes[:, 1])
    return Surfaces(faces, normals[faces], key)


def _clipped(corners: Matrix) -> Matrix:
    """The part of a face before the near plane: five corners, the last one repeated."""
    kept = []
    for one, other in zip(corners, np.roll(corners, -1, 0), strict=True):
        if one[2] >= NEAR_M:
            kept.append(one)
        if (one[2] >= NEAR_M) != (other[2] >= NEAR_M):
            kept.append(one + (other - one) * (NEAR_M - one[2]) / (other[2] - one[2]))
    return np.array((kept + [kept[-1]] * 5)[:5])


def _fill(
    key: NDArray[np.int32], points: Matrix, by_column: Matrix, by_line: Matrix, constant: Matrix
) -> None:
    """Draw polygons, corners (n, 5, 2) in pixels, whose depth is linear in column and line.

    Pixels are taken at their middle. All polygons are cut into spans, one a line; spans of large
    polygons are drawn polygon by polygon, those of small ones all at once.
    """
    size = len(key)
    corner_y = np.clip(np.ceil(points[..., 1] - 0.5), 0, size).astype(int)  # first line below it
    first = corner_y.min(1)
    count = corner_y.max(1) - first
    ends = np.cumsum(count)
    starts = ends - count
    of = np.repeat(np.arange(len(points)), count)
    line = np.arange(len(of)) - np.repeat(starts - first, count)

    low, high = np.full((2, len(of)), size, np.uint16)
    step = np.roll(points, -1, 1) - points
    next_y = np.roll(corner_y, -1, 1)
    for ends_of_span, top, bottom in ((low, next_y, corner_y), (high, corner_y, next_y)):
        # A side that goes up is on the left, one that goes down on the right.
        polygon, corner = np.nonzero(top < bottom)
        lines = (bottom - top)[polygon, corner]
        (x, y), (dx, dy) = points[polygon, corner].T, step[polygon, corner].T
        slope = dx / dy
        at = np.arange(lines.sum()) - np.repeat(np.cumsum(lines) - lines, lines)
        row = at + np.repeat(top[polygon, corner], lines)
        edge = np.repeat(x + slope * (0.5 - y), lines) + np.repeat(slope, lines) * row
        where = row + np.repeat((starts - first)[polygon], lines)
        ends_of_span[where] = np.ceil(np.clip(edge, 0, size) - 0.5)
    width = np.maximum(low, high) - low

    number = (of + 1).astype(np.int32)
    by_row = _high(by_line[of] * (line + 0.5) + constant[of]) | number
    total = np.concatenate([[0], np.cumsum(width, dtype=int)])
    few = total[ends] - total[starts] < _FEW_PIXELS
    pixel = np.arange(size, dtype=np.uint16)
    middle = pixel + 0.5
    scratch = np.empty(_BAND * size, np.int32)
    for face in np.flatnonzero(~few):
        by_pixel = _high(by_column[face] * middle)
        for start in range(starts[face], ends[face], _BAND):
            rows = slice(start, min(start + _BAND, ends[face]))
            x0, x1 = int(low[rows].min()), int((low[rows] + width[rows]).max())
            cover = pixel[x0:x1] - low[rows, None] < width[rows, None]  # wraps round left of low
            part = key[line[start] : line[start] + len(cover), x0:x1]
            surface = scratch[: part.size].reshape(part.shape)
            np.add(by_pixel[x0:x1], by_row[rows, None], out=surface)
            np.maximum(part, surface, out=part, where=cover)

    spans = np.flatnonzero(few[of] & (width > 0))
    lengths = width[spans].astype(int)
    span = np.repeat(spans, lengths)
    x = np.arange(len(span)) - np.repeat(np.cumsum(lengths) - lengths - low[spans], lengths)
    surface = _high(by_column[of[span]] * middle[x]) + by_row[span]
    np.maximum.at(key.reshape(-1), line[span] * size + x, surface)


def _high(values: Matrix) -> NDArray[np.int32]:
    """Whole numbers above the bits of the face; one may wrap round, the sum of a pixel does not."""
    return (values.astype(np.int64) << FACE_BITS).astype(np.int32)
