"""Replies as values: the JSON is found in the text, validated, and asked for again on request.

Strict on purpose: a reply is used whole or not at all. What is cut off, ambiguous or of another
shape is a problem to quote back, never a reason to guess, and never an exception.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from journeyman.core.messages import Completion, Message, user

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Call = Callable[[Sequence[Message], Mapping[str, Any]], Completion]
"""One call of a model: messages and the JSON schema that the reply should follow."""

Heard = Callable[[tuple[Message, ...], Completion, int], None]
"""Told of every attempt as soon as it is made: messages, judged completion, number from 0."""

Check = Callable[[Any], str | None]
"""What is wrong with a reply of the right shape, as a sentence without a full stop, or None."""

_BRACE_OR_STRING = re.compile(r'[{}]|"(?:[^"\\]|\\.)*"?', re.DOTALL)
_OBJECT_START = re.compile(r"\{\s*[\"']")
_DECODER = json.JSONDecoder(strict=False)  # weak models write line breaks inside strings
_CUT_OFF = "the JSON object in the reply is not complete"

CUT_OFF_AT_LENGTH = " (it was cut off at its longest allowed length)"
"""What `read` adds to the problem of a reply whose ``finish_reason`` is ``length``."""

GARBLED = "garbled"
"""The ``finish_reason`` of a reply that came in invalid UTF-8: never used, whatever is in it."""

LONGEST_QUOTED = 8_000
"""Characters of a bad reply that it is asked again with."""


def ask(
    call: Call,
    messages: Sequence[Message],
    reply_type: type[BaseModel],
    reasks: int = 0,
    heard: Heard | None = None,
    check: Check | None = None,
) -> Completion:
    """The model's reply with ``parsed`` a ``reply_type``, or None and ``problem`` says why.

    Args:
        call: Makes one call; whatever it raises (no reply, budget) passes through.
        messages: The prompt.
        reply_type: The shape that the reply must have.
        reasks: Times that a bad reply is asked for again, each quoting what was wrong with it.
        heard: Told of every attempt, the bad ones included.
        check: What is wrong with a reply that has the shape; such a reply is a bad one too.
    """
    schema = schema_of(reply_type)
    shown = tuple(messages)
    attempt = 0
    while True:
        completion = read(call(shown, schema), reply_type)
        wrong = check(completion.parsed) if check and completion.parsed is not None else None
        if wrong is not None:
            completion = replace(completion, parsed=None, problem=wrong)
        if heard is not None:
            heard(shown, completion, attempt)
        if completion.parsed is not None or attempt >= reasks:
            return completion
        attempt += 1
        shown = (*messages, *_quoted(completion))


@cache
def schema_of(reply_type: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of ``reply_type``."""
    return reply_type.model_json_schema()


def read(completion: Completion, reply_type: type[BaseModel]) -> Completion:
    """``completion`` with ``parsed`` filled from its text, or ``problem`` saying why not."""
    parsed: BaseModel | None = None
    problem: str | None
    if completion.finish_reason == GARBLED:
        problem = completion.problem or "the reply is no valid UTF-8"
    elif completion.text.strip():
        parsed, problem = extract(completion.text, reply_type)
    else:
        problem = completion.problem or "the reply is empty"
    if problem is not None and completion.finish_reason == "length":
        problem += CUT_OFF_AT_LENGTH
    return replace(completion, parsed=parsed, problem=problem)


def extract(text: str, reply_type: type[BaseModel]) -> tuple[BaseModel | None, str | None]:
    """The one ``reply_type`` in ``text`` and None, or None and what is wrong.

    The whole text is tried first, then the outermost objects in it, so that prose and fences
    around the JSON do no harm; what a thinking model writes before ``</think>`` is skipped. An
    object counts where it has at least one field of ``reply_type``: otherwise a shape of which
    every field has a default would swallow any object. All objects that count must be whole,
    valid and equal.
    """
    try:
        objects = _whole(text) or list(_objects(text.rpartition("</think>")[2]))
        for found in objects:
            if isinstance(found, str):
                return None, found
        return _validated([found for found in objects if isinstance(found, dict)], reply_type)
    except RecursionError:
        return None, "the JSON in the reply is nested too deep"


def _whole(text: str) -> list[dict[str, Any] | str]:
    try:
        found = _DECODER.decode(text.strip())
    except ValueError:
        return []
    return [found] if isinstance(found, dict) else []


def _objects(text: str) -> Iterator[dict[str, Any] | str]:
    """The outermost objects of ``text`` in order; what is wrong, for one that is not JSON.

    Braces in prose, with no quote after them, are passed over.
    """
    start = text.find("{")
    while start != -1:
        try:
            found, end = _DECODER.raw_decode(text, start)
            yield found
        except ValueError as error:
            closed = _closing(text, start)
            if closed is None:
                yield _CUT_OFF
                return
            end = closed
            if _OBJECT_START.match(text, start):
                wrong = getattr(error, "msg", "a number is too long")
                yield f"the reply is not valid JSON: {wrong}"
        start = text.find("{", end)


def _closing(text: str, start: int) -> int | None:
    """Where the brace opened at ``start`` is closed (exclusive), strings left out; or None."""
    depth = 0
    for match in _BRACE_OR_STRING.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return match.end()
    return None


def _validated(
    objects: Sequence[dict[str, Any]], reply_type: type[BaseModel]
) -> tuple[BaseModel | None, str | None]:
    from pydantic import ValidationError

    if not objects:
        return None, "the reply holds no JSON object"
    names = list(reply_type.model_fields)
    meant = [found for found in objects if any(name in found for name in names)]
    if not meant:
        return None, f"the JSON object has none of the fields {', '.join(names)}"
    if any(found != meant[0] for found in meant):
        return None, f"the reply holds {len(meant)} different JSON objects where one is wanted"
    try:
        json.dumps(meant[0], ensure_ascii=False).encode()  # what could not be stored is refused
        return reply_type.model_validate(meant[0]), None
    except UnicodeEncodeError:
        return None, "the JSON holds half a character (a lone surrogate)"
    except ValidationError as error:
        return None, explained(error)


def explained(error: ValidationError) -> str:
    """The first three faults with their place, without the values (they are the model's text)."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    shown = [f"{'.'.join(map(str, f['loc'])) or 'reply'}: {f['msg']}" for f in faults[:3]]
    more = f" (and {len(faults) - 3} more)" if len(faults) > 3 else ""
    return f"the JSON does not fit: {'; '.join(shown)}{more}"


def _quoted(completion: Completion) -> tuple[Message, Message]:
    """The bad reply and what was wrong with it, as the turns that follow the prompt."""
    text = completion.text[:LONGEST_QUOTED]
    return (
        Message("assistant", (text if text.strip() else "(no reply)",)),
        user(
            f"That reply could not be used: {completion.problem}. "
            "Reply again with one complete JSON object of the shape asked for, and nothing else."
        ),
    )
