"""The base model: the planner alone, as EmbodiedBench evaluates it."""

from __future__ import annotations

from journeyman.core.protocols import MemoryView, Model
from journeyman.core.values import (
    ActionLibrary,
    Delta,
    Experience,
    History,
    Lessons,
    Observation,
    Plan,
    TaskView,
)
from journeyman.methods.elite.planners import answered_profile, make_planner
from journeyman.models.roles import ModelRoles


class BaseModel:
    """No recall, no reflection; the same planner and prompt as ELITE's (Table 1, base VLMs)."""

    id = "base"

    def __init__(
        self,
        models: Model | ModelRoles,
        *,
        observation: str = "auto",
        shots: int = 10,
        planner_reasks: int = 0,
        max_plans: int = 0,
        profile: str = "faithful",
        seed: int = 0,
    ) -> None:
        self.models = ModelRoles.of(models)
        self.profile = answered_profile(profile, self.models, ["plan"])
        self.planner = make_planner(
            self.profile,
            self.models,
            observation=observation,
            shots=shots,
            reasks=planner_reasks,
            max_plans=max_plans,
        )

    @property
    def prompts(self) -> dict[str, str]:
        return self.profile.hashes

    def recall(self, task: TaskView, obs: Observation, memory: MemoryView) -> Lessons:
        return Lessons(memory_version=memory.version)

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        return self.planner.plan(obs, library, lessons, history)

    def reflect(self, experience: Experience, memory: MemoryView) -> Delta:
        return Delta(memory.version)
