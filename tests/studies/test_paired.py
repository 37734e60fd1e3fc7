import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.errors import RunError
from journeyman.studies.paired import difference, sign_test


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (5, 0, 2 / 32),
        (1, 7, 2 * (1 + 8) / 256),
        (9, 3, 2 * (1 + 12 + 66 + 220) / 4096),
    ],
)
def test_sign_test_gives_the_hand_computed_p_value(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p, abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(deadline=None, derandomize=True)
def test_sign_test_agrees_with_scipys_binomial_test(wins, losses):
    from scipy.stats import binomtest

    theirs = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(theirs, abs=1e-9)


def test_one_seed_is_mcnemars_test_on_the_pairs():
    a = {(f"t{i}", 0): float(i < 7) for i in range(10)}  # solves t0 .. t6
    b = {(f"t{i}", 0): float(i in (0, 1, 8)) for i in range(10)}
    result = difference(a, b)
    assert (result.wins, result.losses, result.ties) == (5, 1, 4)
    assert result.p_value == pytest.approx(2 * (1 + 6) / 64)
    assert (result.mean_a, result.mean_b) == (0.7, 0.3)
    assert result.difference == pytest.approx(0.4)
    assert -1.0 <= result.interval.low < 0.4 < result.interval.high <= 1.0


def test_several_seeds_of_a_task_are_one_win():
    a = {("t", seed): 1.0 for seed in range(8)}
    b = {("t", seed): 0.0 for seed in range(8)}
    result = difference(a, b)
    assert (result.pairs, result.tasks, result.seeds) == (8, 1, 8)
    assert (result.wins, result.p_value) == (1, 1.0)


def test_thirds_that_cancel_are_a_tie():
    a = {("t", 0): 1 / 3, ("t", 1): 2 / 3, ("t", 2): 0.1 + 0.2}
    b = {("t", 0): 2 / 3, ("t", 1): 1 / 3, ("t", 2): 0.3}
    assert difference(a, b).ties == 1


def test_what_only_one_side_has_is_left_out_and_counted():
    a = {("t1", 0): 1.0, ("t2", 0): 1.0, ("t3", 0): 1.0}
    b = {("t1", 0): 0.0, ("t2", 1): 0.0}
    result = difference(a, b)
    assert (result.pairs, result.unpaired, result.mean_a, result.mean_b) == (1, 3, 1.0, 0.0)


def test_nothing_in_common_is_an_error_that_says_what_to_do():
    with pytest.raises(RunError, match="in common") as raised:
        difference({("t1", 0): 1.0}, {("t2", 0): 1.0})
    assert "journeyman learn" in raised.value.hint


values = st.dictionaries(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 2)),
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
)


@given(values)
@settings(max_examples=50, deadline=None, derandomize=True)
def test_swapping_the_sides_turns_the_result_round(both):
    a = {key: pair[0] for key, pair in both.items()}
    b = {key: pair[1] for key, pair in both.items()}
    ahead, behind = difference(a, b, resamples=300), difference(b, a, resamples=300)
    assert ahead.difference == pytest.approx(-behind.difference)
    assert (ahead.wins, ahead.losses, ahead.ties) == (behind.losses, behind.wins, behind.ties)
    assert ahead.p_value == behind.p_value
    assert (ahead.interval.low, ahead.interval.high) == pytest.approx(
        (-behind.interval.high, -behind.interval.low), abs=1e-9
    )


def test_the_interval_counts_tasks_and_not_their_copies():
    a = {(f"t{i}", seed): float(i % 2) for i in range(20) for seed in range(5)}
    b = dict.fromkeys(a, 0.0)
    one_seed = difference({key: a[key] for key in a if key[1] == 0}, b)
    five_seeds = difference(a, b)
    narrow = five_seeds.interval.high - five_seeds.interval.low
    assert narrow == pytest.approx(one_seed.interval.high - one_seed.interval.low, abs=0.051)
