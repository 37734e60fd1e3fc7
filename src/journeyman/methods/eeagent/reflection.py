"""Reflection: principles from successes, principles and suggestions from failures (III-D3)."""

from __future__ import annotations

from dataclasses import dataclass

from journeyman.core.messages import Message
from journeyman.core.values import PROMPT, Experience, Trajectory
from journeyman.methods.eeagent.error_location import ErrorLocation
from journeyman.methods.eeagent.findings import Findings
from journeyman.methods.eeagent.matching import labelled
from journeyman.methods.eeagent.memory import NAMES, LongShortMemory, Module
from journeyman.methods.eeagent.replies import FailureReflectionReply, SuccessReflectionReply
from journeyman.methods.eeagent.strategies import PACKAGE
from journeyman.methods.eeagent.tools import picture_names
from journeyman.methods.prompting import ENDINGS, no_heading, one_line, template
from journeyman.models.roles import ModelRoles

DUTIES = {
    "interpreter": "This module finds the entities of the environment and matches the pictures and "
    "words of the instruction with them, for the planner.",
    "planner": "This module turns the instruction and what the interpreter found into a sequence "
    "of actions.",
}

LONGEST = 600
"""Characters of one principle or suggestion; the rest is cut off."""


@dataclass(frozen=True)
class Reflected:
    """What one module's reflection gave.

    Attributes:
        principles: p_t, for later tasks.
        suggestions: q_k, for the next trial of this one; none after a success.
        problem: Why the reply could not be used, or None.
    """

    principles: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    diagnosis: str = ""
    problem: str | None = None


class Reflector:
    """Asks the role ``distil``, for one module at a time, over all its dialogues of the trial."""

    def __init__(self, models: ModelRoles, *, reasks: int = 2) -> None:
        self.models = models
        self.reasks = reasks

    def success(self, module: Module, experience: Experience) -> Reflected:
        """Algorithm 1 line 10."""
        [trajectory] = experience.trajectories
        text = template(PACKAGE, "reflect_success").substitute(self._sections(module, experience))
        asked = self._message(text, trajectory)
        reply = self.models.ask("distil", [asked], SuccessReflectionReply, self.reasks)
        if not isinstance(reply.parsed, SuccessReflectionReply):
            return Reflected(problem=reply.problem or "the reply is no reflection")
        return Reflected(_sentences(reply.parsed.principles))

    def failure(self, module: Module, experience: Experience, location: ErrorLocation) -> Reflected:
        """Lines 16 and 17."""
        [trajectory] = experience.trajectories
        text = template(PACKAGE, "reflect_failure").substitute(
            self._sections(module, experience),
            evidence=no_heading(location.text(module)),
            ended=_ended(trajectory),
        )
        asked = self._message(text, trajectory)
        reply = self.models.ask("distil", [asked], FailureReflectionReply, self.reasks)
        if not isinstance(reply.parsed, FailureReflectionReply):
            return Reflected(problem=reply.problem or "the reply is no reflection")
        said = reply.parsed
        return Reflected(
            _sentences(said.principles), _sentences(said.suggestions), one_line(said.diagnosis)
        )

    def _sections(self, module: Module, experience: Experience) -> dict[str, str]:
        """The memories that were in the prompts, as they were, and the dialogues."""
        [trajectory] = experience.trajectories
        return {
            **LongShortMemory(experience.lessons.items).sections(module),
            "module": NAMES[module],
            "duty": DUTIES[module],
            "instruction": one_line(experience.task.instruction),
            "dialogues": no_heading(dialogues(module, trajectory)),
        }

    def _message(self, text: str, trajectory: Trajectory) -> Message:
        """With the pictures before and after, and those of the instruction, for a model that sees.

        "Visual reflection" (section III-A).
        """
        before = trajectory.first_observation
        if before.image is None or not self.models.model("distil").sees_images:
            return Message("user", (text,))
        pictured = picture_names(trajectory.instruction, before)
        names = ["Environment before:", *(f"Picture {{{name}}}:" for name in pictured)]
        pictures = [before.image, *(before[PROMPT + name] for name in pictured)]
        after = trajectory.steps[-1].observation.image if trajectory.steps else None
        if after is not None:
            names, pictures = [*names, "Environment after:"], [*pictures, after]
        return Message("user", (text, *labelled(names, pictures)))


def dialogues(module: Module, trajectory: Trajectory) -> str:
    """All dialogues of the module in the trial, one after the other."""
    parts = []
    for number, plan in enumerate(trajectory.plans):
        findings = Findings.read(plan.working)
        if module == "interpreter":
            parts += [findings.dialogue] if findings.dialogue else []
        elif plan.working or plan.actions or plan.error is not None:
            parts.append(_planner_dialogue(number, findings, trajectory))
    if module == "planner":
        parts.append(f"Ended: {_ended(trajectory)}")
    return "\n".join(parts) or "(none)"


def _ended(trajectory: Trajectory) -> str:
    """How the trial ended; that only one plan is made is no news for the agent."""
    if trajectory.ended == "plan_limit":
        return "the plan was carried out and the task was not done"
    return ENDINGS.get(trajectory.ended, trajectory.ended)


def _planner_dialogue(number: int, findings: Findings, trajectory: Trajectory) -> str:
    plan = trajectory.plans[number]
    said = f"(unusable reply: {plan.error})" if plan.error is not None else plan.language_plan
    lines = [findings.text, f"Plan: {one_line(said)}"]
    steps = [step for step in trajectory.steps if step.plan == number]
    for place, step in enumerate(steps, start=1):
        done = one_line(str(step.action))
        lines.append(f"Action {place}: {done}, env feedback: {one_line(step.feedback)}")
    return "\n".join(lines)


def _sentences(said: list[str]) -> tuple[str, ...]:
    """The texts that say something, each once and on one line."""
    return tuple(dict.fromkeys(text for item in said if (text := one_line(item)[:LONGEST])))
