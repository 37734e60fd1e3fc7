"""Texts to ordered events: what is done to what, in which order, meant how.

This is the stand-in's grammar. A text becomes a list of `Event` in the order in which they are to
happen ("A before B", "B after A", "not B until A" all give A, B), each with the concepts that it
is about and its polarity. `reading` holds what follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from journeyman.models.standin.events import VERBS, Event, events_of
from journeyman.models.standin.polarity import dismissed, is_bad, negation
from journeyman.models.standin.segments import Segment, Word, segments_of, words_of
from journeyman.models.standin.words import FINE, tokens, word_set

_SENTENCE = re.compile(r"[.;!?\n]+|(?<=\s)[0-9]+[.)]\s")
_QUESTION = re.compile(r"[^.;:!?\n]*\?")
_DEVICES = ("LAMP", "FAUCET", "MICROWAVE", "FRIDGE", "CONTAINER", "VESSEL", "SINK")
_PLACES = ("SINK", "MICROWAVE", "FRIDGE", "CONTAINER", "SURFACE", "VESSEL", "PLACE", "LAMP")
_SUBORDINATE = word_set("before after until while because without")


@dataclass
class Sentence:
    """Facts of a whole sentence.

    Attributes:
        concepts: Concepts and lemmas of all its words.
        lemmas: Its words in order.
        bad: Whether it tells of a bad end.
        fine: Whether it calls something fine.
        told: Whether it tells what a robot did.
        condemned: Segment up to which a gerund subject is condemned ("putting it there is a
            mistake"), or -1.
    """

    concepts: set[str] = field(default_factory=set)
    lemmas: list[str] = field(default_factory=list)
    bad: bool = False
    fine: bool = False
    told: bool = False
    condemned: int = -1


@dataclass
class Text:
    events: list[Event]
    sentences: list[Sentence]


def parse(text: str) -> Text:
    """The events of ``text`` in the order of happening, and the facts of its sentences."""
    events: list[Event] = []
    sentences: list[Sentence] = []
    for part in _SENTENCE.split(_QUESTION.sub(" ", text)):
        words = words_of(tokens(part))
        if not words:
            continue
        found, sentence = _sentence(words)
        for event in found:
            event.sentence = len(sentences)
        events += found
        sentences.append(sentence)
    _resolve(events)
    return Text(events, sentences)


def _sentence(words: Sequence[Word]) -> tuple[list[Event], Sentence]:
    sentence = Sentence(lemmas=[word.lemma for word in words])
    sentence.concepts.update(sentence.lemmas, *(word.concepts for word in words))
    sentence.told = bool({"robot", "agent"} & sentence.concepts)
    segments = segments_of(words)
    groups: list[list[Event]] = []
    subject: set[str] = set()
    for number, segment in enumerate(segments):
        first = segment.words[0]
        shut = [w for w in segment.words if w.raw in {"closed", "shut"} and (w.noun or w is first)]
        if shut:
            sentence.concepts.add("CLOSED")
        found = events_of(segment)
        if found and segment.lead in {"and", ",", "then"}:
            found[0].about |= subject
        subject = set() if found else {c for w in segment.words for c in w.concepts} - VERBS
        _judge(segment, found, sentence, number)
        for event in found:
            event.segment, event.lead = number, segment.lead
        groups.append(found)
    if dismissed(sentence.lemmas):
        for event in (event for group in groups for event in group):
            event.polarity = "unneeded"
    return _ordered(segments, groups), sentence


def _judge(segment: Segment, events: Sequence[Event], sentence: Sentence, number: int) -> None:
    """Set the polarity of the segment's events and the sentence's verdicts."""
    lemmas = [word.lemma for word in segment.words]
    raws = [word.raw for word in segment.words]
    kind, at = negation(lemmas, raws)
    if segment.lead == "without":
        kind, at = "omit", -1
    elif segment.lead == "instead":
        kind, at = ("omit" if sentence.told else "no"), -1
    if is_bad(lemmas, raws, kind, segment.lead):
        sentence.bad = True
        if segment.lead != "else" and sentence.condemned < 0 and (number or events):
            sentence.condemned = number
    if set(lemmas) & FINE:
        sentence.fine = kind == "" or sentence.fine
    should = "should" in lemmas and "have" in lemmas[lemmas.index("should") :]
    if should or ("had" in raws and raws[raws.index("had") + 1 :][:1] == ["to"]):
        for event in events:
            event.needed = True
    if segment.lead == "so" and not kind:
        for event in events:
            event.needed = (
                event.needed or raws[min(event.index, len(raws) - 1)] == event.verb.lower()
            )
    if kind and events:
        doing = [event for event in events if event.index > at and not event.state]
        (doing or events[-1:])[0].polarity = kind


def _resolve(events: Sequence[Event]) -> None:
    """What "it" and a missing place stand for, from the events before."""
    for index, event in enumerate(events):
        earlier = events[max(0, index - 3) : index][::-1]
        if event.verb in {"ON", "OFF", "OPEN", "CLOSE"} and not event.has(*_DEVICES):
            near = [*earlier, *(e for e in events if e.sentence == event.sentence)]
            known = next((e.about for e in near if e.has(*_DEVICES)), set())
            event.about |= known & set(_DEVICES)
        elif event.verb == "GO" and event.has("it") and not event.has(*_PLACES):
            known = next((e.about for e in earlier if e.has("PLACE")), set())
            event.about |= known & {"PLACE"}
        elif event.verb in {"PUT", "LIE"} and not event.has(*_PLACES):
            for other in earlier:
                if other.verb in {"GO", "OPEN"} and other.has(*_PLACES):
                    event.about |= other.about & set(_PLACES)
                if other.verb != "OPEN":
                    break


def _ordered(segments: Sequence[Segment], groups: Sequence[list[Event]]) -> list[Event]:
    """Textual order to order of happening."""
    order: list[list[Event]] = []
    first: list[Event] = []
    last: list[Event] = []
    waiting: list[Event] = []
    opening = ""
    recent: list[Event] = []

    def put_before_recent(group: list[Event]) -> None:
        at = next(i for i, other in enumerate(order) if other is recent)
        order.insert(at, group)

    for segment, group in zip(segments, groups, strict=True):
        lead = segment.lead
        known = any(other is recent for other in order)
        if not group:
            if lead == "before" and known and len(recent) > 1:
                recent.reverse()  # "the put needs an opening before it"
            continue
        if lead == "goal":
            last += group
            continue
        if any(e.has("FIRST") for e in group) and lead not in _SUBORDINATE:
            first += group
            continue
        if lead in {"before", "until"} and not order and not waiting:
            waiting, opening = group[:1], lead
            order += [group[1:]] if len(group) > 1 else []
        elif lead == "and" and waiting and not order:
            waiting += group
        elif lead in {"until", "before"} and known and _negated(recent):
            _defer(recent)
            put_before_recent(group)
        elif known and (
            lead in {"after", "while", "with", "because", "without"}
            or (lead == "until" and any(e.has("wait") for e in recent))
        ):
            put_before_recent(group)
        else:
            order.append(group)
        recent = group
    if waiting:
        if order and opening == "until" and _negated(order[-1]):
            _defer(order[-1])
            order.insert(0, waiting)
        else:
            order.append(waiting)
    return [*first, *(event for group in order for event in group), *last]


def _negated(group: Iterable[Event]) -> bool:
    return any(event.polarity in {"no", "cant"} for event in group)


def _defer(group: Iterable[Event]) -> None:
    """B of "not A until B", "never A before B" is required; A is not forbidden."""
    for event in group:
        if event.polarity in {"no", "cant"}:
            event.polarity = ""
            event.deferred = True
