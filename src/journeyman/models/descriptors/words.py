"""What a piece of a picture looks like in plain words, and how sure each word is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from journeyman.core.values import ImageHWC
from journeyman.models.descriptors import outline
from journeyman.models.descriptors.features import piece
from journeyman.models.descriptors.pattern import Pattern, pattern
from journeyman.models.pixels import Mask, lab, opencv

COLOURS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "red": ((220, 30, 40), (150, 20, 25)),
    "orange": ((245, 140, 30),),
    "yellow": ((245, 220, 50),),
    "olive": ((128, 128, 20),),
    "green": ((50, 160, 70), (20, 90, 30), (120, 210, 90)),
    "cyan": ((90, 215, 220), (20, 160, 170)),
    "blue": ((50, 110, 215), (30, 40, 140), (110, 160, 240)),
    "purple": ((145, 70, 180), (80, 30, 110)),
    "pink": ((250, 160, 185), (240, 90, 160)),
    "brown": ((140, 85, 45), (95, 55, 30)),
    "beige": ((222, 184, 130),),
    "white": ((246, 246, 244),),
    "grey": ((190, 190, 190), (130, 130, 130), (80, 80, 80)),
    "black": ((15, 15, 15),),
}
"""Plain words for colours, each with RGB values that it stands for."""

LEAST_HOLE = 0.02
LEAST_SHARE = 0.12
"""A colour that covers less of the piece is not named."""


@dataclass(frozen=True)
class Word:
    """A word and how sure it is, in (0, 1]; comparable within one kind of word only."""

    word: str
    sure: float


@dataclass(frozen=True)
class Description:
    """A piece in words.

    Attributes:
        colours: From the most to the least of it; ``sure`` is the share that it covers. At least
            one.
        pattern: ``plain``, ``striped``, ``checked`` (bricks and tiles too), ``dotted``,
            ``paisley`` (drops), ``swirled`` or ``mottled``.
        outline: ``round``, ``square``, ``triangle``, ``pentagon``, ``hexagon``, ``heart``,
            ``star``, ``cross``, ``flower``, ``ring``, ``frame``, ``open frame``, ``oval``,
            ``diamond``, ``rectangle``, ``bar``, ``L-shaped``, ``pan-like``, ``letter-like`` or
            ``irregular``.
        holes: Openings through which other things are seen.
        elongation: Longer by shorter side of the tightest box, at least 1.
        area_px: Pixels that it covers.
        length_px: Longer side of the tightest box.
    """

    colours: tuple[Word, ...]
    pattern: Word
    outline: Word
    holes: int
    elongation: float
    area_px: int
    length_px: float

    @property
    def text(self) -> str:
        """For a sentence: ``red and yellow striped star``."""
        colours = " and ".join(colour.word for colour in self.colours[:2])
        pattern = "" if self.pattern.word == "plain" else f" {self.pattern.word}"
        return f"{colours}{pattern} {self.outline.word} thing"


def describe(crop: ImageHWC, mask: Mask) -> Description:
    """The piece in words.

    Args:
        crop: Shape (H, W, 3), uint8, RGB.
        mask: Shape (H, W), True on the piece.

    Raises:
        BadPicture: shapes or dtypes are others, or the mask is empty.
    """
    crop, mask = piece(crop, mask)
    colours = named_colours(crop, mask)
    width, height = _sides(mask)
    sides = max(width, height), max(min(width, height), 1.0)
    return Description(
        colours,
        pattern_word(pattern(lab(crop), mask)),
        Word(*outline.word(mask)),
        _holes(mask),
        sides[0] / sides[1],
        int(mask.sum()),
        sides[0],
    )


def named_colours(crop: ImageHWC, mask: Mask) -> tuple[Word, ...]:
    """The colours that cover enough of the piece, the largest share first."""
    names = [name for name, values in COLOURS.items() for _ in values]
    values = np.array([[value for values in COLOURS.values() for value in values]], np.uint8)
    far = np.linalg.norm(lab(crop)[mask][:, None] - lab(values)[0], axis=2)
    counts = np.bincount(far.argmin(1), minlength=len(names))
    shares: dict[str, float] = {}
    for name, count in zip(names, counts, strict=True):
        shares[name] = shares.get(name, 0.0) + count / counts.sum()
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    kept = [Word(name, float(share)) for name, share in ordered if share >= LEAST_SHARE]
    return tuple(kept) or (Word(ordered[0][0], float(ordered[0][1])),)


def _sides(mask: Mask) -> tuple[float, float]:
    points = np.argwhere(mask)[:, ::-1].astype(np.float32)
    _, (width, height), _ = opencv().minAreaRect(points)
    return width + 1.0, height + 1.0


def _holes(mask: Mask) -> int:
    """Openings of at least four pixels and `LEAST_HOLE` of the piece."""
    outside: NDArray[np.uint8] = np.pad(~mask, 1, constant_values=True).astype(np.uint8)
    _, labels, stats, _ = opencv().connectedComponentsWithStats(outside, connectivity=4)
    least = max(4.0, LEAST_HOLE * float(mask.sum()))
    inside = [k for k in range(1, len(stats)) if k != labels[0, 0]]
    return sum(bool(stats[k, 4] >= least) for k in inside)


def pattern_word(seen: Pattern) -> Word:
    """The word for a pattern; sure is how far it lies from where another word would begin."""

    def above(value: float, bound: float, width: float) -> float:
        return float(np.clip(0.5 + (value - bound) / width, 0, 1))

    strong = above(seen.contrast, 2.9, 4.0)
    striped = above(seen.one_way, 0.6, 0.6)
    checked = above(seen.two_ways, 0.25, 0.4)
    rounded = above(seen.roundness, 0.57, 0.3)
    leaning = above(seen.one_way, 0.12, 0.2)
    bold = above(seen.contrast, 14.0, 20.0)
    curved = above(seen.broken, 0.45, 0.6)
    if strong < 0.5:
        return Word("plain", 1 - strong)
    if striped >= 0.5:
        return Word("striped", min(strong, striped))
    if checked >= 0.5:
        return Word("checked", min(strong, 1 - striped, checked))
    if bold >= 0.5 and rounded >= 0.5 and seen.patches >= 2:
        if leaning >= 0.5:
            return Word("paisley", min(rounded, leaning, 1 - checked))
        return Word("dotted", min(rounded, 1 - leaning, 1 - checked))
    if bold >= 0.5 and curved >= 0.5:
        return Word("swirled", min(bold, 1 - rounded, curved, 1 - checked))
    return Word("mottled", max(1 - bold, 1 - curved))
