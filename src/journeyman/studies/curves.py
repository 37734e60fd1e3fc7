"""Success over the episodes of a run, as curves with pointwise intervals.

The intervals take the outcomes under one point for independent and are pointwise: they do not
cover the curve as a whole. Neighbouring points share episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from journeyman.core.errors import ConfigError
from journeyman.studies.metrics import rate


@dataclass(frozen=True)
class Point:
    """The success rate after ``episode`` episodes (counted from 1), with Wilson's interval."""

    episode: int
    rate: float
    low: float
    high: float


def cumulative(outcomes: Sequence[bool], confidence: float = 0.95) -> list[Point]:
    """The success rate of the first 1, 2, ..., n episodes: n points."""
    return [_point(outcomes, 0, end, confidence) for end in range(1, len(outcomes) + 1)]


def rolling(outcomes: Sequence[bool], window: int = 10, confidence: float = 0.95) -> list[Point]:
    """The success rate of each ``window`` neighbouring episodes, placed at the last of them.

    n - window + 1 points; none where the run is shorter than the window.

    Raises:
        ConfigError: window below 1.
    """
    if window < 1:
        raise ConfigError(f"window must be at least 1 episode, got {window}.")
    ends = range(window, len(outcomes) + 1)
    return [_point(outcomes, end - window, end, confidence) for end in ends]


def area(points: Sequence[Point]) -> float:
    """The mean height of a curve, in [0, 1]: its trapezoid area over its length.

    One number for how early a method learns: of two runs with the same final rate, the one that
    got there first has the larger area under its rolling curve.

    Raises:
        ConfigError: no points.
    """
    if not points:
        raise ConfigError("a curve without points has no area.")
    if len(points) == 1:
        return points[0].rate
    total = sum((q.episode - p.episode) * (p.rate + q.rate) / 2 for p, q in pairwise(points))
    return total / (points[-1].episode - points[0].episode)


def _point(outcomes: Sequence[bool], start: int, end: int, confidence: float) -> Point:
    part = rate(outcomes[start:end], confidence)
    return Point(end, part.rate, part.interval.low, part.interval.high)
