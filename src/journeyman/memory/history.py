"""Questions about the past of a memory: who changed what, what differs, what was used."""

from __future__ import annotations

from dataclasses import dataclass

from journeyman.core.values import Origin, Remove, Strategy, Use
from journeyman.memory.log import STRATEGY, Change, changes, entry_number, strategy
from journeyman.memory.store import Store


@dataclass(frozen=True)
class Diff:
    """What a reader of version ``after`` sees otherwise than one of ``before``.

    ``revised`` holds (then, now) of the entries that live in both with another revision.
    """

    before: int
    after: int
    added: tuple[Strategy, ...]
    removed: tuple[Strategy, ...]
    revised: tuple[tuple[Strategy, Strategy], ...]


@dataclass(frozen=True)
class Written:
    """One revision; ``strategy.origin`` says which run, episode, task and author wrote it."""

    version: int
    strategy: Strategy


@dataclass(frozen=True)
class Used:
    """One episode that was given the entry: ``origin`` names it, ``use`` has its outcome."""

    version: int
    origin: Origin
    use: Use


@dataclass(frozen=True)
class Removed:
    """One removal of the entry; it may have been restored since."""

    version: int
    origin: Origin
    reason: str


@dataclass(frozen=True)
class Blame:
    """Where an entry comes from and what came of it, each list oldest first."""

    entry: str
    living: bool
    written: tuple[Written, ...]
    used: tuple[Used, ...]
    removed: tuple[Removed, ...]


def history(store: Store, entry: str | None = None) -> tuple[Change, ...]:
    """Every change, or those that proposed something about ``entry`` or changed it."""
    if entry is None:
        return changes(store)
    number = entry_number(store, entry)
    return changes(
        store,
        "version IN (SELECT version FROM operation WHERE entry = ?1"
        " UNION SELECT since FROM life WHERE entry = ?1"
        " UNION SELECT until FROM life WHERE entry = ?1) OR cause = ?2",
        number,
        f"purge {entry}",
    )


def diff(before: tuple[int, tuple[Strategy, ...]], after: tuple[int, tuple[Strategy, ...]]) -> Diff:
    """What differs between two versions, each given with its living entries."""
    then = {strategy.id: strategy for strategy in before[1]}
    now = {strategy.id: strategy for strategy in after[1]}
    return Diff(
        before[0],
        after[0],
        tuple(strategy for entry, strategy in now.items() if entry not in then),
        tuple(strategy for entry, strategy in then.items() if entry not in now),
        tuple(
            (then[entry], strategy)
            for entry, strategy in now.items()
            if entry in then and then[entry].revision != strategy.revision
        ),
    )


def blame(store: Store, entry: str) -> Blame:
    """Who wrote each revision of ``entry``, which episodes used it, who removed it and why.

    Raises:
        MemoryStoreError: the memory never held it.
    """
    with store.reading():
        number = entry_number(store, entry)
        living = store.rows("SELECT 1 FROM life WHERE entry = ? AND until IS NULL", number)
        written = store.rows(f"{STRATEGY} WHERE r.entry = ? ORDER BY r.revision", number)
        versions = store.rows(
            "SELECT version FROM revision WHERE entry = ? ORDER BY revision", number
        )
        using = changes(store, "version IN (SELECT version FROM use WHERE entry = ?)", number)
        operating = changes(
            store, "version IN (SELECT version FROM operation WHERE entry = ?)", number
        )
    return Blame(
        entry,
        bool(living),
        tuple(
            Written(version, strategy(row))
            for [version], row in zip(versions, written, strict=True)
        ),
        tuple(
            Used(change.version, change.origin, use)
            for change in using
            for use in change.uses
            if use.entry == entry
        ),
        tuple(
            Removed(change.version, change.origin, verdict.operation.reason)
            for change in operating
            for verdict in change.verdicts
            if verdict.entry == entry and verdict.accepted and isinstance(verdict.operation, Remove)
        ),
    )
