"""The contracts between the parts. Whatever satisfies one of these can be plugged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from journeyman.core.messages import Completion, Message, Tool
from journeyman.core.values import (
    Action,
    ActionLibrary,
    Applied,
    Delta,
    Experience,
    History,
    Lessons,
    Observation,
    Origin,
    Plan,
    Strategy,
    Task,
    TaskView,
    Use,
)

Vector = NDArray[np.float32]
Info = dict[str, Any]
"""``task_success`` bool, ``task_progress`` float in [0, 1], ``last_action_success`` bool,
``env_feedback`` str, ``num_invalid_actions`` int."""


@runtime_checkable
class EmbodiedEnv(Protocol):
    """A gymnasium environment with an instruction, named skills and a fixed info schema.

    One that knows why an episode failed says so in a further attribute ``failure_reason`` (str),
    which goes into the record and to no method.
    """

    id: str
    max_steps: int
    max_invalid_actions: int

    @property
    def tasks(self) -> Sequence[Task]:
        """The task set of this environment id, in its own fixed order."""
        ...

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start ``options["task"]`` (the first task where none is given)."""
        ...

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, Info]:
        """Execute one skill: observation, reward, terminated, truncated, info."""
        ...

    def library(self) -> ActionLibrary:
        """The actions valid now; may change between steps."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class Model(Protocol):
    """A chat model. Raises only `ModelUnavailable`; a bad reply is a `Completion`."""

    id: str
    sees_images: bool

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """Reply to ``messages``; ``schema`` is the JSON schema that the text should follow."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Text to vectors. ``id`` names weights and settings: equal ids, comparable vectors."""

    id: str

    @property
    def dim(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, shape (len(texts), dim), float32."""
        ...


class MemoryView(Protocol):
    """What recall and reflection may do with memory: read and search, never write."""

    @property
    def version(self) -> int: ...

    @property
    def strategies(self) -> Sequence[Strategy]:
        """The living entries in insertion order; aliases S1, S2, ... number them."""
        ...

    @property
    def vectors(self) -> Vector:
        """The entries' plan embeddings z_i, shape (M, d), rows as in ``strategies``."""
        ...

    def embed(self, text: str) -> Vector:
        """The embedding of one text by the memory's own embedder, shape (d,)."""
        ...

    def nearest(self, query: Vector, k: int) -> Sequence[tuple[Strategy, float]]:
        """The k entries of highest cosine similarity to ``query``, best first (ELITE Eq. 5)."""
        ...


class Memory(MemoryView, Protocol):
    """Memory as the learning loop holds it: every change is a logged, judged delta."""

    def apply(self, delta: Delta, *, origin: Origin, uses: Sequence[Use] = ()) -> Applied: ...


class Method(Protocol):
    """ELITE, EEAgent, each baseline: an object with three moments. It never holds the memory.

    One that tries a failed task again says how often at most in a further attribute
    ``max_retries`` (int); each trial is an episode of its own, reflected on before the next.
    """

    id: str

    def recall(self, task: TaskView, obs: Observation, memory: MemoryView) -> Lessons:
        """What to remember before acting."""
        ...

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        """The next plan; called again when its actions ran out or one was invalid."""
        ...

    def reflect(self, experience: Experience, memory: MemoryView) -> Delta:
        """What to change in memory after an episode: proposes, never writes."""
        ...
