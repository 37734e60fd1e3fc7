"""Conversations with tools through a real HTTP server: what is sent, and servers that refuse it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Image, ToolCall, user
from journeyman.models import ModelOptions, ModelRoles, ToolFunction, load_model
from journeyman.models.cache import CachedModel, ReplyCache
from journeyman.models.endpoint import EndpointModel
from journeyman.models.tool_dialects import JSON_TOOLS
from tests.support.fake_server import FakeServer, Fault, ScriptedModel, raw, refused

RED = Image(np.full((2, 3, 3), (255, 0, 0), np.uint8))
OPENING = [user("Where is the mug?")]
BY_JSON = ('{"tool": "look", "arguments": {"at": "shelf"}}', '{"answer": "there"}')
CALL = Completion("", tool_calls=(ToolCall("", "look", {"at": "shelf"}),))


class Look(BaseModel):
    at: str


LOOK = ToolFunction("look", "Look at a place.", Look, lambda look: ("A red thing:", RED))
TELL = ToolFunction("look", "Look at a place.", Look, lambda look: f"A mug is on the {look.at}.")


@pytest.fixture(autouse=True)
def no_key_outside(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def endpoint(server: FakeServer, **options: Any) -> EndpointModel:
    chosen = ModelOptions(base_url=server.base_url, **{"tries": 1, **options})
    return EndpointModel("openai/served-model", chosen, sleep=lambda _: None)


def talk(model: Any, tool: Any = TELL) -> Any:
    return ModelRoles(model).converse("interpret", OPENING, [tool])


def bodies(server: FakeServer) -> list[Any]:
    return [request.body for request in server.requests]


def has_tools(server: FakeServer) -> list[bool]:
    return ["tools" in body for body in bodies(server)]


# A server that takes tools


@pytest.mark.compatibility(
    "tools",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_calls_and_results_go_as_the_protocol_has_them():
    with FakeServer(ScriptedModel(CALL, "there")) as server:
        said = talk(endpoint(server))
        first, second = bodies(server)
    assert said.reply == "there"
    assert (
        first["tools"]
        == second["tools"]
        == [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Look at a place.",
                    "parameters": Look.model_json_schema(),
                },
            }
        ]
    )
    assert "response_format" not in first and "response_format" not in second
    assert first["messages"] == [{"role": "user", "content": "Where is the mug?"}]
    assert second["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "call00000",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"at": "shelf"}'},
                }
            ],
        },
        {"role": "tool", "content": "A mug is on the shelf.", "tool_call_id": "call00000"},
    ]


@pytest.mark.compatibility(
    "tools",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_pictures_go_in_a_user_message_after_the_text_of_the_tool():
    model = ScriptedModel(CALL, "there")
    with FakeServer(model) as server:
        talk(endpoint(server), LOOK)
        _, second = bodies(server)
    _, _, tool, shown = second["messages"]
    assert tool["role"] == "tool" and isinstance(tool["content"], str)
    assert shown["role"] == "user"
    assert [part["type"] for part in shown["content"]] == ["text", "text", "image_url"]
    np.testing.assert_array_equal(model.asked[1][0][3].images[0].array, RED.array)


@pytest.mark.parametrize(
    "calls",
    [
        [{"function": {"name": "look", "arguments": '{"at": "shelf"}'}}],
        [{"id": None, "type": "function", "function": {"name": "look", "arguments": '{"at":"a"}'}}],
        [
            {"id": "same", "function": {"name": "look", "arguments": '{"at": "a"}'}},
            {"id": "same", "function": {"name": "look", "arguments": '{"at": "b"}'}},
        ],
    ],
)
def test_each_call_goes_back_with_an_id_of_its_own(calls):
    reply = raw({"choices": [{"message": {"content": None, "tool_calls": calls}}]})
    with FakeServer(ScriptedModel("there"), faults=[reply]) as server:
        said = talk(endpoint(server))
        _, second = bodies(server)
    assert (said.reply, said.mistakes) == ("there", 0)
    ids = [call["id"] for call in second["messages"][1]["tool_calls"]]
    assert ids == [m["tool_call_id"] for m in second["messages"] if m["role"] == "tool"]
    assert len(set(ids)) == len(calls) and all(ids)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{at: shelf}", "the arguments of the tool call 'look' are no JSON object"),
        ("[" * 5000, "the arguments of the tool call 'look' are no JSON object"),
        ('{"at": ' + "[" * 300 + "]" * 300 + "}", "'look' are nested too deep"),
    ],
)
def test_arguments_that_are_none_are_told_and_the_conversation_goes_on(arguments, told):
    calls = [{"id": "a", "function": {"name": "look", "arguments": arguments}}]
    reply = raw({"choices": [{"message": {"content": None, "tool_calls": calls}}]})
    with FakeServer(ScriptedModel("there"), faults=[reply]) as server:
        said = talk(endpoint(server))
    assert (said.reply, said.bad_replies) == ("there", 1)
    assert told in said.messages[2].text


# A server that refuses tools


@pytest.mark.compatibility(
    "tools by JSON, where they are refused",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that refuses tools",
)
def test_a_refusal_is_found_out_once_and_said_once(caplog):
    with FakeServer(ScriptedModel(*BY_JSON, *BY_JSON), refuses=["tools"]) as server:
        model = endpoint(server)
        for _ in range(2):
            said = talk(model)
            assert (said.reply, said.mistakes, len(said.uses)) == ("there", 0, 1)
        assert has_tools(server) == [True, False, False, False, False]
        assert model.takes_tools is False
        talk(endpoint(server))
        assert has_tools(server)[5]
    first = bodies(server)[1]
    assert JSON_TOOLS in first["messages"][0]["content"]
    assert first["response_format"]["json_schema"]["name"] == "ToolReply"
    roles = [message["role"] for message in bodies(server)[2]["messages"]]
    assert roles == ["user", "assistant", "user"]
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 2  # one an instance
    assert "refuses tools; going on with the tools in the prompt and calls as JSON" in warnings[0]


@pytest.mark.compatibility(
    "tools by JSON, where they are refused",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that refuses tools",
)
def test_a_server_that_refuses_schemas_too_has_them_in_the_prompt():
    refuses = ["tools", "json_schema", "json_object"]
    with FakeServer(ScriptedModel(*BY_JSON), refuses=refuses) as server:
        said = talk(endpoint(server), LOOK)
    assert (said.reply, said.mistakes) == ("there", 0)
    last = bodies(server)[-1]
    assert "response_format" not in last
    kinds = [part["type"] for part in last["messages"][2]["content"]]
    assert kinds.count("image_url") == 1


@pytest.mark.parametrize(
    "fault",
    [
        refused(
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
        ),
        refused(400, "registry.ollama.ai/library/gemma3:4b does not support tools"),
        refused(404, 'No endpoints found that support tool use. Try disabling "look".'),
        refused(422, "Extra inputs are not permitted: tools"),
        refused(400, "Unrecognized request argument supplied: tools"),
        refused(400, "Function calling is not enabled for this model: functions"),
        refused(500, "tools param requires --jinja flag"),
        refused(501, "tools is not supported by this server"),
    ],
    ids=lambda fault: f"{fault.status} {fault.body[24:60]}",
)
def test_refusals_are_known_by_their_words(fault):
    with FakeServer(ScriptedModel(*BY_JSON), faults=[fault]) as server:
        assert talk(endpoint(server)).reply == "there"
        assert has_tools(server) == [True, False, False]


@pytest.mark.parametrize(
    "message",
    [
        'Unexpected role "tool" in message 2',
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Only user and assistant roles are supported!",
    ],
)
def test_a_server_that_refuses_results_gets_them_by_json(message):
    class Faults(FakeServer):
        def answer(self, request: Any) -> Fault:
            if any(m["role"] == "tool" for m in request.body["messages"]):
                self.faults.append(refused(400, message))
            return super().answer(request)

    with Faults(ScriptedModel(CALL, '{"answer": "there"}')) as server:
        said = talk(endpoint(server))
        assert (said.reply, len(said.uses)) == ("there", 1)
        assert has_tools(server) == [True, True, False]
    assert bodies(server)[2]["messages"][2]["content"] == (
        "Result of look:\nA mug is on the shelf."
    )


@pytest.mark.parametrize(
    "fault",
    [
        refused(
            400,
            "This model's maximum context length is 8192 tokens, however you requested 9000 (8800 "
            "in the messages, 200 in the functions).",
        ),
        refused(400, "bad picture"),
        refused(404, "The model tools-7b does not exist"),
        refused(403, "tools are for paying users"),
        refused(500, "the tool parser crashed"),
    ],
    ids=lambda fault: str(fault.status) + fault.body[24:50],
)
def test_what_is_no_refusal_of_tools_is_a_fault_as_ever(fault):
    with FakeServer(faults=[fault]) as server:
        with pytest.raises(ModelUnavailable, match=f"HTTP {fault.status}"):
            talk(endpoint(server))
        assert len(server.requests) == 1


# What the user says


def test_native_takes_no_other_way_and_names_it():
    with FakeServer(refuses=["tools"]) as server:
        with pytest.raises(ModelUnavailable, match="does not support tools") as caught:
            talk(endpoint(server, tools="native"))
        assert len(server.requests) == 1
    assert "--set tools=json" in caught.value.hint


def test_json_never_sends_tools():
    with FakeServer(ScriptedModel(*BY_JSON)) as server:
        assert talk(endpoint(server, tools="json")).reply == "there"
        assert has_tools(server) == [False, False]


def test_a_way_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="one of auto, native, json"):
        load_model("openai/m", base_url="http://localhost:1/v1", tools="xml")


# A cache between


@pytest.mark.parametrize("refuses", [[], ["tools"]])
def test_a_repeated_conversation_asks_nobody(tmp_path, refuses):
    replies = BY_JSON if refuses else (CALL, "there")
    with FakeServer(ScriptedModel(*replies), refuses=refuses) as server:
        first = talk(cached(server, tmp_path))
        asked = len(server.requests)
    again = talk(cached(server, tmp_path))  # the server is gone
    assert asked == 2 + len(refuses)
    assert again == first
    assert again.reply == "there"


def test_a_kept_refusal_is_not_looked_at_where_native_is_asked_for(tmp_path):
    with FakeServer(ScriptedModel(*BY_JSON), refuses=["tools"]) as server:
        talk(cached(server, tmp_path))
    assert cached(server, tmp_path).takes_tools is False
    assert cached(server, tmp_path, tools="native").takes_tools is True
    assert cached(server, tmp_path, tools="json").takes_tools is False


def test_other_tools_are_another_key(tmp_path):
    with FakeServer(ScriptedModel(CALL, "there", CALL, "elsewhere")) as server:
        model = cached(server, tmp_path)
        assert talk(model).reply == "there"
        assert talk(model, ToolFunction("look", "Stare.", Look, TELL.handler)).reply == "elsewhere"


def cached(server: FakeServer, folder: Any, **options: Any) -> CachedModel:
    model = endpoint(server, **options)
    return CachedModel(model, model.options, ReplyCache(folder / "replies.db"))


def test_the_schema_that_is_sent_is_json():
    with FakeServer(ScriptedModel(*BY_JSON)) as server:
        talk(endpoint(server, tools="json"))
    wanted = bodies(server)[0]["response_format"]["json_schema"]
    assert json.loads(json.dumps(wanted["schema"]))["type"] == "object"
    assert wanted["strict"] is False
