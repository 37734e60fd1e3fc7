"""The match tools: which entity looks like a picture, which one words describe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from journeyman.core.messages import Message
from journeyman.core.values import ImageHWC
from journeyman.models.standin_tabletop.eyes import Sight, alike, enlargement, look
from journeyman.models.standin_tabletop.mind import Mind
from journeyman.models.standin_tabletop.prompts import (
    EntityLine,
    entities,
    field,
    pictures,
    texts,
)
from journeyman.models.standin_tabletop.reading import INTERPRETER, Pointer, pointers
from journeyman.models.standin_tabletop.seeking import Sought, fits_words, sought

NAIVE = {"main": 1.0, "outline": 0.25}
"""What counts for it from the start: mostly the main colour."""
BLUR = 2.0
"""Width of the error of its judgement; each rule held of `SHARPENS` halves it."""
SHARPENS = ("colours", "pattern", "outline", "size")
LARGER = 1.35
"""So many times the target's pixels, and a thing may be its container."""


def match_reply(
    parts: Mapping[str, str], message: Message, mind: Mind, *, by_picture: bool
) -> dict[str, Any]:
    """The reply of ``image_match`` or ``semantic_match``."""
    task = parts.get("Task", "")
    instruction, target, place = (field(task, n) for n in ("Instruction", "Target", "Look in"))
    found = re.search(r"\{(\w+)\}", place)
    scene = found.group(1) if found else ""
    suggestions = texts(parts.get("Suggestions", ""))
    candidates = entities(parts.get("Entities", ""))
    shown = pictures(message)
    factor = enlargement(shown.values())
    sights = {e.number: _sight(shown, f"Entity {e.number}", factor) for e in candidates}
    goal = _sight(shown, f"Target {target}", factor) if by_picture else None
    about = (instruction, parts.get("Entities", ""))
    held = mind.holds(INTERPRETER, texts(parts.get("Principles", "")), suggestions, *about)
    sample = re.search(r"[Ss]ample (\d+)", message.text.rpartition("## Reply")[2])
    wanted = sought(target)

    scores: dict[int, float] = {}
    for entity in candidates:
        seen = sights[entity.number]
        if seen is None:
            score = fits_words(wanted, entity.words, held)
            mark = entity.words
        elif goal is not None:
            score, mark = _looks(goal, seen, held), goal.mark + seen.mark
        else:
            score, mark = fits_words(wanted, seen.features, held), seen.mark
        wide = BLUR * 0.5 ** sum(rule in held for rule in SHARPENS)
        error = mind.chance("blur", mark, target, sample.group(1) if sample else "") - 0.5
        scores[entity.number] = score + wide * error
    if mind.profile.heeds:
        _point(scores, [p for text in suggestions for p in pointers(text)], target, scene)
    ranked = sorted(scores, key=lambda number: -scores[number])
    if not ranked:
        return _reply(target, goal, wanted, 0, "", 0.0, "there is nothing to choose from")
    best = ranked[0]
    gap = scores[best] - scores[ranked[1]] if len(ranked) > 1 else 0.5
    sure = round(min(0.99, max(0.05, 0.5 * max(scores[best], 0) + min(gap, 0.5))), 2)
    seen = sights[best]
    features = _said(seen, held) if seen is not None else _words(candidates, best)
    reason = f"Of {len(ranked)} it fits best in {_groups(held)}."
    return _reply(target, goal, wanted, best, features, sure, reason, held)


def _reply(
    target: str,
    goal: Sight | None,
    wanted: Sought,
    entity: int,
    features: str,
    sure: float,
    reason: str,
    held: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    said = _said(goal, held) if goal is not None else wanted.text or target
    return {
        "thoughts": reason,
        "target_features": said,
        "entity": entity,
        "entity_features": features,
        "confidence": sure,
        "reason": reason,
    }


def _sight(shown: Mapping[str, ImageHWC], name: str, factor: int) -> Sight | None:
    return look(shown[name], factor) if name in shown else None


def _looks(goal: Sight, seen: Sight, held: frozenset[str]) -> float:
    """How alike they seem, with what it attends to."""
    made = alike(goal, seen, evened="light" in held)
    weights = dict(NAIVE)
    if "colours" in held:
        weights |= {"main": 0.3, "colours": 1.0}
    if "pattern" in held:
        weights["pattern"] = 0.8
    if "outline" in held:
        weights["outline"] = 1.0
    if "size" in held:
        weights["size"] = 0.5
    total = sum(weights.values())
    score = sum(float(getattr(made, group)) * w for group, w in weights.items()) / total
    if "container" in held and seen.plain.area_px > LARGER * goal.plain.area_px:
        return 0.9 * made.part if made.part > 0.6 else 0.5 * score
    return score


def _point(scores: dict[int, float], said: list[Pointer], target: str, scene: str) -> None:
    """Suggestions about entities: exclude, or prefer."""
    for pointer in said:
        if pointer.entity not in scores or pointer.scene != scene:
            continue
        if pointer.target and pointer.target != target:
            continue
        scores[pointer.entity] += 1.0 if pointer.meant else -2.0


def _said(seen: Sight, held: frozenset[str]) -> str:
    """What it notices: the main colour, and what else it attends to."""
    words = [" and ".join(seen.colours[:3]) if "colours" in held else seen.colours[0]]
    if "pattern" in held:
        words.append(seen.said.pattern.word)
    if "outline" in held:
        words.append(seen.said.outline.word)
    if "size" in held:
        words.append(f"{seen.said.holes} holes, {seen.said.length_px:.0f} pixels long")
    return ", ".join(words)


def _words(candidates: list[EntityLine], number: int) -> str:
    return next(entity.words for entity in candidates if entity.number == number)


def _groups(held: frozenset[str]) -> str:
    names = {
        "colours": "all its colours",
        "pattern": "pattern",
        "outline": "outline",
        "size": "size",
    }
    found = [word for rule, word in names.items() if rule in held]
    return ", ".join(found) or "its colour"
