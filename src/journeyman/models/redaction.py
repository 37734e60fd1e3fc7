"""Keeps a key out of every text that comes from a server, plain or encoded, and out of logs."""

from __future__ import annotations

import base64
import json
import logging
import re
from functools import cache
from urllib.parse import quote

SHORTEST_SECRET = 8
"""A shorter key is none: a local server's placeholder, which is a word of good replies too."""

SHOWN = "[key]"

LOGGERS = (
    *(
        f"{package}{part}"
        for package in ("httpx", "httpx2", "httpcore", "httpcore2")
        for part in ("", ".http11", ".http2", ".connection", ".proxy", ".socks")
    ),
    "openai._base_client",
    "openai._response",
    "openai._legacy_response",
)
"""Where the client logs what servers send, headers among it."""


class Redaction(logging.Filter):
    """Replaces ``key`` and its usual encodings by ``[key]``.

    Percent-encoded and Base64 forms are found, the latter wherever the key lies in what was
    encoded, but for a character or two at its ends. A server that hides the key further than that
    is beyond this.

    Args:
        key: The key; one shorter than `SHORTEST_SECRET` is left alone.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        forms = [] if len(key) < SHORTEST_SECRET else sorted(_forms(key), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, forms)) or r"(?!)")

    def __call__(self, text: str) -> str:
        return self._pattern.sub(SHOWN, text)

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record through, as one text without the key."""
        said = record.getMessage()
        clean = self(said)
        if clean != said:
            record.msg, record.args = clean, ()
        return True

    def watch_logs(self) -> None:
        """Have the client's loggers write nothing of the key from now on."""
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self)


@cache
def redaction(key: str) -> Redaction:
    """The one redaction of ``key``, so that loggers are given it once."""
    return Redaction(key)


def _forms(key: str) -> set[str]:
    plain = {key, quote(key, safe=""), json.dumps(key)[1:-1]}
    return plain | {form for form in _base64_forms(key.encode()) if len(form) >= SHORTEST_SECRET}


def _base64_forms(key: bytes) -> set[str]:
    """What of the key's Base64 is the same whatever stands before and after it."""
    found = set()
    for before in range(3):
        whole = (before + len(key)) * 8 // 6  # characters that nothing after the key decides
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(b"\0" * before + key).decode()[-(-before * 8 // 6) : whole])
    return found
