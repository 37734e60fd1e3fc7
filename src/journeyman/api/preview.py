"""What a run would ask first and what it would cost, before anything is asked.

The first prompts are the run's own: the method writes them for a model that answers nothing. The
estimate comes from the method too: the size of every prompt that it writes in a rehearsal is
measured. How many plans an episode takes and how long replies are cannot be known before; that is
assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from journeyman.api import rehearsal
from journeyman.api.parts import (
    check_worlds,
    choose_tasks,
    load_roles,
    make,
    make_method,
    method_settings,
)
from journeyman.api.rehearsal import ENTRIES_AN_EPISODE, PLANS, STEPS_A_PLAN, Asked
from journeyman.core.messages import Message, ModelCall
from journeyman.core.values import Task
from journeyman.models.cache import plain_messages
from journeyman.models.ledger import Price, Prices
from journeyman.runs import RunSpec

CHARS_A_TOKEN = 4
PIXELS_A_TOKEN = 750
REPLY_TOKENS = {"coarse_plan": 100, "plan": 400, "distil": 300, "consolidate": 300}
OTHER_REPLY_TOKENS = 300


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
        episodes: How many it is for.
        remarks: What a reader of prompts and estimate must know.
    """

    spec: RunSpec
    tasks: tuple[Task, ...]
    prompts: Mapping[str, str]
    first: tuple[ModelCall, ...]
    roles: tuple[RoleEstimate, ...]
    episodes: int
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
                    "tokens": tokens(call.messages),
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
                "assumed": {
                    "plans_an_episode": PLANS,
                    "steps_a_plan": STEPS_A_PLAN,
                    "entries_an_episode": ENTRIES_AN_EPISODE,
                    "chars_a_token": CHARS_A_TOKEN,
                    "pixels_a_token": PIXELS_A_TOKEN,
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
    first: list[ModelCall] = []
    estimates: list[RoleEstimate] = []
    if stream:
        env, task = stream[0]
        rehearsal.begin(env, task, spec, method, known)
        first = list({call.role: call for call in reversed(silent.calls)}.values())[::-1]
        filled = Asked(models, placeholders=True)
        made = make_method(spec.method, filled.roles, **method_settings(spec))
        rehearsal.go_through(env, task, spec, made, rehearsal.grown(known, spec, len(stream)))
        estimates = _estimates(filled.calls, len(stream), spec, prices)
    for env in envs:
        env.close()
    return Preview(
        spec,
        tuple(task for _, task in stream),
        getattr(method, "prompts", {}),
        tuple(first),
        tuple(estimates),
        len(stream),
        tuple(_remarks(spec)),
    )


def tokens(messages: Sequence[Message]) -> int:
    """An estimate: characters and pixels by `CHARS_A_TOKEN` and `PIXELS_A_TOKEN`."""
    count = 0
    for message in messages:
        count += -(-len(message.text) // CHARS_A_TOKEN)
        for image in message.images:
            if image.array is not None:
                count += -(-image.array.shape[0] * image.array.shape[1] // PIXELS_A_TOKEN)
    return count


def _estimates(
    calls: Sequence[ModelCall], episodes: int, spec: RunSpec, prices: Prices | None
) -> list[RoleEstimate]:
    found: list[RoleEstimate] = []
    for role in dict.fromkeys(call.role for call in calls):
        mine = [call for call in calls if call.role == role]
        model = mine[0].completion.model
        reply = min(REPLY_TOKENS.get(role, OTHER_REPLY_TOKENS), spec.max_tokens)
        asked = episodes * sum(tokens(call.messages) for call in mine)
        replied = episodes * len(mine) * reply
        price = prices.of(model) if prices is not None else None
        if spec.from_recording is not None:
            price = Price(0.0, 0.0, 0.0)
        usd = None
        if price is not None:
            usd = (asked * price.prompt + replied * price.completion) / 1_000_000
        found.append(RoleEstimate(role, model, episodes * len(mine), asked, replied, usd))
    return found


def _remarks(spec: RunSpec) -> list[str]:
    said = [
        f"Estimated from the prompts of one made-up episode of {PLANS} plans of {STEPS_A_PLAN} "
        f"steps on the first task, times the number of episodes; {CHARS_A_TOKEN} characters or "
        f"{PIXELS_A_TOKEN} pixels are taken for a token. Replies are assumed, not measured. Calls "
        "made again after a bad reply, and what a server's own cache spares, are not in it."
    ]
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
