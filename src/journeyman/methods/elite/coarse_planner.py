"""The coarse planner: p = CoarsePlanner(L, o_0) (ELITE section 3.4, Algorithm 1 line 4)."""

from __future__ import annotations

from journeyman.core.values import Observation, TaskView
from journeyman.methods.elite.profile import FAITHFUL, Profile
from journeyman.methods.elite.replies import CoarsePlanReply
from journeyman.methods.prompting import observation_message, observation_text, one_line
from journeyman.models.roles import ModelRoles


class CoarsePlanner:
    """Writes the planning trace that a task is remembered and found by."""

    def __init__(
        self,
        models: ModelRoles,
        *,
        observation: str = "auto",
        reasks: int = 2,
        profile: Profile = FAITHFUL,
    ) -> None:
        self.models = models
        self.observation = observation
        self.reasks = reasks
        self.profile = profile

    def plan(self, task: TaskView, obs: Observation) -> str:
        """The plan p as 3 to 6 lines ``- bullet`` (section 4.1); other counts as they come.

        Where the reply holds no plan its raw text serves, and where that is empty too the
        instruction: the paper is silent, and retrieval then falls back to the task's words.
        """
        model = self.models.model("coarse_plan")
        text = self.profile.template("coarse_plan").substitute(
            instruction=one_line(task.instruction),
            observation=observation_text(obs, model, self.observation),
        )
        message = observation_message(text, [obs], model, self.observation)
        reply = self.models.ask("coarse_plan", [message], self.profile.coarse_plan, self.reasks)
        if isinstance(reply.parsed, CoarsePlanReply):
            return "\n".join(f"- {one_line(bullet)}" for bullet in reply.parsed.coarse_plan)
        return reply.text.strip()[:2000] or task.instruction
