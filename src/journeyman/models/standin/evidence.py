"""What a rule is read from: pairs of events, their order, and whether it is advice or a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from journeyman.models.standin.clauses import Sentence, Text
from journeyman.models.standin.events import Event

DENIED = -2
"""A vote that outweighs the others: the text says in so many words that it is not needed."""

Votes = Iterator[int]
Test = Callable[[Event], bool]


@dataclass(frozen=True)
class Pair:
    """Two events near each other: ``before`` happens first unless ``backward``."""

    text: Text
    i: int
    j: int
    backward: bool = False

    @property
    def a(self) -> Event:
        return self.text.events[self.i]

    @property
    def b(self) -> Event:
        return self.text.events[self.j]

    @property
    def sentence(self) -> Sentence:
        return self.text.sentences[max(self.a.sentence, self.b.sentence)]

    def between(self, *verbs: str) -> bool:
        low, high = sorted((self.i, self.j))
        return any(
            e.verb in verbs and not e.state and e.polarity in {"", "cant"}
            for e in self.text.events[low + 1 : high]
        )

    def says(self, *words: str) -> bool:
        return says(self.text, self.a, *words) or says(self.text, self.b, *words)


def pairs(text: Text, first: Test, then: Test, reach: int = 3) -> Iterator[Pair]:
    """Pairs of events, at most ``reach`` apart and in this or the next sentence.

    Forward where ``first`` happens before ``then`` or at the same time ("while", "when", "with",
    states), backward where it is told of after it.
    """
    events = text.events
    for i, a in enumerate(events):
        if not first(a):
            continue
        for j in range(max(0, i - reach), min(i + 1 + reach, len(events))):
            b = events[j]
            if i == j or not then(b) or abs(a.sentence - b.sentence) > 1:
                continue
            if i < j:
                yield Pair(text, i, j)
            else:
                same = a.sentence == b.sentence
                at_once = same and (
                    b.lead in {"while", "with"} or (a.state and a.segment == b.segment)
                )
                yield Pair(text, i, j, backward=not at_once)


def order(pair: Pair) -> int:
    """What "a, then b" comes to: +1 it is advice, -1 it is advised against, 0 neither."""
    a, b, sentence = pair.a, pair.b, pair.sentence
    if pair.backward:
        if a.deferred:
            return -1
        needs = sentence.concepts & {"need", "require", "demand", "depend", "presuppose"}
        if needs and a.sentence == b.sentence and not a.polarity and not b.polarity:
            return 1
        if a.needed or (a.polarity == "omit" and (sentence.bad or a.lead != "without")):
            return 1
        return int(a.lead == "before" and (sentence.bad or sentence.told) and a.polarity == "")
    if "unneeded" in {a.polarity, b.polarity}:
        return DENIED
    if a.polarity == "no":
        return -1
    if b.polarity == "no":
        return 0
    if a.sentence == b.sentence and sentence.condemned >= max(a.segment, b.segment):
        told = {a.polarity, b.polarity} & {"omit"} or a.lead in {"while", "because"}
        if (a.gerund or b.gerund) and not told:
            return -1
    if a.polarity == "omit" and a.lead == "without":
        return 1 if sentence.bad or b.polarity in {"no", "cant"} else -1
    return 1


def breach(pair: Pair) -> int:
    """What a breach of a rule comes to: +1 it is warned of, -1 it is advised, 0 only told."""
    return verdict(pair.sentence, pair.a, pair.b)


def verdict(sentence: Sentence, *events: Event) -> int:
    polarities = {event.polarity for event in events}
    if "unneeded" in polarities or any(event.lead == "instead" for event in events):
        return 0
    if polarities & {"no", "cant"} or sentence.bad:
        return 1
    return -1 if sentence.fine or not sentence.told else 0


def says(text: Text, event: Event, *words: str) -> bool:
    """Whether the event's sentence has any of ``words`` (concepts or lemmas)."""
    return bool(text.sentences[event.sentence].concepts.intersection(words))


def mentions(text: Text, *words: str) -> bool:
    """Whether any sentence has any of ``words``."""
    return any(s.concepts.intersection(words) for s in text.sentences)


def verb_is(*verbs: str) -> Test:
    return lambda event: event.verb in verbs


def is_put(event: Event) -> bool:
    return event.verb in {"PUT", "LIE"}


def treats(event: Event) -> bool:
    if event.verb in {"WASH", "HEAT", "COOL", "TREAT"}:
        return True
    return event.verb in {"ON", "OFF"} and event.has("FAUCET", "MICROWAVE")


def takes_up(event: Event) -> bool:
    return event.verb == "TAKE" or (event.verb == "HOLD" and event.has("AGAIN"))


def runs_faucet(event: Event) -> bool:
    if event.verb == "ON":
        return not event.has("MICROWAVE", "LAMP")
    return event.verb == "WASH" and event.has("FAUCET")


def runs_microwave(event: Event) -> bool:
    return event.verb == "ON" and not event.has("FAUCET", "LAMP")


def lights(event: Event) -> bool:
    return event.verb == "ON" and event.has("LAMP")


def is_shut(text: Text, event: Event) -> bool:
    """Whether the event is told of a container that is shut."""
    if event.has("CLOSED") or says(text, event, "CLOSED"):
        return True
    return any(
        e.verb == "CLOSE" and e.state and e.polarity == "" and e.sentence == event.sentence
        for e in text.events
    )
