import pytest

from journeyman.core.errors import MemoryStoreError
from journeyman.core.values import Add, Delta, Origin, Remove, Revise, Use

FIRST = Origin("run", 0, "reflect", "task a", "model")
SECOND = Origin("run", 1, "reflect", "task b", "model")
THIRD = Origin("run", 2, "reflect", "task c", "model")


@pytest.fixture
def pool(pool):
    """e0001 added, revised and removed; e0002 added and used; one operation refused."""
    pool.apply(Delta(0, [Add("a", plan="p"), Add("b", plan="q")], "reply 1"), origin=FIRST)
    uses = [Use("e0002", 1, 1, 0.75, True), Use("e0001", 1, 2, 0.5, True)]
    pool.apply(
        Delta(1, [Revise("S1", "a2"), Add("B"), Add("c")], "reply 2"), origin=SECOND, uses=uses
    )
    pool.apply(Delta(2, [Remove("S1", "it did harm")], "reply 3"), origin=THIRD)
    return pool


def test_history_has_every_delta_with_verdicts_origin_and_uses(pool):
    one, two, three = pool.history()
    assert [change.version for change in (one, two, three)] == [1, 2, 3]
    assert {change.cause for change in (one, two, three)} == {"delta"}
    assert [change.origin for change in (one, two, three)] == [FIRST, SECOND, THIRD]
    assert (two.delta.version, two.delta.reply) == (1, "reply 2")
    assert two.delta.operations == (Revise("S1", "a2"), Add("B"), Add("c"))
    assert [(v.accepted, v.reason, v.entry) for v in two.verdicts] == [
        (True, "", "e0001"),
        (False, "the same text as e0002", "e0002"),
        (True, "", "e0003"),
    ]
    assert [use.entry for use in two.uses] == ["e0002", "e0001"]


def test_the_history_of_an_entry_has_what_was_proposed_about_it(pool):
    assert [change.version for change in pool.history("e0001")] == [1, 2, 3]
    assert [change.version for change in pool.history("e0002")] == [1, 2]
    pool.restore(1)
    assert [change.version for change in pool.history("e0001")] == [1, 2, 3, 4]
    assert [change.version for change in pool.history("e0003")] == [2, 4]


@pytest.mark.parametrize("entry", ["e0009", "S1", "", "e1", "e0001; --", "e" + "9" * 30])
def test_an_entry_that_never_was_is_an_error_with_the_next_command(pool, entry):
    for question in (pool.history, pool.blame, pool.purge):
        with pytest.raises(MemoryStoreError, match="never held an entry") as caught:
            question(entry)
        assert "journeyman memory show" in caught.value.hint


def test_blame_says_who_wrote_each_revision_who_used_it_and_who_removed_it(pool):
    blame = pool.blame("e0001")
    assert [(w.version, w.strategy.revision, w.strategy.text) for w in blame.written] == [
        (1, 1, "a"),
        (2, 2, "a2"),
    ]
    assert [w.strategy.origin for w in blame.written] == [FIRST, SECOND]
    assert [(u.version, u.origin, u.use) for u in blame.used] == [
        (2, SECOND, Use("e0001", 1, 2, 0.5, True))
    ]
    assert [(r.version, r.origin, r.reason) for r in blame.removed] == [(3, THIRD, "it did harm")]
    assert not blame.living
    assert pool.blame("e0002").living


def test_diff_tells_added_removed_and_revised_either_way(pool):
    diff = pool.diff(1, 2)
    assert [s.id for s in diff.added] == ["e0003"] and diff.removed == ()
    assert [(then.text, now.text) for then, now in diff.revised] == [("a", "a2")]
    back = pool.diff(3, 1)
    assert [s.id for s in back.added] == ["e0001"]
    assert [s.id for s in back.removed] == ["e0003"] and back.revised == ()
    assert pool.diff(2, 2).revised == ()


def test_restore_makes_a_new_version_equal_to_the_old_one_and_loses_nothing(pool, embedder):
    seen, vectors, asked = pool.at(1).strategies, pool.at(1).vectors, len(embedder.asked)
    applied = pool.restore(1)
    assert applied.version == pool.version == 4
    assert pool.strategies == seen and (pool.vectors == vectors).all()
    assert [s.text for s in pool.at(3).strategies] == ["b", "c"]
    assert pool.history()[-1].cause == "restore 1"
    assert pool.history()[-1].origin.author == "human"
    assert len(embedder.asked) == asked
    pool.restore(3)
    assert [s.text for s in pool.strategies] == ["b", "c"]


def test_a_revision_after_a_restore_has_a_number_of_its_own(pool):
    pool.restore(1)
    pool.apply(Delta(4, [Revise("S1", "a3")]))
    assert [w.strategy.text for w in pool.blame("e0001").written] == ["a", "a2", "a3"]
    assert pool.strategies[0].revision == 3


def test_restoring_the_newest_version_changes_nothing_but_is_logged(pool):
    before = pool.strategies
    pool.restore(3)
    assert pool.strategies == before and pool.version == 4


def test_restoring_a_version_that_never_was_is_an_error(pool):
    with pytest.raises(MemoryStoreError, match="versions 0 to 3, not 4"):
        pool.restore(4)
    assert pool.version == 3


def test_a_delta_that_saw_the_pool_before_a_restore_is_judged_against_what_lives_now(pool):
    pool.restore(1)
    applied = pool.apply(Delta(1, [Revise("S1", "a4")]))
    assert applied.verdicts[0].accepted
