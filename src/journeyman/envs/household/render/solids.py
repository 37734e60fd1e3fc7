"""Solids that things are made of: boxes and turned bodies, in metres, as lists of faces.

A body's own axes: x to its side, y up, z out of its front.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Quads = NDArray[np.float64]
"""Faces, shape (n, 4, 3), corners ordered so that cross(c2 - c0, c3 - c1) points outwards."""


@dataclass(frozen=True)
class Part:
    """Faces of one colour: a name in `colours.COLOURS`, or ``own`` for that of the instance."""

    quads: Quads
    colour: str

    def moved(self, x: float, y: float, z: float) -> Part:
        return Part(self.quads + np.array([x, y, z]), self.colour)


Shape = tuple[Part, ...]

_CUBE = np.array(
    [
        [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
        [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]],
        [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
    ],
    float,
)


def block(
    x0: float, x1: float, y0: float, y1: float, z0: float, z1: float, colour: str = "own"
) -> Part:
    """A box between two corners; its faces look to -x, +x, -y, +y, -z, +z."""
    low, high = np.array([x0, y0, z0]), np.array([x1, y1, z1])
    return Part(low + _CUBE * (high - low), colour)


def box(
    width: float,
    height: float,
    depth: float,
    colour: str = "own",
    *,
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
) -> Part:
    """A box by its size, standing on (x, y, z)."""
    return block(x - width / 2, x + width / 2, y, y + height, z - depth / 2, z + depth / 2, colour)


def turned(
    *rings: tuple[float, float],
    colour: str = "own",
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    sides: int = 8,
    axis: str = "y",
) -> Part:
    """A body turned on an axis through (x, y, z): (radius, height) rings, both ends closed.

    Rings that lead up outside and down inside make a hollow vessel. ``sides`` is even.
    """
    angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    circle = np.stack([np.sin(angle), np.zeros(sides), np.cos(angle)], 1)
    loops = [radius * circle + np.array([0.0, height, 0.0]) for radius, height in rings]
    faces = [
        np.stack([below, np.roll(below, -1, 0), np.roll(above, -1, 0), above], 1)
        for below, above in pairwise(loops)
    ]
    fans = [[0, corner, corner + 1, corner + 2] for corner in range(1, sides - 1, 2)]
    faces += [loops[0][::-1][fans], loops[-1][fans]]
    order = {"x": [1, 2, 0], "y": [0, 1, 2], "z": [2, 0, 1]}[axis]
    return Part(np.concatenate(faces)[..., order], colour).moved(x, y, z)


def cylinder(
    radius: float, height: float, colour: str = "own", *, y: float = 0.0, sides: int = 8
) -> Part:
    return turned((radius, 0), (radius, height), colour=colour, y=y, sides=sides)


def ball(
    radius: float, colour: str = "own", *, tall: float = 1.0, x: float = 0.0, y: float = 0.0
) -> Part:
    """A ball that stands on (x, y, 0), stretched upwards by ``tall``."""
    rings = ((0.45, 0.0), (0.9, 0.4), (1.0, 1.0), (0.9, 1.6), (0.45, 2.0))
    sized = [(radius * ring, radius * tall * height) for ring, height in rings]
    return turned(*sized, colour=colour, x=x, y=y)


def vessel(low: float, high: float, height: float, colour: str = "own") -> Part:
    """A hollow round vessel."""
    inside = ((high - 0.006, height), (low - 0.006, 0.012))
    return turned((low, 0), (high, height), *inside, colour=colour, sides=10)


def bottle(radius: float, height: float, colour: str, cap: str) -> Shape:
    neck = 0.35 * radius
    rings = ((radius, 0), (radius, 0.6 * height), (neck, 0.78 * height), (neck, height))
    lid = cylinder(0.4 * radius, 0.05 * height, cap, y=height, sides=6)
    return (turned(*rings, colour=colour), lid)


def cutlery(head: Part) -> Shape:
    """A thin handle along x with a head on its end."""
    return (box(0.13, 0.008, 0.016, "steel", x=-0.02), head)


def table(width: float, height: float, depth: float, colour: str, leg: float = 0.06) -> Shape:
    """A top on four legs."""
    xs, zs = width / 2 - leg, depth / 2 - leg
    legs = [box(leg, height - 0.04, leg, colour, x=x, z=z) for x in (-xs, xs) for z in (-zs, zs)]
    return (box(width, 0.04, depth, colour, y=height - 0.04), *legs)


def seat(width: float, depth: float, height: float) -> Shape:
    """A sofa or an armchair."""
    back, arm = 0.2, 0.15
    x, z, low = width / 2, depth / 2, height - 0.12
    return (
        block(-x, x, 0.06, low, -z, z),
        block(-x + arm, x - arm, low, height, -z + back, z - 0.02),
        block(-x, x, low, height + 0.4, -z, -z + back),
        block(-x, -x + arm, low, height + 0.18, -z, z),
        block(x - arm, x, low, height + 0.18, -z, z),
    )
