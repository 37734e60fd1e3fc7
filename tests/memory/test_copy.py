from __future__ import annotations

import pytest

from journeyman.core.errors import MemoryStoreError
from journeyman.core.values import Add, Delta
from journeyman.memory import StrategyPool
from journeyman.models.embedders import HashingEmbedder


def test_a_copy_holds_the_same_memory_and_goes_its_own_way(tmp_path):
    embedder = HashingEmbedder("hashing")
    with StrategyPool.open(tmp_path / "a.db", embedder=embedder) as pool:
        pool.apply(Delta(0, [Add("Open the fridge first.", plan="fridge")]))
        pool.copy_to(tmp_path / "b.db")
        pool.apply(Delta(1, [Add("Only in the first.", plan="other")]))
        with StrategyPool.open(tmp_path / "b.db", embedder=embedder) as copy:
            assert [s.text for s in copy.strategies] == ["Open the fridge first."]
            assert (copy.vectors == pool.at(1).vectors).all()
            copy.apply(Delta(1, [Add("Only in the copy.", plan="third")]))
        assert [s.text for s in pool.strategies] == ["Open the fridge first.", "Only in the first."]


def test_a_copy_never_overwrites_a_file(tmp_path):
    (tmp_path / "b.db").write_bytes(b"mine")
    with (
        StrategyPool.open(tmp_path / "a.db", embedder=HashingEmbedder("hashing")) as pool,
        pytest.raises(MemoryStoreError),
    ):
        pool.copy_to(tmp_path / "b.db")
    assert (tmp_path / "b.db").read_bytes() == b"mine"
