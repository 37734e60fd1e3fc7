"""The shapes of ELITE's model replies, validated; one class a prompt."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from journeyman.core.values import Kind

JsonSchema = dict[str, Any]


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


_ALIAS: JsonSchema = {"type": "string", "pattern": "^S[1-9][0-9]{0,2}$"}


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


class _FailureSteps(FailureReply):
    _steps = field_validator("avoidance_guidelines", mode="before")(_steps_as_text)


@lru_cache(maxsize=64)
def compact_success_reply(actions: tuple[str, ...]) -> type[SuccessReply]:
    """One note, its steps a list of ``actions``: asked for a text, small models write prose."""

    class Success(_SuccessSteps):
        model_config = _bounded(repeatable_steps=_items(_steps_note(actions), 1, 1))

    return Success


@lru_cache(maxsize=64)
def compact_failure_reply(actions: tuple[str, ...]) -> type[FailureReply]:
    """At most one cause, and exactly one guideline with its steps as a list of ``actions``."""

    class Failure(_FailureSteps):
        model_config = _bounded(
            failure_causes=_items(_object(title=_text(60), text=_text(200)), 0, 1),
            avoidance_guidelines=_items(_steps_note(actions), 1, 1),
        )

    return Failure


def _steps_note(actions: tuple[str, ...]) -> JsonSchema:
    step: JsonSchema = {"type": "string", "enum": list(actions)} if actions else _text(50)
    return _object(title=_text(60), steps=_items(step, min(3, len(actions)), 16))


class CompactDeltaReply(DeltaReply):
    """At most two operations, each with the fields of its kind alone."""

    model_config = _bounded(
        operations=_items(
            {
                "anyOf": [
                    _object(op={"const": "add"}, title=_text(60), text=_text(400)),
                    _object(op={"const": "revise"}, alias=_ALIAS, title=_text(60), text=_text(400)),
                    _object(op={"const": "remove"}, alias=_ALIAS),
                ]
            },
            0,
            2,
        )
    )


@lru_cache(maxsize=64)
def names_reply(names: tuple[str, ...], least: int, most: int) -> type[NamesReply]:
    """`NamesReply` whose schema allows from ``least`` to ``most`` of these names."""

    class Names(NamesReply):
        model_config = _bounded(plan=_items({"type": "string", "enum": list(names)}, least, most))

    return Names
