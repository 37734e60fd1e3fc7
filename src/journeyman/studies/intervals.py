"""Intervals for rates and means: Wilson's for proportions, bootstraps for everything else."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.seeding import stream

_CELLS = 1_000_000
"""Weights held at once by the bootstrap, to bound its memory."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval in the units of what it is about; ``confidence`` in (0, 1)."""

    low: float
    high: float
    confidence: float = 0.95


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion.

    With z the two-sided normal quantile and p = successes / n:
    (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    It never leaves [0, 1] and has a width above 0 at 0 and n successes.

    Args:
        successes: Count, 0 <= successes <= n.
        n: Independent trials; 0 gives the whole [0, 1], the limit of the formula.
        confidence: In (0, 1).

    Raises:
        ConfigError: counts or confidence out of range.

    Source: E. B. Wilson, JASA 22 (1927) 209-212; no continuity correction.
    """
    if not 0 <= successes <= n:
        raise ConfigError(f"successes must lie in 0 .. n, got {successes} of {n}.")
    z = _normal_quantile(confidence)
    if n == 0:
        return Interval(0.0, 1.0, confidence)
    rate = successes / n
    centre = rate + z * z / (2 * n)
    half_width = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The exact bounds at 0 and n successes are 0 and 1; rounding would miss them by 1e-17.
    low = 0.0 if successes == 0 else (centre - half_width) / scale
    high = 1.0 if successes == n else (centre + half_width) / scale
    return Interval(low, high, confidence)


def mean_interval(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of the mean of independent values.

    Args:
        values: Shape (n,), n >= 1. With equal values the interval has no width, which says that
            the sample cannot tell, not that the mean is certain.
        confidence: In (0, 1).
        resamples: Bootstrap means drawn.
        seed: Of the stream ``bootstrap``; the same seed and values give the same interval.

    Raises:
        ConfigError: no values, or confidence out of range.
    """
    data = np.asarray(values, dtype=float)
    return cluster_bootstrap(
        data, [range(len(data))], confidence=confidence, resamples=resamples, seed=seed
    )


def cluster_bootstrap(
    values: ArrayLike,
    clusters: Sequence[Sequence[Hashable]],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap interval of a mean whose values share clusters, crossed or not.

    Each factor (tasks, seeds) is resampled on its own: its levels are drawn with replacement, a
    value counts as often as the product of the draws of its levels, and the statistic is the
    weighted mean. With two factors this is the pigeonhole bootstrap, which errs on the wide side;
    with one it is the usual cluster bootstrap. A factor with a single level adds no width: values
    of one seed say nothing about other seeds. With few levels (say, three seeds) a percentile
    interval is too narrow in that factor.

    Args:
        values: Shape (n,), n >= 1.
        clusters: One sequence of n level keys a factor, e.g. ``[task_ids, seeds]``.
        confidence: In (0, 1).
        resamples: Bootstrap means drawn; those of an incomplete design that happen to hold no
            value at all are left out.
        seed: Of the stream ``bootstrap``.

    Raises:
        ConfigError: no values, no factor, lengths that differ, or confidence out of range.

    Source: A. B. Owen, The pigeonhole bootstrap, Ann. Appl. Stat. 1 (2007) 386-411; as products
    of independent weights: Owen and Eckles, Ann. Appl. Stat. 6 (2012) 895-927.
    """
    data = np.asarray(values, dtype=float)
    if data.ndim != 1 or len(data) == 0:
        raise ConfigError(f"a bootstrap needs a list of at least one value, got {data.shape}.")
    if not clusters or any(len(keys) != len(data) for keys in clusters):
        raise ConfigError(f"each of one or more factors needs {len(data)} keys, one a value.")
    tail = (1 - _checked(confidence)) / 2
    random = stream(seed, "bootstrap")
    draws = [_draws(keys, resamples, random) for keys in clusters]
    means = []
    for start in range(0, resamples, rows := max(1, _CELLS // len(data))):
        weights = np.ones((1, len(data)))
        for counts, codes in draws:
            weights = weights * counts[start : start + rows, codes]
        total = weights.sum(axis=1)
        means.append((weights @ data)[total > 0] / total[total > 0])
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    return Interval(float(low), float(high), confidence)


def _draws(
    keys: Sequence[Hashable], resamples: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each level is drawn, shape (resamples, levels), and each value's level, (n,)."""
    levels = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([levels[key] for key in keys])
    size = len(levels)
    return random.multinomial(size, np.full(size, 1 / size), size=resamples), codes


def _checked(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence must lie between 0 and 1, got {confidence}.")
    return confidence


def _normal_quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + _checked(confidence)) / 2)
