"""Prompts as the stand-in sees them: sections, list items, pictures with their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from journeyman.core.messages import Image, Message
from journeyman.core.values import ImageHWC

_ITEM = re.compile(r"^- \[([A-Z]\d+)\] (.*)$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """The text under each ``## Heading``; under the empty name what stands before the first."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], (p.strip() for p in parts[2::2]), strict=True))}


def items(section: str) -> list[tuple[str, str]]:
    """``- [P1] text`` lines as (alias, text)."""
    return [(match.group(1), match.group(2)) for match in _ITEM.finditer(section)]


def texts(section: str) -> list[str]:
    return [text for _, text in items(section)]


def field(section: str, name: str) -> str:
    """What stands after ``name:`` on a line of its own."""
    found = re.search(rf"^{re.escape(name)}: ?(.*)$", section, re.MULTILINE)
    return found.group(1).strip() if found else ""


def pictures(message: Message) -> dict[str, ImageHWC]:
    """Each picture by the line before it, without the colon."""
    named: dict[str, ImageHWC] = {}
    label = ""
    for part in message.content:
        if isinstance(part, Image):
            if part.array is not None:
                named[label] = part.array
        else:
            label = part.strip().splitlines()[-1].rstrip(":") if part.strip() else ""
    return named


def opening(messages: Sequence[Message]) -> Message | None:
    """The prompt: the first user message with sections."""
    return next((m for m in messages if m.role == "user" and "## " in m.text), None)


@dataclass(frozen=True)
class EntityLine:
    """A line of Entities."""

    number: int
    words: str
    location: tuple[float, float] | None = None
    box: tuple[int, ...] = ()
    area: int = 0


_NUMBER = r"-?\d+(?:\.\d+)?"
_PLACE = rf"\[({_NUMBER}), ({_NUMBER})\]"
_ENTITY = re.compile(r"^- Entity (\d+): (.*)$", re.MULTILINE)


def entities(section: str) -> list[EntityLine]:
    found = []
    for number, words in _ENTITY.findall(section):
        place = re.search(rf"(?:location|at) {_PLACE}", words)
        box = re.search(r"box \[([\d, ]+)\]", words)
        area = re.search(r"area (\d+)", words)
        found.append(
            EntityLine(
                int(number),
                words,
                (float(place[1]), float(place[2])) if place else None,
                tuple(int(side) for side in box[1].split(",")) if box else (),
                int(area[1]) if area else 0,
            )
        )
    return found


@dataclass(frozen=True)
class MatchLine:
    """A line of Matches or of a tool's result."""

    name: str
    entity: int
    scene: str = ""
    location: tuple[float, float] | None = None
    confidence: float = 0.0
    shown: tuple[float, float] | None = None


_MATCH = re.compile(
    rf'^(?:- )?(\{{[\w/]+\}}|".*?") is (?:Entity (\d+)|no entity)'
    rf"(?: of the picture \{{(\w+)\}})?(?: at {_PLACE})?(?:, confidence ({_NUMBER}))?"
    rf"(?:; \{{\w+\}} shows it at {_PLACE})?",
    re.MULTILINE,
)


def matches(section: str) -> list[MatchLine]:
    found = []
    for made in _MATCH.finditer(section):
        name, entity, scene, x, y, sure, shown_x, shown_y = made.groups()
        found.append(
            MatchLine(
                name,
                int(entity or 0),
                scene or "",
                (float(x), float(y)) if x else None,
                float(sure or 0),
                (float(shown_x), float(shown_y)) if shown_x else None,
            )
        )
    return found
