"""A real HTTP server on loopback that speaks the OpenAI protocol, answers with any core `Model`,
and fails on request."""

from __future__ import annotations

import base64
import io
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from PIL import Image as Pillow

from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage
from journeyman.core.protocols import Embedder, Model


@dataclass(frozen=True)
class Request:
    """What arrived, as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Fault:
    """One answer that is none. ``body`` is sent as it is; ``cut`` and ``silent`` break off.

    With ``drip_s`` it is sent byte by byte, so many seconds apart, until the client has enough.
    """

    status: int = 200
    body: str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    cut: bool = False
    silent: bool = False
    drip_s: float = 0.0


def refused(status: int, message: str = "no", **headers: str) -> Fault:
    """An error as OpenAI words it; header names with ``_`` for ``-``."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}})
    return Fault(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def html(status: int = 200) -> Fault:
    return Fault(status, "<html><body>Bad gateway</body></html>", content_type="text/html")


def dropped() -> Fault:
    """The connection breaks in the middle of the body."""
    return Fault(body='{"id": "x", "choices": [{"mess', cut=True)


def silent() -> Fault:
    """No answer until the client gives up."""
    return Fault(silent=True)


def truncated() -> Fault:
    """A whole HTTP body that holds half a JSON."""
    return Fault(body='{"id": "x", "choices": [{"message": {"content": "hel')


def raw(reply: Any) -> Fault:
    """This JSON with status 200."""
    return Fault(body=json.dumps(reply))


class ScriptedModel:
    """Replies in order, the last one for ever; keeps what it was asked."""

    sees_images = True

    def __init__(self, *replies: str | Completion, id: str = "scripted") -> None:
        self.id = id
        self.asked: list[
            tuple[tuple[Message, ...], Mapping[str, Any] | None, tuple[Tool, ...]]
        ] = []
        self._replies = deque(replies)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        self.asked.append((tuple(messages), schema, tuple(tools)))
        reply = self._replies.popleft() if len(self._replies) > 1 else self._replies[0]
        return reply if isinstance(reply, Completion) else Completion(reply, usage=Usage(7, 3, 2))


class FakeServer:
    """Serves ``model`` under ``/v1`` while the ``with`` block lasts.

    Attributes:
        base_url: What to give as ``base_url``.
        faults: Sent in order, one a request, before anything else; add to it at any time.
        refuses: Words (``json_schema``, ``json_object``, ``tools``, ``seed``, ``max_tokens``); a
            request that holds one of them is refused with status 400, as real servers word it.
        key: The key to insist on, or None.
        requests: Everything that arrived.
    """

    def __init__(
        self,
        model: Model | None = None,
        *,
        embedder: Embedder | None = None,
        faults: Sequence[Fault] = (),
        refuses: Sequence[str] = (),
        key: str | None = None,
    ) -> None:
        self.model = model or ScriptedModel("hello")
        self.embedder = embedder
        self.faults = deque(faults)
        self.refuses = set(refuses)
        self.key = key
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def answer(self, request: Request) -> Fault:
        """The answer to one request: a fault that was asked for, or what the model says."""
        with self._lock:
            self.requests.append(request)
            if self.faults:
                return self.faults.popleft()
        sent = request.headers.get("authorization", "")
        if self.key is not None and sent != f"Bearer {self.key}":
            return refused(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}")
        if request.path == "/v1/models":
            return raw({"object": "list", "data": [{"id": self.model.id, "object": "model"}]})
        refusal = self._refusal(request.body)
        if refusal is not None:
            return refusal
        if request.path == "/v1/chat/completions":
            return self.answer_to(request.body)
        if request.path == "/v1/embeddings" and self.embedder is not None:
            return raw(self._embeddings(self.embedder, request.body))
        return refused(404, f"Invalid URL ({request.path})")

    def answer_to(self, body: Mapping[str, Any]) -> Fault:
        """The model's reply to a request for a chat."""
        return raw(self._chat(body))

    def delivered(self, answer: Fault) -> None:
        """Told of every answer that was sent whole to a client that was still there."""

    def _refusal(self, body: Mapping[str, Any]) -> Fault | None:
        kind = body.get("response_format", {}).get("type")
        if kind in self.refuses:
            return refused(400, f"This response_format type is unavailable now: {kind}")
        if "tools" in self.refuses and "tools" in body:
            return refused(400, "registry.ollama.ai/library/gemma3 does not support tools")
        if "max_tokens" in self.refuses and "max_tokens" in body:
            return refused(
                400,
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
            )
        if "seed" in self.refuses and "seed" in body:
            return refused(400, 'Invalid JSON payload received. Unknown name "seed".')
        return None

    def _chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        wanted = body.get("response_format", {}).get("json_schema", {}).get("schema")
        tools = [Tool(**tool["function"]) for tool in body.get("tools", ())]
        messages = [message_of(item) for item in body["messages"]]
        reply = self.model.complete(messages, schema=wanted, tools=tools)
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.tool_calls:
            message["tool_calls"] = [_sent_call(call) for call in reply.tool_calls]
        usage = reply.usage
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": reply.model or self.model.id,
            "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
            "usage": {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
                "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
            },
        }

    def _embeddings(self, embedder: Embedder, body: Mapping[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = enumerate(embedder.embed(texts))
        data = [
            {"object": "embedding", "index": index, "embedding": [float(x) for x in row]}
            for index, row in rows
        ]
        return {
            "object": "list",
            "model": body["model"],
            "data": data[::-1],  # the protocol orders by index, not by place
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


def message_of(item: Mapping[str, Any]) -> Message:
    """A core message from its JSON form, pictures decoded."""
    content = item.get("content") or ""
    parts = [content] if isinstance(content, str) else [_part_of(part) for part in content]
    calls = tuple(
        ToolCall(
            call["id"], call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")
        )
        for call in item.get("tool_calls", ())
    )
    return Message(item["role"], tuple(parts), calls, item.get("tool_call_id", ""))


def _part_of(part: Mapping[str, Any]) -> str | Image:
    if part["type"] == "text":
        return str(part["text"])
    encoded = part["image_url"]["url"].removeprefix("data:image/png;base64,")
    with Pillow.open(io.BytesIO(base64.b64decode(encoded))) as picture:
        return Image(np.asarray(picture.convert("RGB")))


def _sent_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def _handler(owner: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # headers and body in one packet

        def do_GET(self) -> None:
            self._serve({})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            self._serve(json.loads(self.rfile.read(length) or b"{}"))

        def _serve(self, body: Mapping[str, Any]) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = owner.answer(Request(self.path, headers, body))
            if answer.silent:
                owner.closing.wait(10)
                self.close_connection = True
                return
            sent = answer.body if isinstance(answer.body, bytes) else answer.body.encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(sent) + (100 if answer.cut else 0)))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if answer.drip_s:
                self._drip(sent, answer.drip_s)
                return
            if not answer.cut and not self._hung_up():
                owner.delivered(answer)
            self.wfile.write(sent)
            if answer.cut:
                self._break_off()

        def _hung_up(self) -> bool:
            flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
            try:
                return self.connection.recv(1, flags) == b""
            except BlockingIOError:
                return False

        def _drip(self, sent: bytes, every_s: float) -> None:
            self.close_connection = True
            with suppress(OSError):
                for byte in sent:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    if owner.closing.wait(every_s):
                        return

        def _break_off(self) -> None:
            self.wfile.flush()
            linger = struct.pack("ii", 1, 0)  # a reset, not an orderly end
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
