"""Colour, outline, texture and size of a piece of a picture, and how alike two pieces are.

Nothing here is learnt. Outlines and textures are compared whichever way the piece is turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.values import ImageHWC
from journeyman.models.descriptors import outline
from journeyman.models.descriptors.pattern import inner, pattern
from journeyman.models.pixels import Mask, check_picture, lab, opencv

Vector = NDArray[np.float32]

COLOUR_BINS = (6, 10, 10)
"""Cells of the colour histogram along lightness, green to red and blue to yellow."""


@dataclass(frozen=True)
class Weights:
    """How much each group of features counts; only their proportions matter.

    Raises:
        ConfigError: one is below 0, or all are 0.
    """

    colour: float = 1.0
    outline: float = 1.0
    texture: float = 1.0
    size: float = 0.25

    def __post_init__(self) -> None:
        if min(self.colour, self.outline, self.texture, self.size) < 0:
            raise ConfigError(f"weights: {self} has one below 0.")
        if self.colour + self.outline + self.texture + self.size <= 0:
            raise ConfigError("weights: all are 0; at least one must count.")


@dataclass(frozen=True, eq=False)
class Descriptor:
    """One piece in numbers, for `compare`.

    Attributes:
        colour: Square roots of the shares of colours, flattened, unit length.
        outline: Its `outline.polar` map.
        texture: Contrasts at three scales and `pattern.Pattern.vector`, each in [0, 1].
        area_px: Pixels of the mask.
    """

    colour: Vector
    outline: Vector
    texture: Vector
    area_px: int


@dataclass(frozen=True)
class Likeness:
    """How alike two pieces are in each group, in [0, 1]; 1 is the same."""

    colour: float
    outline: float
    texture: float
    size: float

    def weighed(self, weights: Weights) -> float:
        """The weighted mean, in [0, 1]."""
        pairs = (
            (self.colour, weights.colour),
            (self.outline, weights.outline),
            (self.texture, weights.texture),
            (self.size, weights.size),
        )
        return sum(a * w for a, w in pairs) / sum(w for _, w in pairs)


def descriptor(crop: ImageHWC, mask: Mask) -> Descriptor:
    """What the piece looks like.

    Args:
        crop: Shape (H, W, 3), uint8, RGB; the whole picture will do too, only slower.
        mask: Shape (H, W), True on the piece.

    Raises:
        BadPicture: shapes or dtypes are others, or the mask is empty.
    """
    crop, mask = piece(crop, mask)
    colours = lab(crop)
    return Descriptor(
        _histogram(colours[mask]),
        outline.polar(mask),
        _texture(colours, mask),
        int(mask.sum()),
    )


def compare(a: Descriptor, b: Descriptor) -> Likeness:
    """How alike two pieces are, group by group; symmetric, and all 1 for a piece and itself."""
    colour = float(np.clip(a.colour @ b.colour, 0, 1))
    texture = float(np.exp(-np.abs(a.texture - b.texture).sum()))
    small, large = sorted((a.area_px, b.area_px))
    return Likeness(colour, outline.overlap(a.outline, b.outline), texture, small / large)


def similarity(a: Descriptor, b: Descriptor, weights: Weights = Weights()) -> float:
    """How alike two pieces are, in [0, 1]: the groups' likenesses by their weights."""
    return compare(a, b).weighed(weights)


def piece(crop: ImageHWC, mask: Mask) -> tuple[ImageHWC, Mask]:
    """Both cut to the mask's box.

    Raises:
        BadPicture: as for `descriptor`.
    """
    check_picture(crop, mask)
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return crop[box], mask[box]


def _histogram(colours: Vector) -> Vector:
    """Of L*a*b* colours, shape (N, 3); each is shared between the cells around it."""
    bins = np.array(COLOUR_BINS)
    place = (colours + np.array([0, 100, 100])) / (100, 200, 200) * bins - 0.5
    low = np.floor(place).astype(int)
    share = place - low
    histogram = np.zeros(COLOUR_BINS)
    for corner in np.ndindex(2, 2, 2):
        cell = np.clip(low + corner, 0, bins - 1)
        weight = np.where(corner, share, 1 - share).prod(1)
        np.add.at(histogram, tuple(cell.T), weight)
    root = np.sqrt(histogram / histogram.sum()).ravel()
    made: Vector = (root / np.linalg.norm(root)).astype(np.float32)
    return made


def _texture(colours: Vector, mask: Mask) -> Vector:
    cv2 = opencv()
    colours, area = colours.copy(), inner(mask, 1)
    colours[~mask] = colours[area].mean(0)
    scales = [colours, *(cv2.GaussianBlur(colours, (0, 0), s) for s in (0.8, 1.6, 3.2))]
    steps = [
        np.linalg.norm(fine - coarse, axis=2)[area].mean() for fine, coarse in pairwise(scales)
    ]
    contrasts = (np.log1p(np.array(steps)) / 4).clip(0, 1)
    return np.concatenate([contrasts, pattern(colours, mask).vector]).astype(np.float32)
