"""Entities: what the segmenter finds in a picture, as plain values and as cut-outs.

Section III-B: SAM extracts the entities; any `Segmenter` stands in its place. What is too large to
be a thing on the ground is left out, and the rest is numbered from left to right, so that numbers
tell nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.values import GroundMap, ImageHWC, Observation
from journeyman.models.segmenters import Regions, Segmenter, boxes_of

LARGEST_SHARE = 0.25
"""Of the picture; a larger region is ground."""
LARGEST_BOX_SHARE = 0.5
"""Of the picture; a region with a larger box surrounds the scene."""
SMALLEST_AREA = 12
"""Pixels; a smaller region is a speck."""
MOST = 40
"""Entities of one picture."""
LEAST_SIDE = 56
"""Cut-outs are enlarged until the longer side of the smallest has so many pixels."""
LARGEST_SIDE = 512

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Entity:
    """One thing found in a picture, or one line of an observation in words.

    Attributes:
        number: From 1, within its picture.
        words: What a line of the observation says; empty where there is a picture.
        box: Left, top, right, bottom in pixels, right and bottom exclusive.
        location: [x, y] in metres of the mask's centre; None where the picture has no ground map.
        mask: Within the box; None without a picture.
    """

    number: int
    words: str = ""
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    location: tuple[float, float] | None = None
    mask: Mask | None = None

    @property
    def area(self) -> int:
        return 0 if self.mask is None else int(self.mask.sum())

    @property
    def line(self) -> str:
        """As prompts list it."""
        if self.mask is None:
            return f"- Entity {self.number}: {self.words}"
        where = "" if self.location is None else f", location {place(self.location)}"
        return f"- Entity {self.number}: box {list(self.box)}{where}, area {self.area}"

    def values(self) -> dict[str, Any]:
        """As JSON values; the mask as the lengths of its runs, row by row from a False one."""
        if self.mask is None:
            return {"entity": self.number, "words": self.words}
        return {
            "entity": self.number,
            "box": list(self.box),
            "location": None if self.location is None else list(self.location),
            "area": self.area,
            "mask": runs(self.mask),
        }

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Entity:
        """The entity that gave the values."""
        if "box" not in values:
            return cls(values["entity"], values["words"])
        left, top, right, bottom = values["box"]
        mask = from_runs(values["mask"], (bottom - top, right - left))
        where = values["location"]
        location = None if where is None else (where[0], where[1])
        return cls(values["entity"], "", (left, top, right, bottom), location, mask)


def place(location: Sequence[float]) -> str:
    """``[0.431, -0.298]``, metres."""
    return f"[{location[0]:.3f}, {location[1]:.3f}]"


def runs(mask: Mask) -> list[int]:
    """Lengths of the runs of equal values, row by row, the first of False (maybe 0)."""
    flat = mask.ravel()
    edges = np.flatnonzero(np.diff(flat)) + 1
    bounds = np.concatenate([[0], edges, [flat.size]])
    lengths = [int(length) for length in np.diff(bounds)]
    return [0, *lengths] if flat.size and flat[0] else lengths


def from_runs(lengths: Sequence[int], shape: tuple[int, int]) -> Mask:
    values = np.arange(len(lengths)) % 2 == 1
    return cast("Mask", np.repeat(values, np.asarray(lengths, np.int64)).reshape(shape))


def from_regions(regions: Regions, ground: GroundMap | None) -> list[Entity]:
    """The things among the regions of one picture, the best `MOST` of them, numbered."""
    if not len(regions):
        return []
    height, width = regions.masks.shape[1:]
    things = []
    for mask, box in zip(regions.masks, regions.boxes, strict=True):
        left, top, right, bottom = (int(side) for side in box)
        area, box_area = int(mask.sum()), (right - left) * (bottom - top)
        if (
            area >= SMALLEST_AREA
            and area <= LARGEST_SHARE * height * width
            and box_area <= LARGEST_BOX_SHARE * height * width
        ):
            things.append((left, top, right, bottom, mask[top:bottom, left:right]))
    things = sorted(things[:MOST], key=lambda thing: thing[:4])
    return [
        Entity(number, "", (left, top, right, bottom), _centre(mask, left, top, ground), mask)
        for number, (left, top, right, bottom, mask) in enumerate(things, start=1)
    ]


def _centre(
    mask: Mask, left: int, top: int, ground: GroundMap | None
) -> tuple[float, float] | None:
    if ground is None:
        return None
    rows, columns = np.nonzero(mask)
    x, y = ground.at(top + float(rows.mean()), left + float(columns.mean()))
    return round(x, 4), round(y, 4)


def from_words(text: str) -> list[Entity]:
    """The first list of an observation in words, an entity a line (``- ...``)."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            found.append(" ".join(line[2:].split()))
        elif found:
            break
    return [Entity(number, words) for number, words in enumerate(found, start=1)]


class GroundTruth:
    """The simulator's own masks as regions, for studies of perception only."""

    id = "ground_truth"

    def regions(self, masks: NDArray[np.uint8]) -> Regions:
        """The bodies of ``masks``; 0 and 1 are what is no body."""
        bodies = [int(body) for body in np.unique(masks) if body > 1]
        split = np.array([masks == body for body in bodies], np.bool_).reshape(-1, *masks.shape)
        return Regions(split, boxes_of(split), np.ones(len(bodies), np.float32))


def extract(
    obs: Observation, segmenter: Segmenter | GroundTruth, view: str = "image"
) -> list[Entity]:
    """The entities of the picture ``view`` of ``obs``.

    `GroundTruth` reads ``masks`` of the observation, or ``masks/VIEW``; in a picture of the
    instruction without them nothing is found.

    Raises:
        ConfigError: `GroundTruth` in an environment without masks, where every task would fail.
    """
    if isinstance(segmenter, GroundTruth):
        if "masks" not in obs:
            raise ConfigError(
                "segmenter: the environment gives no masks for ground_truth.",
                hint="Take tabletop-masks/TASK-v0, which gives them, or --set segmenter=embedded",
            )
        name = "masks" if view == "image" else f"masks/{view}"
        if name not in obs:
            return []
        return from_regions(segmenter.regions(obs[name]), obs.ground)
    return from_regions(segmenter.segment(obs[view]), obs.ground)


def cut_out(image: ImageHWC, entity: Entity) -> ImageHWC:
    """The entity alone, on white."""
    left, top, right, bottom = entity.box
    part = image[top:bottom, left:right]
    if entity.mask is None:
        return part
    return np.where(entity.mask[..., None], part, np.uint8(255))


def trimmed(image: ImageHWC) -> ImageHWC:
    """The picture without the even border around what it shows."""
    differs = (image != image[0, 0]).any(axis=2)
    if not differs.any():
        return image
    rows, columns = np.flatnonzero(differs.any(1)), np.flatnonzero(differs.any(0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def enlarged(pictures: Sequence[ImageHWC]) -> list[ImageHWC]:
    """All of them by the same whole number, see `LEAST_SIDE`; none beyond `LARGEST_SIDE`."""
    if not pictures:
        return []
    sides = [max(picture.shape[:2]) for picture in pictures]
    factor = max(1, min(-(-LEAST_SIDE // min(sides)), LARGEST_SIDE // max(sides)))
    return [picture.repeat(factor, axis=0).repeat(factor, axis=1) for picture in pictures]
