"""Words for things: what a description asks for, and how well words about an entity fit it."""

from __future__ import annotations

import re
from dataclasses import dataclass

COLOURS = [
    "red",
    "orange",
    "yellow",
    "olive",
    "green",
    "cyan",
    "blue",
    "purple",
    "pink",
    "brown",
    "beige",
    "white",
    "grey",
    "black",
]

PATTERNS = {
    "stripe": "striped", "stripes": "striped", "striped": "striped", "dot": "dotted",
    "dots": "dotted", "dotted": "dotted", "swirl": "swirled", "swirled": "swirled",
    "paisley": "paisley", "checkerboard": "checked", "checked": "checked", "checkered": "checked",
    "brick": "checked", "tiles": "checked", "tile": "checked", "granite": "mottled",
    "mottled": "mottled", "magma": "mottled", "wooden": "striped", "tiger": "striped",
    "rainbow": "striped", "plastic": "plain", "plain": "plain",
}  # fmt: skip

MATERIALS = {
    "brick": "red brown", "tiles": "grey white cyan", "wooden": "beige brown",
    "granite": "grey black", "plastic": "green white cyan grey", "tiger": "orange black",
    "magma": "red brown orange", "rainbow": "red yellow green blue", "checkerboard": "white black",
}  # fmt: skip
"""Colours that a material brings along where none is said."""

OUTLINES = [
    "round",
    "square",
    "triangle",
    "pentagon",
    "hexagon",
    "heart",
    "star",
    "cross",
    "flower",
    "ring",
    "frame",
    "oval",
    "diamond",
    "rectangle",
    "bar",
    "block",
    "bowl",
    "pan",
    "pallet",
    "letter",
]


@dataclass(frozen=True)
class Sought:
    """What words ask for."""

    colours: frozenset[str] = frozenset()
    pattern: str = ""
    outline: str = ""

    @property
    def text(self) -> str:
        colours = " and ".join(c for c in COLOURS if c in self.colours)
        return ", ".join(word for word in (colours, self.pattern, self.outline) if word)


def sought(words: str) -> Sought:
    """The colours, the pattern and the outline in ``words``."""
    said = re.findall(r"[a-z]+", words.lower().replace("gray", "grey"))
    colours = {word for word in said if word in COLOURS}
    if "polka" in said and not colours:
        colours = {"white", "black"}
    for word in said:
        if word in MATERIALS and not colours:
            colours = set(MATERIALS[word].split())
    pattern = next((PATTERNS[word] for word in said if word in PATTERNS), "")
    if not pattern and colours:
        pattern = "plain"
    outline = next((word for word in said if word in OUTLINES), "")
    return Sought(frozenset(colours), pattern, outline)


def fits_words(wanted: Sought, words: str, held: frozenset[str]) -> float:
    """How well the words about an entity fit, in [0, 1], with what is attended to."""
    seen = sought(words)
    both = wanted.colours & seen.colours
    first = next((w for w in re.findall(r"[a-z]+", words.lower()) if w in COLOURS), "")
    if "colours" in held:
        share = len(both) / max(1, len(wanted.colours))
        colour = 0.7 * share + 0.3 * len(both) / max(1, len(wanted.colours | seen.colours))
    else:
        colour = 0.8 * (first in wanted.colours) + 0.2 * bool(both)
    weight, total = 1.0, colour
    if "pattern" in held and wanted.pattern:
        weight, total = weight + 0.8, total + 0.8 * (wanted.pattern == seen.pattern)
    if "outline" in held and wanted.outline:
        weight, total = weight + 0.8, total + 0.8 * (wanted.outline == seen.outline)
    return total / weight
