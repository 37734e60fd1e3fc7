"""A method's prompts without a model: at the start of a run, and through a made-up episode."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from journeyman import learning
from journeyman.api.parts import parse_memory
from journeyman.core.messages import Completion, Message, ModelCall, Tool
from journeyman.core.protocols import EmbodiedEnv, Method, Model, Vector
from journeyman.core.values import (
    ActionLibrary,
    Experience,
    History,
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
from journeyman.runs import RunSpec

PLANS = 4
STEPS_A_PLAN = 4
"""Of a made-up episode; EmbodiedBench allows 30 steps."""

ENTRIES_AN_EPISODE = 0.5
"""By which the pool is taken to grow."""

_SENTENCE = "In this sentence a model would say what it sees, what it thinks and what it wants. "
_FEEDBACK = "Last action executed successfully."


class Asked:
    """Roles that keep what they are asked and answer nothing, or placeholders of the shape."""

    def __init__(self, models: ModelRoles, *, placeholders: bool) -> None:
        self.calls: list[ModelCall] = []
        answering: dict[str, Model] = {
            role: _Unanswering(models.model(role), placeholders) for role in ROLES
        }
        self.roles = ModelRoles(answering["plan"], answering)
        self.roles.listen(self._hear)

    def _hear(self, call: ModelCall) -> None:
        if call.attempt == 0:
            self.calls.append(call)


class _Unanswering:
    """In the place of a model: it looks like it and knows nothing."""

    def __init__(self, model: Model, placeholders: bool) -> None:
        self.id = model.id
        self.sees_images = model.sees_images
        self.prompt_profiles = getattr(model, "prompt_profiles", None)
        self.takes_tools = bool(getattr(model, "takes_tools", True))
        self._placeholders = placeholders

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        text = ""
        if self._placeholders and schema is not None:
            text = json.dumps(placeholder(schema, schema.get("$defs", {})))
        return Completion(text, model=self.id)


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
        return {name: placeholder(field, shapes) for name, field in fields.items()}
    if kind == "array":
        count = max(1, schema.get("minItems", 1))
        return [placeholder(schema.get("items", {}), shapes)] * count
    if kind == "string":
        return _SENTENCE[: schema.get("maxLength", len(_SENTENCE))].strip()
    return {"integer": 0, "number": 0, "boolean": False}.get(str(kind))


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


def grown(known: Sketch, spec: RunSpec, episodes: int) -> Sketch:
    """That memory in the middle of the run, with made-up entries."""
    count = round(ENTRIES_AN_EPISODE * episodes / 2) if spec.learning else 0
    entry = Strategy(
        "", "", 1, _SENTENCE * 2, _SENTENCE[:40], _SENTENCE[:60], "failure_cause", "", "", Origin()
    )
    start = len(known.strategies)
    added = [
        replace(entry, id=f"e{start + i:04d}", alias=f"S{start + i + 1}") for i in range(count)
    ]
    return Sketch([*known.strategies, *added], known.version)


def begin(env: EmbodiedEnv, task: Task, spec: RunSpec, method: Method, memory: Sketch) -> None:
    """Have ``method`` recall and plan once for ``task``, as at the start of the run."""
    obs, library = _started(env, task, spec)
    view = task.view()
    lessons = method.recall(view, obs, memory)
    method.act(obs, library, lessons, History(view))


def go_through(env: EmbodiedEnv, task: Task, spec: RunSpec, method: Method, memory: Sketch) -> None:
    """Have ``method`` go through a whole episode whose plans, steps and end are made up."""
    obs, library = _started(env, task, spec)
    view = task.view()
    lessons = method.recall(view, obs, memory)
    plans: list[Plan] = []
    steps: list[Step] = []
    for number in range(PLANS):
        method.act(obs, library, lessons, History(view, tuple(plans), tuple(steps)))
        actions = [library.actions[(len(steps) + i) % len(library)] for i in range(STEPS_A_PLAN)]
        plans.append(Plan(tuple(actions), language_plan=_SENTENCE.strip()))
        steps += [
            Step(len(steps) + i, action, True, _FEEDBACK, obs, number)
            for i, action in enumerate(actions)
        ]
    if spec.learning:
        trajectory = Trajectory(
            task.instruction, obs, tuple(plans), tuple(steps), False, "max_steps"
        )
        shown = task.demonstration if spec.setting == "supervised" else None
        method.reflect(Experience(view, (trajectory,), lessons, shown), memory)


def _started(env: EmbodiedEnv, task: Task, spec: RunSpec) -> tuple[Observation, ActionLibrary]:
    obs, _ = env.reset(seed=learning.episode_seed(spec.seed, task), options={"task": task})
    return obs, env.library()
