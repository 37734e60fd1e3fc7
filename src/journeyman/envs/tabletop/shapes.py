"""The shapes of VIMA-Bench's six tasks as polygons of our own, in metres.

An outline is drawn in the body's own axes at yaw 0, centred on the body's centre (the point that
it turns about). Letters stand upright for a reader of the top picture at yaw 90, which is how the
pictures in instructions show them. Sizes and names are VIMA-Bench's; its meshes are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import atan2, cos, radians, sin
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from journeyman.envs.tabletop.scene import Body

Polygon = NDArray[np.float64]
"""Corners in order, shape (N, 2), metres."""

THICKNESS_M = 0.03
ROUND_CORNERS = 48
"""Corners of what is round."""


@dataclass(frozen=True, eq=False)
class Shape:
    """What a body is cut as.

    Attributes:
        name: VIMA-Bench's, e.g. ``letter A``.
        words: As an instruction says it, without an article.
        outline: Outer corners at yaw 0, counter-clockwise, shape (N, 2), metres.
        holes: Corners of each hole, clockwise.
        size_m: Longer side of the outline's box.
        height_m: Thickness.
        role: What tasks use it as.
        symmetry_deg: Smallest rotation that maps the outline onto itself; 360 for none.
        container: Walls around a place for other things.
        floor_m: Height on which what is put into (or onto) the middle of it lies.
    """

    name: str
    words: str
    outline: Polygon
    holes: tuple[Polygon, ...]
    size_m: float
    height_m: float
    role: Literal["dragged", "base"]
    symmetry_deg: float = 360.0
    container: bool = False
    floor_m: float = 0.0

    @cached_property
    def hull(self) -> Polygon:
        """The convex hull's corners, counter-clockwise: where a suction grip holds.

        Source: VIMA-Bench collides with convex hulls, so that a ring's hole still grips.
        """
        return convex_hull(self.outline)


def convex_hull(points: Polygon) -> Polygon:
    """Corners of the convex hull of ``points`` (N, 2), counter-clockwise."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def chain(corners: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for x, y in corners:
            while len(kept) > 1:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(chain(ordered) + chain(reversed(ordered)))


def placed(polygon: Polygon, body: Body) -> Polygon:
    """``polygon``, of the body's shape at yaw 0, where the body is: world metres, (N, 2)."""
    scale = body.size_m / SHAPES[body.shape].size_m
    turn = radians(body.pose.yaw_deg)
    c, s = scale * cos(turn), scale * sin(turn)
    turned: Polygon = polygon @ np.array([[c, s], [-s, c]]) + (body.pose.x, body.pose.y)
    return turned


def outline_at(body: Body) -> list[Polygon]:
    """The body's outline in world metres: the outer polygon first, then its holes."""
    shape = SHAPES[body.shape]
    return [placed(polygon, body) for polygon in (shape.outline, *shape.holes)]


def hull_at(body: Body) -> Polygon:
    """The body's convex hull in world metres, (N, 2)."""
    return placed(SHAPES[body.shape].hull, body)


def circle(radius: float, corners: int = ROUND_CORNERS) -> Polygon:
    """A round outline, counter-clockwise from the positive x axis."""
    angles = 2 * np.pi * np.arange(corners) / corners
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def rectangle(width: float, depth: float, x: float = 0.0, y: float = 0.0) -> Polygon:
    """A rectangle about (x, y), counter-clockwise."""
    half = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    return half * (width, depth) + (x, y)


def _polar(radii: NDArray[np.float64], first_deg: float = 90.0) -> Polygon:
    angles = np.radians(first_deg) + 2 * np.pi * np.arange(len(radii)) / len(radii)
    corners: Polygon = radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return corners


def _regular(corners: int) -> Polygon:
    return _polar(np.ones(corners))


def _star() -> Polygon:
    return _polar(np.tile([1.0, 0.45], 5))


def _flower() -> Polygon:
    angles = 2 * np.pi * np.arange(60) / 60
    return _polar(0.42 + 0.58 * np.abs(np.cos(2.5 * angles)) ** 0.7)


def _heart() -> Polygon:
    """Two round lobes that end in straight flanks."""
    lobe = [
        (0.25 + 0.27 * cos(radians(a)), 0.26 * sin(radians(a)) + 0.2) for a in range(-35, 165, 10)
    ]
    right = [(0.0, -0.5), *lobe, (0.0, 0.24)]
    left = [(-x, y) for x, y in reversed(right[1:-1])]
    return np.array(right + left)


def _cross(arm: float = 0.36) -> Polygon:
    a = arm / 2
    quarter = np.array([(0.5, -a), (0.5, a), (a, a)])
    turn = np.array([[0, 1], [-1, 0]])
    return np.concatenate([quarter @ np.linalg.matrix_power(turn, k) for k in range(4)])


# Letters in a box of 1 x 1 with y upwards.
LETTERS: Mapping[str, tuple[ArrayLike, ...]] = {
    "A": (
        [(0, 0), (0.24, 0), (0.31, 0.22), (0.69, 0.22), (0.76, 0), (1, 0), (0.64, 1), (0.36, 1)],
        [(0.38, 0.42), (0.5, 0.78), (0.62, 0.42)],
    ),
    "E": (
        [
            *((0.08, 0), (0.92, 0), (0.92, 0.22), (0.32, 0.22), (0.32, 0.39), (0.8, 0.39)),
            *((0.8, 0.61), (0.32, 0.61), (0.32, 0.78), (0.92, 0.78), (0.92, 1), (0.08, 1)),
        ],
    ),
    "G": (
        [
            *((0.3, 0), (0.74, 0), (0.98, 0.2), (0.98, 0.54), (0.54, 0.54), (0.54, 0.34)),
            *((0.74, 0.34), (0.74, 0.22), (0.36, 0.22), (0.26, 0.34), (0.26, 0.66)),
            *((0.36, 0.78), (0.68, 0.78), (0.76, 0.68), (0.98, 0.74), (0.78, 1), (0.3, 1)),
            *((0.02, 0.74), (0.02, 0.26)),
        ],
    ),
    "M": (
        [
            *((0, 0), (0.22, 0), (0.22, 0.6), (0.5, 0.22), (0.78, 0.6), (0.78, 0), (1, 0), (1, 1)),
            *((0.8, 1), (0.5, 0.58), (0.2, 1), (0, 1)),
        ],
    ),
    "R": (
        [
            *((0.08, 0), (0.31, 0), (0.31, 0.34), (0.44, 0.34), (0.68, 0), (0.96, 0), (0.7, 0.38)),
            *((0.92, 0.54), (0.92, 0.84), (0.76, 1), (0.08, 1)),
        ],
        [(0.31, 0.55), (0.31, 0.79), (0.64, 0.79), (0.69, 0.74), (0.69, 0.6), (0.64, 0.55)],
    ),
    "T": (
        [(0.38, 0), (0.62, 0), (0.62, 0.76), (1, 0.76), (1, 1), (0, 1), (0, 0.76), (0.38, 0.76)],
    ),
    "V": ([(0.37, 0), (0.63, 0), (1, 1), (0.75, 1), (0.5, 0.3), (0.25, 1), (0, 1)],),
}


def _scaled(size_m: float, outline: ArrayLike, *holes: ArrayLike, centred: bool) -> list[Polygon]:
    """The polygons with ``size_m`` as their box's longer side; about its middle if ``centred``."""
    polygons = [np.asarray(polygon, float) for polygon in (outline, *holes)]
    low, high = polygons[0].min(axis=0), polygons[0].max(axis=0)
    middle = (low + high) / 2 if centred else np.zeros(2)
    scale = size_m / float((high - low).max())
    return [(polygon - middle) * scale for polygon in polygons]


def _dragged(
    name: str,
    size_m: float,
    outline: ArrayLike,
    *holes: ArrayLike,
    symmetry_deg: float = 360.0,
    height_m: float = THICKNESS_M,
) -> Shape:
    centred = symmetry_deg == 360.0  # else the corners already lie about the turning point
    outer, *inner = _scaled(size_m, outline, *holes, centred=centred)
    return Shape(name, name, outer, tuple(inner), size_m, height_m, "dragged", symmetry_deg)


def _base(
    name: str,
    outline: Polygon,
    *holes: Polygon,
    height_m: float,
    symmetry_deg: float,
    container: bool = True,
    floor_m: float = 0.0,
) -> Shape:
    size_m = float(np.ptp(outline, axis=0).max())
    return Shape(
        name, name, outline, holes, size_m, height_m, "base", symmetry_deg, container, floor_m
    )


PAN_RADIUS_M = 0.08
SQUARE_BORDER_M = 0.022
FRAME_BORDER_M = 0.024
ROUND_DEG = 360.0 / ROUND_CORNERS


def _pan() -> Polygon:
    """A disc with a handle; the body's centre is the disc's, 0.16 m wide, 0.24 m with handle."""
    half, end = 0.014, 0.24 - PAN_RADIUS_M
    rim = circle(PAN_RADIUS_M)
    rim = rim[np.abs(np.array([atan2(y, x) for x, y in rim])) > half / PAN_RADIUS_M]
    return np.concatenate([rim, [(PAN_RADIUS_M, -half), (end, -half), (end, half), (0.079, half)]])


def _three_sides(side: float, border: float) -> Polygon:
    h = side / 2
    i = h - border
    return np.array([(-h, -h), (h, -h), (h, h), (i, h), (i, -i), (-i, -i), (-i, h), (-h, h)])


def _all() -> tuple[Shape, ...]:
    letters = {key: _dragged(f"letter {key}", 0.144, *LETTERS[key]) for key in LETTERS}
    ell = [(0, 0), (0.9, 0), (0.9, 0.36), (0.38, 0.36), (0.38, 1), (0, 1)]
    frame = 0.225 - 2 * FRAME_BORDER_M
    return (
        *(letters[key] for key in "AEGMTV"),
        _dragged("block", 0.07, rectangle(1, 1), symmetry_deg=90, height_m=0.07),
        _dragged("cross", 0.128, _cross(), symmetry_deg=90),
        _dragged("triangle", 0.128, _regular(3), symmetry_deg=120),
        _dragged("flower", 0.144, _flower(), symmetry_deg=72),
        _dragged("heart", 0.144, _heart()),
        _dragged("ring", 0.128, circle(1), circle(0.52)[::-1], symmetry_deg=ROUND_DEG),
        _dragged("pentagon", 0.128, _regular(5), symmetry_deg=72),
        _dragged("L-shaped block", 0.128, ell),
        letters["R"],
        _dragged("diamond", 0.128, [(0.34, 0), (0, 0.5), (-0.34, 0), (0, -0.5)], symmetry_deg=180),
        _dragged("hexagon", 0.128, _regular(6), symmetry_deg=60),
        _dragged("round", 0.128, circle(1), symmetry_deg=ROUND_DEG),
        _dragged("star", 0.128, _star(), symmetry_deg=72),
        _base("bowl", circle(0.085), height_m=0.05, symmetry_deg=ROUND_DEG, floor_m=0.008),
        _base(
            "frame",
            rectangle(0.225, 0.225),
            rectangle(frame, frame)[::-1],
            height_m=0.012,
            symmetry_deg=90,
        ),
        _base("container", rectangle(0.17, 0.17), height_m=0.05, symmetry_deg=90, floor_m=0.005),
        _base("square", _three_sides(0.2, SQUARE_BORDER_M), height_m=0.012, symmetry_deg=360),
        _base(
            "pallet",
            rectangle(0.21, 0.175),
            height_m=0.03,
            symmetry_deg=180,
            container=False,
            floor_m=0.03,
        ),
        _base("pan", _pan(), height_m=0.035, symmetry_deg=360, floor_m=0.006),
    )


SHAPES: Mapping[str, Shape] = MappingProxyType({shape.name: shape for shape in _all()})
"""By name: first VIMA-Bench's of L1 and L2, then of L3, dragged ones before bases."""
