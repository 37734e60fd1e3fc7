"""The stand-in for the tabletop as a chat model: messages and pictures in, text or calls out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from journeyman.core.errors import UnknownName
from journeyman.core.messages import Completion, Message, Tool, ToolCall, Usage
from journeyman.models.options import ModelOptions
from journeyman.models.standin_tabletop import checking, keeping, reflecting
from journeyman.models.standin_tabletop.interpreting import next_reply
from journeyman.models.standin_tabletop.matching import match_reply
from journeyman.models.standin_tabletop.mind import Mind
from journeyman.models.standin_tabletop.planning import plan_reply
from journeyman.models.standin_tabletop.profiles import PROFILES
from journeyman.models.standin_tabletop.prompts import opening, sections

VERSION = 1
CHARS_A_TOKEN = 4
TOKENS_A_PICTURE = 64
NO_ANSWER = "I am a rule-based stand-in and have no answer to this kind of request."


@cache
def source_hash() -> str:
    """The first 8 hex digits of a SHA-256 over this package's source files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:8]


class StandInTabletop:
    """A deterministic model that looks at the pixels; see ``docs/stand-in-tabletop.md``.

    A function of its seed, its profile and the messages: it keeps nothing between calls.

    Args:
        name: ``stand-in-tabletop`` or ``stand-in-tabletop/PROFILE``.
        options: ``seed`` decides which rules it has; nothing else is used.

    Raises:
        UnknownName: there is no such profile.
    """

    sees_images = True
    takes_tools = True
    version = VERSION
    caveat = (
        "The model is the stand-in for the tabletop, a rule-based program that stands in for a "
        "vision-language model. Its figures show that the machinery works; they say nothing of a "
        "real model and compare with no published number."
    )

    def __init__(
        self, name: str = "stand-in-tabletop", options: ModelOptions | None = None
    ) -> None:
        _, _, wanted = name.partition("/")
        wanted = wanted or "default"
        if wanted not in PROFILES:
            raise UnknownName(
                "stand-in profile", wanted, PROFILES, hint=f"Use one of: {', '.join(PROFILES)}"
            )
        self.seed = options.seed if options is not None else 0
        self.mind = Mind(PROFILES[wanted], self.seed)
        self.source_hash = source_hash()
        self.id = f"stand-in-tabletop/{wanted}@{VERSION}-{self.source_hash}"

    @staticmethod
    def profiles() -> dict[str, str]:
        """Profile names with a line on each."""
        return {name: profile.summary for name, profile in PROFILES.items()}

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """Answer the prompt; what is asked is known by its first line."""
        text, calls = self._reply(messages)
        pictures = sum(len(m.images) for m in messages)
        usage = Usage(
            sum(len(m.text) for m in messages) // CHARS_A_TOKEN + TOKENS_A_PICTURE * pictures,
            (len(text) + sum(len(str(c.arguments)) + len(c.name) for c in calls)) // CHARS_A_TOKEN,
        )
        finish = "tool_calls" if calls else "stop"
        return Completion(text, tool_calls=calls, usage=usage, model=self.id, finish_reason=finish)

    def _reply(self, messages: Sequence[Message]) -> tuple[str, tuple[ToolCall, ...]]:
        prompt = opening(messages)
        if prompt is None:
            return NO_ANSWER, ()
        parts = sections(prompt.text)
        first = prompt.text.lstrip().partition("\n")[0]
        if first.startswith("You are the environment interpreter of"):
            return next_reply(parts, messages, prompt)
        reply = self._answer(first, parts, prompt)
        return (NO_ANSWER if reply is None else json.dumps(reply, ensure_ascii=False)), ()

    def _answer(
        self, first: str, parts: Mapping[str, str], prompt: Message
    ) -> dict[str, Any] | None:
        module = "planner" if "policy planner" in first else "interpreter"
        if first.startswith("You are the image matching tool"):
            return match_reply(parts, prompt, self.mind, by_picture=True)
        if first.startswith("You are the semantic matching tool"):
            return match_reply(parts, prompt, self.mind, by_picture=False)
        if first.startswith("You are the policy planner"):
            return plan_reply(parts, self.mind)
        if first.startswith("You describe pictures"):
            return checking.describe_reply(prompt)
        if first.startswith("You are the image-description consistency check"):
            return checking.check_reply(parts)
        if first.startswith("You are the action-to-instruction consistency check"):
            return checking.regenerate_reply(parts)
        if first.startswith("You compare instructions"):
            return checking.compare_reply(parts)
        if first.startswith("You reflect on a success"):
            return reflecting.success_reply(parts, module, self.mind)
        if first.startswith("You reflect on a failure"):
            return reflecting.failure_reply(parts, module, self.mind)
        if first.startswith("You judge the generality"):
            return keeping.gate_reply(parts)
        if first.startswith("You keep the long-term memory"):
            return keeping.optimize_reply(parts)
        if first.startswith("You choose among several replies"):
            return keeping.select_reply(parts)
        if first.startswith("You compare several replies"):
            return keeping.critique_reply(parts)
        return None
