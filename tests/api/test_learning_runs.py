"""`learn` by names and by objects: what it leaves, how it stops and how it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.errors import ConfigError, ModelUnavailable, RunError, UnknownName
from journeyman.core.events import EpisodeEnded, EpisodeFaulted, EpisodeStarted, Stepped
from journeyman.core.values import Task
from journeyman.memory import StrategyPool
from journeyman.methods.baselines.base import BaseModel
from journeyman.methods.elite import Elite
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.loading import load_embedder
from journeyman.models.roles import ModelRoles
from journeyman.runs import canonical_episodes
from tests.support.scripted import TidyModel
from tests.support.tiny_env import ENV_ID, TinyEnv, tiny_tasks
from tests.support.worlds import MODEL

BUDGET = 8000
"""Tokens that suffice for some episodes and not for all."""


def learn(out: Path, method: str = "elite", **options: Any) -> api.Run:
    given = {"model": MODEL, "embedder": "hashing", "seed": 3, **options}
    return api.learn(method, ENV_ID, out=out, **given)


def same(one: Path, other: Path) -> None:
    """Equal summaries, trajectories, prompts and memory, times aside."""
    assert canonical_episodes(one) == canonical_episodes(other)
    exports = []
    for path in (one, other):
        with StrategyPool.open(path / "memory.db", embedder=load_embedder("hashing")) as pool:
            exports.append(pool.export())
    assert exports[0] == exports[1]


class TestByName:
    def test_a_run_meets_every_task_and_is_complete(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run")
        assert run.status == "complete" and len(run.summaries) == 11
        assert {line["task"] for line in run.summaries} == {t.id for t in tiny_tasks()}
        assert run.memory.version == 11 and len(run.memory.strategies) > 0
        run.close()

    def test_the_document_has_the_keys_that_programs_rely_on(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run")
        document = run.document()
        assert json.loads(json.dumps(document)) == document
        assert set(document) >= {
            "run",
            "env",
            "method",
            "model",
            "seed",
            "episodes",
            "success",
            "task_progress",
            "first_trial_success",
            "memory",
            "usage",
            "wall_s",
            "status",
            "per_task",
        }
        count = sum(line["success"] for line in run.summaries)
        low, high = document["success"].pop("ci95")
        assert document["success"] == {"count": count, "rate": count / 11}
        assert 0 <= low < count / 11 < high <= 1
        assert document["memory"] == {"entries": len(run.memory.strategies), "version": 11}
        assert set(document["usage"]) >= {"calls", "prompt_tokens", "completion_tokens"}
        assert document["usage"]["calls"] == sum(len(e.calls) for e in run.episodes)
        assert document["episodes"] == len(document["per_task"]) == 11
        assert all(
            set(line) == {"task", "success", "task_progress", "steps", "invalid_actions", "trials"}
            for line in document["per_task"]
        )
        assert (document["env"], document["method"], document["model"]) == (ENV_ID, "elite", MODEL)
        assert document["seed"] == 3 and document["status"] == "complete"
        assert document["first_trial_success"] == count / 11
        run.close()

    def test_two_runs_of_one_seed_are_equal_and_of_two_seeds_are_not(self, tmp_path: Path) -> None:
        learn(tmp_path / "one"), learn(tmp_path / "two"), learn(tmp_path / "other", seed=4)
        same(tmp_path / "one", tmp_path / "two")
        assert canonical_episodes(tmp_path / "one") != canonical_episodes(tmp_path / "other")

    def test_the_first_n_tasks_are_those_of_the_longer_run(self, tmp_path: Path) -> None:
        short, long = learn(tmp_path / "short", tasks=4), learn(tmp_path / "long")
        assert [x["task"] for x in short.summaries] == [x["task"] for x in long.summaries][:4]

    def test_named_tasks_only_in_the_order_of_the_seed(self, tmp_path: Path) -> None:
        ids = ("tidy-01", "tidy-07", "tidy-04")
        run = learn(tmp_path / "run", task_ids=ids)
        assert {line["task"] for line in run.summaries} == set(ids)
        with pytest.raises(UnknownName, match="no task 'tidy-99'"):
            learn(tmp_path / "other", task_ids=("tidy-99",))

    def test_the_header_says_what_ran(self, tmp_path: Path) -> None:
        header = learn(tmp_path / "run", role_models={"distil": MODEL}).folder.header
        assert header["models"] == {"default": MODEL, "distil": MODEL}
        assert header["served_models"]["plan"] == MODEL
        assert header["prompts"] == Elite(TidyModel()).prompts
        assert header["planned"] == 11 and header["versions"]["journeyman"]

    def test_the_memory_says_who_wrote_it(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run")
        [author] = {change.origin.author for change in run.memory.history()}
        assert author == f"elite/{MODEL}"
        run.close()

    def test_the_base_model_leaves_an_empty_memory(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run", "base")
        assert run.document()["memory"]["entries"] == 0
        run.close()

    def test_a_run_without_a_name_gets_a_number(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        paths = [
            api.learn("base", ENV_ID, model=MODEL, embedder="hashing", tasks=1).path
            for _ in range(2)
        ]
        assert paths == [Path("runs/base-tiny-tidy-v0-001"), Path("runs/base-tiny-tidy-v0-002")]

    def test_listeners_hear_what_happens(self, tmp_path: Path) -> None:
        heard: list[type] = []
        learn(tmp_path / "run", tasks=2, listeners=[lambda event: heard.append(type(event))])
        assert heard.count(EpisodeStarted) == heard.count(EpisodeEnded) == 2
        assert Stepped in heard


class TestSettings:
    def test_the_methods_own_settings_are_given_on(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run", settings={"k": 1, "retriever": "all"})
        assert run.spec.settings == {"k": 1, "retriever": "all"}
        last = run.summaries[-1]
        assert len(last["lessons"]) > 1, "retriever all shows more than k"

    def test_an_unknown_setting_is_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownName, match="Did you mean 'retriever'"):
            learn(tmp_path / "run", settings={"retreiver": "all"})
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        "settings",
        [{"k": "four"}, {"k": 2.5}, {"shots": "all"}, {"observation": 3}, {"k": True}, {"k": [1]}],
        ids=str,
    )
    def test_a_setting_of_another_type_is_refused_by_its_key(
        self, tmp_path: Path, settings: dict[str, Any]
    ) -> None:
        [key] = settings
        with pytest.raises(ConfigError, match=rf"^{key}: "):
            learn(tmp_path / "run", settings=settings)
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"method": "elit"}, UnknownName),
            ({"embedder": "hashin"}, UnknownName),
            ({"model": "tidy"}, UnknownName),
            ({"role_models": {"plan": "tidy"}}, UnknownName),
            ({"role_models": {"planner": MODEL}}, UnknownName),
            ({"sede": 4}, ConfigError),
            ({"memory": "no/such/run"}, ConfigError),
            ({"memory": "no/such/run@x"}, ConfigError),
        ],
        ids=str,
    )
    def test_unknown_names_are_refused_before_anything_is_written(
        self, tmp_path: Path, options: dict[str, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            learn(tmp_path / "run", **options)
        assert not (tmp_path / "run").exists()


class TestSupervised:
    def test_only_the_distil_prompts_have_the_demonstration(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run", supervised=True)
        shown = {
            call.role: "## Demonstration" in call.messages[0].text
            for episode in run.episodes
            for call in episode.calls
        }
        assert shown == {"coarse_plan": False, "plan": False, "distil": True, "consolidate": False}

    def test_a_task_without_a_demonstration_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bare = (Task("bare", ENV_ID, "tidy", "Put it away.", tiny_tasks()[0].spec),)
        monkeypatch.setattr("tests.support.tiny_env.tiny_tasks", lambda name: bare)
        with pytest.raises(ConfigError, match="'bare' has no demonstration"):
            learn(tmp_path / "run", supervised=True)


class TestResuming:
    @pytest.fixture
    def whole(self, tmp_path: Path) -> Path:
        return learn(tmp_path / "whole").path

    def cut(self, out: Path, where: Callable[[Any], bool], **options: Any) -> None:
        def stop(event: Any) -> None:
            if where(event):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learn(out, listeners=[stop], **options)

    @pytest.mark.parametrize("kind", [EpisodeStarted, Stepped, EpisodeEnded])
    def test_an_interrupted_run_goes_on_and_equals_an_uninterrupted_one(
        self, tmp_path: Path, whole: Path, kind: type
    ) -> None:
        seen: list[Any] = []

        def sixth(event: Any) -> bool:
            seen.append(event)
            return isinstance(event, kind) and sum(isinstance(e, EpisodeEnded) for e in seen) == 6

        self.cut(tmp_path / "cut", sixth)
        assert api.open_run(tmp_path / "cut").status == "interrupted"
        run = learn(tmp_path / "cut")
        assert run.status == "complete"
        same(tmp_path / "cut", whole)

    @pytest.mark.parametrize("cut_off", [1, 20])
    def test_a_line_that_was_torn_in_the_writing_is_written_again(
        self, tmp_path: Path, whole: Path, cut_off: int
    ) -> None:
        learn(tmp_path / "cut")
        file = tmp_path / "cut" / "episodes.jsonl"
        file.write_bytes(file.read_bytes()[:-cut_off])
        assert learn(tmp_path / "cut").status == "complete"
        same(tmp_path / "cut", whole)

    def test_broken_lines_can_be_deleted_and_come_back(self, tmp_path: Path, whole: Path) -> None:
        """As the error says that names a broken line: the memory is ahead of the lines then."""
        learn(tmp_path / "cut")
        file = tmp_path / "cut" / "episodes.jsonl"
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
        heard: list[Any] = []
        assert learn(tmp_path / "cut", listeners=[heard.append]).status == "complete"
        assert {type(event) for event in heard} == {EpisodeEnded}, "nothing is done again"
        same(tmp_path / "cut", whole)

    def test_a_complete_run_given_again_asks_no_model_and_changes_nothing(
        self, whole: Path
    ) -> None:
        before = canonical_episodes(whole)
        heard: list[Any] = []
        run = learn(whole, listeners=[heard.append])
        assert run.status == "complete" and heard == []
        assert canonical_episodes(whole) == before

    def test_another_specification_is_refused_and_the_run_left_as_it_is(self, whole: Path) -> None:
        with pytest.raises(RunError, match="seed: 3 there, 4 now"):
            learn(whole, seed=4)
        assert api.open_run(whole).status == "complete"

    @pytest.mark.parametrize("part", ["prompts", "models", "data"])
    def test_a_run_is_not_finished_with_other_parts_than_it_was_begun_with(
        self, tmp_path: Path, part: str
    ) -> None:
        run = learn(tmp_path / "cut", budget_tokens=BUDGET)
        run.folder.update(**{part: {"default": "of old"}})
        with pytest.raises(RunError, match=f"{part} default: of old there, .* now") as caught:
            learn(tmp_path / "cut")
        assert "another --out" in caught.value.hint
        run.folder.update(status="complete")
        assert learn(tmp_path / "cut").spec == run.spec, "what is complete can be read"

    def test_a_budget_stops_it_cleanly_and_more_of_it_goes_on(
        self, tmp_path: Path, whole: Path
    ) -> None:
        run = learn(tmp_path / "cut", budget_tokens=BUDGET)
        assert run.status == "budget" and 0 < len(run.summaries) < 11
        assert run.document()["stopped_by"].startswith("the budget is used up")
        assert run.folder.faults()
        again = learn(tmp_path / "cut", budget_tokens=BUDGET)
        assert again.status == "budget" and len(again.summaries) == len(run.summaries)
        spent = again.usage()
        assert spent["prompt_tokens"] + spent["completion_tokens"] >= BUDGET
        assert learn(tmp_path / "cut", budget_tokens=10**9).status == "complete"
        same(tmp_path / "cut", whole)

    def test_a_complete_run_no_longer_says_what_stopped_it(self, tmp_path: Path) -> None:
        learn(tmp_path / "cut", budget_tokens=BUDGET)
        assert "stopped_by" not in learn(tmp_path / "cut").document()

    def test_an_episode_that_was_saved_without_its_line_counts_against_the_budget(
        self, tmp_path: Path
    ) -> None:
        run = learn(tmp_path / "cut", tasks=2)
        tokens = run.usage()["prompt_tokens"] + run.usage()["completion_tokens"]
        (run.path / "episodes.jsonl").write_text("")
        (run.path / "episodes" / "0001.json").unlink()
        cost = sum(c.completion.usage.prompt_tokens for c in run.episodes[0].calls)
        heard: list[Any] = []
        again = learn(tmp_path / "cut", tasks=2, budget_tokens=cost, listeners=[heard.append])
        assert again.status == "budget" and len(again.summaries) == 1
        assert again.usage()["prompt_tokens"] == cost < tokens, "no further call was made"

    def test_a_memory_that_has_not_seen_the_episodes_is_refused(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "cut", budget_tokens=BUDGET)
        count = len(run.summaries)
        run.close()
        (run.path / "memory.db").unlink()
        with pytest.raises(RunError, match=f"at version 0, .* {count} episodes") as caught:
            learn(tmp_path / "cut")
        assert "memory file back" in caught.value.hint
        assert len(api.open_run(tmp_path / "cut").summaries) == count

    def test_no_budget_at_all_asks_no_model(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "cut", budget_tokens=0)
        assert run.status == "budget" and run.summaries == []
        assert run.usage()["calls"] == 0
        assert "no finished episode" in str(run)
        assert run.document()["success"]["count"] == 0
        run.close()

    def test_a_model_that_fails_is_told_and_the_task_tried_again(
        self, tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        complete = TidyModel.complete

        def failing(self: TidyModel, *args: Any, **kwargs: Any) -> Any:
            self.unavailable_at = 10
            return complete(self, *args, **kwargs)

        monkeypatch.setattr(TidyModel, "complete", failing)
        with pytest.raises(ModelUnavailable):
            learn(tmp_path / "cut")
        monkeypatch.undo()
        run = api.open_run(tmp_path / "cut")
        assert run.status == "fault" and run.document()["stopped_by"] == "the model is down."
        [fault] = run.folder.faults()
        assert fault["number"] == len(run.summaries)
        assert run.document()["episodes"] == len(run.summaries)
        learn(tmp_path / "cut")
        same(tmp_path / "cut", whole)

    def test_what_a_fault_cost_is_counted_though_the_episode_is_not(self, tmp_path: Path) -> None:
        calls = learn(tmp_path / "cut", budget_tokens=BUDGET).usage()["calls"]
        run = api.open_run(tmp_path / "cut")
        assert calls > sum(len(episode.calls) for episode in run.episodes)

    def test_runs_that_were_cut_off_are_listed_with_their_command(self, tmp_path: Path) -> None:
        self.cut(tmp_path / "cut", lambda event: isinstance(event, EpisodeStarted))
        learn(tmp_path / "done", tasks=1)
        [run] = api.unfinished(tmp_path)
        assert run.path == tmp_path / "cut"
        assert api.resume_command(run) == (
            f"the same call in Python, with out='{tmp_path / 'cut'}'"
        )

    def test_a_run_that_another_process_writes_is_not_listed(self, tmp_path: Path) -> None:
        self.cut(tmp_path / "cut", lambda event: isinstance(event, EpisodeStarted))
        with api.open_run(tmp_path / "cut").folder.lock():
            assert api.unfinished(tmp_path) == []

    def test_a_header_that_is_broken_hides_no_other_run(self, tmp_path: Path) -> None:
        self.cut(tmp_path / "cut", lambda event: isinstance(event, EpisodeStarted))
        (tmp_path / "broken").mkdir()
        (tmp_path / "broken" / "run.json").write_text("{")
        assert len(api.unfinished(tmp_path)) == 1


class TestWarmStart:
    def texts(self, run: api.Run) -> list[str]:
        return [s.text for s in run.memory.strategies]

    def test_it_starts_with_a_copy_and_leaves_the_source_alone(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "source")
        before = source.memory.export()
        run = learn(tmp_path / "warm", memory=str(source.path), tasks=1, seed=8)
        assert run.folder.header["memory_start"] == 11
        assert run.summaries[0]["lessons"], "the first task already has lessons"
        assert run.memory.version == 12 and source.memory.version == 11
        assert source.memory.export() == before
        run.close(), source.close()

    def test_it_starts_from_a_version(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "source")
        run = learn(tmp_path / "warm", "base", memory=f"{source.path}@3", tasks=1)
        assert self.texts(run) == [s.text for s in source.memory.at(3).strategies]
        run.close(), source.close()

    def test_a_file_does_as_well_as_a_run(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "source")
        run = learn(tmp_path / "warm", "base", memory=f"{source.path}/memory.db@3", tasks=1)
        assert self.texts(run) == [s.text for s in source.memory.at(3).strategies]
        run.close(), source.close()

    def test_resuming_does_not_start_again_from_the_source(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "source")
        options = {"memory": str(source.path), "seed": 8, "tasks": 4}
        whole = learn(tmp_path / "whole", **options)
        learn(tmp_path / "cut", **options, budget_tokens=BUDGET // 4)
        learn(tmp_path / "cut", **options)
        same(tmp_path / "cut", whole.path)
        assert api.open_run(tmp_path / "cut").folder.header["memory_start"] == 11

    def test_an_equal_run_on_a_memory_that_has_learnt_since_learns_too(
        self, tmp_path: Path
    ) -> None:
        """The same command again and again, each time from what the last one left."""
        latest = tmp_path / "latest.db"
        made = learn(tmp_path / "first").path
        for number, out in enumerate(("second", "third"), start=2):
            (made / "memory.db").replace(latest)
            run = learn(tmp_path / out, memory=str(latest))
            assert run.memory.version == 11 * number
            assert run.summaries[0]["memory_version"] == 11 * (number - 1) + 1
            made = run.path
            run.close()

    def test_a_version_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "source", tasks=2)
        with pytest.raises(Exception, match="versions 0 to 2, not 9"):
            learn(tmp_path / "warm", memory=f"{source.path}@9")

    @pytest.mark.parametrize("reference", ["{run}@x", "{run}@-1", "{run}/none.db"])
    def test_what_is_no_memory_is_refused(self, tmp_path: Path, reference: str) -> None:
        source = learn(tmp_path / "source", tasks=1)
        with pytest.raises(ConfigError, match=r"^memory: "):
            learn(tmp_path / "warm", memory=reference.format(run=source.path))

    def test_a_folder_with_an_at_sign_in_its_name_is_found(self, tmp_path: Path) -> None:
        source = learn(tmp_path / "me@home" / "run", tasks=2)
        assert api.parse_memory(f"{source.path}@1") == (source.path / "memory.db", 1)
        assert api.parse_memory(str(source.path)) == (source.path / "memory.db", None)


class TestByObjects:
    def parts(self) -> tuple[Elite, TinyEnv]:
        return Elite(ModelRoles(TidyModel()), k=2), TinyEnv()

    def test_the_example_of_the_documentation(self, tmp_path: Path) -> None:
        method, env = self.parts()
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        run = api.learn(method, env, pool, tasks=env.tasks, seed=0, out=tmp_path / "run")
        assert run.status == "complete" and "success" in str(run)
        assert pool.version == 11, "the pool is the user's, and still open"
        assert run.memory.strategies[0].text == pool.strategies[0].text
        assert run.document()["memory"] == {"entries": len(pool.strategies), "version": 11}
        assert run.episodes[7].trajectory.steps and run.episodes[-1].number == 10
        assert len(run.episodes[2:5]) == 3
        run.close(), pool.close()
        again = api.open_run(tmp_path / "run")
        assert again.memory.strategies == StrategyPool.open(tmp_path / "pool.db").strategies
        again.close()

    def test_the_environment_stays_the_users_to_close(self, tmp_path: Path) -> None:
        method, env = self.parts()
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        api.learn(method, env, pool, tasks=2, out=tmp_path / "run")
        assert not env.closed
        pool.close()

    def test_some_tasks_and_their_count(self, tmp_path: Path) -> None:
        method, env = self.parts()
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        chosen = [env.tasks[4], env.tasks[2]]
        run = api.learn(method, env, pool, tasks=chosen, out=tmp_path / "run")
        assert {line["task"] for line in run.summaries} == {t.id for t in chosen}
        by_count = api.learn(method, env, pool, tasks=3, out=tmp_path / "count")
        assert len(by_count.summaries) == 3
        pool.close()

    def test_a_second_run_with_the_same_pool_learns_too(self, tmp_path: Path) -> None:
        method, env = self.parts()
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        for name in ("first", "second"):
            api.learn(method, env, pool, tasks=3, out=tmp_path / name)
        assert pool.version == 6
        pool.close()

    def test_it_resumes_into_the_same_folder_and_pool(self, tmp_path: Path) -> None:
        def run(name: str, **options: Any) -> None:
            method, env = self.parts()
            with StrategyPool.open(tmp_path / f"{name}.db", embedder=HashingEmbedder()) as pool:
                api.learn(method, env, pool, out=tmp_path / name, **options)

        def stop(event: Any) -> None:
            if isinstance(event, EpisodeEnded) and event.episode.number == 4:
                raise KeyboardInterrupt

        run("whole")
        with pytest.raises(KeyboardInterrupt):
            run("cut", listeners=[stop])
        run("cut")
        assert canonical_episodes(tmp_path / "cut") == canonical_episodes(tmp_path / "whole")

    def test_a_method_that_asks_no_model_needs_none(self, tmp_path: Path) -> None:
        class Lazy(BaseModel):
            id = "lazy"

            def __init__(self) -> None:
                pass

            def act(self, *args: Any) -> Any:
                from journeyman.core.values import Plan

                return Plan()

        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        run = api.learn(Lazy(), TinyEnv(), pool, out=tmp_path / "run")
        assert run.status == "complete" and run.spec.model == "(none)"
        assert run.usage()["calls"] == 0
        pool.close()

    def test_a_listener_of_one_run_hears_nothing_of_the_next(self, tmp_path: Path) -> None:
        method, env = self.parts()
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder())
        heard: list[Any] = []
        api.learn(method, env, pool, tasks=1, out=tmp_path / "a", listeners=[heard.append])
        before = len(heard)
        run = api.learn(method, env, pool, tasks=2, out=tmp_path / "b")
        assert len(heard) == before
        assert run.usage()["calls"] == sum(len(e.calls) for e in run.episodes)
        pool.close()

    def test_names_and_objects_are_not_mixed(self, tmp_path: Path) -> None:
        method, env = self.parts()
        with pytest.raises(ConfigError, match="both as names or both as objects"):
            api.learn(method, ENV_ID, out=tmp_path / "run")
        with pytest.raises(ConfigError, match="both as names or both as objects"):
            api.learn("elite", env, out=tmp_path / "run")
        with pytest.raises(ConfigError, match="memory and task sets"):
            api.learn("elite", ENV_ID, tasks=env.tasks, out=tmp_path / "run")

    def test_options_that_only_names_understand_are_refused(self, tmp_path: Path) -> None:
        method, env = self.parts()
        with pytest.raises(ConfigError, match="budget_tokens"):
            api.learn(method, env, out=tmp_path / "run", budget_tokens=5)
        assert not (tmp_path / "run").exists()


def test_faulted_episodes_are_told_to_listeners(tmp_path: Path) -> None:
    heard: list[Any] = []
    learn(tmp_path / "run", budget_tokens=3000, listeners=[heard.append])
    assert isinstance(heard[-1], EpisodeFaulted)


class TestRun:
    def test_a_run_whose_price_table_is_gone_can_still_be_read(self, tmp_path: Path) -> None:
        table = tmp_path / "prices.toml"
        table.write_text(f'["{MODEL}"]\nin = 1e6\nout = 0\n')
        run = learn(tmp_path / "run", tasks=1, prices=str(table))
        tokens = run.usage()["prompt_tokens"]
        assert run.ledger().usd == tokens > 0
        table.unlink()
        assert run.document()["usage"]["prompt_tokens"] == tokens
        assert run.ledger().usd == 0 and run.ledger().unpriced == (MODEL,)
        run.close()

    def test_a_folder_without_a_run_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(RunError, match="holds no run"):
            api.open_run(tmp_path)

    def test_the_memory_after_n_episodes(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run")
        assert [run.memory_version_after(n) for n in (0, 1, 11, None)] == [0, 1, 11, 11]
        for n in (-1, 12):
            with pytest.raises(RunError, match=f"11 episodes; there is no memory after {n}"):
                run.memory_version_after(n)
        run.close()

    def test_an_edit_by_hand_is_the_newest_memory_and_none_of_an_episode(
        self, tmp_path: Path
    ) -> None:
        run = learn(tmp_path / "run", tasks=3)
        run.memory.edit("S1", "By hand.")
        assert run.memory_version_after(None) == 4 and run.memory_version_after(3) == 3
        run.close()

    def test_it_prints_rate_interval_and_tokens(self, tmp_path: Path) -> None:
        run = learn(tmp_path / "run")
        count = run.results.success.count
        assert str(run).startswith(f"success {count}/11 = {100 * count / 11:.0f} % [")
        assert str(run).endswith("k tokens")
