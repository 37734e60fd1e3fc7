"""The consolidator's reply: each reflection item against the pool, by comparing texts.

By topic (what `stances` finds in a text), else by shared words: said already, refined, contradicted
or new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from journeyman.models.standin.clauses import parse
from journeyman.models.standin.events import Event
from journeyman.models.standin.prompts import Entry, entries_of, items_of
from journeyman.models.standin.reading import stances
from journeyman.models.standin.words import CONCEPTS, lemmas, word_set

SAME_WORDS = 0.6
"""Share of words in common from which two texts without a known topic say the same."""
MOSTLY = 0.6
"""Share of the points of the shorter text from which two texts are about the same."""
NEARLY_SAME_WORDS = 0.85
"""From here on they say the same, whatever the topic."""
MORE_POINTS, MORE_WORDS = 3, 1.5
"""A text on the same topic refines another if it has so many points that the other lacks, and is
so many times as long."""
STEPS, MANY_STEPS = "repeatable_steps", 7
LONGEST = 400
"""Characters up to which a strategy grows by revision."""

_COMMON = word_set(
    "the a an it is be to of and or in on at for with that this then you i they its as by from so"
    " when if was were are not no do does did have has one thing object item robot"
)

Operation = dict[str, str]


def consolidate_reply(sections: Mapping[str, str]) -> dict[str, Any]:
    """Operations that bring the pool up to date with the reflection."""
    pool = entries_of(sections.get("Strategy pool", ""))
    items = _joined(items_of(sections.get("Reflection", "")))
    operations: list[Operation] = []
    removed: set[str] = set()
    revised: set[str] = set()
    for item in items:
        opposed = [e for e in pool if e.alias not in removed and _contradicts(item, e)]
        for entry in opposed:
            removed.add(entry.alias)
            operations.append(
                {"op": "remove", "alias": entry.alias, "reason": "The last task showed otherwise."}
            )
        living = [e for e in pool if e.alias not in removed]
        if any(_says_already(e, item) for e in living):
            continue
        refined = next((e for e in living if e.alias not in revised and _refines(item, e)), None)
        if refined is not None:
            revised.add(refined.alias)
            operations.append(_revision(refined, item))
        else:
            operations.append(_addition(item))
    return {"operations": operations}


def _joined(items: Sequence[Entry]) -> list[Entry]:
    """Items of one reflection on one topic become one: cause and guideline belong together."""
    kept: list[Entry] = []
    for item in items:
        topic = _topic(item)
        index = next(
            (
                i
                for i, k in enumerate(kept)
                if topic and _topic(k) == topic and not _is_order(k) and not _is_order(item)
            ),
            None,
        )
        if index is None:
            kept.append(item)
            continue
        first = kept[index]
        text = _together(first.text, item.text)
        kept[index] = Entry(
            "", item.kind, item.title or first.title, first.applies_when or item.applies_when, text
        )
    return kept


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in lemmas(text) if word.isalpha()) - _COMMON


_VAGUE = frozenset({"THING", "FOOD", "IT", "INSTANCE", "ONE", "HERE", "SAME", "DIRECT", "FIRST"})


@lru_cache(maxsize=4096)
def _points(text: str) -> frozenset[str]:
    """What a text is made of: a concept for each word that has one, else the word."""
    points = set()
    for word in _words(text):
        concepts = CONCEPTS.get(word, frozenset())
        telling = sorted(concepts - _VAGUE)
        if telling or not concepts:
            points.add(telling[0] if telling else word)
    return frozenset(points)


def _alike(one: str, other: str) -> float:
    """Share of words in common (Jaccard)."""
    a, b = _words(one), _words(other)
    return len(a & b) / len(a | b) if a | b else 1.0


def _topic(entry: Entry) -> frozenset[tuple[str, int]]:
    return _topic_of(entry.whole)


@lru_cache(maxsize=4096)
def _topic_of(text: str) -> frozenset[tuple[str, int]]:
    return frozenset(stances(text).items())


def _akin(item: Entry, entry: Entry) -> bool:
    """Whether two texts, of which at most one has a known topic, share most of their points."""
    if _topic(item) and _topic(entry):
        return False
    a, b = _points(item.text), _points(entry.text)
    return bool(a and b) and len(a & b) >= MOSTLY * min(len(a), len(b))


@lru_cache(maxsize=4096)
def _events(text: str) -> tuple[Event, ...]:
    return tuple(parse(text).events)


def _negative(text: str) -> bool:
    """Whether a text forbids, or calls needless or impossible, what it is about."""
    return any(event.polarity in {"no", "unneeded", "cant"} for event in _events(text))


def _contradicts(item: Entry, entry: Entry) -> bool:
    new, old = stances(item.whole), stances(entry.whole)
    if any(rule in old and old[rule] != stance for rule, stance in new.items()):
        return True
    return _akin(item, entry) and _negative(item.text) != _negative(entry.text)


def _says_already(entry: Entry, item: Entry) -> bool:
    """Whether the pool's entry holds all that the item says."""
    if _alike(entry.text, item.text) >= NEARLY_SAME_WORDS:
        return True
    new, old = _topic(item), _topic(entry)
    same = new <= old if new else not old and _alike(entry.whole, item.whole) >= SAME_WORDS
    return (same or _akin(item, entry)) and not _says_more(item, entry)


def _is_order(entry: Entry) -> bool:
    """Whether a text is an order of steps rather than a rule."""
    return entry.kind == STEPS or len(_events(entry.text)) >= MANY_STEPS


def _says_more(item: Entry, entry: Entry) -> bool:
    further = _points(item.text) - _points(entry.text)
    longer = len(item.text.split()) >= MORE_WORDS * len(entry.text.split())
    return longer and len(further) >= MORE_POINTS


def _refines(item: Entry, entry: Entry) -> bool:
    """Whether the item says more about what the entry is about."""
    if len(entry.text) > LONGEST or (_is_order(item) and not _is_order(entry)):
        return False  # an order of steps does not replace a rule
    new, old = _topic(item), _topic(entry)
    return bool(new and old and (old <= new or new <= old)) or _akin(item, entry)


def _together(first: str, second: str) -> str:
    """Both texts; the second alone where it holds the first or where both are too long."""
    covered = len(_points(first) & _points(second)) >= NEARLY_SAME_WORDS * len(_points(first))
    if covered or len(first) + len(second) > LONGEST:
        return second
    return f"{first} {second}"


def _revision(entry: Entry, item: Entry) -> Operation:
    return {
        "op": "revise",
        "alias": entry.alias,
        "title": entry.title or item.title,
        "applies_when": entry.applies_when or item.applies_when,
        "text": _together(entry.text, item.text),
    }


def _addition(item: Entry) -> Operation:
    operation = {
        "op": "add",
        "title": item.title,
        "applies_when": item.applies_when,
        "text": item.text,
    }
    if item.kind:
        operation["kind"] = item.kind
    return operation
