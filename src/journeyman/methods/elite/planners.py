"""Which planner serves which profile, and which models answer it."""

from __future__ import annotations

from collections.abc import Sequence

from journeyman.methods.elite.compact_planner import CompactPlanner
from journeyman.methods.elite.planner import Planner
from journeyman.methods.elite.profile import PROFILES, Profile, find_profile
from journeyman.methods.prompting import check_answered
from journeyman.models.roles import ModelRoles


def answered_profile(name: str, models: ModelRoles, roles: Sequence[str]) -> Profile:
    """The profile called ``name``, answered by the model of each of ``roles``.

    Raises:
        ConfigError: there is no such profile, or a model does not answer it.
    """
    profile = find_profile(name)
    for role in roles:
        answered = getattr(models.model(role), "prompt_profiles", None) or ()
        other = next((f"--set profile={known}" for known in answered if known in PROFILES), "")
        instead = other or f"--method {next(iter(answered), 'METHOD')}"
        check_answered(name, models, [role], instead=instead)
    return profile


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
