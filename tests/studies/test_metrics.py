import pytest

from journeyman.core.errors import ConfigError
from journeyman.studies.intervals import wilson
from journeyman.studies.metrics import by_task, halves, outcomes, rate, summarise


def episode(task, success, progress, steps=10, invalid=0, trials=1):
    return {
        "task": task,
        "success": success,
        "task_progress": progress,
        "steps": steps,
        "invalid_actions": invalid,
        "trials": trials,
    }


RUN = [
    episode("t1", True, 1.0, steps=6),
    episode("t2", False, 0.5, steps=30, invalid=3),
    episode("t3", True, 1.0, steps=12, invalid=1, trials=2),
    episode("t4", False, 0.0, steps=4),
]


def test_summary_counts_successes_and_averages_the_rest():
    summary = summarise(RUN)
    assert (summary.success.count, summary.success.n, summary.success.rate) == (2, 4, 0.5)
    assert summary.success.interval == wilson(2, 4)
    assert summary.task_progress.mean == 0.625
    assert summary.steps.mean == 13.0
    assert summary.invalid_actions.mean == 1.0
    assert 0.0 <= summary.task_progress.interval.low <= 0.625 <= summary.task_progress.interval.high


def test_a_success_of_a_later_trial_is_no_first_trial_success():
    assert summarise(RUN).first_trial_success.count == 1


def test_a_run_without_finished_episodes_has_no_summary_but_a_rate_of_nothing():
    with pytest.raises(ConfigError):
        summarise([])
    assert (rate([]).rate, rate([]).n) == (0.0, 0)


def test_the_odd_episode_belongs_to_the_second_half():
    first, second = halves([True, False, True, True, True])
    assert (first.count, first.n) == (1, 2)
    assert (second.count, second.n) == (3, 3)


def test_by_task_keys_by_task_and_seed_and_averages_a_task_met_twice():
    values = by_task([*RUN, episode("t1", False, 0.5)], seed=3)
    assert values == {("t1", 3): 0.5, ("t2", 3): 0.0, ("t3", 3): 1.0, ("t4", 3): 0.0}
    assert by_task(RUN, 0, "task_progress")[("t2", 0)] == 0.5


class TestOutcomes:
    def test_a_task_counts_by_its_last_trial(self) -> None:
        lines = [
            {"task": name, "success": success, "trials": trial}
            for name, success, trial in [
                ("a", True, 1),
                ("b", False, 1),
                ("b", True, 2),
                ("c", False, 1),
                ("c", False, 2),
                ("a", False, 1),
            ]
        ]
        kept = [(line["task"], line["success"], line["trials"]) for line in outcomes(lines)]
        assert kept == [("a", True, 1), ("b", True, 2), ("c", False, 2), ("a", False, 1)]
        assert outcomes([]) == []
