"""Instructions to intents: what is asked, of which class, to which place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from journeyman.models.standin.household import (
    LAMPS,
    PICKABLE,
    PLACES,
    SLICEABLE,
    VESSELS,
    lexicon,
    longest,
)
from journeyman.models.standin.words import lemma, tokens, word_set


@dataclass(frozen=True)
class Intent:
    """What an instruction asks for; classes are candidates, the likeliest first.

    ``kind`` is ``simple``, ``two``, ``look``, ``clean``, ``heat``, ``cool`` or ``movable``.
    """

    kind: str
    thing: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    vessel: tuple[str, ...] = ()
    lamp: tuple[str, ...] = ()
    sliced: bool = False


@dataclass(frozen=True)
class _Mention:
    classes: tuple[str, ...]
    start: int
    end: int
    before: str
    """The preposition or verb that leads to it, as a lemma; empty where there is none."""
    plural: bool

    def any(self, group: Iterable[str]) -> bool:
        return bool(set(self.classes) & set(group))

    def only(self, group: Iterable[str]) -> tuple[str, ...]:
        known = set(group)
        return tuple(name for name in self.classes if name in known)


_ASIDE = re.compile(
    r"\b(?:although|even though|even with|despite|instead of|rather than|in addition to|besides|"
    r"apart from|except for|since|because|without)\b[^,.;]*[,.;]?",
    re.IGNORECASE,
)
_THERE = re.compile(r"[^.;]*\bthere(?:'s|’s| is| are)\b[^,.;]*,?\s*but\b", re.IGNORECASE)
_LEADING = re.compile(
    r"^\s*(?:while|when|as|after|before|once|in|for|during|to|with|on|upon|if)\b[^,]*,",
    re.IGNORECASE,
)
_TO = word_set("in on into onto to inside at within upon under underneath below atop")
_FROM = word_set("from off out")
_BESIDE = word_set("near beside by next above behind of between against around front along")
_WASH = word_set("wash rinse clean cleanse scrub wet soak dampen damp")
_HEAT = word_set("heat warm hot cook microwave reheat bake toast")
_COOL = word_set("cool chill cold refrigerate freeze iced")
_CUT = word_set("slice cut chop piece wedge chunk half dice carve")
_LOOK = word_set(
    "examine look inspect study view read check see illuminate light lit glow shine lighting"
)
_SWITCH = word_set("turn switch activate lit light illuminate power flip put")
_TWO = word_set("two both pair couple 2 another second twice")
_WITH = word_set("with contain hold have carry inside")
_PUT = word_set(
    "put place set lay leave store move bring take carry drop deposit transfer relocate"
    " position  stow keep return throw get stash discard dispose"
)
_HOLDING = word_set("with contain hold")
_UNITS = word_set(
    "set roll bar piece slice head loaf bunch box bottle pair chain couple part group stack"
)


@lru_cache(maxsize=2048)
def ground(instruction: str, names: frozenset[str] = frozenset()) -> Intent:
    """The intent of ``instruction``; candidate classes outside ``names`` are dropped, if given."""
    main = _ASIDE.sub(" ", _THERE.sub(" ", instruction))
    intent = _ground(main)
    if not intent.thing or not (intent.place or intent.lamp):
        whole = _ground(instruction)
        intent = _merged(intent, whole)
    if names:

        def keep(classes: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(c for c in classes if c in names) or classes

        intent = Intent(
            intent.kind,
            keep(intent.thing),
            keep(intent.place),
            keep(intent.vessel),
            keep(intent.lamp),
            intent.sliced,
        )
    return intent


def _merged(first: Intent, second: Intent) -> Intent:
    kind = first.kind if first.kind != "simple" else second.kind
    return Intent(
        kind,
        first.thing or second.thing,
        first.place or second.place,
        first.vessel or second.vessel,
        first.lamp or second.lamp,
        first.sliced or second.sliced,
    )


def _ground(text: str) -> Intent:
    sentences = [s for s in re.split(r"[.?!]\s+|[.?!]$", text) if s.strip()]
    best: Intent | None = None
    for sentence in sentences or [text]:
        for part in (_LEADING.sub(" ", sentence, count=1), sentence):
            intent = _sentence(part)
            if best is None or _worth(intent) > _worth(best):
                best = intent
    whole = _sentence(text)
    assert best is not None
    return best if _worth(best) >= _worth(whole) else whole


def _worth(intent: Intent) -> int:
    return 2 * bool(intent.thing) + 2 * bool(intent.place or intent.lamp) + bool(intent.vessel)


def _sentence(text: str) -> Intent:
    raw = tokens(text)
    words = [lemma(token) for token in raw]
    mentions = _mentions(raw, words)
    said = set(words)
    lamp = next((m for m in mentions if m.any(LAMPS)), None)
    things = [m for m in mentions if m.any(PICKABLE)]
    sliced = bool(said & _CUT) and any(m.any(SLICEABLE) for m in things)
    kind = _treatment(words, raw)
    vessel = None
    thing = _thing(things, sliced)
    if lamp is not None and (thing is None or _is_look(words, mentions, lamp)):
        held = thing.only(PICKABLE) if thing else ()
        return Intent("look", held, (), (), lamp.only(LAMPS), sliced)
    pair = _vessel(words, things, thing)
    if pair is not None and (kind == "simple" or pair[0].before in _HOLDING):
        thing, vessel = pair
        kind = "movable"
    place = _place(words, mentions, thing, vessel, kind)
    if kind == "simple" and thing is not None and _is_two(raw, words, thing, sliced):
        kind = "two"
    return Intent(
        kind,
        thing.only(PICKABLE) if thing else (),
        place,
        vessel.only(VESSELS) if vessel else (),
        (),
        sliced,
    )


def _mentions(raw: Sequence[str], words: Sequence[str]) -> list[_Mention]:
    """Phrases of the lexicon, longest first; of two that touch, the later one is the head."""
    known, most = lexicon(), longest()
    found: list[_Mention] = []
    index = 0
    while index < len(words):
        for length in range(min(most, len(words) - index), 0, -1):
            classes = known.get(tuple(words[index : index + length]))
            if classes is None or (length == 1 and _is_verb(words, raw, index)):
                continue
            end = index + length
            plural = raw[end - 1] != words[end - 1] and raw[end - 1].endswith("s")
            if words[index] in {"roll", "bar", "box", "bottle", "head", "loaf"} and length > 1:
                plural = plural or raw[index].endswith(("s", "ves"))
            mention = _Mention(classes, index, end, _before(words, index, found), plural)
            if found and found[-1].end == index:
                mention = _Mention(classes, index, end, found[-1].before, plural)
                found.pop()
            found.append(mention)
            index = end - 1
            break
        index += 1
    return _without_units(words, found)


def _is_verb(words: Sequence[str], raw: Sequence[str], index: int) -> bool:
    """Whether a word that names a thing is a verb here ("book", "water", "microwave a slice")."""
    word = words[index]
    after = words[index + 1] if index + 1 < len(words) else ""
    before = words[index - 1] if index else ""
    if word in {"microwave", "box", "water", "light", "can", "book", "shelf", "rack", "pan"}:
        starts = index == 0 or before in {",", "and", "then", "please", "to", "you"}
        return (starts and after in {"a", "an", "the", "one", "it", "some", "two"}) or (
            raw[index] in {"microwaved", "lights", "watering", "boxed"} and word != "light"
        )
    return word in {"watch", "roll", "waste", "range", "stand", "glass"} and (
        before in {"to", "and", "please", "while"} and after in {"the", "it", "a"}
    )


def _before(words: Sequence[str], index: int, found: Sequence[_Mention]) -> str:
    """The nearest preposition before a noun phrase, not reaching over another mention."""
    start = found[-1].end if found else 0
    for back in range(index - 1, max(start, index - 6) - 1, -1):
        word = words[back]
        if (
            word in _TO
            or word in _FROM
            or word in _BESIDE
            or word in {"with", "contain", "hold", "use", "left", "right"}
        ):
            if word == "of" and back and words[back - 1] in {"top", "back", "inside", "side"}:
                return "on"
            if word == "of" and back and words[back - 1] in _UNITS:
                continue
            if word == "to" and back and words[back - 1] in {"next", "close", "left", "right"}:
                return "next"
            if word in {"left", "right"} and words[back + 1 : back + 2] != ["of"]:
                continue
            if word == "on" and back and words[back - 1] in {"turn", "switch", "flip", "light"}:
                return "turn"
            return word
        if word in {",", "and", "then"} or word in _PUT:
            return ""
    return ""


def _without_units(words: Sequence[str], found: list[_Mention]) -> list[_Mention]:
    """Drop "box" of "box of tissues" and the like: what is counted is what follows "of"."""
    kept: list[_Mention] = []
    if not found:
        return kept
    for mention, after in zip(found, [*found[1:], None], strict=True):
        if (
            after is not None
            and words[mention.end : after.start] in (["of"], ["of", "the"], ["of", "a"])
            and mention.any(PICKABLE)
            and after.any(PICKABLE)
        ):
            continue
        kept.append(mention)
    return kept


def _treatment(words: Sequence[str], raw: Sequence[str]) -> str:
    """``clean``, ``heat``, ``cool`` or ``simple``, from verbs and adjectives."""
    if {"run", "water"} <= set(words) and "under" in words:
        return "clean"
    for index, word in enumerate(words):
        after = words[index + 1] if index + 1 < len(words) else ""
        before = words[index - 1] if index else ""
        if word in _COOL and not (word in {"cold", "cool"} and after in {"box"}):
            return "cool"
        if word == "microwave":
            verb = raw[index] == "microwaved" or (
                before in {"", ",", "and", "then", "please", "to"} and after not in {"oven", ""}
            )
            if verb or (before == "the" and {"use"} & set(words[:index]) and after == "on"):
                return "heat"
            continue
        if word in _HEAT and not (word == "cook" and after == "pot") and raw[index] != "cooking":
            return "heat"
        if word in _WASH and raw[index] not in {"cleaner", "cleaning"}:
            if word in {"clean", "wash"} and after in {"up", "cloth", "basin", "rag", "code"}:
                continue
            return "clean"
    return "simple"


def _thing(things: Sequence[_Mention], sliced: bool) -> _Mention | None:
    """What is to be moved: the first thing that is no place of another and no tool."""
    food = any(m.any(SLICEABLE) for m in things)
    for mention in things:
        if sliced and food and mention.any({"Knife", "ButterKnife"}):
            continue
        if mention.before in _TO | _FROM | _BESIDE | {"use"} and mention.any(VESSELS):
            continue
        if mention.before in {"with", "use"} and mention.any({"Knife", "ButterKnife"}):
            continue
        if mention.before in _FROM | (_BESIDE - {"of"}):
            continue
        return mention
    return things[0] if things else None


def _is_look(words: Sequence[str], mentions: Sequence[_Mention], lamp: _Mention) -> bool:
    said = set(words)
    placed = any(m.any(PLACES) and m.before in _TO and m.start > 0 for m in mentions)
    if said & {"examine", "inspect", "study", "look", "view", "read", "check"}:
        return True
    if lamp.before == "turn" or said & {"turn", "switch", "illuminate", "activate", "lit"}:
        return True
    if lamp.before in {"under", "by", "with", "to"} and not placed:
        return True
    return bool(said & {"hold", "light"}) and not placed


def _vessel(
    words: Sequence[str], things: Sequence[_Mention], thing: _Mention | None
) -> tuple[_Mention, _Mention] | None:
    """(thing, vessel) where one thing is to be moved in another."""
    if thing is None:
        return None
    others = [m for m in things if m is not thing and m.classes[0] not in PLACES]
    for other in others:
        between = words[thing.end : other.start]
        if thing.any(VESSELS) and thing.start < other.start:
            if set(between) & {"with", "contain", "hold", "put", "have", "use"} - (
                {"put"} if "and" in between and "it" not in words else set()
            ) or ("and" in between and len(between) <= 3 and not other.any(VESSELS)):
                return other, thing
            if "it" in words[other.end : other.end + 3] and set(
                words[other.end : other.end + 2]
            ) & {"in", "on", "inside", "into"}:
                return other, thing
        led = other.before in {"in", "on", "into", "inside", "onto", "to"}
        paired = "and" in between and len(between) <= 3
        if other.any(VESSELS) and thing.start < other.start and (led or paired):
            return thing, other
        if other.any(VESSELS) and other.start < thing.start:
            return thing, other
    return None


def _is_two(raw: Sequence[str], words: Sequence[str], thing: _Mention, sliced: bool) -> bool:
    near = set(words[max(0, thing.start - 4) : thing.start])
    if near & {"two", "both", "pair", "couple", "2"} or set(words) & {"another", "both", "twice"}:
        return True
    if set(words[thing.end : thing.end + 4]) & {"both"}:
        return True
    if sliced:
        return bool(set(words) & {"two", "both", "2"})
    single = thing.classes[0] in {"KeyChain", "TissueBox"}
    return thing.plural and not single and not near & {"one", "a", "an"}


_APPLIANCES = {"clean": {"Sink"}, "heat": {"Microwave", "StoveBurner"}, "cool": {"Fridge"}}


def _place(
    words: Sequence[str],
    mentions: Sequence[_Mention],
    thing: _Mention | None,
    vessel: _Mention | None,
    kind: str,
) -> tuple[str, ...]:
    """Where it goes: the last place that is led to, not passed by, come from or treated at."""
    places = [m for m in mentions if m.any(PLACES) and m is not thing and m is not vessel]
    places = [m for m in places if m.before not in _FROM]
    led = [m for m in places if m.before in _TO or m.before in {"with", "", "turn"}]
    appliances = _APPLIANCES.get(kind, set())
    other = [m for m in led if not m.any(appliances)]
    if other and len(other) < len(led):
        treated_last = led[-1].any(appliances) and _verb_before(words, led[-1]) in (
            _WASH | _HEAT | _COOL
        )
        led = other if not led[-1].any(appliances) or treated_last else led
    chosen = [m for m in led if m.before in _TO] or led or places
    if not chosen:
        away = {"throw", "discard", "dispose", "trash"} & set(words)
        return ("GarbageCan",) if away else ()
    final = chosen[-1]
    if final.before in {"under", "below", "underneath"} and final.any({"Sink"}):
        inside = [m for m in chosen[:-1] if m.any({"Cabinet", "Drawer", "Shelf"})]
        return inside[-1].only(PLACES) if inside else ("Cabinet",)
    for earlier in chosen[:-1]:
        gap = words[earlier.end : final.start]
        if set(gap) & {"under", "of", "below", "underneath", "above"} and len(gap) <= 5:
            return earlier.only(PLACES)
        if final.before in {"on", "at"} and "side" in gap:
            return earlier.only(PLACES)
    return final.only(PLACES)


def _verb_before(words: Sequence[str], mention: _Mention) -> str:
    """The nearest verb of treating or placing before a mention."""
    for back in range(mention.start - 1, -1, -1):
        if words[back] in _WASH | _HEAT | _COOL | _PUT:
            return words[back]
    return ""
