"""A run whose server fails: nothing is counted or learnt from it, and the same call goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from journeyman import api
from journeyman.core.errors import ModelUnavailable
from journeyman.core.events import EpisodeEnded, Event
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn
from journeyman.runs import RunSpec, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support.fake_server import (
    FakeServer,
    Fault,
    dropped,
    html,
    raw,
    refused,
    silent,
    truncated,
)

KEY = "sk-test-0123456789-secret"
TASKS, GOOD = 5, 2
FAULTS = {
    "401": (refused(401, f"Incorrect API key provided: {KEY}"), "key"),
    "429": (refused(429, Retry_After="0"), "429"),
    "500": (refused(500), "500"),
    "503": (refused(503), "503"),
    "html": (html(502), "502"),
    "dropped": (dropped(), "connection"),
    "silent": (silent(), "1.5"),
    "truncated": (truncated(), "JSON"),
    "no object": (raw([1, 2]), "JSON"),
}


def spec_for(server: FakeServer, **given: object) -> RunSpec:
    return check_spec(
        {
            "model": "openai/stand-in",
            "base_url": server.base_url,
            "embedder": "hashing",
            "tasks": TASKS,
            "timeout_s": 30,
            "tries": 1,
            **given,
        }
    )


def served() -> FakeServer:
    return FakeServer(StandIn("stand-in", ModelOptions(seed=0)), key=KEY)


def failing_after(server: FakeServer, fault: Fault) -> Callable[[Event], None]:
    def listen(event: Event) -> None:
        if isinstance(event, EpisodeEnded) and event.episode.number == GOOD - 1:
            server.faults.extend([fault] * 40)

    return listen


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch, served() as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        api.run_spec(spec_for(server), path).close()
    return canonical_episodes(path)


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.compatibility(
    "a run whose server fails goes on later",
    "a server that speaks the OpenAI protocol",
    "the stand-in behind a local HTTP server",
)
def test_a_failing_server_stops_the_run_resumable_and_leaves_no_key(
    kind: str, tmp_path: Path, uninterrupted: dict[str, object]
) -> None:
    fault, word = FAULTS[kind]
    path = tmp_path / "run"
    with served() as server:
        spec = spec_for(server, timeout_s=1.5 if kind == "silent" else 30)
        with pytest.raises(ModelUnavailable) as caught:
            api.run_spec(spec, path, listeners=[failing_after(server, fault)])
        assert word in str(caught.value) and KEY not in str(caught.value)
        assert caught.value.hint, "the next command is said"

        run = api.open_run(path)
        assert run.status == "fault"
        assert len(run.summaries) == GOOD, "the episode that failed is not counted"
        assert run.memory.version == GOOD, "nor learnt from"
        [recorded] = run.folder.faults()
        assert recorded["number"] == GOOD
        run.close()
        assert KEY.encode() not in everything_in(path)

        server.faults.clear()
        resumed = api.run_spec(spec_for(server), path)
        assert resumed.status == "complete" and len(resumed.summaries) == TASKS
        resumed.close()
    assert canonical_episodes(path) == uninterrupted
    assert KEY.encode() not in everything_in(path)


@pytest.mark.compatibility(
    "a run whose server fails goes on later",
    "a server that speaks the OpenAI protocol",
    "nobody at the address",
)
def test_a_server_that_is_down_is_named_after_bounded_tries(tmp_path: Path) -> None:
    with served() as server:
        spec = spec_for(server, tries=2)
    with pytest.raises(ModelUnavailable, match="tried 2 times") as caught:
        api.run_spec(spec, tmp_path / "run")
    assert "127.0.0.1" in str(caught.value)
    run = api.open_run(tmp_path / "run")
    assert run.summaries == [] and run.status == "fault"
    assert run.memory.version == 0
    run.close()


@pytest.mark.compatibility(
    "retries", "a server that speaks the OpenAI protocol", "the stand-in behind a local HTTP server"
)
def test_a_passing_fault_is_tried_again_and_changes_nothing(
    tmp_path: Path, uninterrupted: dict[str, object]
) -> None:
    path = tmp_path / "run"
    with served() as server:
        spec = spec_for(server, tries=3)
        passing = refused(429, Retry_After="0")
        api.run_spec(spec, path, listeners=[failing_twice(server, passing)]).close()
    assert canonical_episodes(path) == uninterrupted


def failing_twice(server: FakeServer, fault: Fault) -> Callable[[Event], None]:
    def listen(event: Event) -> None:
        if isinstance(event, EpisodeEnded) and event.episode.number == 0:
            server.faults.extend([fault] * 2)

    return listen
