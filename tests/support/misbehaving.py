"""A server that gives a model's true replies and, now and then, does one of eleven wrong things.

What it does is decided by the seed, the request and how often that was asked of it: a run that was
interrupted meets the same spoilt replies as one that was not.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from journeyman.core import seeding
from journeyman.core.messages import Usage
from journeyman.core.protocols import Model
from tests.support.fake_server import FakeServer, Fault, Request, dropped, html, refused, silent

HUGE = 10_000_000
"""Characters of a reply that does not end."""

PASSING: dict[str, Callable[[], Fault]] = {
    "429 with Retry-After": lambda: refused(429, "slow down", Retry_After="0.01"),
    "429 without": lambda: refused(429, "slow down"),
    "500": lambda: refused(500, "out of memory"),
    "dropped": dropped,
    "silence": silent,
    "HTML": html,
}


def _spoilt(change: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], str | bytes]:
    def spoil(reply: dict[str, Any]) -> str:
        change(reply)
        return json.dumps(reply)

    return spoil


def _says(text: str, reason: str = "stop") -> Callable[[dict[str, Any]], None]:
    def change(reply: dict[str, Any]) -> None:
        choice = reply["choices"][0]
        choice["message"]["content"], choice["finish_reason"] = text, reason

    return change


def _cut_off(reply: dict[str, Any]) -> None:
    text = reply["choices"][0]["message"]["content"]
    _says(text[: len(text) // 2], "length")(reply)


def _two_choices(reply: dict[str, Any]) -> None:
    other = {"index": 1, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}
    reply["choices"].append(other)


def _no_utf8(reply: dict[str, Any]) -> bytes:
    text = json.dumps(reply).encode()
    at = text.index(b'"content"') + 20
    return text[:at] + b"\xc3\x28\xff" + text[at:]


PAID: dict[str, Callable[[dict[str, Any]], str | bytes]] = {
    "wrong schema": _spoilt(_says('{"answer": 42}')),
    "cut off": _spoilt(_cut_off),
    "two choices": _spoilt(_two_choices),
    "no choices": _spoilt(lambda reply: reply["choices"].clear()),
    "10 MB": _spoilt(lambda reply: _says('{"language_plan": "' + "so " * (HUGE // 3))(reply)),
    "invalid UTF-8": _no_utf8,
}


@dataclass(frozen=True)
class Billed(Fault):
    """An answer that is paid for when it has arrived."""

    usage: Usage = field(default_factory=Usage)


class Misbehaving(FakeServer):
    """Gives no reply to the share ``passing`` of requests, a bad one to ``paid`` of the others.

    Attributes:
        done: How often it did what.
        book: The usage of every reply that was delivered whole: what the user is billed.
        dies_at: The request, from 1, from which on it is dead; it never is where None.
    """

    def __init__(
        self,
        model: Model,
        *,
        seed: int = 0,
        passing: float = 0.06,
        paid: float = 0.08,
        dies_at: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(model, key=key)
        self.seed = seed
        self.passing = passing
        self.paid = paid
        self.dies_at = dies_at
        self.done: Counter[str] = Counter()
        self.book: list[Usage] = []
        self._asked: Counter[int] = Counter()
        self._counting = threading.Lock()

    def answer(self, request: Request) -> Fault:
        if self.dies_at is not None and len(self.requests) + 1 >= self.dies_at:
            self.requests.append(request)
            return Fault(cut=True)
        wanted = self._wanted(request.body)
        with self._counting:
            self._asked[wanted] += 1
            asked = self._asked[wanted]
        if seeding.uniform("passing", wanted, asked) < self.passing:
            self.requests.append(request)
            return self._do(PASSING, wanted, asked)()
        return super().answer(request)

    def _wanted(self, body: Mapping[str, Any]) -> int:
        return seeding.digest(self.seed, json.dumps(body, sort_keys=True))

    def answer_to(self, body: Mapping[str, Any]) -> Fault:
        reply = self._chat(body)
        usage = reply["usage"]
        wanted = self._wanted(body)
        asked = self._asked[wanted]
        spoil: Callable[[dict[str, Any]], str | bytes] = json.dumps
        if seeding.uniform("paid", wanted, asked) < self.paid:
            spoil = self._do(PAID, wanted, asked)
        return Billed(
            body=spoil(reply), usage=Usage(usage["prompt_tokens"], usage["completion_tokens"])
        )

    def delivered(self, answer: Fault) -> None:
        if isinstance(answer, Billed):
            with self._counting:
                self.book.append(answer.usage)

    def _do(self, kinds: Mapping[str, Any], *decided: int) -> Any:
        kind = list(kinds)[seeding.digest("kind", *decided) % len(kinds)]
        with self._counting:
            self.done[kind] += 1
        return kinds[kind]
