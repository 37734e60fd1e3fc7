"""The planner: pi(a | L, h) conditioned on the retrieved strategies (ELITE Algorithm 1 line 7).

Reply fields, replanning and the treatment of bad replies are EmbodiedBench's.
"""

from __future__ import annotations

from collections.abc import Sequence

from journeyman.core.errors import ConfigError
from journeyman.core.values import Action, ActionLibrary, History, Lessons, Observation, Plan
from journeyman.methods.elite.replies import PlannedAction, PlanReply
from journeyman.methods.prompting import (
    OBSERVATION_MODES,
    lessons_text,
    observation_message,
    observation_text,
    one_line,
    step_line,
    template,
)
from journeyman.models.roles import ModelRoles

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

    Raises:
        ConfigError: ``observation`` is none of the three.
    """

    def __init__(
        self,
        models: ModelRoles,
        *,
        observation: str = "auto",
        shots: int = 10,
        reasks: int = 0,
    ) -> None:
        if observation not in OBSERVATION_MODES:
            raise ConfigError(
                f"observation: '{observation}' is none of {', '.join(OBSERVATION_MODES)}."
            )
        self.models = models
        self.observation = observation
        self.shots = shots
        self.reasks = reasks

    def plan(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        model = self.models.model("plan")
        text = template("journeyman.methods.elite", "plan").substitute(
            role=library.role,
            rules=library.rules,
            examples=self._examples(library),
            last_id=len(library) - 1,
            actions=library.listing,
            knowledge=knowledge_section(lessons),
            instruction=one_line(history.task.instruction),
            observation=observation_text(obs, model, self.observation),
            history="\n".join(map(step_line, history.steps)) or "(nothing done yet)",
            closing=LATER if history.steps else FIRST,
        )
        message = observation_message(text, [obs], model, self.observation)
        reply = self.models.ask("plan", [message], PlanReply, reasks=self.reasks)
        if not isinstance(reply.parsed, PlanReply):
            return Plan(error=reply.problem or "the reply is no plan")
        return as_plan(reply.parsed, library)

    def _examples(self, library: ActionLibrary) -> str:
        shown = library.examples[: self.shots]
        if not shown:
            return ""
        return "\n## Examples\n" + "\n\n".join(shown) + "\n"


def knowledge_section(lessons: Lessons) -> str:
    """The structured knowledge section (section 3.4); empty where nothing was retrieved."""
    if not lessons.items:
        return ""
    return template("journeyman.methods.elite", "knowledge").substitute(
        lessons=lessons_text(lessons.items)
    )


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
        actions.append(library.actions[item.action_id])
    return tuple(actions), ""
