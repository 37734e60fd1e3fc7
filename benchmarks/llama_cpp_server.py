"""ELITE's whole loop against llama.cpp's own server: schemas, tools and token counts.

    python benchmarks/llama_cpp_server.py [--model qwen2.5-coder-1.5b] [--tasks 2]
        [--env household/base-v0] [--data DIR] [--max-tokens 300] [--out DIR]

Starts the server of the package xllamacpp on a free port of 127.0.0.1 with a key, runs
``journeyman learn`` against it as any server with the OpenAI protocol, and checks: that every reply
with a plan, a reflection or a delta follows the schema that it was asked for; that a tool is called
with its arguments as JSON; and that the tokens of the run folder are those that the server counted
(its ``/metrics``: prompt tokens computed and predicted tokens, from before the run to after it).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import socket
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from journeyman import api
from journeyman.core.messages import Completion, user
from journeyman.models import Conversation, ModelRoles, ToolFunction
from journeyman.models.endpoint import EndpointModel
from journeyman.models.gguf import BATCH_TOKENS, _xllamacpp, find, threads_here
from journeyman.models.options import ModelOptions
from journeyman.runs.spec import check_spec

KEY_VARIABLE = "JOURNEYMAN_BENCHMARK_KEY"


class City(BaseModel):
    city: str


WEATHER = ToolFunction(
    "get_weather",
    "The weather in a city now.",
    City,
    lambda asked: f"{asked.city}: 21 degrees, rain",
)
METRICS = {
    "prompt": "llamacpp:prompt_tokens_total",
    "completion": "llamacpp:tokens_predicted_total",
}


@dataclass(frozen=True)
class Server:
    """A running server: its address up to ``/v1`` and its key."""

    base_url: str
    key: str

    def counts(self) -> dict[str, int]:
        """Prompt tokens that it has computed and tokens that it has predicted so far."""
        request = urllib.request.Request(
            self.base_url.removesuffix("/v1") + "/metrics",
            headers={"Authorization": f"Bearer {self.key}"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read().decode()
        found = {name: re.search(rf"^{of} (\S+)$", text, re.M) for name, of in METRICS.items()}
        return {name: int(float(match.group(1))) for name, match in found.items() if match}


@contextmanager
def serving(model: str, *, context: int = 16_384) -> Iterator[Server]:
    """llama.cpp's server with the file ``model`` in it, on a free port with a key of its own."""
    xllamacpp = _xllamacpp(model)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(find(f"gguf:{model}"))
    settings.n_ctx = context
    settings.n_batch = settings.n_ubatch = BATCH_TOKENS
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads_here()
    settings.cache_ram_mib = 1024
    settings.warmup = settings.fit_params = False
    settings.verbosity = 0
    settings.offline = True
    settings.ui = settings.endpoint_slots = False
    settings.endpoint_metrics = True
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        settings.port = free.getsockname()[1]
    key = secrets.token_hex(32)
    settings.api_keys = [key]
    server = xllamacpp.Server(settings)
    yield Server(server.listening_address.rstrip("/") + "/v1", key)
    del server


def calls_of(run: api.Run) -> list[tuple[str, Completion]]:
    return [(call.role, call.completion) for e in run.episodes for call in e.calls]


def learn(server: Server, options: argparse.Namespace) -> api.Run:
    spec = check_spec(
        {
            "env": (options.env,),
            "data": options.data,
            "model": "openai/local",
            "base_url": server.base_url,
            "key_env": KEY_VARIABLE,
            "embedder": "hashing",
            "tasks": options.tasks,
            "max_tokens": options.max_tokens,
            "timeout_s": 600,
            "settings": {"profile": "compact", "max_plans": 2, "observation": "text"},
        }
    )
    return api.run_spec(spec, options.out)


def ask_for_tool(server: Server) -> Conversation:
    """A conversation as methods have them; natively, and by JSON where the server refuses tools."""
    model = EndpointModel(
        "openai/local",
        ModelOptions(base_url=server.base_url, key_env=KEY_VARIABLE, max_tokens=64, timeout_s=600),
    )
    question = "What is the weather in Lisbon now? Call the function get_weather."
    return ModelRoles(model).converse("interpret", [user(question)], [WEATHER], max_replies=4)


def compared(run: api.Run, before: dict[str, int], after: dict[str, int]) -> dict[str, Any]:
    """Our tokens beside the server's: it counts computed prompt tokens, without the cached ones."""
    usage = run.usage()
    return {
        "prompt tokens computed, ours": usage["prompt_tokens"] - usage["cached_tokens"],
        "prompt tokens computed, server's": after["prompt"] - before["prompt"],
        "completion tokens, ours": usage["completion_tokens"],
        "completion tokens, server's": after["completion"] - before["completion"],
    }


def main() -> None:
    options = arguments()
    began = time.monotonic()
    with serving(options.model) as server:
        os.environ[KEY_VARIABLE] = server.key
        before = server.counts()
        run = learn(server, options)
        after = server.counts()
        usage = run.usage()
        calls = calls_of(run)
        unusable = Counter(role for role, reply in calls if reply.problem is not None)
        print(f"{options.model}, {options.env}, {len(run.summaries)} episodes: {run.status}")
        print(f"calls: {dict(Counter(role for role, _ in calls))}")
        print(f"replies that do not follow their schema: {dict(unusable) or 'none'}")
        for _, reply in calls:
            if reply.problem is not None:
                print(f"  {reply.problem}")
        print(f"prompt tokens {usage['prompt_tokens']:,}, cached {usage['cached_tokens']:,}")
        for name, count in compared(run, before, after).items():
            print(f"{name}: {count:,}")
        talk = ask_for_tool(server)
        print(f"tool calls: {[(use.call.name, dict(use.call.arguments)) for use in talk.uses]}")
        print(f"  answer: {json.dumps(talk.reply.text if talk.reply else talk.problem)[:200]}")
        print(f"{time.monotonic() - began:.0f} s, run folder {run.path}")
        run.close()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--env", default="household/base-v0")
    parser.add_argument("--data")
    parser.add_argument("--tasks", type=int, default=2)
    parser.add_argument("--max-tokens", type=int, default=300)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    if options.out is None:
        options.out = Path(tempfile.mkdtemp(prefix="llama-cpp-")) / "run"
    return options


if __name__ == "__main__":
    main()
