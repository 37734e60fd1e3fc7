"""The tabletop's stand-in behind a real HTTP server that takes nothing but what the API publishes.

Each request is first held against the published schema of ``/v1/chat/completions`` (OpenAI's API
reference) and the rules that its service adds: a tool's result answers a call of the message
before, each call is answered once, JSON mode wants the word. What does not fit is kept, and refused
as the service refuses it. What fits is decoded to core messages, answered by the stand-in and
encoded again.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image as Pillow

from journeyman.core.messages import Completion, Message, Tool, Usage
from journeyman.models.options import ModelOptions
from journeyman.models.standin_tabletop import StandInTabletop
from journeyman.models.tool_dialects import told_by_json
from tests.support.fake_server import FakeServer, Fault, Request, refused
from tests.support.misbehaving import Billed

NAME = "stand-in-tabletop"
"""What a client calls the model."""

NO_PICTURES = "Invalid content type. image_url is only supported by certain models."


@dataclass(frozen=True)
class Asked:
    """What the stand-in was asked, as decoded."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[Tool, ...]


class StandInServer(FakeServer):
    """Serves the stand-in of ``seed``; ``refuses`` may hold ``images`` too.

    Attributes:
        violations: What was wrong with the requests, each with its place.
        asked: What the stand-in was asked, in order.
        book: The usage of every reply that was delivered: what the user is billed.
        no_pictures: Status and words by which pictures are refused.
    """

    def __init__(self, *, seed: int, refuses: Sequence[str] = ()) -> None:
        self.asked: list[Asked] = []
        super().__init__(_Heard(seed, self.asked), refuses=refuses)
        self.violations: list[str] = []
        self.book: list[Usage] = []
        self.no_pictures = (400, NO_PICTURES)

    def answer(self, request: Request) -> Fault:
        wrong = list(violations(request.body))
        if request.path != "/v1/chat/completions":
            wrong.append(f"path: {request.path}")
        if request.headers.get("content-type") != "application/json":
            wrong.append("headers: the content type is not application/json")
        if wrong:
            self.violations += wrong
            return refused(400, wrong[0])
        if request.body["model"] != NAME:
            return refused(404, f"The model '{request.body['model']}' does not exist")
        return super().answer(request)

    def _refusal(self, body: Mapping[str, Any]) -> Fault | None:
        contents = [message.get("content") for message in body["messages"]]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        if "images" in self.refuses and any(part["type"] == "image_url" for part in parts):
            return refused(*self.no_pictures)
        return super()._refusal(body)

    def answer_to(self, body: Mapping[str, Any]) -> Fault:
        sent = self._chat(body)
        counted = Usage(sent["usage"]["prompt_tokens"], sent["usage"]["completion_tokens"])
        sent["id"] = f"chatcmpl-{len(self.requests)}"
        message = sent["choices"][0]["message"]
        message |= {"content": message["content"] or None, "refusal": None}
        return Billed(body=json.dumps(sent), usage=counted)

    def delivered(self, answer: Fault) -> None:
        if isinstance(answer, Billed):
            self.book.append(answer.usage)


class _Heard:
    """The stand-in, its questions kept; told of tools by JSON, it calls them by JSON."""

    sees_images = True

    def __init__(self, seed: int, asked: list[Asked]) -> None:
        self.model = StandInTabletop(NAME, ModelOptions(seed=seed))
        self.id = self.model.id
        self.asked = asked

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        self.asked.append(Asked(tuple(messages), schema, tuple(tools)))
        if told_by_json(messages):
            return self._by_json(messages)
        return self.model.complete(messages, schema=schema, tools=tools)

    def _by_json(self, messages: Sequence[Message]) -> Completion:
        """The stand-in calls several tools in one reply; by JSON they are given one by one."""
        opening = 1 + next(n for n, message in enumerate(messages) if told_by_json([message]))
        results = [message.text for message in messages[opening:] if message.role == "user"]
        shown = list(messages[:opening])
        while True:
            reply = self.model.complete(shown)
            calls = reply.tool_calls
            if not calls:
                return replace(reply, text=json.dumps({"answer": json.loads(reply.text)}))
            if len(results) < len(calls):
                call = calls[len(results)]
                said = json.dumps({"tool": call.name, "arguments": dict(call.arguments)})
                return replace(reply, text=said, tool_calls=(), finish_reason="stop")
            shown.append(Message("assistant", (), calls))
            for call in calls:
                result = results.pop(0).removeprefix(f"Result of {call.name}:\n")
                shown.append(Message("tool", (result,), tool_call_id=call.id))


# What the published API takes

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:image/(png|jpeg);base64,(.*)", re.DOTALL)


def violations(body: Mapping[str, Any]) -> Iterator[str]:
    """What the API would refuse in the body of a request for a chat, each with its place."""
    yield from _fields("", body, _BODY, required=("model", "messages"))
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "max_tokens: given beside max_completion_tokens"
    wanted = body.get("response_format")
    if wanted == {"type": "json_object"} and "json" not in json.dumps(body["messages"]).lower():
        yield "response_format: JSON mode, and no message has the word JSON"


Check = Callable[[str, Any], Iterator[str]]
"""What is wrong with a value, told its place."""


def _fields(
    place: str, given: Any, known: Mapping[str, Check], *, required: Sequence[str] = ()
) -> Iterator[str]:
    if not isinstance(given, dict):
        yield f"{place}: no object"
        return
    yield from (f"{place}.{key}: missing" for key in required if key not in given)
    for key, value in given.items():
        if key in known:
            yield from known[key](f"{place}.{key}", value)
        else:
            yield f"{place}.{key}: no such field"


def _is(what: str, fits: Callable[[Any], bool]) -> Check:
    def check(place: str, value: Any) -> Iterator[str]:
        if not fits(value):
            yield f"{place}: not {what}"

    return check


def _number(low: float, high: float, *kinds: type) -> Check:
    return _is(
        f"a number from {low:g} to {high:g}",
        lambda value: type(value) in kinds and low <= value <= high,
    )


def _each(check: Check, *, least: int = 1, most: int = 10_000) -> Check:
    def each(place: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            yield f"{place}: not a list of {least} to {most}"
            return
        for number, item in enumerate(value):
            yield from check(f"{place}[{number}]", item)

    return each


_text = _is("a text", lambda value: isinstance(value, str))
_some_text = _is("a text that says something", lambda v: isinstance(v, str) and v != "")
_name = _is("a name", lambda value: isinstance(value, str) and _NAME.fullmatch(value) is not None)
_switch = _is("true, false or null", lambda value: value is None or isinstance(value, bool))


def _constant(*allowed: str) -> Check:
    return _is(f"one of {', '.join(allowed)}", lambda value: value in allowed)


def _picture(place: str, value: Any) -> Iterator[str]:
    """A data URL whose bytes are a whole picture of the type that it names."""
    found = _DATA_URL.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        yield f"{place}: no data URL of a PNG or JPEG"
        return
    try:
        data = base64.b64decode(found[2], validate=True)
        with Pillow.open(io.BytesIO(data)) as picture:
            picture.load()
            kind = picture.format
    except (binascii.Error, OSError, SyntaxError) as error:
        yield f"{place}: no picture can be decoded ({error})"
        return
    if kind != found[1].upper():
        yield f"{place}: a {kind} that is called {found[1]}"


def _image_url(place: str, value: Any) -> Iterator[str]:
    known = {"url": _picture, "detail": _constant("auto", "low", "high")}
    return _fields(place, value, known, required=("url",))


def _content(*kinds: str) -> Check:
    """A text, or a list of parts of these types, each with the field that its type names."""
    of_type: dict[str, Check] = {"text": _text, "image_url": _image_url}

    def part(place: str, value: Any) -> Iterator[str]:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind not in kinds:
            yield f"{place}.type: {kind!r} is none of {', '.join(kinds)}"
            return
        known = {"type": _constant(kind), kind: of_type[kind]}
        yield from _fields(place, value, known, required=("type", kind))

    parts = _each(part)
    return lambda place, value: iter(()) if isinstance(value, str) else parts(place, value)


def _arguments(place: str, value: Any) -> Iterator[str]:
    try:
        fits = isinstance(json.loads(value), dict)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        yield f"{place}: no JSON object in a text"


def _call(place: str, value: Any) -> Iterator[str]:
    def function(inner: str, given: Any) -> Iterator[str]:
        known = {"name": _name, "arguments": _arguments}
        return _fields(inner, given, known, required=("name", "arguments"))

    known = {"id": _some_text, "type": _constant("function"), "function": function}
    return _fields(place, value, known, required=("id", "type", "function"))


_ROLES: dict[str, tuple[dict[str, Check], tuple[str, ...]]] = {
    "system": ({"content": _content("text")}, ("content",)),
    "user": ({"content": _content("text", "image_url")}, ("content",)),
    "assistant": ({"content": _content("text"), "tool_calls": _each(_call)}, ()),
    "tool": ({"content": _content("text"), "tool_call_id": _text}, ("content", "tool_call_id")),
}


def _message(place: str, value: Any) -> Iterator[str]:
    role = value.get("role") if isinstance(value, dict) else None
    if role not in _ROLES:
        yield f"{place}.role: {role!r} is none of {', '.join(_ROLES)}"
        return
    known, required = _ROLES[role]
    yield from _fields(place, value, {"role": _text, **known}, required=required)
    if role == "assistant" and not value.get("tool_calls") and not value.get("content"):
        yield f"{place}: neither content nor tool_calls"


def _messages(place: str, value: Any) -> Iterator[str]:
    wrong = list(_each(_message)(place, value))
    yield from wrong
    if wrong:
        return
    waiting: list[str] = []
    for number, message in enumerate(value):
        at = f"{place}[{number}]"
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                yield f"{at}.tool_call_id: answers no call of the message before"
            continue
        yield from (f"{at}: the call {name} before it has no answer" for name in waiting)
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        if len(set(waiting)) < len(waiting):
            yield f"{at}.tool_calls: two of one id"
    yield from (f"{place}: the call {name} has no answer" for name in waiting)


def _tool(place: str, value: Any) -> Iterator[str]:
    def function(inner: str, given: Any) -> Iterator[str]:
        known = {"name": _name, "description": _text, "parameters": _object_schema}
        return _fields(inner, given, {**known, "strict": _switch}, required=("name",))

    known = {"type": _constant("function"), "function": function}
    return _fields(place, value, known, required=("type", "function"))


def _response_format(place: str, value: Any) -> Iterator[str]:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "json_schema":
        inner = {"name": _name, "description": _text, "schema": _object_schema, "strict": _switch}
        known: dict[str, Check] = {
            "type": _text,
            "json_schema": lambda at, given: _fields(at, given, inner, required=("name",)),
        }
        yield from _fields(place, value, known, required=("json_schema",))
    else:
        yield from _fields(place, value, {"type": _constant("text", "json_object")})
        if kind is None:
            yield f"{place}.type: missing"


# JSON Schema, as far as schemas of replies and tools use it (draft 2020-12, core and validation)

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def _object_schema(place: str, value: Any) -> Iterator[str]:
    """A JSON schema of an object, in which every reference leads somewhere."""
    if not isinstance(value, dict) or value.get("type") != "object":
        yield f"{place}: no schema of an object"
        return
    yield from _schema(place, value)
    for reference in re.findall(r'"\$ref": "([^"]*)"', json.dumps(value)):
        found: Any = value
        for step in reference.removeprefix("#/").split("/"):
            found = found.get(step) if isinstance(found, dict) else None
        if found is None or not reference.startswith("#/"):
            yield f"{place}: the reference {reference} leads nowhere"


def _schema(place: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        return
    yield from _fields(place, value, _KEYWORDS)


def _schemas_by_name(place: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: no object"
        return
    for key, inner in value.items():
        yield from _schema(f"{place}.{key}", inner)


def _anything(place: str, value: Any) -> Iterator[str]:
    return iter(())


_length = _number(0, 2**31, int)
_bound = _number(-(2**53), 2**53, int, float)
_KEYWORDS: dict[str, Check] = {
    "type": _constant(*_TYPES),
    "title": _text,
    "description": _text,
    "default": _anything,
    "const": _anything,
    "enum": _each(_anything),
    "properties": _schemas_by_name,
    "$defs": _schemas_by_name,
    "$ref": _text,
    "required": _each(_some_text, least=0),
    "additionalProperties": _schema,
    "items": _schema,
    "anyOf": _each(_schema),
    "minLength": _length,
    "maxLength": _length,
    "minItems": _length,
    "maxItems": _length,
    "minimum": _bound,
    "maximum": _bound,
}

_BODY: dict[str, Check] = {
    "model": _some_text,
    "messages": _messages,
    "tools": _each(_tool, most=128),
    "response_format": _response_format,
    "temperature": _number(0, 2, int, float),
    "max_tokens": _number(1, 2**31, int),
    "max_completion_tokens": _number(1, 2**31, int),
    "seed": _number(-(2**63), 2**63 - 1, int),
}
"""The fields of the published API that a chat with tools and pictures has; no others are sent."""
