"""Evidence for the rules about doors: opening before putting in, opening to take out."""

from __future__ import annotations

from journeyman.models.standin.clauses import Text
from journeyman.models.standin.events import Event
from journeyman.models.standin.evidence import (
    Votes,
    is_shut,
    order,
    pairs,
    says,
    treats,
    verb_is,
    verdict,
)

_TAKES_IN = ("fit", "enter", "accept", "receive", "admit", "reject", "refuse")


def goes_in(event: Event) -> bool:
    if event.verb == "PUT" or (event.verb == "LIE" and event.has(*_TAKES_IN)):
        on_top = event.has("SURFACE", "IN VESSEL") and not event.has("CONTAINER")
        return not (on_top or event.has("SINK", "LAMP"))
    return False


_TREATERS = ("MICROWAVE", "FRIDGE")


def open_before_put(text: Text) -> Votes:
    def opens(e: Event) -> bool:
        return e.verb == "OPEN" and not e.has("laptop", "book", "window")

    for pair in pairs(text, opens, goes_in):
        if pair.between("TAKE", "CLOSE", "CUT"):
            continue
        cycle = any(e.verb in {"CLOSE", "ON"} for e in text.events[pair.j + 1 : pair.j + 3])
        if not (cycle and (pair.a.has(*_TREATERS) or pair.b.has(*_TREATERS))):
            yield order(pair)
    for event in text.events:
        if goes_in(event) and is_shut(text, event) and not event.has("MICROWAVE"):
            near = {e.verb for e in text.events if e.sentence == event.sentence}
            if not near & {"TAKE", "SEE", "HEAT", "COOL"}:
                yield max(verdict(text.sentences[event.sentence], event), 0)
    for number, sentence in enumerate(text.sentences):
        verbs = {e.verb for e in text.events if e.sentence == number and not e.polarity}
        words = sentence.concepts
        if "between" in words and {"OPEN", "PUT"} <= verbs:
            yield 1
        events = [e for e in text.events if e.sentence == number]
        opened = any(e.has("OPENED") for e in events) and any(e.verb == "PUT" for e in events)
        if opened and not words & {"SURFACE", "no"}:
            needs = words & {"need", "require", "take", "only"}
            yield int(bool(needs) or ("without" in words and sentence.bad))


def open_to_take(text: Text) -> Votes:
    def sees(e: Event) -> bool:
        return e.verb in {"TAKE", "SEE"} and not e.has("SINK", "KNIFE", "LAMP", "AGAIN", "TREATED")

    def takes(e: Event) -> bool:
        return sees(e) and e.verb == "TAKE" and not e.has("SURFACE", "NEAR", "top")

    for pair in pairs(text, verb_is("OPEN"), takes):
        treated = any(treats(e) for e in text.events[max(0, pair.i - 5) : pair.i])
        closes = any(e.verb == "CLOSE" and not e.state for e in text.events[: pair.i])
        if not treated and not closes and not pair.between("PUT", "CLOSE"):
            yield order(pair)
    for number, sentence in enumerate(text.sentences):
        words = sentence.concepts
        shut = any(
            e.verb == "OPEN" and e.polarity == "omit" and e.sentence == number for e in text.events
        )
        if shut and sentence.bad and words & {"TAKE", "SEE", "reach"} and "PUT" not in words:
            yield 1
    for pair in pairs(text, verb_is("OPEN"), verb_is("GO", "SEE")):
        if pair.a.polarity == "no":
            yield -1
    for event in text.events:
        inside = event.has("in", "inside", "from", "out", "behind", "through", "THING", "FOOD")
        through = inside or not event.has("CONTAINER")
        elsewhere = says(text, event, "HEAT", "COOL", "MICROWAVE", "PUT")
        if sees(event) and is_shut(text, event) and through and not elsewhere:
            yield max(verdict(text.sentences[event.sentence], event), 0)
