"""What a server may take: bytes and seconds of one answer, and requests in flight."""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from journeyman.models.trouble import OVERSIZED, Trouble

LARGEST_BODY = 16 * 2**20
"""Bytes of one answer that are read; of a longer one nothing is used, and its tokens are unknown.

Far above a reply of 100,000 tokens, and above the vectors of 64 texts.
"""


class Stopped(Exception):
    """Raised while a body is read that is too large or too slow."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.reason)
        self.trouble = trouble


def bound(response: Any, within_s: float, late: Trouble) -> None:
    """Have the body of ``response`` read to `LARGEST_BODY` bytes and for ``within_s`` at most.

    A hook of the HTTP client, called when the headers have come: so it holds for the bodies of
    errors too, which the ``openai`` client reads by itself. The stream is replaced by one of the
    same class, whichever of its two HTTP libraries made it.

    Raises:
        Stopped: where the body is read, with ``late`` where it takes too long.
    """
    stream, until = response.stream, time.monotonic() + within_s

    class Bounded(type(stream)):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def __getattr__(self, name: str) -> Any:
            return getattr(stream, name)

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in stream:
                size += len(chunk)
                if size > LARGEST_BODY:
                    words = f"the answer is larger than {LARGEST_BODY / 2**20:g} MiB"
                    raise Stopped(Trouble(words, OVERSIZED, passing=True))
                if time.monotonic() > until:
                    raise Stopped(late)
                yield chunk

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()


class _Server:
    """How many requests of this process are in flight to one address."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.in_flight = 0


_servers: defaultdict[str, _Server] = defaultdict(_Server)


@contextmanager
def in_flight(address: str, most: int | None) -> Iterator[None]:
    """Wait until fewer than ``most`` requests to ``address`` are in flight, and count as one."""
    server = _servers[address]
    with server.changed:
        server.changed.wait_for(lambda: server.in_flight < (math.inf if most is None else most))
        server.in_flight += 1
    try:
        yield
    finally:
        with server.changed:
            server.in_flight -= 1
            server.changed.notify_all()
