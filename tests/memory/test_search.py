import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.errors import ConfigError, EmbeddingMismatch
from journeyman.memory.search import Index


def index_of(*vectors):
    rows = np.array(vectors, np.float32).reshape(len(vectors), -1)
    return Index.build(rows.shape[1], len(rows), ((i, 1, row) for i, row in enumerate(rows, 1)))


def test_nearest_gives_the_cosine_highest_first():
    index = index_of([0, 2], [3, 4], [5, 0])
    found = index.nearest(np.array([10.0, 0.0]), 3)
    assert [position for position, _ in found] == [2, 1, 0]
    assert [score for _, score in found] == pytest.approx([1.0, 0.6, 0.0])


def test_opposite_vectors_have_similarity_minus_one():
    assert index_of([1, 1]).nearest(np.array([-2.0, -2.0]), 1) == [(0, pytest.approx(-1.0))]


def test_ties_keep_insertion_order_wherever_the_equal_rows_lie():
    random = np.random.default_rng(0)
    rows = random.standard_normal((1003, 96)).astype(np.float32)
    rows[[3, 500, 501, 1002]] = rows[3]
    found = index_of(*rows).nearest(rows[3], 4)
    assert [position for position, _ in found] == [3, 500, 501, 1002]
    assert len({score for _, score in found}) == 1


def test_the_scan_and_an_exact_ranking_agree_on_close_calls():
    random = np.random.default_rng(1)
    centre = random.standard_normal(64)
    rows = (centre + 1e-4 * random.standard_normal((3000, 64))).astype(np.float32)
    exact = rows.astype(np.float64) @ centre / np.linalg.norm(rows.astype(np.float64), axis=1)
    best = np.argsort(-exact, kind="stable")[:25]
    assert [position for position, _ in index_of(*rows).nearest(centre, 25)] == best.tolist()


def test_more_than_there_are_gives_all():
    assert len(index_of([1, 0], [0, 1]).nearest(np.array([1.0, 0.0]), 9)) == 2


def test_an_empty_index_gives_nothing():
    assert Index.build(3, 0, ()).nearest(np.array([1.0, 0.0, 0.0]), 4) == []


def test_a_zero_query_is_equally_far_from_all_so_the_oldest_come_back():
    assert index_of([0, 1], [1, 0], [1, 1]).nearest(np.zeros(2), 2) == [(0, 0.0), (1, 0.0)]


def test_a_zero_key_has_similarity_zero():
    found = index_of([0, 0], [-1, 0], [1, 0]).nearest(np.array([1.0, 0.0]), 3)
    assert found == [(2, 1.0), (0, 0.0), (1, -1.0)]


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_than_one_wanted_is_an_error(k):
    with pytest.raises(ConfigError, match=f"k must be at least 1, given {k}"):
        index_of([1, 0]).nearest(np.array([1.0, 0.0]), k)


def test_a_query_of_another_dimension_is_an_error():
    with pytest.raises(EmbeddingMismatch, match=r"shape \(3,\).*2-d"):
        index_of([1, 0]).nearest(np.zeros(3), 1)


def test_a_query_that_holds_no_numbers_is_an_error():
    with pytest.raises(EmbeddingMismatch, match="no numbers"):
        index_of([1, 0]).nearest(np.array([np.nan, 0.0]), 1)


def test_changes_keep_the_place_of_a_revised_entry_and_close_the_gap_of_a_removed_one():
    before = index_of([1, 0], [0, 1], [1, 1])
    after = before.changed(
        [1, 2], [(1, 2, np.array([9, 9], np.float32)), (4, 1, np.array([0, 3], np.float32))]
    )
    assert after.entries.tolist() == [1, 3, 4]
    assert after.revisions.tolist() == [2, 1, 1]
    assert after.vectors.tolist() == [[9, 9], [1, 1], [0, 3]]
    assert before.vectors.tolist() == [[1, 0], [0, 1], [1, 1]]


def test_two_indexes_made_from_the_same_one_do_not_disturb_each_other():
    parent = index_of([1, 0])
    first = parent.changed([], [(2, 1, np.array([0, 1], np.float32))])
    second = parent.changed([], [(2, 1, np.array([0, -1], np.float32))])
    assert first.vectors.tolist() == [[1, 0], [0, 1]]
    assert second.vectors.tolist() == [[1, 0], [0, -1]]


def test_adding_one_entry_copies_no_rows_and_many_revisions_do_not_pile_up():
    index = index_of([1, 0])
    grown = index.changed([], [(2, 1, np.array([0, 1], np.float32))])
    assert grown.rows is index.rows
    for revision in range(2, 1000):
        grown = grown.changed([2], [(2, revision, np.array([0, revision], np.float32))])
    assert grown.vectors.tolist() == [[1, 0], [0, 999]]
    assert len(grown.rows.vectors) < 200


def test_vectors_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        index_of([1, 0]).vectors[0] = 0


steps = st.lists(
    st.tuples(st.sampled_from(["add", "revise", "remove"]), st.integers(0, 9), st.integers(-3, 3)),
    max_size=80,
)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(1, 6))
def test_any_changes_leave_the_index_that_a_plain_list_gives(steps, k):
    index, plain, newest = Index.build(2, 0, ()), [], 0
    for step, which, value in steps:
        vector = np.array([value, 1 + which], np.float32)
        if step == "add":
            newest += 1
            plain.append([newest, 1, vector])
            index = index.changed([], [(newest, 1, vector)])
        elif plain and step == "revise":
            item = plain[which % len(plain)]
            item[1:] = item[1] + 1, vector
            index = index.changed([item[0]], [tuple(item)])
        elif plain:
            item = plain.pop(which % len(plain))
            index = index.changed([item[0]], [])
    assert index.entries.tolist() == [item[0] for item in plain]
    assert index.revisions.tolist() == [item[1] for item in plain]
    assert index.vectors.tolist() == [item[2].tolist() for item in plain]
    rows = [item[2].astype(float) for item in plain]
    scores = [row @ [0.6, 0.8] / np.linalg.norm(row) for row in rows]
    order = sorted(range(len(plain)), key=lambda i: -round(scores[i], 9))
    found = index.nearest(np.array([0.6, 0.8]), k)
    assert [round(score, 9) for _, score in found] == [round(scores[i], 9) for i in order[:k]]
