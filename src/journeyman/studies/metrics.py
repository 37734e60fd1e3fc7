"""The benchmark's metrics over the episodes of a run.

An episode summary is a mapping with the keys ``task``, ``success``, ``task_progress``, ``steps``,
``invalid_actions`` and ``trials``: an entry of ``per_task`` in the ``--json`` document. Episodes
that a fault ended are no outcomes and must not be among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from journeyman.core.errors import ConfigError
from journeyman.studies.intervals import Interval, mean_interval, wilson

Episode = Mapping[str, Any]


def outcomes(lines: Sequence[Episode]) -> list[Episode]:
    """The last trial of each task, in order: what the task came to (EEAgent's retries).

    ``trials`` of a line numbers the attempts at its task from 1.
    """
    return [
        line
        for number, line in enumerate(lines, start=1)
        if number == len(lines) or lines[number]["trials"] <= 1
    ]


@dataclass(frozen=True)
class Rate:
    """``count`` of ``n`` with Wilson's interval; ``rate`` is 0.0 where n is 0."""

    count: int
    n: int
    interval: Interval

    @property
    def rate(self) -> float:
        return self.count / self.n if self.n else 0.0


@dataclass(frozen=True)
class Mean:
    """A mean over ``n`` episodes with its bootstrap interval."""

    mean: float
    n: int
    interval: Interval


@dataclass(frozen=True)
class Summary:
    """What a run's episodes add up to.

    Attributes:
        success: Episodes with ``success``, in any trial.
        first_trial_success: Episodes that succeeded without a second trial.
        task_progress: Mean fraction of goal conditions met at the end, in [0, 1].
        steps: Mean environment steps an episode.
        invalid_actions: Mean invalid actions an episode.
    """

    success: Rate
    first_trial_success: Rate
    task_progress: Mean
    steps: Mean
    invalid_actions: Mean


def rate(outcomes: Sequence[bool], confidence: float = 0.95) -> Rate:
    """How many of ``outcomes`` are true, with Wilson's interval."""
    count = sum(map(bool, outcomes))
    return Rate(count, len(outcomes), wilson(count, len(outcomes), confidence))


def mean(values: Sequence[float], *, confidence: float = 0.95, seed: int = 0) -> Mean:
    """The mean of ``values`` (at least one) with its bootstrap interval."""
    interval = mean_interval(values, confidence=confidence, seed=seed)
    return Mean(fmean(values), len(values), interval)


def summarise(episodes: Sequence[Episode], *, confidence: float = 0.95, seed: int = 0) -> Summary:
    """The metrics of at least one episode.

    Raises:
        ConfigError: no episodes.
    """
    if not episodes:
        raise ConfigError("there are no finished episodes to summarise.")

    def mean_of(field: str) -> Mean:
        return mean([float(e[field]) for e in episodes], confidence=confidence, seed=seed)

    return Summary(
        success=rate([e["success"] for e in episodes], confidence),
        first_trial_success=rate([e["success"] and e["trials"] <= 1 for e in episodes], confidence),
        task_progress=mean_of("task_progress"),
        steps=mean_of("steps"),
        invalid_actions=mean_of("invalid_actions"),
    )


def halves(outcomes: Sequence[bool], confidence: float = 0.95) -> tuple[Rate, Rate]:
    """The success rates of a run's first and second half; the second has the odd episode.

    The halves hold different tasks: their difference is what happened, not what learning did.
    """
    middle = len(outcomes) // 2
    return rate(outcomes[:middle], confidence), rate(outcomes[middle:], confidence)


def by_task(
    episodes: Sequence[Episode], seed: int, field: str = "success"
) -> dict[tuple[str, int], float]:
    """``field`` of each task of the run with that seed, as `paired.difference` takes it.

    A task that was met more than once counts with its mean.
    """
    seen: dict[tuple[str, int], list[float]] = {}
    for episode in episodes:
        seen.setdefault((episode["task"], seed), []).append(float(episode[field]))
    return {key: fmean(values) for key, values in seen.items()}
