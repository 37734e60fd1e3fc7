"""Entries in the file: their revisions, lives and vectors, and the search index of a version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from journeyman.core.errors import EmbeddingMismatch, MemoryStoreError
from journeyman.core.protocols import Vector
from journeyman.core.values import Strategy, Use
from journeyman.memory.embedding import CachedEmbedder
from journeyman.memory.judge import Wording, digest
from journeyman.memory.log import LIVING, STRATEGY, entry_id, entry_number, strategy
from journeyman.memory.search import Index
from journeyman.memory.store import Store

Binding = tuple[str, int]
"""The embedder that a file's vectors are of: its id and dimension."""

_VECTOR = """
LEFT JOIN vector v ON v.entry = l.entry AND v.revision = l.revision
    AND v.embedder = (SELECT value FROM setting WHERE key = 'embedder')
"""


def state(store: Store) -> tuple[int, Binding | None]:
    """The version, and the embedder of the file's vectors (None for a file without one yet)."""
    version, embedder, dim = store.rows(
        "SELECT (SELECT coalesce(max(version), 0) FROM delta),"
        " (SELECT value FROM setting WHERE key = 'embedder'),"
        " (SELECT value FROM setting WHERE key = 'dim')"
    )[0]
    return version, None if embedder is None else (embedder, int(dim))


def bind(store: Store, embedder: CachedEmbedder) -> None:
    """The file's vectors are of ``embedder`` from now on."""
    store.set_setting("embedder", embedder.id)
    store.set_setting("dim", str(embedder.dim))


def require_same(store: Store, binding: Binding | None, embedder: CachedEmbedder) -> None:
    """Refuse an embedder whose vectors cannot be compared with the file's.

    Raises:
        EmbeddingMismatch: ``binding`` is another embedder or dimension.
    """
    if binding is not None and binding != (embedder.id, embedder.dim):
        raise EmbeddingMismatch(
            f"{store.path} holds vectors of '{binding[0]}' ({binding[1]}-d), not of "
            f"'{embedder.id}' ({embedder.dim}-d).",
            hint=f"Use '{binding[0]}', or embed it anew with: journeyman memory reembed RUN",
        )


def read_revisions(
    store: Store, pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], Strategy]:
    """The revisions (entry, revision) of ``pairs``, without those that were purged."""
    either = " OR ".join(["(r.entry = ? AND r.revision = ?)"] * len(pairs))
    rows = store.rows(
        f"{STRATEGY} WHERE {either}",
        *(number for pair in pairs for number in pair),
    )
    return {(row[0], row[1]): strategy(row) for row in rows}


def read_living(store: Store, scope: str, version: int) -> tuple[Strategy, ...]:
    """The entries that lived at ``version``, in insertion order, aliases by position."""
    rows = store.rows(
        f"{STRATEGY} JOIN life l ON l.entry = r.entry AND l.revision = r.revision"
        f" JOIN entry e ON e.entry = r.entry WHERE {LIVING} AND e.scope = ?2 ORDER BY r.entry",
        version,
        scope,
    )
    return tuple(strategy(row, f"S{position}") for position, row in enumerate(rows, start=1))


def living_at(store: Store, scope: str, version: int, position: int) -> tuple[int, int] | None:
    """(entry, revision) of the alias number ``position`` at ``version``; None beyond the last."""
    rows = store.rows(
        "SELECT l.entry, l.revision FROM life l JOIN entry e ON e.entry = l.entry"
        f" WHERE {LIVING} AND e.scope = ?2 ORDER BY l.entry LIMIT 1 OFFSET ?3",
        version,
        scope,
        position - 1,
    )
    return rows[0] if rows else None


def holder(store: Store, scope: str, text_digest: str, kinds: Sequence[str]) -> str | None:
    """The id of the living entry of one of ``kinds`` whose text has the digest."""
    rows = store.rows(
        "SELECT r.entry FROM revision r JOIN life l ON l.entry = r.entry"
        " AND l.revision = r.revision JOIN entry e ON e.entry = r.entry"
        " WHERE r.digest = ? AND l.until IS NULL AND e.scope = ?"
        f" AND r.kind IN ({', '.join('?' * len(kinds))})",
        text_digest,
        scope,
        *kinds,
    )
    return entry_id(rows[0][0]) if rows else None


def held_uses(store: Store, uses: Sequence[Use]) -> tuple[Use, ...]:
    """The uses of entries that are still held; those of purged entries and of none are dropped.

    Raises:
        MemoryStoreError: a use names an entry or a revision that never was.
    """
    held = []
    for use in uses:
        if not use.entry:
            continue
        number = entry_number(store, use.entry)
        if store.rows("SELECT purged FROM entry WHERE entry = ?", number)[0][0]:
            continue
        if not read_revisions(store, [(number, int(use.revision))]):
            raise MemoryStoreError(
                f"{store.path} never held revision {use.revision} of entry {use.entry}.",
                hint="Apply a delta to the memory that its lessons came from",
            )
        held.append(use)
    return tuple(held)


def new_entry(store: Store, scope: str) -> str:
    """Make an entry without revisions; its id."""
    [newest] = store.rows("SELECT coalesce(max(entry), 0) FROM entry")[0]
    store.write("INSERT INTO entry VALUES (?, ?, 0)", newest + 1, scope)
    return entry_id(newest + 1)


def write_revision(store: Store, entry: int, revision: int, version: int, wording: Wording) -> None:
    store.write(
        f"INSERT INTO revision VALUES ({', '.join('?' * 10)})",
        entry,
        revision,
        version,
        wording.text,
        wording.title,
        wording.applies_when,
        wording.kind,
        wording.plan,
        wording.instruction,
        digest(wording.text),
    )


def next_revision(store: Store, entry: int) -> int:
    query = "SELECT coalesce(max(revision), 0) + 1 FROM revision WHERE entry = ?"
    return int(store.rows(query, entry)[0][0])


def read_keys(store: Store) -> dict[tuple[int, int], str]:
    """The text that each (entry, revision) of the file is embedded from, see `Wording.key`."""
    return {
        (entry, revision): plan or text
        for entry, revision, plan, text in store.rows(
            "SELECT entry, revision, plan, text FROM revision ORDER BY entry, revision"
        )
    }


def begin_life(store: Store, entry: int, revision: int, version: int) -> None:
    store.write("INSERT INTO life VALUES (?, ?, ?, NULL)", entry, revision, version)


def end_life(store: Store, entry: int, version: int) -> None:
    store.write("UPDATE life SET until = ? WHERE entry = ? AND until IS NULL", version, entry)


def write_vector(
    store: Store, entry: int, revision: int, embedder: CachedEmbedder, vector: Vector
) -> None:
    store.write(
        "INSERT INTO vector VALUES (?, ?, ?, ?, ?)",
        entry,
        revision,
        embedder.id,
        embedder.dim,
        vector.astype("<f4").tobytes(),
    )


def copy_vector(store: Store, entry: int, old: int, new: int) -> None:
    """Give revision ``new`` the vector of ``old``, whose key text is the same."""
    store.write(
        "INSERT INTO vector SELECT entry, ?, embedder, dim, vector FROM vector"
        " WHERE entry = ? AND revision = ?",
        new,
        entry,
        old,
    )


def load_index(store: Store, scope: str, version: int, dim: int) -> Index:
    """The search index of the entries that lived at ``version``."""
    tables = "FROM life l JOIN entry e ON e.entry = l.entry"
    where = f"WHERE {LIVING} AND e.scope = ?2"
    with store.reading():
        [count] = store.rows(f"SELECT count(*) {tables} {where}", version, scope)[0]
        rows = store.each(
            f"SELECT l.entry, l.revision, v.vector {tables} {_VECTOR} {where} ORDER BY l.entry",
            version,
            scope,
        )
        return Index.build(dim, count, (_with_vector(row) for row in rows))


def advanced_index(store: Store, scope: str, index: Index, before: int, now: int) -> Index:
    """The index of version ``now``, the newest, from that of an older one by what changed."""
    if store.rows("SELECT 1 FROM delta WHERE version > ? AND cause <> 'delta'", before):
        return load_index(store, scope, now, index.dim)
    gone = store.rows(
        "SELECT l.entry FROM life l JOIN entry e ON e.entry = l.entry"
        " WHERE l.until > ?1 AND l.since <= ?1 AND e.scope = ?2",
        before,
        scope,
    )
    came = store.rows(
        "SELECT l.entry, l.revision, v.vector"
        f" FROM life l INDEXED BY life_since JOIN entry e ON e.entry = l.entry {_VECTOR}"
        " WHERE l.since > ?1 AND l.until IS NULL AND e.scope = ?2 ORDER BY l.entry",
        before,
        scope,
    )
    return index.changed([entry for [entry] in gone], [_with_vector(row) for row in came])


def _with_vector(row: Sequence[Any]) -> tuple[int, int, Vector]:
    entry, revision, blob = row
    if blob is None:
        raise MemoryStoreError(
            f"entry {entry_id(entry)} has no vector.",
            hint="Embed all entries again with: journeyman memory reembed RUN",
        )
    return entry, revision, np.frombuffer(blob, "<f4")
