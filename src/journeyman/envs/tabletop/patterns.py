"""How the textures' patterns are computed: functions of place in a tile that repeats.

Each takes ``u`` (along the body's x axis) and ``v`` (along its y axis), arrays of equal shape with
values in [0, 1), 1 being `TILE_M`, and gives a weight in [0, 1] or an index of colours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from journeyman.core import seeding

Field = NDArray[np.float64]

TILE_M = 0.128
"""What one tile covers, metres."""


def noise(u: Field, v: Field, cells: tuple[int, int], name: str) -> Field:
    """Smooth noise in [0, 1] that repeats with the tile, ``cells`` bumps along u and v."""
    across, up = cells
    lattice = seeding.stream(0, "texture", name).random((up, across))
    x, y = u * across, v * up
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - column, y - row
    sx, sy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    right, above = (column + 1) % across, (row + 1) % up
    column, row = column % across, row % up
    low = lattice[row, column] * (1 - sx) + lattice[row, right] * sx
    high = lattice[above, column] * (1 - sx) + lattice[above, right] * sx
    mixed: Field = low * (1 - sy) + high * sy
    return mixed


def stripe(u: Field, v: Field) -> Field:
    """Five straight stripes of each colour, along the body's y axis."""
    return np.floor(u * 10) % 2


def dots(u: Field, v: Field) -> Field:
    """1 on round dots in staggered rows, 32 mm apart."""
    x, y = (u * 4) % 1 - 0.5, (v * 4) % 1 - 0.5
    shifted = (u * 4 + 0.5) % 1 - 0.5
    x = np.where(np.floor(v * 4) % 2 == 0, x, shifted)
    return (np.hypot(x, y) < 0.36).astype(float)


def swirl(u: Field, v: Field) -> Field:
    """1 on the arms of spirals, four to a tile, turning left and right in turn."""
    x, y = (u * 2) % 1 - 0.5, (v * 2) % 1 - 0.5
    hand = np.where((np.floor(u * 2) + np.floor(v * 2)) % 2 == 0, 1.0, -1.0)
    radius = np.hypot(x, y)
    phase = 2 * np.arctan2(y, x) * hand - 14 * radius
    arms: Field = (np.sin(phase) > 0.0).astype(float)
    return arms


def paisley(u: Field, v: Field) -> Field:
    """0 ground, 1 curved drops, 2 the eye in each; nine drops to a tile, in two directions."""
    x, y = (u * 3) % 1 - 0.5, (v * 3) % 1 - 0.5
    hand = np.where(np.floor(u * 3) % 2 == 0, 1.0, -1.0)
    x, y = x * hand, y * hand
    above = np.clip(y + 0.12, 0, None)
    x = x - 0.6 * above * above  # the tip bends aside
    width = 0.34 * np.clip(1 - above / 0.6, 0, 1) ** 0.8
    drop = np.where(y < -0.12, np.hypot(x, y + 0.12) < 0.34, np.abs(x) < width)
    eye = np.hypot(x, y + 0.12) < 0.17
    return np.where(eye, 2.0, drop.astype(float))


def checks(u: Field, v: Field) -> Field:
    """Squares of 32 mm."""
    return (np.floor(u * 4) + np.floor(v * 4)) % 2


def bricks(u: Field, v: Field) -> Field:
    """1 on the mortar between bricks of 43 x 21 mm, each row shifted by half a brick."""
    course = np.floor(v * 6)
    x = (u * 3 + 0.5 * (course % 2)) % 1
    y = (v * 6) % 1
    return ((x < 0.1) | (y < 0.2)).astype(float)


def tiles(u: Field, v: Field) -> Field:
    """1 on the joints between tiles of 32 mm."""
    return (((u * 4) % 1 < 0.16) | ((v * 4) % 1 < 0.16)).astype(float)


def grain(u: Field, v: Field) -> Field:
    """Wood: lines along u that waver, with darker years."""
    bend = noise(u, v, (2, 3), "wooden bend")
    years = 0.5 + 0.5 * np.sin(2 * np.pi * (5 * v + 1.3 * bend))
    fibres = noise(u, v, (4, 48), "wooden fibres")
    return np.clip(0.75 * years + 0.35 * fibres - 0.05, 0, 1)


def speckles(u: Field, v: Field) -> Field:
    """Granite: fine grains, 0 dark to 1 light."""
    return np.clip(2.0 * noise(u, v, (26, 26), "granite") - 0.5, 0, 1)


def shine(u: Field, v: Field) -> Field:
    """Plastic: broad slanting gloss."""
    return 0.5 + 0.5 * np.sin(2 * np.pi * (u + 2 * v))


def tiger(u: Field, v: Field) -> Field:
    """1 on dark wavering stripes that taper."""
    bend = noise(u, v, (4, 3), "tiger bend")
    width = noise(u, v, (3, 5), "tiger width")
    return (np.sin(2 * np.pi * (5 * v + 0.9 * bend)) > 1.5 - 2.2 * width).astype(float)


def cracks(u: Field, v: Field) -> Field:
    """Magma: 1 along glowing veins, falling to 0 in the crust."""
    coarse = noise(u, v, (5, 5), "magma")
    fine = noise(u, v, (12, 12), "magma fine")
    heat: Field = np.clip(1 - np.abs(0.75 * coarse + 0.25 * fine - 0.5) * 9, 0, 1)
    return heat


def bands(u: Field, v: Field) -> Field:
    """Index of seven bands along the body's y axis."""
    return np.floor(v * 7)
