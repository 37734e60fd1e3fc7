"""Colour, outline, texture and size of a piece of a picture, and how alike two pieces are.

Nothing here is learnt. Outlines and textures are compared whichever way the piece is turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.values import ImageHWC
from journeyman.models.pixels import check_picture, lab, opencv

Mask = NDArray[np.bool_]
Vector = NDArray[np.float32]

ANGLES, RADII = 72, 16
"""Cells of the outline's polar map."""
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
        outline: How much of each cell (angle, radius) about the centre the piece covers, in
            [0, 1], shape (`ANGLES`, `RADII`); the outermost radius is the farthest pixel's.
        texture: Contrasts and local patterns of lightness and colour, in [0, 1].
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
    return Descriptor(_colours(crop, mask), _polar(mask), _texture(crop, mask), int(mask.sum()))


def compare(a: Descriptor, b: Descriptor) -> Likeness:
    """How alike two pieces are, group by group; symmetric, and all 1 for a piece and itself."""
    colour = float(np.clip(a.colour @ b.colour, 0, 1))
    texture = float(np.exp(-np.abs(a.texture - b.texture).sum()))
    small, large = sorted((a.area_px, b.area_px))
    return Likeness(colour, _turned_overlap(a.outline, b.outline), texture, small / large)


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


def _colours(crop: ImageHWC, mask: Mask) -> Vector:
    colours = lab(crop)[mask]
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
    return (root / np.linalg.norm(root)).astype(np.float32)


def _polar(mask: Mask) -> Vector:
    """The polar map about the middle of the piece's pixels."""
    filled = opencv().copyMakeBorder(mask.astype(np.float32), 1, 1, 1, 1, 0)
    rows, columns = np.nonzero(filled)
    middle = rows.mean(), columns.mean()
    reach = float(np.hypot(rows - middle[0], columns - middle[1]).max()) + 0.5
    fine = 3
    angles = (np.arange(ANGLES * fine) + 0.5) * 2 * np.pi / (ANGLES * fine)
    radii = (np.arange(RADII * fine) + 0.5) * reach / (RADII * fine)
    x = middle[1] + np.outer(np.cos(angles), radii)
    y = middle[0] + np.outer(np.sin(angles), radii)
    seen = opencv().remap(
        filled, x.astype(np.float32), y.astype(np.float32), opencv().INTER_LINEAR, borderValue=0
    )
    cells: Vector = seen.reshape(ANGLES, fine, RADII, fine).mean((1, 3)).astype(np.float32)
    return cells


def _turned_overlap(a: Vector, b: Vector) -> float:
    """Intersection over union of two polar maps, by area, at the turn where it is largest."""
    area = np.arange(RADII, dtype=np.float32) + 0.5
    turns = np.stack([np.roll(b, turn, 0) for turn in range(ANGLES)])
    shared = (np.minimum(a, turns) * area).sum((1, 2))
    either = (np.maximum(a, turns) * area).sum((1, 2))
    return float((shared / either).max())


def _texture(crop: ImageHWC, mask: Mask) -> Vector:
    """Contrast at three scales of each Lab channel, and how much one direction prevails."""
    cv2: Any = opencv()
    colours = lab(crop)
    inner = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    inner = inner if inner.any() else mask
    colours[~mask] = colours[inner].mean(0)
    scales = [colours] + [cv2.GaussianBlur(colours, (0, 0), s) for s in (0.8, 1.6, 3.2)]
    contrasts = [(fine - coarse)[inner].std(0) for fine, coarse in pairwise(scales)]
    return (np.array(contrasts, np.float32).ravel() / 30).clip(0, 1)
