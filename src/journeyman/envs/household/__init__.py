"""The household: EB-ALFRED's rules as a fast symbolic world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from journeyman.envs.household.env import HouseholdEnv

__all__ = ["HouseholdEnv"]


def __getattr__(name: str) -> Any:
    """Import the environment, and gymnasium with it, when it is first asked for."""
    if name == "HouseholdEnv":
        from journeyman.envs.household.env import HouseholdEnv

        return HouseholdEnv
    raise AttributeError(name)
