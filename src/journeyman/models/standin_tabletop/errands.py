"""What an instruction asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from journeyman.models.standin_tabletop.prompts import MatchLine

Point = tuple[float, float]

_REF = r"((?:the )?\{[\w/]+\}|the .+?(?: in \{\w+\})?)"
_PUT = re.compile(
    rf"\b(?:put|place|drop|move)\s+{_REF}\s+(?:into|onto|in|on)\s+(.+?)\s*(?:[.;]|$)", re.IGNORECASE
)
_ROTATE = re.compile(
    rf"\b(?:rotate|turn)\s+{_REF}\s+(?:by\s+)?(\d+(?:\.\d+)?) degrees(.*?)(?:\.|$)", re.IGNORECASE
)
_RESTORE = re.compile(r"\brestore|\boriginal (?:container|place)|\bput .* back\b", re.IGNORECASE)


@dataclass(frozen=True)
class Errand:
    """One instruction, understood.

    Attributes:
        thing: The reference to what is moved, without article.
        places: References to where it goes, in order.
        angle_deg: Clockwise.
        scene: The pictured scene to rearrange to.
        restore: Whether all comes back at the end.
    """

    kind: Literal["put", "rotate", "rearrange", ""]
    thing: str = ""
    places: tuple[str, ...] = ()
    angle_deg: float = 0.0
    scene: str = ""
    restore: bool = False

    @property
    def rules(self) -> tuple[str, ...]:
        """The planner's rules that play a part."""
        if self.kind == "rotate":
            return ("clockwise",)
        if self.kind == "rearrange":
            return ("source", "blocker", "all_objects", *(["restore"] if self.restore else []))
        if len(self.places) > 1:
            return ("order", *(["restore", "source"] if self.restore else []))
        return ("object_to_base",)


def errand(instruction: str) -> Errand:
    """What ``instruction`` asks for; of kind ``""`` where it is not understood."""
    restore = bool(_RESTORE.search(instruction))
    turned = _ROTATE.search(instruction)
    if turned:
        against = bool(re.search("counter|anti", turned[3], re.IGNORECASE))
        angle = float(turned[2]) * (-1 if against else 1)
        return Errand("rotate", bare(turned[1]), angle_deg=angle)
    scene = re.search(r"rearrange.*?\{(\w+)\}", instruction, re.IGNORECASE)
    if scene:
        return Errand("rearrange", scene=scene[1], restore=restore)
    put = _PUT.search(instruction)
    if put:
        places = tuple(bare(place) for place in re.split(r",? (?:and )?then ", put[2]))
        return Errand("put", bare(put[1]), places, restore=restore)
    return Errand("")


def bare(reference: str) -> str:
    """Without article and end of sentence; the same words in the same case."""
    text = re.sub(r"^(?:the|a|an|into|onto|in)\s+", "", reference.strip(' "').lower())
    return re.sub(r"^the\s+", "", text).strip(' ."')


@dataclass(frozen=True)
class Table:
    """What the interpreter found, as the planner reads it.

    Attributes:
        places: Where each entity lies, by its number.
        areas: Pixels of each entity.
        matches: Its lines, in order.
    """

    places: dict[int, Point]
    areas: dict[int, int]
    matches: tuple[MatchLine, ...]

    @cached_property
    def names(self) -> dict[int, str]:
        """What each matched entity is called in the instruction, without article."""
        inside = {
            f"{made.scene}/{made.entity}": f"{bare(made.name)} in {{{made.scene}}}"
            for made in self.matches
            if made.scene and made.entity
        }
        found: dict[int, str] = {}
        for made in self.matches:
            if made.scene or not made.entity:
                continue
            name = made.name.strip('{}"')
            found[made.entity] = inside.get(name, bare(made.name))
        return found

    def find(self, reference: str) -> int:
        """The entity that a reference means, or 0."""
        for number, name in self.names.items():
            if name == reference:
                return number
        wanted = set(re.findall(r"\w+", reference)) - {"object", "in"}
        ranked = sorted(
            self.names.items(), key=lambda item: -len(wanted & set(re.findall(r"\w+", item[1])))
        )
        if ranked and wanted & set(re.findall(r"\w+", ranked[0][1])):
            return ranked[0][0]
        return 0

    def shown(self, scene: str) -> list[tuple[int, Point]]:
        """(entity, where the pictured scene shows it), in the picture's order."""
        return [
            (made.entity, made.shown)
            for made in self.matches
            if made.shown is not None and made.entity and made.name.startswith(f"{{{scene}/")
        ]
