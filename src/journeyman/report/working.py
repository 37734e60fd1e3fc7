"""How a method came to its plans and where it found an error: JSON values, read with care.

`Plan.working` and `Reflection.evidence` hold whatever a method keeps. What has a known shape is
shown: things that were found in a picture, which of them something in the instruction is and how
surely, and checks that locate an error with the texts that they compared. All else is left out, so
a method that keeps nothing, or something different, shows nothing of this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST = 200
"""Things, matches or ratings of one plan that are read."""
LARGEST = 4096
"""Pixels a side; a box beyond is no box."""
LARGEST_NUMBER = 10**9
"""Of any number that is shown."""

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Thing:
    """Something that was found.

    Attributes:
        number: From 1, within its picture.
        box: Left, top, right, bottom in pixels, the last two exclusive; None without a picture.
        runs: The outline's mask within the box: lengths of equal values, row by row, the first
            of what lies outside; empty where it is not known.
        location: [x, y] in metres, or None.
    """

    number: int
    words: str = ""
    box: Box | None = None
    runs: tuple[int, ...] = ()
    location: tuple[float, float] | None = None


@dataclass(frozen=True)
class Match:
    """Which thing a target of the instruction is.

    Attributes:
        number: The thing's, 0 where none fits.
        scene: The picture of the instruction that was looked in; empty for the environment.
        confidence: In [0, 1], None where it is not known.
        place: [x, y] in metres where a picture of the instruction shows the target.
    """

    target: str
    number: int
    scene: str = ""
    confidence: float | None = None
    reason: str = ""
    target_features: str = ""
    thing_features: str = ""
    place: tuple[float, float] | None = None

    @property
    def thing(self) -> str:
        of = f" of the picture {{{self.scene}}}" if self.scene else ""
        return f"entity {self.number}{of}" if self.number else f"no entity{of}"

    @property
    def sureness(self) -> str:
        return "not known" if self.confidence is None else f"{self.confidence:.2f}"


@dataclass(frozen=True)
class Working:
    """What was found before a plan was made.

    Attributes:
        scenes: The things in pictures of the instruction, by the picture's name.
    """

    things: tuple[Thing, ...] = ()
    scenes: Mapping[str, tuple[Thing, ...]] | None = None
    matches: tuple[Match, ...] = ()
    dialogue: str = ""
    problem: str = ""

    def labels(self, scene: str = "") -> dict[int, str]:
        """What each thing was matched with, by its number in that picture."""
        found: dict[int, list[str]] = {}
        for match in self.matches:
            if match.number and match.scene == scene:
                found.setdefault(match.number, []).append(match.target)
        return {number: ", ".join(targets) for number, targets in found.items()}


@dataclass(frozen=True)
class Pair:
    """Two texts that a check compared, for one target and the thing it was matched with."""

    target: str
    number: int
    target_text: str
    thing_text: str
    consistent: bool | None
    reason: str


@dataclass(frozen=True)
class Check:
    """What a check says of a part of the method; ``consistent`` None where it could not tell."""

    module: str
    consistent: bool | None
    reason: str
    pairs: tuple[Pair, ...] = ()
    original: str = ""
    regenerated: str = ""

    @property
    def name(self) -> str:
        if self.original or self.regenerated:
            return "action-to-instruction consistency"
        return "image-description consistency"


@dataclass(frozen=True)
class Rating:
    """Whether a text was held to be general enough to be kept."""

    module: str
    text: str
    general: bool
    reason: str


@dataclass(frozen=True)
class Located:
    """Where the error was found, with the evidence, and what was concluded.

    Attributes:
        blamed: Parts of the method; all of them where no check found a fault.
        diagnoses: By part.
        dropped: Texts that are no longer in memory or never entered it, with the reasons.
    """

    blamed: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    diagnoses: Mapping[str, str] | None = None
    ratings: tuple[Rating, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()

    @property
    def conclusion(self) -> str:
        parts = ", ".join(self.blamed) or "none"
        if any(check.consistent is False for check in self.checks):
            return f"Found at fault: {parts}."
        return f"No check found a contradiction. Parts that reflected on their work: {parts}."


def said(consistent: bool | None) -> str:
    words = {True: "consistent", False: "not consistent", None: "not known"}
    return words[consistent]


def read_working(values: Mapping[str, Any]) -> Working | None:
    """What ``Plan.working`` says; None where nothing in it has a known shape."""
    things, matches = _things(values.get("entities")), _matches(values.get("matches"))
    if not things and not matches:
        return None
    scenes = values.get("scenes")
    return Working(
        things,
        {str(name): _things(found) for name, found in scenes.items()}
        if isinstance(scenes, Mapping)
        else {},
        matches,
        _text(values.get("dialogue")),
        _text(values.get("problem")),
    )


def read_located(values: Mapping[str, Any]) -> Located | None:
    """What ``Reflection.evidence`` says; None where nothing in it has a known shape."""
    checks = tuple(
        _check(str(module), verdict)
        for module, verdict in values.items()
        if isinstance(verdict, Mapping) and "consistent" in verdict
    )
    told = values.get("diagnoses")
    diagnoses = {
        str(module): text
        for module, text in (told.items() if isinstance(told, Mapping) else ())
        if isinstance(text, str) and text
    }
    ratings = tuple(
        Rating(
            _text(item.get("module")),
            _text(item.get("text")),
            item.get("general") is True,
            _text(item.get("reason")),
        )
        for item in _items(values.get("gate"))
    )
    optimized = values.get("optimization")
    dropped = tuple(
        (_text(item.get("text")), _text(item.get("reason")))
        for found in (optimized.values() if isinstance(optimized, Mapping) else ())
        if isinstance(found, Mapping)
        for item in _items(found.get("dropped"))
    )
    if not (checks or diagnoses or ratings or dropped):
        return None
    blamed = values.get("blamed")
    names = blamed if isinstance(blamed, list | tuple) else ()
    parts = tuple(name for name in names if isinstance(name, str))
    return Located(parts, checks, diagnoses, ratings, dropped)


def _things(values: object) -> tuple[Thing, ...]:
    found = []
    for item in _items(values):
        number = _whole(item.get("entity"))
        if number is None:
            continue
        runs = item.get("mask")
        lengths = [_whole(n) for n in runs] if isinstance(runs, list | tuple) else []
        found.append(
            Thing(
                number,
                _text(item.get("words")),
                _box(item.get("box")),
                tuple(n for n in lengths if n is not None) if None not in lengths else (),
                _point(item.get("location")),
            )
        )
    return tuple(found)


def _matches(values: object) -> tuple[Match, ...]:
    found = []
    for item in _items(values):
        target, number = item.get("target"), _whole(item.get("entity"))
        if not isinstance(target, str) or number is None:
            continue
        picture = item.get("tool") == "image_match"
        found.append(
            Match(
                f"{{{target}}}" if picture else f'"{target}"',
                number,
                _text(item.get("scene")),
                _number(item.get("confidence")),
                _text(item.get("reason")),
                _text(item.get("target_features")),
                _text(item.get("entity_features")),
                _point(item.get("place")),
            )
        )
    return tuple(found)


def _check(module: str, values: Mapping[str, Any]) -> Check:
    return Check(
        module,
        _verdict(values.get("consistent")),
        _text(values.get("reason")),
        tuple(
            Pair(
                _text(item.get("target")),
                _whole(item.get("entity")) or 0,
                _text(item.get("target_features")),
                _text(item.get("entity_features")),
                _verdict(item.get("consistent")),
                _text(item.get("reason")),
            )
            for item in _items(values.get("matches"))
        ),
        _text(values.get("original")),
        _text(values.get("regenerated")),
    )


def _items(values: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(values, list | tuple):
        yield from (item for item in values[:MOST] if isinstance(item, Mapping))


def _verdict(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < LARGEST_NUMBER else None  # nor is it not a number


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < LARGEST_NUMBER else None


def _point(value: object) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    x, y = map(_number, value)
    return None if x is None or y is None else (x, y)


def _box(value: object) -> Box | None:
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    sides = [side for side in map(_whole, value) if side is not None]
    if len(sides) != 4:
        return None
    left, top, right, bottom = sides
    return (
        (left, top, right, bottom) if left < right <= LARGEST and top < bottom <= LARGEST else None
    )
