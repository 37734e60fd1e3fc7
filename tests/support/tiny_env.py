"""A room with a shelf, a table and a chest: a whole environment in a few rules.

Things lie on or in places. The robot goes to a place, opens and closes the chest, takes a thing
that it stands before, and puts it down where it stands. The chest takes and gives nothing while it
is closed, and what is in it is not seen then. ``name`` decides nothing but the id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from journeyman.core.values import Action, ActionLibrary, Observation, Task

ENV_ID = "tiny/tidy-v0"
PLACES = ("shelf", "table", "chest")
THINGS = ("ball", "cup", "book", "key")
ACTIONS = tuple(
    Action(number, name)
    for number, name in enumerate(
        (
            *(f"go to the {place}" for place in PLACES),
            "open the chest",
            "close the chest",
            *(f"pick up the {thing}" for thing in THINGS),
            "put down the thing in hand",
        )
    )
)
ID = {action.name: action.id for action in ACTIONS}
LIBRARY = ActionLibrary(
    ACTIONS,
    role="You are a robot that tidies one room.",
    rules="- go to: valid always.\n- pick up: valid with an empty hand before the thing.",
    examples=("Instruction: Put the ball on the shelf.\n{}", "Instruction: Put the cup away.\n{}"),
)
OK = "Last action executed successfully."
START = {"ball": "table", "cup": "shelf", "book": "table", "key": "chest"}


def demonstration(thing: str, place: str) -> tuple[str, ...]:
    """The expert's way: opens the chest wherever it has to."""
    start = START[thing]
    return (
        f"go to the {start}",
        *(("open the chest",) if start == "chest" else ()),
        f"pick up the {thing}",
        f"go to the {place}",
        *(("open the chest",) if place == "chest" else ()),
        "put down the thing in hand",
    )


def tiny_tasks(env: str = ENV_ID) -> tuple[Task, ...]:
    """Every thing to every place where it does not lie, and four of them in other words."""
    wanted = [
        (thing, place, words)
        for thing in THINGS
        for place in PLACES
        if place != START[thing]
        for words in (
            f"Put the {thing} {'in' if place == 'chest' else 'on'} the {place}.",
            *((f"The {thing} belongs in the {place}.",) if place == "chest" else ()),
        )
    ]
    return tuple(
        Task(
            id=f"tidy-{number:02d}",
            env=env,
            subset="tidy",
            instruction=words,
            spec={"scene": "room", "goal": {"thing": thing, "place": place}},
            demonstration=demonstration(thing, place),
        )
        for number, (thing, place, words) in enumerate(wanted)
    )


class TinyEnv(gymnasium.Env[Observation, int]):
    """See the module; 12 steps, 10 invalid actions.

    Args:
        name: The id.
        data: Not used.
        draw: Observations have a picture of one colour a step, 4 x 4.
        fail_at: The number of the step, over all episodes, that raises ``RuntimeError``.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        name: str = ENV_ID,
        *,
        data: Path | None = None,
        draw: bool = False,
        fail_at: int | None = None,
        max_steps: int = 12,
        max_invalid_actions: int = 10,
        tasks: Sequence[Task] | None = None,
    ) -> None:
        self.id = name
        self.max_steps = max_steps
        self.max_invalid_actions = max_invalid_actions
        self.tasks = tiny_tasks(name) if tasks is None else tuple(tasks)
        self.fail_at = fail_at
        self.made_steps = 0
        self.resets: list[tuple[str, int | None]] = []
        self.closed = False
        self._draw = draw
        self.observation_space = spaces.Dict({"text": spaces.Text(1000)})  # type: ignore[assignment]
        self.action_space = spaces.Discrete(len(ACTIONS))  # type: ignore[assignment]

    def library(self) -> ActionLibrary:
        return LIBRARY

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        task: Task = (options or {}).get("task") or self.tasks[0]
        self.resets.append((task.id, seed))
        self.goal: Mapping[str, str] = task.spec["goal"]
        self.where = dict(START)
        self.at, self.held, self.chest_open = "table", "", False
        self.steps = self.invalid = 0
        return self._observation(), self._info(True, "")

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        number = action.id if isinstance(action, Action) else int(action)
        if self.made_steps == self.fail_at:
            raise RuntimeError("the arm fell off")
        self.made_steps += 1
        problem = self._do(ACTIONS[number].name)
        self.steps += 1
        self.invalid += bool(problem)
        info = self._info(not problem, f"Last action is invalid. {problem}" if problem else OK)
        done = info["task_success"]
        over = self.steps >= self.max_steps or self.invalid >= self.max_invalid_actions
        return self._observation(), float(done), done, over and not done, info

    def close(self) -> None:
        self.closed = True

    def _do(self, name: str) -> str:
        """Why the action is invalid; empty where it was done."""
        last = name.split()[-1]
        if name.startswith("go to"):
            self.at = last
        elif name in ("open the chest", "close the chest"):
            opens = name.startswith("open")
            if self.at != "chest" or self.chest_open == opens:
                return "The chest is not near or is so already."
            self.chest_open = opens
        elif name.startswith("pick up"):
            if self.held:
                return f"The hand holds the {self.held}."
            if last not in self.seen():
                return f"No {last} is in reach."
            self.held, self.where[last] = last, "hand"
        elif not self.held:
            return "The hand is empty."
        elif self.at == "chest" and not self.chest_open:
            return "The chest is closed."
        else:
            self.where[self.held], self.held = self.at, ""
        return ""

    def seen(self) -> list[str]:
        """The things at the robot's place that are in view."""
        if self.at == "chest" and not self.chest_open:
            return []
        return [thing for thing in THINGS if self.where[thing] == self.at]

    def _observation(self) -> Observation:
        things = ", ".join(self.seen()) or "nothing"
        hand, chest = self.held or "nothing", "open" if self.chest_open else "closed"
        text = f"At the {self.at}: {things}. In hand: {hand}. The chest is {chest}."
        shade = self.steps
        draw = (lambda: np.full((4, 4, 3), shade, np.uint8)) if self._draw else None
        return Observation(text, draw)

    def _info(self, success: bool, feedback: str) -> dict[str, Any]:
        thing, place = self.goal["thing"], self.goal["place"]
        there = self.where[thing] == place
        return {
            "task_success": there,
            "task_progress": 1.0 if there else 0.5 * (self.held == thing),
            "last_action_success": success,
            "env_feedback": feedback,
            "num_invalid_actions": self.invalid,
        }
