"""The values that flow one way: task, observation, plan, step, trajectory, lesson, delta.

All are frozen. What a method may see of a task is `TaskView`; goals, progress and demonstrations
stay in `Task` and `Episode`, which methods never receive.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

ImageHWC = NDArray[np.uint8]
"""RGB picture, shape (H, W, 3)."""

Draw = Callable[[], NDArray[np.uint8]]
"""Draws a picture when it is looked at."""


@dataclass(frozen=True)
class TaskView:
    """What an agent is told of a task: the sentence L and nothing else (design: no leak)."""

    instruction: str


@dataclass(frozen=True)
class Task:
    """One thing to do, as data.

    Attributes:
        id: Unique within its environment; may name the goal, so agents never see it.
        env: The environment id it belongs to, e.g. ``household/base-v0``.
        subset: Its group in the benchmark, e.g. ``base``.
        instruction: The sentence L.
        spec: What the environment needs to set it up and judge it (scene, goal, ...).
        demonstration: Expert action names in order, or None.
    """

    id: str
    env: str
    subset: str
    instruction: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    demonstration: tuple[str, ...] | None = None

    def view(self) -> TaskView:
        return TaskView(self.instruction)


@dataclass(frozen=True, slots=True)
class GroundMap:
    """What part of the ground each pixel of a picture taken from above shows.

    World axes lie along rows and columns: x = ``x_m`` + ``row_m`` * row, y = ``y_m`` +
    ``column_m`` * column, metres; whole numbers are the middles of pixels.
    """

    x_m: float
    row_m: float
    y_m: float
    column_m: float

    def at(self, row: float, column: float) -> tuple[float, float]:
        """(x, y) in metres of what is seen at the pixel, at the height of the ground."""
        return self.x_m + self.row_m * row, self.y_m + self.column_m * column


class Observation(Mapping[str, Any]):
    """What the agent perceives: ``text`` always, pictures drawn only when somebody looks.

    A mapping with the keys ``text`` (str), ``image`` ((H, W, 3) uint8) where the environment can
    draw, and the names of ``views``: other pictures of the same moment, and the pictures that the
    instruction speaks of. They must be looked at before the next step; each is kept once drawn.

    Args:
        views: What draws each further picture, by name. ``prompt/NAME`` is the picture that stands
            at ``{NAME}`` in the instruction.
        ground: Where the pixels of ``image`` lie, if it is taken from above; it holds for the
            instruction's pictures of whole scenes too.
    """

    ground: GroundMap | None = None

    def __init__(
        self,
        text: str,
        draw: Draw | None = None,
        views: Mapping[str, Draw] | None = None,
        ground: GroundMap | None = None,
    ) -> None:
        self.text = text
        self.ground = ground
        self._draws: dict[str, Draw] = {
            **({} if draw is None else {"image": draw}),
            **(views or {}),
        }
        self._drawn: dict[str, NDArray[np.uint8]] = {}

    @property
    def image(self) -> ImageHWC | None:
        return self["image"] if "image" in self._draws else None

    @property
    def prompt_pictures(self) -> dict[str, ImageHWC]:
        """The pictures of the instruction, by the name in its braces."""
        names = [key for key in self._draws if key.startswith(PROMPT)]
        return {key.removeprefix(PROMPT): self[key] for key in names}

    def __getitem__(self, key: str) -> Any:
        if key == "text":
            return self.text
        if key not in self._drawn:
            self._drawn[key] = self._draws[key]()
        return self._drawn[key]

    def __contains__(self, key: object) -> bool:
        """Whether ``key`` is there, without drawing."""
        return key == "text" or key in self._draws

    def __iter__(self) -> Iterator[str]:
        return iter(("text", *self._draws))

    def __len__(self) -> int:
        return 1 + len(self._draws)

    def __repr__(self) -> str:
        return f"Observation({self.text!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Stored as its text; read back without a picture."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, Observation) else cls(str(value)),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda o: o.text),
        )


PROMPT = "prompt/"


@dataclass(frozen=True, slots=True)
class Action:
    """An entry of the action library: ``id`` is what is executed, ``name`` what people read.

    ``arguments`` are what a skill with parameters is called with, as JSON values; those without
    have none.
    """

    id: int
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        """``PickRotate(pick_location=[0.5, 0.1], angle_deg=30)``; the name where it takes none."""
        if not self.arguments:
            return self.name
        given = (f"{key}={json.dumps(value)}" for key, value in self.arguments.items())
        return f"{self.name}({', '.join(given)})"


@dataclass(frozen=True)
class ActionLibrary:
    """The actions valid now, with what the environment tells every agent about itself.

    Attributes:
        actions: In id order; ``actions[i].id == i``.
        role: One or two sentences: who the agent is.
        rules: Descriptions and validity rules of the skills, as the benchmark's prompt gives them.
        examples: Worked examples in the benchmark's reply format, for n-shot prompts.
        parameters: JSON schema (type object) of the arguments of each skill that takes some.
    """

    actions: tuple[Action, ...]
    role: str = ""
    rules: str = ""
    examples: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.actions)

    @cached_property
    def by_name(self) -> Mapping[str, Action]:
        return {action.name: action for action in self.actions}

    def read(self, text: str) -> Action | None:
        """The action that ``text`` names, arguments included, as `Action` prints it; or None.

        Only the form is read here; the environment checks the arguments.
        """
        name, opened, _ = text.strip().partition("(")
        action = self.by_name.get(name.strip())
        if action is None or not opened or name.strip() not in self.parameters:
            return self.by_name.get(text)
        try:
            call = ast.parse(text.strip(), mode="eval").body
            if not isinstance(call, ast.Call) or call.args:
                return None
            arguments = {key.arg or "": ast.literal_eval(key.value) for key in call.keywords}
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return replace(action, arguments=arguments) if "" not in arguments else None

    @cached_property
    def listing(self) -> str:
        """One line an action, ``action id k: name``."""
        return "\n".join(f"action id {a.id}: {' '.join(a.name.split())}" for a in self.actions)


@dataclass(frozen=True)
class Plan:
    """A planner's reply, EmbodiedBench's fields.

    Attributes:
        actions: What will be executed in order; empty with ``error`` None ends the episode.
        error: Why the reply cannot be used (``planner_output_error``): one invalid action.
        note: What was dropped from the reply, e.g. an id outside the library.
        working: How the method came to the plan, as JSON values: kept in the record, shown in the
            report, and there when the method reflects.
    """

    actions: tuple[Action, ...] = ()
    visual_state_description: str = ""
    reasoning_and_reflection: str = ""
    language_plan: str = ""
    error: str | None = None
    note: str = ""
    working: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """(a_t, what came of it). ``plan`` is the index of the plan that the action came from."""

    index: int
    action: Action
    success: bool
    feedback: str
    observation: Observation
    plan: int = 0


@dataclass(frozen=True)
class Trajectory:
    """tau with its instruction and binary outcome: all that reflection may read.

    ``ended`` is one of ``success``, ``max_steps``, ``max_invalid_actions``, ``empty_plan``,
    ``plan_limit``, ``truncated``.
    """

    instruction: str
    first_observation: Observation
    plans: tuple[Plan, ...]
    steps: tuple[Step, ...]
    success: bool
    ended: str


@dataclass(frozen=True)
class History:
    """h_t: what the planner is shown of the running episode."""

    task: TaskView
    plans: tuple[Plan, ...] = ()
    steps: tuple[Step, ...] = ()


Kind = Literal[
    "success_pattern",
    "repeatable_steps",
    "failure_cause",
    "avoidance_guideline",
    "interpreter_principle",
    "planner_principle",
    "interpreter_suggestion",
    "planner_suggestion",
]
"""What a strategy is: ELITE section 3.3; EEAgent's long-term (principle) and short-term
(suggestion) memory of its two modules, section III-D1."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Lesson:
    """A memory entry as it is put before the planner.

    ``similarity`` is the retriever's score (cosine for intent retrieval), None where it has none.
    ``kind`` is the strategy's, where the method tells its lessons apart by it (EEAgent).
    """

    alias: str
    text: str
    title: str = ""
    applies_when: str = ""
    entry: str = ""
    revision: int = 1
    similarity: float | None = None
    kind: Kind | None = None


@dataclass(frozen=True)
class Lessons:
    """What recall gives: the lessons in rank order and the coarse plan they were found by."""

    items: tuple[Lesson, ...] = ()
    coarse_plan: str = ""
    memory_version: int = 0


@dataclass(frozen=True)
class Insight:
    """One thing learnt from one episode, before consolidation."""

    kind: Kind
    text: str
    title: str = ""
    applies_when: str = ""


@dataclass(frozen=True)
class Reflection:
    """r: what the distiller extracted (ELITE Eqs. 1 and 2, and the comparative form).

    ``mode`` is ``success``, ``failure`` or ``comparative``; ``error`` says why there are none.
    ``evidence`` is what the method found out on the way, as JSON values (EEAgent: where the error
    lies and why).
    """

    mode: str
    insights: tuple[Insight, ...] = ()
    error: str | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experience:
    """What a method is given to reflect on; ``demonstration`` only in a supervised setting.

    ``trial`` counts the attempts at the task from 0; after the ``last`` one, by success or because
    no more are allowed, the next task follows.
    """

    task: TaskView
    trajectories: tuple[Trajectory, ...]
    lessons: Lessons = Lessons()
    demonstration: tuple[str, ...] | None = None
    trial: int = 0
    last: bool = True


@dataclass(frozen=True)
class Add:
    """Insert a strategy. ``plan`` is its key text p_i, ``instruction`` the task it came from."""

    text: str
    title: str = ""
    applies_when: str = ""
    kind: Kind = "avoidance_guideline"
    plan: str = ""
    instruction: str = ""
    op: Literal["add"] = "add"


@dataclass(frozen=True)
class Revise:
    """Replace the strategy that the model saw as ``alias`` (S1, S2, ...); its id stays."""

    alias: str
    text: str
    title: str = ""
    applies_when: str = ""
    kind: Kind | None = None
    plan: str = ""
    instruction: str = ""
    op: Literal["revise"] = "revise"


@dataclass(frozen=True)
class Remove:
    """Tombstone the strategy that the model saw as ``alias``."""

    alias: str
    reason: str = ""
    op: Literal["remove"] = "remove"


Operation = Add | Revise | Remove


@dataclass(frozen=True)
class Delta:
    """Delta operations (ELITE Eq. 3): proposed by reflection, judged and applied by memory.

    Attributes:
        version: The memory version whose aliases the operations use.
        operations: In order.
        reply: The model's raw reply, for the log.
        error: Why the reply held no usable operations; then ``operations`` is empty.
        reflection: What was consolidated, for the log.
    """

    version: int
    operations: Sequence[Operation] = ()
    reply: str = ""
    error: str | None = None
    reflection: Reflection | None = None


@dataclass(frozen=True)
class Verdict:
    """What became of one operation: ``entry`` is the id it made or touched."""

    operation: Operation
    accepted: bool
    reason: str = ""
    entry: str = ""


@dataclass(frozen=True)
class Applied:
    """A delta after judgement: the memory's version now, and a verdict for each operation."""

    version: int
    verdicts: tuple[Verdict, ...] = ()
    repeated: bool = False
    """True where the idempotency key had been applied before and nothing was done."""


@dataclass(frozen=True)
class Origin:
    """Where a change came from; (run, episode, moment) is the idempotency key."""

    run: str = ""
    episode: int = -1
    moment: str = "reflect"
    task: str = ""
    author: str = ""
    """Who proposed it: a model id, ``human`` for an edit."""


@dataclass(frozen=True)
class Use:
    """One lesson put before one episode's planner, with what came of the episode."""

    entry: str
    revision: int
    rank: int
    similarity: float | None
    success: bool


@dataclass(frozen=True)
class Strategy:
    """e_i with its history: an entry of the strategy pool at one version."""

    id: str
    alias: str
    revision: int
    text: str
    title: str
    applies_when: str
    kind: Kind
    plan: str
    instruction: str
    origin: Origin


@dataclass(frozen=True)
class Outcome:
    """The benchmark's metrics of one episode; for the record and the report, never for methods.

    ``reward`` is the mean over environment steps, ``task_progress`` in [0, 1]. ``failure_reason``
    is the environment's word for why it failed, where it has one.
    """

    task_success: bool
    task_progress: float
    num_steps: int
    num_invalid_actions: int
    planner_steps: int
    planner_output_error: int
    empty_plan: bool
    reward: float
    failure_reason: str = ""
