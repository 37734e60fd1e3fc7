"""Two ways to offer tools to a model and to read what it wants: the protocol's own, and JSON.

A conversation is kept in one form, that of the protocol (an assistant's ``tool_calls``, ``tool``
messages with ``tool_call_id``). A dialect turns it into the messages that are sent and leaves it as
it is, so that a conversation begun in one dialect goes on in the other.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from typing import TYPE_CHECKING, Any, Protocol

from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, user
from journeyman.models import structured
from journeyman.models.tools import ToolFunction

if TYPE_CHECKING:
    from pydantic import BaseModel

JSON_TOOLS = (
    "You may call these tools, one call a reply. Reply with one JSON object and nothing else: "
    'either a call, {"tool": NAME, "arguments": {...}}, and you are told its result, '
    'or, when you know enough, the final answer, {"answer": ...}.'
)
"""The sentence by which a prompt in the JSON dialect is known."""

_CALL_FIRST = "Call at least one tool before you answer."
_WRITTEN_OUT = re.compile(r"(?:```\w*|<tool_call>)\s*(\{.*\})\s*(?:```|</tool_call>)", re.DOTALL)


@dataclass(frozen=True)
class Reading:
    """What a reply says: calls, or an answer, or neither; ``problem`` says what was wrong with it.

    ``answer`` is of the reply type, or text where there is none.
    """

    calls: tuple[ToolCall, ...] = ()
    answer: Any = None
    problem: str | None = None


class Dialect(Protocol):
    """How a model is told of the tools, and how its replies are read."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is sent beside the messages."""
        ...

    def shown(self, opening: Sequence[Message], turns: Sequence[Message]) -> list[Message]:
        """The messages as they are sent: the caller's, then what was said since."""
        ...

    def schema(self, *, last: bool) -> Mapping[str, Any] | None:
        """The schema that the reply should follow; ``last``: calls are over, an answer is due."""
        ...

    def read(self, completion: Completion) -> Reading: ...


@dataclass(frozen=True)
class Native:
    """The protocol's own function calling.

    No schema is sent, since servers that hold a reply to a schema keep the model from calling; the
    shape of the final answer is in the prompt. Several calls in one reply are read in order. A
    reply that is nothing but a call of an offered tool written out, ``{"name": ..., "arguments":
    {...}}``, bare, in a fence (as Qwen2.5-Coder does it) or in ``<tool_call>``, is that call.
    """

    functions: tuple[ToolFunction[Any], ...]
    reply_type: type[BaseModel] | None
    needs_call: bool = False

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(function.tool for function in self.functions)

    def shown(self, opening: Sequence[Message], turns: Sequence[Message]) -> list[Message]:
        notes = [_CALL_FIRST] if self.needs_call else []
        if self.reply_type is not None:
            notes.append(
                "When you know enough, give the final answer as one JSON object that follows this "
                "JSON schema, and nothing else:\n" + _schema_text(self.reply_type)
            )
        return [*_with_note(opening, "\n".join(notes)), *turns]

    def schema(self, *, last: bool) -> None:
        return None

    def read(self, completion: Completion) -> Reading:
        text = _thought(completion.text)
        calls = completion.tool_calls or self._written_out(text)
        if calls:
            return Reading(calls, problem=completion.problem)
        if completion.problem is not None:
            return Reading(problem=completion.problem)
        if not text:
            return Reading(problem="the reply is empty")
        if self.reply_type is None:
            whole = completion.finish_reason != "length"
            return Reading(answer=text) if whole else Reading(problem="the reply is not complete")
        parsed, problem = structured.extract(completion.text, self.reply_type)
        return Reading(answer=parsed, problem=problem)

    def _written_out(self, text: str) -> tuple[ToolCall, ...]:
        enclosed = _WRITTEN_OUT.fullmatch(text)
        try:
            found = json.loads(enclosed.group(1) if enclosed else text)
        except (ValueError, RecursionError):
            return ()
        if not isinstance(found, dict) or set(found) != {"name", "arguments"}:
            return ()
        offered = [function.name for function in self.functions]  # a name may be any JSON value
        if found["name"] not in offered or not isinstance(found["arguments"], dict):
            return ()
        return (ToolCall("", found["name"], found["arguments"]),)


@dataclass(frozen=True)
class ByJson:
    """Tools described in the prompt, each reply one JSON object held by a schema.

    Results come back as user messages, pictures among them, so that after the opening user and
    assistant take turns: the only order that some chat templates know.
    """

    functions: tuple[ToolFunction[Any], ...]
    reply_type: type[BaseModel] | None
    needs_call: bool = False
    tools: tuple[Tool, ...] = field(default=(), init=False)

    def shown(self, opening: Sequence[Message], turns: Sequence[Message]) -> list[Message]:
        lines = [JSON_TOOLS, *([_CALL_FIRST] if self.needs_call else [])]
        for tool in (function.tool for function in self.functions):
            lines.append(f"- {tool.name}: {tool.description}")
            lines.append(f"  arguments: {json.dumps(tool.parameters)}")
        answer = "a text" if self.reply_type is None else _schema_text(self.reply_type)
        lines.append(f"- answer: {answer}")
        return [*_with_note(opening, "\n".join(lines)), *_alternating(turns)]

    def schema(self, *, last: bool) -> Mapping[str, Any]:
        """A call of one of the tools, told apart by ``tool``, or an ``answer``."""
        return self._answer_schema if last else self._reply_schema

    @cached_property
    def _reply_schema(self) -> Mapping[str, Any]:
        return _reply_schema(self.functions, self.reply_type)

    @cached_property
    def _answer_schema(self) -> Mapping[str, Any]:
        return _reply_schema((), self.reply_type)

    def read(self, completion: Completion) -> Reading:
        if not completion.text.strip():
            return Reading(problem=completion.problem or "the reply is empty")
        found, problem = structured.extract(completion.text, _said())
        if found is None:
            return Reading(problem=problem)
        said = found.model_dump(exclude_unset=True)
        if "tool" in said and "answer" in said:
            return Reading(problem="the reply holds a call and an answer where one is wanted")
        if "answer" not in said:
            if not isinstance(said.get("tool"), str):
                return Reading(problem="the JSON object names no tool and holds no answer")
            return Reading((ToolCall("", said["tool"], said.get("arguments", {})),))
        answer = said["answer"]
        text = answer if isinstance(answer, str) else json.dumps(answer)
        if self.reply_type is None:
            return Reading(answer=text) if text.strip() else Reading(problem="the answer is empty")
        parsed, problem = structured.extract(text, self.reply_type)
        return Reading(answer=parsed, problem=problem)


def told_by_json(messages: Sequence[Message]) -> bool:
    """Whether the messages describe tools in the JSON dialect."""
    return any(JSON_TOOLS in message.text for message in messages)


@cache
def _said() -> type[BaseModel]:
    """Either shape, before it is known whether the tool exists and what its arguments are."""
    from pydantic import create_model

    return create_model(
        "ToolReply", tool=(Any, None), arguments=(dict[str, Any], {}), answer=(Any, None)
    )


def _reply_schema(
    functions: Sequence[ToolFunction[Any]], reply_type: type[BaseModel] | None
) -> Mapping[str, Any]:
    from pydantic import ConfigDict, Field, TypeAdapter, create_model

    strict = ConfigDict(extra="forbid")
    shapes: list[Any] = [
        create_model(
            f"call_{function.name}",
            __config__=strict,
            tool=(str, Field(json_schema_extra={"const": function.name})),
            arguments=(function.arguments, ...),
        )
        for function in functions
    ]
    shapes.append(create_model("answer", __config__=strict, answer=(reply_type or str, ...)))
    union = reduce(operator.or_, shapes)
    # Some servers take no schema whose root is not said to be an object.
    return {**TypeAdapter(union).json_schema(), "type": "object", "title": "ToolReply"}


def _thought(text: str) -> str:
    """What a thinking model says after its thoughts."""
    return text.rpartition("</think>")[2].strip()


def _schema_text(shape: type[BaseModel]) -> str:
    return json.dumps(structured.schema_of(shape))


def _with_note(opening: Sequence[Message], note: str) -> list[Message]:
    """The opening with ``note`` at its end, in its last message where that is the user's."""
    if not note:
        return list(opening)
    last = opening[-1]
    if last.role != "user":
        return [*opening, user(note)]
    return [*opening[:-1], replace(last, content=(*last.content, "\n" + note))]


def _alternating(turns: Sequence[Message]) -> list[Message]:
    """The turns without tool messages: calls as JSON, and all that answers them in one message."""
    shown: list[Message] = []
    names: dict[str, str] = {}
    answers: list[str | Image] = []
    for turn in turns:
        if turn.role == "assistant":
            if answers:
                shown.append(user(*answers))
                answers = []
            names |= {call.id: call.name for call in turn.tool_calls}
            calls = [
                json.dumps({"tool": call.name, "arguments": dict(call.arguments)})
                for call in turn.tool_calls
            ]
            shown.append(Message("assistant", ("\n".join(calls),) if calls else turn.content))
        elif turn.role == "tool":
            answers += [f"Result of {names[turn.tool_call_id]}:", *turn.content]
        else:
            answers += turn.content
    return [*shown, user(*answers)] if answers else shown
