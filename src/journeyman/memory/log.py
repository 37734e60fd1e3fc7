"""The log of all changes: how a delta is written to the file and read back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from journeyman.core.errors import MemoryStoreError
from journeyman.core.values import (
    KINDS,
    Add,
    Applied,
    Delta,
    Insight,
    Operation,
    Origin,
    Reflection,
    Remove,
    Revise,
    Strategy,
    Use,
    Verdict,
)
from journeyman.memory.store import Store

_OPERATIONS: dict[str, type[Add] | type[Revise] | type[Remove]] = {
    "add": Add,
    "revise": Revise,
    "remove": Remove,
}

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

STRATEGY = """
SELECT r.entry, r.revision, r.text, r.title, r.applies_when, r.kind, r.plan, r.instruction,
       d.run, d.episode, d.moment, d.task, d.author
FROM revision r JOIN delta d ON d.version = r.version
"""
"""Selects what `strategy` reads."""

LIVING = "l.since <= ?1 AND (l.until IS NULL OR l.until > ?1)"
"""The lives ``l`` at version ?1."""


@dataclass(frozen=True)
class Change:
    """One version: what caused it, what was proposed, what became of it.

    Attributes:
        version: The version that it made.
        cause: ``delta``, ``restore N`` or ``purge e0003``.
        uses: The lessons that its episode was given.
    """

    version: int
    cause: str
    origin: Origin
    delta: Delta
    verdicts: tuple[Verdict, ...]
    uses: tuple[Use, ...] = ()


def entry_id(number: int) -> str:
    """``e0007``: counted, so a resumed run gives the same ids."""
    return f"e{number:04d}"


def entry_number(store: Store, entry: str) -> int:
    """The number of the entry ``e0007``.

    Raises:
        MemoryStoreError: this memory never held it.
    """
    digits = entry[1:]
    if entry[:1] == "e" and digits.isascii() and digits.isdigit() and len(digits) < 16:
        number = int(digits)
        if entry == entry_id(number) and store.rows("SELECT 1 FROM entry WHERE entry = ?", number):
            return number
    raise MemoryStoreError(
        f"{store.path} never held an entry {entry!r}.",
        hint="List its entries with: journeyman memory show RUN",
    )


def strategy(row: Sequence[Any], alias: str = "") -> Strategy:
    """The entry of one row of `STRATEGY`."""
    number, revision, text, title, applies_when, kind, plan, instruction, *origin = row
    return Strategy(
        entry_id(number),
        alias,
        revision,
        text,
        title,
        applies_when,
        kind,
        plan,
        instruction,
        Origin(*origin),
    )


def operation_from_json(value: Mapping[str, Any]) -> Operation:
    return _OPERATIONS[value["op"]](**value)


def reflection_from_json(value: Mapping[str, Any] | None) -> Reflection | None:
    if value is None:
        return None
    insights = tuple(Insight(**insight) for insight in value["insights"])
    return Reflection(value["mode"], insights, value["error"], value.get("evidence", {}))


def dumped(value: Any) -> str:
    """One JSON text for equal values: keys sorted, no spaces, no NaN."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )


def storable(delta: Delta) -> Delta:
    """The delta with U+FFFD for lone surrogates, which models write and no UTF-8 file can hold.

    Raises:
        ValueError: an operation's kind is none of `KINDS`.
    """
    for operation in delta.operations:
        kind = None if isinstance(operation, Remove) else operation.kind
        if kind is not None and kind not in KINDS:
            raise ValueError(f"the kind {kind!r} is none of {KINDS}")
    reflection = None if delta.reflection is None else _storable(asdict(delta.reflection))
    operations = [_storable(asdict(operation)) for operation in delta.operations]
    return Delta(
        delta.version,
        tuple(operation_from_json(operation) for operation in operations),
        _storable(delta.reply),
        _storable(delta.error),
        reflection_from_json(reflection),
    )


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {key: _storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value


def write_change(store: Store, change: Change) -> None:
    """Log ``change``; its new entries must be in the table already."""
    delta, origin = change.delta, change.origin
    reflection = None if delta.reflection is None else dumped(asdict(delta.reflection))
    store.write(
        f"INSERT INTO delta VALUES ({', '.join('?' * 11)})",
        change.version,
        change.cause,
        delta.version,
        origin.run,
        origin.episode,
        origin.moment,
        origin.task,
        origin.author,
        delta.reply,
        delta.error,
        reflection,
    )
    for position, verdict in enumerate(change.verdicts):
        store.write(
            "INSERT INTO operation VALUES (?, ?, ?, ?, ?, ?)",
            change.version,
            position,
            dumped(asdict(verdict.operation)),
            verdict.accepted,
            verdict.reason,
            int(verdict.entry[1:]) if verdict.entry else None,
        )
    for position, use in enumerate(change.uses):
        similarity = None if use.similarity is None else float(use.similarity)
        store.write(
            "INSERT INTO use VALUES (?, ?, ?, ?, ?, ?, ?)",
            change.version,
            position,
            entry_number(store, use.entry),
            int(use.revision),
            int(use.rank),
            similarity if similarity is None or math.isfinite(similarity) else None,
            bool(use.success),
        )


def changes(store: Store, where: str = "1", *values: Any) -> tuple[Change, ...]:
    """The logged changes, oldest first; ``where`` restricts the versions of the delta table."""
    with store.reading():
        deltas = store.rows(f"SELECT * FROM delta WHERE {where} ORDER BY version", *values)
        chosen = f"version IN (SELECT version FROM delta WHERE {where}) ORDER BY version, position"
        verdicts: dict[int, list[Verdict]] = {}
        for version, operation, accepted, reason, entry in store.rows(
            f"SELECT version, operation, accepted, reason, entry FROM operation WHERE {chosen}",
            *values,
        ):
            verdicts.setdefault(version, []).append(
                Verdict(
                    operation_from_json(json.loads(operation)),
                    bool(accepted),
                    reason,
                    "" if entry is None else entry_id(entry),
                )
            )
        uses: dict[int, list[Use]] = {}
        for version, entry, revision, rank, similarity, success in store.rows(
            f"SELECT version, entry, revision, rank, similarity, success FROM use WHERE {chosen}",
            *values,
        ):
            uses.setdefault(version, []).append(
                Use(entry_id(entry), revision, rank, similarity, bool(success))
            )
    return tuple(
        _change(row, tuple(verdicts.get(row[0], ())), tuple(uses.get(row[0], ()))) for row in deltas
    )


def _change(row: Sequence[Any], verdicts: tuple[Verdict, ...], uses: tuple[Use, ...]) -> Change:
    version, cause, seen, run, episode, moment, task, author, reply, error, reflection = row
    delta = Delta(
        seen,
        tuple(verdict.operation for verdict in verdicts),
        reply,
        error,
        reflection_from_json(None if reflection is None else json.loads(reflection)),
    )
    origin = Origin(run, episode, moment, task, author)
    return Change(version, cause, origin, delta, verdicts, uses)


def applied_before(store: Store, origin: Origin) -> Applied | None:
    """What became of the delta with this idempotency key; a change outside a run has no key."""
    if not origin.run:
        return None
    # SQLite uses the index of keys only where the query repeats its condition.
    found = store.rows(
        "SELECT version FROM delta WHERE run = ? AND episode = ? AND moment = ? AND run <> ''",
        origin.run,
        origin.episode,
        origin.moment,
    )
    if not found:
        return None
    [change] = changes(store, "version = ?", *found[0])
    return Applied(change.version, change.verdicts, repeated=True)
