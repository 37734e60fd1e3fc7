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
        for clause in sentence:
            if not clause.has(concept) or (other and clause.says(*other.split())):
                continue
            if clause.limited:
                continue  # "not only by the shape" neither asks for it nor forbids it
            if clause.has("ATTEND") or (told and clause.lead in {",", "instead", "but"}):
                yield _sign(clause)
            elif not clause.meant and not clause.has("LIGHT"):
                yield -1

    return judge


def _light(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("LIGHT"):
            continue
        regardless = clause.says("regardless", "despite", "irrespective", "independent", "whatever")
        if regardless or (clause.has("DIFFER") and clause.meant and not clause.says("compare")):
            yield 1
        elif clause.says("matter") and clause.says("no"):
            yield 1
        elif not clause.meant:
            yield 1
        elif clause.has("ATTEND"):
            yield -1


def _container(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("CONTAINER"):
            continue
        confuses = clause.has("CONFUSE") or (clause.says("take") and clause.says("for"))
        if confuses:
            yield -_sign(clause)
        elif clause.says("object", "thing", "item", "target", "content", "contents", "what") and (
            clause.says("inside", "in", "within", "inner", "contain", "enclose", "hold")
            and (clause.has("ATTEND") or clause.says("may", "can", "could", "lie", "hide", "might"))
        ):
            yield _sign(clause)
        elif clause.says("separate", "distinguish", "tell", "apart") and clause.has("OBJECT"):
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
    for clause in sentence:
        places = clause.has("PLACE", "CONTAINER") or clause.says("instruction", "one", "stop")
        named = clause.says("name", "list", "mention", "order", "sequence", "say", "give", "write")
        if clause.has("REVERSE") and (clause.has("ORDER") or clause.has("CONTAINER")):
            yield -_sign(clause)
        elif clause.has("ORDER") and named and (places or clause.has("PUT", "MOVE")):
            if clause.says("any", "whatever", "matter", "irrelevant", "free", "indifferent"):
                yield _sign(clause) if clause.says("matter") else -1
            else:
                yield _sign(clause)
        elif clause.says("first") and (
            clause.says("second", "later") or (named and clause.has("CONTAINER", "PLACE"))
        ):
            backwards = re.search(r"\bsecond\b.*\b(before|ahead)\b.*\bfirst\b", " ".join(words(clause)))
            yield (-1 if backwards else 1) * _sign(clause)
        elif clause.says("second") and clause.says("before", "until") and not clause.meant:
            yield 1


def words(clause: Clause) -> tuple[str, ...]:
    return clause.words


def _restore(sentence: Sentence) -> Iterator[int]:
    asks = any(c.says("restore", "ask", "instruction", "demand") for c in sentence)
    for clause in sentence:
        back = clause.has("RESTORE") and (
            not clause.says("back") or clause.has("MOVE", "PUT", "OBJECT", "PICK") or clause.says("go")
        )
        back = back or (
            clause.says("original", "initial", "start", "starting", "came", "come")
            and clause.has("PUT", "MOVE")
        )
        if back and (clause.has("END", "PUT", "MOVE", "OBJECT", "ALL", "PLACE") or asks):
            if clause.says("pick", "grip", "grasp") and not clause.has("END"):
                continue
            yield _sign(clause)


def _blocker(sentence: Sentence) -> Iterator[int]:
    about = any(c.has("BLOCKER", "BLOCK") or (c.has("PLACE") and c.says("on", "lie")) for c in sentence)
    for clause in sentence:
        blocked = clause.has("BLOCKER") or (
            clause.has("BLOCK") and clause.has("PLACE") and not clause.has("PICK")
        )
        clears = clause.has("AWAY") and (clause.has("MOVE", "PUT", "PICK") or clause.says("clear", "remove", "free", "vacate", "empty"))
        clears = clears or (clause.says("move") and clause.has("EARLY"))
        if clears and (blocked or (about and clause.has("PLACE", "EARLY", "OBJECT", "BLOCKER"))):
            if clause.says("leave") and not clause.has("MOVE"):
                continue
            yield _sign(clause)
        elif blocked and clause.says("leave", "ignore", "stay") and not clears:
            yield -1 if clause.says("leave", "stay") and clause.meant else -_sign(clause) * -1


def _source(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if not clause.has("PICK"):
            continue
        now = clause.has("ENTITY") or (
            clause.has("CURRENT") and not clause.has("PICTURE")
        )
        now = now or (clause.says("last", "left", "leave") and clause.has("PUT", "PLACE", "CURRENT"))
        if now and (clause.has("PLACE", "ENTITY") or clause.says("where", "from", "at")):
            yield _sign(clause)
        elif clause.has("PICTURE") and (clause.has("PLACE") or clause.says("where", "from", "at")):
            yield -_sign(clause)
        elif clause.says("old", "former", "previous", "earlier", "original") and clause.has("PLACE"):
            yield -_sign(clause)


def _all_objects(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        if clause.has("RESTORE") or not clause.has("MOVE", "PUT"):
            continue
        many = clause.says("every", "all", "each", "whole", "everything", "both")
        if clause.limited and clause.says("first", "one", "single"):
            yield 1
        elif many and (clause.has("OBJECT", "PICTURE", "ENTITY") or clause.says("everything", "one")):
            yield _sign(clause)
        elif clause.says("one", "single") and clause.says("only", "enough", "suffice") and clause.has("OBJECT"):
            yield -_sign(clause)


def _object_to_base(sentence: Sentence) -> Iterator[int]:
    for clause in sentence:
        order = list(clause.words)
        base = _at(order, "base container bowl receptacle frame pallet pan")
        thing = _at(order, "object thing item")
        pick = _at(order, "pick grip grasp take lift grab move carry")
        put = _at(order, "place put drop onto into set lay destination")
        if min(base, pick) < 0 and min(base, put) < 0:
            continue
        if clause.says("for", "inside") and clause.has("CONFUSE"):
            continue
        if clause.says("first", "second", "name"):
            continue
        if min(base, thing, pick) >= 0 and put >= 0:
            yield (1 if thing < base else -1) * _sign(clause)
        elif base >= 0 and pick >= 0 and not clause.meant and thing < 0:
            yield 1
        elif thing >= 0 and base >= 0 and pick >= 0 and not clause.meant:
            yield 1 if base < thing else -1


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
                found[name] = -1 if min(votes + [found.get(name, 1)]) < 0 else 1
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
