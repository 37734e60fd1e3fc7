"""Principles and suggestions to rules: what a text asserts or denies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from journeyman.models.standin_tabletop.clauses import Clause, sentences

RULES = MappingProxyType(
    {
        "colours": "compare all the colours, the second one too, not only the main one",
        "pattern": "compare the pattern, not only the colour",
        "outline": "compare the outline",
        "size": "compare the size and the number of holes",
        "light": "ignore brightness: the light may differ",
        "container": "an object may lie in a container: do not take the container for it",
        "clockwise": "a positive angle turns clockwise, as angles in instructions do",
        "order": "the place that is named first comes first",
        "restore": "bring everything back at the end where the instruction asks for it",
        "blocker": "move away first what lies on a target place",
        "source": "pick a thing up where it lies now, not where a picture shows it",
        "all_objects": "move every object that the picture shows, not only the first",
        "object_to_base": "pick the object and put it onto the base, not the other way round",
    }
)
INTERPRETER = ("colours", "pattern", "outline", "size", "light", "container")
PLANNER = ("clockwise", "order", "restore", "blocker", "source", "all_objects", "object_to_base")

Vote = int | None
Sentence = tuple[Clause, ...]


def _sign(clause: Clause) -> int:
    return 1 if clause.meant else -1


def _attends(clause: Clause) -> bool:
    return clause.has("ATTEND") or (not clause.meant and not clause.limited)


def _colours(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("COLOUR") and not (
            clause.says("stripe", "dot") and clause.has("SECOND") and clause.has("ATTEND")
        ):
            continue
        if clause.has("MAIN") and clause.limited and not clause.meant:
            continue
        if clause.limited and clause.says("main", "dominant", "first", "prevailing", "single"):
            yield 1
        elif (clause.has("SECOND") or clause.has("ALL")) and _attends(clause):
            yield _sign(clause)
        elif clause.says("main", "dominant", "prevailing", "single") and not clause.meant:
            yield 1


def _feature(concept: str, other: str = "") -> Callable[[Sentence], Iterator[int]]:
    def judge(sentence: Sentence) -> Iterator[int]:
        told = any(clause.has("ATTEND") for clause in sentence)
        told = told and not any(
            c.has("CONTAINER", "ANGLE") and c.has("PUT", "PICK") for c in sentence
        )
        for clause in sentence:
            if not clause.has(concept) or (other and clause.says(*other.split())):
                continue
            if clause.limited:
                continue  # "not only by the shape" neither asks for it nor forbids it
            if clause.has("ATTEND") or (told and clause.lead in {",", "instead", "but"}):
                yield _sign(clause)
            elif not clause.meant and not clause.has("LIGHT") and not clause.says("matter"):
                yield -1

    return judge


def _light(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("LIGHT"):
            continue
        regardless = clause.says("regardless", "despite", "irrespective", "independent", "whatever")
        if (
            regardless
            or (clause.has("DIFFER") and clause.meant and not clause.says("compare"))
            or (clause.says("matter") and clause.says("no"))
            or not clause.meant
        ):
            yield 1
        elif clause.has("ATTEND") and not clause.says("may", "can"):
            yield -1


def _container(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("CONTAINER"):
            continue
        if clause.says("easily", "often", "tempting") and clause.has("CONFUSE"):
            continue
        confuses = clause.has("CONFUSE") or (clause.says("take") and clause.says("for"))
        if confuses:
            yield -_sign(clause)
        elif (
            clause.says("object", "thing", "item", "target", "content", "contents", "what")
            and (
                clause.says("inside", "in", "within", "inner", "contain", "enclose", "hold")
                and not clause.has("PUT", "PICK")
                and (
                    clause.has("ATTEND")
                    or clause.says("may", "can", "could", "lie", "hide", "might")
                )
            )
        ) or (clause.says("separate", "distinguish", "tell", "apart") and clause.has("OBJECT")):
            yield _sign(clause)
    whole = [c for c in sentence if c.meant]
    if any(c.has("CONTAINER") for c in sentence) and any(
        c.says("inside", "contents", "content") and c.has("ATTEND") for c in whole
    ):
        yield 1


def _clockwise(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        words = clause.words
        counter = "counterclockwise" in words or ("clockwise" in words and not clause.meant)
        both = "counterclockwise" in words and "clockwise" in words
        if both or not ({"clockwise", "counterclockwise"} & set(words)):
            continue
        turned = "counterclockwise" in words
        meant = clause.meant if turned else True
        if clause.says("negative", "minus"):
            yield (1 if turned else -1) * (1 if meant else -1)
        elif clause.says("positive", "plus") or clause.has("ANGLE"):
            plain = -1 if turned else 1
            yield plain * _sign(clause)
        elif counter and clause.lead == "instead":
            continue


def _order(sentence: Sentence) -> Iterator[int]:
    start = next((i for i, c in enumerate(sentence) if c.meant and c.says("first")), -1)
    later = next((i for i, c in enumerate(sentence) if c.meant and c.says("second")), -1)
    if 0 <= start < later and any(c.has("PLACE", "CONTAINER") for c in sentence):
        yield 1
    for clause in sentence:
        places = clause.has("PLACE", "CONTAINER") or clause.says("instruction", "one", "stop")
        named = clause.says("name", "list", "mention", "order", "sequence", "say", "give", "write")
        named = named or clause.says("keep", "follow", "respect", "obey", "matter", "observe")
        if clause.has("REVERSE") and (clause.has("ORDER") or clause.has("CONTAINER")):
            yield -_sign(clause)
        elif clause.says("second") and clause.says("before", "until") and not clause.meant:
            yield 1
        elif clause.has("ORDER") and named and (places or clause.has("PUT", "MOVE", "ATTEND")):
            if clause.says("any", "whatever", "matter", "irrelevant", "free", "indifferent"):
                yield _sign(clause) if clause.says("matter") else -1
            else:
                yield _sign(clause)
        elif clause.says("first") and (
            clause.says("second", "later") or (named and clause.has("CONTAINER", "PLACE"))
        ):
            backwards = re.search(
                r"\bsecond\b.*\b(before|ahead)\b.*\bfirst\b", " ".join(clause.words)
            )
            yield (-1 if backwards else 1) * _sign(clause)


def _restore(sentence: Sentence) -> Iterator[int]:
    asks = any(c.says("restore", "ask", "instruction", "demand") for c in sentence)
    for clause in sentence:
        back = clause.has("RESTORE") and (
            not clause.says("back")
            or clause.has("MOVE", "PUT", "OBJECT", "PICK")
            or clause.says("go")
        )
        back = back or (
            clause.says("original", "initial", "start", "starting", "came", "come")
            and clause.has("PUT", "MOVE")
        )
        acts = clause.has("PUT", "MOVE", "OBJECT", "ALL") or clause.says("finally", "end", "last")
        if clause.says("first", "empty") and not clause.says("restore"):
            continue
        if back and clause.says("before", "until") and not clause.meant:
            yield 1  # "do not end before it is back"
        elif back and (acts or asks or clause.says("restore", "restoration")):
            if clause.says("pick", "grip", "grasp") and not clause.has("END"):
                continue
            yield _sign(clause)


def _blocker(sentence: Sentence) -> Iterator[int]:
    about = any(
        c.has("BLOCKER", "BLOCK") or (c.has("PLACE") and c.says("on", "lie")) for c in sentence
    )
    for clause in sentence:
        blocked = clause.has("BLOCKER") or (clause.has("BLOCK") and clause.has("PLACE"))
        frees = clause.says("clear", "remove", "free", "vacate", "empty")
        clears = clause.has("AWAY") and (clause.has("MOVE", "PUT", "PICK") or frees)
        clears = clears or (clause.says("move", "relocate", "shift") and clause.has("EARLY"))
        target = clause.has("PLACE") and (about or clause.has("EARLY") or clause.says("target"))
        if blocked and clause.says("leave", "stay"):
            yield -_sign(clause)
        elif clears and (blocked or target or (about and clause.has("EARLY", "OBJECT"))):
            yield _sign(clause)
        elif blocked and clause.says("ignore"):
            yield -1


def _source(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("PICK") or clause.says("account"):
            continue
        now = clause.has("ENTITY") or (clause.has("CURRENT") and not clause.has("PICTURE"))
        now = now or (clause.says("last", "leave") and clause.says("put", "where", "place", "from"))
        if now and (clause.has("PLACE", "ENTITY") or clause.says("where", "from", "at")):
            yield _sign(clause)
        elif (
            clause.has("PICTURE") and (clause.has("PLACE") or clause.says("where", "from", "at"))
        ) or (
            clause.says("old", "former", "previous", "earlier", "original") and clause.has("PLACE")
        ):
            yield -_sign(clause)


def _all_objects(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if clause.has("RESTORE") or not clause.has("MOVE", "PUT"):
            continue
        many = clause.says("every", "all", "each", "whole", "everything", "both")
        if clause.limited and clause.says("first", "one", "single"):
            yield 1
        elif many and (
            clause.has("OBJECT", "PICTURE", "ENTITY") or clause.says("everything", "one")
        ):
            yield _sign(clause)
        elif (
            clause.says("one", "single")
            and clause.says("only", "enough", "suffice")
            and clause.has("OBJECT")
        ):
            yield -_sign(clause)


def _object_to_base(sentence: Sentence) -> Iterator[int]:
    if any(c.has("CONFUSE") or c.says("for", "first", "second", "name", "last") for c in sentence):
        return
    meant = [w for c in sentence if c.meant and c.lead != "instead" for w in (*c.words, "|")]
    pick, base, thing, put = (_at(meant, of) for of in (_PICKS, _BASES, _THINGS, _PUTS))
    if min(pick, base, thing) >= 0 and (put >= 0 or "to" in meant):
        yield 1 if thing < base else -1
    elif min(pick, base) >= 0 and pick < base and "object" not in meant[pick:base]:
        yield -1
    for clause in sentence:
        words = list(clause.words)
        pick, base, thing = (_at(words, of) for of in (_PICKS, _BASES, _THINGS))
        short = clause.lead == "instead" or len(words) <= 3
        if clause.meant or base < 0 or (pick < 0 and not (short and _picked(sentence))):
            continue
        yield 1 if thing < 0 or base < thing else -1


def _picked(sentence: Sentence) -> bool:
    return any(_at(list(clause.words), _PICKS) >= 0 for clause in sentence)


_PICKS = "pick grip grasp take lift grab move carry picked"
_PUTS = "place put drop onto into set lay lower placement destination"
_BASES = "base container bowl receptacle frame pallet pan"
_THINGS = "object thing item"


def _at(order: list[str], of: str) -> int:
    return next((i for i, word in enumerate(order) if word in of.split()), -1)


_JUDGES: dict[str, Callable[[Sentence], Iterator[int]]] = {
    "colours": _colours,
    "pattern": _feature("PATTERN"),
    "outline": _feature("OUTLINE"),
    "size": _feature("SIZE", "angle degree"),
    "light": _light,
    "container": _container,
    "clockwise": _clockwise,
    "order": _order,
    "restore": _restore,
    "blocker": _blocker,
    "source": _source,
    "all_objects": _all_objects,
    "object_to_base": _object_to_base,
}


@lru_cache(maxsize=4096)
def stances(text: str) -> MappingProxyType[str, int]:
    """The rules that ``text`` speaks of: +1 where it asserts one, -1 where it denies one."""
    found: dict[str, int] = {}
    for sentence in sentences(text):
        for name, judge in _JUDGES.items():
            votes = list(judge(sentence))
            if votes:
                found[name] = -1 if min([*votes, found.get(name, 1)]) < 0 else 1
    return MappingProxyType(found)


def rules_in(text: str) -> frozenset[str]:
    """The rules that ``text`` asserts."""
    return frozenset(name for name, stance in stances(text).items() if stance > 0)


@dataclass(frozen=True)
class Pointer:
    """A suggestion about one entity.

    Attributes:
        entity: Its number.
        target: The name of the target as prompts write it, or empty for any.
        scene: The pictured scene that the entity is of; empty for the environment.
        meant: False where the target is another entity.
    """

    entity: int
    target: str
    scene: str
    meant: bool


def pointers(text: str) -> list[Pointer]:
    """What ``text`` says of numbered entities ("Entity 3 is not {object}")."""
    found = []
    for part in re.split(r"(?<!\d)[.;](?:\s|$)", text):
        numbers = re.findall(r"\bentity\s+#?(\d+)", part, re.IGNORECASE)
        named = re.search(r"\{[\w/]+\}|\"[^\"]+\"", re.sub(r"picture \{\w+\}", "", part))
        pictured = re.search(r"picture \{(\w+)\}", part)
        if not numbers or re.search(r"\?\s*$", part):
            continue
        target = named.group(0) if named else ""
        scene = pictured.group(1) if pictured else ""
        negated = re.search(
            r"\bnot\b|n't\b|\bnever\b|\bwrong\b|\bexclude|\brule out|\bavoid|\bother than\b"
            r"|\binstead of\b|\brather than\b|\bno match\b|\bexcept\b|\bdiscard",
            part,
            re.IGNORECASE,
        )
        positive = re.search(r"\b(is|match\w*|choose|take|pick|must be|use)\b", part, re.IGNORECASE)
        if negated or positive:
            found += [Pointer(int(n), target, scene, not negated) for n in dict.fromkeys(numbers)]
    return found
