"""What goes to a model and what comes back."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from journeyman.core.values import ImageHWC


@dataclass(frozen=True, eq=False)
class Image:
    """A picture in a message, (H, W, 3) uint8, encoded once as PNG.

    Stored as its hash, the picture itself beside it; read back, ``array`` is None.
    """

    array: ImageHWC | None
    stored_sha256: str = ""

    @cached_property
    def png(self) -> bytes:
        from PIL import Image as Pillow

        if self.array is None:
            raise ValueError("a stored picture is read from the run's media folder")
        buffer = io.BytesIO()
        Pillow.fromarray(self.array).save(buffer, format="PNG")
        return buffer.getvalue()

    @cached_property
    def sha256(self) -> str:
        return self.stored_sha256 or hashlib.sha256(self.png).hexdigest()

    @property
    def data_url(self) -> str:
        return "data:image/png;base64," + base64.b64encode(self.png).decode()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        def read(value: Any) -> Image:
            if isinstance(value, Image):
                return value
            if isinstance(value, dict) and isinstance(value.get("image_sha256"), str):
                return cls(None, value["image_sha256"])
            raise ValueError("not a picture")

        return core_schema.no_info_plain_validator_function(
            read,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda image: {"image_sha256": image.sha256}
            ),
        )


@dataclass(frozen=True)
class ToolCall:
    """A function that the model wants called; ``arguments`` as parsed JSON."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Tool:
    """A function that the model may call; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Message:
    """One chat message; ``content`` keeps text and pictures in the order they are shown."""

    role: Literal["system", "user", "assistant", "tool"]
    content: tuple[str | Image, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        return "\n".join(part for part in self.content if isinstance(part, str))

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(part for part in self.content if isinstance(part, Image))


def user(*content: str | Image) -> Message:
    """A user message with the given parts in order."""
    return Message("user", content)


@dataclass(frozen=True)
class Usage:
    """Token counts as the server reports them (the stand-in's are estimates by length)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True)
class Completion:
    """A model's reply. A bad reply is no exception: ``parsed`` is None and ``problem`` says why."""

    text: str
    parsed: Any = None
    problem: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    finish_reason: str = "stop"
    seconds: float = 0.0


@dataclass(frozen=True)
class ModelCall:
    """One call as it is recorded with its episode: every prompt and every reply."""

    role: str
    messages: tuple[Message, ...]
    completion: Completion
    attempt: int = 0
    """0 for the first ask, 1 and 2 for re-asks that quote the error."""
    tools: tuple[Tool, ...] = ()
    """Offered beside the messages; none where they are described in the prompt, or unknown (runs
    recorded before this was kept)."""
