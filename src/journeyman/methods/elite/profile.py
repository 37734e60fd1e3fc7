"""Prompt profiles: the same method in the words of a large or of a small model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING, Any

from journeyman.core.errors import ConfigError
from journeyman.core.values import Reflection, Trajectory
from journeyman.methods import prompting
from journeyman.methods.elite.replies import (
    CoarsePlanReply,
    CompactCoarsePlanReply,
    CompactFailureReply,
    DeltaReply,
    FailureReply,
    OperationReply,
    SuccessReply,
    compact_comparative_reply,
    compact_success_reply,
    decided,
    decisions_reply,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

PACKAGE = "journeyman.methods.elite"


@dataclass(frozen=True)
class Profile:
    """Which templates are used and which reply shapes are asked for.

    The shapes of every profile are read alike: those of ``compact`` are the faithful ones with
    bounds in the schema.

    Attributes:
        name: As ``profile`` names it; results say it.
        folder: Where below ``prompts`` the templates lie, ``""`` or ending in ``/``.
        success: The reply asked of the distiller about a success, made from the names of the
            actions that were done.
        comparative: The same of comparative reflection, made from the demonstration and whether the
            episode succeeded.
        delta: The reply asked of the consolidator, made from the number of insights and the
            aliases of the pool.
        operations: Reads that reply.
        trajectory: The text of a trajectory before the distiller.
        reflection: The text of a reflection before the consolidator.
    """

    name: str
    folder: str
    coarse_plan: type[CoarsePlanReply]
    success: Callable[[tuple[str, ...]], type[SuccessReply]]
    failure: type[FailureReply]
    comparative: Callable[[tuple[str, ...], bool], type[FailureReply]]
    delta: Callable[[int, tuple[str, ...]], type[BaseModel]]
    operations: Callable[[Any, Reflection], list[OperationReply]]
    trajectory: Callable[[Trajectory], str]
    reflection: Callable[[Reflection], str]

    def template(self, name: str) -> Template:
        return prompting.template(PACKAGE, self.folder + name)

    @property
    def hashes(self) -> dict[str, str]:
        """The hash of each template of this profile and of no other."""
        return prompting.prompt_hashes(PACKAGE, self.folder)


FAITHFUL = Profile(
    "faithful",
    "",
    CoarsePlanReply,
    lambda actions: SuccessReply,
    FailureReply,
    lambda demonstration, success: FailureReply,
    lambda insights, aliases: DeltaReply,
    lambda reply, reflection: reply.operations,
    prompting.trajectory_text,
    prompting.reflection_text,
)
"""EmbodiedBench's reply fields and long prompts, as the paper has them."""

COMPACT = Profile(
    "compact",
    "compact/",
    CompactCoarsePlanReply,
    compact_success_reply,
    CompactFailureReply,
    compact_comparative_reply,
    decisions_reply,
    decided,
    prompting.short_trajectory_text,
    prompting.short_reflection_text,
)
"""For models of a few billion parameters: a departure from the paper, named in every result."""

PROFILES = {profile.name: profile for profile in (FAITHFUL, COMPACT)}


def find_profile(name: str) -> Profile:
    """The profile called ``name``.

    Raises:
        ConfigError: naming the key ``profile`` and the choices.
    """
    if name not in PROFILES:
        raise ConfigError(f"profile: '{name}' is none of {', '.join(PROFILES)}.")
    return PROFILES[name]
