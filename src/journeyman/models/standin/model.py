"""The stand-in as a chat model: text in, text out."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from journeyman.core.errors import UnknownName
from journeyman.core.messages import Completion, Message, Tool, Usage
from journeyman.models.options import ModelOptions
from journeyman.models.standin.consolidating import consolidate_reply
from journeyman.models.standin.planning import coarse_plan_reply, plan_reply
from journeyman.models.standin.profiles import PROFILES, Profile
from journeyman.models.standin.prompts import sections
from journeyman.models.standin.reflecting import failure_reply, success_reply

VERSION = 1
CHARS_A_TOKEN = 4
_FIELDS = ("coarse_plan", "executable_plan", "success_patterns", "failure_causes", "operations")


@cache
def source_hash() -> str:
    """The first 8 hex digits of a SHA-256 over this package's source files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:8]


class StandIn:
    """A deterministic model for machines without one; see ``docs/stand-in.md``.

    A function of its seed, its profile and the messages: it keeps nothing between calls.

    Args:
        name: ``stand-in`` or ``stand-in/PROFILE``.
        options: ``seed`` decides which rules it has; nothing else is used.

    Raises:
        UnknownName: there is no such profile.
    """

    sees_images = False
    version = VERSION
    caveat = (
        "The model is the stand-in, a rule-based program that stands in for a vision-language "
        "model. Its figures show that the machinery works; they say nothing of a real model and "
        "compare with no published number."
    )

    def __init__(self, name: str = "stand-in", options: ModelOptions | None = None) -> None:
        _, _, wanted = name.partition("/")
        wanted = wanted or "default"
        if wanted not in PROFILES:
            raise UnknownName(
                "stand-in profile", wanted, PROFILES, hint=f"Use one of: {', '.join(PROFILES)}"
            )
        self.profile: Profile = PROFILES[wanted]
        self.seed = options.seed if options is not None else 0
        self.source_hash = source_hash()
        self.id = f"stand-in/{wanted}@{VERSION}-{self.source_hash}"

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
        """Answer the last user message; the reply is a JSON text of the shape that is asked for."""
        prompt = next(
            (m.text for m in reversed(messages) if m.role == "user" and "## " in m.text), ""
        )
        prompt = prompt or "\n".join(m.text for m in messages)
        text = self._reply(prompt, schema)
        usage = Usage(
            sum(len(m.text) for m in messages) // CHARS_A_TOKEN, len(text) // CHARS_A_TOKEN
        )
        return Completion(text, usage=usage, model=self.id)

    def _reply(self, prompt: str, schema: Mapping[str, Any] | None) -> str:
        parts = sections(prompt)
        asked = _asked(parts.get("Reply", ""), schema)
        if asked == "coarse_plan":
            reply = coarse_plan_reply(parts, self.seed)
        elif asked == "executable_plan":
            reply = plan_reply(parts, self.profile, self.seed)
        elif asked == "success_patterns":
            reply = success_reply(parts, self.seed)
        elif asked == "failure_causes":
            reply = failure_reply(parts, self.seed)
        elif asked == "operations":
            reply = consolidate_reply(parts)
        else:
            return "I am a rule-based stand-in and have no answer to this kind of request."
        fields = (schema or {}).get("properties")
        if fields:
            reply = {name: value for name, value in reply.items() if name in fields}
        return json.dumps(reply, ensure_ascii=False)


def _asked(reply_section: str, schema: Mapping[str, Any] | None) -> str:
    """Which of the known requests this is, by the schema or by the Reply section's field names."""
    if schema is not None and schema.get("properties"):
        return next((name for name in _FIELDS if name in schema["properties"]), "")
    quoted = set(re.findall(r'"(\w+)"', reply_section))
    return next((name for name in _FIELDS if name in quoted), "")
