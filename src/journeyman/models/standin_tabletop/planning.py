"""The planner: from the errand and the table to actions, with the gaps of the rules it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import dist
from typing import Any

from journeyman.models.standin_tabletop.deeds import NEAR_M, table
from journeyman.models.standin_tabletop.errands import Errand, Point, Table, errand
from journeyman.models.standin_tabletop.mind import Mind
from journeyman.models.standin_tabletop.prompts import field, texts
from journeyman.models.standin_tabletop.reading import PLANNER

Call = dict[str, Any]

FREE = tuple(
    product((0.32, 0.4, 0.5, 0.6, 0.68), (-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4))
)
"""Where something in the way may be put."""
THERE_M = 0.03
"""A thing so near to its place is there."""


def plan_reply(parts: Mapping[str, str], mind: Mind) -> dict[str, Any]:
    """The reply of the planner."""
    instruction = field(parts.get("Task", ""), "Instruction")
    environment = parts.get("Environment", "")
    goal, on = errand(instruction), table(environment)
    about = (instruction, environment.partition("Matches:")[0])
    said = texts(parts.get("Principles", "")), texts(parts.get("Suggestions", ""))
    held = mind.holds(PLANNER, *said, *about)
    words, calls = _plan(goal, on, held)
    return {"thoughts": words, "plan": words, "actions": calls}


def _plan(goal: Errand, on: Table, held: frozenset[str]) -> tuple[str, list[Call]]:
    if goal.kind == "rotate":
        thing = _found(goal.thing, on)
        if thing is None:
            return "I do not know what to turn.", []
        angle = goal.angle_deg if "clockwise" in held else -goal.angle_deg
        call = {"pick_location": list(thing), "angle_deg": angle}
        words = f"Turn the {goal.thing} by {angle:g} degrees."
        return words, [{"name": "PickRotate", "arguments": call}]
    if goal.kind == "put":
        return _put(goal, on, held)
    if goal.kind == "rearrange":
        return _rearrange(goal, on, held)
    return "I do not understand the instruction.", []


def _put(goal: Errand, on: Table, held: frozenset[str]) -> tuple[str, list[Call]]:
    start = _found(goal.thing, on)
    places = [_found(place, on) for place in goal.places]
    known = [place for place in places if place is not None]
    if start is None or not known:
        return "I do not know what to put where.", []
    names = list(goal.places)
    if len(known) == 1 and "object_to_base" not in held and not goal.restore:
        words = f"Bring the {names[0]} to the {goal.thing}."
        return words, [_move(known[0], start)]
    if len(known) > 1 and "order" not in held:
        known, names = known[::-1], names[::-1]
    words = f"Put the {goal.thing} into the {' and then the '.join(names)}"
    if goal.restore and "restore" in held:
        known.append(start)
        words += ", then back to where it was"
    calls, now = [], start
    for place in known:
        calls.append(_move(now if "source" in held or goal.restore is False else start, place))
        now = place
    return f"{words}.", calls


def _rearrange(goal: Errand, on: Table, held: frozenset[str]) -> tuple[str, list[Call]]:
    shown = [(n, to) for n, to in on.shown(goal.scene) if n in on.places]
    moves = [(n, to) for n, to in shown if dist(on.places[n], to) >= THERE_M]
    if "all_objects" not in held:
        moves = moves[:1]
    if not moves:
        return "Everything is in its place.", []
    calls: list[Call] = []
    words = []
    taken = [*on.places.values(), *(to for _, to in shown)]
    if "blocker" in held:
        wanted = {n for n, _ in shown}
        for number, at in on.places.items():
            if number not in wanted and any(dist(at, to) < NEAR_M for _, to in moves):
                free = max(FREE, key=lambda point: min(dist(point, other) for other in taken))
                taken.append(free)
                calls.append(_move(at, free))
                words.append(f"move Entity {number} out of the way")
    for number, to in moves:
        here = on.places[number]
        calls.append(_move(here, to) if "source" in held else _move(to, here))
        words.append(f"move Entity {number} to where the picture shows it")
    if goal.restore and "restore" in held:
        for number, to in moves:
            calls.append(_move(to, on.places[number]))
        words.append("bring all back")
    return f"{', then '.join(words).capitalize()}.", calls


def _found(reference: str, on: Table) -> Point | None:
    """Where a reference lies; of what was not matched, one of the things that are left."""
    number = on.find(reference)
    if not number:
        left = [n for n in on.places if n not in on.names]
        number = left[0] if left else 0
    return on.places.get(number)


def _move(pick: Point, place: Point) -> Call:
    arguments = {"pick_location": list(pick), "place_location": list(place)}
    return {"name": "PickPlace", "arguments": arguments}
