"""Replies on disk, so that a call that was made before is not made again.

One SQLite file that the user names; a reply is found by a hash of everything that decides it:
the model's name and options, the precision of one in this process, the messages with their
pictures, the schema and the tools. Neither addresses nor keys are part of it, and a reply of one
server is given for another of the same model name. A model exchanged under its old name needs
another cache file.

Several processes may share a file, a kill loses at most the reply being written, and a file that
can only be read still answers. Each operation opens the file by itself: nothing to close, and cheap
beside a call.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage
from journeyman.core.protocols import Model
from journeyman.models.ledger import Repeated
from journeyman.models.options import ModelOptions
from journeyman.models.tools import ToolsNotTaken

APPLICATION_ID = 0x4A4D5243
"""Marks the file as a cache of replies ("JMRC") in SQLite's own header."""

SCHEMA_VERSION = 1

_SCHEMA = (
    "CREATE TABLE reply (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID",
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={SCHEMA_VERSION}",
)

DECIDING = ("temperature", "max_tokens", "seed")
"""The options that decide a reply; the others say where and how long to ask."""

_KEPT = tuple(f.name for f in fields(Completion) if f.name not in ("parsed", "problem"))


class ReplyCache:
    """The cache file at ``path``, made where there is none.

    Args:
        path: In a folder that exists.
        timeout_s: Longest wait for another process that is writing.

    Raises:
        ConfigError: the file is no cache of replies, is damaged, or cannot be opened.
    """

    def __init__(self, path: str | Path, *, timeout_s: float = 30.0) -> None:
        self.path = Path(path)
        self.timeout_s = timeout_s
        try:
            with self._opened() as connection:
                connection.execute("BEGIN")
                laid_out = self._is_laid_out(connection)
                connection.execute("COMMIT")
                if not laid_out:
                    connection.execute("BEGIN IMMEDIATE")
                    if not self._is_laid_out(connection):  # of several processes the first does it
                        for statement in _SCHEMA:
                            connection.execute(statement)
                    connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise ConfigError(
                f"the cache {self.path} cannot be used: {error}.",
                hint="Name a file in a folder that exists; a damaged cache may be deleted.",
            ) from error

    def _is_laid_out(self, connection: sqlite3.Connection) -> bool:
        """False for a new file; within a transaction, so that all is of one moment."""
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [schema] = connection.execute("PRAGMA user_version").fetchone()
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, schema, tables) == (0, 0, 0):
            return False
        if (application, schema) != (APPLICATION_ID, SCHEMA_VERSION):
            raise ConfigError(
                f"{self.path} is a database, but no cache of replies of this version.",
                hint="Name another file with --cache.",
            )
        return True

    def __len__(self) -> int:
        with self._working() as connection:
            [count] = connection.execute("SELECT count(*) FROM reply").fetchone()
        return int(count)

    def find(self, key: str) -> Repeated | None:
        """The reply kept under ``key``, or None.

        Raises:
            ModelUnavailable: the file is damaged, or locked longer than ``timeout_s``.
        """
        with self._working() as connection:
            row = connection.execute("SELECT reply FROM reply WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        try:
            return _read(json.loads(row[0]))
        except (ValueError, TypeError, KeyError) as error:
            raise self._unusable(f"the entry {key[:12]} is damaged") from error

    def keep(self, key: str, completion: Completion) -> None:
        """Keep a reply, on disk when this returns; the first one kept under a key stays.

        Raises:
            ModelUnavailable: the file cannot be written.
        """
        kept = asdict(completion)
        text = json.dumps({name: kept[name] for name in _KEPT})
        with self._working() as connection:
            connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?)", (key, text))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=self.timeout_s, isolation_level=None)
        with closing(connection):
            yield connection

    @contextmanager
    def _working(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._opened() as connection:
                yield connection
        except sqlite3.Error as error:
            raise self._unusable(str(error)) from error

    def _unusable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"the cache {self.path} cannot be used: {reason}.",
            hint="Give the same command with another --cache, or without one; the run goes on.",
        )


class CachedModel:
    """``model``, asked only what the cache does not hold.

    A reply from the cache is `Repeated`: its usage is that of the call that was paid for, its
    ``seconds`` are 0. Kept are replies, those that turn out not to follow the schema among them,
    since they are what the model answers; never faults, refusals or empty replies. At a temperature
    above 0 the same prompt gets the same reply again, too.

    That a server refuses tools is kept as well, by the model's name, so that a repeated run asks
    nobody; with the option ``tools`` at ``native`` it is not looked at.

    Args:
        model: Any model; its ``id``, ``sees_images`` and what it says of itself are passed on.
        options: What it was made with.
        cache: Where replies are kept.
    """

    def __init__(self, model: Model, options: ModelOptions, cache: ReplyCache) -> None:
        self.id = model.id
        self.sees_images = model.sees_images
        self.caveat = str(getattr(model, "caveat", ""))
        self.prompt_profiles = getattr(model, "prompt_profiles", None)
        self._model = model
        self._options = options
        self._cache = cache

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r}, {str(self._cache.path)!r})"

    @property
    def takes_tools(self) -> bool:
        """Whether the model is offered tools in the protocol's own way."""
        if not getattr(self._model, "takes_tools", True):
            return False
        return self._options.tools == "native" or self._cache.find(self._refusal) is None

    @property
    def _refusal(self) -> str:
        """The key under which a refusal of tools is kept; no reply can have it."""
        return f"{self.id} refuses tools"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """The kept reply, or the model's own, which is then kept.

        Raises:
            ModelUnavailable: by the model, or because the file cannot be used any more.
        """
        dtype = getattr(self._model, "dtype", None)
        key = reply_key(self.id, self._options, messages, schema, tools, dtype)
        found = self._cache.find(key)
        if found is not None:
            return found
        try:
            completion = self._model.complete(messages, schema=schema, tools=tools)
        except ToolsNotTaken as refusal:
            self._cache.keep(self._refusal, Completion(refusal.message))
            raise
        if completion.problem is None and not isinstance(completion, Repeated):
            self._cache.keep(key, completion)
        return completion


def reply_key(
    model: str,
    options: ModelOptions,
    messages: Sequence[Message],
    schema: Mapping[str, Any] | None = None,
    tools: Sequence[Tool] = (),
    dtype: str | None = None,
) -> str:
    """SHA-256 of all that decides a reply, in hexadecimal.

    Args:
        dtype: The numbers that the model computes in, where it says so; what is kept of the others
            is found as before there was this part.

    The order of a schema's fields is part of it: grammars follow it.
    """
    decided = {
        "model": model,
        "options": {
            **{name: getattr(options, name) for name in DECIDING},
            **({"dtype": dtype} if dtype is not None else {}),
        },
        "messages": plain_messages(messages),
        "schema": schema,
        "tools": [asdict(tool) for tool in tools],
    }
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()


def plain_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as JSON, pictures as the SHA-256 of their PNG."""
    return [
        {
            "role": message.role,
            "content": [
                {"image_sha256": part.sha256} if isinstance(part, Image) else part
                for part in message.content
            ],
            "tool_calls": [[c.id, c.name, dict(c.arguments)] for c in message.tool_calls],
            "tool_call_id": message.tool_call_id,
        }
        for message in messages
    ]


def _read(kept: Mapping[str, Any]) -> Repeated:
    return Repeated(
        text=str(kept["text"]),
        tool_calls=tuple(ToolCall(**call) for call in kept["tool_calls"]),
        usage=Usage(**kept["usage"]),
        model=str(kept["model"]),
        finish_reason=str(kept["finish_reason"]),
    )
