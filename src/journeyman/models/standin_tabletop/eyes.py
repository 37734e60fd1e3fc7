"""What the stand-in sees in one cut-out: descriptors, the main colour, words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from journeyman.core.values import ImageHWC
from journeyman.models.descriptors import Description, Descriptor, compare, describe, descriptor

MIDDLE_L = 0.45
"""Mean brightness that a piece is given where the light is discounted."""


@dataclass(frozen=True, eq=False)
class Sight:
    """One thing, seen.

    Attributes:
        plain, evened: In numbers, as it is and with its brightness evened out.
        said: In words.
        mark: Decided by the pixels alone.
    """

    plain: Descriptor
    evened: Descriptor
    said: Description
    mark: str

    @property
    def colours(self) -> list[str]:
        return [colour.word for colour in self.said.colours]

    @property
    def features(self) -> str:
        """In words, every group of features."""
        said = self.said
        colours = " and ".join(self.colours[:3])
        holes = {0: "no hole", 1: "one hole"}.get(said.holes, f"{said.holes} holes")
        size = (
            "small" if said.length_px < 25 else "large" if said.length_px > 48 else "middle-sized"
        )
        return (
            f"colours: {colours}; pattern: {said.pattern.word}; outline: {said.outline.word}; "
            f"holes: {holes}; size: {size}, {said.length_px:.0f} pixels long"
        )


def look(picture: ImageHWC, factor: int = 1) -> Sight | None:
    """What is on the white of a cut-out; None where there is nothing.

    Args:
        factor: By which whole number the cut-out is enlarged (`enlargement`).
    """
    small = np.ascontiguousarray(picture[::factor, ::factor])
    return _look(small.tobytes(), small.shape)


def enlargement(pictures: Iterable[ImageHWC]) -> int:
    """The whole number by which all pictures of one message are enlarged, pixel by pixel."""
    shown = list(pictures)
    for factor in range(16, 1, -1):
        if shown and all(_enlarged(picture, factor) for picture in shown):
            return factor
    return 1


def _enlarged(picture: ImageHWC, factor: int) -> bool:
    if picture.shape[0] % factor or picture.shape[1] % factor:
        return False
    small = picture[::factor, ::factor]
    return np.array_equal(small.repeat(factor, 0).repeat(factor, 1), picture)


@lru_cache(maxsize=256)
def _look(pixels: bytes, shape: tuple[int, int, int]) -> Sight | None:
    picture = np.frombuffer(pixels, np.uint8).reshape(shape)
    mask = (picture != 255).any(2)
    if mask.sum() < 8:
        return None
    mark = hashlib.sha256(picture.tobytes()).hexdigest()[:12]
    even = _evened(picture, mask)
    return Sight(descriptor(picture, mask), descriptor(even, mask), describe(picture, mask), mark)


def _evened(picture: ImageHWC, mask: NDArray[np.bool_]) -> ImageHWC:
    mean = float(picture[mask].mean()) / 255
    scaled = picture.astype(np.float32) * (MIDDLE_L / max(mean, 0.05))
    made: ImageHWC = np.where(mask[..., None], scaled.clip(0, 254), 255).astype(np.uint8)
    return made


@dataclass(frozen=True)
class Alike:
    """How alike two things are, group by group, each in [0, 1]."""

    main: float
    colours: float
    part: float
    pattern: float
    outline: float
    size: float


def alike(target: Sight, entity: Sight, *, evened: bool) -> Alike:
    """``part``: how much of the target's colours lies in a part of the entity."""
    made = compare(target.plain, entity.plain)
    colours = made.colour
    texture = made.texture
    if evened:
        again = compare(target.evened, entity.evened)
        colours, texture = max(colours, again.colour), max(texture, again.texture)
    shares, there = target.plain.colour**2, entity.plain.colour**2
    part = float(np.minimum(shares, 3 * there).sum())
    pattern = 0.5 * texture + 0.5 * (target.said.pattern.word == entity.said.pattern.word)
    holes = 1.0 if target.said.holes == entity.said.holes else 0.5
    return Alike(
        _main(target, entity, colours), colours, part, pattern, made.outline, made.size * holes
    )


def _main(target: Sight, entity: Sight, colours: float) -> float:
    """By the main colour alone: the commonest word, or one of the two commonest of the other."""
    first, other = target.colours[0], entity.colours
    if first == other[0]:
        return 1.0
    if first in other[:2] or other[0] in target.colours[:2]:
        return 0.75
    return 0.3 * colours


def is_scene(picture: ImageHWC) -> bool:
    """Whether a picture of an instruction shows a whole scene: it does not lie on white."""
    rim = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    return float((rim >= 250).all(1).mean()) < 0.5
