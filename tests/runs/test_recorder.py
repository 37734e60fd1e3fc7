"""What a run's events leave in its folder, and which of it is canonical."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from journeyman.core.events import EpisodeEnded, EpisodeFaulted, Event, ModelCalled, Reflected
from journeyman.core.messages import Completion, ModelCall, Usage
from journeyman.core.values import Add, Applied, Lessons, Verdict
from journeyman.runs import Recorder, RunFolder, RunSpec, canonical_episodes
from journeyman.runs.recorder import summary
from tests.runs.examples import episode

APPLIED = Applied(5, (Verdict(Add("a"), True), Verdict(Add("a"), False, "twice")))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", {"spec": RunSpec().model_dump(mode="json")})


def test_an_episode_is_saved_when_reflected_and_its_line_written_when_applied(
    folder: RunFolder,
) -> None:
    recorder = Recorder(folder)
    recorder(Reflected(episode(0)))
    assert len(folder.pending()) == 1 and folder.summaries() == []
    recorder(EpisodeEnded(episode(0), APPLIED))
    assert folder.pending() == [] and len(folder.summaries()) == 1


def test_the_line_has_the_benchmarks_metrics_and_what_the_episode_cost() -> None:
    line = summary(episode(3, success=True), APPLIED)
    assert json.loads(json.dumps(line)) == line
    expected = {
        "number": 3,
        "task": "task-3",
        "env": "tiny/tidy-v0",
        "subset": "tidy",
        "instruction": "Put it there.",
        "success": True,
        "task_progress": 0.25,
        "steps": 1,
        "invalid_actions": 2,
        "trials": 1,
        "ended": "success",
        "planner_steps": 2,
        "planner_output_error": 1,
        "empty_plan": False,
        "failure_reason": "",
        "reward": 0.125,
        "lessons": [{"entry": "e0001", "revision": 2, "similarity": 0.5}],
        "memory_version": 5,
        "operations": {"accepted": 1, "refused": 1, "error": None},
        "spent": [
            {
                "role": "plan",
                "model": "m-1",
                "calls": 1,
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "cached_tokens": 2,
                "seconds": 0.25,
            }
        ],
        "wall_s": 1.2346,
    }
    assert line == expected


def test_a_frozen_episode_keeps_the_version_that_it_read() -> None:
    line = summary(replace(episode(), delta=None, lessons=Lessons(memory_version=9)), None)
    assert line["memory_version"] == 9
    assert line["operations"] == {"accepted": 0, "refused": 0, "error": None}


def test_a_fault_is_recorded_apart_with_what_it_cost(folder: RunFolder) -> None:
    failed = episode(2)
    Recorder(folder)(EpisodeFaulted(2, failed.task, "the model is down", failed.calls))
    [fault] = folder.faults()
    assert (fault["number"], fault["task"], fault["reason"]) == (2, "task-2", "the model is down")
    assert [row["prompt_tokens"] for row in fault["spent"]] == [10]
    assert folder.summaries() == [] and folder.pending() == []


def test_the_models_that_served_each_role_are_in_the_header(folder: RunFolder) -> None:
    recorder = Recorder(folder)
    for role, model in [("plan", "m-1"), ("distil", "m-2"), ("plan", "m-1"), ("plan", "m-1b")]:
        recorder(ModelCalled(ModelCall(role, (), Completion("x", model=model, usage=Usage()))))
    assert RunFolder.open(folder.path).header["served_models"] == {"distil": "m-2", "plan": "m-1b"}


def test_the_canonical_form_leaves_out_times_and_nothing_else(tmp_path: Path) -> None:
    def run(name: str, **changes: object) -> dict[str, object]:
        folder = RunFolder.create(tmp_path / name, {"spec": RunSpec().model_dump(mode="json")})
        recorder = Recorder(folder)
        whole = replace(episode(), **changes)  # type: ignore[arg-type]
        events: list[Event] = [Reflected(whole), EpisodeEnded(whole, APPLIED)]
        for event in events:
            recorder(event)
        return canonical_episodes(folder.path)

    one = run("one")
    [call] = episode().calls
    slower = replace(call, completion=replace(call.completion, seconds=99.0))
    assert run("two", wall_s=77.0, calls=(slower,)) == one
    assert "seconds" not in json.dumps(one) and "wall_s" not in json.dumps(one)
    other = replace(call, completion=replace(call.completion, text="other"))
    assert run("three", calls=(other,)) != one
    assert len(one["summaries"]) == len(one["episodes"]) == 1  # type: ignore[arg-type]
