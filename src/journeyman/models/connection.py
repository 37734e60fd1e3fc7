"""One OpenAI-compatible server: address, key, bounded retries and errors that say what to do.

The only place where a call is tried again. The key is read from the environment when the first
call is made, goes to the server, and is taken out of every text that comes from here. What a server
sends is bounded in size and time.
"""

from __future__ import annotations

import json
import math
import os
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from journeyman.core import seeding
from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.models import trouble as kinds
from journeyman.models.bounds import Stopped, bound, in_flight
from journeyman.models.redaction import redaction
from journeyman.models.trouble import Tale, Trouble

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI
    from tenacity import RetryCallState

OPENAI_URL = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent to a server of one's own that asks for no key."""

FIRST_BACKOFF_S = 1.0
LONGEST_BACKOFF_S = 30.0
LONGEST_RETRY_AFTER_S = 60.0


class Connection:
    """A server reached through the ``openai`` client, which is imported on the first call.

    Args:
        name: The full name asked for, e.g. ``openai/gpt-4o``.
        base_url: Address up to ``/v1``; else ``OPENAI_BASE_URL``, else OpenAI's own.
        key_env: The environment variable that holds the key.
        timeout_s: Longest wait for the server to send something, each try; once it has begun, for
            all of it.
        tries: Calls made for one reply, the first included.
        concurrency: Requests of this process in flight to this address at most, whichever
            connection they go by; None is no limit.
        sleep: Waits between tries; given by tests.

    Raises:
        ConfigError: the address is none, the key is missing (OpenAI's own address only) or is no
            key, or a number is out of range.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None,
        key_env: str,
        timeout_s: float,
        tries: int,
        concurrency: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if tries < 1 or timeout_s <= 0:
            raise ConfigError(
                f"tries must be 1 or more and timeout_s above 0, not {tries} and {timeout_s:g}."
            )
        if concurrency is not None and concurrency < 1:
            raise ConfigError(f"concurrency: {concurrency} is below 1.")
        self.name = name
        self.base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
        self.where = _shown(self.base_url)
        self.key_env = key_env
        self.timeout_s = timeout_s
        self.tries = tries
        self.concurrency = concurrency
        self._sleep = sleep
        self._calls = 0
        self._key()

    def __repr__(self) -> str:
        return f"Connection({self.name!r}, {self.where!r})"

    def _key(self) -> str:
        key = os.environ.get(self.key_env, "").strip()
        if not key and urlsplit(self.base_url).hostname == urlsplit(OPENAI_URL).hostname:
            raise ConfigError(
                f"{self.name} at {self.where} needs a key, and {self.key_env} is not set.",
                hint=f"Set it with: export {self.key_env}=...   or give --base-url of a server of "
                "your own, or use --model stand-in",
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ConfigError(
                f"{self.key_env} holds characters that no key has.",
                hint=f"Set it again with: export {self.key_env}=...",
            )
        return key or NO_KEY

    @cached_property
    def _client(self) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        redaction(self._key()).watch_logs()
        http = DefaultHttpxClient(event_hooks={"response": [self._bound]})
        weakref.finalize(self, http.close)
        return OpenAI(
            api_key=self._key(),
            base_url=self.base_url,
            timeout=self.timeout_s,
            max_retries=0,
            http_client=http,
            default_headers={"Accept-Encoding": "identity"},  # so that bytes counted are bytes kept
        )

    def ask(
        self,
        send: Callable[[OpenAI], Any],
        tale: Tale | None = None,
        wrong: Callable[[Mapping[str, Any]], str | None] = lambda reply: None,
    ) -> dict[str, Any] | Trouble:
        """The JSON object that the server replies, tried up to ``tries`` times.

        ``send`` makes one request and returns the raw response. Tried again: 429 (waiting as
        ``Retry-After`` asks, at most a minute; not where the quota is used up), 408, 5xx but 501
        (not implemented), time-outs, broken connections, bodies that are no JSON object and those
        larger than `bounds.LARGEST_BODY`. Everything else comes back at once. Waits double from a
        second to half a minute, with jitter. An object in invalid UTF-8 was paid for and is given,
        with U+FFFD for what is none. ``tale`` is told of all that was met; ``wrong`` says in a few
        words why an object is none of those wanted, which is tried again too.
        """
        from tenacity import Retrying, retry_if_result, stop_after_attempt

        self._calls += 1
        tale = Tale() if tale is None else tale

        def once() -> dict[str, Any] | Trouble:
            reply = self._once(send, tale)
            if not isinstance(reply, Trouble) and (kind := wrong(reply)) is not None:
                reply = Trouble(f"the body is JSON, but {kind}", kind, passing=True)
            if isinstance(reply, Trouble):
                tale.troubles[reply.kind] += 1
            return reply

        def gave_up(state: RetryCallState) -> Any:
            return state.outcome.result() if state.outcome else None

        def slept(state: RetryCallState) -> None:
            tale.retries += 1
            tale.waited_s += state.next_action.sleep if state.next_action else 0.0

        retrying = Retrying(
            stop=stop_after_attempt(self.tries),
            wait=self._wait,
            retry=retry_if_result(lambda reply: isinstance(reply, Trouble) and reply.passing),
            retry_error_callback=gave_up,
            before_sleep=slept,
            sleep=self._sleep,
        )
        reply: dict[str, Any] | Trouble = retrying(once)
        if isinstance(reply, Trouble):
            return replace(reply, tries=int(retrying.statistics["attempt_number"]))
        return reply

    def _wait(self, state: RetryCallState) -> float:
        """Seconds before the next try. The jitter tells processes apart; no result hangs on it."""
        trouble = state.outcome.result() if state.outcome else None
        if isinstance(trouble, Trouble) and trouble.wait_s is not None:
            return min(trouble.wait_s, LONGEST_RETRY_AFTER_S)
        longest = min(FIRST_BACKOFF_S * 2.0 ** (state.attempt_number - 1), LONGEST_BACKOFF_S)
        jitter = seeding.uniform("back-off", os.getpid(), self._calls, state.attempt_number)
        return longest * (0.5 + 0.5 * jitter)

    def _once(self, send: Callable[[OpenAI], Any], tale: Tale) -> dict[str, Any] | Trouble:
        client = self._client
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        try:
            with in_flight(self.base_url, self.concurrency):
                body: bytes = send(client).content
        except Stopped as stopped:
            return stopped.trouble
        except APITimeoutError:
            return self._silent()
        except APIConnectionError as error:
            if isinstance(error.__cause__, Stopped):  # older clients wrap whatever is raised
                return error.__cause__.trouble
            why = self._clean(str(error.__cause__ or error))
            return Trouble(f"the connection failed ({why})", kinds.BROKEN, passing=True)
        except APIStatusError as error:
            return self._status(error)
        except APIError as error:
            return Trouble(self._clean(str(error)))
        return self._decoded(body, tale)

    def _silent(self) -> Trouble:
        return Trouble(f"no answer within {self.timeout_s:g} s", kinds.SILENT, passing=True)

    def _bound(self, response: Any) -> None:
        bound(response, self.timeout_s, self._silent())

    def _status(self, error: APIStatusError) -> Trouble:
        status = error.status_code
        if status == 401:  # what servers say here holds parts of the key
            none = self._client.api_key == NO_KEY
            given = (
                f"a key is wanted and {self.key_env} is not set" if none else "the key was refused"
            )
            return Trouble(f"{given} (HTTP 401)", "HTTP 401", status)
        said = self._clean(error.response.text, 10_000)
        reason = f"HTTP {status}: {self._clean(_message(error.body) or said)}"
        kind = f"HTTP {status}"
        passing = status in (408, 429) or (status >= 500 and status != 501)
        if status == 429 and error.code == "insufficient_quota":
            passing = False
        wait_s = _seconds(error.response.headers.get("retry-after"))
        return Trouble(reason, kind, status, passing, wait_s, said=said)

    def _decoded(self, body: bytes, tale: Tale) -> dict[str, Any] | Trouble:
        garbled = False
        try:
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError:
            text, garbled = body.decode(errors="replace"), True
        try:
            reply = self._without_key(json.loads(text))
        except (ValueError, RecursionError):
            shown = self._clean(text) or "(empty)"
            kind = kinds.HTML if text.lstrip().startswith("<") else kinds.NO_JSON
            return Trouble(f"the body is no JSON: {shown}", kind, passing=True)
        if not isinstance(reply, dict):
            return Trouble("the body is JSON, but no object", kinds.NO_OBJECT, passing=True)
        if reply.get("error"):
            why = self._clean(_message(reply) or "an error")
            words = f"the server reports an error: {why}"
            return Trouble(words, kinds.ERROR_IN_BODY, passing=True)
        if garbled:
            tale.troubles[kinds.GARBLED] += 1
        return reply

    def _without_key(self, reply: Any) -> Any:
        """``reply`` without the key in any of its texts, however they were escaped."""
        plain = json.dumps(reply, ensure_ascii=False)
        clean = redaction(self._client.api_key)(plain)
        return reply if clean == plain else json.loads(clean)

    def _clean(self, text: str, length: int = 300) -> str:
        """``text`` on one printable line of at most ``length``, without the key."""
        line = " ".join(text.split())
        if line.startswith("<"):
            line = f"an HTML page, {line}"
        line = "".join(character for character in line if character.isprintable())
        key = self._client.api_key
        if key != NO_KEY:
            line = redaction(key)(line).replace(key, "[key]")
        return line if len(line) <= length else line[:length] + "..."

    def unavailable(self, trouble: Trouble) -> ModelUnavailable:
        """The error for ``trouble``: what, where, why, how often tried, and the next command."""
        often = "once" if trouble.tries == 1 else f"{trouble.tries} times"
        return ModelUnavailable(
            f"no reply from {self.name} at {self.where}, tried {often}: {trouble.reason}.",
            hint=self._hint(trouble),
        )

    def _hint(self, trouble: Trouble) -> str:
        again = "Then give the same command again; a run goes on where it stopped."
        if trouble.status in (401, 403):
            return f"Set a key that this server takes: export {self.key_env}=...   {again}"
        if trouble.status == 404:
            return (
                f"See which models it serves: curl {self.where}/models   "
                "(most addresses end in /v1; give yours with --base-url)"
            )
        if trouble.kind == kinds.BROKEN:
            return f"Is it running? Try: curl {self.where}/models   {again}"
        if "image" in trouble.reason or "multimodal" in trouble.reason:
            return (
                "If the model takes no pictures, give one that does; elite and base also do "
                "without them: --set observation=text"
            )
        if trouble.passing:
            return "Give the same command again later; a run goes on where it stopped."
        return f"Mend what the server complains about. {again}"


def _shown(base_url: str) -> str:
    """The address without user, password and query."""
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError(
            "the base URL is no address of a server.",
            hint="Write it like: --base-url http://localhost:8000/v1",
        )
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _message(body: object) -> str:
    """What an error body says, wherever the server put it."""
    while isinstance(body, Mapping):
        found = body.get("error") or body.get("message") or body.get("detail")
        body = found if found else json.dumps(body, default=str)
    return body if isinstance(body, str) else json.dumps(body, default=str) if body else ""


def _seconds(retry_after: str | None) -> float | None:
    """``Retry-After`` in seconds; None where it is absent or a date."""
    try:
        seconds = float(retry_after or "nan")
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
