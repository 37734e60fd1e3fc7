"""What a run would ask first and what it would cost, before anything is asked.

The first prompts are the run's own: the method writes them for a model that answers nothing. The
estimate comes from the method too: the size of every prompt that it writes in a rehearsal is
measured. How many plans an episode takes and how long replies are cannot be known before; that is
assumed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from journeyman.api import rehearsal
from journeyman.api.parts import (
    check_demonstrations,
    check_worlds,
    choose_tasks,
    load_roles,
    make,
    make_method,
    method_parameters,
    method_settings,
)
from journeyman.api.rehearsal import ENTRIES_AN_EPISODE, FAILING, PLANS, STEPS_A_PLAN, Asked
from journeyman.core.messages import Message, ModelCall, Tool
from journeyman.core.protocols import EmbodiedEnv
from journeyman.core.values import Kind, Task
from journeyman.models.cache import plain_messages
from journeyman.models.ledger import Price, Prices
from journeyman.models.roles import ModelRoles
from journeyman.runs import RunSpec

CHARS_A_TOKEN = 4
PIXELS_A_TOKEN = 750
TOKENS_A_PICTURE = 64
"""At least: servers count small pictures by a least number of tokens."""

REPLY_TOKENS = {"coarse_plan": 100, "plan": 400, "distil": 300, "consolidate": 300}
OTHER_REPLY_TOKENS = 100
"""Of a match, a tool call, a judgement."""


@dataclass(frozen=True)
class RoleEstimate:
    """Calls and tokens of one role over the whole run; ``usd`` None without a price."""

    role: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None


@dataclass(frozen=True)
class Preview:
    """What `preview` found.

    Attributes:
        tasks: In the order of the run.
        prompts: Hashes of the method's templates.
        first: The first prompt of each role that the first episode asks before it acts.
        roles: The estimate; its sums are the properties.
        episodes: How many tasks it is for.
        trials: How often each of them is tried, on average.
        most: The same with every trial failing: calls, and tokens of prompts and replies. Only of a
            method that tries tasks again.
        remarks: What a reader of prompts and estimate must know.
    """

    spec: RunSpec
    tasks: tuple[Task, ...]
    prompts: Mapping[str, str]
    first: tuple[ModelCall, ...]
    roles: tuple[RoleEstimate, ...]
    episodes: int
    trials: float
    most: tuple[int, int] | None
    remarks: tuple[str, ...]

    @property
    def calls(self) -> int:
        return sum(role.calls for role in self.roles)

    @property
    def prompt_tokens(self) -> int:
        return sum(role.prompt_tokens for role in self.roles)

    @property
    def completion_tokens(self) -> int:
        return sum(role.completion_tokens for role in self.roles)

    @property
    def unpriced(self) -> tuple[str, ...]:
        return tuple(sorted({role.model for role in self.roles if role.usd is None}))

    @property
    def usd(self) -> float | None:
        """US dollars, None where a model has no price."""
        found = [role.usd for role in self.roles if role.usd is not None]
        return sum(found) if len(found) == len(self.roles) else None

    def document(self) -> dict[str, Any]:
        """All of it as JSON."""
        return {
            "spec": self.spec.model_dump(mode="json"),
            "tasks": [task.id for task in self.tasks],
            "prompts": dict(self.prompts),
            "first_prompts": [
                {
                    "role": call.role,
                    "model": call.completion.model,
                    "tokens": tokens(call.messages, call.tools),
                    "messages": [
                        {"role": message["role"], "content": message["content"]}
                        for message in plain_messages(call.messages)
                    ],
                }
                for call in self.first
            ],
            "estimate": {
                "episodes": self.episodes,
                "calls": self.calls,
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "usd": self.usd,
                "unpriced": list(self.unpriced),
                "by_role": [vars(role) for role in self.roles],
                "trials_a_task": self.trials,
                "most": dict(zip(("calls", "tokens"), self.most or (), strict=False)) or None,
                "assumed": {
                    "failing_trials": FAILING,
                    "plans_an_episode": PLANS,
                    "steps_a_plan": STEPS_A_PLAN,
                    "entries_an_episode": ENTRIES_AN_EPISODE,
                    "chars_a_token": CHARS_A_TOKEN,
                    "pixels_a_token": PIXELS_A_TOKEN,
                    "tokens_a_picture_at_least": TOKENS_A_PICTURE,
                    "reply_tokens": {**REPLY_TOKENS, "other": OTHER_REPLY_TOKENS},
                },
                "remarks": list(self.remarks),
            },
        }


def preview(spec: RunSpec) -> Preview:
    """The first prompts and an estimate of the run of ``spec``; no model is asked.

    Raises:
        UnknownName, ConfigError: as the run itself would.
    """
    envs = [make(name, data=spec.data) for name in spec.env]
    stream = choose_tasks(spec, envs)
    check_worlds(spec)
    models = load_roles(spec.model_copy(update={"cache": None}))  # which is not made either
    known = rehearsal.known_memory(spec)
    prices = Prices.read(Path(spec.prices)) if spec.prices else None
    silent = Asked(models, placeholders=False)
    method = make_method(spec.method, silent.roles, **method_settings(spec))
    check_demonstrations(spec, method)
    first: list[ModelCall] = []
    estimates: list[RoleEstimate] = []
    trials: list[tuple[bool, float]] = []
    most = None
    if stream:
        env, task = stream[0]
        rehearsal.begin(env, task, spec, method, known)
        first = list({call.role: call for call in reversed(silent.calls)}.values())[::-1]
        trials = rehearsal.trials(method, spec)
        asked = _rehearsed(env, task, spec, models, known, len(stream), trials)
        estimates = _estimates([asked[end] for end, _ in trials], trials, len(stream), spec, prices)
        if len(trials) > 1:
            again = float(getattr(method, "max_retries", 0) + 1)
            worst = _estimates([asked[False]], [(False, again)], len(stream), spec, prices)
            most = (
                sum(role.calls for role in worst),
                sum(role.prompt_tokens + role.completion_tokens for role in worst),
            )
    for env in envs:
        env.close()
    tried = sum(number for _, number in trials)
    return Preview(
        spec,
        tuple(task for _, task in stream),
        getattr(method, "prompts", {}),
        tuple(first),
        tuple(estimates),
        len(stream),
        tried,
        most,
        tuple(_remarks(spec, tried, most)),
    )


def _rehearsed(
    env: EmbodiedEnv,
    task: Task,
    spec: RunSpec,
    models: ModelRoles,
    known: rehearsal.Sketch,
    episodes: int,
    trials: Sequence[tuple[bool, float]],
) -> dict[bool, list[ModelCall]]:
    """What is asked in one made-up trial by how it ends, with a memory half grown."""
    settings = method_settings(spec)
    if "segmenter" in method_parameters(spec.method):
        settings["segmenter"] = "embedded"  # no weights are loaded for an estimate
    calls: dict[bool, list[ModelCall]] = {}
    kinds: Sequence[Kind] = ()
    for success in (trials[0][0], *(end for end, _ in trials)):  # the first for the memory's kinds
        asked = Asked(models, placeholders=True)
        method = make_method(spec.method, asked.roles, **settings)
        memory = rehearsal.grown(known, spec, episodes, kinds)
        delta = rehearsal.go_through(env, task, spec, method, memory, asked, success=success)
        kinds = kinds or rehearsal.learnt_kinds(delta)
        calls[success] = asked.calls
    return calls


def tokens(messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
    """An estimate by characters and pixels (`CHARS_A_TOKEN` and what follows it)."""
    count = sum(-(-len(json.dumps(asdict(tool))) // CHARS_A_TOKEN) for tool in tools)
    for message in messages:
        count += -(-len(message.text) // CHARS_A_TOKEN)
        for image in message.images:
            if image.array is not None:
                pixels = image.array.shape[0] * image.array.shape[1]
                count += max(TOKENS_A_PICTURE, -(-pixels // PIXELS_A_TOKEN))
    return count


def _estimates(
    asked: Sequence[Sequence[ModelCall]],
    trials: Sequence[tuple[bool, float]],
    tasks: int,
    spec: RunSpec,
    prices: Prices | None,
) -> list[RoleEstimate]:
    """The calls of each of ``trials`` by role, as often as that trial is made in all tasks."""
    found: list[RoleEstimate] = []
    for role in dict.fromkeys(call.role for calls in asked for call in calls):
        mine = [
            (tasks * number, call)
            for calls, (_, number) in zip(asked, trials, strict=True)
            for call in calls
            if call.role == role
        ]
        model = mine[0][1].completion.model
        reply = min(REPLY_TOKENS.get(role, OTHER_REPLY_TOKENS), spec.max_tokens)
        count = round(sum(number for number, _ in mine))
        sent = round(sum(number * tokens(call.messages, call.tools) for number, call in mine))
        replied = count * reply
        price = prices.of(model) if prices is not None else None
        if spec.from_recording is not None:
            price = Price(0.0, 0.0, 0.0)
        usd = None
        if price is not None:
            usd = (sent * price.prompt + replied * price.completion) / 1_000_000
        found.append(RoleEstimate(role, model, count, sent, replied, usd))
    return found


def _remarks(spec: RunSpec, tried: float, most: tuple[int, int] | None) -> list[str]:
    said = [
        f"Estimated from the prompts of made-up trials of at most {PLANS} plans of {STEPS_A_PLAN} "
        f"steps on the first task, times the number of tasks; {CHARS_A_TOKEN} characters or "
        f"{PIXELS_A_TOKEN} pixels are taken for a token, and a picture for {TOKENS_A_PICTURE} at "
        "least. Replies are assumed, not measured. Calls made again after a bad reply, and what a "
        "server's own cache spares, are not in it."
    ]
    if most is not None:
        said.append(
            f"One trial in {round(1 / FAILING)} is taken to fail and to be made again: "
            f"{tried:.1f} trials a task. If every trial failed: {most[0]:,} calls, "
            f"{most[1]:,} tokens."
        )
    if spec.memory is not None:
        said.append(
            "Lessons in these prompts are the first of the memory; which ones the run finds "
            "depends on the coarse plan."
        )
    if spec.cache is not None:
        said.append("What the cache answers is not taken off.")
    if spec.from_recording is not None:
        said.append("The replies come from a recording and cost nothing.")
    return said
