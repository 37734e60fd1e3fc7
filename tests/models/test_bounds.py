"""What a server may take and send: bytes, seconds, requests in flight, odd replies; and the key."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import pytest

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Message, ModelCall, Tool, Usage, user
from journeyman.methods.elite.replies import CoarsePlanReply
from journeyman.models import bounds, structured
from journeyman.models import trouble as kinds
from journeyman.models.endpoint import EndpointModel
from journeyman.models.ledger import Ledger
from journeyman.models.options import ModelOptions
from journeyman.models.redaction import Redaction
from journeyman.models.roles import ModelRoles
from journeyman.models.trouble import NoReply, Troubled
from tests.support.fake_server import FakeServer, Fault, ScriptedModel, dropped, raw, refused

KEY = "sk-4/9f+cc2b7d51=eed"
PLAN = '{"coarse_plan": ["find the mug"]}'


@pytest.fixture(autouse=True)
def no_key_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def endpoint(server: FakeServer, **options: Any) -> EndpointModel:
    chosen = ModelOptions(base_url=server.base_url, **options)
    return EndpointModel("openai/served", chosen, sleep=lambda _: None)


def chat(message: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": 5}
    return {"choices": [{"message": message, **more}], "usage": usage}


def asked(fault: Fault, **options: Any) -> Completion:
    with FakeServer(faults=[fault]) as server:
        return endpoint(server, tries=1, **options).complete([user("hi")])


# Size and time


@pytest.mark.parametrize("status", [200, 400, 500])
def test_of_a_body_without_end_no_more_is_read_than_fits(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "LARGEST_BODY", 2**16)
    endless = Fault(status, "x" * 2**22)
    with FakeServer(faults=[endless, endless]) as server:
        with pytest.raises(ModelUnavailable, match="tried 2 times: the answer is larger than"):
            endpoint(server, tries=2).complete([user("hi")])
        assert endpoint(server).complete([user("hi")]).text == "hello"


@pytest.mark.parametrize("status", [200, 500])
def test_a_body_that_drips_is_given_up_though_it_is_never_silent(status: int) -> None:
    dripping = Fault(status, "x" * 1000, drip_s=0.05)
    with (
        FakeServer(faults=[dripping]) as server,
        pytest.raises(ModelUnavailable, match=r"no answer within 0\.3 s"),
    ):
        endpoint(server, tries=1, timeout_s=0.3).complete([user("hi")])


def test_a_text_longer_than_any_asked_for_is_cut_counted_and_told() -> None:
    fault = raw(chat({"content": '{"coarse_plan": ["' + "so " * 100_000}))
    with FakeServer(faults=[fault]) as server:
        roles, heard = ModelRoles(endpoint(server)), list[ModelCall]()
        roles.listen(heard.append)
        reply = roles.ask("coarse_plan", [user("Plan.")], CoarsePlanReply)
    assert (len(reply.text), reply.usage, reply.parsed) == (65_536, Usage(9, 5), None)
    assert reply.problem == (
        "the JSON object in the reply is not complete"
        " (it was cut off at its longest allowed length)"
    )
    assert ledger(*heard).total.troubles == {kinds.LONG: 1}


def test_a_text_is_kept_whole_as_far_as_max_tokens_may_reach() -> None:
    fault = raw(chat({"content": "x" * 100_000}))
    assert len(asked(fault, max_tokens=10_000).text) == 100_000


def test_a_bad_reply_is_quoted_in_part_when_it_is_asked_for_again() -> None:
    model = ScriptedModel("no " * 10_000, PLAN)
    roles = ModelRoles(model)
    assert roles.ask("coarse_plan", [user("x")], CoarsePlanReply, reasks=1).parsed is not None
    assert len(model.asked[1][0][1].text) == structured.LONGEST_QUOTED


@pytest.mark.parametrize(
    ("calls", "kept", "problem"),
    [
        (
            [{"function": {"name": "f", "arguments": json.dumps({"a": "x" * 70_000})}}],
            0,
            "too long",
        ),
        ([{"function": {"name": "f", "arguments": "{}"}}] * 70, 64, "70 tool calls, of which 64"),
        ([{"function": {"name": "f" * 999, "arguments": "{}"}, "id": "i" * 999}], 1, None),
        ([{"function": {"name": "half \ud83d", "arguments": "{}"}}], 1, None),
    ],
)
def test_tool_calls_are_bounded_in_number_and_length(
    calls: list[Any], kept: int, problem: str | None
) -> None:
    reply = asked(raw(chat({"content": "", "tool_calls": calls})))
    assert len(reply.tool_calls) == kept
    for call in reply.tool_calls:
        assert max(len(call.name), len(call.id)) <= 200
        call.name.encode()
    assert (problem is None) == (reply.problem is None)
    assert problem is None or problem in str(reply.problem)


@pytest.mark.parametrize("odd", [10**400, 1e300, 2**60, -1, float("nan"), "9", True, None, [1]])
def test_a_count_that_is_none_is_no_crash(odd: Any) -> None:
    reply = asked(raw({**chat({"content": "ok"}), "usage": {"prompt_tokens": odd}}))
    assert reply.usage == Usage(1 if odd is True else 0)


@pytest.mark.parametrize("odd", [{"a": 1}, ["m"], 7, "", "\n", "two\nlines \ud83d\x1b[31m" * 99])
def test_names_are_one_line_of_bounded_length(odd: Any) -> None:
    reply = asked(raw({**chat({"content": "ok"}, finish_reason=odd), "model": odd}))
    for name in (reply.model, reply.finish_reason):
        assert 0 < len(name) <= 200 and name.isprintable()
        name.encode()


# Replies that are paid for and odd


def test_of_two_choices_the_first_is_used_and_the_usage_counts_once() -> None:
    reply = chat({"content": "first"})
    reply["choices"].append({"message": {"content": "second"}})
    completion = asked(raw(reply))
    assert (completion.text, completion.usage) == ("first", Usage(9, 5))
    assert isinstance(completion, Troubled) and completion.troubles == {kinds.CHOICES: 1}


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3(", b"\xe2\x82", b"\xed\xa0\x80"])
def test_invalid_utf8_is_a_problem_of_a_reply_that_was_paid_for(bad: bytes) -> None:
    body = json.dumps(chat({"content": PLAN})).encode().replace(b"mug", b"mug" + bad)
    with FakeServer(faults=[Fault(body=body)]) as server:
        roles = ModelRoles(endpoint(server))
        reply = roles.ask("coarse_plan", [user("Plan.")], CoarsePlanReply)
    assert (reply.parsed, reply.problem) == (None, "the reply is no valid UTF-8")
    assert reply.usage == Usage(9, 5)
    assert "\N{REPLACEMENT CHARACTER}" in reply.text
    again = structured.read(Completion(reply.text, finish_reason=reply.finish_reason), Choice)
    assert again.parsed is None, "nor is it used when it is read from a recording"


Choice = CoarsePlanReply


def test_a_byte_order_mark_is_no_harm() -> None:
    body = json.dumps(chat({"content": "ok"})).encode("utf-8-sig")
    assert asked(Fault(body=body)).text == "ok"


@pytest.mark.parametrize("reply", [{}, {"status": "loading"}, {"choices": None}, {"choices": {}}])
def test_an_object_with_neither_choices_nor_a_bill_is_asked_for_again(
    reply: dict[str, Any],
) -> None:
    with FakeServer(faults=[raw(reply)]) as server:
        completion = endpoint(server, tries=2).complete([user("hi")])
    assert completion.text == "hello"
    assert isinstance(completion, Troubled)
    assert (completion.retries, completion.troubles) == (1, {kinds.NO_CHAT: 1})


# What is told


def ledger(*calls: ModelCall) -> Ledger:
    told = Ledger()
    for call in calls:
        told.record(call)
    return told


def test_tries_kinds_and_waits_are_counted_beside_the_one_call() -> None:
    waits: list[float] = []
    faults = [refused(429, Retry_After="3"), refused(500), dropped()]
    with FakeServer(faults=faults) as server:
        options = ModelOptions(base_url=server.base_url)
        model = EndpointModel("openai/served", options, sleep=waits.append)
        completion = model.complete([user("hi")])
    total = ledger(ModelCall("plan", (), completion)).total
    assert (total.calls, total.usage, total.retries) == (1, Usage(7, 3, 2), 3)
    assert total.troubles == {"HTTP 429": 1, "HTTP 500": 1, kinds.BROKEN: 1}
    assert total.waited_s == sum(waits) >= 3


def test_a_call_without_a_reply_is_no_call_and_its_trouble_is_counted() -> None:
    with FakeServer(faults=[refused(500)] * 2) as server:
        roles, heard = ModelRoles(endpoint(server, tries=2)), list[ModelCall]()
        roles.listen(heard.append)
        with pytest.raises(NoReply, match="HTTP 500"):
            roles.ask("plan", [user("hi")], CoarsePlanReply)
    told = ledger(*heard)
    assert (told.total.calls, told.total.retries, told.total.unusable) == (0, 1, 0)
    assert told.total.troubles == {"HTTP 500": 2}
    assert told.uncounted == told.unpriced == ()
    restored = Ledger()
    restored.restore(json.loads(json.dumps(told.snapshot())))
    assert restored.total == told.total


def test_a_reply_without_trouble_is_a_plain_completion() -> None:
    with FakeServer() as server:
        assert type(endpoint(server).complete([user("hi")])) is Completion


# Requests in flight


class Counting:
    """Replies once ``meeting`` have come together, or at once where that cannot be any more."""

    id = "counting"
    sees_images = False

    def __init__(self, meeting: int) -> None:
        self.most = self.now = 0
        self._lock = threading.Lock()
        self._meeting = threading.Barrier(meeting)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            self._meeting.wait(60)
        finally:
            with self._lock:
                self.now -= 1
        return Completion("ok", usage=Usage(1, 1))


@pytest.mark.parametrize(("limit", "meeting"), [(1, 1), (2, 2), (3, 3), (None, 6)])
def test_no_more_requests_are_in_flight_than_the_limit_and_as_many(
    limit: int | None, meeting: int
) -> None:
    model = Counting(meeting)
    with FakeServer(model) as server:
        models = [endpoint(server, tries=1, concurrency=limit) for _ in range(2)]
        threads = [
            threading.Thread(target=models[n % 2].complete, args=([user("hi")],)) for n in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert len(server.requests) == 6
    assert model.most == meeting


def test_a_failed_request_makes_room_for_the_next() -> None:
    with FakeServer(faults=[dropped(), refused(500)]) as server:
        assert endpoint(server, concurrency=1).complete([user("hi")]).text == "hello"


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="concurrency: 0 is below 1"):
        EndpointModel("openai/m", ModelOptions(base_url="http://localhost/v1", concurrency=0))


# The key


def encodings() -> dict[str, str]:
    basic = base64.b64encode(f"Bearer {KEY}".encode()).decode()
    return {
        "plain": f"<<{KEY}>>",
        "percent": quote(f"Bearer {KEY}", safe=""),
        "Base64": base64.b64encode(KEY.encode()).decode(),
        "Base64 of the header": basic,
        "URL Base64": base64.urlsafe_b64encode(f"ab{KEY}cd".encode()).decode(),
    }


@pytest.mark.parametrize("form", encodings())
def test_a_key_is_taken_out_of_texts_in_its_usual_forms(form: str) -> None:
    text = encodings()[form]
    clean = Redaction(KEY)(text)
    assert "[key]" in clean
    assert len(clean) < len(text) - len(KEY) // 2


def test_a_placeholder_for_a_key_is_no_secret() -> None:
    assert Redaction("none")("none of the mugs") == "none of the mugs"
    assert Redaction("")("a") == "a"


@pytest.mark.parametrize("escape", [False, True])
def test_a_good_reply_that_holds_the_key_loses_it(
    escape: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    body = json.dumps({**chat({"content": f"I saw {KEY}."}), "model": KEY})
    if escape:
        body = body.replace("sk-4", "\\u0073k-4")
    completion = asked(Fault(body=body))
    assert (completion.text, completion.model) == ("I saw [key].", "[key]")
