"""How a segment is meant: forbidden, not needed, left out, impossible, of a bad end."""

from __future__ import annotations

from collections.abc import Sequence

from journeyman.models.standin.words import BAD, OMIT, PROHIBIT, UNNEEDED, word_set

_NEGATIONS = word_set("no not never")
_NEEDLESS = word_set("need necessary require bother reason")
_PAST = word_set("did was were had been is are has have")
_ABLE = word_set("does can could will would")
_SUBJECTS = word_set("robot agent it thing object they we item i action put pick")
_PLURAL_SUBJECTS = word_set("thing object item they both two container one action")
_DISMISSALS = (
    "not true", "not so", "not the case", "be false", "be a myth", "might think", "whether or not",
    "regardless", "irrespective", "no matter", "even without", "even if", "even when",
    "before or after", "in any order", "either order",
)  # fmt: skip
_UNWISE = word_set("waste mistake wrong useless futile unwise silly foolish senseless")
_SAD = word_set("cold dirty warm raw dark empty hot apart")
_DONE = word_set("count work clean wash heat cool warm cold chill examine accept receive take fit")


def negation(lemmas: Sequence[str], raws: Sequence[str]) -> tuple[str, int]:
    """How a segment is negated (an `Event.polarity`), and at which word."""
    for index, base in enumerate(lemmas):
        if base in UNNEEDED:
            return "unneeded", index if "to" in lemmas[index + 1 : index + 3] else -1
    for index, base in enumerate(lemmas):
        before = lemmas[:index]
        after = lemmas[index + 1 : index + 4]
        if base in _NEGATIONS:
            if after[:1] and (after[0] in OMIT or after[:2] == ["fail", "to"]):
                return "", index  # "do not forget to"
            if set(after[:2]) & _NEEDLESS or before[-1:] == ["need"] or after[:2] == ["have", "to"]:
                return "unneeded", index
            if base == "no":
                if set(after[:1]) & {"use", "point", "good"}:
                    return "no", index
                continue
            return _meant(base, before, raws[:index], after), index
        if base in OMIT or (base == "fail" and after[:1] == ["to"]):
            return "omit", index
        if base in _UNWISE and "to" in after:
            return "no", index
        if base in PROHIBIT and raws[index] not in {"avoided", "avoids"}:
            return "no", index
    return "", -1


def dismissed(lemmas: Sequence[str]) -> bool:
    """Whether a sentence takes back what it names ("whether it is there makes no difference")."""
    text = " ".join(lemmas)
    if "whether" in lemmas and any(w in lemmas for w in ("matter", "difference", "same")):
        return True
    return any(phrase in text for phrase in _DISMISSALS)


def _meant(base: str, before: Sequence[str], raws: Sequence[str], after: Sequence[str]) -> str:
    """Directive, told of the past, or impossible: what a "not" or "never" means."""
    last = before[-1] if before else ""
    raw = raws[-1] if raws else ""
    if base == "not" and after[:1] == ["only"]:
        return ""
    if last in {"should", "must", "may", "shall"}:
        return "no"
    if raw == "do":
        return "cant" if len(before) > 1 and before[-2] in _PLURAL_SUBJECTS else "no"
    if raw in _PAST:
        return "omit"
    if raw in _ABLE:
        return "cant"
    return "omit" if base == "never" and set(before) & _SUBJECTS else "no"


def is_bad(lemmas: Sequence[str], raws: Sequence[str], kind: str, lead: str) -> bool:
    """Whether the segment tells of a bad end."""
    if kind == "cant" or (kind == "omit" and lead == "so"):
        return True
    if {"tried", "attempted"} & set(raws):
        return True
    for index, base in enumerate(lemmas):
        before, after = lemmas[max(0, index - 3) : index], lemmas[index + 1 : index + 4]
        if base == "fail" and after[:1] == ["to"]:
            continue
        if base == "nothing" and "else" in after[:2]:
            continue
        if base in BAD and not set(before) & {*_NEGATIONS, "avoid", "prevent"}:
            return True
        if base == "no" and set(after) & {"effect", "good", "result", "use"}:
            return True
        if base in {"stay", "remain", "leave"} and set(after) & _SAD:
            return True
        if base == "keep" and "from" in after:
            return True
        if base == "reach" and before[-2:] == ["out", "of"]:
            return True
    return kind == "omit" and bool(set(lemmas) & _DONE)
