"""Which planner serves which profile, and which models answer it."""

from __future__ import annotations

from collections.abc import Sequence

from journeyman.core.errors import ConfigError
from journeyman.methods.elite.compact_planner import CompactPlanner
from journeyman.methods.elite.planner import Planner
from journeyman.methods.elite.profile import Profile, find_profile
from journeyman.models.roles import ModelRoles


def answered_profile(name: str, models: ModelRoles, roles: Sequence[str]) -> Profile:
    """The profile called ``name``, answered by the model of each of ``roles``.

    A model that was made for the prompts of some profiles says so by ``prompt_profiles``, their
    names; all others are asked in the words of any.

    Raises:
        ConfigError: there is no such profile, or a model does not answer it.
    """
    profile = find_profile(name)
    for role in roles:
        model = models.model(role)
        answered = getattr(model, "prompt_profiles", None)
        if answered is not None and name not in answered:
            raise ConfigError(
                f"profile: {model.id} answers {', '.join(answered)} prompts only, not '{name}'.",
                hint=f"Give --set profile={answered[0]}, or another model: --model MODEL",
            )
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
