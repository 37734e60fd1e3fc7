"""Carries out what was judged: the rows of one change, within the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from journeyman.core.protocols import Vector
from journeyman.core.values import Applied, Delta, Origin, Use
from journeyman.memory import entries
from journeyman.memory.embedding import CachedEmbedder
from journeyman.memory.judge import Ruling, Wording
from journeyman.memory.log import Change, write_change
from journeyman.memory.store import Store
from journeyman.memory.view import View, require_embedder


def new_keys(rulings: Sequence[Ruling]) -> list[str]:
    """The texts to embed for what was accepted; a key that stays keeps its vector."""
    return [
        ruling.wording.key
        for ruling in rulings
        if ruling.wording is not None and not _keeps_key(ruling, ruling.wording)
    ]


def write_rulings(
    store: Store,
    scope: str,
    embedder: CachedEmbedder | None,
    delta: Delta,
    rulings: Sequence[Ruling],
    vectors: Mapping[str, Vector],
    origin: Origin,
    uses: Sequence[Use],
) -> Applied:
    """One new version: the log of all operations, and what the accepted ones did.

    Args:
        vectors: The embedding of each of `new_keys`.
    """
    version = store.version() + 1
    held = entries.held_uses(store, uses)
    rulings = [
        replace(ruling, verdict=replace(ruling.verdict, entry=_entry(store, scope, ruling)))
        for ruling in rulings
    ]
    verdicts = tuple(ruling.verdict for ruling in rulings)
    write_change(store, Change(version, "delta", origin, delta, verdicts, held))
    for ruling in rulings:
        if ruling.verdict.accepted:
            _write_entry(store, embedder, version, ruling, vectors)
    return Applied(version, verdicts)


def restore(store: Store, now: View, then: View, author: str) -> Applied:
    """One new version with the living entries of ``then``, their old revisions and vectors."""
    version = now.version + 1
    origin = Origin(moment="restore", author=author)
    change = Change(version, f"restore {then.version}", origin, Delta(now.version), ())
    write_change(store, change)
    living, wanted = now.index.pairs(), then.index.pairs()
    for entry, _ in sorted(living - wanted):
        entries.end_life(store, entry, version)
    for entry, revision in sorted(wanted - living):
        entries.begin_life(store, entry, revision, version)
    return Applied(version)


def _entry(store: Store, scope: str, ruling: Ruling) -> str:
    """The id of the entry, a new one for an accepted Add."""
    if ruling.verdict.accepted and ruling.before is None:
        return entries.new_entry(store, scope)
    return ruling.verdict.entry


def _write_entry(
    store: Store,
    embedder: CachedEmbedder | None,
    version: int,
    ruling: Ruling,
    vectors: Mapping[str, Vector],
) -> None:
    before, wording, entry = ruling.before, ruling.wording, int(ruling.verdict.entry[1:])
    if before is not None:
        entries.end_life(store, entry, version)
    if wording is None:
        return
    revision = entries.next_revision(store, entry)
    entries.write_revision(store, entry, revision, version, wording)
    entries.begin_life(store, entry, revision, version)
    if before is not None and _keeps_key(ruling, wording):
        entries.copy_vector(store, entry, before.revision, revision)
    else:
        owner = require_embedder(store, embedder)
        entries.write_vector(store, entry, revision, owner, vectors[wording.key])


def _keeps_key(ruling: Ruling, wording: Wording) -> bool:
    return ruling.before is not None and Wording.of(ruling.before).key == wording.key
