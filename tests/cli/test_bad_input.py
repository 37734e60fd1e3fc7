"""What a user can get wrong ends with exit code 2, one sentence, and what to do next."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import TINY, Command
from tests.support.tiny_env import ENV_ID

DEAD = "http://127.0.0.1:9/v1"

CASES = {
    "an unknown command": (("lern",), "Did you mean 'learn'?"),
    "an unknown subcommand": (("memory", "sho"), "Did you mean 'show'?"),
    "an unknown option": (("learn", "--metod", "elite"), "--method"),
    "an unknown environment": (("learn", "tiny/tidi-v0"), f"Did you mean '{ENV_ID}'?"),
    "an unknown method": (("learn", "--method", "elit"), "Did you mean 'elite'?"),
    "an unknown model": (("learn", "--model", "stand-on"), "Did you mean 'stand-in'?"),
    "an unknown model of a role": (("learn", "--model", "plan=stand-on"), "'stand-in'?"),
    "an unknown embedder": (("learn", "--embedder", "usem"), "Did you mean 'usem3'?"),
    "an unknown task": (("learn", *TINY, "--task", "tidy-1"), "Did you mean 'tidy-1"),
    "an unknown setting": (("learn", *TINY, "--set", "retriver=all"), "'retriever'?"),
    "a setting out of range": (("learn", *TINY, "--set", "k=0"), "1 or more"),
    "a setting of another type": (("learn", *TINY, "--set", "k=many"), "whole number"),
    "a setting without a value": (("learn", *TINY, "--set", "k"), "key=value"),
    "a retriever that is none": (("learn", *TINY, "--set", "retriever=best"), "intent"),
    "no tasks": (("learn", *TINY, "--tasks", 0), "tasks"),
    "tasks that are no number": (("learn", *TINY, "--tasks", "all"), "--tasks"),
    "a negative seed": (("learn", *TINY, "--seed", -1), "seed"),
    "a missing config": (("learn", "--config", "none.toml"), "none.toml"),
    "a config that is a folder": (("learn", "--config", "."), "cannot be read"),
    "a config that is no TOML": (("learn", "--config", "bad.toml"), "bad.toml is no TOML"),
    "a config with an unknown key": (("learn", *TINY, "--config", "odd.toml"), "'sed'"),
    "a missing memory": (("learn", *TINY, "--memory", "none"), "no memory at none"),
    "a memory version that is none": (("learn", *TINY, "--memory", "first@x"), "'x'"),
    "a missing data folder": (("learn", "eb-alfred-replay/base"), "--data"),
    "a wrong data folder": (("learn", "eb-alfred-replay/base", "--data", "."), "tasks.json"),
    "a folder that is in use": (("learn", *TINY, "--out", "."), "is not empty"),
    "a folder under a file": (("learn", *TINY, "--out", "bad.toml/run"), "bad.toml/run"),
    "another run's folder": (("learn", *TINY, "--seed", 4, "--out", "first"), "seed"),
    "a dead server": (
        ("learn", ENV_ID, "--model", "openai/x", "--base-url", DEAD, "--set", "tries=1"),
        "Is it running?",
    ),
    "no server": (("learn", ENV_ID, "--model", "openai/x"), "OPENAI_API_KEY"),
    "no address": (
        ("learn", ENV_ID, "--model", "openai/x", "--base-url", "localhost"),
        "http://localhost:8000/v1",
    ),
    "a password in an address": (
        ("learn", ENV_ID, "--model", "openai/x", "--base-url", "http://me:secret@x/v1"),
        "leave user, password",
    ),
    "a missing model file": (("learn", ENV_ID, "--model", "gguf:none"), "'none'"),
    "eval of no run": (("eval", "none"), "none holds no run"),
    "a profile that the model does not answer": (
        ("learn", "--set", "profile=compact"),
        "answers faithful prompts only, not 'compact'",
    ),
    "a dry run of such a profile": (
        ("learn", "--set", "profile=compact", "--dry-run"),
        "Give --set profile=faithful",
    ),
    "eval at a version that is none": (("eval", "first@x"), "no version number"),
    "eval at a version too high": (("eval", "first@99"), "0 to 11"),
    "eval after too many episodes": (("eval", "first", "--at", 99), "11 episodes"),
    "eval at two versions": (("eval", "first@1", "--at", 1), "one of them"),
    "eval on an unknown environment": (("eval", "first", "--env", "tiny/x"), ENV_ID),
    "eval with an unknown setting": (("eval", "first", "--set", "kk=1"), "Did you mean 'k'?"),
    "compare of one run": (("compare", "first"), "Missing argument"),
    "compare with no run": (("compare", "first", "none"), "none holds no run"),
    "show of no run": (("show", "none"), "none holds no run"),
    "show of a broken run": (("show", "broken"), "broken/run.json"),
    "show of no episode": (("show", "first", 99), "numbered from 0"),
    "show of an episode that is no number": (("show", "first", "last"), "integer"),
    "report of no run": (("report", "none"), "none holds no run"),
    "report to a folder": (("report", "first", "--to", "."), "cannot be written"),
    "memory of nothing": (("memory", "show", "none"), "no memory at none"),
    "memory of a file that is none": (("memory", "show", "bad.toml"), "not a memory file"),
    "memory at a version too high": (("memory", "show", "first@99"), "0 to 11"),
    "history of no entry": (("memory", "history", "first", "S99"), "'S99'"),
    "blame of no entry": (("memory", "blame", "first", "e0099"), "'e0099'"),
    "diff with a version too high": (("memory", "diff", "first", 0, 99), "0 to 11"),
    "edit of no entry": (("memory", "edit", "first", "S99", "--text", "x"), "'S99'"),
    "edit to no kind": (
        ("memory", "edit", "first", "S1", "--kind", "failure"),
        "Did you mean 'failure_cause'?",
    ),
    "restore of no version": (("memory", "restore", "first", 99), "0 to 11"),
    "export to a folder": (("memory", "export", "first", "."), "cannot be written"),
    "import of nothing": (("memory", "import", "none.json", "new.db"), "none.json"),
    "import of no export": (("memory", "import", "bad.toml", "new.db"), "Invalid JSON"),
    "reembed with no embedder": (
        ("memory", "reembed", "first", "--embedder", "usem"),
        "Did you mean 'usem3'?",
    ),
    "list of nothing": (("list", "env"), "Did you mean 'envs'?"),
    "tasks of nothing": (("list", "tasks"), "list tasks ENV"),
    "tasks of an unknown environment": (("list", "tasks", "tiny/tidy"), ENV_ID),
    "check of an unknown environment": (("check", "tiny/tidy"), ENV_ID),
    "fetch of an unknown model": (("models", "fetch", "none"), "none"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_ends_with_two_a_sentence_and_a_next_step(
    journeyman: Command, learnt: Path, case: str
) -> None:
    Path("bad.toml").write_text("seed 3")
    Path("odd.toml").write_text("sed = 3")
    Path("broken").mkdir()
    Path("broken/run.json").write_text("{")
    words, said = CASES[case]
    ended = journeyman(*words)
    assert ended.code == 2 and ended.out == ""
    assert said in ended.err
    assert "Traceback" not in ended.err and "secret" not in ended.err
    lines = [line for line in ended.err.splitlines() if line]
    usage = lines[0].startswith("Usage: journeyman")
    assert usage or len(lines) <= 3, "a sentence, a next step, and at most how to go on"
    assert (usage and "--help' for help" in ended.err) or lines[1].startswith("  ")


def test_an_error_that_names_no_next_step_points_to_the_help(
    journeyman: Command, learnt: Path
) -> None:
    err = journeyman("learn", *TINY, "--tasks", 0).err
    assert err.endswith("\n  See: journeyman learn --help\n")
    err = journeyman("memory", "edit", learnt, "S1", "--text", "").err
    assert err.endswith("\n  See: journeyman memory edit --help\n")


def test_a_bug_keeps_its_traceback(journeyman: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("journeyman.api.open_run", bug)
    with pytest.raises(ZeroDivisionError):
        journeyman("show", "first")


def test_nothing_is_left_behind_by_what_was_refused_at_once(journeyman: Command) -> None:
    for words in (
        ("learn", "--method", "elit"),
        ("learn", *TINY, "--set", "retriver=all"),
        ("learn", "--set", "profile=compact"),
        ("learn", *TINY, "--memory", "none"),
        ("learn", *TINY, "--task", "none"),
        ("learn", ENV_ID, "--model", "openai/x"),
    ):
        assert journeyman(*words).code == 2
    assert list(Path.cwd().iterdir()) == []


def test_runs_that_share_no_task_cannot_be_compared(journeyman: Command, learnt: Path) -> None:
    journeyman("learn", *TINY, "--task", "tidy-00", "--out", "one")
    journeyman("learn", *TINY, "--task", "tidy-01", "--out", "other")
    ended = journeyman("compare", "one", "other")
    assert ended.code == 2 and "Traceback" not in ended.err and len(ended.err) > 20


def test_a_torn_episode_is_named_with_its_field(journeyman: Command, learnt: Path) -> None:
    file = learnt / "episodes" / "0002.json"
    episode = json.loads(file.read_text("utf-8"))
    episode["outcome"]["task_success"] = "perhaps"
    file.write_text(json.dumps(episode))
    for words in (("show", learnt, 2), ("report", learnt)):
        ended = journeyman(*words)
        assert ended.code == 2 and "0002.json is broken at 'outcome.task_success'" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(journeyman: Command) -> None:
    Path("mine").mkdir(mode=0o500)
    ended = journeyman("learn", *TINY, "--out", "mine/run")
    assert ended.code == 2 and "mine/run cannot be written: Permission denied" in ended.err
