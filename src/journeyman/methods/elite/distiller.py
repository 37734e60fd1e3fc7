"""The Reflective Experience Distiller D (ELITE section 3.3, Eqs. 1 and 2; section 3.5)."""

from __future__ import annotations

from journeyman.core.values import Experience, Insight, Kind, Reflection, Trajectory
from journeyman.methods.elite.profile import FAITHFUL, Profile
from journeyman.methods.elite.replies import FailureReply, Note, SuccessReply
from journeyman.methods.prompting import (
    ENDINGS,
    observation_message,
    one_line,
)
from journeyman.models.roles import ModelRoles


class Distiller:
    """r = D(L, tau, outcome): outcome-specific prompts, and the comparative one.

    With a demonstration (supervised setting) comparative reflection takes the place of both
    outcome-specific prompts; it still knows the outcome. The paper does not say what the distiller
    sees of the pictures: the first and the last one, where the model sees.
    """

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

    def distil(self, experience: Experience) -> Reflection:
        """The insights of the experience's one trajectory; none, with ``error``, on a bad reply."""
        [trajectory] = experience.trajectories
        if experience.demonstration is not None:
            mode = "comparative"
        else:
            mode = "success" if trajectory.success else "failure"
        text = self.profile.template(f"distil_{mode}").substitute(
            instruction=one_line(experience.task.instruction),
            trajectory=self.profile.trajectory(trajectory),
            ended=ENDINGS.get(trajectory.ended, trajectory.ended),
            outcome="success" if trajectory.success else "failure",
            demonstration="\n".join(experience.demonstration or ()),
            steps="\n".join(
                f"{number}. {one_line(name)}"
                for number, name in enumerate(experience.demonstration or (), start=1)
            ),
        )
        last = trajectory.steps[-1].observation if trajectory.steps else None
        seen = [trajectory.first_observation, *([last] if last is not None else [])]
        model = self.models.model("distil")
        message = observation_message(text, seen, model, self.observation)
        reply_type = self._reply_type(experience, trajectory)
        reply = self.models.ask("distil", [message], reply_type, reasks=self.reasks)
        if isinstance(reply.parsed, SuccessReply):
            insights = [
                *_insights("success_pattern", reply.parsed.success_patterns),
                *_insights("repeatable_steps", reply.parsed.repeatable_steps),
            ]
        elif isinstance(reply.parsed, FailureReply):
            insights = [
                *_insights("failure_cause", reply.parsed.failure_causes),
                *_insights("avoidance_guideline", reply.parsed.avoidance_guidelines),
            ]
        else:
            return Reflection(mode, error=reply.problem or "the reply is no reflection")
        return Reflection(mode, tuple(insights))

    def _reply_type(
        self, experience: Experience, trajectory: Trajectory
    ) -> type[SuccessReply] | type[FailureReply]:
        if experience.demonstration is not None:
            return self.profile.comparative(tuple(experience.demonstration), trajectory.success)
        if trajectory.success:
            done = (step.action.name for step in trajectory.steps)
            return self.profile.success(tuple(dict.fromkeys(done)))
        return self.profile.failure


def _insights(kind: Kind, notes: list[Note]) -> list[Insight]:
    return [Insight(kind, note.text, note.title, note.applies_when) for note in notes]
