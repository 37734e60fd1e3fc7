"""Exact cosine search in memory: a disposable mirror of the vectors in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError, EmbeddingMismatch
from journeyman.core.protocols import Vector

Integers = NDArray[np.int64]

_BLOCK = 4096
_ZERO = 1e-12
"""A shorter vector has no direction: its cosine with anything is taken as 0."""


class Rows:
    """Vectors in one growing array; rows are appended and never changed.

    Attributes:
        vectors: Shape (capacity, dim), float32; only the first ``used`` rows count.
        inverse: Shape (capacity,), float32: 1 / norm, 0 for a vector without direction.
    """

    def __init__(self, dim: int, capacity: int = 16) -> None:
        self.used = 0
        self.vectors: Vector = np.empty((capacity, dim), np.float32)
        self.inverse: Vector = np.empty(capacity, np.float32)

    def append(self, vectors: Vector) -> None:
        """Add ``vectors``, shape (n, dim), at the cost of n rows (amortised)."""
        end = self.used + len(vectors)
        if end > len(self.vectors):
            capacity = max(end, len(self.vectors) * 3 // 2)
            grown = np.empty((capacity, self.vectors.shape[1]), np.float32)
            grown[: self.used] = self.vectors[: self.used]
            inverse = np.empty(capacity, np.float32)
            inverse[: self.used] = self.inverse[: self.used]
            self.vectors, self.inverse = grown, inverse
        self.vectors[self.used : end] = vectors
        self.inverse[self.used : end] = 1.0 / _norms(vectors)
        self.used = end


@dataclass(frozen=True, eq=False)
class Index:
    """The living entries of one version with their key vectors, in insertion order.

    An index never changes; `changed` gives the next one, which shares the rows of this one. So
    the index of an older version stays good and costs no copy of the vectors.

    Attributes:
        rows: The vectors, also those of other versions.
        used: The rows there were when this index was made; later ones are not scanned.
        slots: The row of each entry, shape (M,).
        entries: Entry numbers, ascending, shape (M,).
        revisions: The living revision of each, shape (M,).
    """

    rows: Rows
    used: int
    slots: Integers
    entries: Integers
    revisions: Integers

    @staticmethod
    def build(
        dim: int, count: int, items: Iterable[tuple[int, int, Vector]], spare: int = 16
    ) -> Index:
        """The index of ``count`` items (entry, revision, vector), ascending by entry."""
        rows = Rows(dim, count + spare)
        entries, revisions = np.empty(count, np.int64), np.empty(count, np.int64)
        for position, (entry, revision, vector) in enumerate(items):
            entries[position], revisions[position] = entry, revision
            rows.vectors[position] = vector
        for start in range(0, count, _BLOCK):
            block = rows.vectors[start : min(start + _BLOCK, count)]
            rows.inverse[start : start + len(block)] = 1.0 / _norms(block)
        rows.used = count
        return Index(rows, count, np.arange(count), entries, revisions)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def dim(self) -> int:
        """d, the length of a vector."""
        return int(self.rows.vectors.shape[1])

    def pair(self, position: int) -> tuple[int, int]:
        """(entry, revision) at ``position``."""
        return int(self.entries[position]), int(self.revisions[position])

    def pairs(self) -> set[tuple[int, int]]:
        """(entry, revision) of all."""
        return set(zip(self.entries.tolist(), self.revisions.tolist(), strict=True))

    @cached_property
    def vectors(self) -> Vector:
        """The key vectors as they were embedded, shape (M, dim), read-only."""
        found = self.rows.vectors[: len(self)] if self._in_place else self.rows.vectors[self.slots]
        found = found[:]
        found.flags.writeable = False
        return found

    @cached_property
    def _in_place(self) -> bool:
        return bool(np.array_equal(self.slots, np.arange(len(self))))

    def changed(self, gone: Collection[int], came: Sequence[tuple[int, int, Vector]]) -> Index:
        """The index after some lives ended and others began.

        Args:
            gone: Entries whose life ended (revised or removed).
            came: (entry, revision, vector) now living, ascending by entry; an entry that is also
                in ``gone`` keeps its place, another must be newer than all there are.
        """
        rows, slots = self.rows, self.slots
        branched = rows.used != self.used  # another index has appended to the shared rows
        if branched or rows.used > 2 * len(self) + 64:
            rows = Rows(self.dim, len(self) * 5 // 4 + len(came) + 16)
            rows.append(self.vectors)
            slots = np.arange(len(self))
        first = rows.used
        if came:
            rows.append(np.stack([vector for _, _, vector in came]))
        entries, revisions = self.entries, self.revisions
        if gone:
            slots, revisions = slots.copy(), revisions.copy()
        ended = set(gone)
        new = []
        for offset, (entry, revision, _) in enumerate(came):
            if entry in ended:
                ended.discard(entry)
                position = int(np.searchsorted(entries, entry))
                slots[position], revisions[position] = first + offset, revision
            else:
                new.append((first + offset, entry, revision))
        if ended:
            kept = np.delete(
                np.arange(len(entries)), np.searchsorted(entries, np.array(sorted(ended)))
            )
            slots, entries, revisions = slots[kept], entries[kept], revisions[kept]
        if new:
            columns = np.array(new, np.int64).T
            slots, entries, revisions = (
                np.concatenate([old, added])
                for old, added in zip((slots, entries, revisions), columns, strict=True)
            )
        return Index(rows, rows.used, slots, entries, revisions)

    def nearest(self, query: Vector, k: int) -> list[tuple[int, float]]:
        """Positions of the k entries of highest cosine similarity to ``query``, best first.

        Ties keep insertion order, exactly: a float32 scan finds every candidate that rounding
        could have put among the k, and those are scored again one by one in float64, so that
        equal vectors have equal similarity wherever they lie.

        Args:
            query: Shape (dim,), any norm. A zero vector has similarity 0 to all, so the k oldest
                entries come back; so has a zero key to any query.
            k: Entries wanted, k >= 1; all M come back when M < k.

        Returns:
            (position, cosine in [-1, 1]), min(k, M) of them.

        Raises:
            ConfigError: k < 1.
            EmbeddingMismatch: another dimension, or values that are no numbers.

        Source: ELITE section 3.4, Eq. (5). The paper gives no similarity floor; none is applied.
        """
        if k < 1:
            raise ConfigError(f"k must be at least 1, given {k}.", hint="Set it with: --set k=4")
        wanted = np.asarray(query, np.float64)
        if wanted.shape != (self.dim,):
            raise EmbeddingMismatch(
                f"the query has shape {wanted.shape}, the memory's vectors are {self.dim}-d.",
                hint="Embed the query with the memory's own embedder: memory.embed(text)",
            )
        if not np.isfinite(wanted).all():
            raise EmbeddingMismatch(
                "the query holds values that are no numbers.",
                hint="Embed the query with the memory's own embedder: memory.embed(text)",
            )
        length = float(np.linalg.norm(wanted))
        if length < _ZERO:
            return [(position, 0.0) for position in range(min(k, len(self)))]
        unit = wanted / length
        candidates = self._candidates(unit, k)
        scores = self._exact(candidates, unit)
        order = np.argsort(-scores, kind="stable")[:k]
        return [(int(candidates[i]), float(scores[i])) for i in order]

    def _candidates(self, unit: NDArray[np.float64], k: int) -> Integers:
        """Positions, ascending, among which the k best surely are."""
        if k >= len(self):
            return np.arange(len(self))
        rough = self.rows.vectors[: self.used] @ unit.astype(np.float32)
        rough *= self.rows.inverse[: self.used]
        if not self._in_place:
            rough = rough[self.slots]
        # A float32 dot product of unit vectors errs by at most about dim half-ulps, either way.
        margin = (len(unit) + 8) * float(np.finfo(np.float32).eps)
        return np.flatnonzero(rough >= _at_most_kth(rough, k) - margin)

    def _exact(self, positions: Integers, unit: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.empty(len(positions))
        for start in range(0, len(positions), _BLOCK):
            slots = self.slots[positions[start : start + _BLOCK]]
            block = self.rows.vectors[slots].astype(np.float64)
            scores[start : start + len(block)] = (block * unit).sum(axis=1) / _norms(block)
        return np.clip(scores, -1.0, 1.0)


def _at_most_kth(scores: Vector, k: int) -> float:
    """A number that at least k of ``scores`` reach: the k-th best, or a little less.

    The k-th best of the maxima of equal blocks is one, at a fraction of the price.
    """
    width = max(1, min(128, len(scores) // (8 * k)))
    whole = len(scores) // width * width
    tops = scores[:whole].reshape(-1, width).max(axis=1)
    return float(np.partition(tops, len(tops) - k)[len(tops) - k])


def _norms(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Row norms in float64; infinite where a vector has no direction, so that its cosine is 0."""
    norms = np.sqrt(np.square(vectors, dtype=np.float64).sum(axis=1))
    return np.where(norms < _ZERO, np.inf, norms)
