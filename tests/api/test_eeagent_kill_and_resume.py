"""EEAgent killed within a trial, between the trials of a task or while it reflects, and resumed.

    python -m tests.api.test_eeagent_kill_and_resume

is the nursery: it has loaded all that a run needs, and for each line of its input it forks a
process that runs or resumes a run and kills itself at the moment that it is told.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.events import EpisodeStarted, Event
from journeyman.core.registry import registry
from journeyman.memory.store import Store
from journeyman.models.cache import CachedModel
from journeyman.models.standin_tabletop import StandInTabletop
from journeyman.runs import RunFolder, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support.standin_server import NAME, StandInServer

ROOT = Path(__file__).parents[2]
ENV = "few/rotate-v0"
SEED = 3
SPEC = {
    "env": [ENV],
    "method": "eeagent",
    "model": NAME,
    "embedder": "hashing",
    "seed": SEED,
    "tasks": 2,
}
"""Three trials of the first task, the last of them a success, and one of the second."""

MODULES = ("interpreter", "planner")
TERMS = ("principle", "suggestion")

CALL = ("call",)
STEP = ("step begins", "step ends")
SAVE = ("save begins", "save ends")
APPLY = ("change begins", "change written", "change ends")
SUMMARY = ("summary begins", "summary ends")


# In the nursery


class Clock:
    """Counts the moments of some kinds, writes each down, and at the deadly one the process ends.

    A call's moment is when its reply has come and nobody has heard of it.
    """

    def __init__(self, file: Path, kinds: Sequence[str], deadly: int) -> None:
        self.file = file
        self.kinds = kinds
        self.deadly = deadly
        self.episode = -1
        self.passed: Counter[int] = Counter()

    def __call__(self, event: Event) -> None:
        if isinstance(event, EpisodeStarted):
            self.episode = event.number

    def tick(self, kind: str) -> None:
        if kind not in self.kinds:
            return
        self.passed[self.episode] += 1
        with self.file.open("a") as stream:
            stream.write(f"{self.episode}.{self.passed[self.episode]} {kind}\n")
        if self.passed.total() == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, method: Callable[..., Any], before: str, after: str) -> Callable[..., Any]:
        def ticking(*args: Any, **kwargs: Any) -> Any:
            self.tick(before)
            result = method(*args, **kwargs)
            self.tick(after)
            return result

        return ticking

    def around_block(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def ticking(*args: Any) -> Iterator[None]:
            self.tick(APPLY[0])
            with method(*args):
                yield
                self.tick(APPLY[1])
            self.tick(APPLY[2])

        return ticking


def live(order: dict[str, Any]) -> None:
    """Run or resume, with the clock ticking; as a process that may not come back."""
    from journeyman.envs.tabletop import TabletopEnv

    clock = Clock(Path(order["words"]), order["kinds"], order["deadly"])
    parts: Any
    for parts, name, kinds in (
        (StandInTabletop, "complete", ("", *CALL)),
        (CachedModel, "complete", ("", *CALL)),
        (TabletopEnv, "step", STEP),
        (RunFolder, "save_episode", SAVE),
        (RunFolder, "append_summary", SUMMARY),
    ):
        setattr(parts, name, clock.around(getattr(parts, name), *kinds))
    Store.transaction = clock.around_block(Store.transaction)  # type: ignore[method-assign]
    spec = check_spec({**SPEC, **order["given"]})
    assert api.run_spec(spec, order["out"], listeners=[clock]).status == "complete"


def nursery() -> None:
    import cv2
    import openai.resources.chat  # noqa: F401

    import journeyman.models.endpoint  # noqa: F401

    cv2.setNumThreads(0)  # a thread is not there after a fork
    target = "journeyman.envs.tabletop:TabletopEnv"
    registry().env(ENV, target, task="rotate", episodes=1, model=NAME)
    with tempfile.TemporaryDirectory() as folder:
        api.run_spec(check_spec({**SPEC, "tasks": 1}), Path(folder, "run")).close()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                live(json.loads(line))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


# In the tests

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Nursery:
    """Processes on demand; those of another ``hash_seed`` order their sets in another way."""

    def __init__(self, hash_seed: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.api.test_eeagent_kill_and_resume"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": str(hash_seed), **ONE_THREAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, out: Path, kinds: Sequence[str] = (), deadly: int = 0, **given: Any
    ) -> tuple[bool, list[str]]:
        """Whether the process came to the end of the run, and the moments that it saw."""
        words = out.with_suffix(".words")
        words.write_text("")
        order = {"out": str(out), "words": str(words), "kinds": kinds, "deadly": deadly}
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps({**order, "given": given}), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        assert status in (0, -signal.SIGKILL)
        return status == 0, words.read_text().splitlines()

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def nursery_of_one() -> Iterator[Nursery]:
    made = Nursery(hash_seed=1)
    yield made
    made.close()


@pytest.fixture(scope="module")
def nursery_of_another() -> Iterator[Nursery]:
    made = Nursery(hash_seed=2)
    yield made
    made.close()


def contents(out: Path) -> dict[str, Any]:
    """All that a run came to, times aside."""
    run = api.open_run(out)
    try:
        assert run.status == "complete" and run.folder.pending() == []
        usage = {key: run.usage()[key] for key in ("calls", "prompt_tokens", "completion_tokens")}
        media = {file.name: file.read_bytes() for file in (out / "media").iterdir()}
        memory = run.memory.export()
    finally:
        run.close()
    return {**canonical_episodes(out), "memory": memory, "usage": usage, "media": media}


def lasting(out: Path) -> tuple[int, int, int]:
    """Episodes with a summary, episodes that are saved, version of the memory."""
    if not RunFolder.exists(out):
        return 0, 0, 0
    run = api.open_run(out)
    try:
        ended, saved = len(run.summaries), len(list((out / "episodes").glob("*.json")))
        return ended, saved, run.memory.version if run.folder.memory_path.exists() else 0
    finally:
        run.close()


def killed_at_every(
    kinds: Sequence[str], nursery: Nursery, out: Path
) -> list[tuple[str, tuple[int, int, int]]]:
    """One run, killed again and again until it has died at every moment of ``kinds``.

    Each process dies a moment later than the one before it did or, where that one had brought the
    run forward, at its first moment.

    Returns:
        The moment of each death, and what was lasting then.
    """
    deaths: list[tuple[str, tuple[int, int, int]]] = []
    deadly, before = 1, (0, 0, 0)
    while True:
        ended, moments = nursery.run(out, kinds, deadly)
        if ended:
            return deaths
        now = lasting(out)
        deaths.append((moments[-1], now))
        deadly, before = (deadly + 1 if now == before else 1), now


@pytest.fixture(scope="module")
def whole(
    nursery_of_one: Nursery, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], list[str]]:
    """A run that nobody kills, and the moments of its calls."""
    out = tmp_path_factory.mktemp("whole") / "run"
    ended, moments = nursery_of_one.run(out, CALL)
    assert ended
    return contents(out), moments


def test_the_uninterrupted_run_is_worth_comparing(whole: tuple[dict[str, Any], list[str]]) -> None:
    found, moments = whole
    assert [line["trials"] for line in found["summaries"]] == [1, 2, 3, 1]
    assert [line["success"] for line in found["summaries"]] == [False, False, True, True]
    assert len(moments) == found["usage"]["calls"] > 40
    said = [call["messages"][0]["content"][0] for e in found["episodes"] for call in e["calls"]]
    for begin in (
        "You reflect on a failure",
        "You reflect on a success",
        "You judge the generality",
        "You keep the long-term memory",
    ):
        assert any(text.startswith(begin) for text in said), begin
    kinds = {r["kind"] for e in found["memory"]["entries"] for r in e["revisions"]}
    assert kinds == {f"{module}_{term}" for module in MODULES for term in TERMS}


def test_killed_at_each_model_call_of_each_trial_it_equals_the_uninterrupted_run(
    whole: tuple[dict[str, Any], list[str]], nursery_of_another: Nursery, tmp_path: Path
) -> None:
    """While the interpreter looks, the planner plans, and in each call of reflection."""
    found, moments = whole
    deaths = killed_at_every(CALL, nursery_of_another, tmp_path / "run")
    assert {moment for moment, _ in deaths} == set(moments)
    assert all(ended == saved for _, (ended, saved, _) in deaths), "all within a trial"
    assert {ended for _, (ended, _, _) in deaths} == {0, 1, 2, 3}
    assert contents(tmp_path / "run") == found


def test_killed_at_each_step_and_each_lasting_write_it_equals_the_uninterrupted_run(
    whole: tuple[dict[str, Any], list[str]], nursery_of_another: Nursery, tmp_path: Path
) -> None:
    found, _ = whole
    kinds = (*STEP, *SAVE, *APPLY, *SUMMARY)
    deaths = killed_at_every(kinds, nursery_of_another, tmp_path / "run")
    assert contents(tmp_path / "run") == found
    fell = {(moment.partition(" ")[2], ended) for moment, (ended, _, _) in deaths}
    assert {kind for kind, _ in fell} == set(kinds)
    assert {("summary ends", 1), ("summary ends", 2)} <= fell, "between two trials of one task"
    assert {("step ends", number) for number in range(4)} <= fell
    pending = [(ended, saved) for _, (ended, saved, _) in deaths if saved > ended]
    assert {(0, 1), (1, 2), (2, 3), (3, 4)} <= set(pending), "saved, and not yet in the summaries"


@pytest.mark.parametrize("refuses", [[], ["tools"]], ids=["takes tools", "refuses tools"])
def test_with_a_cache_no_reply_is_paid_for_twice_wherever_it_is_killed(
    refuses: list[str], nursery_of_one: Nursery, tmp_path: Path
) -> None:
    with StandInServer(seed=SEED, refuses=refuses) as server:
        given = {"model": f"openai/{NAME}", "base_url": server.base_url, "tasks": 1}
        whole, cut = tmp_path / "whole", tmp_path / "cut"
        ended, moments = nursery_of_one.run(whole, CALL, **given, cache=f"{whole}.db")
        assert ended and len(moments) >= len(server.book) > 15
        undisturbed = [request.body for request in server.requests]
        server.requests.clear()
        for deadly in (3, 9, 11, 13, 0):
            ended, _ = nursery_of_one.run(cut, CALL, deadly, **given, cache=f"{cut}.db")
            assert ended == (deadly == 0)
        assert [request.body for request in server.requests] == undisturbed
        assert server.violations == []
    assert contents(cut) == contents(whole)


if __name__ == "__main__":
    nursery()
