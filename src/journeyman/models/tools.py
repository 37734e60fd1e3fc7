"""A function that a model may call: what the model is told of it, and what carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from journeyman.core.errors import JourneymanError, ModelUnavailable
from journeyman.core.messages import Image, Tool
from journeyman.models import structured

if TYPE_CHECKING:
    from pydantic import BaseModel

_NAME = re.compile("[A-Za-z0-9_-]{1,64}")

Arguments = TypeVar("Arguments", bound="BaseModel")

Result = str | Image | Sequence[str | Image]
"""What a tool found: text, a picture, or several of them in the order they are shown."""


class ToolRefused(JourneymanError):
    """Raised by a handler that cannot do what it was called for; its message goes to the model."""


class ToolsNotTaken(ModelUnavailable):
    """The server refuses tools as such; the same model can be asked with the tools in the prompt.

    Raised by a `Model`; a conversation then goes on by JSON, and is no worse for it.
    """


@dataclass(frozen=True)
class ToolFunction(Generic[Arguments]):
    """A tool with the shape of its arguments and the handler that carries it out.

    Attributes:
        name: Letters, digits, ``_`` and ``-``, at most 64, as the protocol has it.
        description: What it does and when to call it, for the model.
        arguments: The shape that a call's arguments must have.
        handler: Given the validated arguments. It refuses with `ToolRefused`; whatever else it
            raises (no reply from a model that it asked, a used-up budget, a bug) passes through.

    Raises:
        ValueError: the name is none.
    """

    name: str
    description: str
    arguments: type[Arguments]
    handler: Callable[[Arguments], Result]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name for a tool")

    @property
    def tool(self) -> Tool:
        return Tool(self.name, self.description, structured.schema_of(self.arguments))

    def carry_out(self, arguments: Any) -> tuple[str | Image, ...]:
        """The parts of the result for arguments of the right shape.

        Raises:
            ToolRefused: by the handler.
        """
        result = self.handler(arguments)
        parts = (result,) if isinstance(result, str | Image) else tuple(result)
        return tuple(whole(part) if isinstance(part, str) else part for part in parts)


def whole(text: str) -> str:
    """``text`` with ``?`` for half characters, which cannot be sent."""
    return text.encode("utf-8", "replace").decode()
