"""Reflection: from the dialogues and the error location to principles and suggestions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from journeyman.models.standin_tabletop.checking import differences
from journeyman.models.standin_tabletop.deeds import broken, deeds, table
from journeyman.models.standin_tabletop.errands import errand
from journeyman.models.standin_tabletop.mind import Mind
from journeyman.models.standin_tabletop.prompts import field, texts
from journeyman.models.standin_tabletop.reading import INTERPRETER, PLANNER, rules_in
from journeyman.models.standin_tabletop.wording import EMPTY, WORDINGS

WRONG_SEEN = 0.2
"""Chance of a wrong diagnosis where the evidence shows the error."""
WRONG_GUESS = 0.45
"""The same where no check found anything."""
PLATITUDE = 0.35
"""Chance that a success gives an empty phrase."""

_CHECK = re.compile(
    r"^- (.+?) / Entity (\d+): not consistent\. Target: (.*?) Entity: (.*?) Reason: (.*)$",
    re.MULTILINE,
)


def success_reply(parts: Mapping[str, str], module: str, mind: Mind) -> dict[str, Any]:
    """One or two principles that mattered and are not in memory."""
    instruction, dialogues = _task(parts)
    known = _known(parts)
    about = ("success", module, instruction, dialogues)
    if mind.chance("platitude", *about) < PLATITUDE:
        return {"principles": [_pick(EMPTY, mind, *about)]}
    useful = [rule for rule in _relevant(module, instruction) if rule not in known]
    useful.sort(key=lambda rule: mind.chance("useful", rule, *about))
    return {"principles": [_words(rule, (), mind, *about) for rule in useful[:1]]}


def failure_reply(parts: Mapping[str, str], module: str, mind: Mind) -> dict[str, Any]:
    """A diagnosis, principles for later tasks, suggestions for this one."""
    instruction, dialogues = _task(parts)
    evidence = parts.get("Error location", "")
    told = _told(parts)  # after a trial that its suggestions did not mend, it says it otherwise
    about = ("failure", module, instruction, dialogues, parts.get("Suggestions", ""))
    if module == "interpreter":
        rules, suggestions = _mismatches(evidence, dialogues, mind, about)
    else:
        rules = broken(errand(instruction), deeds(dialogues, table(dialogues)), table(dialogues))
        suggestions = []
    seen = bool(rules)
    relevant = _relevant(module, instruction)
    if mind.chance("wrong", *about) < (WRONG_SEEN if seen else WRONG_GUESS) or not seen:
        others = [rule for rule in relevant if rule not in rules] or list(relevant)
        rules = [min(others, key=lambda rule: mind.chance("guess", rule, *about))]
    rules = rules[:2]
    diagnosis = f"{'The checks show' if seen else 'I suppose'}: {'; '.join(rules)}."
    principles = [_words(rule, told, mind, "principle", *about) for rule in rules]
    suggestions += [_words(rule, told, mind, "suggestion", *about) for rule in rules]
    return {
        "diagnosis": diagnosis,
        "principles": principles,
        "suggestions": list(dict.fromkeys(suggestions))[:3],
    }


def _mismatches(
    evidence: str, dialogues: str, mind: Mind, about: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Rules that the differing features point at, and which entities are not the targets."""
    rules: list[str] = []
    suggestions = []
    for target, number, wanted, chosen, _ in _CHECK.findall(evidence):
        found = list(differences(wanted, chosen))
        if _large(wanted) * 1.25 < _large(chosen) and target.startswith("{"):
            found.insert(0, "container")
        found.sort(key=lambda rule: mind.chance("cause", rule, *about))
        rules += found
        scene = re.search(
            rf"{re.escape(target)} is Entity {number} of the picture (\{{\w+\}})", dialogues
        )
        where = f" of the picture {scene.group(1)}" if scene else ""
        suggestions.append(f"Entity {number}{where} is not {target}; choose another one.")
    return list(dict.fromkeys(rules)), suggestions[:2]


def _large(features: str) -> float:
    long = re.search(r"(\d+) pixels", features)
    return float(long.group(1)) if long else 0.0


def _task(parts: Mapping[str, str]) -> tuple[str, str]:
    return field(parts.get("Task", ""), "Instruction"), parts.get("Dialogues", "")


def _known(parts: Mapping[str, str]) -> set[str]:
    return {rule for text in _told(parts) for rule in rules_in(text)}


def _told(parts: Mapping[str, str]) -> list[str]:
    """What was in the module's prompts."""
    return [*texts(parts.get("Principles", "")), *texts(parts.get("Suggestions", ""))]


def _relevant(module: str, instruction: str) -> tuple[str, ...]:
    if module == "planner":
        return errand(instruction).rules or PLANNER
    goal = errand(instruction)
    inside = goal.kind == "put" and len(goal.places) > 1
    return tuple(r for r in INTERPRETER if r != "container" or inside)


def _words(rule: str, told: Sequence[str], mind: Mind, *about: str) -> str:
    """The rule in words, where possible not in those that were of no use."""
    fresh = [text for text in WORDINGS[rule] if text not in told]
    return _pick(fresh or WORDINGS[rule], mind, rule, *about)


def _pick(choices: Sequence[str], mind: Mind, *about: str) -> str:
    return choices[int(mind.chance("words", *about) * len(choices))]
