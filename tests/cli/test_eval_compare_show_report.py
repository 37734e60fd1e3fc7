"""`eval`, `compare`, `show` and `report` on a finished run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from journeyman import api
from journeyman.memory import StrategyPool
from journeyman.methods.elite import Elite
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.roles import ModelRoles
from tests.cli.conftest import Command
from tests.cli.test_learn import KEYS, one_line
from tests.support import worlds
from tests.support.scripted import TidyModel
from tests.support.tiny_env import ENV_ID, TinyEnv


class TestEval:
    def test_the_frozen_memory_meets_every_task_and_nothing_is_learnt(
        self, journeyman: Command, learnt: Path
    ) -> None:
        before = (learnt / "memory.db").read_bytes()
        ended = journeyman("eval", learnt, "--json")
        document = ended.document
        assert ended.code == 0 and ended.err == ""
        assert set(document) >= KEYS | {"overlap"}
        assert document["episodes"] == 11 and document["success"]["count"] == 11
        assert document["overlap"]["tasks"] == document["overlap"]["same_instruction"] == 11
        assert document["memory"]["version"] == 11
        assert (learnt / "memory.db").read_bytes() == before
        assert Path(document["run"]).parent == learnt / "evals"

    def test_people_are_told_what_the_learning_run_had_met(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("eval", learnt, "--env", worlds.DRAWN_ENV_ID, "--tasks", 2)
        met = "Met while learning: 2 of 2 instructions, 2 of 2 scenes, 2 of 2 goals."
        assert met in one_line(ended.out)
        assert f"elite on {worlds.DRAWN_ENV_ID}" in ended.out
        assert "memory show" not in ended.out
        assert ended.err.splitlines()[0].startswith("episode  0 solved")

    def test_at_and_version_name_an_earlier_memory(self, journeyman: Command, learnt: Path) -> None:
        at = journeyman("eval", learnt, "--at", 1, "--tasks", 1, "--json").document
        version = journeyman("eval", f"{learnt}@1", "--tasks", 1, "--json").document
        assert at["memory"] == version["memory"] == {"entries": 1, "version": 1}
        empty = journeyman("eval", learnt, "--at", 0, "--tasks", 1, "--json").document
        assert empty["memory"] == {"entries": 0, "version": 0}

    def test_without_memory_the_same_planner_recalls_nothing(
        self, journeyman: Command, learnt: Path
    ) -> None:
        document = journeyman("eval", learnt, "--no-memory", "--json").document
        assert document["method"] == "base" and document["memory"] == {"entries": 0, "version": 0}
        assert document["success"]["count"] < 11

    def test_a_setting_can_differ_from_the_runs(self, journeyman: Command, learnt: Path) -> None:
        journeyman("eval", learnt, "--set", "k=1", "--tasks", 1, "--out", "one")
        lessons = journeyman("show", "one", 0, "--json").document["lessons"]["items"]
        assert len(lessons) == 1

    def test_the_same_command_goes_on_with_an_interrupted_evaluation(
        self, journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(TinyEnv, "step", _interrupt)
            ended = journeyman("eval", learnt, "--tasks", 2)
        assert ended.code == 130
        assert ended.err.splitlines()[-1] == f"  journeyman eval {learnt} --tasks 2"
        assert journeyman("eval", learnt, "--tasks", 2, "--json").document["status"] == "complete"


class TestCompare:
    def test_two_runs_are_paired_by_task(self, journeyman: Command, learnt: Path) -> None:
        journeyman("eval", learnt, "--out", "with")
        journeyman("eval", learnt, "--no-memory", "--out", "without")
        document = journeyman("compare", "with", "without", "--json").document
        assert set(document) == {"a", "b", "success", "task_progress"}
        assert set(document["success"]) == {
            "a",
            "b",
            "difference",
            "ci95",
            "pairs",
            "wins",
            "losses",
            "ties",
            "sign_test_p",
        }
        won = document["success"]
        assert won["pairs"] == 11 == won["wins"] + won["losses"] + won["ties"]
        assert won["a"] - won["b"] == pytest.approx(won["difference"])

        said = journeyman("compare", "with", "without")
        assert said.code == 0 and f"{won['wins']} / {won['losses']} / {won['ties']}" in said.out
        assert "11 pairs: 11 tasks" in one_line(said.out)

    def test_the_table_fits_eighty_columns(self, journeyman: Command, learnt: Path) -> None:
        out = "a/name/as/long/as/those/of/evaluations/" + "x" * 50
        journeyman("eval", learnt, "--tasks", 1, "--out", out)
        lines = journeyman("compare", learnt, out).out.splitlines()
        assert max(map(len, lines)) <= 80
        assert lines[0].split() == ["A", "first"] and lines[1].startswith("B  a/name/as")
        assert any("won / lost / tied" in line for line in lines)


class TestShow:
    def test_a_run_is_a_line_an_episode(self, journeyman: Command, learnt: Path) -> None:
        ended = journeyman("show", learnt)
        lines = ended.out.splitlines()
        assert ended.code == 0 and len(lines) == 12
        assert lines[0].startswith("first: complete; success 10/11 = 91 %")
        assert lines[1].split()[:5] == ["0", "failed", "12", "steps", "6"]
        assert lines[1].endswith("Put the key on the table.")

    def test_on_a_terminal_a_line_is_cut_to_its_width(
        self, journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "50")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        lines = journeyman("show", learnt).out.splitlines()
        assert max(map(len, lines[1:])) == 50 and lines[1].endswith(
            "Put the key o\N{HORIZONTAL ELLIPSIS}"
        )

    def test_an_episode_is_told_step_by_step(self, journeyman: Command, learnt: Path) -> None:
        said = one_line(journeyman("show", learnt, 1).out)
        for part in (
            "Episode 1 solved 100 % progress",
            "Put the ball in the chest.",
            "1. S1 similarity",
            "Open first Open the chest before taking a thing",
            "open the chest Last action executed successfully.",
            "Changes to the pool added: To the chest;",
        ):
            assert part in said

    def test_an_episode_as_json_is_the_file(self, journeyman: Command, learnt: Path) -> None:
        shown = journeyman("show", learnt, 1, "--json").document
        assert shown == json.loads((learnt / "episodes" / "0001.json").read_text("utf-8"))

    def test_faults_are_listed(self, journeyman: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        def breaks(*_: object) -> None:
            raise RuntimeError("the arm\nfell off")

        monkeypatch.setattr(TinyEnv, "step", breaks)
        words = (ENV_ID, "--model", worlds.MODEL, "--embedder", "hashing", "--out", "run")
        assert journeyman("learn", *words).code == 2
        out = journeyman("show", "run").out
        assert out.startswith("run: no finished episode (fault)")
        assert "fault in episode 0:" in out and "the arm fell off" in out


class TestReport:
    def test_the_page_is_written_where_it_is_asked_for(
        self, journeyman: Command, learnt: Path
    ) -> None:
        assert journeyman("report", learnt).out == "first/report.html\n"
        assert journeyman("report", learnt, "--to", "pages/one.html").out == "pages/one.html\n"
        page, other = Path("first/report.html"), Path("pages/one.html")
        assert page.read_bytes() == other.read_bytes()
        assert "Put the ball in the chest." in page.read_text("utf-8")

    def test_prompts_are_whole_where_asked_for(self, journeyman: Command, learnt: Path) -> None:
        journeyman("report", learnt, "--to", "short.html")
        journeyman("report", learnt, "--prompts", "--to", "whole.html")
        short, whole = (Path(name).stat().st_size for name in ("short.html", "whole.html"))
        assert short <= whole and "characters left out" not in Path("whole.html").read_text("utf-8")

    def test_a_page_needs_no_embedder(self, journeyman: Command, learnt: Path) -> None:
        """The memory may have been embedded again with another one since."""
        with StrategyPool.open(learnt / "memory.db") as pool:
            pool.reembed(HashingEmbedder(dim=16))
        assert journeyman("report", learnt).code == 0
        assert "Changes to the pool" in journeyman("show", learnt, 1).out

    def test_the_page_shows_what_was_learnt_into_a_pool_of_the_users_own(
        self, journeyman: Command
    ) -> None:
        elite = Elite(ModelRoles.of(TidyModel()))
        with StrategyPool.open("pool.db", embedder=HashingEmbedder()) as pool:
            api.learn(elite, TinyEnv(), pool, tasks=2, seed=3, out="own").close()
        assert journeyman("report", "own").code == 0
        page = Path("own/report.html").read_text("utf-8")
        assert 'id="strategy-0"' in page and "The memory was frozen" not in page
        assert "Open first" in journeyman("memory", "show", "own").out


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
