from dataclasses import replace

import numpy as np
import pytest

from journeyman.core.errors import EmbeddingMismatch, MemoryStoreError
from journeyman.core.values import Add, Delta, Insight, Origin, Reflection, Remove, Revise, Use
from journeyman.memory import StrategyPool
from tests.memory.embedder import TableEmbedder


def fill(pool, *texts):
    pool.apply(Delta(pool.version, [Add(text, plan=f"plan of {text}") for text in texts]))


def texts(view):
    return [strategy.text for strategy in view.strategies]


def test_a_new_pool_is_empty_at_version_zero(pool):
    assert (pool.version, pool.strategies, pool.vectors.shape) == (0, (), (0, 4))
    assert pool.nearest(pool.embed("anything"), 4) == []


def test_added_entries_have_counted_ids_aliases_by_position_and_what_was_given(pool):
    origin = Origin("r", 0, "reflect", "task 9", "model")
    add = Add("Open it.", "Fridge", "cooling", "repeatable_steps", "find; open", "Cool an apple")
    applied = pool.apply(Delta(0, [add, Add("b")]), origin=origin)
    assert applied.version == pool.version == 1
    assert [verdict.entry for verdict in applied.verdicts] == ["e0001", "e0002"]
    first, second = pool.strategies
    assert (first.id, first.alias, first.revision, first.origin) == ("e0001", "S1", 1, origin)
    assert (first.text, first.title, first.applies_when) == ("Open it.", "Fridge", "cooling")
    assert (first.kind, first.plan, first.instruction) == (
        "repeatable_steps",
        "find; open",
        "Cool an apple",
    )
    assert (second.id, second.alias) == ("e0002", "S2")


def test_an_entry_is_keyed_by_its_plan_and_by_its_text_where_it_has_none(pool):
    pool.apply(Delta(0, [Add("a", plan="p"), Add("b")]))
    assert np.array_equal(pool.vectors, [pool.embed("p"), pool.embed("b")])


def test_revise_replaces_text_and_reembeds_but_keeps_the_id(pool):
    fill(pool, "Rinse the plate.")
    [first], before = pool.strategies, pool.vectors.copy()
    pool.apply(Delta(1, [Revise(first.alias, "Place it, then open the tap.", plan="place; tap")]))
    [now] = pool.strategies
    assert (now.id, now.revision, now.text) == ("e0001", 2, "Place it, then open the tap.")
    assert np.array_equal(pool.vectors, [pool.embed("place; tap")])
    assert not np.array_equal(before, pool.vectors)


def test_a_revise_without_a_plan_keeps_the_plan_and_its_vector_without_embedding(pool, embedder):
    fill(pool, "a")
    before, asked = pool.vectors.copy(), len(embedder.asked)
    pool.apply(Delta(1, [Revise("S1", "b")]))
    assert pool.strategies[0].plan == "plan of a" and pool.strategies[0].text == "b"
    assert np.array_equal(pool.vectors, before) and len(embedder.asked) == asked


def test_a_revise_of_an_entry_without_any_plan_is_keyed_by_its_new_text(pool):
    pool.apply(Delta(0, [Add("a")]))
    pool.apply(Delta(1, [Revise("S1", "b")]))
    assert np.array_equal(pool.vectors, [pool.embed("b")])


def test_a_removed_entry_is_found_no_more_and_the_aliases_move_up(pool):
    fill(pool, "a", "b", "c")
    pool.apply(Delta(1, [Remove("S2", "wrong")]))
    assert [(s.alias, s.id) for s in pool.strategies] == [("S1", "e0001"), ("S2", "e0003")]
    assert {s.id for s, _ in pool.nearest(pool.embed("plan of b"), 9)} == {"e0001", "e0003"}


def test_an_id_is_not_given_twice(pool):
    fill(pool, "a", "b")
    pool.apply(Delta(pool.version, [Remove("S2")]))
    fill(pool, "c")
    assert [s.id for s in pool.strategies] == ["e0001", "e0003"]


def test_nearest_gives_strategies_with_alias_and_cosine(tmp_path):
    table = {"east": [1, 0], "north": [0, 1], "half": [1, 1], "query": [2, 0]}
    embedder = TableEmbedder(table, dim=2)
    with StrategyPool.open(tmp_path / "pool.db", embedder=embedder) as pool:
        pool.apply(Delta(0, [Add("n", plan="north"), Add("h", plan="half"), Add("e", plan="east")]))
        found = pool.nearest(pool.embed("query"), 2)
        assert [(s.text, s.alias) for s, _ in found] == [("e", "S3"), ("h", "S2")]
        assert [score for _, score in found] == pytest.approx([1, 0.5**0.5])
        assert found == pool.view().nearest(pool.embed("query"), 2)
        assert pool.strategies and found == pool.nearest(pool.embed("query"), 2)


def test_a_text_is_embedded_once_however_often_it_is_needed(pool, embedder):
    pool.embed("p")
    pool.apply(Delta(0, [Add("a", plan="p"), Add("b", plan="q"), Add("c", plan="q")]))
    pool.view().embed("q")
    assert embedder.asked == [["p"], ["q"]]


def test_what_is_refused_is_not_embedded(pool, embedder):
    pool.apply(Delta(0, [Add(""), Revise("S1", "x"), Add("ok")]))
    assert embedder.asked == [["ok"]]


def test_every_delta_makes_one_version_also_with_nothing_accepted(pool):
    assert pool.apply(Delta(0)).version == 1
    assert pool.apply(Delta(1, [Add(" ")])).version == 2
    assert pool.apply(Delta(2, [], error="no JSON")).version == 3
    assert pool.version == 3 and pool.strategies == ()


def test_a_delta_with_an_error_applies_nothing_and_is_logged(pool):
    reflection = Reflection("failure", (Insight("failure_cause", "x", "t", "w"),))
    pool.apply(Delta(0, [Add("a")], "half a rep", "not JSON", reflection))
    [change] = pool.history()
    assert pool.strategies == ()
    assert (change.delta.reply, change.delta.error) == ("half a rep", "not JSON")
    assert change.delta.reflection == reflection
    assert [verdict.accepted for verdict in change.verdicts] == [False]


def test_the_same_run_episode_and_moment_are_applied_once(pool, embedder):
    origin = Origin("run", 3, "reflect", "t", "m")
    first = pool.apply(Delta(0, [Add("a"), Add("")]), origin=origin)
    document, asked = pool.export(), len(embedder.asked)
    again = pool.apply(Delta(1, [Add("another")]), origin=replace(origin, task="u"))
    assert again == replace(first, repeated=True) and not first.repeated
    assert pool.export() == document and len(embedder.asked) == asked


@pytest.mark.parametrize(
    "other", [Origin("run2", 3), Origin("run", 4), Origin("run", 3, "trial 2")]
)
def test_another_run_episode_or_moment_is_another_delta(pool, other):
    pool.apply(Delta(0, [Add("a")]), origin=Origin("run", 3))
    assert not pool.apply(Delta(1, [Add("b")]), origin=other).repeated
    assert texts(pool) == ["a", "b"]


def test_changes_outside_a_run_are_never_repeats(pool):
    fill(pool, "a")
    fill(pool, "b")
    assert texts(pool) == ["a", "b"]


def test_aliases_are_those_of_the_version_that_the_delta_saw(pool):
    fill(pool, "a", "b", "c")
    pool.apply(Delta(1, [Remove("S1")]))
    applied = pool.apply(Delta(1, [Revise("S3", "c2"), Remove("S2")]))
    assert [verdict.entry for verdict in applied.verdicts] == ["e0003", "e0002"]
    assert texts(pool) == ["c2"]


def test_an_entry_changed_since_is_refused_with_what_became_of_it(pool):
    fill(pool, "a", "b", "c")
    pool.apply(Delta(1, [Remove("S1"), Revise("S2", "b2")]))
    applied = pool.apply(Delta(1, [Revise("S1", "x"), Remove("S2"), Revise("S3", "c2"), Add("d")]))
    assert [(verdict.accepted, verdict.reason) for verdict in applied.verdicts] == [
        (False, "S1 (e0001) was removed since version 1"),
        (False, "S2 (e0002) was revised since version 1"),
        (True, ""),
        (True, ""),
    ]
    assert texts(pool) == ["b2", "c2", "d"]


@pytest.mark.parametrize("version", [-1, 5])
def test_a_version_that_never_was_has_no_aliases(pool, version):
    fill(pool, "a")
    applied = pool.apply(Delta(version, [Remove("S1"), Add("b")]))
    assert [v.accepted for v in applied.verdicts] == [False, True]
    assert applied.verdicts[0].reason == f"version {version} is none that this memory has had"


def test_an_alias_beyond_the_last_is_refused_at_the_newest_and_at_an_older_version(pool):
    fill(pool, "a")
    fill(pool, "b")
    for version, alias in ((2, "S3"), (1, "S2")):
        [verdict] = pool.apply(Delta(version, [Remove(alias)])).verdicts
        assert verdict.reason == f"{alias} is no alias of version {version}"


def test_at_gives_any_older_version_as_it_was(pool):
    fill(pool, "a", "b")
    pool.apply(Delta(1, [Revise("S1", "a2", plan="other"), Remove("S2")]))
    fill(pool, "c")
    assert [texts(pool.at(version)) for version in range(4)] == [
        [],
        ["a", "b"],
        ["a2"],
        ["a2", "c"],
    ]
    old = pool.at(1)
    assert (old.version, len(old)) == (1, 2)
    assert np.array_equal(old.vectors, [pool.embed("plan of a"), pool.embed("plan of b")])
    assert [(s.text, s.alias) for s, _ in old.nearest(old.embed("plan of b"), 1)] == [("b", "S2")]


@pytest.mark.parametrize("version", [-1, 2])
def test_at_a_version_that_is_not_there_names_those_that_are(pool, version):
    fill(pool, "a")
    with pytest.raises(MemoryStoreError, match=f"versions 0 to 1, not {version}"):
        pool.at(version)


def test_a_view_stays_as_it_was_taken_also_where_it_is_read_only_later(pool):
    fill(pool, "a", "b")
    view = pool.view()
    pool.apply(Delta(1, [Revise("S1", "a2", plan="other"), Remove("S2")]))
    fill(pool, "c")
    assert view.version == 1 and texts(view) == ["a", "b"]
    assert np.array_equal(view.vectors, [pool.embed("plan of a"), pool.embed("plan of b")])


def test_an_edit_is_a_delta_by_a_person(pool):
    pool.apply(Delta(0, [Add("a", "Title", "When", "success_pattern", "p", "L")]))
    applied = pool.edit("S1", "a by hand", title="Better")
    [now] = pool.strategies
    assert applied.verdicts[0].accepted and now.revision == 2
    assert (now.text, now.title, now.applies_when, now.kind) == (
        "a by hand",
        "Better",
        "When",
        "success_pattern",
    )
    assert now.origin == Origin(moment="edit", author="human")


def test_an_edit_may_change_the_plan_alone(pool):
    pool.apply(Delta(0, [Add("a", plan="p")]))
    assert pool.edit("S1", plan="q").verdicts[0].accepted
    assert pool.strategies[0].text == "a"
    assert np.array_equal(pool.vectors, [pool.embed("q")])


def test_an_edit_of_an_alias_of_an_older_version_is_judged_against_today(pool):
    fill(pool, "a", "b")
    pool.apply(Delta(1, [Remove("S1")]))
    assert pool.edit("S2", "b2", version=1).verdicts[0].accepted
    assert pool.edit("S2", "b3", version=1).verdicts[0].reason.endswith("revised since version 1")
    assert pool.edit("S7", "x").verdicts[0].reason == "S7 is no alias of version 4"


def test_uses_are_kept_with_numbers_of_any_kind_and_without_what_is_no_number(pool):
    fill(pool, "a")
    uses = [
        Use("e0001", 1, np.int64(1), np.float32(0.5), np.bool_(True)),
        Use("e0001", 1, 2, float("nan"), False),
        Use("", 1, 3, 0.1, False),
    ]
    pool.apply(Delta(1), uses=uses)
    assert pool.history()[1].uses == (
        Use("e0001", 1, 1, 0.5, True),
        Use("e0001", 1, 2, None, False),
    )


@pytest.mark.parametrize("use", [Use("e0009", 1, 1, None, True), Use("e0001", 2, 1, None, True)])
def test_a_use_of_an_entry_or_revision_that_never_was_is_an_error_and_applies_nothing(pool, use):
    fill(pool, "a")
    with pytest.raises(MemoryStoreError, match="never held"):
        pool.apply(Delta(1, [Add("b")]), uses=[use])
    assert pool.version == 1


def test_lone_surrogates_of_a_model_are_replaced_not_fatal(pool):
    reflection = Reflection("success", (Insight("success_pattern", "\udfff"),))
    pool.apply(Delta(0, [Add("a\ud800b")], "reply \udc00", None, reflection))
    assert texts(pool) == ["a\ufffdb"]
    assert pool.history()[0].delta.reply == "reply \ufffd"


def test_text_is_kept_as_it_is(pool):
    text = "'; DROP TABLE entry; --\n## Heading\x00 {{ 7 * 7 }} \u202e"
    fill(pool, text)
    assert texts(pool) == [text]


def test_a_kind_that_is_none_is_an_error_of_the_caller(pool):
    with pytest.raises(ValueError, match="'wisdom' is none of"):
        pool.apply(Delta(0, [Add("a", kind="wisdom")]))


def test_a_failing_embedder_leaves_everything_as_it_was(pool, embedder):
    fill(pool, "a")
    embedder.embed = lambda texts: 1 / 0
    with pytest.raises(ZeroDivisionError):
        fill(pool, "b")
    assert pool.version == 1 and texts(pool) == ["a"]


@pytest.mark.parametrize(
    ("given", "message"),
    [(np.zeros((1, 3)), r"4 dimensions.*shape \(1, 3\)"), (np.full((1, 4), np.inf), "no numbers")],
)
def test_vectors_that_cannot_be_searched_are_refused(pool, embedder, given, message):
    embedder.embed = lambda texts: given
    with pytest.raises(EmbeddingMismatch, match=message):
        fill(pool, "a")
    assert pool.version == 0


def test_a_reopened_pool_is_the_same_and_goes_on_counting(tmp_path, embedder):
    path = tmp_path / "pool.db"
    with StrategyPool.open(path, embedder=embedder) as pool:
        fill(pool, "a", "b")
        pool.apply(Delta(1, [Remove("S1")]))
        seen, vectors = pool.strategies, pool.vectors
    with StrategyPool.open(path, embedder=embedder) as pool:
        assert (pool.version, pool.strategies) == (2, seen)
        assert np.array_equal(pool.vectors, vectors)
        fill(pool, "c")
        assert [s.id for s in pool.strategies] == ["e0002", "e0003"]


def test_two_handles_see_each_others_changes(tmp_path, embedder):
    path = tmp_path / "pool.db"
    with (
        StrategyPool.open(path, embedder=embedder) as one,
        StrategyPool.open(path, embedder=embedder) as two,
    ):
        fill(one, "a", "b")
        assert texts(two) == ["a", "b"]
        two.apply(Delta(1, [Revise("S1", "a2", plan="new"), Remove("S2")]))
        fill(two, "c")
        assert (one.version, texts(one)) == (3, ["a2", "c"])
        assert np.array_equal(one.vectors, two.vectors)
        two.restore(1)
        assert texts(one) == ["a", "b"] and np.array_equal(one.vectors, two.vectors)


def test_another_embedder_is_refused_with_the_next_command(tmp_path, embedder):
    path = tmp_path / "pool.db"
    with StrategyPool.open(path, embedder=embedder) as pool:
        fill(pool, "a")
    for other in (TableEmbedder(id="other"), TableEmbedder(dim=5)):
        with pytest.raises(EmbeddingMismatch, match=r"'table' \(4-d\), not of") as caught:
            StrategyPool.open(path, embedder=other)
        assert "journeyman memory reembed" in caught.value.hint


def test_a_pool_without_vectors_takes_any_embedder(tmp_path, embedder):
    path = tmp_path / "pool.db"
    StrategyPool.open(path, embedder=TableEmbedder(id="other", dim=9)).close()
    with StrategyPool.open(path, embedder=embedder) as pool:
        fill(pool, "a")
        assert pool.vectors.shape == (1, 4) and pool.embedder_id == "table"


def test_reembed_gives_every_revision_a_vector_of_the_new_embedder(tmp_path, embedder):
    path, new = tmp_path / "pool.db", TableEmbedder(id="new", dim=3)
    with StrategyPool.open(path, embedder=embedder) as pool:
        fill(pool, "a", "b")
        pool.apply(Delta(1, [Revise("S1", "a2", plan="other"), Remove("S2")]))
        document = pool.export()
    with StrategyPool.open(path) as pool:
        assert pool.reembed(new) == 3
        assert pool.export() == document and pool.version == 2
        assert np.array_equal(pool.vectors, new.embed(["other"]))
        assert np.array_equal(pool.at(1).vectors, new.embed(["plan of a", "plan of b"]))
        fill(pool, "c")
    with StrategyPool.open(path, embedder=new) as pool:
        assert pool.vectors.shape == (2, 3)


def test_a_handle_notices_that_the_memory_was_embedded_again_meanwhile(tmp_path, embedder):
    path = tmp_path / "pool.db"
    with StrategyPool.open(path, embedder=embedder) as one, StrategyPool.open(path) as two:
        fill(one, "a")
        assert two.vectors.shape == (1, 4)
        with StrategyPool.open(path) as three:
            three.reembed(TableEmbedder(id="new", dim=3))
        assert two.vectors.shape == (1, 3)
        with pytest.raises(EmbeddingMismatch):
            one.nearest(one.embed("a"), 1)
        with pytest.raises(EmbeddingMismatch):
            fill(one, "b")


def test_without_an_embedder_a_pool_can_be_read_and_pruned_but_not_added_to(tmp_path, embedder):
    path = tmp_path / "pool.db"
    with StrategyPool.open(path, embedder=embedder) as pool:
        fill(pool, "a", "b")
        query = pool.embed("plan of b")
    with StrategyPool.open(path) as pool:
        assert pool.nearest(query, 1)[0][0].text == "b"
        assert pool.apply(Delta(1, [Remove("S1")])).verdicts[0].accepted
        assert pool.edit("S1", "b in other words").verdicts[0].accepted
        for action in (lambda: fill(pool, "c"), lambda: pool.embed("x")):
            with pytest.raises(MemoryStoreError, match="opened without an embedder"):
                action()
        assert texts(pool) == ["b in other words"]


def test_what_both_modules_of_eeagent_learnt_is_kept_and_imported_for_both(pool, tmp_path):
    kinds = ("interpreter_principle", "planner_principle", "success_pattern")
    applied = pool.apply(Delta(0, [Add("Look twice.", kind=kind) for kind in kinds]))
    assert [verdict.accepted for verdict in applied.verdicts] == [True] * 3
    again = pool.apply(Delta(1, [Add("look TWICE.", kind=kind) for kind in kinds]))
    assert [verdict.reason for verdict in again.verdicts] == [
        f"the same text as {entry}" for entry in ("e0001", "e0002", "e0003")
    ]
    with StrategyPool.open(tmp_path / "copy.db", embedder=TableEmbedder()) as copy:
        copy.import_(pool.export())
        assert copy.strategies == pool.strategies
