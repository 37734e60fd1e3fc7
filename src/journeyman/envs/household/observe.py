"""What the agent sees, in words: what is in hand and in view, by the names of the action list."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from journeyman.core.values import ImageHWC, Observation
from journeyman.envs.household.names import Names
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import OPENABLE, TOGGLEABLE, is_pickupable


class HouseholdObservation(Observation):
    """An observation whose text, like its picture, is made only when somebody reads it.

    It holds a snapshot, so the text is right however late it is read.
    """

    def __init__(
        self, state: State, names: Names, draw: Callable[[], ImageHWC] | None = None
    ) -> None:
        self._state = state
        self._names = names
        self._draws = {} if draw is None else {"image": draw}
        self._drawn = {}

    @cached_property
    def text(self) -> str:  # type: ignore[override]
        return describe(self._state, self._names)


def describe(state: State, names: Names) -> str:
    """What is in hand and in view, one place a line: ``- Cabinet_3 (open): Plate, Bowl (Spoon)``.

    Nothing behind a closed door is named; doors show open or closed, switches on or off. A name is
    one that ``find`` knows, but for things that the benchmark has no word for (``TVStand``) and
    slices, which are picked up by their class.
    """
    seen = {o for o in state.type if o not in names.shells and state.visible(o)}

    def inside(object_id: str) -> str:
        counts: dict[str, int] = {}
        for content in state.contents.get(object_id, ()):
            if content in seen:
                words = phrase(content)
                counts[words] = counts.get(words, 0) + 1
        return ", ".join(w if n == 1 else f"{w} x{n}" for w, n in counts.items())

    def label(object_id: str) -> str:
        return f"{names.label(object_id)}{_condition(state, object_id)}"

    def phrase(object_id: str) -> str:
        within = inside(object_id)
        return f"{label(object_id)} ({within})" if within else label(object_id)

    lines = [f"In hand: {phrase(state.held) if state.held else 'nothing'}", "In view:"]
    floor = []
    for object_id, parent in state.parent.items():
        if parent is not None or object_id == state.held:
            continue
        if is_pickupable(state.type[object_id]):
            if object_id in seen:
                floor.append(phrase(object_id))
            continue
        within = inside(object_id)
        if within:
            lines.append(f"- {label(object_id)}: {within}")
        elif object_id in seen:
            lines.append(f"- {label(object_id)}")
    if floor:
        lines.append(f"- on the floor: {', '.join(floor)}")
    if len(lines) == 2:
        lines.append("- nothing within reach")
    return "\n".join(lines)


def _condition(state: State, object_id: str) -> str:
    object_type = state.type[object_id]
    words = []
    if object_type in OPENABLE:
        words.append("open" if object_id in state.open else "closed")
    if object_type in TOGGLEABLE:
        words.append("on" if object_id in state.on else "off")
    return f" ({', '.join(words)})" if words else ""
