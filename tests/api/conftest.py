"""The tiny world and its model by name, for the tests of this folder only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from journeyman.core.registry import registry
from tests.support import worlds


@pytest.fixture(autouse=True)
def tiny_world() -> Iterator[None]:
    names = registry()
    before = {sort: dict(entries) for sort, entries in names._entries.items()}
    worlds.register(names)
    yield
    names._entries.clear()
    names._entries.update(before)
