"""A memory whose vectors a test writes by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from journeyman.core.values import Origin, Strategy


def strategy(number: int, text: str, **fields: Any) -> Strategy:
    """Strategy ``S<number>`` with id ``e<number>``; fields that are not given are empty."""
    known: dict[str, Any] = {
        "revision": 1,
        "title": "",
        "applies_when": "",
        "kind": "avoidance_guideline",
        "plan": "",
        "instruction": "",
        "origin": Origin(),
    }
    return Strategy(id=f"e{number}", alias=f"S{number}", text=text, **{**known, **fields})


class HandMemory:
    """A `MemoryView` of given strategies and rows; ``embed`` looks texts up in a table."""

    def __init__(
        self,
        strategies: Sequence[Strategy] = (),
        vectors: Sequence[Sequence[float]] = (),
        table: Mapping[str, Sequence[float]] | None = None,
        version: int = 7,
    ) -> None:
        self.version = version
        self.strategies = tuple(strategies)
        self.vectors = np.array(vectors, np.float32)
        self._table = dict(table or {})

    def embed(self, text: str) -> np.ndarray:
        return np.array(self._table[text], np.float32)

    def nearest(self, query: np.ndarray, k: int) -> list[tuple[Strategy, float]]:
        norms = np.linalg.norm(self.vectors, axis=1) * np.linalg.norm(query)
        scores = self.vectors @ query / norms
        order = np.argsort(-scores, kind="stable")[:k]
        return [(self.strategies[i], float(scores[i])) for i in order]
