"""The distiller's replies: what a finished trajectory teaches, in the stand-in's own words.

It can be wrong: a root cause that feedback pointed at is missed in `WRONG_TOLD` of the cases, one
that only the steps show in `WRONG_SHOWN`; with a demonstration to compare, in `WRONG_COMPARED`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from journeyman.core import seeding
from journeyman.models.standin.grounding import Intent, ground
from journeyman.models.standin.mind import relevant
from journeyman.models.standin.phrases import VAGUE, WORDINGS, Pick, steps_text
from journeyman.models.standin.prompts import Step, instruction_of, steps_of
from journeyman.models.standin.review import acts, broken, exhibited

WRONG_TOLD = 0.15
WRONG_SHOWN = 0.35
WRONG_COMPARED = 0.08
WRONG_SUCCESS = 0.10
MOST = 2

Note = dict[str, str]


class _Chance:
    """Digests of the seed and the prompt's own content."""

    def __init__(self, seed: int, instruction: str, steps: Sequence[Step]) -> None:
        self._about = (seed, instruction, "|".join(f"{s.name}:{s.feedback}" for s in steps))

    def value(self, what: str) -> float:
        return seeding.uniform("stand-in distils", *self._about, what)

    def pick(self, options: Sequence[str], what: str) -> str:
        return options[min(int(self.value(what) * len(options)), len(options) - 1)]


def success_reply(sections: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Success patterns and repeatable steps (ELITE Eq. 1)."""
    instruction = instruction_of(sections.get("Task", ""))
    steps = steps_of(sections.get("Trajectory", ""))
    intent = ground(instruction)
    chance = _Chance(seed, instruction, steps)
    rules = exhibited(intent, steps)
    patterns = [_note(rule, "patterns", chance.pick) for rule in rules[:MOST]]
    if rules and chance.value("wrong") < WRONG_SUCCESS:
        patterns = [_vague(chance.pick)]
    repeatable = [_order_of_steps(intent, steps, chance)]
    return {"success_patterns": patterns, "repeatable_steps": [n for n in repeatable if n["text"]]}


def failure_reply(sections: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Failure causes and avoidance guidelines (Eq. 2); comparative with a demonstration."""
    instruction = instruction_of(sections.get("Task", ""))
    steps = steps_of(sections.get("Trajectory", ""))
    intent = ground(instruction)
    chance = _Chance(seed, instruction, steps)
    shown = _demonstrated(sections.get("Demonstration", ""))
    succeeded = sections.get("Outcome", "").strip().startswith("success")
    findings = [] if succeeded else broken(intent, steps)
    model = exhibited(intent, shown) if shown else []
    if model:
        mine = set(exhibited(intent, steps))
        both = [f.rule for f in findings if f.rule in model]
        rest = [rule for rule in model if succeeded or rule not in mine]
        rules = list(dict.fromkeys([*both, *rest]))
        wrong = WRONG_COMPARED
    else:
        rules = [f.rule for f in findings]
        wrong = WRONG_TOLD if findings and findings[0].telling else WRONG_SHOWN
    if rules and chance.value("wrong") < wrong:
        rules = _mistaken(rules, sorted(relevant(intent)), chance)
    if not rules:
        return {"failure_causes": [], "avoidance_guidelines": [_vague(chance.pick)]}
    causes = [] if succeeded else [_note(rules[0], "causes", chance.pick)]
    guidelines = [_note(rule, "guidelines", chance.pick) for rule in rules[:MOST]]
    if model:
        guidelines[1:] = [_order_of_steps(intent, shown, chance)]
    return {"failure_causes": causes, "avoidance_guidelines": guidelines}


def _mistaken(rules: Sequence[str], plausible: Sequence[str], chance: _Chance) -> list[str]:
    """Another rule of the task's procedure than the broken one, or none at all."""
    others = [rule for rule in plausible if rule not in rules]
    if not others or chance.value("nothing") < 0.4:
        return []
    return [chance.pick(others, "mistaken")]


def _demonstrated(section: str) -> list[Step]:
    return [Step(line.strip(), "") for line in section.splitlines() if line.strip()]


def _note(rule: str, part: str, pick: Pick) -> Note:
    wording = WORDINGS[rule]
    return {
        "title": pick(wording.titles, f"{rule} {part} title"),
        "applies_when": pick(wording.when, f"{rule} when"),
        "text": pick(getattr(wording, part), f"{rule} {part}"),
    }


def _order_of_steps(intent: Intent, steps: Sequence[Step], chance: _Chance) -> Note:
    return {
        "title": chance.pick(("Steps that work", "The order of steps", "A plan that works"), "st"),
        "applies_when": _about(intent.kind),
        "text": steps_text(intent, acts(steps), chance.pick),
    }


def _vague(pick: Pick) -> Note:
    title, text = VAGUE[int(pick([str(i) for i in range(len(VAGUE))], "vague"))]
    return {"title": title, "applies_when": "", "text": text}


def _about(kind: str) -> str:
    return {
        "simple": "one object is to be moved to a place",
        "two": "two objects are to be moved to the same place",
        "movable": "an object is to be moved in or on a vessel",
        "look": "an object is to be looked at by a lamp",
        "clean": "an object is to be cleaned and moved",
        "heat": "an object is to be heated and moved",
        "cool": "an object is to be cooled and moved",
    }[kind]
