"""From a run to what its report shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from journeyman.api import Run
from journeyman.core.episode import Episode
from journeyman.core.messages import Image
from journeyman.core.values import Applied, Strategy
from journeyman.memory import StrategyPool
from journeyman.report.data import EpisodeRecord, Faulted, ReportData
from journeyman.report.page import write_report
from journeyman.report.working import read_working

PICTURED = 30
"""Episodes whose pictures are put on the page, at most; the first ones."""
PICTURE_BYTES = 4_000_000
"""Of all pictures on the page together."""

_LABEL = re.compile(r"(?:environment|picture \{([^{}]+)\}):", re.IGNORECASE)
"""The text right before a picture in a prompt says what it shows."""


def build_report(run: Run, path: Path | None = None, *, prompts: bool = False) -> Path:
    """Write the page that shows ``run``; ``report.html`` in its folder where no path is given.

    Args:
        prompts: Show every prompt whole; else long ones are cut, and the page says where the
            whole is.
    """
    return write_report(report_data(run), path or run.path / "report.html", prompts=prompts)


def report_data(run: Run) -> ReportData:
    """Everything that the page needs, read from the run folder."""
    header, spec = run.folder.header, run.spec
    applied, strategies, revisions = _memory(run)
    models = dict(header.get("models", {}))
    default = models.pop("default", spec.model)
    return ReportData(
        run=str(header["id"]),
        env=", ".join(spec.env),
        method=spec.method,
        model=", ".join([default, *(f"{role}={name}" for role, name in models.items())]),
        seed=spec.seed,
        status=run.status,
        command=str(header.get("command", "")),
        episodes=tuple(_records(run, applied)),
        embedder=spec.embedder,
        strategies=strategies,
        revisions=revisions,
        costs=run.ledger().by_role,
        caveats=tuple(header.get("caveats", ())),
        faults=tuple(Faulted(f["number"], f["task"], f["reason"]) for f in run.folder.faults()),
        versions=header.get("versions", {}),
        facts=_facts(run),
        folder=str(run.path),
    )


def _records(run: Run, applied: dict[int, Applied]) -> Iterator[EpisodeRecord]:
    """Every episode; those whose plans say what was seen get their pictures while there is room."""
    pictured, room = 0, PICTURE_BYTES
    for episode, line in zip(run.episodes, run.summaries, strict=True):
        pictures: dict[str, bytes] = {}
        seen = any(read_working(plan.working) for plan in episode.trajectory.plans)
        found = _pictures(run, episode) if seen else {}
        size = sum(map(len, found.values()))
        fits = not found or (pictured < PICTURED and size <= room)
        if found and fits:
            pictures, pictured, room = found, pictured + 1, room - size
        yield EpisodeRecord(
            episode,
            applied.get(episode.number),
            f"episodes/{episode.number:04d}.json",
            line["trials"],
            pictures,
            fits,
        )


def _pictures(run: Run, episode: Episode) -> dict[str, bytes]:
    """The environment's picture and the instruction's, as the first prompt with one names them."""
    for call in episode.calls:
        found: dict[str, bytes] = {}
        for message in call.messages:
            for label, image in zip(message.content, message.content[1:], strict=False):
                named = _LABEL.fullmatch(label.strip()) if isinstance(label, str) else None
                if named is None or not isinstance(image, Image):
                    continue
                png = run.folder.picture(image)
                if png is not None:
                    found.setdefault(named[1] or "", png)
        if "" in found:
            return found
    return {}


def episode_record(run: Run, number: int) -> EpisodeRecord:
    """Episode ``number`` with what memory made of its delta.

    Raises:
        RunError: there is no such episode.
    """
    episode = run.folder.episode(number)
    applied, _, _ = _memory(run)
    return EpisodeRecord(episode, applied.get(number), f"episodes/{number:04d}.json")


def _memory(
    run: Run,
) -> tuple[dict[int, Applied], tuple[Strategy, ...], tuple[Strategy, ...]]:
    """What memory made of each episode of this run, its entries now, and every revision ever."""
    path = Path(run.folder.header.get("memory", run.folder.memory_path))
    if not path.exists():
        return {}, (), ()
    with StrategyPool.open(path, create=False) as pool:  # reading needs no embedder
        changes = pool.history()
        applied = {
            change.origin.episode: Applied(change.version, change.verdicts)
            for change in changes
            if change.origin.run == run.folder.header["id"]
        }
        entries = sorted({v.entry for change in changes for v in change.verdicts if v.entry})
        revisions = tuple(
            written.strategy for entry in entries for written in pool.blame(entry).written
        )
        return applied, tuple(pool.strategies), revisions


def _facts(run: Run) -> dict[str, str]:
    header, spec = run.folder.header, run.spec
    facts = {f"setting {key}": str(value) for key, value in spec.settings.items()}
    facts["setting"] = spec.setting if spec.learning else "frozen evaluation"
    if spec.memory:
        facts["memory from"] = spec.memory
    facts |= {f"data of {env}": str(digest) for env, digest in header.get("data", {}).items()}
    facts |= {f"prompt {name}": str(digest) for name, digest in header.get("prompts", {}).items()}
    facts |= {
        f"served model ({role})": str(name)
        for role, name in header.get("served_models", {}).items()
    }
    facts |= {
        f"overlap, {key.replace('_', ' ')}": str(n) for key, n in header.get("overlap", {}).items()
    }
    return facts
