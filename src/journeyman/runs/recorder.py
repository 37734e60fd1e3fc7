"""Listens to a run's events and keeps them in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from journeyman.core.episode import Episode
from journeyman.core.events import EpisodeEnded, EpisodeFaulted, Event, ModelCalled, Reflected
from journeyman.core.messages import ModelCall
from journeyman.core.values import Applied
from journeyman.models.ledger import Ledger
from journeyman.runs.folder import RunFolder


class Recorder:
    """Saves each episode before its delta is applied, and its summary line after."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._served: dict[str, str] = dict(folder.header.get("served_models", {}))

    def __call__(self, event: Event) -> None:
        match event:
            case ModelCalled(call):
                served = call.completion.model
                if served and self._served.get(call.role) != served:
                    self._served[call.role] = served
                    self.folder.update(served_models=dict(sorted(self._served.items())))
            case Reflected(episode):
                self.folder.save_episode(episode)
            case EpisodeEnded(episode, applied):
                self.folder.append_summary(summary(episode, applied))
            case EpisodeFaulted(number, task, reason, calls):
                self.folder.append_fault(
                    {
                        "number": number,
                        "task": task.id,
                        "reason": reason,
                        "spent": spent(calls),
                    }
                )


def summary(episode: Episode, applied: Applied | None) -> dict[str, Any]:
    """The line of ``episodes.jsonl``; see `canonical` for what may differ between runs."""
    outcome = episode.outcome
    verdicts = applied.verdicts if applied else ()
    return {
        "number": episode.number,
        "task": episode.task.id,
        "env": episode.task.env,
        "subset": episode.task.subset,
        "instruction": episode.task.instruction,
        "success": outcome.task_success,
        "task_progress": outcome.task_progress,
        "steps": outcome.num_steps,
        "invalid_actions": outcome.num_invalid_actions,
        "trials": episode.trial + 1,
        "ended": episode.trajectory.ended,
        "planner_steps": outcome.planner_steps,
        "planner_output_error": outcome.planner_output_error,
        "empty_plan": outcome.empty_plan,
        "failure_reason": outcome.failure_reason,
        "reward": outcome.reward,
        "lessons": [
            {"entry": item.entry, "revision": item.revision, "similarity": item.similarity}
            for item in episode.lessons.items
        ],
        "memory_version": applied.version if applied else episode.lessons.memory_version,
        "operations": {
            "accepted": sum(v.accepted for v in verdicts),
            "refused": sum(not v.accepted for v in verdicts),
            "error": episode.delta.error if episode.delta else None,
        },
        "spent": spent(episode.calls),
        "wall_s": round(episode.wall_s, 4),
    }


def spent(calls: Sequence[ModelCall]) -> list[dict[str, Any]]:
    """What ``calls`` cost, a row for each role and model (`Ledger.snapshot`)."""
    ledger = Ledger()
    for call in calls:
        ledger.record(call)
    return ledger.snapshot()
