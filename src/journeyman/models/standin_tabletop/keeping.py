"""What enters long-term memory: the generality gate, and consolidation by comparing texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from journeyman.models.standin_tabletop.prompts import field, items
from journeyman.models.standin_tabletop.reading import stances
from journeyman.models.standin_tabletop.seeking import COLOURS
from journeyman.models.standin_tabletop.words import lemma, tokens

_SPECIFIC = (
    (r"\bentit(?:y|ies) #?\d", "it names entity numbers"),
    (r"\[\s*-?\d|-?\d+\.\d+", "it names locations"),
    (r"\{[\w/]+\}|\.png\b|\bpicture \d", "it names pictures"),
    (r"\b\d+ ?(?:degrees|\u00b0)", "it names an angle of this task"),
)
ALIKE = 0.6
"""Two texts that share so much of their words say the same."""
_DULL = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "it",
        "its",
        "be",
        "is",
        "that",
        "what",
        "where",
        "when",
        "and",
        "or",
        "as",
        "with",
        "by",
        "for",
        "from",
        "this",
        "you",
        "your",
        "one",
        "them",
        "they",
        "their",
        "have",
        "do",
        "not",
        "no",
        "never",
        "only",
    ]
)


def gate_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """General or not, candidate by candidate."""
    instruction = field(parts.get("Task", ""), "Instruction").lower()
    own = {word for word in re.findall(r"[a-z]+", instruction) if word in COLOURS}
    ratings = []
    for alias, text in items(parts.get("Candidates", "")):
        reason = _specific(text, instruction, own)
        ratings.append(
            {"candidate": alias, "general": not reason, "reason": reason or "It holds elsewhere."}
        )
    return {"ratings": ratings}


def _specific(text: str, instruction: str, own: set[str]) -> str:
    for sign, why in _SPECIFIC:
        if re.search(sign, text, re.IGNORECASE):
            return f"Not general: {why}."
    if own & set(re.findall(r"[a-z]+", text.lower())):
        return "Not general: it names the colours of this task."
    if not stances(text) and len(_content(text)) < 4:
        return "It says nothing that could be done."
    if _overlap(text, instruction) > 0.8:
        return "Not general: it repeats the instruction."
    return ""


def optimize_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """New principles into memory: known ones need nothing, contradicted ones go."""
    memory = items(parts.get("Principles", ""))
    told = re.search(r"at most (\d+) principles", parts.get("Task description", ""))
    cap = int(told.group(1)) if told else 20
    operations: list[dict[str, str]] = []
    living = dict(memory)
    added: list[str] = []
    for _, text in items(parts.get("New principles", "")):
        said = dict(stances(text))
        for alias, kept in list(living.items()):
            if any(stances(kept).get(rule) == -stance for rule, stance in said.items()):
                operations.append(
                    {"op": "remove", "alias": alias, "reason": f"contradicted: {text}"}
                )
                del living[alias]
        if any(_says(kept, text, said) for kept in [*living.values(), *added]):
            continue
        if len(living) + len(added) >= cap:
            alias = _least_useful(living)
            operations.append({"op": "remove", "alias": alias, "reason": "the least useful"})
            del living[alias]
        added.append(text)
    operations += [{"op": "add", "text": text} for text in added]
    return {"operations": operations}


def _says(kept: str, text: str, said: Mapping[str, int]) -> bool:
    """Whether ``kept`` says all of ``text`` already."""
    if said:
        return all(stances(kept).get(rule) == stance for rule, stance in said.items())
    return _overlap(kept, text) >= ALIKE


def _least_useful(living: Mapping[str, str]) -> str:
    """An entry that says no rule, else one whose rules others say too, else the oldest."""
    count = Counter(rule for text in living.values() for rule in stances(text))
    return max(
        living,
        key=lambda alias: min((count[rule] for rule in stances(living[alias])), default=1000),
    )


def _content(text: str) -> set[str]:
    return {lemma(word) for word in tokens(text)} - _DULL


def _overlap(one: str, other: str) -> float:
    a, b = _content(one), _content(other)
    return len(a & b) / max(1, min(len(a), len(b)))


def select_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """The reply that most others agree with; of equals the first."""
    replies = _replies(parts.get("Replies", ""))
    marks = [_mark(reply) for reply in replies]
    best = max(range(len(marks)), key=lambda i: (marks.count(marks[i]), -i)) if marks else 0
    return {"best": best + 1, "reason": f"{marks.count(marks[best]) if marks else 0} agree."}


def critique_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """Where the replies disagree."""
    marks = Counter(_mark(reply) for reply in _replies(parts.get("Replies", "")))
    said = "; ".join(f"{count} say {mark}" for mark, count in marks.most_common())
    return {"critique": f"The replies disagree: {said}. The more frequent one is likelier right."}


def _replies(section: str) -> list[dict[str, Any]]:
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := section.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(section, at)
        except ValueError:
            at += 1
            continue
        if isinstance(value, dict):
            found.append(value)
        at = end
    return found


def _mark(reply: Mapping[str, Any]) -> str:
    return json.dumps(reply.get("entity", reply.get("actions", "")), sort_keys=True)
