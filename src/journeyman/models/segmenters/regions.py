"""What a segmenter gives, and what every segmenter needs: boxes of masks, doubles left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from journeyman.core.values import ImageHWC

Masks = NDArray[np.bool_]
"""Shape (N, H, W), True inside."""

Boxes = NDArray[np.int64]
"""Shape (N, 4): left, top, right, bottom in pixels, right and bottom exclusive."""


@dataclass(frozen=True, eq=False)
class Regions:
    """The regions of one picture, best first; they may overlap and need not cover it.

    Attributes:
        masks: Shape (N, H, W), True inside; none is empty.
        boxes: Shape (N, 4): left, top, right, bottom in pixels, right and bottom exclusive.
        scores: Shape (N,), float32, never rising; comparable within one segmenter only.
    """

    masks: Masks
    boxes: Boxes
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.masks)


@runtime_checkable
class Segmenter(Protocol):
    """A picture to its regions. ``id`` is the name that was asked for."""

    id: str

    def segment(self, image: ImageHWC) -> Regions:
        """The regions of ``image``, shape (H, W, 3), uint8."""
        ...


def boxes_of(masks: Masks) -> Boxes:
    """The smallest box around each mask, shape (N, 4); all zero for an empty one."""
    count, height, width = masks.shape
    boxes = np.zeros((count, 4), np.int64)
    for box, mask in zip(boxes, masks, strict=True):
        rows, columns = mask.any(1), mask.any(0)
        if rows.any():
            box[:2] = columns.argmax(), rows.argmax()
            box[2:] = width - columns[::-1].argmax(), height - rows[::-1].argmax()
    return boxes


def distinct(boxes: NDArray[Any], scores: NDArray[Any], overlap: float) -> NDArray[np.int64]:
    """Which boxes stay when each takes out the lower ones that overlap it by more than ``overlap``.

    Args:
        boxes: Shape (N, 4), right and bottom exclusive.
        scores: Shape (N,); of equal ones the first is higher.
        overlap: Intersection over union, in [0, 1].

    Returns:
        Indices of those that stay, highest score first.
    """
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    while left.size:
        best, left = int(left[0]), left[1:]
        kept.append(best)
        corner = np.minimum(boxes[best, 2:], boxes[left, 2:])
        sides = np.maximum(corner - np.maximum(boxes[best, :2], boxes[left, :2]), 0)
        shared = sides[:, 0] * sides[:, 1]
        left = left[shared <= overlap * (areas[best] + areas[left] - shared)]
    return np.array(kept, np.int64)
