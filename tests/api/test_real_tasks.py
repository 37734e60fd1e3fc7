"""The whole loop on the real EB-ALFRED tasks, in process and over HTTP."""

from __future__ import annotations

import os

import pytest

from journeyman import api
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn
from journeyman.runs.spec import check_spec
from tests.support.fake_server import FakeServer

needs_data = pytest.mark.skipif(
    "JOURNEYMAN_DATA" not in os.environ,
    reason="needs the EB-ALFRED data: set JOURNEYMAN_DATA to their folder",
)


@needs_data
@pytest.mark.compatibility(
    "the whole loop on real tasks",
    "a server that speaks the OpenAI protocol",
    "the stand-in behind a local HTTP server",
    needs="EB-ALFRED data (JOURNEYMAN_DATA)",
)
def test_the_loop_runs_on_the_fifty_real_tasks_and_gives_the_same_over_http(tmp_path):
    given = {"env": ("eb-alfred-replay/base",), "seed": 0}
    here = api.run_spec(check_spec(given), tmp_path / "here")
    with FakeServer(StandIn("stand-in", ModelOptions(seed=0))) as server:
        served = check_spec({**given, "model": "openai/stand-in", "base_url": server.base_url})
        there = api.run_spec(served, tmp_path / "there")
    assert here.status == there.status == "complete"
    assert len(here.summaries) == len(there.summaries) == 50
    kept = ("task", "success", "task_progress", "steps", "invalid_actions", "lessons", "operations")
    for one, other in zip(here.summaries, there.summaries, strict=True):
        assert {key: one[key] for key in kept} == {key: other[key] for key in kept}
    assert [s.text for s in here.memory.strategies] == [s.text for s in there.memory.strategies]
    assert any(line["lessons"] for line in there.summaries)
    assert there.usage()["calls"] == here.usage()["calls"] > 150
    assert "Symbolic replay" in " ".join(there.folder.header["caveats"])
    here.close()
    there.close()


@needs_data
def test_demonstrations_from_other_trials_teach_the_real_tasks(tmp_path):
    spec = check_spec(
        {"env": ("eb-alfred-replay/unused",), "setting": "supervised", "tasks": 20, "seed": 0}
    )
    run = api.run_spec(spec, tmp_path / "supervised")
    assert run.status == "complete"
    assert all(
        episode.delta.reflection.mode == "comparative"
        for episode in run.episodes
        if episode.delta and episode.delta.reflection
    )
    held_out = api.evaluate(run, "eb-alfred-replay/base")
    assert len(held_out.summaries) == 50
    assert held_out.document()["overlap"]["same_instruction"] >= 0
    run.close()
