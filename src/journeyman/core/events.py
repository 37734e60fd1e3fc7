"""What happens in a run, told to whoever listens: recording, progress, cost, reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from journeyman.core.messages import ModelCall
from journeyman.core.values import (
    Applied,
    Delta,
    Lessons,
    Outcome,
    Plan,
    Step,
    Task,
    Trajectory,
)


@dataclass(frozen=True)
class EpisodeStarted:
    number: int
    task: Task


@dataclass(frozen=True)
class Recalled:
    lessons: Lessons


@dataclass(frozen=True)
class ModelCalled:
    call: ModelCall


@dataclass(frozen=True)
class Planned:
    plan: Plan


@dataclass(frozen=True)
class Stepped:
    step: Step
    progress: float


@dataclass(frozen=True)
class Reflected:
    delta: Delta


@dataclass(frozen=True)
class EpisodeEnded:
    """``applied`` is None where nothing is learnt (frozen evaluation, base model)."""

    number: int
    task: Task
    trajectory: Trajectory
    outcome: Outcome
    lessons: Lessons
    applied: Applied | None
    wall_s: float


Event = EpisodeStarted | Recalled | ModelCalled | Planned | Stepped | Reflected | EpisodeEnded


class Events:
    """A list of listeners; each is called in order with every event."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Event], None]] = []

    def subscribe(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    def emit(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)
