"""Symbolic replay of the real EB-ALFRED tasks: data files, scenes, expert plans, environment."""

from journeyman.envs.adapters.eb_alfred_replay.env import EBAlfredReplayEnv, subsets

__all__ = ["EBAlfredReplayEnv", "subsets"]
