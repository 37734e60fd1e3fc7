"""A stand-in for a checkout of VIMABench: its surface, one scene, no physics.

It is written to a folder and imported from there as a user's checkout is. Its rules are a few lines
of its own: what is gripped lies within 5 cm of the pick, and goes where it is put.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

BODIES: dict[int, list[float]] = {}
"""Where the stand-in of PyBullet has each body: x, y, z."""

INIT = """
import kornia, torch
from . import env, tasks
print("[INFO] tasks loaded")
LEVELS = ("placement", "combinatorial", "novel_object")
PARTITION_TO_SPECS = {
    "test": {f"{n}_generalization": {"visual_manipulation": {"level": n}} for n in LEVELS}
}
made = []
def make(task_name, *, modalities, task_kwargs):
    made.append(env.base.Env(task_name, modalities, task_kwargs))
    return made[-1]
"""

TASKS = """
import numpy as np
class Put:
    prompt_template = "Put it."
    pos_eps = 0.1
    def __init__(self, level):
        self.level, self.difficulty, self.rng = level, None, np.random.default_rng()
        self.distractors, self.goals, self._all_goals = [], [], []
    def set_difficulty(self, difficulty):
        self.difficulty = difficulty
    def set_seed(self, seed):
        self.rng, self.seed = np.random.default_rng(seed), seed
    def _reset_prompt(self):
        self.prompt_template = "Put the {dragged_obj_1} into the {base_obj}."
ALL_TASKS = {"instruction_following/visual_manipulation": Put}
"""

BASE = """
import os, time
import numpy as np
import pybullet as p
from .. import tasks
START = {5: [0.5, -0.2, 0.035], 6: [0.5, 0.2, 0.0], 7: [0.35, 0.0, 0.015]}
class Effector:
    contact_constraint = None
    def activate(self):
        self.contact_constraint = self.near
class Env:
    client_id = 0
    def __init__(self, name, modalities, task_kwargs):
        os.write(1, b"int args: [")
        self.modalities = modalities
        self.task = tasks.ALL_TASKS["instruction_following/" + name](**task_kwargs)
        self.task.set_difficulty("easy")
        self.seeds, self.closed = [], False
        class box: low, high = np.float32([0.25, -0.5]), np.float32([0.75, 0.5])
        self.position_bounds = box
    def seed(self, seed):
        self.seeds.append(seed)
        self.task.set_seed(seed)
    def reset(self):
        print("Warning: 1 repeated sampling")
        os.write(1, b"text argument:")
        self.task._reset_prompt()
        self.prompt = self.task.prompt_template
        self.obj_ids = {"fixed": [6], "rigid": [5, 7]}
        self.obj_id_reverse_mapping = {
            5: {"obj_name": "block", "texture_name": "red"},
            6: {"obj_name": "bowl", "texture_name": "blue"},
            7: {"obj_name": "ring", "texture_name": "tiger"},
        }
        shift = self.task.rng.uniform(-0.02, 0.02)
        for body, place in START.items():
            p.BODIES[body] = [place[0] + shift, place[1], place[2]]
        base = tuple(p.BODIES[6]), (0, 0, 0, 1)
        goal = [(5, (0, None))], np.ones((1, 1)), [base], False, True, "pose", None, 1
        self.task.goals, self.task._all_goals = [goal], [goal]
        self.task.distractors = [(7, (0, None))]
        self.ee = Effector()
        one = np.zeros((3, 128, 256), np.uint8)
        asset = {"rgb": {"top": one + 1, "front": one + 2}}
        self.prompt_assets = {"dragged_obj_1": asset, "base_obj": asset}
        return self.look()
    def look(self):
        top = np.zeros((3, 128, 256), np.uint8)
        top[0], top[1] = 10, 20
        return {"rgb": {"top": top, "front": top + 1}, "ee": 0}
    def step(self, action, skip_oracle=True):
        assert all(part.dtype == np.float32 for part in action.values())
        os.write(1, b"noise in C")
        begun = time.time()
        if action["pose1_position"][0] > 0.74:  # out of the arm's reach
            while time.time() - begun < 5:
                pass
            return self.look(), 0.0, True, {"success": False, "failure": False}
        pick, place = action["pose0_position"], action["pose1_position"]
        near = [b for b in (5, 7) if np.hypot(*(p.BODIES[b][:2] - pick)) < 0.05]
        self.ee.near = near[0] if near else None
        self.ee.activate()
        if near:
            p.BODIES[near[0]][:2] = [float(part) for part in place]
        gap = lambda b: np.hypot(*np.subtract(p.BODIES[b][:2], p.BODIES[6][:2]))
        if gap(5) < 0.1:
            self.task.goals = []
        failure = bool(gap(7) < 0.1)
        success = not self.task.goals and not failure
        done = success or failure
        return self.look(), 0, done, {"success": success, "failure": failure}
    def close(self):
        self.closed = True
"""


def write(folder: Path) -> Path:
    """The stand-in as files in ``folder``, which is then a checkout."""
    package = folder / "vima_bench"
    for name, text in {
        "__init__.py": INIT,
        "tasks/__init__.py": TASKS,
        "env/__init__.py": "from . import base",
        "env/base.py": BASE,
    }.items():
        file = package / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def pybullet() -> ModuleType:
    """What the adapter and the stand-in ask of PyBullet."""
    module = ModuleType("pybullet")
    module.error = RuntimeError  # type: ignore[attr-defined]
    module.BODIES = BODIES  # type: ignore[attr-defined]
    module.getBasePositionAndOrientation = lambda body, physicsClientId: (  # type: ignore[attr-defined]
        tuple(BODIES[body]),
        (0.0, 0.0, 0.0, 1.0),
    )
    module.getConstraintInfo = lambda constraint: (0, 0, constraint)  # type: ignore[attr-defined]
    return module


def gym() -> ModuleType:
    module = ModuleType("gym")
    module.logger = SimpleNamespace(set_level=lambda level: None, ERROR=40)  # type: ignore[attr-defined]
    return module


def forget() -> None:
    """Drop the imported checkout, so that the next test imports its own."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "vima_bench"]:
        del sys.modules[name]
