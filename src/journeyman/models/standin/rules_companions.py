"""Evidence for the rules about vessels, second instances and slices."""

from __future__ import annotations

from itertools import pairwise

from journeyman.models.standin.clauses import Text
from journeyman.models.standin.events import Event
from journeyman.models.standin.evidence import (
    Pair,
    Votes,
    breach,
    is_put,
    mentions,
    order,
    pairs,
    says,
    verb_is,
    verdict,
)
from journeyman.models.standin.words import word_set


def stack_then_carry(text: Text) -> Votes:
    def into(e: Event) -> bool:
        return (is_put(e) or (e.verb == "HIDE" and e.has("VESSEL"))) and (
            e.has("IN VESSEL", "IN IT", "IN CONTAINER", "inside", "in", "into")
            or (e.has("load", "fill", "contain") and e.has("VESSEL"))
        )

    def carries(e: Event) -> bool:
        return (
            e.verb in {"TAKE", "CARRY"}
            and (e.has("VESSEL", "CONTAINER") or (e.has("it") and not e.has("THING")))
        ) or (e.verb in {"LEAVE", "GO"} and e.has("VESSEL") and e.lead in {"before", "while"})

    for pair in pairs(text, into, carries):
        fixed = pair.a.has("CONTAINER", "SINK", "MICROWAVE", "FRIDGE") and not pair.a.has(
            "IN VESSEL"
        )
        vessel = pair.says("VESSEL") or pair.b.has("movable")
        if (not fixed or pair.a.has("movable") or pair.b.has("CONTAINER")) and (
            vessel or pair.b.has("CONTAINER")
        ):
            sign = order(pair)
            carried_first = pair.backward and not sign and pair.b.verb == "CARRY"
            yield -1 if carried_first and not pair.a.polarity else sign
    for number, sentence in enumerate(text.sentences):
        events = [e for e in text.events if e.sentence == number]
        apart = sentence.concepts & {"SEPARATE", "EMPTY"} or "one by one" in " ".join(
            sentence.lemmas
        )
        if apart and {"inside"} <= sentence.concepts and sentence.concepts & {"other", "another"}:
            yield int(sentence.bad)
        if apart and sentence.concepts & {"VESSEL", "CONTAINER", "them", "both"}:
            for event in events:
                if event.verb == "CARRY":
                    yield verdict(sentence, event)


_TWO = ("two", "second", "both", "twice", "pair", "already", "_2")
_OTHER = word_set(
    "another different other distinct separate further new numbered remaining own fresh remain"
)


def second_instance(text: Text) -> Votes:
    for sentence in text.sentences:
        words = sentence.concepts
        if {"again", "another", "THING"} <= words and words & {"not", "never", "no"}:
            yield int(not words & {"SURFACE", "CONTAINER", "HAND", "CUT"})
    if not mentions(text, *_TWO):
        return
    for event in text.events:
        if event.verb not in {"TAKE", "GO", "CARRY"} or event.has("next"):
            continue
        if text.sentences[event.sentence].bad and says(text, event, "if"):
            continue  # a way out when the first one cannot be had
        held = says(text, event, "HAND", "HOLD") and not says(text, event, "instance", "copy")
        if _another(event) and not held:
            yield 1 if event.polarity in {"", "omit"} else -1
        same = event.has("SAME") and event.has("THING", "ONE", "already", "INSTANCE")
        if same and event.lead != "instead" and not _another(event):
            sentence = text.sentences[event.sentence]
            short = {"simply", "only"} & sentence.concepts and (
                event.has("be") or "half" in sentence.concepts
            )
            warned = sentence.told or bool(short)
            yield 1 if warned else verdict(sentence, event) or -1
    for number, sentence in enumerate(text.sentences):
        words = sentence.concepts
        denied = any(e.polarity in {"no", "unneeded"} for e in text.events if e.sentence == number)
        if words & {*_TWO} and words & _OTHER and words & {"copy", "instance", "specimen"}:
            yield int(not denied and not words & {"SURFACE", "matter"})
        negative = bool(words & {"not", "never", "no"})
        if "second" in words and words & {"already", "reuse"} and words & {"one", "instance"}:
            yield int(negative)
        if {"both", "same"} <= words and words & {"count", "only"}:
            yield int(not denied)
        fetched = words & {"TAKE", "CARRY", "GO"}
        if {"one", "other"} <= words and fetched and words & {"two", "both", "pair", "once"}:
            yield int(not denied and not words & {"SURFACE", "CONTAINER", "HAND", "VESSEL"})
        if "_2" in words and words & {"second", "name", "two"}:
            yield int(not denied)
        if words & {"twin", "counterpart", "duplicate", "numbered", "number", "suffix"}:
            yield int(not denied and not words & {"SURFACE", "CONTAINER", "matter"})


def _another(event: Event) -> bool:
    """Whether the event is about another instance, not another place or tool."""
    if event.has("_2"):
        return True
    if event.has("same"):
        return False
    if event.has("second") and event.has("INSTANCE") and not event.has("ONE", "one"):
        return True
    return (
        event.has("ANOTHER")
        and not event.has("KNIFE", "TOOL", "HAND")
        and (
            event.has("INSTANCE", "THING", "VESSEL", "FOOD", "ONE")
            or not event.has("SURFACE", "CONTAINER", "PLACE")
        )
    )


def slice_then_pick(text: Text) -> Votes:
    def piece(e: Event) -> bool:
        return e.verb == "TAKE" and e.has("PIECE", "HERE") and not e.has("KNIFE", "WHOLE")

    for lies, taken in pairwise(text.events):
        found = lies.has("PIECE") and lies.verb == "LIE" and taken.verb == "TAKE"
        if found and taken.has("one", "it") and mentions(text, "CUT"):
            yield int(not taken.polarity)

    def whole(e: Event) -> bool:
        return e.verb in {"GO", "TAKE"} and e.has("WHOLE", "original")

    for pair in pairs(text, verb_is("CUT"), piece):
        perfect = {"have", "be"} <= set(text.sentences[pair.a.sentence].lemmas)
        if not pair.backward:
            yield -1 if pair.b.polarity == "no" else order(pair)
        elif pair.b.has("HERE") or (perfect and pair.a.lead != "before"):
            yield order(Pair(text, pair.i, pair.j))
    for pair in pairs(text, verb_is("CUT"), whole):
        if not pair.backward:
            yield 1 if pair.sentence.told else breach(pair) or -1
    verbs = [(e.verb, e.has("KNIFE")) for e in text.events if not e.polarity]
    for i, (verb, _) in enumerate(verbs):
        after = verbs[i + 1 : i + 4]
        if verb == "CUT" and ("PUT", True) in after and ("TAKE", False) in after:
            yield int(after.index(("PUT", True)) < after.index(("TAKE", False)))

    def knife_away(e: Event) -> bool:
        return e.verb == "PUT" and e.has("KNIFE", "it")

    for pair in pairs(text, knife_away, piece):
        if pair.says("KNIFE") and not pair.backward:
            yield order(pair)
