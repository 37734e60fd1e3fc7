"""The memory's embedder: each text once, and never a vector that cannot be searched."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np

from journeyman.core.errors import EmbeddingMismatch
from journeyman.core.protocols import Embedder, Vector

KEPT = 4096
"""Texts whose vectors are kept; the one unused for longest goes first."""

BATCH = 256
"""Texts in one call of the embedder where there are many."""


class CachedEmbedder:
    """An embedder that is asked once for each text (of the last `KEPT`) and is checked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.id, self.dim = embedder.id, embedder.dim
        self._kept: OrderedDict[str, Vector] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vector of each text, shape (dim,), float32, read-only; one call for all new ones.

        Raises:
            EmbeddingMismatch: the embedder gave another shape, or values that are no numbers.
        """
        found = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            vectors = np.array(self._embedder.embed(new), np.float32)
            self._check(vectors, len(new))
            vectors.flags.writeable = False
            found.update(zip(new, vectors, strict=True))
        for text, vector in found.items():
            self._kept[text] = vector
            self._kept.move_to_end(text)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return [found[text] for text in texts]

    def embed_all(self, texts: Iterable[str]) -> dict[str, Vector]:
        """The vector of each text, as `embed` gives it, in batches of `BATCH`."""
        new = list(dict.fromkeys(texts))
        batches = [new[start : start + BATCH] for start in range(0, len(new), BATCH)]
        return {
            text: vector
            for batch in batches
            for text, vector in zip(batch, self.embed(batch), strict=True)
        }

    def forget(self) -> None:
        self._kept.clear()

    def _check(self, vectors: Vector, count: int) -> None:
        hint = "Use another embedder; list them with: journeyman list embedders"
        if vectors.shape != (count, self.dim):
            raise EmbeddingMismatch(
                f"the embedder '{self.id}' says {self.dim} dimensions and gave an array of shape "
                f"{vectors.shape} for {count} texts.",
                hint=hint,
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingMismatch(
                f"the embedder '{self.id}' gave values that are no numbers.", hint=hint
            )
