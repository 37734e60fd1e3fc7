"""A method's prompts without a model: at the start of a run, and through a made-up episode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from journeyman import learning
from journeyman.api.parts import method_parameters, parse_memory
from journeyman.core.messages import Completion, Message, ModelCall, Tool, ToolCall
from journeyman.core.protocols import EmbodiedEnv, Method, Model, Vector
from journeyman.core.values import (
    ActionLibrary,
    Add,
    Delta,
    Experience,
    History,
    Kind,
    Observation,
    Origin,
    Plan,
    Step,
    Strategy,
    Task,
    Trajectory,
)
from journeyman.memory import StrategyPool
from journeyman.models.roles import ROLES, ModelRoles
from journeyman.models.tool_dialects import told_by_json
from journeyman.runs import RunSpec

PLANS = 4
STEPS_A_PLAN = 4
"""Of a made-up episode; EmbodiedBench allows 30 steps."""

ENTRIES_AN_EPISODE = 0.5
"""By which the memory is taken to grow, for each kind of entry that the method learns."""

FAILING = 1 / 4
"""Share of trials taken to fail, where a task that failed is tried again."""

_SENTENCE = "In this sentence a model would say what it sees, what it thinks and what it wants. "
_FEEDBACK = "Last action executed successfully."
_NAMED = {"candidate": "C1", "entity": 1, "general": True}
"""What a field has to hold for a method to go on with it: the first of what the prompt lists."""


class Asked:
    """Roles that keep what they are asked and answer nothing, or placeholders of the shape.

    Attributes:
        script: The tool calls that a conversation with placeholders makes, reply by reply.
    """

    def __init__(self, models: ModelRoles, *, placeholders: bool) -> None:
        self.calls: list[ModelCall] = []
        self.script: list[tuple[ToolCall, ...]] = []
        kind = _Filling if placeholders else _Unanswering
        answering: dict[str, Model] = {role: kind(models.model(role), self) for role in ROLES}
        self.roles = ModelRoles(answering["plan"], answering)
        self.roles.listen(self._hear)

    def _hear(self, call: ModelCall) -> None:
        if call.attempt == 0:
            self.calls.append(call)


class _Unanswering:
    """In the place of a model: it looks like it and knows nothing."""

    def __init__(self, model: Model, asked: Asked) -> None:
        self.id = model.id
        self.sees_images = model.sees_images
        self.prompt_profiles = getattr(model, "prompt_profiles", None)
        self.takes_tools = bool(getattr(model, "takes_tools", True))
        self._asked = asked

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        return Completion("", model=self.id)


class _Filling(_Unanswering):
    """It replies with placeholders, and in a conversation makes the calls of the script first."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        said = sum(message.role == "assistant" for message in messages)
        if tools:  # after its calls its answer is empty: of a conversation's end that is enough
            called = self._asked.script[said] if said < len(self._asked.script) else ()
            return Completion("", tool_calls=called, model=self.id)
        if schema is None:
            return Completion("", model=self.id)
        shape = schema
        if told_by_json(messages):
            calls = [call for reply in self._asked.script for call in reply]
            if said < len(calls):
                call = {"tool": calls[said].name, "arguments": dict(calls[said].arguments)}
                return Completion(json.dumps(call), model=self.id)
            shape = [schema, *schema.get("anyOf", ())][-1]  # the answer
        reply = placeholder(shape, schema.get("$defs", {}))
        return Completion(json.dumps(reply), model=self.id)


def placeholder(schema: Mapping[str, Any], shapes: Mapping[str, Any]) -> Any:
    """A value of the shape of ``schema``: one item a list, a sentence a text.

    Args:
        shapes: What ``$ref`` names.
    """
    if "$ref" in schema:
        return placeholder(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return placeholder(schema[key][0], shapes)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {
            name: _NAMED[name] if name in _NAMED else placeholder(field, shapes)
            for name, field in fields.items()
        }
    if kind == "array":
        count = max(1, schema.get("minItems", 1))
        return [placeholder(schema.get("items", {}), shapes)] * count
    if kind == "string":
        return _SENTENCE[: schema.get("maxLength", len(_SENTENCE))].strip()
    least = schema.get("minimum", 0)
    return {"integer": least, "number": least, "boolean": False}.get(str(kind))


class Sketch:
    """A memory to write prompts from; its first entries are the nearest to anything."""

    def __init__(self, strategies: Sequence[Strategy], version: int) -> None:
        self.strategies = tuple(strategies)
        self.version = version
        self.vectors: Vector = np.zeros((len(self.strategies), 1), np.float32)

    def embed(self, text: str) -> Vector:
        return np.zeros(1, np.float32)

    def nearest(self, query: Vector, k: int) -> list[tuple[Strategy, float]]:
        return [(strategy, 0.0) for strategy in self.strategies[:k]]


def known_memory(spec: RunSpec) -> Sketch:
    """The memory that the run starts from; read without an embedder, which might be a server."""
    if spec.memory is None:
        return Sketch((), 0)
    path, at = parse_memory(spec.memory)
    with StrategyPool.open(path, create=False) as pool:
        view = pool.view() if at is None else pool.at(at)
        return Sketch(view.strategies, view.version)


def grown(known: Sketch, spec: RunSpec, tasks: int, kinds: Sequence[Kind]) -> Sketch:
    """That memory in the middle of the run, with made-up entries of each of ``kinds``.

    Not more of a kind than the method's setting ``cap`` allows, where it has one.
    """
    count = round(ENTRIES_AN_EPISODE * tasks / 2) if spec.learning else 0
    cap = {**method_parameters(spec.method), **spec.settings}.get("cap")
    if isinstance(cap, int):
        count = min(count, cap)
    start = len(known.strategies)
    added = [
        Strategy(
            f"e{start + i:04d}",
            f"S{start + i + 1}",
            1,
            _SENTENCE * 2,
            _SENTENCE[:40],
            _SENTENCE[:60],
            kind,
            "",
            "",
            Origin(),
        )
        for i, kind in enumerate(kind for kind in kinds for _ in range(count))
    ]
    return Sketch([*known.strategies, *added], known.version)


def learnt_kinds(delta: Delta | None) -> tuple[Kind, ...]:
    """The kinds of the entries that a rehearsal added; one of any where it added none."""
    operations = delta.operations if delta is not None else ()
    found = dict.fromkeys(op.kind for op in operations if isinstance(op, Add))
    return tuple(found) or ("failure_cause",)


def trials(method: Method, spec: RunSpec) -> list[tuple[bool, float]]:
    """How many trials of a task succeed and fail on average: pairs of success and number.

    Of a method that tries once, one that fails: it is what takes most.
    """
    retries = int(getattr(method, "max_retries", 0)) if spec.learning else 0
    if retries == 0:
        return [(False, 1.0)]
    failures = sum(FAILING**number for number in range(1, retries + 2))
    return [(True, 1 - FAILING ** (retries + 1)), (False, failures)]


def begin(env: EmbodiedEnv, task: Task, spec: RunSpec, method: Method, memory: Sketch) -> None:
    """Have ``method`` recall and plan once for ``task``, as at the start of the run."""
    obs, library = _started(env, task, spec)
    view = task.view()
    lessons = method.recall(view, obs, memory)
    method.act(obs, library, lessons, History(view))


def go_through(
    env: EmbodiedEnv,
    task: Task,
    spec: RunSpec,
    method: Method,
    memory: Sketch,
    asked: Asked,
    *,
    success: bool = False,
) -> Delta | None:
    """Have ``method`` go through a whole trial whose plans, steps and end are made up.

    Args:
        asked: The roles of ``method``; where it says by ``usual_calls`` which tools its model calls
            in an ordinary conversation, they are called.
        success: How the trial ends.

    Returns:
        What reflection proposed; None where nothing is learnt.
    """
    obs, library = _started(env, task, spec)
    view = task.view()
    usual = getattr(method, "usual_calls", None)
    asked.script = usual(view, obs) if usual is not None else []
    lessons = method.recall(view, obs, memory)
    plans: list[Plan] = []
    steps: list[Step] = []
    for number in range(PLANS):
        before = len(asked.calls)
        made = method.act(obs, library, lessons, History(view, tuple(plans), tuple(steps)))
        if len(asked.calls) == before:  # it plans no more
            break
        actions = [library.actions[(len(steps) + i) % len(library)] for i in range(STEPS_A_PLAN)]
        plan = Plan(tuple(actions), language_plan=_SENTENCE.strip(), working=made.working)
        plans.append(plan)
        steps += [
            Step(len(steps) + i, action, True, _FEEDBACK, obs, number)
            for i, action in enumerate(actions)
        ]
    if not spec.learning:
        return None
    ended = "success" if success else "max_steps"
    trajectory = Trajectory(task.instruction, obs, tuple(plans), tuple(steps), success, ended)
    shown = task.demonstration if spec.setting == "supervised" else None
    last = success or not getattr(method, "max_retries", 0)
    experience = Experience(view, (trajectory,), lessons, shown, last=last)
    return method.reflect(experience, memory)


def _started(env: EmbodiedEnv, task: Task, spec: RunSpec) -> tuple[Observation, ActionLibrary]:
    obs, _ = env.reset(seed=learning.episode_seed(spec.seed, task), options={"task": task})
    return obs, env.library()
