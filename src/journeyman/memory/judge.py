"""Judges the operations of a delta, each by itself; knows no file and changes nothing.

The rules, in the order in which an operation meets them:

1. A delta whose reply could not be used (``error``) has no accepted operation.
2. An alias must be one that the delta's version had, and its entry must still live unchanged: a
   delta built on an older version is judged against the memory as it is now.
3. An entry may be touched once in a delta; once a Revise or Remove of it was accepted, another is
   refused.
4. Text must not be empty, and text, title and condition must each keep to `LONGEST` characters.
5. A Revise must change the words (text, title, condition or kind). A new plan key alone is no
   change when a model proposes it, because every proposal carries the plan of the task at hand;
   a person may change it alone.
6. No two living entries of one `family` have the same text, letter case, spacing and character
   width aside. Each module of EEAgent keeps its own: what both learnt, both are shown.
7. Removals: with L entries living before the delta, at most ``L // 2`` of them may be
   removed, plus one for each accepted Add of the delta (merging two into one, or replacing an
   entry that was contradicted, is no loss). Removals beyond that are refused, the last first.
   Short-term memory is made to be cleared: removing a suggestion is free, and neither such an
   entry nor a new suggestion counts for L or as an Add. A suggestion that a Revise makes a
   principle counts as an Add.
8. An entry whose very text the same delta gives again in its family, in an Add or in the Revise
   of another entry, is not removed: the repetition is refused as a duplicate, and the lesson would
   be lost.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from journeyman.core.values import (
    KINDS,
    Add,
    Delta,
    Kind,
    Operation,
    Remove,
    Revise,
    Strategy,
    Verdict,
)

LONGEST = 2000
"""Characters of a text, a title or a condition."""

SHORT_TERM: tuple[Kind, ...] = ("interpreter_suggestion", "planner_suggestion")
"""Kinds of entries that live for one task only (EEAgent section III-D1)."""

_MODULES: tuple[tuple[Kind, ...], ...] = (
    ("interpreter_principle", "interpreter_suggestion"),
    ("planner_principle", "planner_suggestion"),
)
_OTHERS: tuple[Kind, ...] = tuple(
    kind for kind in KINDS if not any(kind in module for module in _MODULES)
)

_ALIAS = re.compile(r"\[?\s*[sS]([1-9][0-9]{0,8})\s*\]?", re.ASCII)


@dataclass(frozen=True)
class Wording:
    """What a revision says, whole."""

    text: str
    title: str
    applies_when: str
    kind: Kind
    plan: str
    instruction: str

    @staticmethod
    def of(entry: Strategy) -> Wording:
        """What ``entry`` says."""
        return Wording(
            entry.text,
            entry.title,
            entry.applies_when,
            entry.kind,
            entry.plan,
            entry.instruction,
        )

    @property
    def key(self) -> str:
        """The text that is embedded: the plan p_i, or the text of an entry that has no plan."""
        return self.plan or self.text


class Ground(Protocol):
    """What a delta is judged against: the memory now, and the aliases of the version it saw."""

    @property
    def living(self) -> int:
        """The number of living entries, L."""
        ...

    def resolve(self, position: int) -> Strategy | str:
        """The living entry that the alias number meant, or why there is none."""
        ...

    def holder(self, digest: str, kinds: Sequence[Kind]) -> str | None:
        """The id of the living entry of one of ``kinds`` whose text has this `digest`."""
        ...


@dataclass(frozen=True)
class Ruling:
    """A verdict with what is needed to carry it out.

    Attributes:
        verdict: Its ``entry`` is the entry that the operation is about, also where refused; for
            a refused duplicate the entry that has the text; "" for an accepted Add, which has no
            id yet.
        before: The entry as it was, for a Revise or Remove.
        wording: What the new revision says, for an accepted Add or Revise.
    """

    verdict: Verdict
    before: Strategy | None = None
    wording: Wording | None = None


def family(kind: Kind) -> tuple[Kind, ...]:
    """The kinds among which no text stands twice: those of one EEAgent module, or all others."""
    return next((module for module in _MODULES if kind in module), _OTHERS)


def digest(text: str) -> str:
    """Equal for texts that differ only in case, spacing, character width or invisible signs."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()


def normalised(text: str) -> str:
    """The text in one case, width and spacing, without invisible characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    seen = (c for c in folded if c.isspace() or unicodedata.category(c) not in {"Cf", "Cc"})
    return " ".join("".join(seen).split())


def alias_position(alias: str) -> int | None:
    """3 for ``S3``, ``s3`` and ``[S3]``; None for anything else."""
    match = _ALIAS.fullmatch(alias.strip())
    return int(match[1]) if match else None


def judge(delta: Delta, ground: Ground, *, by_hand: bool = False) -> tuple[Ruling, ...]:
    """A ruling for each operation, in order; ``by_hand`` where a person proposes (rule 5)."""
    if delta.error is not None:
        reason = "the reply could not be used"
        return tuple(_refused(operation, reason) for operation in delta.operations)
    judgement = _Judgement(ground, by_hand)
    targets = [judgement.target(operation) for operation in delta.operations]
    repeated = judgement.repeated(delta.operations, targets)
    rulings = [
        judgement.rule(operation, target, repeated)
        for operation, target in zip(delta.operations, targets, strict=True)
    ]
    return tuple(_bounded(rulings, ground.living))


Mark = tuple[str, tuple[Kind, ...]]
"""The digest of a text and its family: what no two living entries have in common."""

Target = Strategy | str | None
"""The entry that an alias means, or why it means none; None for an Add."""


@dataclass
class _Judgement:
    ground: Ground
    by_hand: bool
    touched: set[str] = field(default_factory=set)
    taken: dict[Mark, str] = field(default_factory=dict)
    """Marks of texts that this delta brings, with the id of their entry ("" for a new one)."""
    freed: set[Mark] = field(default_factory=set)
    """Marks of texts that this delta replaces."""

    def target(self, operation: Operation) -> Target:
        if isinstance(operation, Add):
            return None
        position = alias_position(operation.alias)
        if position is None:
            return "the alias is not of the form S1, S2, ..."
        return self.ground.resolve(position)

    def repeated(self, operations: Sequence[Operation], targets: Sequence[Target]) -> set[str]:
        """Entries whose text the delta gives again elsewhere (rule 8)."""
        found = set()
        for operation, target in zip(operations, targets, strict=True):
            if isinstance(operation, Remove):
                continue
            entry = target if isinstance(target, Strategy) else None
            kind = operation.kind or (entry.kind if entry is not None else None)
            kinds = KINDS if kind is None else family(kind)
            holder = self.ground.holder(digest(operation.text), kinds)
            if holder is not None and (entry is None or entry.id != holder):
                found.add(holder)
        return found

    def rule(self, operation: Operation, target: Target, repeated: set[str]) -> Ruling:
        if isinstance(target, str):
            return _refused(operation, target)
        if target is not None and target.id in self.touched:
            return _refused(operation, "this delta touches the entry already", target)
        if isinstance(operation, Remove):
            assert target is not None
            if target.id in repeated:
                return _refused(operation, "this delta gives the entry's text again", target)
            self.touched.add(target.id)
            return Ruling(Verdict(operation, True, entry=target.id), target)
        problem = _unfit(operation)
        if problem:
            return _refused(operation, problem, target)
        wording = _wording(operation, target)
        if target is not None and self._same(wording, target, operation):
            return _refused(operation, "nothing would change", target)
        return self._if_new(operation, target, wording)

    def _same(self, new: Wording, old: Strategy, operation: Add | Revise) -> bool:
        words = (new.text, new.title, new.applies_when, new.kind)
        if words != (old.text, old.title, old.applies_when, old.kind):
            return False
        return not self.by_hand or (new.plan, new.instruction) == (old.plan, old.instruction)

    def _if_new(self, operation: Operation, target: Strategy | None, wording: Wording) -> Ruling:
        mark = _mark(wording.text, wording.kind)
        holder = self.taken.get(mark)
        if holder is None and mark not in self.freed:
            holder = self.ground.holder(*mark)
        if holder is not None and (target is None or holder != target.id):
            which = holder or "an earlier operation of this delta"
            reason = f"the same text as {which}"
            return Ruling(Verdict(operation, False, reason, holder), target)
        if target is not None:
            self.touched.add(target.id)
            self.freed.add(_mark(target.text, target.kind))
        self.taken[mark] = target.id if target is not None else ""
        entry = target.id if target is not None else ""
        return Ruling(Verdict(operation, True, entry=entry), target, wording)


def _mark(text: str, kind: Kind) -> Mark:
    return digest(text), family(kind)


def _unfit(operation: Add | Revise) -> str:
    if not normalised(operation.text):
        return "the text is empty"
    for name, value in (
        ("text", operation.text),
        ("title", operation.title),
        ("condition", operation.applies_when),
    ):
        if len(value) > LONGEST:
            return f"the {name} has {len(value)} characters, more than {LONGEST}"
    return ""


def _wording(operation: Add | Revise, old: Strategy | None) -> Wording:
    """The whole new wording; where a Revise leaves a field empty, the entry keeps what it has."""
    if old is None:
        return Wording(
            operation.text,
            operation.title,
            operation.applies_when,
            operation.kind or Add.kind,
            operation.plan,
            operation.instruction,
        )
    return Wording(
        operation.text,
        operation.title or old.title,
        operation.applies_when or old.applies_when,
        operation.kind or old.kind,
        operation.plan or old.plan,
        operation.instruction or old.instruction,
    )


def _bounded(rulings: list[Ruling], living: int) -> list[Ruling]:
    """Refuses the removals beyond rule 7."""
    accepted = [ruling for ruling in rulings if ruling.verdict.accepted]
    cleared = sum(_clears(ruling) for ruling in accepted)
    added = sum(_adds(ruling) for ruling in accepted)
    allowed = (living - cleared) // 2 + added
    judged = []
    for ruling in rulings:
        removes = isinstance(ruling.verdict.operation, Remove) and ruling.verdict.accepted
        if removes and not _clears(ruling):
            allowed -= 1
            if allowed < 0:
                reason = f"mass removal: too many of the {living} living entries"
                ruling = _refused(ruling.verdict.operation, reason, ruling.before)
        judged.append(ruling)
    return judged


def _clears(ruling: Ruling) -> bool:
    """Whether it takes an entry out of short-term memory."""
    removes = isinstance(ruling.verdict.operation, Remove)
    return removes and ruling.before is not None and ruling.before.kind in SHORT_TERM


def _adds(ruling: Ruling) -> bool:
    """Whether it brings an entry into long-term memory, new or out of short-term memory."""
    if ruling.wording is None or ruling.wording.kind in SHORT_TERM:
        return False
    return ruling.before is None or ruling.before.kind in SHORT_TERM


def _refused(operation: Operation, reason: str, target: Strategy | None = None) -> Ruling:
    return Ruling(Verdict(operation, False, reason, target.id if target else ""), target)
