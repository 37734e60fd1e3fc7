"""A table of three squares as an environment: one moves onto another; all that the truth is.

Instruction, pictures and rules as on the tabletop, with `seer.observation` as what is seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from journeyman.core.messages import Message
from journeyman.core.values import Action, ActionLibrary, Observation, Task
from tests.methods.eeagent.seer import BLUE, BOXES, GREEN, RED, Seer, alone, colour, labelled, match
from tests.methods.eeagent.seer import observation as seen
from tests.methods.eeagent.test_planner import LIBRARY as SKILLS
from tests.support.scripted import section

INSTRUCTION = "Put the {object} into the {base}."
LIBRARY = ActionLibrary(SKILLS.actions[:1], SKILLS.role, SKILLS.rules, parameters=SKILLS.parameters)
SHADES = {"red": RED, "blue": BLUE, "green": GREEN}
TASKS = tuple(
    Task(
        f"secret-{thing}-{base}",
        "table/squares-v0",
        "squares",
        INSTRUCTION,
        {"object": thing, "base": base},
        ("secret demonstration",),
    )
    for thing, base in (("red", "blue"), ("blue", "green"), ("green", "red"))
)


class TableEnv:
    """Succeeds when the right square was put onto the right one; two steps at most."""

    id = "table/squares-v0"
    max_steps = 2
    max_invalid_actions = 10
    tasks: Sequence[Task] = TASKS
    failure_reason = "secret reason"

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        self.task: Task = (options or {})["task"]
        self.done = False
        return self._observation(), self._info("")

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        assert isinstance(action, Action)
        pick, place = (action.arguments[key] for key in ("pick_location", "place_location"))
        self.done = self._at("object", pick) and self._at("base", place)
        return self._observation(), float(self.done), self.done, False, self._info("done")

    def library(self) -> ActionLibrary:
        return LIBRARY

    def close(self) -> None: ...

    def _at(self, what: str, point: Sequence[float]) -> bool:
        left, top = BOXES[SHADES[self.task.spec[what]]]
        return bool(np.hypot(point[0] - (top + 1.5) / 100, point[1] - (left + 1.5) / 100) < 0.02)

    def _observation(self) -> Observation:
        return seen(**{what: alone(SHADES[self.task.spec[what]]) for what in ("object", "base")})

    def _info(self, feedback: str) -> dict[str, Any]:
        return {
            "task_success": self.done,
            "task_progress": 0.123456789,
            "last_action_success": True,
            "env_feedback": feedback,
            "num_invalid_actions": 0,
            "goal": "secret goal",
        }


def learner(needs: Callable[[str], bool], **replies: Any) -> Seer:
    """A seer that takes another square for the object unless ``needs(prompt)`` holds."""

    def image_match(messages: Sequence[Message]) -> str:
        target = section(messages[0].text, "Task").splitlines()[1]
        pictures = labelled(messages[0])
        shade = colour(pictures[f"{target}:".replace("Target: ", "Target ")])
        far = [float(np.abs(colour(pictures[f"Entity {n}:"]) - shade).sum()) for n in (1, 2, 3)]
        right = int(np.argmin(far)) + 1
        wrong = right % 3 + 1
        knows = "{object}" not in target or needs(messages[0].text)
        return json.dumps(match(right if knows else wrong, 0.9, "a square"))

    return Seer(image_match=image_match, **replies)


def remembers(text: str, where: str) -> Callable[[str], bool]:
    return lambda prompt: text in section(prompt, where)
