"""A finished or running run, read from its folder, and two of them compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from journeyman.core.episode import Episode
from journeyman.core.errors import RunError, UnknownName
from journeyman.core.protocols import Embedder
from journeyman.memory import StrategyPool
from journeyman.models.ledger import Ledger, Prices
from journeyman.models.loading import load_embedder
from journeyman.runs import RunFolder, RunSpec
from journeyman.studies import Difference, Summary, by_task, difference, outcomes, rate, summarise


class Run:
    """What a run did: summaries at once, whole episodes and memory when asked for."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder

    @property
    def path(self) -> Path:
        return self.folder.path

    @property
    def spec(self) -> RunSpec:
        return self.folder.spec

    @property
    def status(self) -> str:
        return self.folder.status

    @cached_property
    def summaries(self) -> list[dict[str, Any]]:
        """One dict an episode, in order of encounter (the lines of ``episodes.jsonl``)."""
        return self.folder.summaries()

    @cached_property
    def outcomes(self) -> list[Mapping[str, Any]]:
        """One summary a task: of its last trial, where the method tries again."""
        return outcomes(self.summaries)

    @property
    def episodes(self) -> Sequence[Episode]:
        """The whole episodes, read from disk one by one."""
        return _Episodes(self.folder, len(self.summaries))

    @cached_property
    def memory(self) -> StrategyPool:
        """The run's pool, its own or the one that it was given.

        Raises:
            RunError: a frozen evaluation, which has none; or the given pool's file is gone.
        """
        path = self._memory_path
        if not path.exists():
            given = self.folder.header.get("memory")
            raise RunError(
                f"{self.path} has no memory of its own.",
                hint=f"It learnt into: {given}"
                if given
                else f"It evaluated: {self.spec.memory or 'no memory'}",
            )
        return StrategyPool.open(path, embedder=self._embedder())

    @property
    def _memory_path(self) -> Path:
        given = self.folder.header.get("memory")
        return Path(given) if given else self.folder.memory_path

    def _embedder(self) -> Embedder | None:
        """The run's embedder; None for one of the user's own, which has no name to load it by."""
        try:
            return load_embedder(
                self.spec.embedder,
                base_url=self.spec.embedder_url or self.spec.base_url,
                key_env=self.spec.key_env,
            )
        except UnknownName:
            return None

    @property
    def memory_reference(self) -> str:
        """How `RunSpec.memory` names this run's memory, but for the version."""
        return str(self.folder.header.get("memory", self.path))

    def memory_version_after(self, episodes: int | None) -> int:
        """The version of memory after so many episodes; after all, edits included, where None.

        Raises:
            RunError: the run has fewer episodes.
        """
        if episodes is None:
            return self.memory.version
        if not 0 <= episodes <= len(self.summaries):
            raise RunError(
                f"{self.path} has {len(self.summaries)} episodes; there is no memory after "
                f"{episodes}."
            )
        if episodes == 0:
            return int(self.folder.header.get("memory_start", 0))
        return int(self.summaries[episodes - 1]["memory_version"])

    @property
    def results(self) -> Summary:
        """Success, progress and steps with intervals.

        Raises:
            ConfigError: no finished episode.
        """
        return summarise(self.outcomes)

    @property
    def wall_s(self) -> float:
        """Seconds spent in finished episodes."""
        return float(sum(line["wall_s"] for line in self.summaries))

    def usage(self) -> dict[str, Any]:
        """Calls and tokens, those of episodes that faults ended included.

        Of the calls, ``repeated_calls`` were answered by a cache or a recording and not paid again,
        and ``unusable`` gave a reply that could not be used. ``retries`` were made after
        ``waited_s`` seconds in all; ``troubles`` says how often the servers did what.
        """
        total = self.ledger().total
        return {
            "calls": total.calls,
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
            "cached_tokens": total.cached_tokens,
            "repeated_calls": total.repeated_calls,
            "unusable": total.unusable,
            "retries": total.retries,
            "waited_s": total.waited_s,
            "troubles": dict(total.troubles),
        }

    def ledger(self) -> Ledger:
        """What the run cost so far, by role and model, priced where its price table is still there.

        Raises:
            ConfigError: the price table is there and broken.
        """
        table = Path(self.spec.prices) if self.spec.prices else None
        ledger = Ledger(Prices.read(table) if table is not None and table.exists() else None)
        for line in (*self.summaries, *self.folder.faults()):
            ledger.restore(line["spent"])
        return ledger

    def document(self) -> dict[str, Any]:
        """The one document of ``--json``; its keys are an interface."""
        success = rate([bool(line["success"]) for line in self.outcomes])
        first = sum(line["success"] and line["trials"] <= 1 for line in self.outcomes)
        n = len(self.outcomes)
        entries, version = self._memory_size()
        document: dict[str, Any] = {
            "run": str(self.path),
            "env": ",".join(self.spec.env),
            "method": self.spec.method,
            "model": self.spec.model,
            "seed": self.spec.seed,
            "episodes": n,
            "success": {
                "count": success.count,
                "rate": success.rate,
                "ci95": [success.interval.low, success.interval.high],
            },
            "task_progress": sum(x["task_progress"] for x in self.outcomes) / n if n else 0.0,
            "first_trial_success": first / n if n else 0.0,
            "memory": {"entries": entries, "version": version},
            "usage": self.usage(),
            "wall_s": self.wall_s,
            "status": self.status,
            "per_task": [
                {
                    key: line[key]
                    for key in (
                        "task",
                        "success",
                        "task_progress",
                        "steps",
                        "invalid_actions",
                        "trials",
                    )
                }
                for line in self.outcomes
            ],
        }
        for key in ("overlap", "stopped_by"):
            if key in self.folder.header:
                document[key] = self.folder.header[key]
        return document

    def _memory_size(self) -> tuple[int, int]:
        if self._memory_path.exists():
            with StrategyPool.open(self._memory_path, create=False) as pool:
                return len(pool.strategies), pool.version
        last = self.summaries[-1]["memory_version"] if self.summaries else 0
        return int(self.folder.header.get("frozen_entries", 0)), int(last)

    def is_locked(self) -> bool:
        """Whether another process is writing to it now."""
        try:
            with self.folder.lock():
                return False
        except RunError:
            return True

    def close(self) -> None:
        """Close the memory, where it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()
            del self.__dict__["memory"]

    def __str__(self) -> str:
        if not self.summaries:
            return f"{self.path}: no finished episode ({self.status})"
        success = self.results.success
        usage = self.usage()
        tokens = usage["prompt_tokens"] + usage["completion_tokens"]
        return (
            f"success {success.count}/{success.n} = {100 * success.rate:.0f} % "
            f"[{100 * success.interval.low:.0f}, {100 * success.interval.high:.0f}], "
            f"{tokens / 1000:.0f}k tokens"
        )


class _Episodes(Sequence[Episode]):
    def __init__(self, folder: RunFolder, count: int) -> None:
        self._folder = folder
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._folder.episode(i) for i in range(*index.indices(self._count))]
        number = index + self._count if index < 0 else index
        if not 0 <= number < self._count:
            raise IndexError(index)
        return self._folder.episode(number)

    def __iter__(self) -> Iterator[Episode]:
        return (self._folder.episode(number) for number in range(self._count))


@dataclass(frozen=True)
class Comparison:
    """Run a against run b, paired by task."""

    a: Run
    b: Run
    success: Difference
    task_progress: Difference

    @classmethod
    def of(cls, a: Run, b: Run) -> Comparison:
        """Pair by task; runs of different seeds are paired as one seed each.

        Raises:
            RunError: they have no task in common.
        """

        def paired(field: str) -> Difference:
            return difference(by_task(a.outcomes, 0, field), by_task(b.outcomes, 0, field))

        return cls(a, b, paired("success"), paired("task_progress"))

    def document(self) -> dict[str, Any]:
        def plain(d: Difference) -> dict[str, Any]:
            return {
                "a": d.mean_a,
                "b": d.mean_b,
                "difference": d.difference,
                "ci95": [d.interval.low, d.interval.high],
                "pairs": d.pairs,
                "wins": d.wins,
                "losses": d.losses,
                "ties": d.ties,
                "sign_test_p": d.p_value,
            }

        return {
            "a": str(self.a.path),
            "b": str(self.b.path),
            "success": plain(self.success),
            "task_progress": plain(self.task_progress),
        }

    def __str__(self) -> str:
        d = self.success
        return (
            f"success {100 * d.mean_a:.0f} % against {100 * d.mean_b:.0f} %: "
            f"{100 * d.difference:+.0f} [{100 * d.interval.low:+.0f}, "
            f"{100 * d.interval.high:+.0f}] points on {d.pairs} tasks, {d.wins} wins, "
            f"{d.losses} losses, sign test p = {d.p_value:.3f}"
        )


def open_run(path: str | Path) -> Run:
    """A run folder, for reading.

    Raises:
        RunError: what is wrong with it and what to do.
    """
    return Run(RunFolder.open(Path(path)))
