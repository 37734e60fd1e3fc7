"""The memory file: one SQLite database, the only source of truth, opened and checked in one place.

What is in it, by table:

- ``delta``: one row a version; who caused it, the raw reply, its error, the reflection.
- ``operation``: the delta's operations, each with its verdict. ``use``: the lessons that the
  episode of that delta was given, with rank, similarity and outcome.
- ``entry``: never deleted, so no id is ever given twice. ``scope`` says which view an entry
  belongs to (``strategy`` for the strategy pool).
- ``revision``: every wording an entry ever had. Never changed; only a purge deletes it.
- ``life``: the versions [since, until) at which a revision was the living one. An entry without
  an open life is a tombstone. Any version of the memory is one range query over this table.
- ``vector``: the key embedding of a revision by one embedder, float32 little-endian.

No time of day is stored: two runs of one seed have equal files in all that can be exported.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from journeyman.core.errors import MemoryStoreError

APPLICATION_ID = 0x4A4D454D
"""Marks the file as a memory ("JMEM") in SQLite's own header."""

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE delta (
    version INTEGER PRIMARY KEY,
    cause TEXT NOT NULL,
    seen INTEGER NOT NULL,
    run TEXT NOT NULL,
    episode INTEGER NOT NULL,
    moment TEXT NOT NULL,
    task TEXT NOT NULL,
    author TEXT NOT NULL,
    reply TEXT NOT NULL,
    error TEXT,
    reflection TEXT
);
CREATE UNIQUE INDEX delta_key ON delta (run, episode, moment) WHERE run <> '';
CREATE TABLE entry (
    entry INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    purged INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE operation (
    version INTEGER NOT NULL REFERENCES delta,
    position INTEGER NOT NULL,
    operation TEXT NOT NULL,
    accepted INTEGER NOT NULL,
    reason TEXT NOT NULL,
    entry INTEGER REFERENCES entry,
    PRIMARY KEY (version, position)
);
CREATE INDEX operation_entry ON operation (entry);
CREATE TABLE revision (
    entry INTEGER NOT NULL REFERENCES entry,
    revision INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES delta,
    text TEXT NOT NULL,
    title TEXT NOT NULL,
    applies_when TEXT NOT NULL,
    kind TEXT NOT NULL,
    plan TEXT NOT NULL,
    instruction TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (entry, revision)
);
CREATE INDEX revision_digest ON revision (digest);
CREATE TABLE life (
    entry INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    since INTEGER NOT NULL REFERENCES delta,
    until INTEGER REFERENCES delta,
    PRIMARY KEY (entry, since),
    FOREIGN KEY (entry, revision) REFERENCES revision
);
CREATE INDEX life_since ON life (since);
CREATE INDEX life_until ON life (until);
CREATE TABLE vector (
    entry INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    embedder TEXT NOT NULL,
    dim INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (entry, revision, embedder),
    FOREIGN KEY (entry, revision) REFERENCES revision
);
CREATE TABLE use (
    version INTEGER NOT NULL REFERENCES delta,
    position INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    similarity REAL,
    success INTEGER NOT NULL,
    PRIMARY KEY (version, position),
    FOREIGN KEY (entry, revision) REFERENCES revision
);
CREATE INDEX use_entry ON use (entry);
"""

_EXPLAINED = {
    sqlite3.SQLITE_NOTADB: (
        "is not a memory file",
        "Give the path of a memory, e.g. runs/first/memory.db",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged",
        "Bring the last export into a new file with: journeyman memory import RUN",
    ),
    sqlite3.SQLITE_BUSY: (
        "is locked by another process; nothing was changed",
        "Wait until that process has finished, then run the same command again",
    ),
    sqlite3.SQLITE_READONLY: (
        "cannot be written; nothing was changed",
        "Make the file and its folder writable, or copy it to a folder that is",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        "Check that its folder exists and that you may write to it",
    ),
    sqlite3.SQLITE_FULL: (
        "cannot grow because the disk is full; nothing was changed",
        "Free some space, then run the same command again",
    ),
    sqlite3.SQLITE_IOERR: (
        "could not be read or written by the disk",
        "Check the disk, then run the same command again",
    ),
}


def _kind(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Application id, schema version and count of tables, all of one moment."""
    began = not connection.in_transaction
    if began:
        connection.execute("BEGIN")
    try:
        [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [schema] = connection.execute("PRAGMA user_version").fetchone()
    finally:
        if began and connection.in_transaction:
            connection.execute("ROLLBACK")
    return application, schema, tables


class Store:
    """One open handle of a memory file; several handles and processes may share the file.

    Write-ahead log, ``synchronous=FULL`` (a change that returned survives a power cut) and
    ``secure_delete`` (what is deleted is overwritten). Every change is one ``BEGIN IMMEDIATE``
    transaction. A handle may be used from several threads; calls wait for each other.

    Raises:
        MemoryStoreError: from every method, where the file is not a memory, of another schema
            version, locked longer than ``timeout_s``, read-only, damaged, closed, or the disk is
            full.
    """

    def __init__(self, path: str | Path, *, create: bool = True, timeout_s: float = 30.0) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        if not create and not self.path.exists():
            raise MemoryStoreError(
                f"there is no memory at {self.path}.",
                hint="Give the path of a memory, e.g. runs/first/memory.db",
            )
        with self._explaining():
            connection = sqlite3.connect(
                self.path, timeout=timeout_s, isolation_level=None, check_same_thread=False
            )
            try:
                self._check(connection)
                _write_ahead(connection, timeout_s)
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("PRAGMA foreign_keys=ON")
                connection.execute("PRAGMA secure_delete=ON")
                self._connection = connection
                self._create()
            except BaseException:
                self._connection = None
                connection.close()
                raise

    def _check(self, connection: sqlite3.Connection) -> bool:
        """True for a memory of this schema, False for a new file."""
        application, schema, tables = _kind(connection)
        if application == schema == tables == 0:
            return False
        if application != APPLICATION_ID:
            raise MemoryStoreError(
                f"{self.path} is a database of another program, not a memory.",
                hint="Give the path of a memory, e.g. runs/first/memory.db",
            )
        if schema != SCHEMA_VERSION:
            raise MemoryStoreError(
                f"{self.path} has memory schema {schema}; this version reads {SCHEMA_VERSION}.",
                hint="Open it with the version that wrote it and use: journeyman memory export RUN",
            )
        return True

    def _create(self) -> None:
        """Lay out a new file; of several processes that try, the first does it."""
        if self._check(self._open):
            return
        with self.transaction():
            if not self._check(self._open):
                for statement in _SCHEMA.split(";\n"):
                    self._open.execute(statement)
                self._open.execute(f"PRAGMA application_id={APPLICATION_ID}")
                self._open.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    @property
    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            raise MemoryStoreError(
                f"the memory {self.path} is closed.", hint="Open it again with StrategyPool.open"
            )
        return self._connection

    def close(self) -> None:
        """Let go of the file; closing twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block or nothing of it, while no other process writes."""
        with self._lock, self._explaining():
            connection = self._open
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One consistent state for all queries of the block; free inside a transaction."""
        with self._lock, self._explaining():
            connection = self._open
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def rows(self, query: str, *values: Any) -> list[Any]:
        """All rows that ``query`` gives."""
        with self._lock, self._explaining():
            return self._open.execute(query, values).fetchall()

    def each(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows one by one, for tables too large to hold; only within ``reading``."""
        yield from self._open.execute(query, values)

    def write(self, statement: str, *values: Any) -> int:
        """Change rows within ``transaction``; returns how many."""
        return self._open.execute(statement, values).rowcount

    def version(self) -> int:
        """The number of changes so far; 0 for a new memory."""
        return int(self.rows("SELECT coalesce(max(version), 0) FROM delta")[0][0])

    def setting(self, key: str) -> str | None:
        found = self.rows("SELECT value FROM setting WHERE key = ?", key)
        return str(found[0][0]) if found else None

    def set_setting(self, key: str, value: str) -> None:
        self.write("INSERT OR REPLACE INTO setting VALUES (?, ?)", key, value)

    def compact(self) -> None:
        """Rewrite the file without its free pages and empty the write-ahead log.

        Raises:
            MemoryStoreError: another process is using the file, so that old pages remain.
        """
        with self._lock, self._explaining():
            self._open.execute("VACUUM")
            busy = self._open.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise MemoryStoreError(
                f"{self.path} is in use, so its log could not be emptied.",
                hint="Close the other processes, then run the same command again",
            )

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code is None or code & 0xFF not in _EXPLAINED:
                raise
            sentence, hint = _EXPLAINED[code & 0xFF]
            raise MemoryStoreError(f"{self.path} {sentence}.", hint=hint) from error


def _write_ahead(connection: sqlite3.Connection, timeout_s: float) -> None:
    """Switch the file to its write-ahead log; SQLite does not wait for this lock by itself."""
    patience = time.monotonic() + timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            locked = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not locked or time.monotonic() > patience:
                raise
            time.sleep(0.01)
