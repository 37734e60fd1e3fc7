"""The learning loop (ELITE Algorithm 1) and the evaluation of a frozen memory."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from journeyman.core import seeding
from journeyman.core.episode import Episode
from journeyman.core.errors import Fault
from journeyman.core.events import (
    EpisodeEnded,
    EpisodeFaulted,
    EpisodeStarted,
    Event,
    Events,
    ModelCalled,
    Reflected,
)
from journeyman.core.messages import ModelCall
from journeyman.core.protocols import EmbodiedEnv, Memory, MemoryView, Method
from journeyman.core.values import Applied, Delta, Experience, Lessons, Origin, Task, Use
from journeyman.learning.episode import Rollout, run_episode

Stream = Sequence[tuple[EmbodiedEnv, Task]]
"""The tasks of a run in the order of encounter, each with its environment."""


def task_stream(envs: Sequence[EmbodiedEnv], *, seed: int, shuffle: bool = True) -> Stream:
    """All tasks of ``envs``, each once, in an order that the seed decides (Algorithm 1 line 1)."""
    stream = [(env, task) for env in envs for task in env.tasks]
    if not shuffle:
        return stream
    order = seeding.stream(seed, "task_order").permutation(len(stream))
    return [stream[int(i)] for i in order]


@dataclass(frozen=True)
class Identity:
    """Who is running, for provenance and idempotency; ``seed`` decides the episodes' seeds."""

    run: str = "run"
    author: str = ""
    seed: int = 0


@dataclass
class _Calls:
    """The model calls of the running episode, gathered from the events."""

    made: list[ModelCall] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, ModelCalled):
            completion = replace(event.call.completion, parsed=None)
            self.made.append(replace(event.call, completion=completion))


def learn(
    stream: Stream,
    method: Method,
    memory: Memory,
    events: Events,
    identity: Identity,
    *,
    finished: Sequence[bool] = (),
    pending: Sequence[Episode] = (),
    supervised: bool = False,
) -> None:
    """Attempt each task, reflect, and let memory judge what reflection proposes.

    A task is attempted once, and after a failure again as often as the method's ``max_retries``
    says (EEAgent Algorithm 1), from the same initial state; each trial is an episode of its own,
    and what it taught is in memory before the next.

    The order in an episode is: act, reflect, ``Reflected`` (listeners save the episode), apply,
    ``EpisodeEnded``. So a run killed anywhere loses at most the episode in progress, and
    an episode that was saved but not applied comes back as ``pending``: its delta is applied, or
    found applied by its idempotency key, and no model is asked again.

    Args:
        finished: The success of each episode that was ended already, in order.
        pending: The saved episodes after those that were not ended.
        supervised: Give each task's demonstration to reflection (ELITE section 3.5).

    Raises:
        Fault: after ``EpisodeFaulted``; nothing of that episode is learnt, and the run can be
            resumed at it.
    """
    calls = _Calls()
    events.subscribe(calls)
    for saved in pending:
        events.emit(EpisodeEnded(saved, _apply(saved, memory, identity)))
    successes = [*finished, *(saved.outcome.task_success for saved in pending)]
    retries = int(getattr(method, "max_retries", 0))
    index, trial = position(successes, retries)
    for number in itertools.count(len(successes)):
        if index >= len(stream):
            return
        env, task = stream[index]
        events.emit(EpisodeStarted(number, task, len(stream), index, trial))
        attempt = _Attempt(number, trial, trial >= retries, supervised)
        episode = _episode(attempt, env, task, method, memory, events, identity, calls)
        events.emit(Reflected(episode))
        events.emit(EpisodeEnded(episode, _apply(episode, memory, identity)))
        index, trial = _next(index, trial, episode.outcome.task_success, retries)


def position(successes: Iterable[bool], retries: int) -> tuple[int, int]:
    """Task and trial, both from 0, that follow episodes with these outcomes."""
    index = trial = 0
    for success in successes:
        index, trial = _next(index, trial, success, retries)
    return index, trial


def _next(index: int, trial: int, success: bool, retries: int) -> tuple[int, int]:
    return (index + 1, 0) if success or trial >= retries else (index, trial + 1)


@dataclass(frozen=True)
class _Attempt:
    """Which episode this is; ``supervised`` None reflects on nothing."""

    number: int
    trial: int = 0
    last: bool = True
    supervised: bool | None = None


def evaluate(
    stream: Stream,
    method: Method,
    memory: MemoryView,
    events: Events,
    identity: Identity,
    *,
    start: int = 0,
    pending: Sequence[Episode] = (),
) -> None:
    """Attempt each task once with a frozen memory: recall and act, nothing is learnt."""
    calls = _Calls()
    events.subscribe(calls)
    for saved in pending:
        events.emit(EpisodeEnded(saved, None))
    for number in range(start + len(pending), len(stream)):
        env, task = stream[number]
        events.emit(EpisodeStarted(number, task, len(stream), number))
        attempt = _Attempt(number)
        episode = _episode(attempt, env, task, method, memory, events, identity, calls)
        events.emit(Reflected(episode))
        events.emit(EpisodeEnded(episode, None))


def _episode(
    attempt: _Attempt,
    env: EmbodiedEnv,
    task: Task,
    method: Method,
    memory: MemoryView,
    events: Events,
    identity: Identity,
    calls: _Calls,
) -> Episode:
    """One whole episode."""
    calls.made.clear()
    began = time.monotonic()
    seed = episode_seed(identity.seed, task)
    try:
        rollout = run_episode(env, task, method, memory, events, seed=seed)
        delta = None
        if attempt.supervised is not None:
            delta = _reflect(attempt, rollout, task, method, memory)
    except (Fault, KeyboardInterrupt) as stop:  # what was paid for is counted either way
        reason = str(stop) or "interrupted"
        events.emit(EpisodeFaulted(attempt.number, task, reason, tuple(calls.made)))
        raise
    return Episode(
        attempt.number,
        replace(task, spec={}, demonstration=None),
        rollout.lessons,
        rollout.trajectory,
        rollout.outcome,
        delta,
        tuple(calls.made),
        time.monotonic() - began,
        attempt.trial,
    )


def episode_seed(seed: int, task: Task) -> int:
    """What the environment is reset with for ``task`` in a run of ``seed``."""
    return seeding.digest(seed, "episode", task.id) % 2**31


def _reflect(
    attempt: _Attempt, rollout: Rollout, task: Task, method: Method, memory: MemoryView
) -> Delta:
    experience = Experience(
        task.view(),
        (rollout.trajectory,),
        rollout.lessons,
        task.demonstration if attempt.supervised else None,
        attempt.trial,
        attempt.last or rollout.trajectory.success,
    )
    return method.reflect(experience, memory)


def _apply(episode: Episode, memory: Memory, identity: Identity) -> Applied:
    assert episode.delta is not None
    origin = Origin(identity.run, episode.number, "reflect", episode.task.id, identity.author)
    uses = lesson_uses(episode.lessons, episode.outcome.task_success)
    return memory.apply(episode.delta, origin=origin, uses=uses)


def lesson_uses(lessons: Lessons, success: bool) -> list[Use]:
    """Each lesson that was put before the planner, with what came of the episode."""
    return [
        Use(item.entry, item.revision, rank, item.similarity, success)
        for rank, item in enumerate(lessons.items, start=1)
        if item.entry
    ]
