import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.errors import ConfigError
from journeyman.studies.curves import Point, area, cumulative, rolling
from journeyman.studies.intervals import wilson

RUN = [False, True, True, False, True]


def test_cumulative_gives_the_rate_so_far_with_its_interval():
    points = cumulative(RUN)
    assert [p.episode for p in points] == [1, 2, 3, 4, 5]
    assert [p.rate for p in points] == [0, 1 / 2, 2 / 3, 2 / 4, 3 / 5]
    assert (points[2].low, points[2].high) == (wilson(2, 3).low, wilson(2, 3).high)


def test_rolling_gives_full_windows_at_their_last_episode():
    points = rolling(RUN, window=3)
    assert [(p.episode, p.rate) for p in points] == [(3, 2 / 3), (4, 2 / 3), (5, 2 / 3)]
    assert [p.rate for p in rolling(RUN, window=2)] == [1 / 2, 1, 1 / 2, 1 / 2]
    assert (points[0].low, points[0].high) == (wilson(2, 3).low, wilson(2, 3).high)


def test_a_run_shorter_than_the_window_has_no_rolling_rate():
    assert rolling(RUN, window=6) == []
    assert cumulative([]) == []


def test_area_is_the_trapezoid_mean_height():
    # (0 + .5) / 2 + (.5 + 1) / 2 * 2 over a length of 3
    points = [Point(1, 0.0, 0, 1), Point(2, 0.5, 0, 1), Point(4, 1.0, 0, 1)]
    assert area(points) == pytest.approx((0.25 + 1.5) / 3)
    assert area(points[1:2]) == 0.5


def test_of_two_equal_ends_the_earlier_learner_has_the_larger_area():
    early, late = [True] * 5 + [False] * 5, [False] * 5 + [True] * 5
    assert area(cumulative(early)) > 0.5 > area(cumulative(late))


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 20))
@settings(deadline=None, derandomize=True)
def test_a_window_as_long_as_the_run_is_the_cumulative_end_and_areas_are_rates(run, window):
    assert rolling(run, window=len(run)) == cumulative(run)[-1:]
    assert len(rolling(run, window)) == max(0, len(run) - window + 1)
    assert 0.0 <= area(cumulative(run)) <= 1.0


def test_bad_windows_and_empty_curves_are_refused():
    with pytest.raises(ConfigError):
        rolling(RUN, window=0)
    with pytest.raises(ConfigError):
        area([])
