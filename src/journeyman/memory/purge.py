"""Erasing an entry for good, for private data: the one exception to "every revision stays"."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from journeyman.core.values import Delta, Origin
from journeyman.memory.judge import normalised
from journeyman.memory.log import Change, dumped, entry_id, entry_number, write_change
from journeyman.memory.store import Store

PURGED = "[purged]"
"""Stands in the log where a text was."""

SHORTEST = 8
"""Shorter wordings are no evidence that a text elsewhere in the log speaks of the entry."""

_FIELDS = ("text", "title", "applies_when", "plan", "instruction")
_COLUMNS = ", ".join(_FIELDS)


@dataclass(frozen=True)
class Purged:
    """What a purge did.

    Attributes:
        entry: Its id, which stays, empty, so that it is never given again.
        version: The memory's version now.
        scrubbed: The versions whose logged reply, error, reflection or operations lost text.
        also_in: Other entries that say some of the same (a shared instruction or plan, say); they
            are kept as they are, to be judged and purged by a person.
    """

    entry: str
    version: int
    scrubbed: tuple[int, ...]
    also_in: tuple[str, ...]


def purge(store: Store, entry: str, author: str) -> Purged:
    """Erase every revision, vector and use of ``entry``, and its words from the log.

    Of each delta that has an operation about the entry, the raw reply, error and reflection go
    whole, and so do the words of that operation. Of every other delta, a reply, an error, a
    reflection or a refused operation goes that quotes one of the entry's wordings (of at least
    `SHORTEST` characters; case and spacing aside; also as escaped in JSON), unless another entry
    has that very wording too. What stays: that there was something, and its origin (run, episode,
    task, author). A new version is made. Purging a purged entry changes nothing.

    Raises:
        MemoryStoreError: there never was such an entry.
    """
    with store.transaction():
        number = entry_number(store, entry)
        version = store.version()
        if store.rows("SELECT purged FROM entry WHERE entry = ?", number)[0][0]:
            return Purged(entry, version, (), ())
        own = _own_words(store, number)
        others = store.rows(
            f"SELECT entry, {_COLUMNS} FROM revision WHERE entry <> ? ORDER BY entry", number
        )
        quoting = _Quotes(own)
        also_in = dict.fromkeys(
            entry_id(other)
            for other, *words in others
            if any(word in own or quoting.found_in(word) for word in words)
        )
        scrubbed = _scrub_log(store, number, own - {word for _, *words in others for word in words})
        for table in ("use", "vector", "life", "revision"):
            store.write(f"DELETE FROM {table} WHERE entry = ?", number)
        store.write("UPDATE entry SET purged = 1 WHERE entry = ?", number)
        origin = Origin(moment="purge", author=author)
        write_change(store, Change(version + 1, f"purge {entry}", origin, Delta(version), ()))
    return Purged(entry, version + 1, tuple(sorted(scrubbed)), tuple(also_in))


class _Quotes:
    """Finds any of some wordings in a longer text."""

    def __init__(self, words: Iterable[str]) -> None:
        self._plain: set[str] = set()
        self._escaped: set[str] = set()
        for word in words:
            if len(normalised(word)) >= SHORTEST:
                self._plain.add(normalised(word))
                self._escaped |= {json.dumps(word)[1:-1], dumped(word)[1:-1]}

    def found_in(self, text: str | None) -> bool:
        if not text:
            return False
        plain = normalised(text)
        return any(word in plain for word in self._plain) or any(
            word in text for word in self._escaped
        )


def _own_words(store: Store, number: int) -> set[str]:
    """All that any revision of the entry says and any operation about it proposed."""
    own = {
        word
        for row in store.rows(f"SELECT {_COLUMNS} FROM revision WHERE entry = ?", number)
        for word in row
    }
    for [text] in store.rows("SELECT operation FROM operation WHERE entry = ?", number):
        operation = json.loads(text)
        own |= {operation.get(field) or "" for field in (*_FIELDS, "reason")}
    return own - {""}


def _scrub_log(store: Store, number: int, secret: set[str]) -> set[int]:
    """Take the words out of the log; returns the versions that lost some."""
    quotes = _Quotes(secret)
    scrubbed: set[int] = set()
    touching = {
        version
        for [version] in store.rows(
            "SELECT version FROM operation WHERE entry = ?1"
            " UNION SELECT version FROM revision WHERE entry = ?1",
            number,
        )
    }
    for version, reply, error, reflection in store.rows(
        "SELECT version, reply, error, reflection FROM delta"
    ):
        whole = version in touching
        cleaned = (
            PURGED if reply and (whole or quotes.found_in(reply)) else reply,
            PURGED if error and (whole or quotes.found_in(error)) else error,
            _emptied(reflection)
            if reflection and (whole or quotes.found_in(reflection))
            else reflection,
        )
        if cleaned != (reply, error, reflection):
            scrubbed.add(version)
            store.write(
                "UPDATE delta SET reply = ?, error = ?, reflection = ? WHERE version = ?",
                *cleaned,
                version,
            )
    for version, position, text, accepted, entry in store.rows(
        "SELECT version, position, operation, accepted, entry FROM operation"
    ):
        operation = json.loads(text)
        words = [operation.get(field) or "" for field in (*_FIELDS, "reason", "alias")]
        repeats = any(word in secret or quotes.found_in(word) for word in words)
        if entry == number or (repeats and not accepted):
            scrubbed.add(version)
            store.write(
                "UPDATE operation SET operation = ? WHERE version = ? AND position = ?",
                dumped(_blank(operation)),
                version,
                position,
            )
    return scrubbed


def _emptied(reflection: str) -> str:
    return dumped({"mode": json.loads(reflection)["mode"], "insights": [], "error": None})


def _blank(operation: dict[str, Any]) -> dict[str, Any]:
    return {
        key: PURGED if value and key not in ("op", "kind") else value
        for key, value in operation.items()
    }
