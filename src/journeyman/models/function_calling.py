"""A conversation in which the model calls tools and gets their results, until it answers.

EEAgent's environment interpreter is such a conversation (section III-B: function calling over four
tools). The model chooses which tool to call, with which arguments and in which order. Its words are
data: a call is a name that is looked up and arguments that pydantic validates, nothing else.

Whatever a model does wrong is answered with a sentence that it can go on from, and bounded; nothing
of it is an exception. `ModelRoles.converse` is the door for methods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, user
from journeyman.models import structured
from journeyman.models.tool_dialects import ByJson, Dialect, Native, Reading
from journeyman.models.tools import ToolFunction, ToolRefused, ToolsNotTaken, whole
from journeyman.models.wire import DEEPEST, deeper_than

if TYPE_CHECKING:
    from pydantic import BaseModel

CALLS_A_REPLY = 16
"""Calls that are carried out of one reply at most; the others are answered with that."""

Call = Callable[[Sequence[Message], Mapping[str, Any] | None, Sequence[Tool]], Completion]
"""One call of a model: messages, the schema that the reply should follow, tools."""

Heard = Callable[[tuple[Message, ...], Completion, int, tuple[Tool, ...]], None]
"""Told of every reply as soon as it is there: messages as sent, judged completion, attempt, tools
as offered."""

_LAST = (
    "This is your last reply. No more tools are called: give the final answer now, from what you "
    "know."
)


@dataclass(frozen=True)
class ToolUse:
    """One call that the model wanted and what came of it.

    Attributes:
        call: As the model wrote it.
        arguments: As validated; None where they do not fit, or where there is no such tool.
        result: Text and pictures; empty where there is an error.
        error: The sentence that the model got instead of a result, or None.
    """

    call: ToolCall
    arguments: BaseModel | None = None
    result: tuple[str | Image, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Conversation:
    """All that was said and done.

    Attributes:
        messages: The dialogue in the protocol's form whatever the model was sent: the caller's
            messages, then calls, results, what was wrong, and the final answer.
        uses: Every call in order, those that were not carried out too.
        reply: The final answer: of the reply type, or text where none was asked for; or None.
        problem: Why there is no final answer, or None.
        replies: Replies of the model, the last one included.
        bad_replies: Those that could not be used, wholly or in part.
    """

    messages: tuple[Message, ...]
    uses: tuple[ToolUse, ...] = ()
    reply: Any = None
    problem: str | None = None
    replies: int = 0
    bad_replies: int = 0

    @property
    def mistakes(self) -> int:
        """Bad replies and calls that were not carried out, for whatever reason."""
        return self.bad_replies + sum(use.error is not None for use in self.uses)


def converse(
    call: Call,
    messages: Sequence[Message],
    functions: Sequence[ToolFunction[Any]],
    reply_type: type[BaseModel] | None = None,
    *,
    takes_tools: bool = True,
    needs_call: bool = False,
    max_replies: int = 12,
    reasks: int = 2,
    heard: Heard | None = None,
) -> Conversation:
    """Let the model call ``functions`` until it gives its final answer.

    Pictures do not go into ``tool`` messages, where the protocol has text only: a result with
    pictures is announced in its ``tool`` message and follows in a user message, its texts and
    pictures in their order.

    Answered with a sentence instead of a result: a tool that does not exist, arguments that do not
    fit, a call that a handler refuses, the same call with the same arguments as one before (a
    refused one may be made again once another was carried out, which may make it possible), more
    than `CALLS_A_REPLY` calls in one reply. A reply with neither a call nor a usable answer is
    answered with what was wrong with it. The last reply is asked for as the final answer, without
    calls.

    Args:
        call: Makes one call of the model; whatever it raises (no reply, budget) passes through, but
            for `ToolsNotTaken`, after which the conversation goes on by JSON.
        messages: The opening, at least one message.
        functions: The tools, at least one, with different names.
        reply_type: The shape of the final answer; text where there is none.
        takes_tools: Whether to offer tools in the protocol's way, else by JSON.
        needs_call: Whether an answer counts only after a tool was carried out.
        max_replies: Replies of the model at most, the final answer included; 2 or more.
        reasks: Replies in a row, out of which nothing was carried out, that are answered; at one
            more the conversation ends.
        heard: Told of every reply.
    """
    by_name = {function.name: function for function in functions}
    if not messages or not functions or len(by_name) < len(functions) or max_replies < 2:
        raise ValueError("a message, tools of different names and two replies are needed")
    dialect: Dialect = (Native if takes_tools else ByJson)(
        tuple(functions), reply_type, needs_call=needs_call
    )
    talk = _Talk(by_name, needs_call)
    idle = 0  # replies in a row out of which nothing was carried out
    for number in range(1, max_replies + 1):
        last = number == max_replies
        if last:
            talk.turns.append(user(_LAST))
        shown = dialect.shown(messages, talk.turns)
        try:
            completion = call(shown, dialect.schema(last=last), dialect.tools)
        except ToolsNotTaken:
            if isinstance(dialect, ByJson):
                raise
            dialect = ByJson(tuple(functions), reply_type, needs_call=needs_call)
            shown = dialect.shown(messages, talk.turns)
            completion = call(shown, dialect.schema(last=last), dialect.tools)
        reading = talk.judge(dialect.read(completion), completion)
        if heard is not None:
            judged = completion if reading.calls else replace(completion, problem=reading.problem)
            parsed = reading.answer if reply_type is not None else None
            heard(tuple(shown), replace(judged, parsed=parsed), idle, dialect.tools)
        if reading.answer is not None:
            talk.say(_answer_text(reading.answer))
            return talk.ended(messages, number, reply=reading.answer)
        before = talk.carried_out
        talk.take(reading, completion, last=last)
        idle = 0 if talk.carried_out > before else idle + 1
        if idle > reasks and not last:
            why = f"nothing was carried out in {idle} replies in a row: {talk.wrong}"
            return talk.ended(messages, number, problem=why)
    why = talk.wrong or "the last reply is a call"
    return talk.ended(messages, max_replies, problem=f"no answer in {max_replies} replies: {why}")


class _Talk:
    """What was said after the opening, and what was done.

    Attributes:
        turns: Messages in the protocol's form.
        carried_out: Calls that gave a result.
        wrong: What was wrong with the last thing that was.
    """

    def __init__(self, functions: Mapping[str, ToolFunction[Any]], needs_call: bool) -> None:
        self.turns: list[Message] = []
        self.carried_out = 0
        self.wrong = ""
        self._functions = functions
        self._needs_call = needs_call
        self._uses: list[ToolUse] = []
        self._made: set[tuple[str, str]] = set()
        self._refused: dict[tuple[str, str], int] = {}
        self._ids: set[str] = set()
        self._bad_replies = 0

    @property
    def _names(self) -> str:
        return ", ".join(self._functions)

    def say(self, text: str) -> None:
        self.turns.append(Message("assistant", (text if text.strip() else "(no reply)",)))

    def judge(self, reading: Reading, completion: Completion) -> Reading:
        """``reading`` with what came too soon, cut off or garbled as the problem it is."""
        if completion.finish_reason == structured.GARBLED:
            return Reading(problem=completion.problem or "the reply is no valid UTF-8")
        if reading.answer is not None and self._needs_call and not self.carried_out:
            return Reading(problem="no tool was called before the answer")
        cut_off = completion.finish_reason == "length" and reading.problem is not None
        if not cut_off or str(reading.problem).endswith(structured.CUT_OFF_AT_LENGTH):
            return reading
        return replace(reading, problem=f"{reading.problem}{structured.CUT_OFF_AT_LENGTH}")

    def take(self, reading: Reading, completion: Completion, *, last: bool) -> None:
        """Carry the calls out in order and answer them, and what else was wrong with the reply."""
        what = "That reply could not be used"
        if reading.calls:
            self._answer_calls(reading.calls, completion, last=last)
            what = "A part of that reply could not be used"
        else:
            self.say(completion.text)
        if reading.problem is not None:
            self._bad_replies += 1
            self.wrong = reading.problem
            self.turns.append(
                user(
                    f"{what}: {reading.problem}. Call one of the tools ({self._names}), or give "
                    "the final answer in the form asked for."
                )
            )

    def _answer_calls(
        self, calls: Sequence[ToolCall], completion: Completion, *, last: bool
    ) -> None:
        sent = [
            ToolCall(
                self._id(call),
                _protocol_name(call.name),
                call.arguments if _unfit(call) is None else {},
            )
            for call in calls
        ]
        said = (completion.text,) if completion.tool_calls and completion.text.strip() else ()
        self.turns.append(Message("assistant", said, tuple(sent)))
        pictures: list[str | Image] = []
        for place, (call, named) in enumerate(zip(calls, sent, strict=True)):
            if last:
                use = ToolUse(call, error="no more tools are called")
            elif place >= CALLS_A_REPLY:
                use = ToolUse(call, error=f"only {CALLS_A_REPLY} calls of a reply are carried out")
            else:
                use = self._use(call)
            self._uses.append(use)
            if use.error is None:
                self.carried_out += 1
                content = "\n".join(part for part in use.result if isinstance(part, str))
                if any(isinstance(part, Image) for part in use.result):
                    content = "(the result, which has pictures, is in the next message)"
                    pictures += [f"Result of {call.name} with its pictures:", *use.result]
            else:
                self.wrong = use.error
                content = f"Error: {use.error}."
            text = content if content.strip() else "(no result)"
            self.turns.append(Message("tool", (text,), tool_call_id=named.id))
        if pictures:
            self.turns.append(user(*pictures))

    def _use(self, call: ToolCall) -> ToolUse:
        from pydantic import ValidationError

        function = self._functions.get(call.name)
        if function is None:
            name = whole(call.name)[:64]
            return ToolUse(call, error=f"there is no tool '{name}'; the tools are: {self._names}")
        unfit = _unfit(call)
        if unfit is not None:
            return ToolUse(call, error=f"{call.name} was not called: {unfit}")
        try:
            arguments = function.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            return ToolUse(call, error=f"{call.name} was not called: {structured.explained(error)}")
        key = (call.name, json.dumps(arguments.model_dump(mode="json"), sort_keys=True))
        if key in self._made and self._refused.get(key, self.carried_out) >= self.carried_out:
            return ToolUse(
                call,
                arguments,
                error=f"{call.name} was called with these arguments before, and what came of it is "
                "above; call it with others, call another tool, or give the final answer",
            )
        self._made.add(key)
        try:
            return ToolUse(call, arguments, function.carry_out(arguments))
        except ToolRefused as refusal:
            self._refused[key] = self.carried_out
            said = whole(refusal.message).strip().rstrip(".")
            return ToolUse(call, arguments, error=said or f"{call.name} refused")

    def _id(self, call: ToolCall) -> str:
        """The server's own id, or one of nine characters where it sent none or one twice."""
        given = whole(call.id)
        if not given or given in self._ids:
            given = next(
                made
                for number in range(len(self._ids) + 1)
                if (made := f"call{number:05d}") not in self._ids
            )
        self._ids.add(given)
        return given

    def ended(
        self,
        opening: Sequence[Message],
        replies: int,
        reply: Any = None,
        problem: str | None = None,
    ) -> Conversation:
        return Conversation(
            (*opening, *self.turns), tuple(self._uses), reply, problem, replies, self._bad_replies
        )


def _unfit(call: ToolCall) -> str | None:
    """Why a call's arguments could be neither sent back nor stored, or None."""
    if deeper_than(DEEPEST, call.arguments):
        return "its arguments are nested too deep"
    try:
        json.dumps(dict(call.arguments), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "its arguments hold half a character (a lone surrogate)"
    return None


def _protocol_name(name: str) -> str:
    """A name that a server takes back; models make up others."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in name)
    return kept[:64] or "_"


def _answer_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer.model_dump(mode="json"))
