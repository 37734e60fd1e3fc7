"""The six tasks of VIMA-Bench that EEAgent is evaluated on, one module a task."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from journeyman.envs.tabletop.tasks.base import Goal, Judgement, ObjectPicture, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.pick_in_order_then_restore import PickInOrderThenRestore
from journeyman.envs.tabletop.tasks.rearrange import Rearrange
from journeyman.envs.tabletop.tasks.rearrange_then_restore import RearrangeThenRestore
from journeyman.envs.tabletop.tasks.rotate import Rotate
from journeyman.envs.tabletop.tasks.scene_understanding import SceneUnderstanding
from journeyman.envs.tabletop.tasks.visual_manipulation import VisualManipulation

_ALL: tuple[TabletopTask, ...] = (
    VisualManipulation(),
    SceneUnderstanding(),
    Rotate(),
    Rearrange(),
    RearrangeThenRestore(),
    PickInOrderThenRestore(),
)

TASKS: Mapping[str, TabletopTask] = MappingProxyType({task.name: task for task in _ALL})
"""By VIMA-Bench's name, in the order of EEAgent's Table I."""

__all__ = ["TASKS", "Goal", "Judgement", "ObjectPicture", "Setup", "TabletopTask"]
