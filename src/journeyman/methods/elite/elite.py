"""ELITE: Experiential Learning and Intent-Aware Transfer, Algorithm 1 as a method."""

from __future__ import annotations

from typing import Literal

from journeyman.core.errors import ConfigError
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
from journeyman.methods.elite.coarse_planner import CoarsePlanner
from journeyman.methods.elite.consolidator import (
    AppendConsolidator,
    Consolidator,
    LLMConsolidator,
)
from journeyman.methods.elite.distiller import Distiller
from journeyman.methods.elite.planners import answered_profile, make_planner
from journeyman.methods.elite.retriever import Retriever, as_lessons, make_retriever
from journeyman.models.roles import ModelRoles

ROLES = ("coarse_plan", "plan", "distil", "consolidate")
"""What the models are asked for."""


class Elite:
    """Recall by intent, plan with what was recalled, distil and consolidate what happened.

    Args:
        models: One model for all roles, or `ModelRoles` (the paper writes theta_D and theta_C
            apart).
        retriever: A `Retriever` or the name of a variant: ``intent`` (the paper's),
            ``content_tfidf``, ``instruction_tfidf``, ``all`` (w/o IAR), ``random``, ``none``.
        k: Strategies retrieved (section 4.1: 4).
        consolidator: ``llm`` (the paper's) or ``append`` (w/o CC).
        observation: ``auto``, ``text`` or ``both``: what models that see are given.
        shots: Worked examples in the planner's prompt at most.
        planner_reasks: 0 as in EmbodiedBench: a bad plan counts as an invalid action.
        reflection_reasks: Re-asks of a bad coarse plan, reflection or delta.
        pool_tokens: Bound on the pool's text before the consolidator.
        max_plans: Planner calls an episode at most; 0 as in the benchmark: no such limit.
        profile: ``faithful``, EmbodiedBench's prompts and reply fields, or ``compact``, for models
            of a few billion parameters.
        seed: Of the ``random`` retriever.

    The setting is not a switch here: where the learning loop gives a demonstration, reflection is
    comparative (section 3.5).
    """

    id = "elite"

    def __init__(
        self,
        models: Model | ModelRoles,
        *,
        retriever: Retriever | str = "intent",
        k: int = 4,
        consolidator: Literal["llm", "append"] = "llm",
        observation: str = "auto",
        shots: int = 10,
        planner_reasks: int = 0,
        reflection_reasks: int = 2,
        pool_tokens: int = 24_000,
        max_plans: int = 0,
        profile: str = "faithful",
        seed: int = 0,
    ) -> None:
        self.models = ModelRoles.of(models)
        self.profile = answered_profile(profile, self.models, ROLES)
        self.coarse_planner = CoarsePlanner(
            self.models, observation=observation, reasks=reflection_reasks, profile=self.profile
        )
        if isinstance(retriever, str):
            retriever = make_retriever(retriever, k=k, seed=seed)
        self.retriever = retriever
        self.planner = make_planner(
            self.profile,
            self.models,
            observation=observation,
            shots=shots,
            reasks=planner_reasks,
            max_plans=max_plans,
        )
        self.distiller = Distiller(
            self.models, observation=observation, reasks=reflection_reasks, profile=self.profile
        )
        self.consolidator = self._consolidator(consolidator, pool_tokens, reflection_reasks)

    def _consolidator(self, name: str, pool_tokens: int, reasks: int) -> Consolidator:
        if name == "llm":
            return LLMConsolidator(
                self.models, pool_tokens=pool_tokens, reasks=reasks, profile=self.profile
            )
        if name == "append":
            return AppendConsolidator()
        raise ConfigError(f"consolidator: '{name}' is none of llm, append.")

    @property
    def prompts(self) -> dict[str, str]:
        return self.profile.hashes

    def recall(self, task: TaskView, obs: Observation, memory: MemoryView) -> Lessons:
        """Algorithm 1 lines 4 to 6: coarse plan, query embedding, top-k."""
        plan = self.coarse_planner.plan(task, obs)
        found = self.retriever.retrieve(plan, task, memory)
        return Lessons(as_lessons(found), plan, memory.version)

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        """Line 7: one call of the planner conditioned on M_k."""
        return self.planner.plan(obs, library, lessons, history)

    def reflect(self, experience: Experience, memory: MemoryView) -> Delta:
        """Lines 8 and 9: distil, then consolidate."""
        reflection = self.distiller.distil(experience)
        return self.consolidator.consolidate(reflection, experience, memory)
