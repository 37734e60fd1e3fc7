"""ELITE's strategy pool P: every change is a logged, judged delta, every version stays readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from journeyman.core.errors import MemoryStoreError
from journeyman.core.protocols import Embedder, Vector
from journeyman.core.values import Applied, Delta, Kind, Origin, Revise, Strategy, Use
from journeyman.memory import entries
from journeyman.memory import history as past
from journeyman.memory.embedding import CachedEmbedder
from journeyman.memory.ground import StoreGround
from journeyman.memory.judge import Ruling, alias_position, judge
from journeyman.memory.log import Change, applied_before, storable
from journeyman.memory.purge import Purged, purge
from journeyman.memory.store import Store
from journeyman.memory.view import View, require_embedder
from journeyman.memory.writing import new_keys, restore, write_rulings

NOWHERE = Origin()
"""A change outside any run; it has no idempotency key."""


class StrategyPool:
    """The pool of strategies in one file; the learning loop's `Memory`.

    Reading always gives the newest version, also where another process wrote it; use `view` for
    several reads that must belong together. Make one with `open`, and close it or use ``with``.
    """

    scope = "strategy"

    def __init__(self, store: Store, embedder: CachedEmbedder | None) -> None:
        self._store = store
        self._embedder = embedder
        self._newest: tuple[View, entries.Binding | None] | None = None

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        embedder: Embedder | None = None,
        create: bool = True,
        timeout_s: float = 30.0,
    ) -> StrategyPool:
        """The pool in the file ``path``, a new one where there is none.

        Args:
            path: Its folder must exist.
            embedder: Who embeds key plans and queries. Without one the pool can be read, searched
                by vector, edited by removals, restored, purged and exported.
            create: False makes a missing file an error.
            timeout_s: How long to wait for another process that is writing.

        Raises:
            MemoryStoreError: see `Store`.
            EmbeddingMismatch: the file's vectors are of another embedder or dimension.
        """
        cached = None if embedder is None else CachedEmbedder(embedder)
        pool = cls(Store(path, create=create, timeout_s=timeout_s), cached)
        try:
            pool._bind()
        except BaseException:
            pool.close()
            raise
        return pool

    def close(self) -> None:
        """Let go of the file; closing twice is harmless."""
        self._store.close()

    def __enter__(self) -> StrategyPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def embedder_id(self) -> str | None:
        """The embedder that the file's vectors are of; None for a file that has none yet."""
        return self._store.setting("embedder")

    # Reading

    @property
    def version(self) -> int:
        """How many changes the memory has had; 0 for a new one."""
        return self._store.version()

    def view(self) -> View:
        """The memory as it is now; what is written later does not change it."""
        version, binding = entries.state(self._store)
        newest = self._newest
        if newest is not None and (newest[0].version, newest[1]) == (version, binding):
            return newest[0]
        with self._store.reading():
            return self._current()

    def at(self, version: int) -> View:
        """The memory as it was at ``version``, in [0, ``self.version``].

        Raises:
            MemoryStoreError: there is no such version.
        """
        with self._store.reading():
            newest, binding = entries.state(self._store)
            if not 0 <= version <= newest:
                raise MemoryStoreError(
                    f"the memory has the versions 0 to {newest}, not {version}.",
                    hint="List them with: journeyman memory history RUN",
                )
            if version == newest:
                return self._current()
            index = entries.load_index(self._store, self.scope, version, _dim(binding))
            return View(self._store, self.scope, version, index, self._embedder)

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """The living entries in insertion order, aliases S1, S2, ... by position."""
        return self.view().strategies

    @property
    def vectors(self) -> Vector:
        """The entries' key embeddings z_i, shape (M, d), rows as in ``strategies``, read-only."""
        return self.view().vectors

    def embed(self, text: str) -> Vector:
        """The embedding of ``text``, shape (d,); the same text twice is embedded once."""
        return require_embedder(self._store, self._embedder).embed([text])[0]

    def nearest(self, query: Vector, k: int) -> list[tuple[Strategy, float]]:
        """The k entries of highest cosine similarity to ``query``; see `View.nearest`."""
        return self.view().nearest(query, k)

    def history(self, entry: str | None = None) -> tuple[Change, ...]:
        """Every change with its verdicts and origin, or those about ``entry``, oldest first."""
        return past.history(self._store, entry)

    def diff(self, before: int, after: int) -> past.Diff:
        """What was added, removed and revised from version ``before`` to version ``after``."""
        with self._store.reading():
            return past.diff(
                (before, self.at(before).strategies), (after, self.at(after).strategies)
            )

    def blame(self, entry: str) -> past.Blame:
        """Who wrote each revision of ``entry`` and which episodes used it with what outcome."""
        return past.blame(self._store, entry)

    def export(self) -> dict[str, Any]:
        """The whole memory as JSON values, equal for equal memories; see `export.export`."""
        from journeyman.memory.export import export

        return export(self._store)

    def copy_to(self, path: str | Path) -> None:
        """Write the whole memory, history and vectors included, to a new file at ``path``.

        Raises:
            MemoryStoreError: there is a file already, or it cannot be written.
        """
        self._store.rows("VACUUM INTO ?", str(path))

    # Changing

    def apply(self, delta: Delta, *, origin: Origin = NOWHERE, uses: Sequence[Use] = ()) -> Applied:
        """Judge the operations of ``delta`` and apply the accepted ones together (Eq. 3).

        One more version, also where nothing was accepted. Keys of new and revised entries are
        embedded (Algorithm 1 line 11) before the file is locked: a Revise re-embeds its own plan,
        or keeps the entry's where it has none.

        Args:
            origin: With a run, (run, episode, moment) is the idempotency key: a delta with a key
                that was applied before gives the stored verdicts and changes nothing.
            uses: The lessons the episode was given; those of entries purged since are dropped.

        Raises:
            MemoryStoreError: see `Store`; or a use names an entry that never was.
            EmbeddingMismatch: another process embedded the memory again with another embedder.
        """
        return self._apply(storable(delta), origin, uses, by_hand=False)

    def edit(
        self,
        alias: str,
        text: str | None = None,
        *,
        title: str = "",
        applies_when: str = "",
        kind: Kind | None = None,
        plan: str = "",
        instruction: str = "",
        version: int | None = None,
        author: str = "human",
    ) -> Applied:
        """Revise an entry by hand: a delta like any other; what is left out stays.

        Args:
            alias: As shown at ``version``, the newest one where none is given.
        """
        view = self.view() if version is None else self.at(version)
        if text is None:
            position = alias_position(alias) or 0
            text = view.at([position - 1])[0].text if 1 <= position <= len(view) else ""
        revise = Revise(alias, text, title, applies_when, kind, plan, instruction)
        delta = storable(Delta(view.version, (revise,)))
        return self._apply(delta, Origin(moment="edit", author=author), (), by_hand=True)

    def restore(self, version: int, *, author: str = "human") -> Applied:
        """Make a new version whose living entries are those of ``version``; nothing is lost.

        Raises:
            MemoryStoreError: there is no such version.
        """
        with self._store.transaction():
            return restore(self._store, self._current(), self.at(version), author)

    def purge(self, entry: str, *, author: str = "human") -> Purged:
        """Erase ``entry`` for good, with its traces in the log, also from the file's bytes.

        For private data, and the one exception to "nothing is lost"; see `purge.purge`. Copies
        elsewhere (exports, episode files of a run, backups) are not reached.

        Args:
            entry: Its id, e.g. ``e0003``: an alias means another entry after each change.

        Raises:
            MemoryStoreError: there is no such entry; or another process uses the file, so that
                old pages remain: the entry is erased, and the same call finishes the work.
        """
        purged = purge(self._store, entry, author)
        self._newest = None
        if self._embedder is not None:
            self._embedder.forget()
        self._store.compact()
        return purged

    def reembed(self, embedder: Embedder) -> int:
        """Embed every revision again, with ``embedder``, and use it from now on.

        The version stays: what the memory says is the same. Returns the number of revisions.
        """
        store, cached = self._store, CachedEmbedder(embedder)
        vectors: dict[str, Vector] = {}
        while True:
            with store.transaction():
                keys = entries.read_keys(store)
                new = [key for key in keys.values() if key not in vectors]
                if not new:
                    store.write("DELETE FROM vector")
                    entries.bind(store, cached)
                    for (entry, revision), key in keys.items():
                        entries.write_vector(store, entry, revision, cached, vectors[key])
                    break
            vectors.update(cached.embed_all(new))
        self._embedder, self._newest = cached, None
        return len(keys)

    def import_(self, document: Mapping[str, Any] | str) -> None:
        """Fill this new memory with an exported one, exactly: `export` gives the same again.

        Args:
            document: What `export` gave, or its JSON text.

        Raises:
            DataError: the document is no export; the message names the field.
            MemoryStoreError: this memory is not a new one, or was opened without an embedder.
        """
        from journeyman.memory.export import parse, wordings, write

        store, embedder = self._store, require_embedder(self._store, self._embedder)
        exported = parse(document)
        vectors = embedder.embed_all(wording.key for wording in wordings(exported))
        with store.transaction():
            if store.version():
                raise MemoryStoreError(
                    f"{self.path} holds a memory already.", hint="Import into a new file"
                )
            entries.require_same(store, entries.state(store)[1], embedder)
            write(store, exported)
            for (entry, revision), key in entries.read_keys(store).items():
                entries.write_vector(store, entry, revision, embedder, vectors[key])

    # How it is done

    def _bind(self) -> None:
        """Mark a file without vectors as the embedder's; refuse one with another's."""
        store, embedder = self._store, self._embedder
        if embedder is None or entries.state(store)[1] == (embedder.id, embedder.dim):
            return
        with store.transaction():
            if store.rows("SELECT 1 FROM vector LIMIT 1"):
                entries.require_same(store, entries.state(store)[1], embedder)
            entries.bind(store, embedder)

    def _current(self) -> View:
        """The newest version, brought up to date by what changed; within ``reading``."""
        store, newest = self._store, self._newest
        version, binding = entries.state(store)
        if self._embedder is not None:
            entries.require_same(store, binding, self._embedder)
        if newest is None or binding != newest[1]:
            index = entries.load_index(store, self.scope, version, _dim(binding))
        elif newest[0].version == version:
            return newest[0]
        else:
            before = newest[0]
            index = entries.advanced_index(store, self.scope, before.index, before.version, version)
        view = View(store, self.scope, version, index, self._embedder)
        self._newest = view, binding
        return view

    def _apply(
        self, delta: Delta, origin: Origin, uses: Sequence[Use], *, by_hand: bool
    ) -> Applied:
        """Judge, embed what will be written, lock, judge again, write.

        The second judgement can differ only where another process wrote in between; if it then
        needs a vector that is not there, the lock is let go and the round begins again.
        """
        store = self._store
        vectors: dict[str, Vector] = {}
        with store.reading():
            repeated = applied_before(store, origin)
            rulings = () if repeated else self._judge(delta, by_hand)
        while repeated is None:
            new = [key for key in new_keys(rulings) if key not in vectors]
            if new:
                vectors.update(require_embedder(store, self._embedder).embed_all(new))
            with store.transaction():
                repeated = applied_before(store, origin)
                rulings = () if repeated else self._judge(delta, by_hand)
                if repeated is None and vectors.keys() >= set(new_keys(rulings)):
                    return write_rulings(
                        store, self.scope, self._embedder, delta, rulings, vectors, origin, uses
                    )
        return repeated

    def _judge(self, delta: Delta, by_hand: bool) -> tuple[Ruling, ...]:
        ground = StoreGround(self._store, self.scope, self._current(), delta.version)
        return judge(delta, ground, by_hand=by_hand)


def _dim(binding: entries.Binding | None) -> int:
    return 0 if binding is None else binding[1]
