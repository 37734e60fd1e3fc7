"""Segments to events: a verb in its place, with what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from journeyman.models.standin.segments import ARTICLES, DETERMINERS, Segment, Word
from journeyman.models.standin.words import word_set

VERBS = word_set(
    "TAKE PUT LIE OPEN CLOSE ON OFF CUT HOLD CARRY GO WASH HEAT COOL TREAT HIDE LEAVE SEE FREE"
)
# In this order where a word stands for several.
_ORDER = (
    "ON", "OFF", "OPEN", "CLOSE", "CUT", "TAKE", "PUT", "WASH", "HEAT", "COOL", "HOLD", "CARRY",
    "GO", "HIDE", "LEAVE", "SEE", "LIE", "TREAT",
)  # fmt: skip
_INTO = word_set("in inside into within on onto")
_PULLS = word_set("pull swing lift push slide throw crack yank tug flip")
_STANDING = word_set("be stay remain stand leave still with keep")


@dataclass
class Event:
    """One thing done or being so.

    Attributes:
        verb: A verb concept (``TAKE``, ``PUT``, ..., ``LIE`` for being somewhere).
        about: Concepts and lemmas of the words around it.
        polarity: ``""`` affirmed, ``no`` prohibited, ``unneeded``, ``omit`` left out or not the
            case, ``cant`` impossible or of no effect.
        sentence: Index of its sentence.
        segment: Index of its segment within the sentence.
        lead: What introduced its segment (``before``, ``after``, ``without``, ...).
        gerund: Whether it is an -ing form.
        state: Being so (open, closed, held) rather than becoming so.
        deferred: Named as not to be done before something else.
        needed: Named as what should have been done.
        index: Where its verb stands in its segment.
    """

    verb: str
    about: set[str] = field(default_factory=set)
    polarity: str = ""
    sentence: int = 0
    segment: int = 0
    lead: str = ""
    gerund: bool = False
    state: bool = False
    deferred: bool = False
    needed: bool = False
    index: int = 0

    def has(self, *concepts: str) -> bool:
        """Whether any of ``concepts`` is among the words around it."""
        return any(concept in self.about for concept in concepts)


def events_of(segment: Segment) -> list[Event]:
    """One event for each verb; nouns go to the verb before them, leading ones to the first."""
    events: list[Event] = []
    loose: set[str] = set()
    words = segment.words
    for index, word in enumerate(words):
        verb = _verb(words, index)
        if not verb:
            (events[-1].about if events else loose).update(_about(words, index))
            continue
        if segment.lead == "with" and not events and {"HAND", "in"} <= loose:
            events.append(Event("HOLD", loose, state=True))
            loose = set()
        event = Event(verb, {word.lemma}, gerund=word.raw.endswith("ing"), index=index)
        if word.lemma == "take" and "CONTAINER" in loose and not loose & {"THING", "FOOD"}:
            event = Event("LIE", {"accept"}, index=index)  # what a container takes
        event.state = _is_state(words, index, verb)
        event.about |= loose
        loose = set()
        events.append(event)
    if not events:
        verb = _verbless(loose, words)
        events = [Event(verb, loose, state=True)] if verb else []
    for event in events:
        _settle(event)
    return events


def _about(words: Sequence[Word], index: int) -> set[str]:
    """The lemma and the concepts of a word that is no verb, with what they mean in their place."""
    word = words[index]
    before = words[index - 1] if index else None
    found = {word.lemma, *word.concepts} - VERBS
    if any(other.lemma in _INTO for other in words[max(0, index - 3) : index]):
        found |= {f"IN {c}" for c in word.concepts & {"VESSEL", "IT", "SINK", "CONTAINER"}}
    if word.noun and word.concepts & {"WASH", "HEAT", "COOL", "TREAT"} and word.raw != "microwave":
        found.add("TREATED")
    if word.raw in {"closed", "shut"} and word.noun:
        found.add("CLOSED")
    if word.raw == "open" and word.noun:
        found.add("OPENED")
    if re.fullmatch(r"_[0-9n]+", word.raw):
        found |= {"INSTANCE", "ANOTHER"}
    if found & {"ANOTHER", "SAME"} and _is_elsewhere(words, index):
        found -= {"ANOTHER", "SAME", "same"}
    if word.lemma == "where" and before is not None and before.lemma == "to":
        found.add("PLACE")
    return found


_ELSEWHERE = frozenset({"SURFACE", "CONTAINER", "PLACE", "KNIFE", "TOOL", "HAND"})


def _is_elsewhere(words: Sequence[Word], index: int) -> bool:
    """Whether "another" is about a place, a tool or a step rather than a thing."""
    if index and words[index].lemma == "another" and words[index - 1].lemma in _INTO:
        return True
    following = words[index + 1] if index + 1 < len(words) else None
    return following is not None and (
        bool(following.concepts & _ELSEWHERE and not following.concepts & {"THING", "VESSEL"})
        or following.lemma in {"step", "action", "way", "room", "trip", "procedure"}
    )


def _verbless(about: set[str], words: Sequence[Word]) -> str:
    """What a segment without a verb amounts to ("with the thing in hand", "once it is done")."""
    if "OPENED" in about:
        return "OPEN"
    if "CLOSED" in about:
        return "CLOSE"
    if "HAND" in about:
        return "HOLD"
    ended = {word.raw for word in words} & {"done", "finished", "over", "ready", "complete"}
    if ended and not about & {"else", "anything", "something"}:
        return "TREAT"
    if words[-1].lemma == "on" and about & {"LAMP", "MICROWAVE", "FAUCET"}:
        return "ON"
    if about & _INTO or about & {"under"}:
        return "LIE"
    return "CARRY" if "to" in about and about & {"SURFACE", "PLACE", "CONTAINER"} else ""


def _is_state(words: Sequence[Word], index: int, verb: str) -> bool:
    raw = words[index].raw
    if verb == "HOLD":
        return raw in {"holding", "held"}
    if raw not in {"open", "closed", "shut", "ajar", "opened"}:
        return False
    before = {word.lemma for word in words[max(0, index - 3) : index]}
    door = index > 0 and "DOOR" in words[index - 1].concepts
    return bool(before & _STANDING) or door or index == len(words) - 1


def _verb(words: Sequence[Word], index: int) -> str:
    """The verb concept of one word in its place, or an empty string."""
    word = words[index]
    if word.noun:
        return ""
    rest = [other.lemma for other in words[index + 1 : index + 8]]
    before = words[index - 1] if index else None
    after = words[index + 1] if index + 1 < len(words) else None
    switched = _switching(words, index, rest)
    if switched is not None:
        return switched
    idiom = _idiom(word, before, after, rest)
    if idiom is not None:
        return idiom
    return next((concept for concept in _ORDER if concept in word.concepts), "")


def _switching(words: Sequence[Word], index: int, rest: Sequence[str]) -> str | None:
    """Turn, switch and go with on or off near by; None where the word is none of these."""
    word = words[index]
    base = word.lemma
    if base in {"on", "off"}:
        before = words[index - 1].lemma if index else ""
        after = words[index + 1] if index + 1 < len(words) else None
        free = after is None or not (after.concepts or after.raw in DETERMINERS)
        return base.upper() if before in {"be", "get", "already", "come"} and free else ""
    turns = "TURN" in word.concepts
    device = any(w.concepts & {"LAMP", "FAUCET", "MICROWAVE"} for w in words[:index])
    if not turns and not (base == "go" and device and rest[:1] in (["on"], ["off"])):
        return None
    for other in rest[:5]:
        if other in {"on", "off"}:
            return other.upper()
    return "" if turns else None


def _idiom(word: Word, before: Word | None, after: Word | None, rest: list[str]) -> str | None:
    """Words whose reading hangs on their neighbours; None where nothing special holds."""
    base = word.lemma
    earlier = before.lemma if before is not None else ""
    following = rest[0] if rest else ""
    determined = after is not None and after.raw in ARTICLES
    if base == "get":
        return _get(after, rest)
    if base == "be":
        return _be(rest)
    if base == "go":
        if earlier in {"let", "should"} or (
            word.raw == "gone" and earlier not in {"have", "not", "just", "be", "robot"}
        ):
            return ""
        inside = {"in", "inside", "into"} & set(rest[:2])
        return "PUT" if inside and following != "to" else "GO"
    if base == "let" and following == "go":
        return "PUT"
    if base == "part" and following == "with":
        return "PUT"
    if base == "make" and "way" in rest[:2]:
        return "GO"
    if base in {"hit", "push"} and {"switch", "button"} & set(rest[:3]):
        return "ON"
    if base == "use" and {"faucet", "tap", "microwave"} & set(rest[:3]):
        return "ON"
    if base == "reach" and following in {"in", "for"}:
        return "TAKE"
    if base == "reach" and {"object", "thing", "item"} & set(rest[:2]):
        return "SEE"
    if base in _PULLS and {"open", "shut"} & {*rest[:5]}:
        return ""
    if base == "lift" and "lid" in rest[:5]:
        return "OPEN"
    if base == "look" and following == "at":
        return "SEE"
    if base == "leave" and earlier == "be":
        return "LEAVE"
    if base == "forget" and following in {"in", "inside", "at", "there"}:
        return "LEAVE"
    if base == "keep":
        return "HOLD" if set(rest[:4]) & {"hold", "hand", "grip", "carry", "gripper", "it"} else ""
    if base == "hold" and earlier in {"take", "get"}:
        return ""
    if base == "move":
        return "GO" if following in {"to", "on", "over"} else "CARRY"
    if base in {"free", "empty"}:
        told = {"hand", "gripper"} & set(rest[:3])
        first = before is None or earlier in {"to", "must", "not", "always", "first"}
        return "FREE" if told and first else ""
    if base == "microwave":
        return "HEAT" if determined or "FOOD" in (after.concepts if after else ()) else ""
    if word.raw == "lit":
        return "ON" if earlier in {"be", "get"} or before is None else ""
    if base == "light":
        return "ON" if before is None or determined or word.raw == "lighting" else ""
    if base in {"second", "target", "water", "spot", "step", "box"}:
        return ""
    if base == "stop" and after is not None:
        return ""
    if base == "place" and after is None and word.raw == "place":
        return ""
    if base == "return" and determined:
        return "GO"
    if base == "slice" and word.raw in {"slice", "slices"}:
        named = before is not None and bool(before.concepts & {"FOOD", "KNIFE"})
        return "" if named or (word.raw == "slices" and not determined) else "CUT"
    return None


def _get(after: Word | None, rest: Sequence[str]) -> str:
    if after is not None and after.concepts & {"WASH", "HEAT", "COOL"}:
        return ""
    if after is not None and after.lemma in {"clean", "dirty", "rid", "to", "wet", "be", "on"}:
        return {"to": "GO", "rid": "PUT"}.get(after.lemma, "")
    return "PUT" if {"into", "inside"} & set(rest[:5]) and "hand" not in rest else "TAKE"


def _be(rest: Sequence[str]) -> str:
    """Being in the sink is being there; being in slices is being cut."""
    skipped = {"still", "already", "not", "now", "safely", "all"}
    place = [word for word in rest if word not in skipped]
    if place[:1] in (["in"], ["inside"], ["within"], ["under"]):
        return "CUT" if {"slice", "piece", "half"} & set(place[1:2]) else "LIE"
    onto = place[:1] == ["on"] and len(place) > 1 and place[1] in {"the", "a", "it", "its"}
    return "LIE" if onto else ""


def _settle(event: Event) -> None:
    """Readings that depend on what the verb is about."""
    if event.verb in {"OPEN", "CLOSE"} and event.has("FAUCET") and not event.has("CONTAINER"):
        event.verb = "ON" if event.verb == "OPEN" else "OFF"
    homes = event.has("SINK", "MICROWAVE", "FRIDGE")
    if event.verb == "LIE" and event.has("HAND") and not homes:
        event.verb = "HOLD"
        event.state = True
    if event.verb == "HOLD" and event.has("HAND"):
        if event.has("EMPTY", "nothing"):
            event.verb = "FREE"
        elif event.has("OUT", "gone"):
            event.verb = "PUT"
    if event.has("relocate") and event.has("PLACE", "SURFACE"):
        event.verb = "GO"
    if event.verb == "LEAVE" and event.has("HAND") and not event.has("in"):
        event.verb = "FREE"
    if event.verb == "CARRY" and event.has("into") and event.has("IN VESSEL", "IN CONTAINER"):
        event.verb = "PUT"
    if event.verb == "PUT" and event.has("HAND") and event.has("unload"):
        event.verb = "FREE"
    if event.verb in {"GO", "CARRY"} and event.has("HAND") and event.has("to", "into", "in"):
        event.verb = "TAKE"
