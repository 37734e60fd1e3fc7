"""The command line in process, in an empty folder, with the tiny world and its model by name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from journeyman import cli
from journeyman.core.registry import registry
from journeyman.models.embedders import HashingEmbedder
from tests.support import worlds

TINY = (worlds.ENV_ID, "--model", worlds.MODEL, "--embedder", "hashing", "--seed", "3")


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Stdout, which has to be one JSON document and nothing else."""
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture(autouse=True)
def tiny_world() -> Iterator[None]:
    names = registry()
    before = {sort: dict(entries) for sort, entries in names._entries.items()}
    worlds.register(names)
    yield
    names._entries.clear()
    names._entries.update(before)


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("JOURNEYMAN_DATA", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def journeyman(capsys: pytest.CaptureFixture[str]) -> Command:
    def command(*words: object) -> Ended:
        capsys.readouterr()
        code = cli.run([str(word) for word in words])
        return Ended(code, *capsys.readouterr())

    return command


@pytest.fixture
def quick_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor tries an embedder whose weights need no second to load."""
    small = HashingEmbedder("usem3", dim=8)
    monkeypatch.setattr("journeyman.models.loading.load_embedder", lambda name: small)


@pytest.fixture(scope="session")
def learnt_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the tiny world, eleven episodes; not to be changed."""
    from journeyman import api

    names = registry()
    before = {sort: dict(entries) for sort, entries in names._entries.items()}
    worlds.register(names)
    path = tmp_path_factory.mktemp("learnt") / "run"
    api.learn("elite", worlds.ENV_ID, model=worlds.MODEL, embedder="hashing", seed=3, out=path)
    names._entries.clear()
    names._entries.update(before)
    return path


@pytest.fixture
def learnt(learnt_once: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, ``first`` in the working folder."""
    shutil.copytree(learnt_once, tmp_path / "first")
    return Path("first")
