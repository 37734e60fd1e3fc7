"""Any sequence of changes keeps what memory promises."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.values import Add, Delta, Origin, Remove, Revise
from journeyman.memory import StrategyPool
from journeyman.memory.export import canonical
from journeyman.memory.judge import normalised
from tests.memory.embedder import TableEmbedder

words = st.sampled_from(["", " ", "a", "A", "b", "c d", "c  D", "e\u200b", "f", "g", "\ud800", "h"])
aliases = st.sampled_from(["S1", "S2", "S3", "[S4]", "S9", "x"])
kinds = st.sampled_from(["success_pattern", "failure_cause"])
operations = st.one_of(
    st.builds(Add, words, words, words, kinds, words, words),
    st.builds(Revise, aliases, words, words, words, st.none() | kinds, words, words),
    st.builds(Remove, aliases, words),
)
proposals = st.tuples(
    st.just("apply"),
    st.lists(operations, max_size=5),
    st.integers(0, 3),
    st.integers(0, 6),
    st.sampled_from([None, None, None, "broken"]),
)
steps = st.one_of(
    proposals,
    proposals,
    proposals,
    st.tuples(st.just("restore"), st.integers(0, 20)),
    st.tuples(st.just("reopen")),
)


def state(view):
    return view.strategies, view.vectors.tolist()


def take(pool, step, seen):
    """One step; gives the number of versions that it must have made."""
    if step[0] == "restore":
        version = step[1] % (pool.version + 1)
        pool.restore(version)
        assert state(pool) == seen[version]
        return 1
    _, proposed, age, episode, error = step
    keys = {change.origin.episode for change in pool.history() if change.origin.run}
    delta = Delta(pool.version - age, proposed, "reply", error)
    before = state(pool)
    applied = pool.apply(delta, origin=Origin("run", episode))
    assert applied.repeated == (episode in keys)
    if applied.repeated:
        return 0
    assert len(applied.verdicts) == len(proposed)
    assert all(v.accepted != bool(v.reason) for v in applied.verdicts)
    assert applied.version == pool.version
    if not any(verdict.accepted for verdict in applied.verdicts):
        assert state(pool) == before
    if error:
        assert state(pool) == before
    return 1


@settings(max_examples=40, deadline=None)
@given(st.lists(steps, max_size=10))
def test_any_changes_keep_versions_views_searches_and_exports_true(sequence):
    with tempfile.TemporaryDirectory() as folder:
        path, embedder = Path(folder) / "m.db", TableEmbedder()
        pool = StrategyPool.open(path, embedder=embedder)
        seen = {0: state(pool)}
        for step in sequence:
            if step[0] == "reopen":
                before = state(pool)
                pool.close()
                pool = StrategyPool.open(path, embedder=TableEmbedder())
                assert state(pool) == before
                continue
            version = pool.version
            made = take(pool, step, seen)
            assert pool.version == version + made
            seen[pool.version] = state(pool)
            living = pool.strategies
            assert [s.alias for s in living] == [f"S{n}" for n in range(1, len(living) + 1)]
            assert len({normalised(s.text) for s in living}) == len(living)
            assert all(normalised(s.text) for s in living)
            assert [s.id for s in living] == sorted(s.id for s in living)
            keys = [pool.embed(s.plan or s.text) for s in living]
            assert np.array_equal(pool.vectors, np.array(keys).reshape(len(living), 4))
        for version, expected in seen.items():
            assert state(pool.at(version)) == expected
        document = pool.export()
        with StrategyPool.open(Path(folder) / "copy.db", embedder=embedder) as copy:
            copy.import_(canonical(document))
            assert copy.export() == document
            assert all(state(copy.at(version)) == then for version, then in seen.items())
        pool.close()
