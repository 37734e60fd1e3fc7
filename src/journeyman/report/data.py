"""What a report is made of: plain values, handed over by whoever read the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journeyman.core.episode import Episode
from journeyman.core.values import Applied, Strategy, Use
from journeyman.models.ledger import RoleCost


@dataclass(frozen=True)
class EpisodeRecord:
    """One finished episode and what memory made of its delta.

    Attributes:
        applied: None where nothing was learnt.
        file: Where the whole episode is kept, relative to the run folder, for the reader.
        trials: Attempts at the task so far, this one included.
        pictures: PNGs that were seen before acting: the environment's by the empty name, those of
            the instruction by their names.
        pictured: False where pictures were left out for want of room.
    """

    episode: Episode
    applied: Applied | None = None
    file: str = ""
    trials: int = 1
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    pictured: bool = True

    @property
    def number(self) -> int:
        return self.episode.number

    @property
    def success(self) -> bool:
        return self.episode.outcome.task_success

    def summary(self) -> Mapping[str, Any]:
        """The episode as an entry of ``per_task``, what `studies.summarise` reads."""
        outcome = self.episode.outcome
        return {
            "task": self.episode.task.id,
            "success": outcome.task_success,
            "task_progress": outcome.task_progress,
            "steps": outcome.num_steps,
            "invalid_actions": outcome.num_invalid_actions,
            "trials": self.trials,
        }


@dataclass(frozen=True)
class Faulted:
    """An episode that the model, the simulator or the machine ended: no outcome, never counted."""

    number: int
    task: str
    message: str


@dataclass(frozen=True)
class ReportData:
    """A run as its report shows it. Every text in it is data and is shown escaped.

    Attributes:
        run: The run's name; strategies of this `Origin.run` link to their teaching episode.
        model: One id, or role=model pairs where roles differ.
        status: ``done``, ``running``, ``interrupted``, ...
        command: The command that makes the run again.
        episodes: In the order of the run.
        strategies: The pool's living entries now.
        revisions: Every revision that was ever in the pool, also of removed entries; without them
            a lesson that was revised since cannot show the plan it was keyed by.
        costs: Of all calls by role, those of faults included.
        caveats: Sentences a reader must know before the numbers.
        faults: Episodes that faults ended.
        versions: Package to version.
        facts: Further provenance, name to value: data hashes, prompt hashes, git, settings.
        folder: The run folder as the reader may call it, for pointers to whole prompts.
    """

    run: str
    env: str
    method: str
    model: str
    seed: int
    status: str
    command: str
    episodes: tuple[EpisodeRecord, ...]
    embedder: str = ""
    strategies: tuple[Strategy, ...] = ()
    revisions: tuple[Strategy, ...] = ()
    costs: tuple[RoleCost, ...] = ()
    caveats: tuple[str, ...] = ()
    faults: tuple[Faulted, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def learns(self) -> bool:
        """Whether memory could change in this run."""
        return any(record.applied is not None for record in self.episodes)


@dataclass(frozen=True)
class Uses:
    """How often an entry was put before the planner, and in how many of those it succeeded."""

    times: int = 0
    wins: int = 0


def uses_of(uses: Iterable[Use]) -> dict[str, Uses]:
    """Uses added up by entry id, over all revisions of the entry."""
    found: dict[str, Uses] = {}
    for use in uses:
        before = found.get(use.entry, Uses())
        found[use.entry] = Uses(before.times + 1, before.wins + use.success)
    return found
