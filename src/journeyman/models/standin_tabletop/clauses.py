"""Texts to clauses: which concepts a clause has, and whether it is meant or turned around.

"X, not Y", "X rather than Y" and "X instead of Y" give a clause that is meant and one that is not;
"not only Y but X" gives two that are meant; "do not ignore X" is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from journeyman.models.standin_tabletop.words import (
    CONCEPTS,
    INVERTERS,
    LIMITS,
    NEGATIONS,
    lemma,
    tokens,
)

_SENTENCE = re.compile(r"[.;!\n]+(?:\s|$)|[;!?\n]")
_QUESTION = re.compile(r"[^.;!?\n]*\?")
_AMOUNTS = frozenset({"no", "nothing"})
_BREAKS = frozenset(
    {"but", "while", "whereas", "although", "though", "because"}
    | {"since", "so", "as", "and", "if", "when"}
)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence.

    Attributes:
        words: Its base forms in order.
        concepts: What they stand for.
        meant: False where it is negated or dismissed; twice negated is meant.
        limited: Whether a negation only says that something is not enough ("not only").
        lead: The word that it begins after, or empty.
    """

    words: tuple[str, ...]
    concepts: frozenset[str]
    meant: bool
    limited: bool = False
    lead: str = ""

    def has(self, *concepts: str) -> bool:
        return bool(self.concepts & set(concepts))

    def says(self, *words: str) -> bool:
        return bool(set(words) & set(self.words))


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[tuple[Clause, ...], ...]:
    """The clauses of each sentence; questions say nothing."""
    parts = _SENTENCE.split(_QUESTION.sub(" ", text))
    found = [_clauses([lemma(token) for token in tokens(part)]) for part in parts]
    return tuple(clauses for clauses in found if clauses)


def _clauses(words: list[str]) -> tuple[Clause, ...]:
    cut: list[tuple[str, list[str]]] = [("", [])]
    index = 0
    while index < len(words):
        word, after = words[index], words[index + 1 : index + 2]
        if word in {",", ":", "(", ")", "--"}:
            cut.append((",", []))
        elif word in _BREAKS and _verb_follows(word, words[index + 1 :]):
            cut.append((word, []))
        elif (word == "rather" and after == ["than"]) or (word == "instead" and after == ["of"]):
            cut.append(("instead", []))
            index += 1
        elif word == "not" and cut[-1][1] and _contrast(words, index):
            cut.append(("instead", []))
        else:
            cut[-1][1].append(word)
        index += 1
    made: list[Clause] = []
    for lead, part in cut:
        if part:
            inherited = made[-1] if made else None
            made.append(_clause(lead, part, inherited))
    return tuple(made)


def _verb_follows(word: str, rest: list[str]) -> bool:
    """``and`` and ``as`` break only before what can be a clause of its own."""
    if word not in {"and", "as"}:
        return True
    near = rest[:2]
    return bool(set(near) & (NEGATIONS | INVERTERS)) or any(
        CONCEPTS.get(w, frozenset()) & {"ATTEND", "PICK", "PUT", "MOVE", "RESTORE"}
        for w in near[:1]
    )


def _contrast(words: list[str], index: int) -> bool:
    """Whether "not" opposes what follows to what went before ("the pattern, not the colour")."""
    before = words[index - 1]
    if before in {"do", "be", "can", "will", "must", "should", "may", "need", "have", "shall"}:
        return False
    return words[index + 1 : index + 2] not in (["forget"], ["fail"], ["ignore"])


def _clause(lead: str, words: list[str], before: Clause | None) -> Clause:
    concepts: set[str] = set()
    for word in words:
        concepts |= CONCEPTS.get(word, frozenset())
    negations = [i for i, word in enumerate(words) if word in NEGATIONS and not _amount(words, i)]
    limited = bool(negations or lead == "instead") and bool(set(words) & LIMITS)
    turned = len(negations) + sum(word in INVERTERS for word in words) + (lead == "instead")
    if limited:
        turned -= 1
    if lead == "instead" and before is not None:
        concepts |= before.concepts & {"ATTEND", "PICK", "PUT", "MOVE"}
    return Clause(tuple(words), frozenset(concepts), turned % 2 == 0, limited, lead)


def _amount(words: list[str], index: int) -> bool:
    """``no`` and ``nothing`` that turn nothing around: "no longer", "nothing else", "no matter"."""
    after = words[index + 1 : index + 2]
    return words[index] in _AMOUNTS and after in (["longer"], ["else"], ["matter"])
