"""The shapes of EEAgent's model replies, validated; one class a prompt."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class Thoughtful(_Reply):
    """A reply that chain-of-thought prompting asks to begin with ``thoughts``."""

    thoughts: str = ""


# The environment interpreter: its answer, and the arguments of its four tools.


class Interpretation(_Reply):
    """The interpreter's final answer: what the planner should know, in words."""

    interpretation: str


class NoArguments(_Reply):
    """``extract_env_entities()``."""


class ImageMatchArguments(_Reply):
    """``image_match``: a picture of the instruction, or an entity of a pictured scene."""

    target: str = Field(
        min_length=1,
        max_length=80,
        description="name of a picture of the instruction, e.g. 'object', or an entity of a "
        "pictured scene, e.g. 'scene/2'",
    )


class SemanticMatchArguments(_Reply):
    """``semantic_match``: words of the instruction."""

    description: str = Field(
        min_length=1, max_length=300, description="the words of the instruction for the thing"
    )
    scene: str = Field(
        "",
        max_length=80,
        description="name of the pictured scene to look in; empty to look in the environment",
    )


class SceneMatchArguments(_Reply):
    """``scene_match``: a pictured scene."""

    scene: str = Field(
        min_length=1, max_length=80, description="name of the picture that shows the whole scene"
    )


class MatchReply(Thoughtful):
    """Of ``image_match`` and ``semantic_match``: which entity, and what it is known by.

    ``entity`` is 0 where none fits. The feature descriptions are kept for the consistency check.
    """

    target_features: str
    entity: int = Field(ge=0)
    entity_features: str = ""
    confidence: float = Field(ge=0.0, le=1.0)
    reason: str = ""


# The policy planner.


class PlannedCall(_Reply):
    """One action of the library with its arguments."""

    name: str
    arguments: dict[str, Any] = {}


class PlanReply(Thoughtful):
    """The action sequence A; ``plan`` is the same in words."""

    plan: str = ""
    actions: list[PlannedCall] = Field(max_length=60)


# Error location.


class PictureDescription(_Reply):
    """The features of one numbered picture, described by itself."""

    picture: int = Field(ge=1)
    features: str


class DescriptionsReply(_Reply):
    """The features of each picture, without knowing which belong together."""

    pictures: list[PictureDescription]


class MatchVerdict(_Reply):
    """Whether the two descriptions of one match are of the same thing."""

    match: int = Field(ge=1)
    consistent: bool
    reason: str = ""


class MatchVerdictsReply(_Reply):
    """Image-description consistency, match by match."""

    verdicts: list[MatchVerdict]


class InstructionReply(_Reply):
    """The instruction that the executed actions would follow."""

    instruction: str = Field(min_length=1)


class ConsistencyReply(_Reply):
    """Action-to-instruction consistency: whether both instructions ask for the same."""

    consistent: bool
    reason: str = ""


# Reflection and optimization.


class SuccessReflectionReply(_Reply):
    """Principles of a success."""

    principles: list[str] = Field(max_length=20)


class FailureReflectionReply(_Reply):
    """Principles for later tasks and suggestions for the next trial of this one."""

    diagnosis: str = ""
    principles: list[str] = Field(max_length=20)
    suggestions: list[str] = Field(max_length=20)


class Rating(_Reply):
    """Whether one candidate holds beyond the task that it came from."""

    candidate: str
    general: bool
    reason: str = ""


class GeneralityReply(_Reply):
    """The generality gate's ratings."""

    ratings: list[Rating]


class MemoryOperation(_Reply):
    """One change of a long-term memory, flat so that small models and strict schemas write it."""

    op: Literal["add", "revise", "remove"]
    alias: str = ""
    text: str = ""
    reason: str = ""


class OptimizationReply(_Reply):
    """How the new principles enter the long-term memory."""

    operations: list[MemoryOperation] = Field(max_length=80)


# Self-consistency.


class SelectionReply(_Reply):
    """The number of the best of the replies."""

    best: int
    reason: str = ""


class CritiqueReply(_Reply):
    """Where the replies disagree and which is right there."""

    critique: str
