"""Rendered prompts to their parts: sections, actions, history, lessons, trajectory, reflection.

All that the stand-in knows comes through here. Unknown lines are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType

_STEP = re.compile(r"Step (\d+), action id (-?\d+), (.*?), env feedback: (.*)")
_ACTION = re.compile(r"action id (\d+): (.+)")
_ENTRY = re.compile(r"\[(\w+)\] ?(.*)")
_ITEM = re.compile(r"- \[(\w+)\] ?(.*)")
SUCCEEDED = "Last action executed successfully"


@dataclass(frozen=True)
class Step:
    """One executed action and what came of it."""

    name: str
    feedback: str

    @property
    def success(self) -> bool:
        return not self.feedback.startswith("Last action is invalid")

    @property
    def message(self) -> str:
        """The feedback without its prefix."""
        return self.feedback.removeprefix("Last action is invalid.").strip()


@dataclass(frozen=True)
class Entry:
    """A lesson, a pool entry or a reflection item."""

    alias: str = ""
    kind: str = ""
    title: str = ""
    applies_when: str = ""
    text: str = ""

    @cached_property
    def whole(self) -> str:
        return "\n".join(part for part in (self.title, self.applies_when, self.text) if part)


@dataclass
class View:
    """What the observation tells: what is in hand, and what is in view where."""

    hand: str = ""
    places: dict[str, str] = field(default_factory=dict)
    """Place name to its line: ``Cabinet_3`` to ``closed``, or to what lies there."""


def sections(text: str) -> dict[str, str]:
    """``## Heading`` to what follows it; the text before the first heading is under ``""``."""
    found: dict[str, str] = {}
    for number, part in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)):
        heading, _, body = part.partition("\n")
        if number == 0:
            found[""] = part
        else:
            found[heading.strip()] = body
    return found


def instruction_of(section: str) -> str:
    for line in section.splitlines():
        if line.startswith("Instruction:"):
            return line.removeprefix("Instruction:").strip()
    return section.strip()


@lru_cache(maxsize=64)
def actions_of(section: str) -> Mapping[str, int]:
    """Action name to id."""
    return MappingProxyType({m[2].strip(): int(m[1]) for m in _ACTION.finditer(section)})


def steps_of(section: str) -> list[Step]:
    return [Step(m[3], m[4].strip()) for m in _STEP.finditer(section)]


def view_of(section: str) -> View:
    """The observation, in the household's form; other forms tell nothing."""
    view = View()
    for line in section.splitlines():
        if line.startswith("In hand:"):
            held = line.removeprefix("In hand:").strip()
            view.hand = "" if held == "nothing" else re.split(r"[ (_]", held)[0]
        elif line.startswith("- "):
            place, _, contents = line[2:].partition(":")
            name, _, state = place.partition(" (")
            view.places[name.strip()] = f"{state.rstrip(')')} {contents.strip()}".strip()
    return view


def entries_of(section: str) -> list[Entry]:
    """Lessons or pool entries: blocks that begin with ``[S1] Title``."""
    found = []
    for block in re.split(r"\n\s*\n", section):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        head = next((i for i, line in enumerate(lines) if _ENTRY.match(line)), None)
        if head is None:
            continue
        match = _ENTRY.match(lines[head])
        assert match is not None
        parts = {"kind": "", "when": ""}
        body: list[str] = []
        for line in lines[head + 1 :]:
            if line.startswith("Kind: ") and not body:
                parts["kind"] = line.removeprefix("Kind: ")
            elif line.startswith("When: ") and not body:
                parts["when"] = line.removeprefix("When: ")
            else:
                body.append(line)
        found.append(Entry(match[1], parts["kind"], match[2], parts["when"], " ".join(body)))
    return found


def items_of(section: str) -> list[Entry]:
    """Reflection items: ``- [kind] Title | When: ... | text``."""
    found = []
    for line in section.splitlines():
        match = _ITEM.match(line.strip())
        if match is None:
            continue
        head, *rest = match[2].split(" | ")
        when = ""
        if rest and rest[0].startswith("When: "):
            when = rest.pop(0).removeprefix("When: ")
        if not rest:
            head, rest = "", [head]
        found.append(Entry("", match[1], head.strip(), when, " | ".join(rest).strip()))
    return found
