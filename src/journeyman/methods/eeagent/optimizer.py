"""Optimization: what was reflected enters long-term memory (section III-D4, Algorithm 1 line 18).

First the generality gate: the model rates whether each text holds beyond its task. What passes is
combined with the memory by the model, which merges what says the same and resolves contradictions.
The memory keeps to its maximum whatever the model replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from journeyman.core.messages import user
from journeyman.core.values import Add, Lesson, Operation, Remove, Revise
from journeyman.memory.judge import LONGEST, normalised
from journeyman.methods.eeagent.memory import NAMES, Module, kind_of, listed
from journeyman.methods.eeagent.replies import (
    GeneralityReply,
    MemoryOperation,
    OptimizationReply,
)
from journeyman.methods.eeagent.strategies import PACKAGE
from journeyman.methods.prompting import one_line, template
from journeyman.models.roles import ModelRoles

FULL = "the memory is full, and this is its oldest principle"


@dataclass(frozen=True)
class Candidate:
    """A text that may enter long-term memory.

    Attributes:
        suggestion: The alias of the short-term memory's entry that it is, or empty.
        general: What the gate said; False where it said nothing.
    """

    text: str
    suggestion: str = ""
    general: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Kept:
    """A principle of the memory to be.

    Attributes:
        alias: S-alias of the entry that it is or becomes a revision of; empty for a new one.
        before: What that entry says now.
    """

    text: str
    alias: str = ""
    before: str = ""


@dataclass(frozen=True)
class Optimized:
    """The memory of one module after optimization, as operations on the store.

    Attributes:
        dropped: Each principle or candidate that is no longer there as such, with the reason.
        problem: Why the model's reply was not used and the fallback was, or None.
    """

    operations: tuple[Operation, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    reply: str = ""
    problem: str | None = None

    def values(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "dropped": [{"text": text, "reason": reason} for text, reason in self.dropped],
            "problem": self.problem,
        }


class Optimizer:
    """Gate and consolidation.

    Args:
        models: ``judge`` rates, ``consolidate`` combines.
        cap: Principles a module at most (section IV-A: 20).
        reasks: Re-asks of a bad reply.
    """

    def __init__(self, models: ModelRoles, *, cap: int = 20, reasks: int = 2) -> None:
        self.models = models
        self.cap = cap
        self.reasks = reasks

    def gate(
        self, module: Module, candidates: Sequence[Candidate], instruction: str
    ) -> tuple[Candidate, ...]:
        """The candidates with the model's ratings; nothing is general that it does not call so."""
        if not candidates:
            return ()
        text = template(PACKAGE, "gate").substitute(
            module=NAMES[module],
            instruction=one_line(instruction),
            candidates=listed("C", (candidate.text for candidate in candidates)),
        )
        reply = self.models.ask("judge", [user(text)], GeneralityReply, self.reasks)
        if not isinstance(reply.parsed, GeneralityReply):
            reason = f"the gate's reply could not be used: {reply.problem}"
            return tuple(replace(candidate, reason=reason) for candidate in candidates)
        said = {rating.candidate.strip(" []"): rating for rating in reply.parsed.ratings}
        return tuple(
            replace(candidate, general=said[alias].general, reason=said[alias].reason)
            if (alias := f"C{number}") in said
            else replace(candidate, reason="it was not rated")
            for number, candidate in enumerate(candidates, start=1)
        )

    def optimize(
        self,
        module: Module,
        principles: Sequence[Lesson],
        candidates: Sequence[Candidate],
        instruction: str,
    ) -> Optimized:
        """The memory ``principles`` combined with the candidates that passed the gate.

        Where no reply is usable, or the list would be too long, the new principles are added as
        they are, and the oldest give way.
        """
        known = {normalised(lesson.text) for lesson in principles}
        new = [c for c in candidates if c.general and normalised(c.text) not in known]
        new = list({normalised(c.text): c for c in reversed(new)}.values())[::-1]
        before = [Kept(lesson.text, lesson.alias, lesson.text) for lesson in principles]
        if not new:
            return Optimized()
        text = template(PACKAGE, "optimize").substitute(
            module=NAMES[module],
            cap=self.cap,
            principles=listed("P", (kept.text for kept in before)),
            new=listed("N", (candidate.text for candidate in new)),
        )

        def check(reply: OptimizationReply) -> str | None:
            return _wrong(reply.operations, before, self.cap)

        reply = self.models.ask(
            "consolidate", [user(text)], OptimizationReply, self.reasks, check=check
        )
        if isinstance(reply.parsed, OptimizationReply):
            after, dropped = _combined(reply.parsed.operations, before)
            problem = None
        else:
            after, dropped = _appended(before, new, self.cap)
            problem = reply.problem or "the reply holds no operations"
        operations = _operations(module, before, after, dropped, candidates, instruction)
        return Optimized(tuple(operations), tuple(dropped), reply.text, problem)


Dropped = list[tuple[str, str]]


def _wrong(said: Sequence[MemoryOperation], before: Sequence[Kept], cap: int) -> str | None:
    """Why the operations cannot be used, as one sentence without a full stop, or None."""
    touched: set[int] = set()
    for number, item in enumerate(said, start=1):
        if item.op != "remove" and not normalised(item.text):
            return f"operation {number} ({item.op}) has no text"
        if item.op != "remove" and len(one_line(item.text)) > LONGEST:
            return f"the text of operation {number} has more than {LONGEST} characters"
        if item.op == "add":
            continue
        place = _place(item.alias, before)
        if place is None:
            known = f"P1 to P{len(before)}" if before else "none, for the memory is empty"
            return f"operation {number} names no principle; the aliases are {known}"
        if place in touched:
            return f"operation {number} names {item.alias}, which an earlier one changed already"
        touched.add(place)
    after, _ = _combined(said, before)
    if len(after) > cap:
        return f"the list would hold {len(after)} principles, more than {cap}"
    return None


def _place(alias: str, before: Sequence[Kept]) -> int | None:
    digits = alias.strip(" []").removeprefix("P")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else 0
    return number - 1 if 1 <= number <= len(before) else None


def _combined(
    said: Sequence[MemoryOperation], before: Sequence[Kept]
) -> tuple[list[Kept], Dropped]:
    """The list after the operations, no text in it twice, and what is no longer there.

    Words that a principle has already stay that principle's, whichever one was revised to them or
    gives them anew: the store lets no other entry take them.
    """
    after: dict[int, Kept] = dict(enumerate(before))
    added, reasons = [], {}
    for item in said:
        place = _place(item.alias, before) if item.op != "add" else None
        if place is None:
            added.append(Kept(one_line(item.text)))
        elif item.op == "revise":
            after[place] = replace(before[place], text=one_line(item.text))
        else:
            reasons[before[place].alias] = one_line(item.reason) or "removed by the model"
            del after[place]
    owners = {normalised(entry.text): entry for entry in before}
    kept: dict[str, Kept] = {}
    for entry in [*after.values(), *added]:
        mark = normalised(entry.text)
        owner = owners.get(mark, entry)
        kept.setdefault(mark, entry if owner.alias == entry.alias else owner)
    unchanged = {entry.alias for entry in kept.values() if entry.text == entry.before}
    final = [
        Kept(entry.text) if entry.alias in unchanged and entry.text != entry.before else entry
        for entry in kept.values()
    ]
    there = {entry.alias for entry in final}
    merged = "merged: another principle says it in the same words"
    return final, [
        (entry.text, reasons.get(entry.alias, merged))
        for entry in before
        if entry.alias not in there
    ]


def _appended(
    before: Sequence[Kept], new: Sequence[Candidate], cap: int
) -> tuple[list[Kept], Dropped]:
    """All of it, the oldest first; what is beyond ``cap`` gives way from that end."""
    whole = [*before, *(Kept(candidate.text) for candidate in new)]
    surplus = max(0, len(whole) - cap)
    return whole[surplus:], [(kept.text, FULL) for kept in whole[:surplus]]


def _operations(
    module: Module,
    before: Sequence[Kept],
    after: Sequence[Kept],
    dropped: Dropped,
    candidates: Sequence[Candidate],
    instruction: str,
) -> list[Operation]:
    """What turns the store from ``before`` into ``after``.

    A principle in the words of a suggestion is that suggestion, promoted: its entry is revised to
    be a principle, so that its history tells where it came from.
    """
    kind = kind_of(module, "principle")
    promoted = {normalised(c.text): c.suggestion for c in candidates if c.suggestion}
    reasons = dict(dropped)
    living = {kept.alias for kept in after if kept.alias}
    operations: list[Operation] = [
        Remove(kept.alias, reasons.get(kept.text, FULL))
        for kept in before
        if kept.alias not in living
    ]
    for kept in after:
        if kept.alias and kept.text == kept.before:
            continue
        alias = promoted.get(normalised(kept.text), "")
        if alias:
            operations.append(Revise(alias, kept.text, kind=kind))
            if kept.alias:
                operations.append(Remove(kept.alias, f"promoted in its place: {kept.text}"))
        elif kept.alias:
            operations.append(Revise(kept.alias, kept.text))
        else:
            operations.append(Add(kept.text, kind=kind, instruction=instruction))
    return operations


def candidate_values(module: Module, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """The gate's ratings as JSON values."""
    return [{"module": module, **asdict(candidate)} for candidate in candidates]
