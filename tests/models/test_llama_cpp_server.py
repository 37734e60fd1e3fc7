"""llama.cpp's own server with a real model, where both are at hand; else skipped with the reason.

JOURNEYMAN_GGUF=FILE pytest tests/models/test_llama_cpp_server.py
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from journeyman.core.messages import user
from journeyman.models import structured
from journeyman.models.endpoint import EndpointModel
from journeyman.models.options import ModelOptions

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FILE = os.environ.get("JOURNEYMAN_GGUF", "")

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None, reason="needs the extra [gguf]"
    ),
    pytest.mark.skipif(not FILE, reason="needs a model of some size: JOURNEYMAN_GGUF=FILE"),
]


class Choice(BaseModel):
    colour: Literal["red", "green", "blue"]
    count: int = Field(ge=1, le=9)


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    sys.path.insert(0, str(BENCHMARKS))
    import llama_cpp_server

    yield llama_cpp_server
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def server(bench: Any) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch, bench.serving(FILE, context=4096) as running:
        patch.setenv(bench.KEY_VARIABLE, running.key)
        yield running


@pytest.fixture
def model(bench: Any, server: Any) -> EndpointModel:
    options = ModelOptions(
        base_url=server.base_url, key_env=bench.KEY_VARIABLE, max_tokens=48, timeout_s=300
    )
    return EndpointModel("openai/local", options)


@pytest.mark.compatibility(
    "replies by JSON schema",
    "llama.cpp's own server",
    "the server of xllamacpp with a real model",
    needs="the extra [gguf] and a model file (JOURNEYMAN_GGUF)",
)
def test_a_reply_follows_its_schema(model: EndpointModel) -> None:
    schema = structured.schema_of(Choice)
    reply = model.complete([user("Pick a colour and a number of one digit.")], schema=schema)
    assert isinstance(structured.read(reply, Choice).parsed, Choice)
    assert model.reply_format == "json_schema", "the server took the schema as it is"


@pytest.mark.compatibility(
    "tools",
    "llama.cpp's own server",
    "the server of xllamacpp with a real model",
    needs="the extra [gguf] and a model file (JOURNEYMAN_GGUF)",
)
def test_a_tool_is_called_with_arguments_as_json(bench: Any, server: Any) -> None:
    talk = bench.ask_for_tool(server)
    assert talk.uses[0].call.name == "get_weather"
    assert "Lisbon" in talk.uses[0].call.arguments["city"]


@pytest.mark.compatibility(
    "usage fields equal the server's own counts",
    "llama.cpp's own server",
    "the server of xllamacpp with a real model",
    needs="the extra [gguf] and a model file (JOURNEYMAN_GGUF)",
)
def test_our_token_counts_are_the_servers_own(model: EndpointModel, server: Any) -> None:
    before = server.counts()
    words = "A robot stands in a kitchen. " * 20
    replies = [model.complete([user(words + question)]) for question in ("Why?", "Where?")]
    after = server.counts()
    computed = sum(r.usage.prompt_tokens - r.usage.cached_tokens for r in replies)
    assert computed == after["prompt"] - before["prompt"]
    said = sum(r.usage.completion_tokens for r in replies)
    assert said == after["completion"] - before["completion"]
    assert replies[1].usage.cached_tokens > 100, "the common beginning is not computed again"


@pytest.mark.compatibility(
    "the key",
    "llama.cpp's own server",
    "the server of xllamacpp with a real model",
    needs="the extra [gguf] and a model file (JOURNEYMAN_GGUF)",
)
def test_the_key_is_wanted(bench: Any, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(bench.KEY_VARIABLE, "another-key-than-that")
    options = ModelOptions(base_url=server.base_url, key_env=bench.KEY_VARIABLE, timeout_s=60)
    with pytest.raises(Exception, match="the key was refused"):
        EndpointModel("openai/local", options).complete([user("hi")])
