"""What the shapes look like in the round: each a few upright prisms, in metres.

A dragged shape is one prism over its outline. Bases are hollow or built up, so that their walls,
floors and what lies in them can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from journeyman.envs.tabletop.shapes import (
    PAN_RADIUS_M,
    SHAPES,
    Polygon,
    circle,
    rectangle,
)


@dataclass(frozen=True, eq=False)
class Prism:
    """An upright piece of a body.

    Attributes:
        polygons: The outer one, then its holes; metres in the body's axes at the shape's own size.
        bottom_m: Where its walls end below, above the body's underside, at the shape's own
            thickness. A floor between walls needs none of its own.
        top_m: Height of its upper face.
        shade: Brightness; below 1 for what lies deep.
    """

    polygons: tuple[Polygon, ...]
    bottom_m: float
    top_m: float
    shade: float = 1.0


@cache
def prisms(shape: str) -> tuple[Prism, ...]:
    """The pieces of the shape of this name.

    Raises:
        KeyError: no such shape.
    """
    whole = SHAPES[shape]
    height, floor = whole.height_m, whole.floor_m
    match shape:
        case "bowl":
            rim, slope, bottom = circle(0.085), circle(0.074), circle(0.056)
            return (
                Prism((rim, slope[::-1]), 0, height),
                Prism((rim, bottom[::-1]), 0, 0.55 * height, 0.82),
                Prism((rim,), floor, floor, 0.64),
            )
        case "container":
            wall = rectangle(0.152, 0.152)
            return (
                Prism((whole.outline, wall[::-1]), 0, height),
                Prism((whole.outline,), floor, floor, 0.78),
            )
        case "pan":
            dish = circle(PAN_RADIUS_M)
            inside = circle(PAN_RADIUS_M - 0.011)
            handle = rectangle(0.086, 0.028, x=0.117)
            return (
                Prism((dish, inside[::-1]), 0, height),
                Prism((dish,), floor, floor, 0.78),
                Prism((handle,), 0.4 * height, 0.8 * height, 0.9),
            )
        case "pallet":
            slats = (
                Prism((rectangle(0.21, 0.024, y=0.03775 * k),), 0, height) for k in range(-2, 3)
            )
            return (*slats, Prism((whole.outline,), 0, 0.4 * height, 0.5))
        case _:
            return (Prism((whole.outline, *whole.holes), 0, height),)


@dataclass(frozen=True, eq=False)
class Edges:
    """A shape's pieces as arrays, for all to be drawn at once.

    Attributes:
        corners: Of all polygons of all pieces, shape (N, 2), metres.
        following: Index of the corner that each is joined to, shape (N,).
        piece: Number of the piece that each corner belongs to, shape (N,).
        tops_m: `Prism.top_m` of each piece, shape (P,).
        walls_m: Height of each piece's wall, shape (P,).
        shades: `Prism.shade` of each piece, shape (P,).
    """

    corners: Polygon
    following: NDArray[np.intp]
    piece: NDArray[np.intp]
    tops_m: NDArray[np.float64]
    walls_m: NDArray[np.float64]
    shades: NDArray[np.float64]

    @property
    def pieces(self) -> int:
        return len(self.tops_m)


@cache
def edges(shape: str) -> Edges:
    """`prisms` of the shape, as arrays."""
    pieces = prisms(shape)
    following: list[int] = []
    for polygon in (polygon for piece in pieces for polygon in piece.polygons):
        first, last = len(following), len(following) + len(polygon)
        following += [*range(first + 1, last), first]
    return Edges(
        np.concatenate([polygon for piece in pieces for polygon in piece.polygons]),
        np.array(following),
        np.repeat(np.arange(len(pieces)), [sum(map(len, piece.polygons)) for piece in pieces]),
        np.array([piece.top_m for piece in pieces]),
        np.array([piece.top_m - piece.bottom_m for piece in pieces]),
        np.array([piece.shade for piece in pieces]),
    )
