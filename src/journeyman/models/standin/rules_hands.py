"""Evidence for the rules about what is in the hand and where it is put down."""

from __future__ import annotations

import itertools

from journeyman.models.standin.clauses import Sentence, Text
from journeyman.models.standin.events import Event
from journeyman.models.standin.evidence import (
    Votes,
    breach,
    lights,
    order,
    pairs,
    says,
    verb_is,
    verdict,
)
from journeyman.models.standin.words import CONCEPTS


def one_at_a_time(text: Text) -> Votes:
    more = ("SECOND", "ANOTHER", "anything", "something", "else", "other", "more")
    for pair in pairs(text, verb_is("FREE"), verb_is("TAKE")):
        if not pair.says("TREATED"):
            yield order(pair)
    for pair in pairs(text, verb_is("PUT", "CARRY"), verb_is("TAKE")):
        a, b = pair.a, pair.b
        if pair.between("CUT") or (a.has("IN VESSEL") and b.has("VESSEL")):
            continue
        cut = any(e.verb == "CUT" for e in text.events[: pair.j])
        piece = (cut or b.has("HERE")) and not b.has(*more)
        held = a.has("KNIFE", "hold", "current", "what") or says(text, a, "HOLD")
        urged = "before" in {a.lead, b.lead} or a.has("HAND") or b.has("HAND")
        urged = urged or a.lead == "without"
        if not piece:
            urged = urged or a.needed or b.deferred or "only" in text.sentences[b.sentence].lemmas
        if (held and not piece) or (urged and (held or b.has(*more) or a.has("release"))):
            yield order(pair)

    def busy(e: Event) -> bool:
        return e.verb == "HOLD" or (e.verb == "CARRY" and e.lead in {"while", "with"})

    for pair in pairs(text, busy, verb_is("TAKE")):
        if not pair.says("LAMP", "FAUCET", "TREATED"):
            yield breach(pair)
    for event in text.events:
        if event.verb not in {"HOLD", "CARRY", "TAKE", "LIE"}:
            continue
        crowd = event.has("two", "both", "several", "more")
        if event.verb == "TAKE" and event.has("HAND"):
            if event.has("FULL"):
                yield int(event.polarity == "cant")
            if event.has("EMPTY") and says(text, event, "need", "require", "must", "only"):
                yield int(event.polarity == "")
        if event.verb == "TAKE" and crowd and event.has("ALONG"):
            yield max(verdict(text.sentences[event.sentence], event), 0)
        if (event.verb == "HOLD" or event.has("HAND")) and crowd:
            yield 1 if event.polarity else -1
        many = text.sentences[event.sentence].concepts & {"together", "both", "two", "ALONG"}
        if event.verb in {"HOLD", "CARRY"} and many and event.polarity in {"cant", "no"}:
            yield int(not says(text, event, "VESSEL", "separately", "apart"))
    for number, sentence in enumerate(text.sentences):
        words = sentence.concepts
        picks = words & {"TAKE", "other", "another", "something", "HOLD", "PUT"}
        if {"HAND", "FULL"} <= words and picks:
            yield int(sentence.bad)
        if (
            {"HAND", "EMPTY"} <= words
            and "TAKE" in words
            and words & {"ensure", "valid", "must", "need", "require"}
        ):
            yield int(not any(e.polarity for e in text.events if e.sentence == number))
        if any(f"{limit} one hand" in " ".join(sentence.lemmas) for limit in ("only", "just")) or (
            "HAND" in words and words & {"two", "both"} and words & {"share", "fit", "room"}
        ):
            yield int(sentence.bad or bool(words & {"never", "not", "only", "no", "just"}))
        if _single(sentence) and sentence.concepts & {"HAND", "HOLD", "CARRY", "TAKE"}:
            denied = any(e.polarity for e in text.events if e.sentence == number)
            yield 0 if denied else 1


def _single(sentence: Sentence) -> bool:
    """Whether it says "one thing", with a word that makes it a limit."""
    lemmas = sentence.lemmas
    limits = {"time", "per", "only", "single", "just", "room", "exactly", "more", "most"}
    one = any(
        word in {"one", "single"} and CONCEPTS.get(after, frozenset()) & {"THING"}
        for word, after in itertools.pairwise(lemmas)
    )
    return (one and bool(limits & set(lemmas))) or "one at a time" in " ".join(lemmas)


_DISTURBED = ("between", "intervene", "interrupt", "interruption", "meanwhile")


_NEXT_TO = frozenset({"DIRECT", "preceding", "previous", "recent", "latest", "fresh"})


def find_before_put(text: Text) -> Votes:
    def reaches(e: Event) -> bool:
        return (e.verb == "GO" and e.has("PLACE", "SURFACE", "CONTAINER", "it")) or (
            e.has("PLACE")
            and ((e.verb == "CARRY" and e.has("to")) or (e.verb == "LIE" and e.has("front", "at")))
        )

    for pair in pairs(text, reaches, verb_is("PUT"), 2):
        a, b = pair.a, pair.b
        urged = b.lead == "before" or a.has("DIRECT", "AGAIN") or a.polarity == "omit"
        urged = urged or b.has("DIRECT", "delay", "once")
        if a.has("it") and not a.has("PLACE"):
            urged = b.lead == "before" and a.has("AGAIN") and pair.says("PLACE")
        if a.verb == "CARRY" and b.lead != "before":
            continue
        if a.verb == "LIE":
            yield int(not a.polarity and not b.polarity)
            continue
        follows = not pair.backward or a.polarity == "omit"
        near = not pair.says("between") and not pair.between("TAKE")
        if (a.has("PLACE") or urged) and near and follows:
            yield order(pair)
    for number, sentence in enumerate(text.sentences):
        events = [e for e in text.events if e.sentence == number]
        words = sentence.concepts
        verbs = {e.verb for e in events}
        free = not any(e.polarity in {"no", "unneeded"} for e in events)
        visits = words & {
            "find",
            "go",
            "visit",
            "approach",
            "navigate",
            "reach",
            "locate",
            "search",
        }
        places = words & {"PLACE", "SURFACE", "CONTAINER", "recent"}
        if visits and places and "PUT" in words and words & _NEXT_TO and "TAKE" not in words:
            quiet = "GO" not in verbs or "recent" in words
            yield int(free and "between" not in words and quiet)
        if {"GO", "PUT"} <= verbs and {"DIRECT", "PLACE"} <= words and free:
            went = next(i for i, e in enumerate(events) if e.verb == "GO")
            put = max(i for i, e in enumerate(events) if e.verb == "PUT")
            yield int(went < put or not any(e.lead == "before" for e in events))
        other = words & {"other", "another", "any", "else", "later"}
        disturbed = words & {*_DISTURBED} or (other and words & {"action", "step", "do"})
        warned = (
            words & {"LOSE", "nothing", "no", "miss", "without", "AGAIN", "more"} or sentence.bad
        )
        warned = warned or any(e.polarity == "no" for e in events)
        if disturbed and warned and words & {"GO", "PLACE", "PUT"}:
            yield 1


def lamp_while_holding(text: Text) -> Votes:
    def holds(e: Event) -> bool:
        return e.verb in {"HOLD", "TAKE", "CARRY"} and not e.has("KNIFE")

    for pair in pairs(text, holds, lights):
        low, high = sorted((pair.i, pair.j))
        put = any(e.verb == "PUT" and e.polarity == "" for e in text.events[low + 1 : high])
        if not put and not (pair.a.has("LAMP") and not pair.a.has("THING", "IT", "to")):
            yield order(pair)
    for pair in pairs(text, verb_is("PUT"), lights):
        if pair.backward:
            yield int(pair.a.deferred)
        else:
            yield 1 if pair.a.polarity == "no" else breach(pair)
    for pair in pairs(text, verb_is("FREE", "LIE"), lights):
        if pair.a.verb == "FREE" or pair.a.has("SURFACE"):
            yield max(breach(pair), 0)
    for event in text.events:
        if event.verb == "PUT" and event.has("LAMP") and event.polarity in {"no", "cant"}:
            yield 1
