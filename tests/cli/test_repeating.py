"""`--cache` and `--from-recording`: what was asked before is neither asked nor paid again."""

from __future__ import annotations

from pathlib import Path

import pytest

from journeyman.runs import canonical_episodes
from tests.cli.conftest import TINY, Command
from tests.support import worlds
from tests.support.scripted import TidyModel


def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("a model was asked")

    monkeypatch.setattr(TidyModel, "complete", asked)


def test_a_recording_is_all_that_a_rerun_needs(
    journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_model(monkeypatch)
    ended = journeyman("learn", "--from-recording", learnt, "--out", "again")
    assert ended.code == 0, ended.err
    assert canonical_episodes(Path("again")) == canonical_episodes(learnt)
    assert "Note: Replies were taken from the recording first" in ended.out
    count = journeyman("show", "again", "--json").document["usage"]["calls"]
    assert f"Not paid again: {count} of {count} calls" in ended.out


def test_an_option_over_the_recordings_own_is_taken_and_what_is_missing_is_said(
    journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another number of lessons makes other prompts from the first episode that has two."""
    no_model(monkeypatch)
    words = ("learn", "--from-recording", learnt, "--set", "retriever=none", "--out", "again")
    ended = journeyman(*words)
    assert ended.code == 2 and ended.out == ""
    [said] = [line for line in ended.err.splitlines() if line.startswith("ModelUnavailable: ")]
    assert "the recording first has no reply for the role 'plan' in episode " in said
    assert "where that has '## Lessons from past tasks'" in said


def test_an_evaluation_is_repeated_from_its_recording(
    journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert journeyman("eval", learnt, "--tasks", 3, "--out", "seen").code == 0
    no_model(monkeypatch)
    words = ("eval", learnt, "--tasks", 3, "--from-recording", "seen", "--out", "again")
    assert journeyman(*words).code == 0
    assert canonical_episodes(Path("again")) == canonical_episodes(Path("seen"))


def test_a_cache_serves_the_same_command_and_the_evaluations_after_it(
    journeyman: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = (*TINY, "--tasks", 3, "--cache", "replies.db")
    assert journeyman("learn", *cached, "--out", "a").code == 0
    assert journeyman("eval", "a", "--tasks", 2, "--out", "seen").code == 0, "as a was"
    no_model(monkeypatch)
    ended = journeyman("learn", *cached, "--out", "b")
    assert ended.code == 0 and "Not paid again: " in ended.out
    assert canonical_episodes(Path("b")) == canonical_episodes(Path("a"))
    again = journeyman("eval", "b", "--tasks", 2, "--cache", "replies.db", "--json")
    usage = again.document["usage"]
    assert again.code == 0 and usage["repeated_calls"] == usage["calls"] > 0


@pytest.mark.parametrize(
    ("file", "said"),
    [("diary.txt", "file is not a database"), ("missing/c.db", "unable to open database file")],
)
def test_a_cache_that_cannot_be_used_ends_with_a_sentence(
    journeyman: Command, file: str, said: str
) -> None:
    Path("diary.txt").write_text("Dear diary, " * 99)
    ended = journeyman("learn", *TINY, "--cache", file, "--out", "run")
    assert ended.code == 2 and f"the cache {file} cannot be used: {said}." in ended.err
    assert not Path("run").exists()


def test_a_recording_that_is_none_ends_with_a_sentence(journeyman: Command) -> None:
    for words in (("learn",), ("learn", "--dry-run")):
        ended = journeyman(*words, "--from-recording", "nowhere")
        assert ended.code == 2 and ended.err.startswith("RunError: nowhere holds no run.")


def test_a_recording_of_another_model_is_refused(journeyman: Command, learnt: Path) -> None:
    ended = journeyman("learn", "--from-recording", learnt, "--model", "stand-in")
    assert ended.code == 2
    assert f"model: '{worlds.MODEL}' there, 'stand-in' now" in ended.err
