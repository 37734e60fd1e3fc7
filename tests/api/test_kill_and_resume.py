"""A run that is killed anywhere and resumed equals one that was not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from journeyman import api
from journeyman.memory import StrategyPool
from journeyman.models.loading import load_embedder
from journeyman.runs import canonical_episodes

ROOT = Path(__file__).parents[2]


def run(out: Path, moment: int = 0) -> tuple[int, str]:
    """(exit status, what it printed); status -9 is killed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.mortal", str(out), str(moment)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, done.stdout


def contents(path: Path) -> dict[str, Any]:
    with StrategyPool.open(path / "memory.db", embedder=load_embedder("hashing")) as pool:
        memory = pool.export()
    media = {file.name: file.read_bytes() for file in (path / "media").iterdir()}
    return {**canonical_episodes(path), "memory": memory, "media": media}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run that nobody kills, and how many moments it has."""
    path = tmp_path_factory.mktemp("whole") / "run"
    status, printed = run(path)
    assert status == 0
    return path, int(printed)


def test_the_uninterrupted_run_is_worth_comparing(whole: tuple[Path, int]) -> None:
    path, moments = whole
    found = contents(path)
    assert len(found["summaries"]) == 8 and found["media"] and moments > 200
    assert any(line["operations"]["accepted"] for line in found["summaries"])
    assert any(line["lessons"] for line in found["summaries"])


@pytest.mark.parametrize("seed", [0, 1])
def test_a_run_killed_again_and_again_at_random_moments_equals_it(
    tmp_path: Path, whole: tuple[Path, int], seed: int
) -> None:
    """Three kills each: somewhere in what is left, until the last resumption ends it."""
    path, moments = whole
    rng = np.random.default_rng(seed)
    killed = 0
    while killed < 3:
        status, _ = run(tmp_path / "run", int(rng.integers(1, moments // 3)))
        if status == 0:
            break
        killed += 1
    assert killed >= 2
    assert run(tmp_path / "run")[0] == 0
    assert contents(tmp_path / "run") == contents(path)
    assert api.open_run(tmp_path / "run").status == "complete"


@pytest.mark.parametrize("moment", [1, 3, 5])
def test_a_run_killed_while_its_folder_is_made_can_be_begun_again(
    tmp_path: Path, whole: tuple[Path, int], moment: int
) -> None:
    assert run(tmp_path / "run", moment)[0] == -signal.SIGKILL
    assert run(tmp_path / "run")[0] == 0
    assert canonical_episodes(tmp_path / "run") == canonical_episodes(whole[0])
