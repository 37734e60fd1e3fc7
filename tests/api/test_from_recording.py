"""A run repeated from its recording or from a cache equals it, and no model is asked or paid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.errors import ConfigError, ModelUnavailable, RunError
from journeyman.core.events import EpisodeEnded, Event
from journeyman.memory import StrategyPool
from journeyman.models.loading import load_embedder
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn
from journeyman.runs import RunSpec, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support import worlds
from tests.support.fake_server import FakeServer, refused

TASKS = 6
PRICES = '["m"]\nin = 1.0\nout = 2.0\n'


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, RunSpec]]:
    """A run with a model behind a server that is gone by now, and its specification."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-test")
        with FakeServer(StandIn("stand-in", ModelOptions(seed=0))) as server:
            spec = check_spec(
                {
                    "model": "openai/m",
                    "base_url": server.base_url,
                    "embedder": "hashing",
                    "tasks": TASKS,
                    "tries": 1,
                    "cache": str(folder / "replies.db"),
                }
            )
            api.run_spec(spec, folder / "run").close()
    yield folder / "run", spec


def contents(path: Path) -> dict[str, Any]:
    with StrategyPool.open(path / "memory.db", embedder=load_embedder("hashing")) as pool:
        memory = pool.export()
    return {**canonical_episodes(path), "memory": memory}


def again(spec: RunSpec, **changed: Any) -> RunSpec:
    return check_spec({**spec.model_dump(), "cache": None, **changed})


class TestFromARecording:
    @pytest.mark.compatibility(
        "recorded replies", "any model", "the stand-in behind a local HTTP server"
    )
    def test_a_rerun_equals_the_run_with_neither_server_nor_key(
        self, served: tuple[Path, RunSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, spec = served
        monkeypatch.delenv("OPENAI_API_KEY")
        run = api.run_spec(again(spec, from_recording=str(path)), tmp_path / "again")
        assert run.status == "complete" and len(run.summaries) == TASKS
        run.close()
        assert contents(tmp_path / "again") == contents(path)
        assert run.folder.header["models"] == api.open_run(path).folder.header["models"]

    def test_usage_is_as_recorded_and_nothing_is_paid(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        path, spec = served
        prices = tmp_path / "prices.toml"
        prices.write_text(PRICES)
        rerun = again(spec, from_recording=str(path), prices=str(prices), budget_usd=0.0001)
        run, before = api.run_spec(rerun, tmp_path / "again"), api.open_run(path)
        calls = before.usage()["calls"]
        assert before.usage() | {"repeated_calls": calls} == run.usage()
        assert run.ledger().usd == 0.0
        run.close()

    def test_the_run_says_where_its_replies_are_from(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        path, spec = served
        run = api.run_spec(again(spec, from_recording=str(path), tasks=1), tmp_path / "again")
        assert (
            f"Replies were taken from the recording {path}, not from a model."
            in (run.folder.header["caveats"])
        )
        assert run.spec.from_recording == str(path)
        run.close()

    def test_a_rerun_that_is_cut_off_goes_on_and_equals_the_run(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        path, spec = served

        def cut(event: Event) -> None:
            if isinstance(event, EpisodeEnded) and event.episode.number == 2:
                raise KeyboardInterrupt

        rerun = again(spec, from_recording=str(path))
        with pytest.raises(KeyboardInterrupt):
            api.run_spec(rerun, tmp_path / "again", listeners=[cut])
        run = api.run_spec(rerun, tmp_path / "again")
        assert run.status == "complete"
        run.close()
        assert contents(tmp_path / "again") == contents(path)

    @pytest.mark.compatibility(
        "recorded replies", "any model", "a scripted model that is sent pictures"
    )
    def test_pictures_are_sent_again_where_the_model_saw_them(self, tmp_path: Path) -> None:
        spec = RunSpec(
            env=(worlds.DRAWN_ENV_ID,), model=worlds.SEEING_MODEL, embedder="hashing", tasks=3
        )
        api.run_spec(spec, tmp_path / "a").close()
        assert any((tmp_path / "a" / "media").iterdir())
        api.run_spec(again(spec, from_recording=str(tmp_path / "a")), tmp_path / "b").close()
        assert contents(tmp_path / "b") == contents(tmp_path / "a")

    def test_a_call_that_is_missing_stops_the_run_resumable_by_the_model(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        """A recording of two episodes, continued: the third asks, and the model answers on."""
        path, spec = served
        with FakeServer(StandIn("stand-in", ModelOptions(seed=0))) as server:
            short = again(spec, base_url=server.base_url, tasks=2)
            api.run_spec(short, tmp_path / "short").close()
            whole = again(spec, base_url=server.base_url)
            rerun = again(whole, from_recording=str(tmp_path / "short"))
            with pytest.raises(
                ModelUnavailable, match=r"role 'coarse_plan' in episode 2: "
            ) as told:
                api.run_spec(rerun, tmp_path / "again")
            assert "\n" not in told.value.message
            run = api.open_run(tmp_path / "again")
            assert (run.status, len(run.summaries)) == ("fault", 2)
            asked = len(server.requests)
            run = api.run_spec(whole, tmp_path / "again")
            assert run.status == "complete" and len(server.requests) > asked
            run.close()
        assert contents(tmp_path / "again") == contents(path)

    @pytest.mark.parametrize(
        "changed", [{"model": "openai/n"}, {"temperature": 1.0}, {"seed": 1}], ids=str
    )
    def test_replies_of_another_model_or_sampling_are_refused(
        self, served: tuple[Path, RunSpec], tmp_path: Path, changed: dict[str, Any]
    ) -> None:
        path, spec = served
        with pytest.raises(ConfigError, match=f"{next(iter(changed))}: .* there, .* now"):
            api.run_spec(again(spec, from_recording=str(path), **changed), tmp_path / "again")
        assert not (tmp_path / "again").exists()

    def test_the_recording_is_never_the_run_itself(self, served: tuple[Path, RunSpec]) -> None:
        path, spec = served
        with pytest.raises(ConfigError, match="is the recording itself"):
            api.run_spec(again(spec, from_recording=str(path)), path)

    def test_a_folder_that_is_no_run_is_refused(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        with pytest.raises(RunError, match="holds no run"):
            api.run_spec(again(served[1], from_recording=str(tmp_path)), tmp_path / "again")

    def test_an_evaluation_is_repeated_beside_the_one_recorded(self, tmp_path: Path) -> None:
        spec = RunSpec(env=("tiny/tidy-v0",), model=worlds.MODEL, embedder="hashing", tasks=4)
        source = api.run_spec(spec, tmp_path / "a")
        first = api.evaluate(source)
        rerun = api.evaluate(source, from_recording=first.path)
        assert rerun.path != first.path and rerun.status == "complete"
        assert canonical_episodes(rerun.path) == canonical_episodes(first.path)
        assert rerun.usage()["repeated_calls"] == first.usage()["calls"] > 0
        source.close()

    def test_what_is_learnt_from_a_recording_is_evaluated_by_the_model(
        self, tmp_path: Path
    ) -> None:
        spec = RunSpec(env=("tiny/tidy-v0",), model=worlds.MODEL, embedder="hashing", tasks=2)
        api.run_spec(spec, tmp_path / "a").close()
        rerun = api.run_spec(again(spec, from_recording=str(tmp_path / "a")), tmp_path / "b")
        evaluated = api.evaluate(rerun, tasks=4)
        assert evaluated.spec.from_recording is None
        assert len(evaluated.summaries) == 4 and evaluated.usage()["repeated_calls"] == 0
        rerun.close()


class TestFromACache:
    @pytest.mark.compatibility(
        "the cache of replies", "any model", "the stand-in behind a local HTTP server"
    )
    def test_a_repeated_run_equals_the_first_and_asks_nobody(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        path, spec = served
        with FakeServer(faults=[refused(500)] * 9) as server:
            repeated = again(spec, base_url=server.base_url, cache=spec.cache)
            run = api.run_spec(repeated, tmp_path / "again")
            assert server.requests == []
        usage = run.usage()
        assert usage["repeated_calls"] == usage["calls"] == api.open_run(path).usage()["calls"]
        run.close()
        assert contents(tmp_path / "again") == contents(path)

    def test_a_budget_of_tokens_counts_what_is_paid_only(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        """The same budget stops the run without the cache."""
        spec = served[1]
        free = again(spec, cache=spec.cache, budget_tokens=1)
        assert api.run_spec(free, tmp_path / "free").status == "complete"
        with FakeServer(StandIn("stand-in", ModelOptions(seed=0))) as server:
            paid = again(spec, base_url=server.base_url, budget_tokens=1)
            assert api.run_spec(paid, tmp_path / "paid").status == "budget"

    def test_another_seed_or_temperature_is_asked_anew(
        self, served: tuple[Path, RunSpec], tmp_path: Path
    ) -> None:
        spec = served[1]
        with FakeServer(StandIn("stand-in", ModelOptions(seed=0))) as server:
            other = again(
                spec, base_url=server.base_url, cache=spec.cache, temperature=0.5, tasks=1
            )
            run = api.run_spec(other, tmp_path / "other")
            assert len(server.requests) == run.usage()["calls"] > 0
            run.close()

    def test_the_summary_of_a_run_without_one_has_no_word_of_it(
        self, served: tuple[Path, RunSpec]
    ) -> None:
        lines = (served[0] / "episodes.jsonl").read_text("utf-8").splitlines()
        assert all("repeated" not in key for line in lines for key in json.loads(line)["spent"][0])
