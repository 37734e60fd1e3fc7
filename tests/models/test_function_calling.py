"""Conversations with tools: every recovery, and the same whether a model calls or writes JSON."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import is_dataclass, replace
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from journeyman.core.errors import BudgetReached, ModelUnavailable
from journeyman.core.messages import (
    Completion,
    Image,
    Message,
    ModelCall,
    ToolCall,
    Usage,
    user,
)
from journeyman.models import ToolFunction, ToolRefused
from journeyman.models.function_calling import CALLS_A_REPLY
from journeyman.models.recorded import RecordedRoles, Recording
from journeyman.models.roles import ModelRoles
from journeyman.models.tool_dialects import JSON_TOOLS
from journeyman.models.tools import ToolsNotTaken

RED = np.full((2, 3, 3), (255, 0, 0), np.uint8)
BLUE = np.full((2, 3, 3), (0, 0, 255), np.uint8)
OPENING = [Message("system", ("You interpret a scene.",)), user(Image(BLUE), "Where is the mug?")]


class Find(BaseModel):
    model_config = ConfigDict(extra="forbid")
    what: str
    near: str = "anything"


class Nothing(BaseModel):
    pass


class Place(BaseModel):
    """The final answer's shape in these tests."""

    place: str
    sure: bool


class Room:
    """Three tools and a note of what they were called with."""

    def __init__(self) -> None:
        self.found: list[Find] = []

    def find(self, arguments: Find) -> str:
        self.found.append(arguments)
        if arguments.what == "unicorn":
            raise ToolRefused("There is no unicorn here.")
        return f"The {arguments.what} is on the shelf."

    def look(self, _: Nothing) -> tuple[str | Image, ...]:
        return ("On the left:", Image(RED), "On the right:", Image(BLUE))

    def wait(self, _: Nothing) -> str:
        return "  "

    @property
    def tools(self) -> list[ToolFunction[Any]]:
        return [
            ToolFunction("find", "Find a thing.", Find, self.find),
            ToolFunction("look", "Look around.", Nothing, self.look),
            ToolFunction("wait", "Do nothing.", Nothing, self.wait),
        ]


class Deciding:
    """A model that decides as told, and says it in the way that it is offered tools.

    Args:
        decisions: Calls as lists of ``(name, arguments)``, answers as text or `Place`, and
            completions as they are; the last one for ever.
        takes_tools: What it says of itself.
        refuses_from: The number of the call, from 0, from which on it refuses tools.
    """

    sees_images = True
    id = "deciding"

    def __init__(
        self, *decisions: Any, takes_tools: bool = True, refuses_from: int | None = None
    ) -> None:
        self.takes_tools = takes_tools
        self.refuses_from = refuses_from
        self.asked: list[tuple[tuple[Message, ...], Any, tuple[Any, ...]]] = []
        self._decisions = deque(decisions)

    def complete(self, messages: Any, *, schema: Any = None, tools: Any = ()) -> Completion:
        if tools and self.refuses_from is not None and len(self.asked) >= self.refuses_from:
            raise ToolsNotTaken("no tools here")
        self.asked.append((tuple(messages), schema, tuple(tools)))
        decision = self._decisions.popleft() if len(self._decisions) > 1 else self._decisions[0]
        if isinstance(decision, Completion):
            return decision
        usage = Usage(7, 3, 0)
        if isinstance(decision, list):
            if tools:
                calls = tuple(ToolCall("", name, arguments) for name, arguments in decision)
                return Completion("", tool_calls=calls, usage=usage, finish_reason="tool_calls")
            [(name, arguments)] = decision
            return Completion(json.dumps({"tool": name, "arguments": arguments}), usage=usage)
        said = decision.model_dump() if isinstance(decision, Place) else decision
        if not tools:
            return Completion(json.dumps({"answer": said}), usage=usage)
        return Completion(said if isinstance(said, str) else json.dumps(said), usage=usage)

    @property
    def last_prompt(self) -> list[Message]:
        return list(self.asked[-1][0])


@pytest.fixture(params=["native", "json"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def talk(model: Any, reply_type: Any = None, room: Room | None = None, **options: Any) -> Any:
    tools = (room or Room()).tools
    return ModelRoles(model).converse("interpret", OPENING, tools, reply_type, **options)


def deciding(mode: str, *decisions: Any) -> Deciding:
    return Deciding(*decisions, takes_tools=mode == "native")


# The course of a conversation


@pytest.mark.compatibility(
    "conversations with tools, by the protocol and by JSON", "any model", "replies by script"
)
def test_the_model_chooses_tools_and_answers_in_its_own_order(mode):
    room = Room()
    model = deciding(mode, [("wait", {})], [("find", {"what": "mug"})], Place(place="x", sure=True))
    said = talk(model, Place, room)
    assert said.reply == Place(place="x", sure=True)
    assert (said.problem, said.replies, said.mistakes) == (None, 3, 0)
    assert [use.call.name for use in said.uses] == ["wait", "find"]
    assert said.uses[1].arguments == Find(what="mug")
    assert said.uses[1].result == ("The mug is on the shelf.",)
    assert room.found == [Find(what="mug")]


@pytest.mark.compatibility(
    "conversations with tools, by the protocol and by JSON", "any model", "replies by script"
)
def test_the_dialogue_is_the_protocols_and_the_same_in_both_ways():
    decisions = (
        [("find", {"what": "mug"})],
        [("look", {})],
        [("fly", {"to": "moon"})],
        [("find", {"where": 1})],
        [("wait", {})],
        [("find", {"what": "unicorn"})],
        Place(place="shelf", sure=False),
    )
    native, by_json = (talk(deciding(m, *decisions), Place) for m in ("native", "json"))
    assert plain(native.messages) == plain(by_json.messages)
    assert plain(native.uses) == plain(by_json.uses)
    assert native.reply == by_json.reply == Place(place="shelf", sure=False)
    assert native.messages[:2] == tuple(OPENING)
    assert native.messages[2:5] == (
        Message("assistant", (), (ToolCall("call00000", "find", {"what": "mug"}),)),
        Message("tool", ("The mug is on the shelf.",), tool_call_id="call00000"),
        Message("assistant", (), (ToolCall("call00001", "look", {}),)),
    )
    assert native.messages[-1] == Message("assistant", ('{"place": "shelf", "sure": false}',))


def test_a_conversation_without_a_reply_type_ends_with_a_text(mode):
    said = talk(deciding(mode, [("find", {"what": "mug"})], "On the shelf."))
    assert (said.reply, said.problem) == ("On the shelf.", None)
    assert said.messages[-1] == Message("assistant", ("On the shelf.",))


def test_several_calls_of_one_reply_are_carried_out_in_order():
    room = Room()
    both = [("find", {"what": "mug"}), ("fly", {}), ("find", {"what": "plate"})]
    said = talk(deciding("native", both, "done"), room=room)
    assert [found.what for found in room.found] == ["mug", "plate"]
    assistant, *answers = said.messages[2:6]
    assert [call.id for call in assistant.tool_calls] == [m.tool_call_id for m in answers]
    assert [m.text for m in answers] == [
        "The mug is on the shelf.",
        "Error: there is no tool 'fly'; the tools are: find, look, wait.",
        "The plate is on the shelf.",
    ]


def test_a_result_with_pictures_follows_in_a_user_message_in_its_order():
    said = talk(deciding("native", [("look", {}), ("wait", {})], "done"))
    look, wait, shown = said.messages[3:6]
    assert (look.role, look.images) == ("tool", ())
    assert "in the next message" in look.text
    assert (wait.role, wait.text) == ("tool", "(no result)")
    assert shown.role == "user"
    label, left, red, right, blue = shown.content
    assert (label, left, right) == (
        "Result of look with its pictures:",
        "On the left:",
        "On the right:",
    )
    np.testing.assert_array_equal(red.array, RED)
    np.testing.assert_array_equal(blue.array, BLUE)


# What the model is sent


def test_natively_tools_go_beside_the_messages_and_no_schema():
    model = deciding("native", [("find", {"what": "mug"})], Place(place="x", sure=True))
    talk(model, Place)
    for messages, schema, tools in model.asked:
        assert schema is None
        assert [tool.name for tool in tools] == ["find", "look", "wait"]
        assert not any(JSON_TOOLS in message.text for message in messages)
    assert model.asked[0][2][0].parameters == Find.model_json_schema()
    prompt = model.asked[0][0][1].text
    assert prompt.startswith("Where is the mug?\n")
    assert json.dumps(Place.model_json_schema()) in prompt


def test_natively_a_prompt_without_a_reply_type_is_sent_as_it_is():
    model = deciding("native", "x")
    talk(model)
    assert model.last_prompt == OPENING


def test_by_json_tools_are_in_the_prompt_and_turns_alternate():
    model = deciding("json", [("look", {})], [("find", {"what": "unicorn"})], "x")
    talk(model)
    assert all(tools == () for _, _, tools in model.asked)
    system, prompt, *turns = model.last_prompt
    assert system == OPENING[0]
    assert "- find: Find a thing.\n  arguments: " + json.dumps(Find.model_json_schema()) in (
        prompt.text
    )
    assert [m.role for m in turns] == ["assistant", "user", "assistant", "user"]
    assert not any(m.tool_calls or m.tool_call_id for m in turns)
    assert turns[0].text == '{"tool": "look", "arguments": {}}'
    assert turns[1].content[0] == "Result of look:"
    assert len(turns[1].images) == 2
    assert turns[3].content == ("Result of find:", "Error: There is no unicorn here.")


def test_by_json_the_schema_is_a_union_told_apart_by_the_tool():
    model = deciding("json", [("find", {"what": "mug"})], Place(place="x", sure=True))
    talk(model, Place, max_replies=2)
    schema, last = (asked[1] for asked in model.asked)
    assert (schema["type"], schema["title"]) == ("object", "ToolReply")
    shapes = [schema["$defs"][shape["$ref"].split("/")[-1]] for shape in schema["anyOf"]]
    assert [shape["properties"].get("tool", {}).get("const") for shape in shapes] == [
        "find",
        "look",
        "wait",
        None,
    ]
    assert [shape["required"] for shape in shapes] == [["tool", "arguments"]] * 3 + [["answer"]]
    assert all(shape["additionalProperties"] is False for shape in shapes)
    assert list(last["properties"]) == ["answer"]


def test_two_shapes_of_one_name_do_not_mix_in_the_schema():
    def shape(field: str) -> type[BaseModel]:
        class Inner(BaseModel):
            __annotations__ = {field: str}

        class Outer(BaseModel):
            inner: Inner

        return Outer

    tools = [ToolFunction(n, "", shape(n), lambda a: "") for n in ("one", "two")]
    model = deciding("json", "x")
    ModelRoles(model).converse("interpret", OPENING, tools)
    text = json.dumps(model.asked[0][1])
    assert text.count('"properties": {"one": ') == text.count('"properties": {"two": ') == 1


def test_an_opening_that_the_user_does_not_end_gets_a_message_of_its_own():
    model = deciding("json", "x")
    ModelRoles(model).converse("interpret", OPENING[:1], Room().tools)
    assert model.last_prompt[0] == OPENING[0]
    assert JSON_TOOLS in model.last_prompt[1].text


# Recoveries


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("fly", {}), "there is no tool 'fly'; the tools are: find, look, wait"),
        (("find", {}), "find was not called: the JSON does not fit: what: Field required"),
        (
            ("find", {"what": "mug", "how": 1}),
            "find was not called: the JSON does not fit: how: Extra inputs are not permitted",
        ),
        (
            ("find", {"what": nested(70)}),
            "find was not called: its arguments are nested too deep",
        ),
        (("find", {"what": "unicorn"}), "There is no unicorn here"),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_answered_and_the_model_goes_on(mode, call, error):
    said = talk(deciding(mode, [call], [("find", {"what": "mug"})], "x"))
    assert (said.reply, said.mistakes, said.bad_replies) == ("x", 1, 0)
    assert said.uses[0].error == error
    assert said.uses[0].result == ()
    assert said.messages[3].text == f"Error: {error}."
    assert said.uses[1].error is None


def test_half_a_character_in_arguments_is_told_and_goes_no_further():
    room = Room()
    said = talk(deciding("native", [("find", {"what": "half \ud83d"})], "x"), room=room)
    assert room.found == []
    assert "its arguments hold half a character" in said.messages[3].text
    assert said.messages[2].tool_calls[0].arguments == {}
    assert (said.reply, said.mistakes) == ("x", 1)


def test_the_same_call_is_not_carried_out_twice(mode):
    room = Room()
    first = ("find", {"what": "mug"})
    spelt_out = ("find", {"near": "anything", "what": "mug"})
    said = talk(deciding(mode, [first], [("wait", {})], [spelt_out], "x"), room=room)
    assert room.found == [Find(what="mug")]
    assert "was called with these arguments before" in said.uses[2].error
    assert (said.reply, said.mistakes) == ("x", 1)


def test_the_same_call_after_a_refusal_is_not_made_again(mode):
    room = Room()
    said = talk(deciding(mode, *[[("find", {"what": "unicorn"})]] * 2, "x"), room=room)
    assert len(room.found) == 1
    assert said.mistakes == 2


def test_a_refused_call_may_be_made_again_once_another_was_carried_out(mode):
    """What it lacked may be there now."""
    room = Room()
    unicorn = [("find", {"what": "unicorn"})]
    said = talk(deciding(mode, unicorn, [("wait", {})], unicorn, unicorn, "x"), room=room)
    assert len(room.found) == 2
    assert said.mistakes == 3 and "before" in said.uses[3].error


def test_calls_beyond_the_most_of_a_reply_are_answered_and_not_carried_out():
    room = Room()
    many = [("find", {"what": f"thing {n}"}) for n in range(CALLS_A_REPLY + 2)]
    said = talk(deciding("native", many, "x"), room=room)
    assert len(room.found) == CALLS_A_REPLY
    assert [use.error for use in said.uses[CALLS_A_REPLY:]] == [
        "only 16 calls of a reply are carried out"
    ] * 2
    assert sum(m.role == "tool" for m in said.messages) == CALLS_A_REPLY + 2


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Completion("It is on the shelf, I think."), "the reply holds no JSON object"),
        (Completion("", problem="the reply is empty"), "the reply is empty"),
        (Completion('{"place": "shel', finish_reason="length"), "cut off at its longest"),
    ],
)
def test_prose_where_a_call_or_a_shaped_answer_is_needed_is_told_what_was_wrong(
    mode, reply, problem
):
    said = talk(deciding(mode, reply, [("wait", {})], Place(place="x", sure=True)), Place)
    assert said.reply == Place(place="x", sure=True)
    assert (said.bad_replies, said.mistakes) == (1, 1)
    bad, told = said.messages[2:4]
    assert bad.text == (reply.text or "(no reply)")
    assert told.role == "user" and problem in told.text
    assert "Call one of the tools (find, look, wait)" in told.text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"tool": "find", "answer": "x"}', "holds a call and an answer"),
        ('{"tool": 3, "arguments": {}}', "names no tool and holds no answer"),
        ('{"arguments": {"what": "mug"}}', "names no tool and holds no answer"),
        ('{"tool": "find", "arguments": "mug"}', "arguments: Input should be a valid dictionary"),
        ('{"tool": "look"} {"tool": "wait"}', "2 different JSON objects"),
        ('{"what": "mug"}', "none of the fields tool, arguments, answer"),
        ('{"answer": " "}', "the answer is empty"),
        ('{"tool": "find", "arguments": {"what": "\\ud83d"}}', "half a character"),
    ],
)
def test_json_of_another_shape_is_told_what_was_wrong(text, problem):
    said = talk(deciding("json", Completion(text), [("wait", {})], "x"))
    assert (said.reply, said.bad_replies) == ("x", 1)
    assert problem in said.messages[3].text


def test_a_shaped_answer_that_does_not_fit_is_told_why(mode):
    text = '{"place": 3}' if mode == "native" else '{"answer": {"place": 3}}'
    said = talk(deciding(mode, Completion(text), Place(place="x", sure=True)), Place)
    assert said.reply == Place(place="x", sure=True)
    assert "place: Input should be a valid string; sure: Field required" in said.messages[3].text


def test_an_answer_before_any_call_is_taken_only_where_none_is_needed(mode):
    decisions = ["a guess", [("fly", {})], "a guess", [("wait", {})], "a finding"]
    said = talk(deciding(mode, *decisions), needs_call=True, reasks=5)
    assert (said.reply, said.bad_replies, said.mistakes) == ("a finding", 2, 3)
    assert "no tool was called before the answer" in said.messages[3].text
    assert talk(deciding(mode, *decisions)).reply == "a guess"


def test_good_calls_beside_a_broken_one_are_carried_out_and_it_is_told():
    half = Completion(
        "",
        tool_calls=(ToolCall("a", "wait", {}),),
        problem="the arguments of the tool call 'find' are no JSON object",
    )
    said = talk(deciding("native", half, "x"))
    assert [m.role for m in said.messages[2:5]] == ["assistant", "tool", "user"]
    assert said.messages[4].text.startswith("A part of that reply could not be used: the arguments")
    assert (said.reply, said.mistakes) == ("x", 1)


CALL = '{"name": "find", "arguments": {"what": "mug"}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<think>{{hm}}</think>\n{CALL}",
    ],
)
@pytest.mark.compatibility("calls written out as text", "any model", "replies by script")
def test_natively_a_reply_that_is_a_call_written_out_is_that_call(text):
    room = Room()
    said = talk(deciding("native", Completion(text), "x"), room=room)
    assert room.found == [Find(what="mug")]
    assert (said.reply, said.mistakes) == ("x", 0)


@pytest.mark.parametrize(
    "text", [f"I called {CALL}.", CALL.replace("find", "fly"), '{"name": "find"}', "[1]"]
)
def test_natively_other_text_is_an_answer(text):
    assert talk(deciding("native", Completion(text))).reply == text


@pytest.mark.parametrize("name", ['["find"]', '{"find": 1}', "null", "7"])
def test_natively_a_written_call_whose_name_is_no_text_is_no_call(name):
    text = f'{{"name": {name}, "arguments": {{}}}}'
    assert talk(deciding("native", Completion(text))).reply == text


@pytest.mark.parametrize(
    "garbled",
    [
        Completion('{"answer": {"place": "shelf\ufffd", "sure": true}}'),
        Completion('{"place": "shelf\ufffd", "sure": true}'),
        Completion("", tool_calls=(ToolCall("a", "find", {"what": "m\ufffdg"}),)),
        Completion('{"tool": "find", "arguments": {"what": "m\ufffdg"}}'),
    ],
)
def test_a_reply_in_invalid_utf_8_is_neither_carried_out_nor_an_answer(mode, garbled):
    room = Room()
    reply = replace(garbled, finish_reason="garbled", problem="the reply is no valid UTF-8")
    said = talk(deciding(mode, reply, [("wait", {})], Place(place="x", sure=True)), Place, room)
    assert room.found == [] and said.reply == Place(place="x", sure=True)
    assert (said.bad_replies, said.mistakes) == (1, 1)
    assert "could not be used: the reply is no valid UTF-8" in said.messages[3].text


def test_thoughts_are_no_part_of_an_answer():
    reply = Completion("<think>shelf? table?</think>\nThe shelf.")
    assert talk(deciding("native", reply)).reply == "The shelf."


# Bounds


def test_replies_in_a_row_without_a_result_end_the_conversation(mode):
    model = deciding(mode, [("fly", {})])
    said = talk(model)
    assert (said.reply, said.replies, len(model.asked)) == (None, 3, 3)
    assert said.problem == (
        "nothing was carried out in 3 replies in a row: "
        "there is no tool 'fly'; the tools are: find, look, wait"
    )


def test_a_result_begins_the_row_anew(mode):
    fly = [("fly", {})]
    model = deciding(mode, fly, fly, [("wait", {})], fly, fly, "x")
    assert talk(model).reply == "x"


def test_the_last_reply_is_asked_for_as_the_answer(mode):
    decisions = [[("find", {"what": f"thing {n}"})] for n in range(9)]
    room = Room()
    model = deciding(mode, *decisions)
    said = talk(model, room=room, max_replies=4)
    assert len(room.found) == 3 and len(model.asked) == said.replies == 4
    assert "This is your last reply." in model.last_prompt[-1].text
    assert not any("last reply" in m.text for m in model.asked[2][0])
    assert said.uses[3].error == "no more tools are called"
    assert said.problem == "no answer in 4 replies: no more tools are called"
    assert talk(deciding(mode, *decisions[:3], "x"), max_replies=4).reply == "x"


def test_a_prompt_after_the_last_tool_still_alternates_by_json():
    model = deciding("json", [("wait", {})], "x")
    talk(model, max_replies=2)
    assert [m.role for m in model.last_prompt] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("reply", ["", "prose", '{"tool": "look", "arguments": {}}'])
@pytest.mark.parametrize("reasks", [0, 2, 50])
def test_no_reply_repeated_for_ever_runs_for_ever(mode, reply, reasks):
    model = deciding(mode, Completion(reply))
    said = talk(model, Place, reasks=reasks)
    assert said.reply is None and said.problem
    assert len(model.asked) == said.replies <= 12


def test_what_cannot_be_a_conversation_is_a_bug_of_the_caller():
    roles, tools = ModelRoles(deciding("native", "x")), Room().tools
    for messages, functions, replies in (
        ([], tools, 12),
        (OPENING, [], 12),
        (OPENING, [*tools, tools[0]], 12),
        (OPENING, tools, 1),
    ):
        with pytest.raises(ValueError, match="tools of different names"):
            roles.converse("interpret", messages, functions, max_replies=replies)
    for name in ("", "two words", "x" * 65):
        with pytest.raises(ValueError, match="no name for a tool"):
            ToolFunction(name, "", Nothing, lambda _: "")


# What is raised passes through


def test_a_budget_that_ends_in_the_middle_passes_through():
    model, heard = deciding("native", [("wait", {})], "x"), []
    roles = ModelRoles(model)
    roles.listen(heard.append)

    def one_call() -> None:
        if heard:
            raise BudgetReached("used up")

    roles.gate = one_call
    with pytest.raises(BudgetReached):
        roles.converse("interpret", OPENING, Room().tools)
    assert len(model.asked) == len(heard) == 1


@pytest.mark.parametrize("error", [BudgetReached("used up"), ModelUnavailable("down"), KeyError()])
def test_what_a_handler_raises_beside_a_refusal_passes_through(error):
    def handler(_: Nothing) -> str:
        raise error

    tool = ToolFunction("wait", "", Nothing, handler)
    with pytest.raises(type(error)):
        ModelRoles(deciding("native", [("wait", {})], "x")).converse("plan", OPENING, [tool])


def test_a_handler_may_ask_a_model_and_all_is_heard_in_order():
    roles = ModelRoles(deciding("native", [("judge", {})], "x"), {"judge": deciding("json", "yes")})
    heard: list[ModelCall] = []
    roles.listen(heard.append)

    class Verdict(BaseModel):
        answer: str

    tool = ToolFunction(
        "judge",
        "",
        Nothing,
        lambda _: roles.ask("judge", [user("good?")], Verdict).parsed.answer,
    )
    said = roles.converse("interpret", OPENING, [tool])
    assert said.uses[0].result == ("yes",)
    assert [call.role for call in heard] == ["interpret", "judge", "interpret"]


# What listeners hear


def test_listeners_hear_each_prompt_as_it_was_sent_and_each_reply_judged(mode):
    model = deciding(mode, Completion(""), [("wait", {})], Place(place="x", sure=True))
    roles, heard = ModelRoles(model), []
    roles.listen(heard.append)
    roles.converse("interpret", OPENING, Room().tools, Place)
    assert [call.messages for call in heard] == [messages for messages, _, _ in model.asked]
    assert [call.attempt for call in heard] == [0, 1, 0]
    assert [call.tools for call in heard] == [tools for _, _, tools in model.asked]
    assert [call.completion.problem for call in heard] == ["the reply is empty", None, None]
    assert heard[2].completion.parsed == Place(place="x", sure=True)
    assert {(call.role, call.completion.model) for call in heard} == {("interpret", "deciding")}


# A server that refuses tools


def test_a_refusal_of_tools_makes_the_conversation_go_on_by_json():
    model = Deciding([("wait", {})], "x", refuses_from=0)
    said = talk(model)
    assert said.reply == "x"
    assert [tools for _, _, tools in model.asked] == [(), ()]


def test_a_refusal_in_the_middle_keeps_what_was_said():
    pair = [("find", {"what": "mug"}), ("look", {})]
    model = Deciding(pair, [("wait", {})], "x", refuses_from=1)
    said = talk(model)
    assert said.reply == "x"
    assert [use.call.name for use in said.uses] == ["find", "look", "wait"]
    assert [m.role for m in model.last_prompt[2:]] == ["assistant", "user", "assistant", "user"]
    first = model.last_prompt[2].text.splitlines()
    assert [json.loads(line)["tool"] for line in first] == ["find", "look"]
    results = model.last_prompt[3]
    assert results.content[:2] == ("Result of find:", "The mug is on the shelf.")
    assert len(results.images) == 2


# Ids and names that a server takes back


def sent_calls(said: Any) -> list[tuple[str, str]]:
    return [(call.id, call.name) for m in said.messages for call in m.tool_calls]


def test_ids_that_the_server_sends_are_kept_and_others_made_up():
    def reply(*ids: str) -> Completion:
        calls = (ToolCall(i, "find", {"what": f"{i}{n}"}) for n, i in enumerate(ids))
        return Completion("", tool_calls=tuple(calls))

    said = talk(deciding("native", reply("abc", ""), reply("abc", "call00002"), "x"))
    ids = [i for i, _ in sent_calls(said)]
    assert ids == ["abc", "call00000", "call00001", "call00002"]
    assert ids == [m.tool_call_id for m in said.messages if m.role == "tool"]


def test_a_made_up_name_is_sent_back_in_the_letters_that_names_have():
    names = ["functions.find", "find\ud83d", "", "x" * 99]
    said = talk(deciding("native", [(name, {}) for name in names], "x"))
    assert [name for _, name in sent_calls(said)] == ["functions_find", "find_", "_", "x" * 64]
    assert [use.call.name for use in said.uses] == names
    assert "there is no tool 'functions.find'" in said.uses[0].error
    json.dumps([m.text for m in said.messages], ensure_ascii=False).encode()


def test_half_characters_from_a_handler_are_mended():
    tool = ToolFunction("wait", "", Nothing, lambda _: "half \ud83d")
    said = ModelRoles(deciding("native", [("wait", {})], "x")).converse("plan", OPENING, [tool])
    assert said.uses[0].result == ("half ?",)


# A recording of it


def plain(value: Any) -> Any:
    """As JSON, pictures by their hash: two pictures of the same content are two objects."""
    if isinstance(value, Image):
        return value.sha256
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value):
        return {name: plain(item) for name, item in vars(value).items()}
    return value.model_dump() if isinstance(value, BaseModel) else value


def stored(calls: list[ModelCall]) -> list[ModelCall]:
    """Written and read back as a run folder does it."""
    adapter = TypeAdapter(list[ModelCall])
    return adapter.validate_json(adapter.dump_json(calls))


def unpaid(call: ModelCall) -> Completion:
    """The completion of a repeated call, under the name of the model that was recorded."""
    return Completion(**vars(call.completion))


RECOVERIES = {
    "all": (
        Completion("", problem="the reply is empty", finish_reason="length"),
        [("look", {})],
        Completion('{"place": "shel', finish_reason="length"),
        Completion("prose"),
        [("find", {"what": "unicorn"})],
        [("wait", {})],
        Place(place="x", sure=True),
    ),
    "too soon": (Place(place="y", sure=True), [("wait", {})], Place(place="x", sure=True)),
}


@pytest.mark.parametrize("refuses_from", [None, 0, 2])
@pytest.mark.parametrize("kind", RECOVERIES)
@pytest.mark.compatibility("recorded replies", "any model", "conversations with tools, by script")
def test_a_conversation_is_repeated_from_its_recording(mode, kind, refuses_from):
    options: dict[str, Any] = {"needs_call": True, "reasks": 9}
    model = deciding(mode, *RECOVERIES[kind])
    model.refuses_from = refuses_from
    roles, heard = ModelRoles(model), []
    roles.listen(heard.append)
    first = roles.converse("interpret", OPENING, Room().tools, Place, **options)

    again = RecordedRoles(Recording("runs/a", [(0, c) for c in stored(heard)], {"default": "m"}))
    repeated: list[ModelCall] = []
    again.listen(repeated.append)
    second = again.converse("interpret", OPENING, Room().tools, Place, **options)
    assert second.reply == first.reply == Place(place="x", sure=True)
    assert plain(second) == plain(first)
    assert plain([replace(call, completion=unpaid(call)) for call in repeated]) == plain(heard)


def test_a_recording_that_differs_says_where(mode):
    roles, heard = ModelRoles(deciding(mode, [("wait", {})], "x")), []
    roles.listen(heard.append)
    roles.converse("interpret", OPENING, Room().tools)
    again = RecordedRoles(Recording("runs/a", [(0, c) for c in stored(heard)], {"default": "m"}))
    with pytest.raises(ModelUnavailable, match="has no reply for the role 'interpret'"):
        again.converse("interpret", [user("Where is the plate?")], Room().tools)


def test_literal_arguments_are_held_by_the_schema_of_the_tool():
    class Turn(BaseModel):
        way: Literal["left", "right"]

    tool = ToolFunction("turn", "", Turn, lambda a: a.way)
    model = deciding("native", [("turn", {"way": "up"})], [("turn", {"way": "left"})], "x")
    said = ModelRoles(model).converse("plan", OPENING, [tool])
    assert "Input should be 'left' or 'right'" in said.uses[0].error
    assert said.uses[1].result == ("left",)
