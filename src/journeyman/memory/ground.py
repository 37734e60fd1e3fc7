"""What the operations of a delta are judged against: the file as it is now."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from journeyman.core.values import Kind, Strategy
from journeyman.memory import entries
from journeyman.memory.log import entry_id
from journeyman.memory.store import Store
from journeyman.memory.view import View


class StoreGround:
    """`judge.Ground` of one scope of a memory file; good within one transaction.

    Args:
        now: The newest version.
        seen: The version whose aliases the delta uses.
    """

    def __init__(self, store: Store, scope: str, now: View, seen: int) -> None:
        self._store = store
        self._scope = scope
        self._now = now
        self._seen = seen

    @property
    def living(self) -> int:
        return len(self._now)

    def holder(self, digest: str, kinds: Sequence[Kind]) -> str | None:
        return entries.holder(self._store, self._scope, digest, kinds)

    def resolve(self, position: int) -> Strategy | str:
        now, seen = self._now, self._seen
        if not 0 <= seen <= now.version:
            return f"version {seen} is none that this memory has had"
        if seen == now.version:
            if position > len(now):
                return f"S{position} is no alias of version {seen}"
            return now.at([position - 1])[0]
        if self._purged_since():
            return f"an entry was purged since version {seen}, so its aliases are not certain"
        then = entries.living_at(self._store, self._scope, seen, position)
        if then is None:
            return f"S{position} is no alias of version {seen}"
        return self._unchanged(position, *then)

    def _unchanged(self, position: int, entry: int, revision: int) -> Strategy | str:
        index = self._now.index
        place = int(np.searchsorted(index.entries, entry))
        name = f"S{position} ({entry_id(entry)})"
        if place == len(index) or index.entries[place] != entry:
            return f"{name} was removed since version {self._seen}"
        if index.revisions[place] != revision:
            return f"{name} was revised since version {self._seen}"
        return self._now.at([place])[0]

    def _purged_since(self) -> bool:
        query = "SELECT 1 FROM delta WHERE version > ? AND cause LIKE 'purge %'"
        return bool(self._store.rows(query, self._seen))
