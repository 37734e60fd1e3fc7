import json
from pathlib import Path

import pytest

from journeyman.core.errors import MemoryStoreError
from journeyman.core.values import Add, Delta, Insight, Origin, Reflection, Remove, Revise, Use
from journeyman.memory import StrategyPool

SECRET = 'Ring twice at "Wünsche",\nthe code is 4711.'
LATER = "Ring once, the code is 0815 since May."


def bytes_of(pool):
    folder = Path(pool.path).parent
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def traces(pool, *words):
    raw = bytes_of(pool)
    forms = {form for word in words for form in (word, json.dumps(word)[1:-1])}
    return [form for form in forms if form.encode() in raw]


@pytest.fixture
def pool(pool):
    reflection = Reflection("success", (Insight("success_pattern", SECRET),))
    pool.apply(
        Delta(
            0,
            [Add(SECRET, "At Wünsche's", "visiting", "success_pattern", "go; ring", "Visit him")]
            + [Add(f"harmless {n}", plan="go; ring", instruction="Visit him") for n in range(3)],
            json.dumps({"operations": [{"op": "add", "text": SECRET}]}),
            None,
            reflection,
        ),
        origin=Origin("run", 0, "reflect", "task", "model"),
    )
    pool.apply(
        Delta(1, [Revise("S1", LATER), Add("harmless 4")], f"revise to {LATER}"),
        origin=Origin("run", 1),
        uses=[Use("e0001", 1, 1, 0.9, True), Use("e0002", 1, 2, 0.8, True)],
    )
    pool.apply(Delta(2, [Add(f" {LATER.upper()} ", plan="p"), Add("harmless 5")], "again"))
    pool.apply(Delta(3, [], f"I broke off: {LATER}", "not JSON"))
    pool.apply(Delta(4, [Revise("S9", SECRET)], "unrelated"))
    pool.apply(Delta(5, [Revise("S2", "harmless 1b", plan="other")], "a harmless reply"))
    return pool


def test_a_purge_leaves_no_byte_of_the_entry_in_the_file(pool):
    words = [SECRET, LATER, LATER.upper(), "At Wünsche's", "visiting"]
    assert len(traces(pool, SECRET, LATER)) >= 3
    purged = pool.purge("e0001")
    assert traces(pool, *words) == []
    assert purged.scrubbed == (1, 2, 3, 4, 5)
    pool.close()
    assert traces(pool, *words) == []


def test_a_purge_keeps_all_else(pool):
    before = pool.strategies
    purged = pool.purge("e0001")
    assert purged.version == pool.version == 7
    assert [s.id for s in pool.strategies] == [s.id for s in before[1:]]
    assert [s.text for s in pool.strategies] == [s.text for s in before[1:]]
    assert [s.text for s in pool.at(1).strategies] == ["harmless 0", "harmless 1", "harmless 2"]
    assert pool.history()[5].delta.reply == "a harmless reply"
    assert [use.entry for use in pool.history()[1].uses] == ["e0002"]
    assert len(pool.vectors) == len(pool.strategies)


def test_the_log_keeps_that_something_was_done_without_what(pool):
    pool.purge("e0001")
    first, second, third, fourth, fifth, _, last = pool.history()
    assert first.delta.reply == second.delta.reply == third.delta.reply == "[purged]"
    assert first.delta.reflection == Reflection("success")
    assert first.verdicts[0].operation == Add(
        "[purged]", "[purged]", "[purged]", "success_pattern", "[purged]", "[purged]"
    )
    assert first.verdicts[1].operation.text == "harmless 0"
    assert third.verdicts[0].operation.text == "[purged]" and not third.verdicts[0].accepted
    assert (fourth.delta.reply, fourth.delta.error) == ("[purged]", "not JSON")
    assert fifth.verdicts[0].operation.text == "[purged]"
    assert fifth.delta.reply == "unrelated"
    assert (last.cause, last.origin.author) == ("purge e0001", "human")


def test_a_purge_names_other_entries_that_say_some_of_the_same(pool):
    assert pool.purge("e0001").also_in == ("e0002", "e0003", "e0004")


def test_a_purged_id_is_never_given_again_and_purging_it_again_changes_nothing(pool):
    pool.purge("e0001")
    document = pool.export()
    again = pool.purge("e0001")
    assert (again.version, again.scrubbed) == (7, ()) and pool.export() == document
    [verdict] = pool.apply(Delta(7, [Add("new")])).verdicts
    assert verdict.entry == "e0007"
    assert pool.blame("e0001").written == () and not pool.blame("e0001").living


def test_a_delta_that_saw_the_pool_before_a_purge_may_add_but_not_touch(pool):
    pool.purge("e0001")
    applied = pool.apply(Delta(6, [Revise("S2", "x"), Add("still good")]))
    assert [verdict.accepted for verdict in applied.verdicts] == [False, True]
    assert "purged since version 6" in applied.verdicts[0].reason


def test_uses_of_a_purged_entry_are_dropped(pool):
    pool.purge("e0001")
    pool.apply(Delta(7), uses=[Use("e0001", 2, 1, 0.5, True), Use("e0002", 2, 2, 0.5, True)])
    assert [use.entry for use in pool.history()[-1].uses] == ["e0002"]


def test_a_repeat_of_a_purged_delta_is_still_known(pool):
    pool.purge("e0001")
    applied = pool.apply(Delta(0, [Add(SECRET)]), origin=Origin("run", 0))
    assert applied.repeated and applied.version == 1
    assert pool.strategies[0].id == "e0002"


def test_a_restore_to_before_a_purge_does_not_bring_it_back(pool):
    pool.purge("e0001")
    pool.restore(1)
    assert [s.text for s in pool.strategies] == ["harmless 0", "harmless 1", "harmless 2"]


def test_a_removed_entry_can_be_purged(pool):
    pool.apply(Delta(6, [Remove("S1")]))
    before = pool.strategies
    pool.purge("e0001")
    assert pool.strategies == before and traces(pool, SECRET, LATER) == []


def test_a_view_taken_before_says_that_its_entry_was_purged(pool):
    view = pool.view()
    pool.purge("e0001")
    for reading in (lambda: view.strategies, lambda: view.nearest(pool.embed("x"), 99)):
        with pytest.raises(MemoryStoreError, match="purged after this view was taken"):
            reading()


def test_another_handle_sees_the_purge(pool, embedder):
    with StrategyPool.open(pool.path, embedder=embedder) as other:
        assert len(other.strategies) == len(other.vectors) == 6
        pool.purge("e0001")
        assert len(other.strategies) == len(other.vectors) == 5


def test_a_reader_in_the_way_is_named_and_the_same_call_finishes_the_work(pool, embedder):
    with StrategyPool.open(pool.path, embedder=embedder, timeout_s=0.05) as patient:
        with StrategyPool.open(pool.path, embedder=embedder) as reader, reader._store.reading():
            assert reader.version == 6
            with pytest.raises(MemoryStoreError, match="in use"):
                patient.purge("e0001")
        assert "e0001" not in {s.id for s in patient.strategies}
        patient.purge("e0001")
        assert traces(patient, SECRET, LATER) == []
