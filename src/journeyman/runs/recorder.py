"""Listens to a run's events and keeps them in its folder."""

from __future__ import annotations

from typing import Any

from journeyman.core.episode import Episode
from journeyman.core.events import EpisodeEnded, EpisodeFaulted, Event, ModelCalled, Reflected
from journeyman.core.messages import Usage
from journeyman.core.values import Applied
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
                spent = sum((call.completion.usage for call in calls), Usage())
                self.folder.append_fault(
                    {
                        "number": number,
                        "task": task.id,
                        "reason": reason,
                        "calls": len(calls),
                        "prompt_tokens": spent.prompt_tokens,
                        "completion_tokens": spent.completion_tokens,
                        "cached_tokens": spent.cached_tokens,
                    }
                )


def summary(episode: Episode, applied: Applied | None) -> dict[str, Any]:
    """The line of ``episodes.jsonl``; ``wall_s`` is the only value that may differ between runs."""
    outcome, usage = episode.outcome, Usage()
    for call in episode.calls:
        usage += call.completion.usage
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
        "trials": 1,
        "ended": episode.trajectory.ended,
        "planner_steps": outcome.planner_steps,
        "planner_output_error": outcome.planner_output_error,
        "empty_plan": outcome.empty_plan,
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
        "calls": len(episode.calls),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "wall_s": round(episode.wall_s, 4),
    }
