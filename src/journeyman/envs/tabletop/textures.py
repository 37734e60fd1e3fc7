"""The 49 textures of VIMA-Bench's six tasks, drawn by code, the same in every process.

Ten image-like patterns, ten stripes, ten polka dots, five swirls, five paisleys and nine plain
colours, in VIMA-Bench's order and under its names; its picture files are not used. A texture is a
tile that repeats over a body and turns with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from journeyman.envs.tabletop import patterns
from journeyman.envs.tabletop.patterns import Field

Family = Literal["image", "stripe", "polka dot", "swirl", "paisley", "plain"]
RGB = tuple[int, int, int]

SWATCH_PX = 64
SAMPLES = 3
"""Points a side that are averaged for each pixel of a swatch."""

COLOURS: Mapping[str, RGB] = MappingProxyType(
    {
        "blue": (52, 110, 215),
        "red": (222, 48, 52),
        "green": (52, 160, 70),
        "orange": (246, 140, 30),
        "yellow": (244, 212, 52),
        "purple": (146, 70, 178),
        "pink": (252, 160, 186),
        "cyan": (92, 214, 220),
        "olive": (128, 128, 20),
    }
)
PATTERNED = ("red", "yellow", "green", "blue", "purple")
"""The colours that stripes, dots, swirls and paisleys come in."""

WHITE: RGB = (246, 246, 240)
BLACK: RGB = (0, 0, 0)


@dataclass(frozen=True)
class Texture:
    """What a body is covered with.

    Attributes:
        name: VIMA-Bench's, unique.
        words: As an instruction says it, e.g. ``red and yellow stripe``.
        family: Kind of pattern.
        colours: Names of the colours in it, the ground first; empty for image-like patterns.
    """

    name: str
    words: str
    family: Family
    colours: tuple[str, ...] = ()


def _blend(weight: Field, first: RGB, second: RGB) -> Field:
    """``first`` where the weight is 0, ``second`` where it is 1; shape (..., 3), 0 to 255."""
    mixed: Field = (1 - weight[..., None]) * np.array(first) + weight[..., None] * np.array(second)
    return mixed


def _palette(index: Field, *colours: RGB) -> Field:
    chosen: Field = np.array(colours, float)[index.astype(int)]
    return chosen


def _brick(u: Field, v: Field) -> Field:
    shade = patterns.noise(u, v, (6, 6), "brick")
    brick = _blend(shade, (132, 52, 36), (188, 84, 58))
    return np.where(patterns.bricks(u, v)[..., None] > 0, np.array((222, 212, 200.0)), brick)


def _wavelengths(u: Field, v: Field) -> Field:
    return _palette(
        patterns.bands(u, v),
        *((228, 30, 40), (250, 140, 30), (250, 225, 50), (60, 180, 70)),
        *((60, 190, 225), (50, 80, 200), (150, 60, 180)),
    )


def _magma(u: Field, v: Field) -> Field:
    heat = patterns.cracks(u, v)
    glow = _blend(heat, (96, 26, 22), (255, 110, 10))
    white_hot: Field = np.clip(heat - 0.6, 0, 1)[..., None] * np.array((0, 330, 90.0))
    return glow + white_hot


IMAGES: Mapping[str, Callable[[Field, Field], Field]] = {
    "brick": _brick,
    "tiles": lambda u, v: _blend(patterns.tiles(u, v), (120, 160, 176), (240, 244, 246)),
    "wooden": lambda u, v: _blend(patterns.grain(u, v), (222, 176, 116), (150, 96, 48)),
    "granite": lambda u, v: _blend(patterns.speckles(u, v), (74, 72, 78), (190, 186, 182)),
    "plastic": lambda u, v: _blend(patterns.shine(u, v), (170, 222, 190), (236, 250, 240)),
    "polka dot": lambda u, v: _blend(patterns.dots(u, v), WHITE, BLACK),
    "checkerboard": lambda u, v: _blend(patterns.checks(u, v), WHITE, BLACK),
    "tiger": lambda u, v: _blend(patterns.tiger(u, v), (240, 150, 40), (28, 20, 16)),
    "magma": _magma,
    "rainbow": _wavelengths,
}


def _all() -> Iterator[Texture]:
    families: tuple[Family, Family] = ("stripe", "polka dot")
    for name in IMAGES:
        yield Texture(name, name, "image")
    for two in families:
        for pair in combinations(PATTERNED, 2):
            name = f"{pair[0]} and {pair[1]} {two}"
            yield Texture(name, name, two, pair)
    ones: tuple[Family, Family] = ("swirl", "paisley")
    for one in ones:
        for colour in PATTERNED:
            yield Texture(f"{colour} {one}", f"{colour} {one}", one, (colour,))
    for colour in COLOURS:
        yield Texture(colour, colour, "plain", (colour,))


TEXTURES: Mapping[str, Texture] = MappingProxyType({t.name: t for t in _all()})
"""By name, in VIMA-Bench's order."""


def _colours_at(texture: Texture, u: Field, v: Field) -> Field:
    """RGB of the tile at (u, v), shape (..., 3), 0 to 255."""
    if texture.family == "image":
        return IMAGES[texture.name](u, v)
    ground = COLOURS[texture.colours[0]]
    deep: RGB = (ground[0] // 2, ground[1] // 2, ground[2] // 2)
    match texture.family:
        case "stripe":
            return _blend(patterns.stripe(u, v), ground, COLOURS[texture.colours[1]])
        case "polka dot":
            return _blend(patterns.dots(u, v), ground, COLOURS[texture.colours[1]])
        case "swirl":
            return _blend(patterns.swirl(u, v), ground, WHITE)
        case "paisley":
            return _palette(patterns.paisley(u, v), ground, WHITE, deep)
        case _:
            return _blend(np.zeros_like(u), ground, ground)


@lru_cache(maxsize=256)
def swatch(name: str, side: int = SWATCH_PX) -> NDArray[np.uint8]:
    """One tile of the texture, `patterns.TILE_M` wide, kept and not to be written to.

    Args:
        name: A name in `TEXTURES`.
        side: Pixels a side, at least 1.

    Returns:
        RGB, shape (side, side, 3). Columns run along the body's x axis, rows up along its y axis.

    Raises:
        KeyError: no such texture.
    """
    places = (np.arange(side * SAMPLES) + 0.5) / (side * SAMPLES)
    u, v = np.meshgrid(places, places)
    colours = _colours_at(TEXTURES[name], u, v)
    blocks = colours.reshape(side, SAMPLES, side, SAMPLES, 3).mean(axis=(1, 3))
    tile: NDArray[np.uint8] = np.clip(np.rint(blocks), 0, 255).astype(np.uint8)
    tile.setflags(write=False)
    return tile


IMAGE_LOOKALIKES: tuple[tuple[str, str], ...] = (
    ("brick", "wooden"),
    ("brick", "magma"),
    ("wooden", "orange"),
    ("tiger", "orange"),
    ("tiger", "magma"),
    ("tiles", "plastic"),
    ("tiles", "granite"),
    ("plastic", "cyan"),
    ("polka dot", "checkerboard"),
    ("rainbow", "red and green stripe"),
)
PLAIN_LOOKALIKES: tuple[tuple[str, str], ...] = (
    ("orange", "yellow"),
    ("orange", "red"),
    ("olive", "green"),
    ("pink", "red"),
    ("pink", "purple"),
    ("cyan", "blue"),
)


def _alike(a: Texture, b: Texture) -> bool:
    if (a.name, b.name) in IMAGE_LOOKALIKES + PLAIN_LOOKALIKES:
        return True
    if not a.colours or not b.colours:
        return False
    if a.colours == b.colours:
        return True
    return len(a.colours) == 2 and a.family == b.family and a.colours[0] == b.colours[0]


LOOKALIKES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        a.name: tuple(
            b.name for b in TEXTURES.values() if a != b and (_alike(a, b) or _alike(b, a))
        )
        for a in TEXTURES.values()
    }
)
"""Textures easily taken for one another: the same colours in another pattern, or near ones."""
