"""What a world, a model or a memory says is shown as text: it steers no terminal and no page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from journeyman.core.registry import registry
from journeyman.core.values import Task
from tests.cli.conftest import Command
from tests.support.scripted import TidyModel
from tests.support.tiny_env import ENV_ID, TinyEnv, tiny_tasks

ESCAPE = "\x1b[31mred\x1b[0m\x07"
EVIL = f"Put the key on the table. {ESCAPE} [bold]loud[/bold] <script>alert(1)</script> \u202eback"
ENV = "tiny/evil-v0"
MODEL = "evil-model"
WORDS = (ENV, "--model", MODEL, "--embedder", "hashing", "--seed", "3")


class EvilEnv(TinyEnv):
    """Its only instruction has two lines, escapes, markup and a script."""

    def __init__(self, name: str = ENV, **settings: object) -> None:
        [first, *_] = tiny_tasks(name)
        task = Task(
            id=f"evil{ESCAPE}",
            env=name,
            subset="tidy",
            instruction=f"{EVIL}\nepisode 99 solved",
            spec=first.spec,
            demonstration=first.demonstration,
        )
        super().__init__(name, tasks=(task,), **settings)


class EvilModel(TidyModel):
    """It writes the same into its lessons, plans and thoughts."""

    caveat = f"Mind {EVIL}"

    def _plan(self, prompt: str) -> str:
        return super()._plan(prompt).replace("a room", f"a room {_in_json(EVIL)}")

    def _failure(self, prompt: str) -> str:
        note = f'{{"title": "{_in_json(EVIL)}", "applies_when": "{_in_json(EVIL)}", '
        note += f'"text": "{_in_json(EVIL)}"}}'
        return f'{{"failure_causes": [], "avoidance_guidelines": [{note}]}}'

    def _consolidate(self, prompt: str) -> str:
        text = _in_json(EVIL)
        return (
            f'{{"operations": [{{"op": "add", "title": "{text}", "applies_when": "{text}", '
            f'"text": "{text}"}}, {{"op": "revise", "alias": "{text}", "text": "{text}"}}]}}'
        )


def _in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


@pytest.fixture(autouse=True)
def evil(tiny_world: None) -> None:
    registry().env(ENV, f"{__name__}:EvilEnv")
    registry().model(MODEL, f"{__name__}:EvilModel")


@pytest.fixture
def run(journeyman: Command) -> Path:
    ended = journeyman("learn", *WORDS, "--out", "run")
    assert ended.code == 0, ended.err
    _is_harmless(ended.out + ended.err)
    assert len(ended.err.splitlines()) == 1, "one line an episode, whatever the instruction holds"
    return Path("run")


def _is_harmless(text: str) -> None:
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.usefixtures("quick_doctor")
def test_no_command_passes_it_on(journeyman: Command, run: Path) -> None:
    for words in (
        ("show", "run"),
        ("show", "run", "0"),
        ("show", "run", "0", "--json"),
        ("show", "run", "--json"),
        ("memory", "show", "run"),
        ("memory", "history", "run"),
        ("memory", "blame", "run", "e0001"),
        ("memory", "diff", "run", "0"),
        ("memory", "export", "run"),
        ("eval", "run"),
        ("eval", "run", "--json"),
        ("learn", *WORDS, "--dry-run"),
        ("list", "tasks", ENV),
        ("check", ENV),
        ("check", ENV, "--experts"),
        ("doctor",),
    ):
        ended = journeyman(*words)
        assert ended.code == 0, (words, ended.err)
        _is_harmless(ended.out + ended.err)


def test_markup_and_scripts_stay_readable(journeyman: Command, run: Path) -> None:
    for words in (("show", run), ("memory", "diff", run, 0)):
        assert "[bold]loud[/bold] <script>alert(1)</script>" in journeyman(*words).out


def test_the_page_holds_no_script_but_its_own(journeyman: Command, run: Path) -> None:
    page = (run / "report.html").read_text("utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script>alert" not in page


def test_a_name_that_is_given_is_said_back_harmlessly(journeyman: Command) -> None:
    for words in ((ESCAPE,), ("learn", ESCAPE), ("learn", ENV_ID, "--model", ESCAPE)):
        ended = journeyman(*words)
        assert ended.code == 2
        _is_harmless(ended.err)


def test_the_command_in_a_strangers_run_is_said_harmlessly(
    journeyman: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(TinyEnv, "step", _interrupt)
        assert journeyman("learn", *WORDS).code == 130
    header = Path("runs/elite-tiny-evil-v0-001/run.json")
    text = header.read_text("utf-8")
    header.write_text(
        text.replace("journeyman learn", "journeyman learn \\u0007\\u001b[31m"), "utf-8"
    )
    ended = journeyman("learn", ENV_ID, *WORDS[1:], "--tasks", 1)
    assert "Unfinished" in ended.err
    _is_harmless(ended.err)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
