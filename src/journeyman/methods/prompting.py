"""Prompt templates, and the texts that every method's prompts share.

Templates are files in a method's ``prompts/`` folder with ``$name`` places
(`string.Template`), each ordered from the most stable text to the least, so that servers can reuse
the prefix. Headings are ``## Heading`` lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from string import Template

from journeyman.core.errors import ConfigError
from journeyman.core.messages import Image, Message
from journeyman.core.protocols import Model
from journeyman.core.values import (
    Lesson,
    Observation,
    Plan,
    Reflection,
    Step,
    Strategy,
    Trajectory,
)
from journeyman.models.roles import ModelRoles


def check_answered(prompts: str, models: ModelRoles, roles: Sequence[str], *, instead: str) -> None:
    """Refuse a model of ``roles`` that was made for other prompts than those called ``prompts``.

    Such a model says which ones by ``prompt_profiles``; all others are asked anything.

    Args:
        instead: What to give in the place of these prompts, for the error.

    Raises:
        ConfigError: with the role, the model and what it answers.
    """
    for role in roles:
        model = models.model(role)
        answered = getattr(model, "prompt_profiles", None)
        if answered is not None and prompts not in answered:
            raise ConfigError(
                f"{model.id} (for the role {role}) answers {', '.join(answered)} prompts only, "
                f"not '{prompts}'.",
                hint=f"Give {instead}, or another model: --model openai/NAME --base-url URL",
            )


@cache
def template(package: str, name: str) -> Template:
    """The template ``name`` (without ``.txt``) in the ``prompts`` folder of ``package``.

    ``name`` may lie in a folder of its own, as ``compact/plan`` does.
    """
    return Template(files(package).joinpath("prompts", f"{name}.txt").read_text("utf-8"))


def prompt_hashes(package: str, folder: str = "") -> dict[str, str]:
    """Short SHA-256 of each template file of ``package``, for the run header.

    Args:
        folder: Where below ``prompts`` they lie, ending in ``/``; their names then begin with it.
    """
    place = files(package).joinpath("prompts", folder)
    return {
        folder + item.name: hashlib.sha256(item.read_bytes()).hexdigest()[:12]
        for item in sorted(place.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".txt")
    }


def one_line(text: str) -> str:
    """``text`` on one line: behind something else there, it cannot open a section of its own."""
    return " ".join(text.split())


def no_heading(text: str) -> str:
    """``text`` with its lines kept, none of which can open a section of its own."""
    return "\n".join(f" {line}" if line.startswith("#") else line for line in text.splitlines())


def lesson_text(lesson: Lesson | Strategy, *, kind: str = "") -> str:
    """One strategy as prompts show it: alias and title, kind, when it applies, text."""
    lines = [f"[{lesson.alias}] {one_line(lesson.title)}".rstrip()]
    if kind:
        lines.append(f"Kind: {kind}")
    if lesson.applies_when:
        lines.append(f"When: {one_line(lesson.applies_when)}")
    return "\n".join([*lines, no_heading(one_line(lesson.text))])


def lessons_text(lessons: Iterable[Lesson]) -> str:
    return "\n\n".join(lesson_text(lesson) for lesson in lessons)


def pool_text(strategies: Iterable[Strategy]) -> str:
    return "\n\n".join(lesson_text(s, kind=s.kind) for s in strategies)


def step_line(step: Step) -> str:
    """One step of the action history, EmbodiedBench's form."""
    return (
        f"Step {step.index}, action id {step.action.id}, {one_line(str(step.action))}, "
        f"env feedback: {one_line(step.feedback)}"
    )


def trajectory_text(trajectory: Trajectory) -> str:
    """The trajectory as text: each plan in words, the steps made from it with feedback, the end.

    The lessons that were in the prompt are no part of it: what was recalled is not learnt again.
    """
    lines: list[str] = []
    for number, plan in enumerate(trajectory.plans):
        lines.append(f"Plan {number}: {_plan_line(plan)}")
        lines += [step_line(step) for step in trajectory.steps if step.plan == number]
    lines.append(f"Ended: {ENDINGS.get(trajectory.ended, trajectory.ended)}")
    return "\n".join(lines)


def short_step_line(step: Step) -> str:
    """One step for a small model; what was answered only where it failed."""
    name = one_line(str(step.action))
    return f"ok: {name}" if step.success else f"FAILED: {name} ({one_line(step.feedback)})"


def short_trajectory_text(trajectory: Trajectory) -> str:
    """`trajectory_text` for a small model: its steps and its end, without plans and numbers."""
    ended = ENDINGS.get(trajectory.ended, trajectory.ended)
    if trajectory.ended == "empty_plan" and trajectory.plans[-1].language_plan:
        ended = _plan_line(trajectory.plans[-1])
    return "\n".join([*map(short_step_line, trajectory.steps), f"Ended: {ended}"])


NO_MORE_PLANS = Plan(language_plan="(given up: no more plans are asked for)")
"""What a planner gives where it may not ask for another plan; it ends the episode."""

ENDINGS = {
    "success": "the task was done",
    "max_steps": "the allowed number of steps was used up",
    "max_invalid_actions": "too many invalid actions",
    "empty_plan": "the robot believed it was done and planned nothing more",
    "plan_limit": "the allowed number of plans was used up",
    "truncated": "it was stopped before the task was done",
}


def _plan_line(plan: Plan) -> str:
    if plan.error is not None:
        return f"(unusable reply: {one_line(plan.error)})"
    return one_line(plan.language_plan) or "(no words)"


def reflection_text(reflection: Reflection) -> str:
    """The reflection before the consolidator, one line an insight."""
    lines = []
    for insight in reflection.insights:
        parts = [f"[{insight.kind}] {one_line(insight.title)}".rstrip()]
        if insight.applies_when:
            parts.append(f"When: {one_line(insight.applies_when)}")
        lines.append("- " + " | ".join([*parts, one_line(insight.text)]))
    return "\n".join(lines)


def short_reflection_text(reflection: Reflection) -> str:
    """`reflection_text` for a small model: title and text of each insight on lines of their own."""
    return "\n\n".join(
        f"Title: {one_line(insight.title)}\nText: {one_line(insight.text)}"
        for insight in reflection.insights
    )


def observation_message(
    text: str, observations: Sequence[Observation], model: Model, mode: str = "auto"
) -> Message:
    """A user message: pictures first, then text, as EmbodiedBench sends them.

    Pictures are sent where the model sees and the environment draws; ``mode`` ``text`` sends none.
    Those that the instruction speaks of follow, each after its name.
    """
    pictures: list[str | Image] = []
    if mode != "text" and model.sees_images:
        pictures += [Image(o.image) for o in observations if "image" in o and o.image is not None]
        for name, picture in observations[0].prompt_pictures.items() if observations else ():
            pictures += [f"Picture {{{name}}}:", Image(picture)]
    return Message("user", (*pictures, text))


def observation_text(obs: Observation, model: Model, mode: str = "auto") -> str:
    """What the Observation section says: the text, or that the picture shows it.

    ``auto`` gives the picture alone to a model that sees, the text to one that does not;
    ``both`` gives both, ``text`` never a picture.
    """
    if mode == "auto" and model.sees_images and "image" in obs:
        return "See the picture."
    return no_heading(obs.text)


OBSERVATION_MODES = ("auto", "text", "both")
