"""What a user may say about a model, whichever it is; each model takes what it understands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from journeyman.core.errors import ConfigError

ToolMode = Literal["auto", "native", "json"]
"""How a model is offered tools: as it can, in the protocol's own way, or by JSON."""


@dataclass(frozen=True)
class ModelOptions:
    """Options given with ``--model``; factories are called as ``factory(name, options)``.

    Attributes:
        seed: The run's seed (the stand-in's profile draws on it; endpoints send it along).
        base_url: Address of an OpenAI-compatible server.
        key_env: Name of the environment variable that holds the key; the key is never stored.
        temperature: 0 everywhere in the papers.
        max_tokens: Longest reply (EmbodiedBench: 2048).
        timeout_s: Longest wait for one reply; where None, two minutes for a server and as long as
            it takes for a GGUF file.
        tries: Calls made for one reply before giving up, the first included.
        concurrency: Requests of this process in flight to one server at most; None is no limit.
        context: Most tokens of prompt and reply together, for a GGUF file; its own default if None.
        device: Where a model in this process computes: ``cpu``, ``cuda``, ``cuda:1``; ``auto``
            is the first CUDA device where there is one.
        dtype: Its numbers: ``float32``, ``bfloat16``, ``float16``; ``auto`` is bfloat16 on CUDA.
        tools: How tools are offered. ``auto``: in the protocol's own way, unless the model is known
            to do better by JSON or its server refuses tools.

    Raises:
        ConfigError: ``tools`` is none of the three.
    """

    seed: int = 0
    base_url: str | None = None
    key_env: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 2048
    timeout_s: float | None = None
    tries: int = 5
    concurrency: int | None = None
    context: int | None = None
    device: str = "auto"
    dtype: str = "auto"
    tools: ToolMode = "auto"

    def __post_init__(self) -> None:
        if self.tools not in get_args(ToolMode):
            raise ConfigError(
                f"tools is '{self.tools}' and has to be one of {', '.join(get_args(ToolMode))}."
            )
