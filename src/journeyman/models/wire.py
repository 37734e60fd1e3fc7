"""What goes over the wire to a model and comes back, in the form of the OpenAI protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from journeyman.core.messages import Image, Message, Tool, ToolCall, Usage

DEEPEST = 64
"""Levels of a tool call's arguments; what is nested in some 200 cannot be recorded."""

MOST_CALLS = 64
"""Tool calls of one reply that are read."""

LONGEST_ARGUMENTS = 65_536
"""Characters of the arguments of all tool calls of one reply."""

LONGEST_LABEL = 200
"""Characters of a name: of a model, a tool, a call."""

LARGEST_COUNT = 2**53
"""A count of tokens above this is none."""


def message_json(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role}
    if message.images:
        sent["content"] = [_part(part) for part in message.content]
    else:  # small servers take nothing but a string
        sent["content"] = message.text
    if message.tool_calls:
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def _part(part: str | Image) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "image_url", "image_url": {"url": part.data_url}}
    return {"type": "text", "text": part}


def tool_json(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return {"type": "function", "function": function}


def with_schema(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    """The messages with the schema at the end of the last one, after everything that stays."""
    wanted = (
        "\nReply with one JSON object that follows this JSON schema, and nothing else:\n"
        + json.dumps(schema)
    )
    return [*messages[:-1], replace(messages[-1], content=(*messages[-1].content, wanted))]


def text_of(content: Any) -> str:
    """A reply's text: a string or, with some servers, a list of parts; half characters mended."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(text for text in texts if isinstance(text, str))
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


def label_of(sent: Any, otherwise: str) -> str:
    """A name as sent, on one line and of bounded length; ``otherwise`` where it is none."""
    line = " ".join(text_of(sent).split())[:LONGEST_LABEL]
    return "".join(character for character in line if character.isprintable()) or otherwise


def tool_calls_of(sent: Any) -> tuple[tuple[ToolCall, ...], str | None]:
    """The calls whose arguments are a JSON object, and what is wrong with the last other one."""
    calls: list[ToolCall] = []
    problem: str | None = None
    left = LONGEST_ARGUMENTS
    given = sent if isinstance(sent, list) else []
    for item in given[:MOST_CALLS]:
        function = item.get("function") if isinstance(item, Mapping) else None
        name = label_of(function.get("name"), "") if isinstance(function, Mapping) else ""
        written = function.get("arguments") if isinstance(function, Mapping) else None
        left -= len(written) if isinstance(written, str) else 0
        if left < 0:
            return tuple(calls), f"the arguments of the tool call '{name}' are too long"
        try:
            arguments = json.loads(function["arguments"] or "{}") if function else None
        except (ValueError, TypeError, KeyError, RecursionError):
            arguments = None
        if isinstance(arguments, dict) and deeper_than(DEEPEST, arguments):
            problem = f"the arguments of the tool call '{name}' are nested too deep"
        elif isinstance(arguments, dict):
            calls.append(ToolCall(label_of(item.get("id"), ""), name, arguments))
        else:
            problem = f"the arguments of the tool call '{name}' are no JSON object"
    if len(given) > MOST_CALLS:
        problem = f"the reply holds {len(given):,} tool calls, of which {MOST_CALLS} are read"
    return tuple(calls), problem


def deeper_than(most: int, value: Any) -> bool:
    """Whether JSON is nested in more than ``most`` levels; counted without recursion."""
    level = [value]
    for _ in range(most + 1):
        level = [inner for outer in level for inner in _within(outer)]
    return bool(level)


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def usage_of(sent: Any) -> Usage:
    """Token counts as sent; what is missing or no number counts as 0."""
    usage = sent if isinstance(sent, Mapping) else {}
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(_count(prompt), _count(completion), _count(cached))


def _count(value: Any) -> int:
    """``value`` where it counts something; compared before it is converted: JSON has any number."""
    counts = isinstance(value, int | float) and 0 < value <= LARGEST_COUNT
    return int(value) if counts else 0
