"""What happens in a run, told to whoever listens: recording, progress, cost, reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from journeyman.core.episode import Episode
from journeyman.core.messages import ModelCall
from journeyman.core.values import Applied, Lessons, Plan, Step, Task


@dataclass(frozen=True)
class EpisodeStarted:
    """Episode ``number`` of the run begins, the attempt ``trial`` at a task; both from 0.

    ``done`` of ``total`` tasks are finished.
    """

    number: int
    task: Task
    total: int
    done: int
    trial: int = 0


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


@dataclass(frozen=True)
class Reflected:
    """The episode is complete and its delta proposed, not yet applied: the moment to save it."""

    episode: Episode


@dataclass(frozen=True)
class EpisodeEnded:
    """``applied`` is None where nothing is learnt (frozen evaluation, base model)."""

    episode: Episode
    applied: Applied | None


@dataclass(frozen=True)
class EpisodeFaulted:
    """The model, the simulator or the machine failed: recorded, never counted or learnt from."""

    number: int
    task: Task
    reason: str
    calls: tuple[ModelCall, ...]


Event = (
    EpisodeStarted
    | Recalled
    | ModelCalled
    | Planned
    | Stepped
    | Reflected
    | EpisodeEnded
    | EpisodeFaulted
)


class Events:
    """A list of listeners; each is called in order with every event."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Event], None]] = []

    def subscribe(self, listener: Callable[[Event], None]) -> None:
        self._listeners.append(listener)

    def emit(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)
