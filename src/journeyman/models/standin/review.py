"""Finished trajectories to findings: which rules the steps show, and which they break.

A reader's view: instruction, action names and feedback, nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from journeyman.models.standin.belief import (
    CLOSE,
    DROP,
    FIND,
    ON,
    OPEN,
    PICK,
    PUT,
    SLICE,
    Belief,
    advance,
    kind_of,
)
from journeyman.models.standin.grounding import Intent
from journeyman.models.standin.household import LAMPS, OPENABLE
from journeyman.models.standin.prompts import Step

KNIVES = frozenset({"Knife", "ButterKnife"})
OWN = {"heat": "Microwave", "cool": "Fridge"}


@dataclass(frozen=True)
class Finding:
    """A broken rule: ``telling`` where feedback pointed at it, else only the steps show it."""

    rule: str
    telling: bool


@dataclass(frozen=True)
class Act:
    """One step with what the robot held and had found last when it did it."""

    verb: str
    word: str
    success: bool
    message: str
    hand: str
    target: str
    at: str


_VERBS = {FIND: "find", PICK: "pick", OPEN: "open", CLOSE: "close", ON: "on", SLICE: "slice"}


def acts(steps: Sequence[Step]) -> list[Act]:
    """The steps with the hand and the target before each."""
    found = []
    belief = Belief()
    for step in steps:
        verb, word = _split(step.name)
        found.append(
            Act(verb, word, step.success, step.message, belief.hand, belief.target, belief.at)
        )
        advance(belief, step)
    return found


def _split(name: str) -> tuple[str, str]:
    if name == PUT:
        return "put", ""
    if name == DROP:
        return "drop", ""
    for prefix, verb in _VERBS.items():
        if name.startswith(prefix):
            return verb, name.removeprefix(prefix)
    return "off", name.rsplit(" ", 1)[-1]


def thing_of(intent: Intent, done: Sequence[Act]) -> str:
    """The class that was handled: of the candidates the one picked, else whatever was."""
    picked = [a.word for a in done if a.verb == "pick"]
    sought = picked + [kind_of(a.word) for a in done if a.verb == "find"]
    for name in (*intent.thing, *(p for p in picked if p not in KNIVES)):
        if name in sought:
            return name
    return intent.thing[0] if intent.thing else ""


def broken(intent: Intent, steps: Sequence[Step]) -> list[Finding]:
    """Broken rules, the decisive one first: what ended the episode, then what shows silently."""
    done = acts(steps)
    thing = thing_of(intent, done)
    told = [Finding(rule, True) for rule in _told(intent, done, thing)]
    shown = [Finding(rule, False) for rule in _shown(intent, done, thing)]
    unique: dict[str, Finding] = {}
    for finding in [*told, *shown]:
        unique.setdefault(finding.rule, finding)
    return list(unique.values())


def _told(intent: Intent, done: Sequence[Act], thing: str) -> list[str]:
    """From feedback that was never mended, the last first."""
    rules: list[str] = []
    treated = False
    for index, act in enumerate(done):
        later = done[index + 1 :]
        if act.success:
            treated = treated or act.verb == "on" or (act.verb, act.word) == ("close", "Fridge")
            continue
        message = act.message
        if message.startswith("Putting the object on"):
            if any(a.verb == "put" and a.success and a.target for a in later):
                continue
            closed = kind_of(act.target) in OPENABLE
            rules.append("open_before_put" if closed else "open_to_take")
        elif "is not visible" in message:
            place = message.split(" is in ")[1].split(".")[0]
            if any(a.verb == "pick" and a.success and a.word == act.word for a in later):
                continue
            if any(a.verb == "slice" and a.success for a in done[:index]):
                rules.append("slice_then_pick")
            elif kind_of(place) in OPENABLE:
                rules.append("open_to_take")
        elif message.startswith("Robot is currently holding") and act.verb == "pick":
            if not any(a.verb == "pick" and a.success and a.word == act.word for a in later):
                rules.append("one_at_a_time")
        elif message.startswith("Robot is not holding") and act.verb in {"put", "drop"}:
            if treated and not any(a.verb == "pick" and a.success for a in later):
                rules.append("take_back")
        elif message.startswith("Turn on action failed") and act.word == "Microwave":
            if not any(a.verb == "on" and a.success for a in later):
                rules.append("heat_inside_closed")
        elif message.startswith("Cannot find") and act.verb == "find":
            if any(a.verb == "slice" and a.success for a in done[:index]) and (
                kind_of(act.word) == thing
            ):
                rules.append("slice_then_pick")
        elif message.startswith("Slice action failed") and not any(
            a.verb == "slice" and a.success for a in later
        ):
            rules.append("open_to_take")
    return rules[::-1]


def _shown(intent: Intent, done: Sequence[Act], thing: str) -> list[str]:
    """From what was done or left undone, measured against what the instruction asks."""
    well = [a for a in done if a.success]
    rules: list[str] = []
    ons = [a for a in well if a.verb == "on"]
    if intent.kind == "clean" and ons and not _treated_inside(well, thing, "on", "Sink"):
        rules.append("sink_before_faucet")
    if intent.kind == "heat" and ons and not _treated_inside(well, thing, "on", "Microwave"):
        rules.append("heat_inside_closed")
    cooling = any(a.verb == "open" and kind_of(a.word) == "Fridge" for a in well)
    if intent.kind == "cool" and cooling and not _treated_inside(well, thing, "close", "Fridge"):
        rules.append("cool_by_closing")
    if intent.kind == "look":
        lit = [a for a in ons if a.word in LAMPS]
        if lit and not any(a.hand == thing for a in lit):
            rules.append("lamp_while_holding")
    if intent.kind == "movable" and _moved_apart(intent, well, thing):
        rules.append("stack_then_carry")
    if intent.kind == "two" and _same_twice(well, thing):
        rules.append("second_instance")
    if intent.sliced and _wrong_piece(well, thing):
        rules.append("slice_then_pick")
    if any(a.verb == "put" and not a.target for a in well):
        rules.append("find_before_put")
    return rules


def _treated_inside(well: Sequence[Act], thing: str, verb: str, place: str) -> bool:
    """Whether the thing was in ``place`` when the appliance did its work."""
    inside = False
    for act in well:
        if act.verb == "put" and act.hand == thing:
            inside = kind_of(act.target) == place
        elif act.verb == "pick" and act.word == thing:
            inside = False
        elif act.verb == verb and inside and kind_of(act.word) in {place, "Faucet"}:
            return True
    return False


def _moved_apart(intent: Intent, well: Sequence[Act], thing: str) -> bool:
    vessels = set(intent.vessel)
    puts = [(a.hand, kind_of(a.target)) for a in well if a.verb == "put"]
    stacked = any(h == thing and t in vessels for h, t in puts)
    carried = any(h in vessels and t not in vessels for h, t in puts)
    return bool(puts) and (carried or len(puts) > 1) and not stacked


def _same_twice(well: Sequence[Act], thing: str) -> bool:
    """Whether the second of two trips went for the first instance again."""
    picks = [a for a in well if a.verb == "pick" and a.word == thing]
    return len(picks) >= 2 and len({a.at for a in picks[:2]}) == 1


def _wrong_piece(well: Sequence[Act], thing: str) -> bool:
    """Whether no piece was taken where it was cut, or it was cut only at the end."""
    cut = next((i for i, a in enumerate(well) if a.verb == "slice"), None)
    if cut is None:
        return False
    before = any(a.verb == "put" and a.hand == thing for a in well[:cut])
    after = [a for a in well[cut + 1 :] if a.verb == "pick" and a.word == thing]
    return before or bool(after and after[0].at.startswith(f"{thing}_"))


def exhibited(intent: Intent, steps: Sequence[Step]) -> list[str]:
    """Rules that the steps of a success (or a demonstration) show, the task's own first."""
    done = acts(steps)
    well = [a for a in done if a.success]
    thing = thing_of(intent, done)
    rules: list[str] = []
    if intent.kind == "clean" and _treated_inside(well, thing, "on", "Sink"):
        rules.append("sink_before_faucet")
    if intent.kind == "heat" and _treated_inside(well, thing, "on", "Microwave"):
        rules.append("heat_inside_closed")
    if intent.kind == "cool" and _treated_inside(well, thing, "close", "Fridge"):
        rules.append("cool_by_closing")
    if intent.kind in {"clean", "heat", "cool"} and _taken_back(well, thing):
        rules.append("take_back")
    if any(a.verb == "on" and a.word in LAMPS and a.hand == thing for a in well):
        rules.append("lamp_while_holding")
    vessels = set(intent.vessel)
    if any(a.verb == "put" and kind_of(a.target) in vessels and a.hand == thing for a in well):
        rules.append("stack_then_carry")
    picks = [a.at for a in well if a.verb == "pick" and a.word == thing]
    if intent.kind == "two" and len(set(picks)) > 1:
        rules.append("second_instance")
    cut = next((i for i, a in enumerate(well) if a.verb == "slice"), None)
    if cut is not None:
        after = well[cut + 1 :]
        if any(a.verb == "pick" and not a.at.startswith(f"{thing}_") for a in after):
            rules.append("slice_then_pick")
        if any(a.verb in {"drop", "put"} and a.hand in KNIVES for a in after):
            rules.append("one_at_a_time")
    rules += _doors(well, OWN.get(intent.kind, ""))
    if not rules and any(a.verb == "put" and a.target for a in well):
        rules.append("find_before_put")
    return list(dict.fromkeys(rules))


def _taken_back(well: Sequence[Act], thing: str) -> bool:
    treated = False
    for act in well:
        treated = treated or act.verb == "on" or (act.verb, act.word) == ("close", "Fridge")
        if treated and act.verb == "pick" and act.word == thing:
            return True
    return False


def _doors(well: Sequence[Act], own: str) -> list[str]:
    """What opened containers were opened for; ``own`` is the appliance of the treatment."""
    rules = []
    for act, after in itertools.pairwise(well):
        if act.verb != "open" or kind_of(act.word) == own:
            continue
        if after.verb == "put":
            rules.append("open_before_put")
        elif after.verb in {"pick", "slice"}:
            rules.append("open_to_take")
    return rules
