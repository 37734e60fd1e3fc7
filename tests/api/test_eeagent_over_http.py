"""Whole EEAgent runs over a real HTTP server are the runs of the model in process."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai.types import chat

from journeyman import api
from journeyman.core.errors import ModelUnavailable
from journeyman.core.messages import Image, Message
from journeyman.core.registry import registry
from journeyman.models import connection
from journeyman.models.standin_tabletop import StandInTabletop
from journeyman.runs import RunSpec, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support import standin_server
from tests.support.standin_server import NAME, Asked, StandInServer, violations

RUNS = {
    "visual_manipulation": 1,
    "scene_understanding": 0,
    "rotate": 3,
    "rearrange": 2,
    "rearrange_then_restore": 5,
    "pick_in_order_then_restore": 7,
}
"""The seed of each; with it the task fails at first and is solved in another trial."""

PROMPTS = (
    "You are the environment interpreter of",
    "You are the image matching tool",
    "You are the semantic matching tool",
    "You are the policy planner of",
    "You describe pictures for the image-description consistency check",
    "You are the image-description consistency check",
    "You are the action-to-instruction consistency check",
    "You compare instructions for the action-to-instruction consistency check",
    "You reflect on a success of the environment interpreter",
    "You reflect on a success of the policy planner",
    "You reflect on a failure of the environment interpreter",
    "You reflect on a failure of the policy planner",
    "You judge the generality",
    "You keep the long-term memory of the environment interpreter",
    "You keep the long-term memory of the policy planner",
)
"""How all prompts begin but those of self-consistency."""

NOT_IN = {
    "You are the semantic matching tool": {*RUNS} - {"scene_understanding"},
    "You reflect on a failure of the environment interpreter": {"rearrange_then_restore"},
    "You reflect on a failure of the policy planner": {"scene_understanding", "rearrange"},
}
"""Where nobody describes in words, and where the module is not found at fault."""


def spec_for(task: str, server: StandInServer | None = None, **given: Any) -> RunSpec:
    where = {"model": f"openai/{NAME}", "base_url": server.base_url} if server else {}
    fixed = {"env": (f"few/{task}-v0",), "method": "eeagent", "embedder": "hashing"}
    return check_spec({**fixed, "seed": RUNS[task], "tasks": 1, "tries": 1, **where, **given})


@dataclass(frozen=True)
class Ran:
    """A run, and what the model was asked in it."""

    run: api.Run
    asked: Sequence[Asked]


@dataclass(frozen=True)
class Served(Ran):
    server: StandInServer


@pytest.fixture(scope="module", autouse=True)
def few_tasks() -> Iterator[None]:
    """The tabletop's tasks, one a level: each run makes all that there are."""
    names, target = registry(), "journeyman.envs.tabletop:TabletopEnv"
    for task in RUNS:
        names.env(f"few/{task}-v0", target, task=task, episodes=1, model=NAME)
    yield
    for task in RUNS:
        del names._entries["env"][f"few/{task}-v0"]


@pytest.fixture(scope="module", autouse=True)
def no_key() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            patch.delenv(name, raising=False)
        patch.setattr(connection, "FIRST_BACKOFF_S", 0.002)
        yield


@pytest.fixture(scope="module", params=RUNS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def direct(task: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """The run of the model in process."""
    asked: list[Asked] = []
    answer = StandInTabletop.complete

    def heard(self: StandInTabletop, messages: Any, *, schema: Any = None, tools: Any = ()) -> Any:
        asked.append(Asked(tuple(messages), schema, tuple(tools)))
        return answer(self, messages, schema=schema, tools=tools)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StandInTabletop, "complete", heard)
        run = api.run_spec(spec_for(task), tmp_path_factory.mktemp(task) / "direct")
    yield Ran(run, asked)
    run.close()


@pytest.fixture(scope="module")
def served(task: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The run over HTTP, tools in the protocol's way."""
    yield from over_http(task, tmp_path_factory.mktemp(task) / "native")


@pytest.fixture(scope="module")
def by_json(task: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The run over HTTP, tools by JSON."""
    yield from over_http(task, tmp_path_factory.mktemp(task) / "json", tools="json")


def over_http(
    task: str, path: Path, *, refuses: Sequence[str] = (), **given: Any
) -> Iterator[Served]:
    with StandInServer(seed=RUNS[task], refuses=refuses) as server:
        run = api.run_spec(spec_for(task, server, **given), path)
    assert run.status == "complete"
    yield Served(run, server.asked, server)
    run.close()


def memory(run: api.Run) -> Any:
    """Its export without the names of the run and of the model that wrote it."""
    exported = copy.deepcopy(run.memory.export())
    for delta in exported["deltas"]:
        assert delta["origin"].pop("run") and delta["origin"].pop("author")
    return exported


def without_calls(run: api.Run) -> Any:
    """Summaries and episodes without what was said to the model and what that cost."""
    found = canonical_episodes(run.path)
    for line in found["summaries"]:
        del line["spent"]
    for episode in found["episodes"]:
        del episode["calls"]
    return found


def counted(run: api.Run) -> tuple[int, int, int]:
    usage = run.usage()
    return usage["calls"], usage["prompt_tokens"], usage["completion_tokens"]


def billed(server: StandInServer) -> tuple[int, int, int]:
    prompt = sum(usage.prompt_tokens for usage in server.book)
    return len(server.book), prompt, sum(usage.completion_tokens for usage in server.book)


def plain(message: Message) -> Any:
    """All that reaches a model of a message, pictures as their pixels.

    Texts without a picture go as one.
    """
    parts: Sequence[Any] = [
        (part.array.shape, hashlib.sha256(part.array.tobytes()).hexdigest())
        if isinstance(part, Image) and part.array is not None
        else part
        for part in message.content
    ]
    content = parts if message.images else message.text
    return message.role, content, message.tool_calls, message.tool_call_id


# What arrives


def test_every_request_is_as_the_published_api_takes_it(served: Served, by_json: Served) -> None:
    for ran in (served, by_json):
        assert ran.server.violations == []
        assert len(ran.server.requests) == len(ran.server.book) >= 20
    bodies = [request.body for request in served.server.requests]
    assert any("tools" in body for body in bodies)
    assert any("image_url" in str(body) for body in bodies)
    assert not any("tools" in request.body for request in by_json.server.requests)


@pytest.mark.compatibility(
    "EEAgent: whole learning runs with tools and pictures, equal to those in process",
    "a server that speaks the OpenAI protocol",
    "the tabletop's stand-in behind a local HTTP server that holds requests to the published API",
)
def test_the_model_is_asked_the_same_to_the_pixel(direct: Ran, served: Served) -> None:
    assert len(served.asked) == len(direct.asked)
    for there, here in zip(served.asked, direct.asked, strict=True):
        assert [plain(m) for m in there.messages] == [plain(m) for m in here.messages]
        assert (there.schema, there.tools) == (here.schema, here.tools)
    assert sum(len(m.images) for asked in served.asked for m in asked.messages) > 20


# What comes of it


def test_the_run_is_that_of_the_model_in_process(direct: Ran, served: Served) -> None:
    assert canonical_episodes(served.run.path) == canonical_episodes(direct.run.path)
    assert memory(served.run) == memory(direct.run)
    kept = {file.name for file in (served.run.path / "media").iterdir()}
    assert kept == {file.name for file in (direct.run.path / "media").iterdir()}


def test_with_tools_by_json_the_agent_does_and_learns_the_same(
    direct: Ran, by_json: Served
) -> None:
    assert without_calls(by_json.run) == without_calls(direct.run)
    assert memory(by_json.run) == memory(direct.run)
    replies = [call.completion for e in direct.run.episodes for call in e.calls]
    more = sum(len(reply.tool_calls) - 1 for reply in replies if reply.tool_calls)
    assert counted(by_json.run)[0] == counted(direct.run)[0] + more, "one call a reply"


def test_what_the_server_bills_is_what_the_run_counts(
    direct: Ran, served: Served, by_json: Served
) -> None:
    assert counted(served.run) == billed(served.server) == counted(direct.run)
    assert counted(by_json.run) == billed(by_json.server)


def test_the_run_is_worth_comparing(direct: Ran) -> None:
    *before, last = [line["success"] for line in direct.run.summaries]
    assert before and not any(before) and last
    assert direct.run.memory.strategies


def test_reflection_gate_checks_and_optimization_are_in_it(direct: Ran, task: str) -> None:
    firsts = [asked.messages[0].text for asked in direct.asked]
    for begin in PROMPTS:
        asked = any(first.startswith(begin) for first in firsts)
        assert asked == (task not in NOT_IN.get(begin, ())), begin


# Servers that refuse something


def test_a_server_that_refuses_tools_gets_them_by_json_from_the_second_request_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    task = "scene_understanding"
    [refusing] = over_http(task, tmp_path / "refusing", refuses=["tools"])
    [told] = over_http(task, tmp_path / "told", tools="json")
    assert ["tools" in request.body for request in refusing.server.requests[:3]] == [True] + [
        False
    ] * 2
    assert len(refusing.server.requests) == 1 + len(told.server.requests)
    assert canonical_episodes(refusing.run.path) == canonical_episodes(told.run.path)
    assert memory(refusing.run) == memory(told.run)
    assert refusing.server.violations == told.server.violations == []
    assert counted(refusing.run) == billed(refusing.server) == billed(told.server)
    said = [record.getMessage() for record in caplog.records if "refuses" in record.getMessage()]
    assert len(said) == 1 and "refuses tools; going on with the tools in the prompt" in said[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, standin_server.NO_PICTURES),
        (400, "At most 0 image(s) may be provided in one request."),
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (400, "/model is not a multimodal model"),
        (422, "messages[0]: unknown variant `image_url`, expected `text`"),
    ],
    ids=["OpenAI", "vLLM", "llama.cpp", "vLLM of old", "a strict parser"],
)
def test_a_server_that_refuses_pictures_is_named_in_one_sentence_with_what_to_do(
    status: int, words: str, tmp_path: Path
) -> None:
    with StandInServer(seed=0, refuses=["images"]) as server:
        server.no_pictures = (status, words)
        with pytest.raises(ModelUnavailable) as stop:
            api.run_spec(spec_for("rotate", server), tmp_path / "run")
    where, why = server.base_url, words.rstrip(".")
    assert stop.value.message.rstrip(".") == (
        f"no reply from openai/{NAME} at {where}, tried once: HTTP {status}: {why}"
    )
    assert stop.value.hint.startswith("If the model takes no pictures, give one that does;")
    assert len(server.requests) == 1 and server.violations == []


def test_a_run_whose_server_refuses_pictures_learns_nothing_and_goes_on_with_one_that_takes_them(
    tmp_path: Path,
) -> None:
    with StandInServer(seed=0, refuses=["images"]) as server, pytest.raises(ModelUnavailable):
        api.run_spec(spec_for("rotate", server), tmp_path / "run")
    stopped = api.open_run(tmp_path / "run")
    assert (stopped.status, stopped.summaries, counted(stopped)) == ("fault", [], (0, 0, 0))
    assert stopped.memory.version == 0
    stopped.close()
    direct = api.run_spec(spec_for("rotate"), tmp_path / "direct")
    [later] = over_http("rotate", tmp_path / "run")
    assert canonical_episodes(later.run.path) == canonical_episodes(direct.path)
    assert memory(later.run) == memory(direct)
    direct.close()


# The check of requests itself

TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look.",
        "parameters": {
            "type": "object",
            "properties": {"at": {"$ref": "#/$defs/Place"}},
            "required": ["at"],
            "$defs": {"Place": {"type": "string", "maxLength": 9}},
        },
    },
}
CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}
PIXEL = Image(np.zeros((1, 1, 3), np.uint8)).data_url


def good() -> dict[str, Any]:
    """A request that has everything."""
    return copy.deepcopy(
        {
            "model": NAME,
            "temperature": 0.0,
            "seed": 0,
            "max_tokens": 9,
            "tools": [TOOL],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "This:"},
                        {"type": "image_url", "image_url": {"url": PIXEL}},
                    ],
                },
                {"role": "assistant", "content": "", "tool_calls": [CALL, {**CALL, "id": "b"}]},
                {"role": "tool", "tool_call_id": "b", "content": "A mug."},
                {"role": "tool", "tool_call_id": "a", "content": "A cup."},
                {"role": "user", "content": "JSON please."},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "Reply", "schema": {"type": "object"}, "strict": False},
            },
        }
    )


def test_a_good_request_is_taken() -> None:
    assert list(violations(good())) == []


def test_the_fields_that_are_known_are_those_that_openai_publishes() -> None:
    published = chat.completion_create_params.CompletionCreateParamsBase.__annotations__
    assert set(standin_server._BODY) <= set(published)
    roles: dict[str, Any] = {
        "system": chat.ChatCompletionSystemMessageParam,
        "user": chat.ChatCompletionUserMessageParam,
        "assistant": chat.ChatCompletionAssistantMessageParam,
        "tool": chat.ChatCompletionToolMessageParam,
    }
    for role, (fields, _) in standin_server._ROLES.items():
        assert {"role", *fields} <= set(roles[role].__annotations__)


Spoil = Callable[[dict[str, Any]], Any]
SPOILT: dict[str, tuple[Spoil, str]] = {
    "a field of nobody": (lambda b: b.update(top_k=1), ".top_k: no such field"),
    "no model": (lambda b: b.pop("model"), ".model: missing"),
    "no messages": (lambda b: b["messages"].clear(), ".messages: not a list"),
    "temperature": (lambda b: b.update(temperature=3), ".temperature: not a number from 0 to 2"),
    "both lengths": (lambda b: b.update(max_completion_tokens=9), "max_tokens: given beside"),
    "role": (lambda b: b["messages"][0].update(role="robot"), ".role: 'robot' is none of"),
    "field of a message": (
        lambda b: b["messages"][1].update(images=[]),
        ".messages[1].images: no such field",
    ),
    "picture of a system message": (
        lambda b: b["messages"][0].update(content=b["messages"][1]["content"]),
        ".messages[0].content[1].type: 'image_url' is none of text",
    ),
    "empty parts": (lambda b: b["messages"][1].update(content=[]), ".content: not a list of 1"),
    "part without its field": (
        lambda b: b["messages"][1]["content"][0].pop("text"),
        ".content[0].text: missing",
    ),
    "address in place of a picture": (
        lambda b: b["messages"][1]["content"][1].update(image_url=PIXEL),
        ".image_url: no object",
    ),
    "half a picture": (
        lambda b: b["messages"][1]["content"][1]["image_url"].update(url=PIXEL[:-48]),
        "no picture can be decoded",
    ),
    "no Base64": (
        lambda b: b["messages"][1]["content"][1]["image_url"].update(url=PIXEL + "!"),
        "no picture can be decoded",
    ),
    "PNG called JPEG": (
        lambda b: b["messages"][1]["content"][1]["image_url"].update(
            url=PIXEL.replace("png", "jpeg", 1)
        ),
        "a PNG that is called jpeg",
    ),
    "assistant says nothing": (
        lambda b: b["messages"].append({"role": "assistant", "content": ""}),
        ".messages[6]: neither content nor tool_calls",
    ),
    "arguments as an object": (
        lambda b: b["messages"][2]["tool_calls"][0]["function"].update(arguments={"at": "x"}),
        ".arguments: no JSON object in a text",
    ),
    "call without an id": (
        lambda b: b["messages"][2]["tool_calls"][0].update(id=""),
        ".tool_calls[0].id: not a text that says something",
    ),
    "two calls of one id": (
        lambda b: b["messages"][2]["tool_calls"][1].update(id="a"),
        ".messages[2].tool_calls: two of one id",
    ),
    "a call without an answer": (
        lambda b: b["messages"].pop(3),
        ".messages[4]: the call b before it has no answer",
    ),
    "a last call without an answer": (
        lambda b: b.update(messages=b["messages"][:4]),
        ".messages: the call a has no answer",
    ),
    "an answer to no call": (
        lambda b: b["messages"][3].update(tool_call_id="c"),
        ".messages[3].tool_call_id: answers no call",
    ),
    "a call answered twice": (
        lambda b: b["messages"].insert(5, b["messages"][4]),
        ".messages[5].tool_call_id: answers no call",
    ),
    "name of a tool": (
        lambda b: b["tools"][0]["function"].update(name="look at"),
        ".tools[0].function.name: not a name",
    ),
    "type of a tool": (
        lambda b: b["tools"][0].update(type="retrieval"),
        ".tools[0].type: not one of function",
    ),
    "no tools": (lambda b: b["tools"].clear(), ".tools: not a list of 1 to 128"),
    "parameters of no object": (
        lambda b: b["tools"][0]["function"]["parameters"].update(type="string"),
        ".parameters: no schema of an object",
    ),
    "a type of nothing": (
        lambda b: b["tools"][0]["function"]["parameters"]["$defs"]["Place"].update(type="text"),
        ".$defs.Place.type: not one of object",
    ),
    "a reference to nowhere": (
        lambda b: b["tools"][0]["function"]["parameters"]["$defs"].clear(),
        "the reference #/$defs/Place leads nowhere",
    ),
    "format": (
        lambda b: b.update(response_format={"type": "json"}),
        ".response_format.type: not one of text, json_object",
    ),
    "name of a format": (
        lambda b: b["response_format"]["json_schema"].update(name="a reply"),
        ".json_schema.name: not a name",
    ),
    "JSON mode without the word": (
        lambda b: b.update(
            response_format={"type": "json_object"}, messages=[{"role": "user", "content": "Hi."}]
        ),
        "no message has the word JSON",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_request_that_the_api_would_refuse_is_found_out(name: str) -> None:
    spoil, said = SPOILT[name]
    body = good()
    spoil(body)
    assert any(said in found for found in violations(body)), list(violations(body))
