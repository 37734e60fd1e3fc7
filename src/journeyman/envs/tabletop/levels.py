"""Levels L1 to L3: which shapes and textures the episodes of a level are drawn from.

As in VIMA-Bench: L1 (placement) draws from what training would have shown, L2 (combinations) swaps
the textures of dragged things and bases, L3 (novel objects) takes shapes held out of both and
textures from all, of which ten occur only there. None of the six tasks exists at L4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from journeyman.core.errors import ConfigError
from journeyman.envs.tabletop.textures import TEXTURES

LEVELS = ("L1", "L2", "L3")
DIFFICULTIES = ("easy", "medium", "hard")
EPISODES_A_LEVEL = 200
"""Three levels of 200 are the 600 episodes a task that EEAgent's Table I is consistent with."""

SEEN_DRAGGED = (
    "letter A",
    "letter E",
    "letter G",
    "letter M",
    "letter T",
    "letter V",
    "block",
    "cross",
    "triangle",
    "flower",
    "heart",
    "ring",
    "pentagon",
    "L-shaped block",
)
SEEN_BASES = ("bowl", "frame", "container", "square")
NOVEL_DRAGGED = ("letter R", "diamond", "hexagon", "round", "star")
NOVEL_BASES = ("pallet", "pan")

FIRST_TEXTURES: tuple[str, ...] = (
    "blue",
    "purple",
    "cyan",
    "olive",
    "tiles",
    "wooden",
    "plastic",
    "checkerboard",
    "red and blue stripe",
    "yellow and blue stripe",
    "red and purple stripe",
    "yellow and purple stripe",
    "green and purple stripe",
    "blue and purple stripe",
    "yellow and purple polka dot",
    "green and purple polka dot",
    "blue and purple polka dot",
    "purple swirl",
    "blue swirl",
    "blue paisley",
)
SECOND_TEXTURES: tuple[str, ...] = (
    "red",
    "green",
    "yellow",
    "granite",
    "polka dot",
    "tiger",
    "rainbow",
    "red and yellow stripe",
    "yellow and green stripe",
    "red and yellow polka dot",
    "red and green polka dot",
    "red and blue polka dot",
    "yellow and blue polka dot",
    "green and blue polka dot",
    "red swirl",
    "green swirl",
    "red paisley",
    "yellow paisley",
    "green paisley",
)
"""Together with the first set 39 of the 49: the other ten occur only at L3."""


@dataclass(frozen=True)
class Pools:
    """What the episodes of one level are drawn from, by name.

    ``dragged_textures`` and ``base_textures`` do not overlap; ``textures`` are all that tasks
    without bases draw from.
    """

    dragged: tuple[str, ...]
    bases: tuple[str, ...]
    dragged_textures: tuple[str, ...]
    base_textures: tuple[str, ...]
    textures: tuple[str, ...]


@cache
def pools(level: str) -> Pools:
    """The partition ``level``.

    Raises:
        ConfigError: there is no such level.
    """
    if level == "L1":
        first, second = FIRST_TEXTURES, SECOND_TEXTURES
        return Pools(SEEN_DRAGGED, SEEN_BASES, first, second, first)
    if level == "L2":
        first, second = SECOND_TEXTURES, FIRST_TEXTURES
        return Pools(SEEN_DRAGGED, SEEN_BASES, first, second, first)
    if level == "L3":
        every = tuple(TEXTURES)
        half = len(every) // 2
        return Pools(NOVEL_DRAGGED, NOVEL_BASES, every[:half], every[half:], every)
    raise ConfigError(f"no level '{level}'; there are {', '.join(LEVELS)}.")
