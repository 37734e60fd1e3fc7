"""Things on a table without weights: what differs from the one surface that prevails.

Four steps: the surface's colour as a smooth function of place, fitted to most pixels; how far each
pixel is from it, against the surface's own spread; connected pieces, without the surroundings that
run along the picture's edge; pieces that are two things, one on or beside the other, cut in two by
their colours. Assumes that one surface covers more of the picture than anything else of one colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.values import ImageHWC
from journeyman.models.pixels import Mask, check_picture, lab, opencv
from journeyman.models.segmenters.parts import parts
from journeyman.models.segmenters.regions import Masks, Regions, boxes_of

Field = NDArray[np.float32]

LEAST_SPREAD = 1.0
"""Of the surface, in L*a*b* units: below it, differences come from rounding."""
NOISE_TO_SMOOTH = 0.7
"""Noise of the lightness from which the picture is smoothed first, in L* units."""
SURROUNDINGS_SHARE = 0.5
"""A piece that covers so much of one side of the picture is what lies around the table."""
MODEL_PIXELS = 6000
"""The surface is fitted to about so many pixels, evenly spaced."""
LEAST_MODEL_PIXELS = 12


class EmbeddedSegmenter:
    """The default: ``embedded``, numpy and OpenCV only; the same picture gives the same regions.

    Regions do not overlap. A region's score is how clearly it differs from the surface, in [0, 1].

    Args:
        name: As asked for.
        threshold: From how many spreads of the surface a pixel is no part of it.
        least_area: Smaller regions are left out, as a share of the picture's pixels.
        split: Cut pieces that look like two things.

    Raises:
        ConfigError: a setting is out of range.
        JourneymanError: OpenCV is not installed.
    """

    def __init__(
        self,
        name: str = "embedded",
        *,
        threshold: float = 5.0,
        least_area: float = 0.0006,
        split: bool = True,
    ) -> None:
        if threshold <= 0:
            raise ConfigError(f"threshold: {threshold} is not above 0.")
        if not 0 <= least_area < 1:
            raise ConfigError(f"least_area: {least_area} is no share of a picture from 0 to 1.")
        opencv()
        self.id = name
        self.threshold = threshold
        self.least_area = least_area
        self.split = split

    def __repr__(self) -> str:
        return f"EmbeddedSegmenter({self.id!r})"

    def segment(self, image: ImageHWC) -> Regions:
        """The things in ``image``, shape (H, W, 3), uint8, RGB; none on an empty table.

        Raises:
            BadPicture: shape or dtype are others.
        """
        check_picture(image)
        least_px = max(1, round(self.least_area * image.shape[0] * image.shape[1]))
        seen = lab(image)
        colours = smoothed(seen)
        far = distance(colours)
        things = cleaned(far > self.threshold, unit_px(image))
        rgb = image if colours is seen else back(colours)
        things &= ~surroundings(things, colours)
        found: list[Mask] = []
        for piece in pieces(things, least_px):
            found += parts(colours, rgb, piece, least_px) if self.split else [piece]
        masks = np.stack(found) if found else np.zeros((0, *image.shape[:2]), np.bool_)
        return self._ranked(masks, far)

    def _ranked(self, masks: Masks, far: Field) -> Regions:
        clear = far / (far + np.float32(self.threshold))
        scores = np.array([clear[mask].mean() for mask in masks], np.float32)
        order = np.argsort(-scores, kind="stable")
        return Regions(masks[order], boxes_of(masks[order]), scores[order])


def unit_px(image: NDArray[Any]) -> float:
    """What lengths are measured in: 1 at 128 x 256 pixels."""
    return float(np.sqrt(image.shape[0] * image.shape[1] / (128 * 256)))


def smoothed(colours: Field) -> Field:
    """The picture without most of its noise, its edges kept; as it is where there is none."""
    lightness = colours[..., 0]
    if min(lightness.shape) < 3:
        return colours
    across = np.abs(lightness[:, 1:] - lightness[:, :-1])
    noise = 1.4826 * float(np.median(across)) / np.sqrt(2)
    if noise < NOISE_TO_SMOOTH:
        return colours
    made: Field = opencv().bilateralFilter(colours, 7, 6 * noise, 2.0)
    return made


@dataclass(frozen=True, eq=False)
class Surface:
    """A quadratic function of place for each channel, and how far the surface strays from it."""

    coefficients: NDArray[np.float64]
    spread: NDArray[np.float64]

    def at(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Colours, shape (..., 3), where `_terms` gave ``terms``, shape (..., 6)."""
        expected: NDArray[np.float64] = terms @ self.coefficients
        return expected


def _terms(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, ...]) -> Any:
    v, u = 2 * (rows + 0.5) / shape[0] - 1, 2 * (columns + 0.5) / shape[1] - 1
    return np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], -1)


def fitted(colours: Field) -> Surface | None:
    """The prevailing surface: least squares on the pixels near it, again and again.

    None where fewer than `LEAST_MODEL_PIXELS` lie near one.
    """
    step = max(1, int(np.sqrt(colours.shape[0] * colours.shape[1] / MODEL_PIXELS)))
    rows, columns = np.mgrid[0 : colours.shape[0] : step, 0 : colours.shape[1] : step]
    seen = colours[::step, ::step].reshape(-1, 3).astype(np.float64)
    terms = _terms(rows, columns, colours.shape).reshape(-1, 6)
    expected = np.broadcast_to(_prevailing(seen), seen.shape)
    bound = np.full(3, 12.0)
    surface = None
    for _ in range(6):
        off = np.abs(seen - expected)
        near = (off < bound).all(1)
        if near.sum() < LEAST_MODEL_PIXELS:
            break
        coefficients = np.linalg.lstsq(terms[near], seen[near], rcond=None)[0]
        expected = terms @ coefficients
        spread = 1.4826 * np.median(np.abs(seen - expected)[near], axis=0)
        surface = Surface(coefficients, np.maximum(spread, LEAST_SPREAD))
        bound = 4 * surface.spread
    return surface


def _prevailing(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle of the commonest colours, shape (3,)."""
    cells = np.floor(seen / 6).astype(np.int64)
    _, number, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    common = seen[number.reshape(-1) == counts.argmax()].mean(0)
    middle: NDArray[np.float64] = np.median(seen[np.linalg.norm(seen - common, axis=1) < 9], axis=0)
    return middle


def distance(colours: Field) -> Field:
    """How far each pixel is from the prevailing surface, in spreads, shape (H, W)."""
    surface = fitted(colours)
    if surface is None:
        return np.zeros(colours.shape[:2], np.float32)
    rows, columns = np.mgrid[0 : colours.shape[0], 0 : colours.shape[1]]
    off = (colours - surface.at(_terms(rows, columns, colours.shape))) / surface.spread
    far: Field = np.sqrt((off * off).sum(2)).astype(np.float32)
    return far


def cleaned(things: Mask, unit: float) -> Mask:
    """Without specks and pinholes."""
    cv2 = opencv()
    made = things.astype(np.uint8)
    for wanted in (1, 0):  # specks of things, then pinholes in them
        _, labels, stats, _ = cv2.connectedComponentsWithStats(
            (made == wanted).astype(np.uint8), connectivity=8 if wanted else 4
        )
        small = stats[:, 4] < 12 * unit * unit
        small[0] = False
        made[small[labels]] = 1 - wanted
    return made.astype(np.bool_)


def surroundings(things: Mask, colours: Field) -> Mask:
    """What lies around the table: pieces along most of a side, as far as they have its colour."""
    cv2 = opencv()
    _, labels = cv2.connectedComponents(things.astype(np.uint8), connectivity=8)
    around = np.zeros_like(things)
    for side in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        edge = labels[side]
        for number in np.unique(edge[edge > 0]):
            if (edge == number).mean() < SURROUNDINGS_SHARE:
                continue
            colour = np.median(colours[side][edge == number], axis=0)
            alike = (labels == number) & (np.linalg.norm(colours - colour, axis=2) < 20)
            _, own = cv2.connectedComponents(alike.astype(np.uint8), connectivity=8)
            touching = np.unique(own[side])
            around |= np.isin(own, touching[touching > 0])
    return around


def pieces(things: Mask, least_px: int) -> list[Mask]:
    """The connected pieces of at least that many pixels, from the top left."""
    _, labels, stats, _ = opencv().connectedComponentsWithStats(
        things.astype(np.uint8), connectivity=8
    )
    return [labels == k for k in range(1, len(stats)) if stats[k, 4] >= least_px]


def back(colours: Field) -> NDArray[np.uint8]:
    """L*a*b* to RGB."""
    cv2 = opencv()
    rgb = cv2.cvtColor(colours, cv2.COLOR_LAB2RGB)
    made: NDArray[np.uint8] = np.rint(255 * rgb.clip(0, 1)).astype(np.uint8)
    return made
