"""The endpoint model against a real HTTP server: what is sent, what comes back, every fault."""

import io
import json
import logging
import socket
import traceback
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage, user
from journeyman.core.protocols import Model
from journeyman.methods.elite.replies import CoarsePlanReply
from journeyman.models.endpoint import EndpointModel
from journeyman.models.options import ModelOptions
from journeyman.models.roles import ModelRoles
from tests.support.fake_server import (
    FakeServer,
    Fault,
    ScriptedModel,
    dropped,
    html,
    raw,
    refused,
    silent,
    truncated,
)

KEY = "sk-test-3f9c2b7d51"
SCHEMA = {"title": "A reply!", "type": "object", "properties": {"a": {"type": "string"}}}


@pytest.fixture(autouse=True)
def no_key_outside(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def endpoint(server, waits=None, **options):
    chosen = ModelOptions(base_url=server.base_url, **options)
    sleep = (lambda _: None) if waits is None else waits.append
    return EndpointModel("openai/served-model", chosen, sleep=sleep)


def chat(message, **more):
    """A reply body with one choice."""
    return raw({"choices": [{"message": message}], **more})


# What is sent


def test_sampling_and_limits_go_along_and_no_schema_where_none_is_asked():
    with FakeServer() as server:
        endpoint(server, temperature=0.5, max_tokens=99, seed=4).complete([user("hi")])
        [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "served-model",
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0.5,
        "max_tokens": 99,
        "seed": 4,
    }


@pytest.mark.compatibility(
    "pictures in the order of the message",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_pictures_and_texts_arrive_in_the_order_of_the_message():
    red, blue = np.zeros((2, 3, 3), np.uint8), np.zeros((4, 2, 3), np.uint8)
    red[..., 0], blue[..., 2] = 255, 255
    sent = Message("user", (Image(red), "first", Image(blue), "second"))
    model = ScriptedModel("seen")
    with FakeServer(model) as server:
        endpoint(server).complete([Message("system", ("be brief",)), sent])
        kinds = [part["type"] for part in server.requests[0].body["messages"][1]["content"]]
    assert kinds == ["image_url", "text", "image_url", "text"]
    system, arrived = model.asked[0][0]
    assert (system.role, system.content) == ("system", ("be brief",))
    first, text, second, more = arrived.content
    assert (text, more) == ("first", "second")
    np.testing.assert_array_equal(first.array, red)
    np.testing.assert_array_equal(second.array, blue)


@pytest.mark.compatibility(
    "tools",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_tools_calls_and_their_results_make_the_round_trip():
    tool = Tool("look", "Look at a thing.", {"type": "object", "properties": {}})
    wanted = ToolCall("c1", "look", {"at": "mug"})
    model = ScriptedModel(Completion("", tool_calls=(wanted,), finish_reason="tool_calls"), "a mug")
    with FakeServer(model) as server:
        client = endpoint(server)
        first = client.complete([user("look")], tools=[tool])
        turns = [
            user("look"),
            Message("assistant", ("",), first.tool_calls),
            Message("tool", ("it is red",), tool_call_id="c1"),
        ]
        second = client.complete(turns, tools=[tool])
    assert first.tool_calls == (wanted,)
    assert (first.problem, first.finish_reason) == (None, "tool_calls")
    assert second.text == "a mug"
    assert model.asked[0][2] == (tool,)
    assert model.asked[1][0][1].tool_calls == (wanted,)
    assert model.asked[1][0][2].tool_call_id == "c1"


@pytest.mark.compatibility(
    "replies by JSON schema",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_the_schema_goes_as_response_format_and_not_into_the_prompt():
    model = ScriptedModel("{}")
    with FakeServer(model) as server:
        endpoint(server).complete([user("hi")], schema=SCHEMA)
        [request] = server.requests
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "A_reply_", "strict": False, "schema": SCHEMA},
    }
    assert model.asked[0][0][0].text == "hi"
    assert model.asked[0][1] == SCHEMA


# What a server refuses by name


def formats(server):
    return [r.body.get("response_format", {}).get("type", "none") for r in server.requests]


@pytest.mark.parametrize(
    ("refuses", "tried", "settled"),
    [
        ((), ["json_schema"], "json_schema"),
        (("json_schema",), ["json_schema", "json_object"], "json_object"),
        (("json_schema", "json_object"), ["json_schema", "json_object", "none"], "none"),
    ],
)
@pytest.mark.compatibility(
    "replies by JSON mode or by the prompt, where schemas are refused",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_a_refused_reply_format_is_remembered_for_the_instance(refuses, tried, settled):
    model = ScriptedModel("{}")
    with FakeServer(model, refuses=refuses) as server:
        client = endpoint(server, tries=1)
        for _ in range(3):
            client.complete([user("hi", "there")], schema=SCHEMA)
        assert formats(server) == [*tried, settled, settled]
        endpoint(server).complete([user("hi")], schema=SCHEMA)
        assert formats(server)[len(tried) + 2] == "json_schema"
    text = model.asked[-2][0][0].text
    assert text.startswith("hi\nthere")
    assert (json.dumps(SCHEMA) in text) == (settled != "json_schema")


def test_a_server_that_refuses_the_format_for_another_reason_fails_with_its_words():
    with FakeServer(faults=[refused(422, "bad response_format")] * 3) as server:
        with pytest.raises(ModelUnavailable, match="HTTP 422: bad response_format"):
            endpoint(server).complete([user("hi")], schema=SCHEMA)
        assert formats(server) == ["json_schema", "json_object", "none"]


@pytest.mark.compatibility(
    "options that are refused by name",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_max_tokens_and_seed_are_replaced_where_refused_and_each_said_once(caplog):
    with FakeServer(refuses=("max_tokens", "seed")) as server:
        client = endpoint(server, seed=3, max_tokens=50)
        for _ in range(2):
            assert client.complete([user("hi")]).text == "hello"
        bodies = [request.body for request in server.requests]
    assert len(bodies) == 4
    for body in bodies[2:]:
        assert body["max_completion_tokens"] == 50
        assert {"max_tokens", "seed"}.isdisjoint(body)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
    assert "refuses max_tokens; going on with max_completion_tokens" in caplog.text


# What comes back


@pytest.mark.compatibility(
    "usage fields",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_a_reply_carries_usage_served_name_reason_and_seconds():
    reply = Completion("ok", usage=Usage(11, 5, 4), model="served-2024", finish_reason="length")
    with FakeServer(ScriptedModel(reply)) as server:
        completion = endpoint(server).complete([user("hi")])
    assert completion.text == "ok"
    assert completion.usage == Usage(11, 5, 4)
    assert (completion.model, completion.finish_reason) == ("served-2024", "length")
    assert completion.problem is None
    assert completion.seconds > 0


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 9}, Usage(9)),
        ({"prompt_tokens": 9, "completion_tokens": None}, Usage(9)),
        ({"prompt_tokens": 9.0, "prompt_tokens_details": None}, Usage(9)),
        ({"completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}, Usage(0, 3, 2)),
        ({"prompt_tokens": "many", "completion_tokens": -4}, Usage()),
        ([1, 2], Usage()),
    ],
)
@pytest.mark.compatibility(
    "usage fields",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_missing_and_odd_usage_fields_count_as_zero(usage, expected):
    with FakeServer(faults=[chat({"content": "ok"}, usage=usage)]) as server:
        completion = endpoint(server).complete([user("hi")])
    assert completion.usage == expected
    assert completion.model == "served-model"


@pytest.mark.parametrize("body", [{"choices": []}, {"choices": None}, {}, {"choices": ["x"]}])
@pytest.mark.compatibility(
    "replies of another form",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_a_reply_without_choices_is_a_problem_and_no_error(body):
    with FakeServer(faults=[raw({**body, "usage": {"prompt_tokens": 6}})]) as server:
        completion = endpoint(server).complete([user("hi")])
    assert (completion.text, completion.parsed) == ("", None)
    assert completion.problem == "the server's reply holds no choices"
    assert completion.usage == Usage(6)


@pytest.mark.parametrize(
    ("message", "text", "problem"),
    [
        ({"content": None}, "", "the reply is empty"),
        ({}, "", "the reply is empty"),
        ({"content": "  "}, "  ", "the reply is empty"),
        ({"content": None, "refusal": "I will not"}, "", "the model refused: I will not"),
        ({"content": [{"type": "text", "text": "a"}, {"text": "b"}, 3]}, "ab", None),
        ({"content": "half \ud83d"}, "half ?", None),
        (
            {"content": "", "tool_calls": [{"function": {"name": "look", "arguments": "{oops"}}]},
            "",
            "the arguments of the tool call 'look' are no JSON object",
        ),
        (
            {"content": "", "tool_calls": [{"function": None}]},
            "",
            "the arguments of the tool call '' are no JSON object",
        ),
    ],
)
@pytest.mark.compatibility(
    "replies of another form",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_odd_messages_are_completions_with_a_problem(message, text, problem):
    with FakeServer(faults=[chat(message)]) as server:
        completion = endpoint(server).complete([user("hi")])
    assert (completion.text, completion.problem, completion.tool_calls) == (text, problem, ())


def test_a_planner_reads_its_reply_through_the_server():
    model = ScriptedModel("nothing", '{"coarse_plan": ["find the mug"]}')
    with FakeServer(model) as server:
        roles = ModelRoles(endpoint(server))
        reply = roles.ask("coarse_plan", [user("Plan it.")], CoarsePlanReply, reasks=1)
    assert reply.parsed == CoarsePlanReply(coarse_plan=["find the mug"])
    assert [message.role for message in model.asked[1][0]] == ["user", "assistant", "user"]


def test_it_is_a_model():
    with FakeServer() as server:
        client = endpoint(server)
    assert isinstance(client, Model)
    assert (client.id, client.sees_images) == ("openai/served-model", True)


# Faults

PASSING = {
    "429": (lambda: refused(429, "slow down"), "HTTP 429: slow down"),
    "500": (lambda: refused(500, "oops"), "HTTP 500: oops"),
    "503": (lambda: refused(503, "loading"), "HTTP 503: loading"),
    "html 502": (lambda: html(502), "HTTP 502: an HTML page"),
    "html 200": (lambda: html(200), "the body is no JSON: an HTML page"),
    "truncated": (truncated, "the body is no JSON: "),
    "no object": (lambda: raw([1]), "the body is JSON, but no object"),
    "error in 200": (lambda: raw({"error": {"message": "busy"}}), "reports an error: busy"),
    "dropped": (dropped, "the connection failed"),
}


@pytest.mark.parametrize("kind", PASSING)
@pytest.mark.compatibility(
    "retries",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_a_passing_fault_is_tried_again_until_the_reply_comes(kind):
    fault, _ = PASSING[kind]
    waits = []
    with FakeServer(faults=[fault(), fault()]) as server:
        assert endpoint(server, waits, tries=3).complete([user("hi")]).text == "hello"
        assert len(server.requests) == 3
    assert len(waits) == 2


@pytest.mark.parametrize("kind", PASSING)
@pytest.mark.compatibility(
    "retries",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_a_lasting_fault_ends_after_the_tries_with_one_clear_sentence(kind):
    fault, words = PASSING[kind]
    with FakeServer(faults=[fault() for _ in range(9)]) as server:
        with pytest.raises(ModelUnavailable) as caught:
            endpoint(server, tries=3).complete([user("hi")])
        assert len(server.requests) == 3
    message = caught.value.message
    start = f"no reply from openai/served-model at {server.base_url}, tried 3 times: "
    assert message.startswith(start)
    assert words in message
    assert "\n" not in message
    assert "command again" in caught.value.hint


@pytest.mark.compatibility(
    "the longest wait",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_silence_is_given_up_after_the_timeout():
    with FakeServer(faults=[silent(), silent()]) as server:
        model = endpoint(server, tries=2, timeout_s=0.1)
        with pytest.raises(ModelUnavailable, match=r"tried 2 times: no answer within 0\.1 s"):
            model.complete([user("hi")])


def test_a_server_that_is_not_there_is_named_with_a_command_to_look():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    options = ModelOptions(base_url=where, tries=2)
    model = EndpointModel("openai/m", options, sleep=lambda _: None)
    with pytest.raises(ModelUnavailable, match="the connection failed") as caught:
        model.complete([user("hi")])
    assert f"curl {where}/models" in caught.value.hint


NO_QUOTA = json.dumps({"error": {"message": "pay", "code": "insufficient_quota"}})


@pytest.mark.parametrize(
    ("fault", "words", "hint"),
    [
        (refused(401, "bad key"), "a key is wanted and OPENAI_API_KEY is not set", "export OPENAI"),
        (refused(403, "not yours"), "HTTP 403: not yours", "export OPENAI_API_KEY"),
        (refused(404, "no such model"), "HTTP 404: no such model", "/models"),
        (refused(400, "too long"), "HTTP 400: too long", "Mend"),
        (refused(501, "no embeddings here"), "HTTP 501: no embeddings here", "Mend"),
        (refused(400, "image input is not supported"), "image input", "--set observation=text"),
        (Fault(429, NO_QUOTA), "HTTP 429: pay", "Mend"),
    ],
)
def test_what_trying_again_cannot_help_is_said_at_once(fault, words, hint):
    waits = []
    with FakeServer(faults=[fault]) as server:
        with pytest.raises(ModelUnavailable, match="tried once") as caught:
            endpoint(server, waits, tries=5).complete([user("hi")])
        assert len(server.requests) == 1
    assert words in caught.value.message
    assert hint in caught.value.hint
    assert waits == []


def test_waits_double_with_jitter_and_stay_below_half_a_minute():
    waits = []
    with FakeServer(faults=[refused(500) for _ in range(8)]) as server:
        endpoint(server, waits, tries=9).complete([user("hi")])
    for wait, longest in zip(waits, [1, 2, 4, 8, 16, 30, 30, 30], strict=True):
        assert longest / 2 <= wait <= longest
    assert len({wait / longest for wait, longest in zip(waits, [1, 2, 4, 8], strict=False)}) == 4


@pytest.mark.parametrize(
    ("retry_after", "lowest", "highest"),
    [("7", 7, 7), ("0", 0, 0), ("3600", 60, 60), ("soon", 0.5, 1), ("nan", 0.5, 1), ("-5", 0, 0)],
)
@pytest.mark.compatibility(
    "retries",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_retry_after_is_honoured_up_to_a_minute(retry_after, lowest, highest):
    waits = []
    with FakeServer(faults=[refused(429, retry_after=retry_after)]) as server:
        endpoint(server, waits).complete([user("hi")])
    [wait] = waits
    assert lowest <= wait <= highest


# Address and key


def test_the_address_comes_from_the_environment_where_no_option_gives_it(monkeypatch):
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url + "/")
        assert EndpointModel("openai/m").complete([user("hi")]).text == "hello"


def test_a_local_server_without_a_key_gets_a_placeholder():
    with FakeServer() as server:
        endpoint(server).complete([user("hi")])
        assert server.requests[0].headers["authorization"] == "Bearer none"


def test_the_key_is_read_from_the_named_variable(monkeypatch):
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    with FakeServer(key=KEY) as server:
        assert endpoint(server, key_env="MY_KEY").complete([user("hi")]).text == "hello"


def test_openai_itself_without_a_key_is_refused_before_any_call():
    with pytest.raises(ConfigError) as caught:
        EndpointModel("openai/gpt-4o")
    assert caught.value.message == (
        "openai/gpt-4o at https://api.openai.com/v1 needs a key, and OPENAI_API_KEY is not set."
    )
    assert "export OPENAI_API_KEY=" in caught.value.hint


@pytest.mark.parametrize("key", ["sk-\u00e9t\u00e9", "sk-a b", "sk-a\nb"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY holds characters") as caught:
        EndpointModel("openai/gpt-4o")
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x/v1", "http://", "http://x:port/v1"])
def test_what_is_no_address_is_refused_with_an_example(url):
    with pytest.raises(ConfigError, match="no address of a server") as caught:
        EndpointModel("openai/m", ModelOptions(base_url=url))
    assert "http://localhost:8000/v1" in caught.value.hint


@pytest.mark.parametrize("options", [{"tries": 0}, {"timeout_s": 0}])
def test_limits_out_of_range_are_refused(options):
    with pytest.raises(ConfigError, match="tries must be 1 or more and timeout_s above 0"):
        EndpointModel("openai/m", ModelOptions(base_url="http://localhost/v1", **options))


ECHO = refused(400, f"you sent Bearer {KEY} and that is wrong")
LEAKS = {
    "echo in 400": ECHO,
    "echo in 500": refused(500, f"trace: Authorization {KEY}"),
    "echo in 403": refused(403, KEY),
    "echo in html": Fault(502, f"<p>{KEY}</p>", content_type="text/html"),
    "echo in text": Fault(200, f"key={KEY}"),
    "echo in 200": raw({"error": {"message": f"{KEY} is over its limit"}}),
    "dropped": dropped(),
    "truncated": truncated(),
    "refused": refused(401, f"Incorrect API key provided: {KEY[:8]}***{KEY[-4:]}"),
}


@pytest.mark.parametrize("kind", LEAKS)
@pytest.mark.compatibility(
    "the key is shown nowhere",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that answers by script",
)
def test_the_key_is_in_nothing_that_is_produced(kind, monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    shown = io.StringIO()
    with FakeServer(faults=[LEAKS[kind]] * 2) as server, redirect_stdout(shown):
        with redirect_stderr(shown):
            model = endpoint(server, tries=2)
            try:
                model.complete([user("hi")], schema=SCHEMA)
                pytest.fail("a fault was expected")
            except ModelUnavailable as error:
                traceback.print_exc(file=shown)
                chain = [error.__cause__, error.__context__]
                texts = [
                    repr(error),
                    str(error),
                    str(error.args),
                    str(vars(error)),
                    *map(str, chain),
                ]
        assert f"Bearer {KEY}" in server.requests[0].headers["authorization"]
        texts += [repr(model), str(vars(model)), repr(model.options), repr(model._connection)]
    texts += [shown.getvalue(), caplog.text, *(str(vars(record)) for record in caplog.records)]
    for text in texts:
        assert KEY not in text
        assert KEY[-4:] not in text
    assert caplog.records


def test_user_and_password_in_the_address_are_not_shown():
    options = ModelOptions(base_url="http://me:secret@127.0.0.1:9/v1?token=secret", tries=1)
    model = EndpointModel("openai/m", options)
    with pytest.raises(ModelUnavailable) as caught:
        model.complete([user("hi")])
    assert "at http://127.0.0.1:9/v1, tried once" in caught.value.message
    assert "secret" not in str(caught.value) + repr(model)
