"""Outlines as polar maps, compared whichever way they are turned, and the words for them."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from journeyman.models.pixels import Mask, opencv

Map = NDArray[np.float32]
"""How much of each cell (angle, radius) about the centre is covered, in [0, 1]."""

ANGLES, RADII = 72, 16
FINE = 3
"""Samples a cell in each direction."""
CANVAS = 96
"""Pixels a side on which the outlines that have words are drawn."""
LETTERS = "AEFGHJKMNPRTUVWYZ"
"""Those that no other word stands for."""


def polar(mask: Mask) -> Map:
    """The map of a mask, shape (`ANGLES`, `RADII`); the outermost radius is its farthest pixel."""
    cv2 = opencv()
    covered = np.pad(mask, 1).astype(np.float32)
    rows, columns = np.nonzero(covered)
    row, column = rows.mean(), columns.mean()
    reach = float(np.hypot(rows - row, columns - column).max()) + 0.5
    angles = (np.arange(ANGLES * FINE) + 0.5) * 2 * np.pi / (ANGLES * FINE)
    radii = (np.arange(RADII * FINE) + 0.5) * reach / (RADII * FINE)
    x = (column + np.outer(np.cos(angles), radii)).astype(np.float32)
    y = (row + np.outer(np.sin(angles), radii)).astype(np.float32)
    seen = cv2.remap(covered, x, y, cv2.INTER_LINEAR, borderValue=0)
    cells: Map = seen.reshape(ANGLES, FINE, RADII, FINE).mean((1, 3)).astype(np.float32)
    return cells


def overlap(a: Map, b: Map) -> float:
    """Intersection over union of two maps, by area, at the turn where it is largest."""
    return float(overlaps(a, b[None])[0])


def overlaps(a: Map, many: Map) -> Map:
    """`overlap` of ``a`` with each of ``many``, shape (N, `ANGLES`, `RADII`)."""
    area = (2 * np.arange(RADII, dtype=np.float32) + 1) / RADII**2
    flat, own = (many * area).reshape(len(many), -1), a * area
    best = np.zeros(len(many), np.float32)
    total = own.sum() + flat.sum(1)
    for turn in range(ANGLES):
        shared = np.minimum(np.roll(own, turn, 0).reshape(1, -1), flat).sum(1)
        np.maximum(best, shared / (total - shared), out=best)
    return best


def word(mask: Mask) -> tuple[str, float]:
    """The nearest of the known outlines, and how sure that is, in (0, 1].

    Sure is the nearest one's share among all words, weighed by how well they overlap; ``irregular``
    where none overlaps well.
    """
    names, maps = _known()
    fits: dict[str, float] = {}
    for name, fit in zip(names, overlaps(polar(mask), maps), strict=True):
        fits[name] = max(fits.get(name, 0.0), float(fit))
    best = max(fits, key=lambda name: fits[name])
    if fits[best] < 0.7:
        return "irregular", 1 - fits[best]
    share = sum(np.exp(30 * (fit - fits[best])) for fit in fits.values())
    return best, float(1 / share)


@cache
def _known() -> tuple[tuple[str, ...], Map]:
    drawn = [*_figures(), *(("letter-like", _letter(letter)) for letter in LETTERS)]
    return tuple(name for name, _ in drawn), np.stack([polar(mask) for _, mask in drawn])


def _figures() -> list[tuple[str, Mask]]:
    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    corner = [(-1, -1), (0.8, -1), (0.8, -0.25), (-0.2, -0.25), (-0.2, 1), (-1, 1)]
    figures: list[tuple[str, Mask]] = [
        ("round", _drawn(_round())),
        ("square", _drawn(square)),
        ("triangle", _drawn(_round(3))),
        ("pentagon", _drawn(_round(5))),
        ("hexagon", _drawn(_round(6))),
        ("heart", _drawn(_heart())),
        ("pan-like", _drawn([(-0.5 + 0.8 * x, 0.8 * y) for x, y in _round()], _handle())),
        ("L-shaped", _drawn(corner)),
    ]
    for depth in (0.38, 0.48):
        star = [
            (x * (depth if k % 2 else 1), y * (depth if k % 2 else 1))
            for k, (x, y) in enumerate(_round(10))
        ]
        figures.append(("star", _drawn(star)))
    for wide in (0.3, 0.45):
        arms = [(-wide, -1), (wide, -1), (wide, 1), (-wide, 1)]
        figures.append(("cross", _drawn(arms) | _drawn([(y, x) for x, y in arms])))
    for hole in (0.35, 0.5, 0.65, 0.8):
        small = [(hole * x, hole * y) for x, y in _round()]
        figures.append(("ring", _drawn(_round()) & ~_drawn(small)))
        inside = [(hole * x, hole * y) for x, y in square]
        figures.append(("frame", _drawn(square) & ~_drawn(inside)))
        opening = [(x if x < 0 else 1.1, y) for x, y in inside]
        figures.append(("open frame", _drawn(square) & ~_drawn(opening)))
    for narrow in (0.55, 0.7, 0.85):
        if narrow < 0.8:
            figures.append(("oval", _drawn([(x, narrow * y) for x, y in _round()])))
            figures.append(("diamond", _drawn([(1, 0), (0, narrow), (-1, 0), (0, -narrow)])))
        figures.append(("rectangle", _drawn([(x, narrow * y) for x, y in square])))
    figures += [("bar", _drawn([(x, y * s) for x, y in square])) for s in (0.12, 0.22, 0.35)]
    flower = _round(120)
    for depth in (0.35, 0.55):
        bends = [1 - depth + depth * abs(cos(2.5 * 2 * pi * k / 120)) for k in range(120)]
        bent = [(x * r, y * r) for (x, y), r in zip(flower, bends, strict=True)]
        figures.append(("flower", _drawn(bent)))
    return figures


def _round(corners: int = 64) -> list[tuple[float, float]]:
    return [(cos(2 * pi * k / corners), sin(2 * pi * k / corners)) for k in range(corners)]


def _handle() -> list[tuple[float, float]]:
    return [(0.2, -0.14), (1.1, -0.14), (1.1, 0.14), (0.2, 0.14)]


def _heart() -> list[tuple[float, float]]:
    """A point, straight flanks, two round lobes."""
    lobe = [(0.5 + 0.52 * cos(a), 0.4 + 0.52 * sin(a)) for a in np.linspace(-0.6, 2.9, 24)]
    return [(0.0, -1.0), *lobe, (0.0, 0.5), *((-x, y) for x, y in reversed(lobe))]


def _drawn(corners: Any, more: Any = None) -> Mask:
    """Polygons in [-1.1, 1.1] on a canvas."""
    canvas: NDArray[np.uint8] = np.zeros((CANVAS, CANVAS), np.uint8)
    for polygon in (corners, more):
        if polygon is not None:
            points = np.rint((np.array(polygon, float) / 1.15 + 1) * (CANVAS / 2) - 0.5)
            opencv().fillPoly(canvas, [points.astype(np.int32)], 1)
    return canvas.astype(np.bool_)


def _letter(letter: str) -> Mask:
    """A capital in plain strokes."""
    cv2 = opencv()
    canvas: NDArray[np.uint8] = np.zeros((CANVAS, CANVAS), np.uint8)
    cv2.putText(canvas, letter, (14, 80), cv2.FONT_HERSHEY_SIMPLEX, 3.0, 1, 14)
    return canvas.astype(np.bool_)
