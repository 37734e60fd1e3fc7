"""A memory as one JSON document, whole and canonical, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from journeyman.core.errors import DataError
from journeyman.core.values import Delta, Kind, Operation, Origin, Reflection, Use, Verdict
from journeyman.memory.entries import write_revision
from journeyman.memory.judge import Wording
from journeyman.memory.log import (
    Change,
    changes,
    entry_id,
    write_change,
)
from journeyman.memory.store import Store

Number = Annotated[int, Field(ge=1, lt=2**53)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Revision(_Part):
    revision: Number
    version: Number
    text: str
    title: str
    applies_when: str
    kind: Kind
    plan: str
    instruction: str


class _Life(_Part):
    revision: Number
    since: Number
    until: Number | None


class _Entry(_Part):
    entry: str
    scope: str
    purged: bool
    revisions: list[_Revision]
    lives: list[_Life]


class _Verdict(_Part):
    operation: Annotated[Operation, Field(discriminator="op")]
    accepted: bool
    reason: str
    entry: str


class _Delta(_Part):
    version: Number
    cause: str
    seen: Annotated[int, Field(gt=-(2**53), lt=2**53)]
    origin: Origin
    reply: str
    error: str | None
    reflection: Reflection | None
    verdicts: list[_Verdict]
    uses: list[Use]


class Exported(_Part):
    """The document: what `export` gives and `parse` accepts."""

    format: Literal["journeyman-memory"]
    format_version: Literal[1]
    entries: list[_Entry]
    deltas: list[_Delta]


def export(store: Store) -> dict[str, Any]:
    """The whole memory as JSON values, the same for two memories that hold the same.

    All entries with all revisions and lives, and all deltas with raw reply, reflection, verdicts
    and uses. No times, and no vectors: these follow from the words and the embedder.
    """
    with store.reading():
        entries: dict[int, dict[str, Any]] = {
            number: {
                "entry": entry_id(number),
                "scope": scope,
                "purged": bool(purged),
                "revisions": [],
                "lives": [],
            }
            for number, scope, purged in store.rows("SELECT * FROM entry ORDER BY entry")
        }
        names = [name for name in _Revision.model_fields if name != "revision"]
        for number, *values in store.rows(
            f"SELECT entry, revision, {', '.join(names)} FROM revision ORDER BY entry, revision"
        ):
            entries[number]["revisions"].append(
                dict(zip(("revision", *names), values, strict=True))
            )
        for number, revision, since, until in store.rows(
            "SELECT entry, revision, since, until FROM life ORDER BY entry, since"
        ):
            entries[number]["lives"].append({"revision": revision, "since": since, "until": until})
        logged = changes(store)
    return {
        "format": "journeyman-memory",
        "format_version": 1,
        "entries": list(entries.values()),
        "deltas": [_exported(change) for change in logged],
    }


def _exported(change: Change) -> dict[str, Any]:
    delta = change.delta
    return {
        "version": change.version,
        "cause": change.cause,
        "seen": delta.version,
        "origin": asdict(change.origin),
        "reply": delta.reply,
        "error": delta.error,
        "reflection": None if delta.reflection is None else _listed(delta.reflection),
        "verdicts": [asdict(verdict) for verdict in change.verdicts],
        "uses": [asdict(use) for use in change.uses],
    }


def _listed(reflection: Reflection) -> dict[str, Any]:
    return {**asdict(reflection), "insights": [asdict(item) for item in reflection.insights]}


def canonical(document: Mapping[str, Any]) -> str:
    """The one JSON text of an exported memory, for files: keys sorted, one value a line."""
    return (
        json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    )


def parse(document: Mapping[str, Any] | str) -> Exported:
    """The validated document.

    Raises:
        DataError: it is not an exported memory; the message names the field.
    """
    text = document if isinstance(document, str) else json.dumps(document)
    try:
        exported = Exported.model_validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise _wrong(_place(first["loc"]), first["msg"]) from error
    for place, problem in _contradictions(exported):
        raise _wrong(place, problem)
    return exported


def wordings(exported: Exported) -> Iterator[Wording]:
    """What each revision of the document says."""
    for entry in exported.entries:
        for revision in entry.revisions:
            yield _wording(revision)


def write(store: Store, exported: Exported) -> None:
    """Fill an empty store, within a transaction; the vectors are not in the document."""
    store.write("PRAGMA defer_foreign_keys=ON")
    for number, entry in enumerate(exported.entries, start=1):
        store.write("INSERT INTO entry VALUES (?, ?, ?)", number, entry.scope, entry.purged)
        for revision in entry.revisions:
            write_revision(store, number, revision.revision, revision.version, _wording(revision))
        for life in entry.lives:
            store.write(
                "INSERT INTO life VALUES (?, ?, ?, ?)",
                number,
                life.revision,
                life.since,
                life.until,
            )
    for delta in exported.deltas:
        write_change(store, _change(delta))


def _wording(revision: _Revision) -> Wording:
    return Wording(**revision.model_dump(exclude={"revision", "version"}))


def _change(delta: _Delta) -> Change:
    verdicts = tuple(
        Verdict(verdict.operation, verdict.accepted, verdict.reason, verdict.entry)
        for verdict in delta.verdicts
    )
    proposed = Delta(delta.seen, (), delta.reply, delta.error, delta.reflection)
    return Change(delta.version, delta.cause, delta.origin, proposed, verdicts, tuple(delta.uses))


def _contradictions(exported: Exported) -> Iterator[tuple[str, str]]:
    """What no memory could have written: (field, problem)."""
    newest = len(exported.deltas)
    revisions = {entry.entry: len(entry.revisions) for entry in exported.entries}
    for number, entry in enumerate(exported.entries, start=1):
        place = f"entries[{number - 1}]"
        if entry.entry != entry_id(number):
            yield f"{place}.entry", f"should be {entry_id(number)}"
        if entry.purged == bool(entry.revisions):
            yield f"{place}.revisions", "a purged entry has none, any other has one or more"
        for index, revision in enumerate(entry.revisions):
            if revision.revision != index + 1:
                yield f"{place}.revisions[{index}].revision", f"should be {index + 1}"
            if revision.version > newest:
                yield f"{place}.revisions[{index}].version", f"there are {newest} deltas"
        yield from _life_contradictions(place, entry, newest)
    keys: set[tuple[str, int, str]] = set()
    for index, delta in enumerate(exported.deltas):
        place, origin = f"deltas[{index}]", delta.origin
        if delta.version != index + 1:
            yield f"{place}.version", f"should be {index + 1}"
        key = (origin.run, origin.episode, origin.moment)
        if origin.run and key in keys:
            yield f"{place}.origin", "run, episode and moment of an earlier delta"
        keys.add(key)
        if abs(origin.episode) >= 2**53:
            yield f"{place}.origin.episode", "too large"
        for position, verdict in enumerate(delta.verdicts):
            if verdict.entry and verdict.entry not in revisions:
                yield f"{place}.verdicts[{position}].entry", "there is no such entry"
        for position, use in enumerate(delta.uses):
            if abs(use.rank) >= 2**53:
                yield f"{place}.uses[{position}].rank", "too large"
            if not 1 <= use.revision <= revisions.get(use.entry, 0):
                yield f"{place}.uses[{position}]", "there is no such entry or revision"


def _life_contradictions(place: str, entry: _Entry, newest: int) -> Iterator[tuple[str, str]]:
    free: int | None = 1
    for index, life in enumerate(entry.lives):
        here = f"{place}.lives[{index}]"
        if life.revision > len(entry.revisions):
            yield f"{here}.revision", "there is no such revision"
        elif entry.revisions[life.revision - 1].version > life.since:
            yield f"{here}.since", "before the revision was written"
        if free is None or life.since < free:
            yield f"{here}.since", "before the end of the life before it"
        if life.since > newest:
            yield f"{here}.since", f"there are {newest} deltas"
        if life.until is not None and not life.since < life.until <= newest:
            yield f"{here}.until", f"should be null or from {life.since + 1} to {newest}"
        free = life.until


def _place(location: tuple[int | str, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).lstrip(".")


def _wrong(place: str, problem: str) -> DataError:
    return DataError(
        f"the memory export is not valid{f' at {place}' if place else ''}: {problem}.",
        hint="Make one with: journeyman memory export RUN",
    )
