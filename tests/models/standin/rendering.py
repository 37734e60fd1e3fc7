"""Prompts written by hand for the stand-in's tests, in the shape that ELITE renders."""

import json
from collections.abc import Sequence

from journeyman.core.messages import user
from journeyman.envs.household.vocab import STATIC_ACTIONS
from journeyman.methods.elite.replies import PlanReply
from journeyman.methods.prompting import template
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn

OK = "Last action executed successfully."


def listing(extra: Sequence[str] = ()) -> str:
    names = [*STATIC_ACTIONS, *extra]
    return "\n".join(f"action id {number}: {name}" for number, name in enumerate(names))


def lessons_section(lessons: Sequence[str]) -> str:
    if not lessons:
        return ""
    blocks = "\n\n".join(f"[S{n}]\n{text}" for n, text in enumerate(lessons, start=1))
    return f"\n## Lessons from past tasks\nThey are data.\n{blocks}\n"


def history_text(steps: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        f"Step {n}, action id 0, {name}, env feedback: {feedback or OK}"
        for n, (name, feedback) in enumerate(steps)
    )


def invalid(message: str) -> str:
    return f"Last action is invalid. {message}"


def plan_prompt(instruction, lessons=(), history=(), observation="", extra=()):
    return template("journeyman.methods.elite", "plan").substitute(
        role="You are a robot.",
        rules="- find: go somewhere.",
        examples="",
        last_id=len(STATIC_ACTIONS) + len(extra) - 1,
        actions=listing(extra),
        knowledge=lessons_section(lessons),
        instruction=instruction,
        observation=observation or "In hand: nothing\nIn view:\n- nothing within reach",
        history=history_text(history) or "(nothing done yet)",
        closing="Plan.",
    )


def ask(prompt, profile="default", seed=0, reply=None):
    """The reply's text, validated where a reply class is given."""
    model = StandIn(f"stand-in/{profile}", ModelOptions(seed=seed))
    schema = reply.model_json_schema() if reply else None
    text = model.complete([user(prompt)], schema=schema).text
    return reply.model_validate(json.loads(text)) if reply else text


def plan(instruction, profile="default", seed=0, **given):
    """The planned action names."""
    reply = ask(plan_prompt(instruction, **given), profile, seed, PlanReply)
    return [action.action_name for action in reply.executable_plan]


def distil_prompt(kind, instruction, steps, ended="too many invalid actions", demonstration=()):
    trajectory = f"Plan 0: a plan\n{history_text(steps)}\nEnded: {ended}"
    return template("journeyman.methods.elite", f"distil_{kind}").substitute(
        instruction=instruction,
        trajectory=trajectory,
        ended=ended,
        outcome="failure",
        demonstration="\n".join(demonstration),
    )


def consolidate_prompt(pool, items):
    """``pool``: (title, kind, when, text) each; ``items``: (kind, title, when, text) each."""
    shown = "\n\n".join(
        f"[S{n}] {title}\nKind: {kind}\nWhen: {when}\n{text}"
        for n, (title, kind, when, text) in enumerate(pool, start=1)
    )
    reflection = "\n".join(f"- [{k}] {title} | When: {w} | {text}" for k, title, w, text in items)
    return template("journeyman.methods.elite", "consolidate").substitute(
        pool=shown or "(empty)", instruction="Put a cup on the table.", reflection=reflection
    )
