"""A loop that the user owns: a robot, ROS, another framework's agent.

::

    with jm.open_session("robot.db", model="openai/gpt-4o") as session:
        episode = session.begin("Put a clean plate on the counter", camera_text)
        print(episode.knowledge)                       # what earlier episodes taught
        while (action := episode.next_action(library)) is not None:
            done, message, camera_text = robot.do(action.name)
            episode.record(action, done, message, camera_text)
        episode.finish(success=robot.asked_person())
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from journeyman.core.errors import JourneymanError
from journeyman.core.protocols import Memory, Method
from journeyman.core.values import (
    Action,
    ActionLibrary,
    Applied,
    Experience,
    History,
    Lessons,
    Observation,
    Origin,
    Plan,
    Step,
    TaskView,
    Trajectory,
)
from journeyman.learning.episode import ended_by
from journeyman.learning.loop import lesson_uses
from journeyman.methods.prompting import lessons_text

LIMIT = 10
"""Unusable plans in an episode before `SessionEpisode.next_action` gives up (EmbodiedBench: 10)."""


class Session:
    """Advises a loop that is not ours and learns from what it reports."""

    def __init__(self, method: Method, memory: Memory, *, name: str = "session") -> None:
        self.method = method
        self.memory = memory
        self.name = name

    def begin(self, instruction: str, observation: Observation | str) -> SessionEpisode:
        """Recall for a new task: coarse plan, retrieval."""
        obs = Observation(observation) if isinstance(observation, str) else observation
        task = TaskView(instruction)
        return SessionEpisode(self, task, obs, self.method.recall(task, obs, self.memory))

    def close(self) -> None:
        close = getattr(self.memory, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


class SessionEpisode:
    """One task of a session: advice in, steps and outcome out.

    Use the planner (`next_action`) or your own; either way `record` each step and `finish`.
    Nothing is learnt before `finish`, and nothing at all if it is never called.
    """

    def __init__(
        self, session: Session, task: TaskView, obs: Observation, lessons: Lessons
    ) -> None:
        self.lessons = lessons
        self._session = session
        self._task = task
        self._first = self._obs = obs
        self._plans: list[Plan] = []
        self._steps: list[Step] = []
        self._queue: list[Action] = []
        self._ended = "truncated"
        self._finished = False

    @property
    def knowledge(self) -> str:
        """The retrieved lessons as text, for a planner of your own."""
        return lessons_text(self.lessons.items)

    def next_action(self, library: ActionLibrary | Sequence[str]) -> Action | None:
        """The next action of the method's plan, planning anew where needed; None when done.

        Args:
            library: The actions valid now; plain names are numbered in order.

        Raises:
            JourneymanError: the model gave `LIMIT` unusable plans.
        """
        self._check_running()
        if not isinstance(library, ActionLibrary):
            library = ActionLibrary(tuple(Action(i, name) for i, name in enumerate(library)))
        while not self._queue:
            history = History(self._task, tuple(self._plans), tuple(self._steps))
            plan = self._session.method.act(self._obs, library, self.lessons, history)
            self._plans.append(plan)
            if plan.error is None:
                if not plan.actions:
                    self._ended = ended_by(plan)
                    return None
                self._queue = list(plan.actions)
            elif sum(p.error is not None for p in self._plans) >= LIMIT:
                raise JourneymanError(
                    f"the model gave {LIMIT} unusable plans, the last because: {plan.error}",
                    hint="Record a step of your own, or finish(success=False).",
                )
        return self._queue.pop(0)

    def record(
        self,
        action: Action | str,
        success: bool,
        feedback: str = "",
        observation: Observation | str | None = None,
    ) -> None:
        """Report what was done; after an invalid action the rest of the plan is dropped."""
        self._check_running()
        if isinstance(action, str):
            action = Action(-1, action)
        if observation is not None:
            obs = Observation(observation) if isinstance(observation, str) else observation
            self._obs = obs
        if not self._plans:
            self._plans.append(Plan(language_plan="(the user's own plan)"))
        self._steps.append(
            Step(len(self._steps), action, success, feedback, self._obs, len(self._plans) - 1)
        )
        self._ended = "truncated"
        if not success:
            self._queue.clear()

    def finish(
        self,
        *,
        success: bool,
        demonstration: Sequence[str] | None = None,
        episode: int | None = None,
    ) -> Applied:
        """Report the outcome: reflect, and let memory judge the lessons.

        Args:
            success: The binary outcome, from whoever can tell.
            demonstration: Action names that solve the task, for comparative reflection.
            episode: A number of your own that makes a repeated report harmless. Without one,
                every report counts, also those of several robots that share a memory.
        """
        self._check_running()
        memory, method = self._session.memory, self._session.method
        trajectory = Trajectory(
            self._task.instruction,
            self._first,
            tuple(self._plans),
            tuple(self._steps),
            success,
            "success" if success else self._ended,
        )
        shown = tuple(demonstration) if demonstration is not None else None
        delta = method.reflect(Experience(self._task, (trajectory,), self.lessons, shown), memory)
        number, moment = (episode, "reflect")
        if number is None:
            number, moment = (memory.version, f"reflect {uuid4().hex}")
        uses = lesson_uses(self.lessons, success)
        applied = memory.apply(
            delta, origin=Origin(self._session.name, number, moment, author=method.id), uses=uses
        )
        self._finished = True
        return applied

    def _check_running(self) -> None:
        if self._finished:
            raise JourneymanError("this episode is finished; begin another one.")
