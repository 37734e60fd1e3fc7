"""Two methods on the same tasks: the difference, its interval and an exact test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from statistics import fmean

from journeyman.core.errors import RunError
from journeyman.studies.intervals import Interval, cluster_bootstrap

Key = tuple[str, int]
"""(task id, seed of the run)."""

_TIE = 1e-9
"""Mean differences below this are ties: sums of thirds are not exact."""


@dataclass(frozen=True)
class Difference:
    """a minus b over the pairs that both have.

    Attributes:
        pairs: (task, seed) pairs compared.
        tasks: Different tasks among them.
        seeds: Different seeds among them.
        unpaired: Pairs that only one of the two has; left out of everything.
        mean_a: Mean of a over the pairs.
        mean_b: Mean of b over the pairs.
        interval: Of the difference, clustered by task and by seed.
        wins: Tasks on which a is better, averaged over their seeds.
        losses: Tasks on which b is better.
        ties: The other tasks.
        p_value: Exact two-sided sign test of wins against losses.
    """

    pairs: int
    tasks: int
    seeds: int
    unpaired: int
    mean_a: float
    mean_b: float
    interval: Interval
    wins: int
    losses: int
    ties: int
    p_value: float

    @property
    def difference(self) -> float:
        return self.mean_a - self.mean_b


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p-value of ``wins`` against ``losses`` under equal odds, exact.

    p = min(1, 2 P(X <= min(wins, losses))), X binomial (wins + losses, 1/2); 1.0 without either.
    On paired successes this is McNemar's exact test. Ties carry no information and are left out.
    """
    n = wins + losses
    if n == 0:
        return 1.0
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << n))


def difference(
    a: Mapping[Key, float],
    b: Mapping[Key, float],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How much better ``a`` is than ``b`` on the (task, seed) pairs that both have.

    The interval resamples tasks and seeds independently (`cluster_bootstrap`). The sign test takes
    the task as its unit, so that several seeds of one task are not taken for independent evidence;
    with one seed it is McNemar's exact test on the pairs.

    Args:
        a: Value by (task, seed): success as 0 or 1, progress, ...; higher is better.
        b: The same for the other method.
        confidence: Of the interval, in (0, 1).
        resamples: Bootstrap means drawn.
        seed: Of the bootstrap.

    Raises:
        RunError: the two have no pair in common.
    """
    keys = sorted(a.keys() & b.keys())
    if not keys:
        raise RunError(
            "the two have no task of the same seed in common, so nothing can be paired.",
            hint="Compare runs of the same environment, tasks and seed: journeyman learn --seed S",
        )
    differences = [a[key] - b[key] for key in keys]
    of_task: dict[str, list[float]] = {}
    for (task, _), value in zip(keys, differences, strict=True):
        of_task.setdefault(task, []).append(value)
    means = [fmean(values) for values in of_task.values()]
    wins = sum(value > _TIE for value in means)
    losses = sum(value < -_TIE for value in means)
    return Difference(
        pairs=len(keys),
        tasks=len(of_task),
        seeds=len({key[1] for key in keys}),
        unpaired=len(a.keys() ^ b.keys()),
        mean_a=fmean(a[key] for key in keys),
        mean_b=fmean(b[key] for key in keys),
        interval=cluster_bootstrap(
            differences,
            [[key[0] for key in keys], [key[1] for key in keys]],
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        ),
        wins=wins,
        losses=losses,
        ties=len(means) - wins - losses,
        p_value=sign_test(wins, losses),
    )
