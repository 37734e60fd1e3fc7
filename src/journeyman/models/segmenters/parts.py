"""Cuts a connected piece that is two things, one on or beside the other, by their colours.

Careful rather than keen: a thing of many colours must stay whole. A piece is cut

- inside, where the colours along its convex hull, darker ones of the same hue included, do not
  explain a part in the middle;
- across, where it has two colours only and each lies together on its own side.

Things of several colours that merely touch stay one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from journeyman.models.pixels import Mask, opencv

Field = NDArray[np.float32]

RIM_SHARE = 0.16
"""Width of the rim, as a share of the radius of a disc of the piece's area."""
SHADES = np.array([1.0, 0.9, 0.82, 0.76, 0.7, 0.64, 0.56, 0.48])
"""How much darker a thing may be where it lies deeper, in its own colour."""
ALIKE = 15.0
"""L*a*b* distance up to which a colour counts as the rim's."""
COMPACT = 0.72
"""Least share of its convex hull that each of two sides fills."""
RIM_COLOURS = 12


def parts(colours: Field, rgb: NDArray[np.uint8], piece: Mask, least_px: int) -> list[Mask]:
    """The things in ``piece``: two where it is cut, else itself.

    Args:
        colours: The picture in L*a*b*, shape (H, W, 3).
        rgb: The same picture, smoothed, uint8.
        piece: Shape (H, W), connected.
        least_px: No part is smaller.
    """
    rows, columns = np.flatnonzero(piece.any(1)), np.flatnonzero(piece.any(0))
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    inside = np.pad(piece[box], 1)
    around = ((1, 1), (1, 1), (0, 0))
    seen = np.pad(colours[box], around, mode="edge")
    shown = np.pad(rgb[box], around, mode="edge")
    upper = on_top(seen, shown, inside, least_px)
    if upper is None:
        upper = beside(seen, shown, inside, least_px)
    if upper is None:
        return [piece]
    made = []
    for part in (upper, inside & ~upper):
        whole = np.zeros_like(piece)
        whole[box] = part[1:-1, 1:-1]
        made.append(whole)
    return made


def on_top(seen: Field, rgb: NDArray[np.uint8], inside: Mask, least_px: int) -> Mask | None:
    """The part in the middle that the rim's colours do not explain, or None."""
    cv2 = opencv()
    area = int(inside.sum())
    radius = float(np.sqrt(area / np.pi))
    depth = cv2.distanceTransform(hull(inside), cv2.DIST_L2, 3)
    rim = inside & (depth <= max(2.0, RIM_SHARE * radius))
    core = inside & ~rim
    if core.sum() < max(least_px, 0.08 * area):
        return None
    shown = shaded(palette(rgb[rim]))
    unlike = np.full(inside.shape, False)
    unlike[core] = nearest(seen[core], shown) > ALIKE
    if unlike.sum() < max(least_px // 2, 0.03 * area):
        return None
    size = 2 * max(1, round(0.08 * radius)) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    joined = cv2.morphologyEx(unlike.astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    if count < 2:
        return None
    largest = 1 + int(stats[1:, 4].argmax())
    part = filled(labels == largest) & inside
    share = part.sum() / area
    if part.sum() < least_px or not 0.08 < share < 0.8:
        return None
    if stats[largest, 4] < 0.6 * stats[1:, 4].sum():
        return None
    return part


def beside(seen: Field, rgb: NDArray[np.uint8], inside: Mask, least_px: int) -> Mask | None:
    """One of two plain sides of different colours, none a darker one of the other's, or None."""
    cv2 = opencv()
    area = int(inside.sum())
    values = seen[inside].astype(np.float32)
    cv2.setRNGSeed(0)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
    if len(values) < 2:
        return None
    _, labels, centres = cv2.kmeans(values, 2, None, stop, 2, cv2.KMEANS_PP_CENTERS)
    if np.linalg.norm(centres[0] - centres[1]) < ALIKE:
        return None
    off = np.linalg.norm(values - centres[labels[:, 0]], axis=1)
    if (off > ALIKE).mean() > 0.05:
        return None
    side = np.zeros_like(inside)
    side[inside] = labels[:, 0] == 1
    means = [rgb[one].mean(0) for one in (inside & ~side, side)]
    light, dark = sorted(means, key=lambda colour: -float(colour.sum()))
    as_dark = opencv().cvtColor((dark[None, None] / 255).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    if nearest(as_dark, shaded(light[None]))[0] < ALIKE:
        return None
    for one in (side, inside & ~side):
        _, _, stats, _ = cv2.connectedComponentsWithStats(one.astype(np.uint8), connectivity=8)
        if one.sum() < max(least_px, 0.12 * area) or stats[1:, 4].max() < 0.95 * one.sum():
            return None
        if stats[1:, 4].max() < COMPACT * hull(one).sum():
            return None
    return side


def palette(rgb: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The commonest colours, as they are, shape (at most `RIM_COLOURS`, 3)."""
    cells = (rgb // 24).astype(np.int64)
    _, number, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    common = np.argsort(-counts, kind="stable")[:RIM_COLOURS]
    common = common[counts[common] >= 0.015 * len(rgb)]
    return np.array([rgb[number == k].mean(0) for k in common]).reshape(-1, 3)


def shaded(colours: NDArray[np.float64]) -> Field:
    """Those RGB colours, each darker by every one of `SHADES` too, in L*a*b*, shape (N, 3)."""
    cv2 = opencv()
    every = (colours[None] * SHADES[:, None, None]).reshape(1, -1, 3).astype(np.float32) / 255
    made: Field = cv2.cvtColor(every, cv2.COLOR_RGB2LAB)[0]
    return made


def nearest(values: Field, colours: Field) -> Field:
    """Distance of each of ``values``, shape (N, 3), to the nearest of ``colours``, (M, 3)."""
    if not len(colours):
        return np.full(len(values), np.inf, np.float32)
    far: Field = np.full(len(values), np.inf, np.float32)
    for colour in colours:
        np.minimum(far, np.linalg.norm(values - colour, axis=1), out=far)
    return far


def filled(mask: Mask) -> Mask:
    """Without holes."""
    outside = np.pad(~mask, 1, constant_values=True).astype(np.uint8)
    _, labels = opencv().connectedComponents(outside, connectivity=4)
    whole: Mask = (labels != labels[0, 0])[1:-1, 1:-1]
    return whole


def hull(mask: Mask) -> NDArray[np.uint8]:
    """The mask's convex hull, 0 or 1."""
    cv2 = opencv()
    points = np.argwhere(mask)[:, ::-1].astype(np.int32)
    drawn: NDArray[np.uint8] = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(drawn, cv2.convexHull(points), 1)
    return drawn
