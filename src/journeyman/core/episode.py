"""A finished episode, whole."""

from __future__ import annotations

from dataclasses import dataclass

from journeyman.core.messages import ModelCall
from journeyman.core.values import Delta, Lessons, Outcome, Task, Trajectory


@dataclass(frozen=True)
class Episode:
    """One finished episode, whole: what the run folder keeps and reflection came to.

    Attributes:
        number: Position in the run, from 0.
        trial: Which attempt at its task, from 0 (EEAgent Algorithm 1).
        task: Without its ``spec``.
        delta: None where nothing is learnt (frozen evaluation, a method without memory).
        calls: Every prompt and reply, in order.
        wall_s: Seconds from reset to the end of reflection; no part of canonical results.
    """

    number: int
    task: Task
    lessons: Lessons
    trajectory: Trajectory
    outcome: Outcome
    delta: Delta | None
    calls: tuple[ModelCall, ...]
    wall_s: float = 0.0
    trial: int = 0
