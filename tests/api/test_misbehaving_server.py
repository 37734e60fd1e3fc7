"""50 tasks over a real socket with a server that does everything wrong that servers do."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from journeyman import api
from journeyman.core.errors import ModelUnavailable
from journeyman.models import connection
from journeyman.models import trouble as kinds
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn
from journeyman.report.build import build_report
from journeyman.report.terminal import summary
from journeyman.runs import RunSpec, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support.misbehaving import PAID, PASSING, Misbehaving

TASKS = 50
TIMEOUT_S = 2.0
"""The server is silent for ten seconds, or until the client has hung up."""

LARGEST_EPISODE = 2_000_000
"""Bytes; one reply of 10 MB is kept to 64 KiB, and prompts are below 20 KiB."""


def spec_for(server: Misbehaving, **given: Any) -> RunSpec:
    return check_spec(
        {
            "model": "openai/stand-in",
            "base_url": server.base_url,
            "embedder": "hashing",
            "tasks": TASKS,
            "timeout_s": TIMEOUT_S,
            **given,
        }
    )


def server(dies_at: int | None = None) -> Misbehaving:
    """With this seed it does each of its wrong things at least once."""
    return Misbehaving(StandIn("stand-in", ModelOptions(seed=0)), seed=4, dies_at=dies_at)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_BACKOFF_S", 0.002)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[api.Run, Misbehaving]]:
    path = tmp_path_factory.mktemp("misbehaving") / "run"
    with pytest.MonkeyPatch.context() as patch, server() as served:
        patch.setattr(connection, "FIRST_BACKOFF_S", 0.002)
        run = api.run_spec(spec_for(served), path)
    yield run, served
    run.close()


def billed(*servers: Misbehaving) -> dict[str, int]:
    book = [usage for each in servers for usage in each.book]
    return {
        "calls": len(book),
        "prompt_tokens": sum(usage.prompt_tokens for usage in book),
        "completion_tokens": sum(usage.completion_tokens for usage in book),
    }


def counted(run: api.Run) -> dict[str, Any]:
    usage = run.usage()
    return {key: usage[key] for key in ("calls", "prompt_tokens", "completion_tokens")}


def require_each_once(run: api.Run) -> None:
    """Every episode once, and one change of memory for each, in their order."""
    assert [line["number"] for line in run.summaries] == list(range(TASKS))
    assert len({line["task"] for line in run.summaries}) == TASKS
    changes = [change.origin.episode for change in run.memory.history()]
    assert changes == list(range(TASKS))
    assert run.memory.version == TASKS


def test_the_run_finishes_and_every_kind_of_fault_was_met(
    whole: tuple[api.Run, Misbehaving],
) -> None:
    run, served = whole
    assert run.status == "complete" and run.folder.faults() == []
    assert set(served.done) == {*PASSING, *PAID}
    require_each_once(run)


@pytest.mark.compatibility(
    "a run of 50 tasks while the server does everything wrong",
    "a server that speaks the OpenAI protocol",
    "the stand-in behind a local HTTP server that does eleven wrong things, by seed",
)
def test_what_the_server_bills_is_what_the_run_counts(whole: tuple[api.Run, Misbehaving]) -> None:
    run, served = whole
    assert counted(run) == billed(served)
    recorded = [call for episode in run.episodes for call in episode.calls]
    assert len(recorded) == len(served.book), "no reply that was paid for is lost"


def test_the_run_says_what_happened_by_kind(whole: tuple[api.Run, Misbehaving]) -> None:
    run, served = whole
    did, usage = served.done, run.usage()
    met = Counter(usage["troubles"])
    assert met["HTTP 429"] == did["429 with Retry-After"] + did["429 without"]
    assert met["HTTP 500"] == did["500"]
    assert met[kinds.BROKEN] == did["dropped"]
    assert met[kinds.SILENT] == did["silence"]
    assert met[kinds.HTML] == did["HTML"]
    assert met[kinds.CHOICES] == did["two choices"]
    assert met[kinds.NO_CHOICES] == did["no choices"]
    assert met[kinds.LONG] == did["10 MB"]
    assert met[kinds.GARBLED] == did["invalid UTF-8"]
    assert met[kinds.CUT_OFF] == did["cut off"]
    assert usage["retries"] == sum(did[kind] for kind in PASSING)
    assert 0 < usage["waited_s"] < 60
    spoilt = sum(did[kind] for kind in PAID) - did["two choices"]
    assert usage["unusable"] == spoilt, "two choices are one good reply"


def test_terminal_and_page_tell_it(whole: tuple[api.Run, Misbehaving], tmp_path: Path) -> None:
    run, served = whole
    shown = io.StringIO()
    Console(file=shown, width=400).print(summary(run.document()))
    page = build_report(run, tmp_path / "report.html").read_text("utf-8")
    for text in (shown.getvalue(), page):
        assert "tried again" in text and "unusable repl" in text
        for kind in ("HTTP 429", kinds.SILENT, kinds.GARBLED, kinds.LONG):
            assert kind in text
    assert f"{kinds.HTML} {served.done['HTML']}x" in shown.getvalue()


def test_replies_of_ten_megabytes_and_half_characters_leave_a_small_whole_folder(
    whole: tuple[api.Run, Misbehaving],
) -> None:
    run, served = whole
    assert served.done["10 MB"] and served.done["invalid UTF-8"]
    for file in run.path.rglob("*"):
        if file.is_file():
            assert file.stat().st_size < LARGEST_EPISODE, file
            if file.suffix in (".json", ".jsonl"):
                file.read_text("utf-8")
    texts = [call.completion.text for episode in run.episodes for call in episode.calls]
    assert max(map(len, texts)) == 65_536


def test_a_server_that_dies_and_comes_back_leaves_the_run_as_if_it_had_not(
    whole: tuple[api.Run, Misbehaving], tmp_path: Path
) -> None:
    undisturbed, served = whole
    path = tmp_path / "run"
    with (
        server(dies_at=len(served.requests) // 2) as first,
        pytest.raises(ModelUnavailable, match="tried 5 times: the connection failed") as stop,
    ):
        api.run_spec(spec_for(first), path)
    assert "command again" in stop.value.hint
    stopped = api.open_run(path)
    assert stopped.status == "fault" and 0 < len(stopped.summaries) < TASKS
    assert counted(stopped) == billed(first)
    assert stopped.usage()["troubles"][kinds.BROKEN] >= 5, "those of the call without a reply"
    stopped.close()
    with server() as second:
        run = api.run_spec(spec_for(second), path)
    assert run.status == "complete"
    require_each_once(run)
    assert counted(run) == billed(first, second)
    assert canonical_episodes(path) == canonical_episodes(undisturbed.path)
    assert run.memory.export() == undisturbed.memory.export()
    run.close()


def test_with_a_cache_the_replies_of_an_interrupted_episode_are_not_paid_for_again(
    tmp_path: Path,
) -> None:
    model, path = StandIn("stand-in", ModelOptions(seed=0)), tmp_path / "run"
    given = {"tasks": 4, "cache": str(tmp_path / "cache.db")}
    with (
        Misbehaving(model, passing=0, paid=0, dies_at=11) as first,
        pytest.raises(ModelUnavailable),
    ):
        api.run_spec(spec_for(first, **given), path)
    [interrupted] = api.open_run(path).folder.faults()
    assert sum(row["calls"] for row in interrupted["spent"]) > 0, "it stopped in mid-episode"
    with Misbehaving(model, passing=0, paid=0) as second:
        run = api.run_spec(spec_for(second, **given), path)
    asked = [str(r.body) for r in (*first.requests[:10], *second.requests)]
    assert len(set(asked)) == len(asked)
    usage = run.usage()
    assert usage["calls"] - usage["repeated_calls"] == len(first.book) + len(second.book)
    run.close()
