"""What a piece of a picture looks like in plain words, and how sure each word is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from journeyman.core.values import ImageHWC
from journeyman.models.descriptors.features import Mask, piece
from journeyman.models.pixels import lab, opencv

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
        pattern: ``plain``, ``striped``, ``dotted``, ``checked``, ``swirled`` or ``mottled``.
        outline: ``round``, ``square``, ``ring``, ``frame``, ``star``, ``cross``, ``triangle``,
            ``oval``, ``bar``, ``letter-like`` or ``irregular``.
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
    pattern = Word("plain" if colours[0].sure > 0.85 else "mottled", colours[0].sure)
    outline = Word("irregular", 0.5)
    sides = max(width, height), max(min(width, height), 1.0)
    return Description(
        colours, pattern, outline, _holes(mask), sides[0] / sides[1], int(mask.sum()), sides[0]
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


def _holes(mask: Mask, least_share: float = 0.02) -> int:
    """Openings of at least that share of the piece."""
    outside: NDArray[np.uint8] = np.pad(~mask, 1, constant_values=True).astype(np.uint8)
    _, _, stats, _ = opencv().connectedComponentsWithStats(outside, connectivity=4)
    areas = sorted((int(area) for area in stats[1:, 4]), reverse=True)
    return sum(area >= max(4, least_share * int(mask.sum())) for area in _inner(outside, areas))


def _inner(outside: NDArray[np.uint8], areas: list[int]) -> list[int]:
    """The areas of all components but that of the border."""
    _, labels = opencv().connectedComponents(outside, connectivity=4)
    rest = list(areas)
    rest.remove(int((labels == labels[0, 0]).sum()))
    return rest
