"""Frozen evaluation and paired comparison of runs."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.errors import ConfigError, MemoryStoreError, RunError
from journeyman.core.values import Task
from journeyman.memory import StrategyPool
from journeyman.models.embedders import HashingEmbedder
from journeyman.runs import RunSpec
from tests.support.tiny_env import ENV_ID, tiny_tasks
from tests.support.worlds import MODEL


def learn(out: Path, **options: Any) -> api.Run:
    given = {"model": MODEL, "embedder": "hashing", "seed": 3, **options}
    return api.learn("elite", ENV_ID, out=out, **given)


@pytest.fixture
def run(tmp_path: Path) -> api.Run:
    return learn(tmp_path / "run")


class TestEvaluate:
    def test_the_whole_task_set_with_the_frozen_memory(self, run: api.Run) -> None:
        result = api.evaluate(run)
        assert [x["task"] for x in result.summaries] == [t.id for t in tiny_tasks()]
        assert {x["memory_version"] for x in result.summaries} == {11}
        assert result.path.parent == run.path / "evals" and result.status == "complete"
        document = result.document()
        assert document["memory"] == {"entries": len(run.memory.strategies), "version": 11}
        assert document["success"]["count"] == 11, "it knows by now to open the chest"
        run.close()

    def test_the_memory_file_is_byte_identical_after_it(self, run: api.Run) -> None:
        def state() -> dict[str, str]:
            return {
                f.name: hashlib.sha256(f.read_bytes()).hexdigest()
                for f in run.path.glob("memory.db*")
            }

        before = state()
        for options in ({}, {"at": 3}, {"memory": False}, {"version": 5}):
            api.evaluate(run.path, **options)  # type: ignore[arg-type]
        assert state() == before

    def test_after_n_episodes_the_memory_is_that_of_then(self, run: api.Run) -> None:
        versions = {}
        for n in (0, 4):
            result = api.evaluate(run, at=n)
            versions[n] = {x["memory_version"] for x in result.summaries}
            assert result.document()["memory"]["version"] == n
        assert versions == {0: {0}, 4: {4}}
        assert api.evaluate(run, at=0).document()["success"]["count"] < 11

    def test_at_a_version_edits_count(self, run: api.Run) -> None:
        run.memory.edit("S1", "By hand.")
        run.close()
        assert {x["memory_version"] for x in api.evaluate(run, version=12).summaries} == {12}
        assert {x["memory_version"] for x in api.evaluate(run).summaries} == {12}
        assert {x["memory_version"] for x in api.evaluate(run, at=11).summaries} == {11}

    def test_the_budget_of_the_learning_run_is_not_its_own(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run", budget_tokens=10**9, tasks=4)
        assert api.evaluate(run).spec.budget_tokens is None
        its_own = api.evaluate(run, budget_tokens=10**6, tries=2, out=tmp_path / "own").spec
        assert (its_own.budget_tokens, its_own.tries) == (10**6, 2)
        run.close()

    def test_what_an_evaluation_decides_itself_cannot_be_changed(self, run: api.Run) -> None:
        with pytest.raises(ConfigError, match="learning: an evaluation decides"):
            api.evaluate(run, learning=True)
        with pytest.raises(ConfigError, match="temprature"):
            api.evaluate(run, temprature=0.5)

    def test_a_run_whose_embedder_was_an_object_can_be_evaluated(self, tmp_path: Path) -> None:
        with StrategyPool.open(tmp_path / "m.db", embedder=HashingEmbedder(dim=64)) as pool:
            method = api.make_method("elite", api.load_roles(RunSpec(model=MODEL)))
            run = api.learn(method, api.make(ENV_ID), pool, tasks=2, out=tmp_path / "run")
            assert api.evaluate(run).status == "complete"

    def test_a_memory_without_that_version_leaves_no_folder_behind(self, run: api.Run) -> None:
        run.close()
        with pytest.raises(MemoryStoreError, match="versions"):
            api.evaluate(run.path, version=99)
        assert not list((run.path / "evals").glob("*/run.json"))

    def test_a_number_of_episodes_and_a_version_together_are_refused(self, run: api.Run) -> None:
        with pytest.raises(ConfigError, match="at and version"):
            api.evaluate(run, at=3, version=3)

    def test_without_memory_nothing_is_recalled_and_no_coarse_plan_asked_for(
        self, run: api.Run
    ) -> None:
        result = api.evaluate(run, memory=False)
        assert all(x["lessons"] == [] for x in result.summaries)
        assert {c.role for e in result.episodes for c in e.calls} == {"plan"}
        assert result.document()["memory"] == {"entries": 0, "version": 0}
        assert result.spec.method == "base"

    def test_without_memory_it_is_the_same_planner(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "own", settings={"shots": 1, "k": 2}, tasks=2)
        result = api.evaluate(run, memory=False, settings={"observation": "text", "k": 1})
        assert result.spec.settings == {"shots": 1, "observation": "text"}
        [prompt, *_] = [c.messages[0].text for e in result.episodes for c in e.calls]
        assert prompt.count("Instruction:") == 2, "one example and the task"

    def test_another_retriever_reads_the_same_memory(self, run: api.Run) -> None:
        result = api.evaluate(run, settings={"retriever": "all"})
        entries = result.document()["memory"]["entries"]
        assert {len(x["lessons"]) for x in result.summaries} == {entries}

    def test_fewer_tasks_and_another_folder(self, run: api.Run, tmp_path: Path) -> None:
        result = api.evaluate(run, tasks=3, out=tmp_path / "short")
        assert len(result.summaries) == 3 and result.path == tmp_path / "short"

    def test_the_same_call_again_asks_no_model(self, run: api.Run) -> None:
        first = api.evaluate(run)
        heard: list[Any] = []
        again = api.evaluate(run, listeners=[heard.append])
        assert again.path == first.path and heard == []

    def test_different_calls_have_different_folders(self, run: api.Run) -> None:
        paths = {
            api.evaluate(run, **options).path  # type: ignore[arg-type]
            for options in ({}, {"at": 3}, {"memory": False}, {"settings": {"k": 1}}, {"tasks": 2})
        }
        assert len(paths) == 5

    def test_of_an_evaluation_there_is_no_memory(self, run: api.Run) -> None:
        result = api.evaluate(run)
        with pytest.raises(RunError, match="has no memory of its own"):
            _ = result.memory

    def test_an_interrupted_evaluation_goes_on(self, run: api.Run) -> None:
        def stop(event: Any) -> None:
            if getattr(event, "number", None) == 4:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            api.evaluate(run, listeners=[stop])
        assert len(api.evaluate(run).summaries) == 11


class TestOverlap:
    def test_the_report_counts_tasks_that_were_learnt_on(self, run: api.Run) -> None:
        assert api.evaluate(run).document()["overlap"] == {
            "tasks": 11,
            "same_instruction": 11,
            "same_scene": 11,
            "same_goal": 11,
        }

    def test_only_the_tasks_that_were_met_count(self, tmp_path: Path) -> None:
        """One task of eleven was met, tidy-10: the last thing to the last place."""
        run = learn(tmp_path / "one", task_ids=("tidy-01",))
        overlap = api.evaluate(run).document()["overlap"]
        assert overlap["same_instruction"] == 1
        assert overlap["same_goal"] == 2, "the same goal in other words"
        assert overlap["same_scene"] == 11

    def test_what_the_memory_was_learnt_on_before_a_warm_start_counts(
        self, run: api.Run, tmp_path: Path
    ) -> None:
        warm = learn(tmp_path / "warm", memory=f"{run.path}@11", tasks=1)
        again = learn(tmp_path / "again", memory=str(warm.path / "memory.db"), tasks=1)
        for later in (warm, again):
            assert api.evaluate(later).document()["overlap"]["same_instruction"] == 11
        run.close(), shutil.rmtree(run.path)
        assert api.evaluate(warm, tasks=5).document()["overlap"]["tasks"] == 5

    def test_what_a_task_does_not_have_is_not_shared(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Environments of others need neither a scene nor a goal in their specification."""

        def bare(name: str) -> tuple[Task, ...]:
            plain = {"thing": "ball", "place": "shelf"}

            class Spec(dict):  # type: ignore[type-arg]
                def __missing__(self, key: str) -> Any:
                    return plain

            return tuple(Task(f"t{i}", name, "s", f"Do {i}.", Spec()) for i in range(3))

        monkeypatch.setattr("tests.support.tiny_env.tiny_tasks", bare)
        run = learn(tmp_path / "bare")
        assert api.evaluate(run).document()["overlap"] == {
            "tasks": 3,
            "same_instruction": 3,
            "same_scene": 0,
            "same_goal": 0,
        }


class TestCompare:
    def test_runs_are_paired_by_task(self, run: api.Run) -> None:
        with_memory, without = api.evaluate(run), api.evaluate(run, memory=False)
        comparison = api.compare(with_memory.path, without)
        won = 11 - without.document()["success"]["count"]
        document = comparison.document()["success"]
        assert (document["wins"], document["losses"], document["pairs"]) == (won, 0, 11)
        assert document["a"] == 1.0 and document["difference"] == pytest.approx(won / 11)
        assert document["ci95"][0] <= document["difference"] <= document["ci95"][1]
        assert f"{won} wins, 0 losses" in str(comparison)
        assert comparison.document()["task_progress"]["pairs"] == 11

    def test_a_run_against_itself_is_all_ties(self, run: api.Run) -> None:
        document = api.compare(run, run.path).document()["success"]
        assert (document["ties"], document["difference"], document["sign_test_p"]) == (11, 0.0, 1.0)

    def test_runs_without_a_common_task_are_refused(self, tmp_path: Path) -> None:
        a = learn(tmp_path / "a", task_ids=("tidy-01",))
        b = learn(tmp_path / "b", task_ids=("tidy-02",))
        with pytest.raises(RunError, match="no task"):
            api.compare(a, b)
