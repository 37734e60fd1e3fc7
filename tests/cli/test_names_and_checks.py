"""`list`, `check`, `doctor`, `models` and the help."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from journeyman import __version__
from journeyman.cli import COMMANDS, cli
from journeyman.cli.doctor_command import EXTRAS
from journeyman.core.registry import registry
from journeyman.models.connection import NO_KEY
from tests.cli.conftest import Command
from tests.support.fake_server import FakeServer, ScriptedModel, html, raw, refused
from tests.support.tiny_env import ENV_ID, TinyEnv, tiny_tasks


class TestHelp:
    def test_every_command_is_listed_with_one_line(self, journeyman: Command) -> None:
        out = journeyman("--help").out
        assert all(f"  {name} " in out for name in COMMANDS)
        assert journeyman("--version").out == f"journeyman, version {__version__}\n"

    @pytest.mark.parametrize("group", ["memory", "models"])
    def test_no_line_of_a_groups_help_is_cut_off(self, journeyman: Command, group: str) -> None:
        commands = journeyman(group, "--help").out.partition("Commands:")[2]
        assert "..." not in commands and max(map(len, commands.splitlines())) <= 80

    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_help_of_a_command_fits_eighty_columns(
        self, journeyman: Command, name: str
    ) -> None:
        ended = journeyman(name, "--help")
        assert ended.code == 0 and max(map(len, ended.out.splitlines())) <= 80
        assert cli.get_command(None, name).help.splitlines()[0] in " ".join(ended.out.split())


class TestList:
    @pytest.mark.parametrize("what", ["envs", "methods", "models", "embedders", "segmenters"])
    def test_every_name_can_be_asked_for(self, journeyman: Command, what: str) -> None:
        rows = journeyman("list", what, "--json").document
        known = {entry.name for entry in registry().entries(what[:-1])}
        assert {row["name"].removesuffix("NAME").removesuffix("SUBSET") for row in rows} == known
        plain = journeyman("list", what).out.splitlines()
        assert [line.split()[0] for line in plain] == [row["name"] for row in rows]

    def test_a_prefix_says_that_a_name_belongs_behind_it(self, journeyman: Command) -> None:
        names = [row["name"] for row in journeyman("list", "models", "--json").document]
        assert {"gguf:NAME", "openai/NAME", "stand-in"} <= set(names)

    def test_the_tasks_of_an_environment(self, journeyman: Command) -> None:
        rows = journeyman("list", "tasks", ENV_ID, "--json").document
        assert [row["name"] for row in rows] == [task.id for task in tiny_tasks()]
        out = journeyman("list", "tasks", ENV_ID).out
        assert out.splitlines()[0] == "tidy-00  Put the ball on the shelf."


class Wrong(TinyEnv):
    """Its tasks are of another environment."""

    tasks = ()

    def __init__(self, name: str = "tiny/wrong-v0", **settings: object) -> None:
        super().__init__(name, tasks=(), **settings)


class Hopeless(TinyEnv):
    """Its chest has no bottom: what was put there is gone."""

    def _do(self, name: str) -> str:
        problem = super()._do(name)
        for thing, place in self.where.items():
            if place == "chest":
                self.where[thing] = "nowhere"
        return problem


class TestCheck:
    def test_an_environment_that_lacks_nothing(self, journeyman: Command) -> None:
        ended = journeyman("check", ENV_ID)
        assert (ended.code, ended.out) == (0, f"{ENV_ID}: nothing is missing\n")
        assert journeyman("check", ENV_ID, "--json").document == {"env": ENV_ID, "problems": []}

    def test_what_is_missing_is_said_with_exit_code_two(self, journeyman: Command) -> None:
        registry().env("tiny/wrong-v0", f"{__name__}:Wrong")
        ended = journeyman("check", "tiny/wrong-v0")
        assert ended.code == 2 and "task" in ended.out
        document = journeyman("check", "tiny/wrong-v0", "--json").document
        assert len(ended.out.splitlines()) == 1 + len(document["problems"])

    def test_experts_give_the_promised_document(self, journeyman: Command) -> None:
        document = journeyman("check", ENV_ID, "--experts", "--json").document
        assert document == {"env": ENV_ID, "tasks": 11, "succeeded": 11, "failures": []}

    def test_a_demonstration_that_fails_is_named_with_the_reason(self, journeyman: Command) -> None:
        registry().env("tiny/hopeless-v0", f"{__name__}:Hopeless")
        document = journeyman("check", "tiny/hopeless-v0", "--experts", "--json").document
        to_chest = {t.id for t in tiny_tasks() if t.spec["goal"]["place"] == "chest"}
        failed = {failure["task"] for failure in document["failures"]}
        assert to_chest <= failed
        assert document["succeeded"] == 11 - len(failed)
        assert all(failure["reason"] for failure in document["failures"])
        out = journeyman("check", "tiny/hopeless-v0", "--experts").out
        assert out.splitlines()[0].endswith(f"{11 - len(failed)} of 11 demonstrations succeed")


@pytest.mark.usefixtures("quick_doctor")
class TestDoctor:
    def found(self, journeyman: Command, what: str, *words: object) -> dict[str, object]:
        ended = journeyman("doctor", "--json", *words)
        assert ended.code == 0
        row: dict[str, object] = next(row for row in ended.document if row["what"] == what)
        return row

    def test_what_is_missing_comes_with_how_to_get_it(self, journeyman: Command) -> None:
        key = self.found(journeyman, "key")
        assert key["ok"] is False and "OPENAI_API_KEY" in str(key["found"])
        data = self.found(journeyman, "data")
        assert data["ok"] is False and "JOURNEYMAN_DATA" in str(data["next"])
        out = journeyman("doctor").out
        assert "ok  python" in out and " -  key" in out

    def test_every_extra_is_there_or_comes_with_its_install(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
        assert {*EXTRAS, "dev"} == set(written["project"]["optional-dependencies"])
        for there in (True, False):
            monkeypatch.setattr(
                "journeyman.cli.doctor_command.find_spec", lambda _, there=there: there or None
            )
            for name in EXTRAS:
                row = self.found(journeyman, name)
                assert row["ok"] is there
                assert row["next"] == ("" if there else f'pip install "journeyman[{name}]"')

    def test_gguf_files_in_the_cache_folder_are_named(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        row = self.found(journeyman, "gguf files")
        assert row["ok"] is False and "journeyman/models" in str(row["found"]) and row["next"]
        folder = tmp_path / "cache" / "journeyman" / "models"
        folder.mkdir(parents=True)
        (folder / "small.gguf").write_bytes(b"GGUF")
        row = self.found(journeyman, "gguf files")
        assert row["ok"] is True and row["found"] == f"gguf:small in {folder}"

    def test_no_key_is_shown(self, journeyman: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-words")
        assert self.found(journeyman, "key")["ok"] is True
        assert "secret" not in journeyman("doctor").out

    def test_a_server_is_asked_for_its_models(self, journeyman: Command) -> None:
        with FakeServer(ScriptedModel("hello", id="small-model")) as server:
            row = self.found(journeyman, "server", "--base-url", server.base_url)
        assert row["ok"] is True and str(row["found"]).endswith("serves small-model")
        assert server.requests[0].headers["authorization"] == f"Bearer {NO_KEY}"

    @pytest.mark.parametrize(
        "fault",
        [html(), raw([1]), raw({"data": None}), raw({"data": [{"x": 1}]}), refused(401)],
        ids=["html", "a list", "no data", "no id", "401"],
    )
    def test_a_server_that_answers_nonsense_is_reported(
        self, journeyman: Command, fault: object
    ) -> None:
        with FakeServer(faults=[fault]) as server:  # type: ignore[list-item]
            row = self.found(journeyman, "server", "--base-url", server.base_url)
        assert row["ok"] is False and row["next"]

    @pytest.mark.parametrize("url", ["nonsense", "ftp://x", "http://me:pass@127.0.0.1:9/v1"])
    def test_an_address_that_leads_nowhere_is_reported(self, journeyman: Command, url: str) -> None:
        row = self.found(journeyman, "server", "--base-url", url)
        assert row["ok"] is False and row["next"]
        assert "pass" not in str(row)


class TestModels:
    def test_the_cache_folder_and_what_can_be_fetched_are_listed(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        folder = tmp_path / "journeyman" / "models"
        folder.mkdir(parents=True)
        (folder / "mine.gguf").write_bytes(b"1234")
        document = journeyman("models", "list", "--json").document
        assert document["folder"] == str(folder)
        assert document["models"][0] == {"name": "gguf:mine", "bytes": 4, "there": True}
        absent = [row for row in document["models"] if not row["there"]]
        assert absent
        name = absent[0]["name"].removeprefix("gguf:")
        assert f"fetch it with: journeyman models fetch {name}" in journeyman("models", "list").out
