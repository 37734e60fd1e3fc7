"""The pattern on a piece: how strong it is, which way its edges run, what lies in it.

All measures hold whichever way the piece is turned. Derivatives are taken well inside the piece, so
that its outline plays no part.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from journeyman.models.pixels import Mask, opencv

Field = NDArray[np.float32]


@dataclass(frozen=True)
class Pattern:
    """Measures of a pattern.

    Attributes:
        contrast: Root mean square of the colours' slope, L*a*b* units a pixel.
        one_way: How far all edges run in one direction, in [0, 1]; near 1 for stripes.
        two_ways: How far they run in one or at right angles to it, in [0, 1]; high for squares.
        balance: Share of the rarer of the two main colours, in [0, 0.5].
        roundness: Shorter by longer axis of that colour's patches, in [0, 1]; high for dots.
        patches: How many of these there are.
        broken: Share of the commoner colour outside its largest patch, in [0, 1].
    """

    contrast: float
    one_way: float
    two_ways: float
    balance: float
    roundness: float
    patches: int
    broken: float

    @property
    def vector(self) -> Field:
        """All but the number of patches, shape (6,), each in [0, 1]; contrast by its logarithm."""
        contrast, one_way, two_ways, balance, roundness, _, broken = astuple(self)
        strength = min(1.0, float(np.log1p(contrast)) / 4)
        sure = min(1.0, contrast / 6)  # directions of next to nothing mean nothing
        rest = sure * np.array([one_way, two_ways, 2 * balance, roundness, broken])
        return np.array([strength, *rest], np.float32)


PLAIN = Pattern(0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0)


def inner(mask: Mask, steps: int) -> Mask:
    """The mask without so many pixels along its outline, or with fewer where nothing were left."""
    cv2 = opencv()
    padded = np.pad(mask.astype(np.uint8), 1)
    for left in range(steps, 0, -1):
        small = cv2.erode(padded, np.ones((3, 3), np.uint8), iterations=left)[1:-1, 1:-1]
        if small.sum() >= 0.15 * mask.sum():
            made: Mask = small.astype(np.bool_)
            return made
    return mask


def pattern(colours: Field, mask: Mask) -> Pattern:
    """The pattern on the piece.

    Args:
        colours: L*a*b*, shape (H, W, 3).
        mask: Shape (H, W), True somewhere.
    """
    area = inner(mask, 2)
    if area.sum() < 12:
        return PLAIN
    contrast, one_way, two_ways = _directions(colours, area)
    if contrast < 0.5:
        return PLAIN
    return Pattern(contrast, one_way, two_ways, *_patches(colours, inner(mask, 1)))


def _directions(colours: Field, area: Mask) -> tuple[float, float, float]:
    cv2 = opencv()
    across: Any = cv2.Scharr(colours, cv2.CV_32F, 1, 0) / 32
    down: Any = cv2.Scharr(colours, cv2.CV_32F, 0, 1) / 32
    xx, yy, xy = ((a * b).sum(2) for a, b in ((across, across), (down, down), (across, down)))
    turn = ((xx - yy) + 2j * xy)[area]
    strength, total = np.abs(turn), float((xx + yy)[area].sum())
    if total <= 0:
        return 0.0, 0.0, 0.0
    twice = (turn * turn / np.maximum(strength, 1e-9)).sum()
    two_ways = float(np.abs(twice) / max(float(strength.sum()), 1e-9))
    return float(np.sqrt(total / area.sum())), float(np.abs(turn.sum()) / total), two_ways


def _patches(colours: Field, area: Mask) -> tuple[float, float, int, float]:
    """`Pattern`'s last four."""
    cv2 = opencv()
    values = colours[area]
    cv2.setRNGSeed(0)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
    _, labels, _ = cv2.kmeans(values, 2, None, stop, 2, cv2.KMEANS_PP_CENTERS)
    second = np.zeros_like(area)
    second[area] = labels[:, 0] == 1
    rare, common = second, area & ~second
    if rare.sum() > common.sum():
        rare, common = common, rare
    if not rare.any():
        return 0.0, 0.0, 0, 0.0
    _, numbers, stats, _ = cv2.connectedComponentsWithStats(common.astype(np.uint8), connectivity=4)
    broken = 1 - float(stats[1:, 4].max()) / float(common.sum())
    _, numbers, stats, _ = cv2.connectedComponentsWithStats(rare.astype(np.uint8), connectivity=4)
    edge = numbers[area & ~inner(area, 1)]
    whole = [k for k in range(1, len(stats)) if stats[k, 4] >= 4 and not (edge == k).any()]
    every = [k for k in range(1, len(stats)) if stats[k, 4] >= 4]
    round_ones = [_roundness(numbers == k) for k in (whole or every)]
    roundness = float(np.median(round_ones)) if round_ones else 0.0
    return float(rare.sum() / area.sum()), roundness, len(every), broken


def _roundness(patch: Mask) -> float:
    """Shorter by longer axis of the ellipse with the patch's moments."""
    low, high = np.linalg.eigvalsh(np.cov(np.argwhere(patch).T) + np.eye(2) / 12)
    return float(np.sqrt(low / high))
