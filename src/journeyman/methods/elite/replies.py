"""The shapes of ELITE's model replies, validated; one class a prompt."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from journeyman.core.values import Reflection

JsonSchema = dict[str, Any]

StrategyKind = Literal[
    "success_pattern", "repeatable_steps", "failure_cause", "avoidance_guideline"
]
"""The kinds of an ELITE strategy (section 3.3)."""


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


class PlannedCall(PlannedAction):
    """For skills with parameters, which EmbodiedBench's two household worlds do not have."""

    arguments: dict[str, Any] = {}


class CallsPlanReply(PlanReply):
    """The same where the library has such skills."""

    executable_plan: list[PlannedCall]  # type: ignore[assignment]


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
    kind: StrategyKind | None = None
    title: str = ""
    applies_when: str = ""
    text: str = ""
    reason: str = ""


class DeltaReply(_Reply):
    """Eq. (3): zero or more operations."""

    operations: list[OperationReply]


def _bounded(**fields: JsonSchema) -> ConfigDict:
    """These fields, all required, as the schema that a grammar is made from.

    Only the schema is narrowed: what a server without grammars replies is read as before.
    """

    def narrow(schema: JsonSchema) -> None:
        schema["properties"] = fields
        schema["required"] = list(fields)

    return ConfigDict(extra="ignore", json_schema_extra=narrow)


def _text(longest: int) -> JsonSchema:
    return {"type": "string", "minLength": 1, "maxLength": longest}


def _object(**fields: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _items(item: JsonSchema, least: int, most: int) -> JsonSchema:
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


class NamesReply(_Reply):
    """The compact planner's reply: names alone; `names_reply` adds the enum of a library."""

    plan: list[str]


class CompactCoarsePlanReply(CoarsePlanReply):
    """Three or four bullets of at most 90 characters."""

    model_config = _bounded(coarse_plan=_items(_text(90), 3, 4))


def _steps_as_text(notes: Any) -> Any:
    """Notes whose ``steps`` are a list, with the list as their text."""
    if not isinstance(notes, list):
        return notes
    return [
        {**note, "text": ", ".join(map(str, note["steps"]))}
        if isinstance(note, dict) and isinstance(note.get("steps"), list)
        else note
        for note in notes
    ]


class _SuccessSteps(SuccessReply):
    _steps = field_validator("repeatable_steps", mode="before")(_steps_as_text)


@lru_cache(maxsize=64)
def compact_success_reply(actions: tuple[str, ...]) -> type[SuccessReply]:
    """One note, its steps a list of ``actions``: asked for a text, small models write prose."""

    class Success(_SuccessSteps):
        model_config = _bounded(repeatable_steps=_items(_steps_note(actions), 1, 1))

    return Success


class CompactFailureReply(FailureReply):
    """One cause and one guideline, a sentence each.

    Steps are not asked for: of a failed trajectory a small model copies what failed.
    """

    model_config = _bounded(
        failure_causes=_items(_object(title=_text(60), text=_text(160)), 1, 1),
        avoidance_guidelines=_items(_object(title=_text(60), text=_text(160)), 1, 1),
    )


@lru_cache(maxsize=64)
def compact_comparative_reply(demonstration: tuple[str, ...], success: bool) -> type[FailureReply]:
    """What kind of task it is and, of a failure, the number of the first step missed and why.

    The steps of the guideline are the demonstration, as it is: asked to copy it, models of this
    size lose their place in it and repeat what comes often. The cause is called by the step missed.
    Of a success no cause is asked for; they would invent one.
    """
    asked = {"title": _text(60)}
    if not success and demonstration:
        asked["missed"] = {"enum": list(range(1, len(demonstration) + 1))}
        asked["why"] = _text(160)

    class Comparative(FailureReply):
        model_config = _bounded(**asked)
        title: str
        missed: int = 0
        why: str = ""

        @model_validator(mode="after")
        def _as_notes(self) -> Self:
            steps = ", ".join(demonstration)
            if steps:
                self.avoidance_guidelines = [Note(title=self.title, text=steps)]
            if self.why and 1 <= self.missed <= len(demonstration):
                missed = demonstration[self.missed - 1]
                self.failure_causes = [Note(title=missed, text=self.why)]
            return self

    return Comparative


def _steps_note(actions: tuple[str, ...]) -> JsonSchema:
    step: JsonSchema = {"type": "string", "enum": list(actions)} if actions else _text(50)
    return _object(title=_text(60), steps=_items(step, min(3, len(actions)), 16))


class Decision(_Reply):
    """What becomes of one insight; its words are taken as the reflection has them."""

    op: Literal["add", "revise", "skip"]
    alias: str = ""


class DecisionsReply(_Reply):
    """Eq. (3) for small models: a decision for each insight of the reflection, in order."""

    operations: list[Decision]


def decisions_reply(insights: int, aliases: tuple[str, ...]) -> type[DecisionsReply]:
    """`DecisionsReply` whose schema allows so many decisions, and these aliases."""
    kinds = [_object(op={"const": "add"}), _object(op={"const": "skip"})]
    if aliases:
        kinds.insert(1, _object(op={"const": "revise"}, alias={"enum": list(aliases)}))

    class Decisions(DecisionsReply):
        model_config = _bounded(operations=_items({"anyOf": kinds}, insights, insights))

    return Decisions


def decided(reply: DecisionsReply, reflection: Reflection) -> list[OperationReply]:
    """The decisions as operations in the words of the reflection; ``skip`` is none."""
    return [
        OperationReply(
            op=decision.op,
            alias=decision.alias,
            kind=cast("StrategyKind", insight.kind),
            title=insight.title,
            applies_when=insight.applies_when,
            text=insight.text,
        )
        for decision, insight in zip(reply.operations, reflection.insights, strict=False)
        if decision.op != "skip"
    ]


@lru_cache(maxsize=64)
def names_reply(names: tuple[str, ...], least: int, most: int) -> type[NamesReply]:
    """`NamesReply` whose schema allows from ``least`` to ``most`` of these names."""

    class Names(NamesReply):
        model_config = _bounded(plan=_items({"type": "string", "enum": list(names)}, least, most))

    return Names
