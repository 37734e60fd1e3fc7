"""A kitchen by hand: stations 3 m and more apart, so what is in reach is plain to see.

Fridge (-3, 3)      CounterTop (0, 3)      Microwave (3, 3)
                    the middle (0, 0)
Sink (-3, -3)       Cabinets (0, -3)       CounterTop_2 (3, -3)
"""

from typing import Any

from journeyman.core.values import Task
from journeyman.envs.household.env import HouseholdEnv
from journeyman.envs.household.scene import Scene, SceneObject


def thing(object_type: str, x: float, y: float, z: float, parent: str | None = None, **state: Any):
    object_id = f"{object_type}|{x:+06.2f}|{y:+06.2f}|{z:+06.2f}"
    return SceneObject(object_id, object_type, (x, y, z), parent, **state)


FRIDGE = thing("Fridge", -3, 0, 3)
COUNTER = thing("CounterTop", 0, 0.9, 3)
COUNTER_2 = thing("CounterTop", 3, 0.9, -3)
MICROWAVE = thing("Microwave", 3, 0.9, 3)
SINK = SceneObject("Sink|-03.00|+00.80|-03.00|SinkBasin", "SinkBasin", (-3.0, 0.8, -3.0))
FAUCET = thing("Faucet", -3, 1.1, -3)
CABINET = thing("Cabinet", 0, 1.8, -3)
CABINET_2 = thing("Cabinet", 0.1, 0.4, -3)
APPLE = thing("Apple", 0.2, 0.95, 3, COUNTER.id)
APPLE_2 = thing("Apple", -3, 0.8, 3, FRIDGE.id)
KNIFE = thing("Knife", -0.2, 0.95, 3, COUNTER.id)
CUP = thing("Cup", 2.8, 0.95, -3, COUNTER_2.id)
FORK = thing("Fork", 3, 0.95, -3, COUNTER_2.id)
PLATE = thing("Plate", 0, 1.85, -3, CABINET.id)
EGG = thing("Egg", 0.0, 0.05, 0.1)

OBJECTS = (
    FRIDGE,
    COUNTER,
    COUNTER_2,
    MICROWAVE,
    SINK,
    FAUCET,
    CABINET,
    CABINET_2,
    APPLE,
    APPLE_2,
    KNIFE,
    CUP,
    FORK,
    PLATE,
    EGG,
)


def kitchen(*more: SceneObject, without: tuple[SceneObject, ...] = ()) -> Scene:
    objects = tuple(o for o in OBJECTS if o not in without) + more
    return Scene("hand", "kitchen", objects, (0.0, 0.0))


def task(scene: Scene | None = None, demonstration: tuple[str, ...] | None = None, **goal: Any):
    goal = {"task_type": "pick_and_place_simple", "object_target": "Fork", **goal}
    goal.setdefault("parent_target", "Sink")
    return Task(
        "hand-000",
        "household/hand",
        "hand",
        "Do it.",
        {"scene": scene or kitchen(), "goal": goal},
        demonstration,
    )


class HandEnv(HouseholdEnv):
    """The environment over tasks given to it."""

    def __init__(self, *tasks: Task, **settings: Any) -> None:
        self._given = tasks
        super().__init__("household/hand", **settings)

    def _load(self, subset, data):
        return self._given or (task(),)
