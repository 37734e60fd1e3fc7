"""One typed specification: what is merged, what is refused and with which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.runs import RunSpec, check_settings, merge_spec
from journeyman.runs.spec import NOT_RESULTS, check_spec


def config(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "study.toml"
    file.write_text(text, "utf-8")
    return file


class TestMerging:
    def test_nothing_given_is_the_main_job(self) -> None:
        spec = merge_spec()
        assert (spec.env, spec.method, spec.model) == (("household/base-v0",), "elite", "stand-in")
        assert spec.seed == 0 and spec.tasks is None and spec.learning and spec.shuffle

    def test_a_file_is_over_the_defaults_assignments_over_the_file_and_options_over_all(
        self, tmp_path: Path
    ) -> None:
        file = config(tmp_path, 'seed = 1\ntasks = 1\nmethod = "base"\nk = 1\nshots = 1\n')
        spec = merge_spec(file, ["seed=2", "tasks=2", "k=2"], {"seed": 3, "tasks": None})
        assert (spec.seed, spec.tasks, spec.method) == (3, 2, "base")
        assert spec.settings == {"k": 2, "shots": 1}

    def test_an_option_that_was_not_given_changes_nothing(self) -> None:
        assert merge_spec(given={"seed": None, "env": None}) == RunSpec()

    def test_a_table_of_settings_and_one_of_models(self, tmp_path: Path) -> None:
        file = config(tmp_path, '[settings]\nk = 8\n[role_models]\nplan = "openai/x"\n')
        spec = merge_spec(file, ["method.k=2", "model.distil=openai/y", "retriever=all"])
        assert spec.settings == {"k": 2, "retriever": "all"}
        assert spec.role_models == {"plan": "openai/x", "distil": "openai/y"}

    def test_one_environment_may_be_given_as_a_string(self) -> None:
        assert merge_spec(assignments=["env=tiny/tidy-v0"]).env == ("tiny/tidy-v0",)
        assert merge_spec(assignments=['env=["a/b", "c/d"]']).env == ("a/b", "c/d")


class TestAssignments:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("8", 8),
            ("-3", -3),
            ("0.5", 0.5),
            ("1e3", 1000.0),
            ("true", True),
            ("false", False),
            ("intent", "intent"),
            ("content_tfidf", "content_tfidf"),
            ('"8"', "8"),
            ("[1, 2]", [1, 2]),
            ('["a", "b"]', ["a", "b"]),
            ("", ""),
            ("a=b", "a=b"),
            ("openai/gpt-4o", "openai/gpt-4o"),
            ("True", "True"),
        ],
    )
    def test_values_are_typed_as_in_toml_and_anything_else_is_text(
        self, text: str, value: Any
    ) -> None:
        got = merge_spec(assignments=[f"x={text}"]).settings["x"]
        assert got == value and type(got) is type(value)

    @pytest.mark.parametrize("text", ["8\nseed = 5", "8 # and\nmodel = 'openai/x'"])
    def test_a_value_sets_its_own_key_only(self, text: str) -> None:
        spec = merge_spec(assignments=[f"x={text}"])
        assert spec == RunSpec(settings={"x": spec.settings["x"]})

    @pytest.mark.parametrize("assignment", ["k", "=8", "  =8", ""])
    def test_what_is_no_assignment_is_refused(self, assignment: str) -> None:
        with pytest.raises(ConfigError, match=r"--set.*key=value"):
            merge_spec(assignments=[assignment])


class TestRefusals:
    @pytest.mark.parametrize(
        ("assignment", "words"),
        [
            ("seed=-1", "seed: .*greater than or equal to 0"),
            ("seed=one", "seed: .*integer.*'one'"),
            ("tasks=0", "tasks: "),
            ("setting=offline", "setting: .*'online' or 'supervised'"),
            ("temperature=9", "temperature: "),
            ("tries=0", "tries: "),
            ("budget_tokens=-5", "budget_tokens: "),
            ("shuffle=perhaps", "shuffle: "),
        ],
    )
    def test_a_value_out_of_range_is_refused_by_its_key(self, assignment: str, words: str) -> None:
        with pytest.raises(ConfigError, match=words):
            merge_spec(assignments=[assignment])

    @pytest.mark.parametrize("field", ["base_url", "embedder_url"])
    @pytest.mark.parametrize(
        "url", ["http://me:hunter2@host/v1", "http://hunter2@host/v1", "http://host/v1?key=hunter2"]
    )
    def test_an_address_with_a_secret_in_it_is_refused_and_not_repeated(
        self, field: str, url: str
    ) -> None:
        with pytest.raises(ConfigError, match=rf"^{field}: leave user, pass") as found:
            check_spec({field: url})
        assert "hunter2" not in str(found.value)
        assert check_spec({field: "http://host:8000/v1"})

    def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(self) -> None:
        with pytest.raises(ConfigError, match=r"^key_env: give the name of the variable") as found:
            merge_spec(given={"key_env": "sk-hunter2"})
        assert "hunter2" not in str(found.value)
        assert check_spec({"key_env": "MY_KEY_2"}).key_env == "MY_KEY_2"

    def test_a_file_that_is_missing_unreadable_or_no_toml_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"no config file .*none\.toml"):
            merge_spec(tmp_path / "none.toml")
        with pytest.raises(ConfigError, match=r"study\.toml is no TOML"):
            merge_spec(config(tmp_path, "seed 1"))
        (tmp_path / "study.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(ConfigError, match=r"study\.toml cannot be read"):
            merge_spec(tmp_path / "study.toml")
        with pytest.raises(ConfigError, match="cannot be read"):
            merge_spec(tmp_path)

    def test_settings_that_are_no_table_are_refused_with_their_file(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"study\.toml: settings has to be a table"):
            merge_spec(config(tmp_path, "settings = 8"))

    def test_the_place_of_a_broken_specification_is_named(self) -> None:
        with pytest.raises(ConfigError, match=r"^a/run\.json: sede: "):
            check_spec({"sede": 1}, "a/run.json")


class TestUnknownSettings:
    KNOWN = ("retriever", "k", "consolidator")

    @pytest.mark.parametrize(
        ("given", "near"), [("retreiver", "retriever"), ("sede", "seed"), ("consolidate", None)]
    )
    def test_an_unknown_key_is_refused_with_the_nearest_one(
        self, given: str, near: str | None
    ) -> None:
        spec = merge_spec(assignments=[f"{given}=1"])
        with pytest.raises(UnknownName) as caught:
            check_settings("elite", self.KNOWN, spec.settings)
        assert f"no setting of elite '{given}'. Did you mean '{near or 'consolidator'}'?" in str(
            caught.value
        )
        assert "consolidator, k, retriever" in caught.value.hint

    def test_known_settings_pass(self) -> None:
        check_settings("elite", self.KNOWN, {"k": 3, "retriever": "all"})


class TestKey:
    def test_equal_results_have_equal_keys_wherever_and_however_long_they_run(self) -> None:
        elsewhere = {
            "base_url": "http://localhost:1/v1",
            "embedder_url": "http://localhost:2/v1",
            "key_env": "KEY",
            "timeout_s": 1.0,
            "tries": 9,
            "concurrency": 2,
            "context": 4096,
            "device": "cuda",
            "data": "elsewhere",
            "prices": "prices.toml",
            "cache": "replies.db",
            "from_recording": "runs/a",
            "budget_tokens": 1,
            "budget_usd": 1.0,
            "budget_s": 1.0,
        }
        assert set(elsewhere) == set(NOT_RESULTS)
        assert RunSpec(**elsewhere).key() == RunSpec().key()

    @pytest.mark.parametrize(
        "change",
        [
            {"seed": 1},
            {"settings": {"k": 2}},
            {"memory": "a"},
            {"tasks": 3},
            {"model": "x"},
            {"tools": "json"},
        ],
        ids=str,
    )
    def test_what_decides_results_decides_the_key(self, change: dict[str, Any]) -> None:
        assert RunSpec(**change).key() != RunSpec().key()
        assert RunSpec(**change).key() == RunSpec(**change).key()
