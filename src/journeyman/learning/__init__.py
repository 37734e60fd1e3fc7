"""The episode loop, the learning loop, frozen evaluation, and sessions for loops of your own."""

from journeyman.learning.episode import Rollout, run_episode
from journeyman.learning.loop import (
    Identity,
    Stream,
    episode_seed,
    evaluate,
    learn,
    lesson_uses,
    task_stream,
)
from journeyman.learning.session import Session, SessionEpisode

__all__ = [
    "Identity",
    "Rollout",
    "Session",
    "SessionEpisode",
    "Stream",
    "episode_seed",
    "evaluate",
    "learn",
    "lesson_uses",
    "run_episode",
    "task_stream",
]
