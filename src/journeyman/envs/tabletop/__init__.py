"""VIMA-Bench's six tasks of EEAgent on a kinematic table (EEAgent section IV-A)."""

from __future__ import annotations

from journeyman.envs.tabletop.env import TabletopEnv
from journeyman.envs.tabletop.tasks import TASKS

__all__ = ["TASKS", "TabletopEnv"]
