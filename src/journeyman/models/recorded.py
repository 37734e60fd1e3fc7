"""Replies from the recording of a run: every prompt and reply of it is known, no model is asked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from journeyman.core.errors import ModelUnavailable
from journeyman.core.messages import Completion, Message, ModelCall, Tool
from journeyman.core.protocols import Model
from journeyman.models.cache import plain_messages
from journeyman.models.ledger import Repeated
from journeyman.models.roles import ROLES, ModelRoles
from journeyman.models.structured import CUT_OFF_AT_LENGTH
from journeyman.models.tool_dialects import told_by_json
from journeyman.models.tools import ToolsNotTaken

QUOTED = 60
"""Characters of a prompt that an error quotes at most."""


class Recording:
    """The calls of a recorded run, found by their messages.

    Where a prompt was answered more than once, the replies of the episode in progress come first
    and in their order, then the first of any other; `begin` says which episode that is.

    Args:
        name: How an error calls it.
        calls: Pairs of episode number and call, in order.
        ids: Model ids by role and ``default``, as the recorded run's header has them.
        caveats: What that header says must be known before the numbers.
    """

    def __init__(
        self,
        name: str,
        calls: Iterable[tuple[int, ModelCall]],
        ids: Mapping[str, str],
        caveats: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.ids = dict(ids)
        self.caveats = tuple(caveats)
        self.calls = list(calls)
        self.episode = 0
        self._used: Counter[str] = Counter()
        self._found: dict[str, list[tuple[int, ModelCall]]] = defaultdict(list)
        for number, call in self.calls:
            self._found[_key(call.messages)].append((number, call))
        self._by_json = {call.role for _, call in self.calls if told_by_json(call.messages)}

    def begin(self, episode: int) -> None:
        """Say that episode ``episode`` begins, for the first time or again."""
        self.episode = episode
        self._used.clear()

    def reply(self, role: str, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Repeated:
        """The recorded reply to ``messages``.

        Args:
            tools: As offered now; other ones than then are another question. A call recorded
                without tools says nothing of them: they were not always kept.

        Raises:
            ModelUnavailable: there is none; the error names role, episode and the difference.
        """
        key = _key(messages)
        same = self._found.get(key, [])
        found = [pair for pair in same if pair[1].tools in ((), tuple(tools))]
        if not found:
            differing = _other_tools(same[0][1].tools, tools) if same else ""
            raise ModelUnavailable(
                f"the recording {self.name} has no reply for the role '{role}' in episode "
                f"{self.episode}: {differing or self._difference(role, messages)}.",
                hint="Rerun it with the options and the version of the recording; to ask the model "
                "from here on, give the same options and --out without --from-recording.",
            )
        here = [call.completion for number, call in found if number == self.episode]
        replies = here or [found[0][1].completion]
        reply = replies[min(self._used[key], len(replies) - 1)]
        self._used[key] += 1
        return _repeated(reply)

    def refuses_tools(self, role: str, messages: Sequence[Message]) -> bool:
        """Whether these messages were not sent with tools, and the role was given tools by JSON."""
        return role in self._by_json and _key(messages) not in self._found

    def sees_images(self, role: str) -> bool:
        """Whether the role was given pictures. Where none were, text is what it was given."""
        return any(
            message.images
            for _, call in self.calls
            if call.role == role
            for message in call.messages
        )

    def _difference(self, role: str, messages: Sequence[Message]) -> str:
        """How the prompt differs from the nearest one recorded, in words."""
        candidates = [(n, call) for n, call in self.calls if call.role == role]
        if not candidates:
            return "no call of that role is recorded"
        here = [pair for pair in candidates if pair[0] == self.episode] or candidates
        now = _lines(messages)
        number, nearest = max(here, key=lambda pair: _common(now, _lines(pair[1].messages)))
        then = _lines(nearest.messages)
        at = _common(now, then)
        was, is_now = (lines[at] if at < len(lines) else "" for lines in (then, now))
        start = max(0, _common(was, is_now) - QUOTED // 3)
        return (
            f"beside the nearest prompt recorded, of episode {number}, its line {at + 1} has "
            f"{_quoted(is_now, start)} where that has {_quoted(was, start)}"
        )


class RecordedModel:
    """One role of a recording as a `Model`."""

    def __init__(self, recording: Recording, role: str) -> None:
        self.id = recording.ids.get(role, recording.ids.get("default", "(unknown)"))
        self.sees_images = recording.sees_images(role)
        self.caveat = f"Replies were taken from the recording {recording.name}, not from a model."
        self._recording = recording
        self._role = role

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """What was replied to these messages with these tools, whatever the schema.

        Raises:
            ModelUnavailable: see `Recording.reply`; `ToolsNotTaken` where a conversation with tools
                went on by JSON at this point.
        """
        if tools and self._recording.refuses_tools(self._role, messages):
            raise ToolsNotTaken(f"{self._recording.name} was recorded with tools by JSON.")
        return self._recording.reply(self._role, messages, tools)


class RecordedRoles(ModelRoles):
    """Every role served from one recording, under the ids of the models that were recorded."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._models = {role: RecordedModel(recording, role) for role in ROLES}
        super().__init__(self._models["plan"])

    def model(self, role: str) -> Model:
        super().model(role)  # refuses a role that does not exist
        return self._models[role]  # type: ignore[index]

    @property
    def ids(self) -> dict[str, str]:
        return dict(self.recording.ids)


def _other_tools(then: Sequence[Tool], now: Sequence[Tool]) -> str:
    were, are = (", ".join(tool.name for tool in tools) or "none" for tools in (then, now))
    named = f"the tools {were}, and now {are}" if were != are else f"other versions of {were}"
    return f"the same prompt was sent there with {named}"


def _key(messages: Sequence[Message]) -> str:
    return hashlib.sha256(json.dumps(plain_messages(messages)).encode()).hexdigest()


def _repeated(completion: Completion) -> Repeated:
    """As the model gave it, before it was judged: judging it again adds the same words again."""
    problem = completion.problem
    if problem is not None:
        problem = problem.removesuffix(CUT_OFF_AT_LENGTH)
    given = replace(completion, parsed=None, problem=problem, seconds=0.0)
    return Repeated(**{f.name: getattr(given, f.name) for f in fields(given)})


def _lines(messages: Sequence[Message]) -> list[str]:
    """The messages line by line; a picture and the beginning of a message are lines too."""
    lines: list[str] = []
    for message in messages:
        lines.append(f"({message.role})")
        for part in message.content:
            lines += part.split("\n") if isinstance(part, str) else [f"(picture {part.sha256})"]
        lines += [f"(tool call {call.name} {dict(call.arguments)})" for call in message.tool_calls]
    return lines


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many lines, or characters, at the beginning are equal."""
    shared = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(shared) if x != y), min(len(a), len(b)))


def _quoted(line: str, start: int) -> str:
    shown = line[start : start + QUOTED]
    before, after = "..." * (start > 0), "..." * (start + QUOTED < len(line))
    return ascii(f"{before}{shown}{after}") if line else "nothing"
