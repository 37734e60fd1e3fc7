"""The planner: pi(a | L, h) conditioned on the retrieved strategies (ELITE Algorithm 1 line 7).

Reply fields, replanning and the treatment of bad replies are EmbodiedBench's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from journeyman.core.errors import ConfigError
from journeyman.core.values import Action, ActionLibrary, History, Lessons, Observation, Plan
from journeyman.methods.elite.profile import FAITHFUL, Profile
from journeyman.methods.elite.replies import (
    CallsPlanReply,
    PlannedAction,
    PlannedCall,
    PlanReply,
)
from journeyman.methods.prompting import (
    NO_MORE_PLANS,
    OBSERVATION_MODES,
    lessons_text,
    observation_message,
    observation_text,
    one_line,
    step_line,
)
from journeyman.models.roles import ModelRoles

if TYPE_CHECKING:
    from pydantic import BaseModel

FIRST = "Look at the observation, think the task through and plan."
LATER = (
    "The plan was carried out up to the last step of the history. Say what you see now, sum up "
    "what was done, reason why the last plan failed or is not enough, and give a new plan."
)


class Planner:
    """Asks for the next plan; stateless between calls.

    Args:
        models: The role ``plan`` is asked.
        observation: ``auto``, ``text`` or ``both``; see `prompting.observation_text`.
        shots: Worked examples of the environment shown at most (EmbodiedBench: 10).
        reasks: Times that a bad reply is asked for again with its error quoted; 0 in the
            benchmark, where it counts as an invalid action at once.
        max_plans: Calls an episode at most; the next one gets `NO_MORE_PLANS`, which ends the
            episode. 0 as in the benchmark, where only steps and invalid actions are limited.

    Raises:
        ConfigError: ``observation`` is none of the three, or ``max_plans`` is below 0.
    """

    profile: Profile = FAITHFUL

    def __init__(
        self,
        models: ModelRoles,
        *,
        observation: str = "auto",
        shots: int = 10,
        reasks: int = 0,
        max_plans: int = 0,
    ) -> None:
        if max_plans < 0:
            raise ConfigError(f"max_plans: {max_plans} is below 0; 0 means no limit.")
        if observation not in OBSERVATION_MODES:
            raise ConfigError(
                f"observation: '{observation}' is none of {', '.join(OBSERVATION_MODES)}."
            )
        self.models = models
        self.observation = observation
        self.shots = shots
        self.reasks = reasks
        self.max_plans = max_plans

    def plan(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        if self.max_plans and len(history.plans) >= self.max_plans:
            return NO_MORE_PLANS
        model = self.models.model("plan")
        text = self._prompt(obs, library, lessons, history)
        message = observation_message(text, [obs], model, self.observation)
        reply_type = self._reply_type(library, history)
        reply = self.models.ask("plan", [message], reply_type, reasks=self.reasks)
        if reply.parsed is None:
            return Plan(error=reply.problem or "the reply is no plan")
        return self._read(reply.parsed, library, history)

    def _reply_type(self, library: ActionLibrary, history: History) -> type[BaseModel]:
        return CallsPlanReply if library.parameters else PlanReply

    def _prompt(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> str:
        return self.profile.template("plan").substitute(
            role=library.role,
            rules=library.rules,
            examples=self._examples(library),
            last_id=len(library) - 1,
            actions=library.listing + arguments_text(library),
            knowledge=knowledge_section(lessons),
            instruction=one_line(history.task.instruction),
            observation=observation_text(obs, self.models.model("plan"), self.observation),
            history="\n".join(map(step_line, history.steps)) or "(nothing done yet)",
            closing=LATER if history.steps else FIRST,
        )

    def _read(self, reply: Any, library: ActionLibrary, history: History) -> Plan:
        return as_plan(reply, library)

    def _examples(self, library: ActionLibrary) -> str:
        shown = library.examples[: self.shots]
        if not shown:
            return ""
        return "\n## Examples\n" + "\n\n".join(shown) + "\n"


def knowledge_section(lessons: Lessons, profile: Profile = FAITHFUL) -> str:
    """The structured knowledge section (section 3.4); empty where nothing was retrieved."""
    if not lessons.items:
        return ""
    return profile.template("knowledge").substitute(lessons=lessons_text(lessons.items))


def arguments_text(library: ActionLibrary) -> str:
    """What is said below the actions where some take arguments; else nothing."""
    if not library.parameters:
        return ""
    schemas = [
        f"arguments of {one_line(name)}: {json.dumps(schema)}"
        for name, schema in library.parameters.items()
    ]
    form = '{"action_id": integer, "action_name": string, "arguments": {name: value}}'
    return "\n".join(["", *schemas, f"Items of executable_plan are then {form}."])


def as_plan(reply: PlanReply, library: ActionLibrary) -> Plan:
    """EmbodiedBench's reading of a plan.

    Only ids are executed. An id outside the library truncates the plan there; outside at the very
    first, the whole reply is one invalid action. An empty list ends the episode.
    """
    actions, note = _within(reply.executable_plan, library)
    error = note if reply.executable_plan and not actions else None
    return Plan(
        actions=actions,
        visual_state_description=reply.visual_state_description,
        reasoning_and_reflection=reply.reasoning_and_reflection,
        language_plan=reply.language_plan,
        error=error,
        note=note,
    )


def _within(
    planned: Sequence[PlannedAction], library: ActionLibrary
) -> tuple[tuple[Action, ...], str]:
    actions: list[Action] = []
    for item in planned:
        if not 0 <= item.action_id < len(library):
            named = f" ({item.action_name})" if item.action_name else ""
            return tuple(actions), (
                f"action id {item.action_id}{named} is not in the list 0 to {len(library) - 1}"
            )
        action = library.actions[item.action_id]
        if isinstance(item, PlannedCall) and action.name in library.parameters:
            action = replace(action, arguments=item.arguments)
        actions.append(action)
    return tuple(actions), ""
