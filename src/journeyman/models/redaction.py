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
        self._pattern = re.compile(r"(?!)" if len(key) < SHORTEST_SECRET else _pattern(key))

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


def _pattern(key: str) -> str:
    """The key with any of its characters percent-encoded or escaped as in JSON; and its Base64."""
    plain = "".join(map(_character, key))
    encoded = sorted(_base64_forms(key.encode()), key=len, reverse=True)
    return "|".join([plain, *(re.escape(f) for f in encoded if len(f) >= SHORTEST_SECRET)])


def _character(character: str) -> str:
    forms = {character, quote(character, safe=""), json.dumps(character)[1:-1]}
    forms |= {form.lower() for form in forms if form.startswith("%")}
    forms |= {f"\\u{ord(character):04x}", f"\\u{ord(character):04X}", f"\\{character}"}
    return f"(?:{'|'.join(re.escape(form) for form in sorted(forms, key=len, reverse=True))})"


def _base64_forms(key: bytes) -> set[str]:
    """What of the key's Base64 is the same whatever stands before and after it."""
    found = set()
    for before in range(3):
        whole = (before + len(key)) * 8 // 6  # characters that nothing after the key decides
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(b"\0" * before + key).decode()[-(-before * 8 // 6) : whole])
    return found
