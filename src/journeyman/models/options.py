"""What a user may say about a model, whichever it is; each model takes what it understands."""

from __future__ import annotations

from dataclasses import dataclass


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
        context: Most tokens of prompt and reply together, for a GGUF file; its own default if None.
    """

    seed: int = 0
    base_url: str | None = None
    key_env: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 2048
    timeout_s: float | None = None
    tries: int = 5
    context: int | None = None
