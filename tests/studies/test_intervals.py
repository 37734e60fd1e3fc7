import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.errors import ConfigError
from journeyman.studies.intervals import cluster_bootstrap, mean_interval, wilson

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_wilson_gives_the_hand_computed_interval_of_31_in_50():
    # z = 1.96: centre .65842 / 1.07683, half-width 1.96 sqrt(.62 * .38 / 50 + .00038415) / 1.07683
    interval = wilson(31, 50)
    assert interval.low == pytest.approx(0.4815, abs=5e-5)
    assert interval.high == pytest.approx(0.7414, abs=5e-5)


def test_wilson_at_no_success_is_closed_form():
    # p = 0 leaves (0, z^2 / (n + z^2)); z^2 = 3.841459, n = 10
    interval = wilson(0, 10)
    assert interval.low == 0.0
    assert interval.high == pytest.approx(3.841459 / 13.841459, abs=1e-6)


def test_wilson_without_trials_says_nothing():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(deadline=None, derandomize=True)
def test_wilson_agrees_with_scipy(count, confidence):
    from scipy.stats import binomtest

    successes, n = count
    theirs = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    ours = wilson(successes, n, confidence)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(counts)
@settings(deadline=None, derandomize=True)
def test_wilson_holds_the_rate_and_mirrors_when_failures_are_counted(count):
    successes, n = count
    interval, mirrored = wilson(successes, n), wilson(n - successes, n)
    assert 0.0 <= interval.low <= successes / n <= interval.high <= 1.0
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)


@pytest.mark.parametrize("bad", [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 0.0), (1, 2, 1.0)])
def test_wilson_refuses_counts_and_confidence_out_of_range(bad):
    with pytest.raises(ConfigError):
        wilson(*bad)


def test_mean_interval_has_the_width_of_the_normal_approximation_on_many_values():
    values = np.arange(200.0)
    deviation = values.std() / np.sqrt(200)
    interval = mean_interval(values)
    assert interval.low == pytest.approx(99.5 - 1.96 * deviation, abs=0.05 * deviation * 3)
    assert interval.high == pytest.approx(99.5 + 1.96 * deviation, abs=0.05 * deviation * 3)


def test_mean_interval_agrees_with_scipys_percentile_bootstrap():
    from scipy.stats import bootstrap

    values = np.random.default_rng(1).beta(2, 1, size=50)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    ours = mean_interval(values, resamples=20_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_mean_interval_depends_on_the_seed_and_on_nothing_else():
    values = [0.1, 0.5, 0.25, 1.0, 0.7, 0.3]
    first = mean_interval(values, resamples=200, seed=3)
    assert first == mean_interval(values, resamples=200, seed=3)
    assert first != mean_interval(values, resamples=200, seed=4)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_mean_interval_stays_within_the_values_and_moves_with_them(values):
    interval = mean_interval(values, resamples=200)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
    moved = mean_interval([value + 7 for value in values], resamples=200)
    assert (moved.low - 7, moved.high - 7) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_two_way_resampling_gives_the_quantiles_of_all_equally_likely_resamples():
    grid = np.array([[1.0, -0.4], [0.3, 0.9], [-1.0, 0.15]])  # 3 tasks by 2 seeds
    every = [
        grid[np.ix_(rows, columns)].mean()
        for rows in itertools.product(range(3), repeat=3)
        for columns in itertools.product(range(2), repeat=2)
    ]
    tasks = [task for task in "abc" for _ in range(2)]
    seeds = [0, 1] * 3
    ours = cluster_bootstrap(grid.ravel(), [tasks, seeds], confidence=0.8, resamples=40_000)
    low, high = np.quantile(every, [0.1, 0.9], method="inverted_cdf")
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9)


def test_values_that_repeat_within_a_task_give_no_more_certainty_than_the_tasks():
    per_task = [0.0, 1.0] * 10
    tasks = list(range(20))
    once = cluster_bootstrap(per_task, [tasks])
    five_seeds = cluster_bootstrap(
        per_task * 5, [tasks * 5, [seed for seed in range(5) for _ in range(20)]]
    )
    as_if_independent = mean_interval(per_task * 5)
    assert five_seeds.high - five_seeds.low == pytest.approx(once.high - once.low, abs=0.051)
    assert five_seeds.high - five_seeds.low > 1.8 * (as_if_independent.high - as_if_independent.low)


def test_a_factor_with_one_level_changes_nothing():
    values, tasks = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0], list("abcdef")
    with_seed = cluster_bootstrap(values, [tasks, [7] * 6], resamples=500)
    assert with_seed == cluster_bootstrap(values, [tasks], resamples=500)


def test_an_incomplete_design_leaves_out_the_resamples_without_values():
    interval = cluster_bootstrap([1.0, 3.0], [["a", "b"], [0, 1]], resamples=400)
    assert (interval.low, interval.high) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("values", "clusters"), [([], [[]]), ([1.0], []), ([1.0, 2.0], [["a"]]), ([[1.0]], [["a"]])]
)
def test_a_bootstrap_without_values_or_keys_is_refused(values, clusters):
    with pytest.raises(ConfigError):
        cluster_bootstrap(values, clusters)
