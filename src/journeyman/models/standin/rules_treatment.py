"""Evidence for the rules about cleaning, heating and cooling, and taking back."""

from __future__ import annotations

from journeyman.models.standin.clauses import Text
from journeyman.models.standin.events import Event
from journeyman.models.standin.evidence import (
    Pair,
    Votes,
    breach,
    is_put,
    order,
    pairs,
    runs_faucet,
    runs_microwave,
    says,
    takes_up,
    treats,
    verb_is,
    verdict,
)


def sink_before_faucet(text: Text) -> Votes:
    def in_sink(e: Event) -> bool:
        return (is_put(e) or (e.verb == "LEAVE" and not e.polarity)) and e.has("SINK")

    for pair in pairs(text, in_sink, runs_faucet, 4):
        if not pair.between("TAKE"):
            yield order(pair)
    for pair in pairs(text, verb_is("HOLD", "CARRY"), runs_faucet):
        if pair.says("FAUCET") and pair.a.polarity != "omit":
            yield breach(pair)
    for event in text.events:
        if event.verb == "ON" and event.has("SINK") and event.has("EMPTY"):
            yield max(verdict(text.sentences[event.sentence], event), 0)
        reaches = says(text, event, "WASH", "reach", "clean", "work")
        alone = says(text, event, "only", "what", "has") and event.lead != "then"
        if in_sink(event) and reaches and alone and says(text, event, "FAUCET"):
            yield int(event.polarity == "")


def take_back(text: Text) -> Votes:
    homes = ("SINK", "MICROWAVE", "FRIDGE")

    def again(e: Event) -> bool:
        return takes_up(e) and not e.has("KNIFE", "ANOTHER") and not e.deferred

    for pair in pairs(text, treats, again, 4):
        if not pair.backward and not _then_closes(text, pair.j):
            yield -1 if pair.b.polarity == "no" else order(pair)
    for pair in pairs(text, treats, verb_is("LEAVE"), 4):
        stays = pair.b.has("in", "inside", "behind", "HERE", "it", "forget")
        if not pair.backward and stays and not pair.says("OPEN"):
            told = pair.b.has("behind", "forget") and pair.b.has("be", "robot", "forget")
            yield 1 if told or breach(pair) > 0 else -1
    for pair in pairs(text, verb_is("FREE"), verb_is("GO")):
        if pair.says("WASH", "HEAT", "COOL", "TREAT", "SINK", "TREATED"):
            yield 1
    for number, event in enumerate(text.events):
        before = text.events[:number]
        sentence = text.sentences[event.sentence]
        if event.verb == "TAKE" and event.has(*homes) and not event.deferred:
            treated = event.has("TREATED") or any(treats(e) or e.has("TREATED") for e in before)
            if event.has("AGAIN", "TREATED"):
                yield 1 if event.polarity in {"", "omit"} else -1
            if event.has("from", "out") and treated and not _then_closes(text, number):
                yield int(event.polarity == "")
        if event.verb == "TAKE" and event.polarity == "omit" and event.has("TREATED"):
            yield 1
        treated = any(e.has("TREATED") for e in text.events if e.sentence == event.sentence)
        if event.verb == "TAKE" and event.has("AGAIN") and treated:
            yield 1 if event.polarity == "" else -1
        if event.has("forget") and event.has(*homes) and treated:
            yield int("not" in sentence.lemmas or "never" in sentence.lemmas)
        if event.verb == "HOLD" and event.has("TREATED") and event.has("AGAIN"):
            yield 1
        left = event.verb == "LEAVE" and event.has("in", "inside", "behind")
        if event.verb == "GO" and event.has("HAND") and event.has("EMPTY"):
            yield int(any(treats(e) for e in before))
        warned = event.polarity == "no" or verdict(sentence, event) > 0
        if left and warned and event.has(*homes) and not says(text, event, "OPEN"):
            yield 1
        if (
            event.verb == "GO"
            and "without" in sentence.lemmas
            and (sentence.concepts & {"WASH", "HEAT", "COOL", "TREAT"})
        ):
            yield int(verdict(sentence, event) > 0 and bool(sentence.concepts & {"THING", "FOOD"}))


def _then_closes(text: Text, number: int) -> bool:
    """Whether the sentence goes on to a closing: then it is about the cooling itself."""
    sentence = text.events[number].sentence
    return any(e.verb == "CLOSE" and e.sentence == sentence for e in text.events[number + 1 :])


def heat_inside_closed(text: Text) -> Votes:
    hot = ("MICROWAVE", "HEAT")

    def shuts(e: Event) -> bool:
        return e.verb == "CLOSE" and not e.has("FRIDGE")

    def inside(e: Event) -> bool:
        return is_put(e) and e.has("in", "inside", "into", "MICROWAVE")

    def opened(e: Event) -> bool:
        return e.verb == "HOLD" or (e.verb == "OPEN" and e.state)

    for pair in pairs(text, shuts, runs_microwave):
        if pair.says(*hot):
            yield order(pair)
    left_open = any(
        (e.verb == "CLOSE" and e.polarity) or (e.verb == "OPEN" and e.state and not e.polarity)
        for e in text.events
    )
    for pair in pairs(text, inside, runs_microwave, 4):
        if pair.says(*hot) and not says(text, pair.b, "OPENED") and not left_open:
            yield order(pair)
    for pair in pairs(text, verb_is("PUT"), verb_is("CLOSE"), 1):
        rest = text.events[pair.j + 1 : pair.j + 2]
        if rest and rest[0].verb == "ON" and not rest[0].has("LAMP", "FAUCET"):
            yield order(pair) if not pair.says("FRIDGE") else 0
    for pair in pairs(text, opened, runs_microwave):
        if pair.says("MICROWAVE"):
            yield breach(pair)
    for event in text.events:
        sentence = text.sentences[event.sentence]
        if event.has("MICROWAVE") and event.has("CLOSED") and says(text, event, "HEAT"):
            yield 1 if event.polarity == "" else -1
        if not says(text, event, "MICROWAVE") or says(text, event, "FRIDGE"):
            continue
        works = sentence.concepts & {"job", "work", "hot", "warm", "run", "heat"}
        if event.verb == "CLOSE" and event.state and works and "only" in sentence.concepts:
            yield int(event.polarity == "")
        ajar = (event.verb == "OPEN" and event.state) or event.has("OPENED")
        if ajar and (works or event.verb in {"HEAT", "ON"}):
            yield verdict(sentence, event)


def cool_by_closing(text: Text) -> Votes:
    cold = ("FRIDGE", "COOL")

    def shuts(e: Event) -> bool:
        return (
            e.verb == "CLOSE"
            and not e.has("MICROWAVE")
            and (e.has("FRIDGE") or not e.has("CONTAINER"))
        )

    for pair in pairs(text, is_put, shuts):
        if pair.says(*cold) and not pair.between("TAKE"):
            yield order(pair)

    def cools(e: Event) -> bool:
        return e.verb == "COOL" and not says(text, e, "keep", "save")

    for pair in pairs(text, shuts, cools):
        later = text.events[pair.i + 1 :]
        if pair.says("HAND", "EMPTY", "outside") or any(e.verb == "PUT" for e in later):
            continue
        if not pair.backward:
            yield order(pair)
        elif not pair.says("TAKE") or pair.a.polarity == "omit":
            yield order(Pair(text, pair.i, pair.j))
    for pair in pairs(text, shuts, verb_is("TAKE")):
        if pair.says("FRIDGE") and (pair.b.deferred or (pair.backward and pair.sentence.bad)):
            yield 1
        if pair.says("FRIDGE") and pair.says("COOL") and pair.b.lead == "before":
            yield order(pair)
        cold_one = pair.b.has("cold") and not pair.b.has("SURFACE")
        if pair.a.has("FRIDGE") and cold_one and not pair.backward:
            yield order(pair)
    for event in text.events:
        sentence = text.sentences[event.sentence]
        opened = event.has("OPENED") or (event.verb == "OPEN" and event.state)
        if opened and says(text, event, "FRIDGE") and says(text, event, "COOL", "warm"):
            yield verdict(sentence, event)
        if event.has("FRIDGE") and event.has("CLOSED") and says(text, event, "COOL"):
            yield 1 if event.polarity == "" and not sentence.told else -1
