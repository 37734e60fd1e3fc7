"""Which planner serves which profile."""

from __future__ import annotations

from journeyman.methods.elite.compact_planner import CompactPlanner
from journeyman.methods.elite.planner import Planner
from journeyman.methods.elite.profile import Profile
from journeyman.models.roles import ModelRoles


def make_planner(
    profile: Profile,
    models: ModelRoles,
    *,
    observation: str,
    shots: int,
    reasks: int,
    max_plans: int,
) -> Planner:
    """The planner of ``profile``; the rest as `Planner` takes it."""
    planners = {planner.profile.name: planner for planner in (Planner, CompactPlanner)}
    return planners[profile.name](
        models, observation=observation, shots=shots, reasks=reasks, max_plans=max_plans
    )
