"""Retrievers: which strategies go before the planner (ELITE section 3.4 and Figures 2 and 3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Protocol

import numpy as np

from journeyman.core import seeding
from journeyman.core.errors import ConfigError
from journeyman.core.protocols import MemoryView
from journeyman.core.values import Lesson, Strategy, TaskView
from journeyman.methods.elite.tfidf import tfidf_similarity

Found = Sequence[tuple[Strategy, float | None]]


class Retriever(Protocol):
    """Chooses strategies for a task, best first, with a score where it has one."""

    name: ClassVar[str]

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found: ...


class IntentRetriever:
    """M_k: the k entries whose plans are closest to the task's coarse plan (Eqs. 4 and 5).

    Fewer than k entries: all of them. The paper gives no similarity floor; none is applied.
    """

    name: ClassVar[str] = "intent"

    def __init__(self, k: int = 4) -> None:
        self.k = _at_least_one(k)

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        if not memory.strategies:
            return []
        return memory.nearest(memory.embed(plan), self.k)


class ContentRetriever:
    """TF-IDF of the instruction against the strategies' own text (Figure 3).

    The paper does not name the query; the instruction is what a lexical baseline would have.
    """

    name: ClassVar[str] = "content_tfidf"

    def __init__(self, k: int = 4) -> None:
        self.k = _at_least_one(k)

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        texts = [f"{s.title} {s.applies_when} {s.text}" for s in memory.strategies]
        return _best(task.instruction, texts, memory.strategies, self.k)


class InstructionRetriever:
    """TF-IDF of the instruction against the instruction that each strategy came from (Figure 3)."""

    name: ClassVar[str] = "instruction_tfidf"

    def __init__(self, k: int = 4) -> None:
        self.k = _at_least_one(k)

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        texts = [s.instruction for s in memory.strategies]
        return _best(task.instruction, texts, memory.strategies, self.k)


class AllRetriever:
    """The whole pool (Figure 2, w/o IAR; Figure 3, all strategies), in insertion order."""

    name: ClassVar[str] = "all"

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        return [(strategy, None) for strategy in memory.strategies]


class RandomRetriever:
    """k entries by chance, decided by seed and instruction (Figure 3, random selection)."""

    name: ClassVar[str] = "random"

    def __init__(self, k: int = 4, seed: int = 0) -> None:
        self.k = _at_least_one(k)
        self.seed = seed

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        entries = memory.strategies
        rng = seeding.stream(self.seed, "random_retriever", task.instruction)
        chosen = rng.permutation(len(entries))[: self.k]
        return [(entries[int(i)], None) for i in chosen]


class ShuffledRetriever:
    """A control: real lessons of the same number, found for another task.

    The query is the plan of an entry drawn by seed and instruction instead of the task's own.
    What remains of the effect is not due to finding the right lesson.
    """

    name: ClassVar[str] = "shuffled"

    def __init__(self, k: int = 4, seed: int = 0) -> None:
        self.k = _at_least_one(k)
        self.seed = seed

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        entries = memory.strategies
        if not entries:
            return []
        rng = seeding.stream(self.seed, "shuffled_retriever", task.instruction)
        other = entries[int(rng.integers(len(entries)))]
        return memory.nearest(memory.embed(other.plan or other.text), self.k)


class NonsenseRetriever:
    """A control: the lessons that intent retrieval finds, each word replaced by letters.

    Same number and length, no content: what remains is due to a longer prompt.
    """

    name: ClassVar[str] = "nonsense"

    def __init__(self, k: int = 4, seed: int = 0) -> None:
        self.inner = IntentRetriever(k)
        self.seed = seed

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        return [(self._garbled(s), score) for s, score in self.inner.retrieve(plan, task, memory)]

    def _garbled(self, strategy: Strategy) -> Strategy:
        rng = seeding.stream(self.seed, "nonsense_retriever", strategy.id, strategy.revision)

        def garble(text: str) -> str:
            return re.sub(r"[A-Za-z]", lambda _: LETTERS[int(rng.integers(len(LETTERS)))], text)

        return replace(
            strategy,
            title=garble(strategy.title),
            applies_when=garble(strategy.applies_when),
            text=garble(strategy.text),
        )


LETTERS = "aeiourstlnmbdgkp"


class NoRetriever:
    """Nothing is recalled, though the pool may be written."""

    name: ClassVar[str] = "none"

    def retrieve(self, plan: str, task: TaskView, memory: MemoryView) -> Found:
        return []


RETRIEVERS = (
    "intent",
    "content_tfidf",
    "instruction_tfidf",
    "all",
    "random",
    "none",
    "shuffled",
    "nonsense",
)
"""The paper's own, its baselines and ablations, and two controls."""


def make_retriever(name: str, *, k: int = 4, seed: int = 0) -> Retriever:
    """The retriever variant ``name`` of `RETRIEVERS`.

    Raises:
        ConfigError: naming the key ``retriever`` and the choices, or ``k`` below 1.
    """
    if name == "intent":
        return IntentRetriever(k)
    if name == "content_tfidf":
        return ContentRetriever(k)
    if name == "instruction_tfidf":
        return InstructionRetriever(k)
    if name == "all":
        return AllRetriever()
    if name == "random":
        return RandomRetriever(k, seed)
    if name == "shuffled":
        return ShuffledRetriever(k, seed)
    if name == "nonsense":
        return NonsenseRetriever(k, seed)
    if name == "none":
        return NoRetriever()
    raise ConfigError(f"retriever: '{name}' is none of {', '.join(RETRIEVERS)}.")


def as_lessons(found: Found) -> tuple[Lesson, ...]:
    return tuple(
        Lesson(s.alias, s.text, s.title, s.applies_when, s.id, s.revision, score)
        for s, score in found
    )


def _best(query: str, texts: Sequence[str], entries: Sequence[Strategy], k: int) -> Found:
    scores = tfidf_similarity(query, texts)
    order = np.argsort(-scores, kind="stable")[:k]
    return [(entries[int(i)], float(scores[i])) for i in order]


def _at_least_one(k: int) -> int:
    if k < 1:
        raise ConfigError(f"k: {k} strategies cannot be retrieved; give 1 or more.")
    return k
