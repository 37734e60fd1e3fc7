"""The shapes of ELITE's model replies, validated; one class a prompt."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from journeyman.core.values import Kind


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")


class CoarsePlanReply(_Reply):
    """ELITE section 3.4: 3 to 6 bullets; other counts are accepted as they come."""

    coarse_plan: list[str] = Field(min_length=1)


class PlannedAction(_Reply):
    """Only ``action_id`` is executed; ``action_name`` is never checked (EmbodiedBench)."""

    action_id: int
    action_name: str = ""


class PlanReply(_Reply):
    """EmbodiedBench's reply fields; the first is absent in the language-only setting."""

    visual_state_description: str = ""
    reasoning_and_reflection: str
    language_plan: str
    executable_plan: list[PlannedAction]


class Note(_Reply):
    """One insight as the distiller words it."""

    title: str = ""
    applies_when: str = ""
    text: str = Field(min_length=1)


class SuccessReply(_Reply):
    """Eq. (1): success patterns and repeatable steps."""

    success_patterns: list[Note] = []
    repeatable_steps: list[Note] = []


class FailureReply(_Reply):
    """Eq. (2), and the comparative form: root causes and avoidance guidelines."""

    failure_causes: list[Note] = []
    avoidance_guidelines: list[Note] = []


class OperationReply(_Reply):
    """One delta operation, flat so that small models and strict schemas can write it."""

    op: Literal["add", "revise", "remove"]
    alias: str = ""
    kind: Kind | None = None
    title: str = ""
    applies_when: str = ""
    text: str = ""
    reason: str = ""


class DeltaReply(_Reply):
    """Eq. (3): zero or more operations."""

    operations: list[OperationReply]
