"""Any OpenAI-compatible server as a `Model`: vLLM, SGLang, llama.cpp, Ollama, OpenAI and others."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from journeyman.core.messages import Completion, Message, Tool
from journeyman.models import trouble as kinds
from journeyman.models.connection import Connection
from journeyman.models.options import ModelOptions
from journeyman.models.structured import GARBLED
from journeyman.models.tools import ToolsNotTaken
from journeyman.models.trouble import NoReply, Tale, Trouble, Troubled
from journeyman.models.wire import (
    label_of,
    message_json,
    text_of,
    tool_calls_of,
    tool_json,
    usage_of,
    with_schema,
)

if TYPE_CHECKING:
    from openai import OpenAI

PREFIX = "openai/"
TIMEOUT_S = 120.0
"""Longest wait for one reply where the options name none."""

LONGEST_TEXT = 65_536
CHARACTERS_A_TOKEN = 16
"""A text is kept to the longer of `LONGEST_TEXT` and so many characters for each of ``max_tokens``.

No server that keeps to ``max_tokens`` sends more, whatever the language.
"""

REPLY_FORMATS = ("json_schema", "json_object", "prompt")
"""How a server is told the shape of its reply; each is tried when it refuses the one before."""


class EndpointModel:
    """Chat with the model ``openai/<model>`` of an OpenAI-compatible server.

    Pictures go as data URLs in the order of the message. What a server refuses by name it is not
    sent again by this instance: the reply format (down `REPLY_FORMATS`; from the second on the
    schema is also in the prompt), ``max_tokens`` (``max_completion_tokens`` instead), ``seed``
    (left out) and tools (`ToolsNotTaken`). Each is logged once as a warning.

    Args:
        name: ``openai/<model>``, the server's own name for the model after the slash.
        options: Address, key variable, sampling, limits.
        sees_images: Whether the model is given pictures.
        sleep: Waits between tries; given by tests.

    Raises:
        ConfigError: as `Connection`.
    """

    def __init__(
        self,
        name: str,
        options: ModelOptions | None = None,
        *,
        sees_images: bool = True,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.id = name
        self.sees_images = sees_images
        self.options = options or ModelOptions()
        self.model = name.removeprefix(PREFIX)
        self.reply_format = REPLY_FORMATS[0]
        self._length_name = "max_tokens"
        self.takes_tools = self.options.tools != "json"
        self._sends_seed = True
        self._connection = Connection(
            name,
            base_url=self.options.base_url,
            key_env=self.options.key_env,
            timeout_s=TIMEOUT_S if self.options.timeout_s is None else self.options.timeout_s,
            tries=self.options.tries,
            concurrency=self.options.concurrency,
            sleep=sleep,
        )

    def __repr__(self) -> str:
        return f"EndpointModel({self.id!r}, {self._connection.where!r})"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """The server's reply; ``seconds`` counts the waiting and the tries that failed too.

        Whatever was paid for is a reply, and counts once: of several choices the first is used,
        none is a problem, and so is a text in invalid UTF-8. A longer text than any that was asked
        for is cut, as if the model had been cut off there. Trouble on the way makes the reply a
        `Troubled`.

        Raises:
            ToolsNotTaken: the server refuses tools; from then on ``takes_tools`` is False.
            NoReply: no reply within the tries, or refused.
        """
        began = time.perf_counter()
        tale = Tale()
        while True:
            body = self._body(messages, schema, tools)
            reply = self._connection.ask(partial(_send, body), tale, _wrong)
            if not isinstance(reply, Trouble):
                completion = Troubled.told(self._completion(reply, tale), tale)
                return replace(completion, seconds=time.perf_counter() - began)
            if self._does_without(reply, body):
                continue
            failed = self._connection.unavailable(reply)
            nothing = Completion("", problem=reply.reason, seconds=time.perf_counter() - began)
            if not refuses_tools(reply, body):
                raise NoReply(failed, Troubled.told(nothing, tale, answered=False))
            if self.options.tools == "native":
                failed.hint = "Have the tools called by JSON: --set tools=json"
                raise NoReply(failed, Troubled.told(nothing, tale, answered=False))
            self._warn("tools", "the tools in the prompt and calls as JSON")
            self.takes_tools = False
            raise ToolsNotTaken(failed.message, hint=failed.hint)

    def _body(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        tools: Sequence[Tool],
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [message_json(message) for message in messages],
            "temperature": self.options.temperature,
            self._length_name: self.options.max_tokens,
        }
        if self._sends_seed:
            body["seed"] = self.options.seed
        if tools:
            body["tools"] = [tool_json(tool) for tool in tools]
        if schema is not None and self.reply_format == "json_schema":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", str(schema.get("title", "reply")))[:64] or "reply"
            wanted = {"name": name, "strict": False, "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif schema is not None:
            body["messages"] = [message_json(message) for message in with_schema(messages, schema)]
            if self.reply_format == "json_object":
                body["response_format"] = {"type": "json_object"}
        return body

    def _does_without(self, trouble: Trouble, body: Mapping[str, Any]) -> bool:
        """Whether the server refused something by name that it need not be sent."""
        if trouble.status not in (400, 422):
            return False
        reason = trouble.said.lower()
        if "response_format" in body and ("response_format" in reason or "schema" in reason):
            lower = REPLY_FORMATS[REPLY_FORMATS.index(self.reply_format) + 1]
            self._warn(
                f"reply format {self.reply_format}", f"{lower}, with the schema in the prompt"
            )
            self.reply_format = lower
        elif "max_tokens" in body and "max_completion_tokens" in reason:
            self._warn("max_tokens", "max_completion_tokens")
            self._length_name = "max_completion_tokens"
        elif "seed" in body and re.search(r"\bseed\b", reason):
            self._warn("seed", "no seed")
            self._sends_seed = False
        else:
            return False
        return True

    def _warn(self, refused: str, instead: str) -> None:
        logging.getLogger(__name__).warning(
            "%s at %s refuses %s; going on with %s",
            self.id,
            self._connection.where,
            refused,
            instead,
        )

    def _completion(self, reply: Mapping[str, Any], tale: Tale) -> Completion:
        model = label_of(reply.get("model"), self.model)
        usage = usage_of(reply.get("usage"))
        choices = reply.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choices, list) and len(choices) > 1:
            tale.troubles[kinds.CHOICES] += 1
        if not isinstance(choice, Mapping):
            tale.troubles[kinds.NO_CHOICES] += 1
            missing = "the server's reply holds no choices"
            return Completion("", problem=missing, usage=usage, model=model, finish_reason="none")
        message = choice.get("message")
        message = message if isinstance(message, Mapping) else {}
        text = text_of(message.get("content"))
        calls, problem = tool_calls_of(message.get("tool_calls"))
        refusal = text_of(message.get("refusal"))[:LONGEST_TEXT]
        finish_reason = label_of(choice.get("finish_reason"), "stop")
        if finish_reason == "length":
            tale.troubles[kinds.CUT_OFF] += 1
        longest = max(LONGEST_TEXT, CHARACTERS_A_TOKEN * self.options.max_tokens)
        if len(text) > longest:
            tale.troubles[kinds.LONG] += 1
            text, finish_reason = text[:longest], "length"
        if kinds.GARBLED in tale.troubles:
            finish_reason, problem = GARBLED, "the reply is no valid UTF-8"
        elif refusal:
            problem = f"the model refused: {refusal}"
        elif not text.strip() and not calls and problem is None:
            problem = "the reply is empty"
        return Completion(
            text,
            problem=problem,
            tool_calls=calls,
            usage=usage,
            model=model,
            finish_reason=finish_reason,
        )


def refuses_tools(trouble: Trouble, body: Mapping[str, Any]) -> bool:
    """Whether a call failed because the server takes no tools, or no messages about their results.

    As vLLM ("tool choice requires --enable-auto-tool-choice"), Ollama ("does not support tools"),
    llama.cpp ("tools param requires --jinja flag"), OpenRouter (404, "support tool use") and chat
    templates ("roles must alternate") word it. Not where a prompt is too long: some servers list
    its parts, functions among them.
    """
    if "tools" not in body:
        return False
    said = trouble.said.lower()
    if "context length" in said or "too long" in said:
        return False
    if trouble.status in (400, 422, 501):
        results = any(message["role"] == "tool" for message in body["messages"])
        named = re.search(r"\btools?\b|tool_|\bfunctions?\b|function_call", said) is not None
        return named or (results and re.search(r"\broles?\b", said) is not None)
    return re.search(r"support tool|support(?:ed)? .*\btools\b|tools .*--jinja", said) is not None


def _wrong(reply: Mapping[str, Any]) -> str | None:
    """What is wrong with a reply that holds neither choices nor a bill: a proxy's page, say."""
    if isinstance(reply.get("choices"), list) or isinstance(reply.get("usage"), Mapping):
        return None
    return kinds.NO_CHAT


def _send(body: Mapping[str, Any], client: OpenAI) -> Any:
    return client.chat.completions.with_raw_response.create(**body)
