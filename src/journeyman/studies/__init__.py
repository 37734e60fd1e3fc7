"""Statistics of runs: metrics, intervals, paired comparison and curves; numpy and no more."""

from journeyman.studies.curves import Point, area, cumulative, rolling
from journeyman.studies.intervals import Interval, cluster_bootstrap, mean_interval, wilson
from journeyman.studies.metrics import (
    Mean,
    Rate,
    Summary,
    by_task,
    halves,
    mean,
    outcomes,
    rate,
    summarise,
)
from journeyman.studies.paired import Difference, difference, sign_test

__all__ = [
    "Difference",
    "Interval",
    "Mean",
    "Point",
    "Rate",
    "Summary",
    "area",
    "by_task",
    "cluster_bootstrap",
    "cumulative",
    "difference",
    "halves",
    "mean",
    "mean_interval",
    "outcomes",
    "rate",
    "rolling",
    "sign_test",
    "summarise",
    "wilson",
]
