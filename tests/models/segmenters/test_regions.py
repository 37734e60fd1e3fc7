"""Boxes of masks and the leaving out of doubles, by hand."""

import numpy as np
import pytest

from journeyman.models.segmenters import boxes_of, distinct


def test_a_box_is_the_smallest_around_its_mask_with_open_ends():
    masks = np.zeros((4, 5, 7), bool)
    masks[0, 1, 2] = True
    masks[1, 0, 0] = masks[1, 4, 6] = True
    masks[2, 2:4, 3:5] = True
    expected = [[2, 1, 3, 2], [0, 0, 7, 5], [3, 2, 5, 4], [0, 0, 0, 0]]
    assert boxes_of(masks).tolist() == expected
    assert boxes_of(masks[:0]).shape == (0, 4)


SQUARE, SHIFTED, INSIDE, APART = [0, 0, 10, 10], [2, 0, 12, 10], [0, 0, 10, 5], [10, 0, 20, 10]
"""Of the square's 100: shifted shares 80 of 120 in all, inside 50 of 100, apart only an edge."""


@pytest.mark.parametrize(
    ("scores", "overlap", "kept"),
    [
        ([0.9, 0.8, 0.7, 0.6], 0.7, [0, 1, 2, 3]),
        ([0.9, 0.8, 0.7, 0.6], 0.66, [0, 2, 3]),  # 80/120 is above
        ([0.9, 0.8, 0.7, 0.6], 0.5, [0, 2, 3]),  # 50/100 is not above
        ([0.9, 0.8, 0.7, 0.6], 0.49, [0, 3]),
        ([0.8, 0.9, 0.7, 0.6], 0.66, [1, 2, 3]),  # the higher score takes out the lower
        ([0.5, 0.5, 0.5, 0.5], 0.66, [0, 2, 3]),  # of equal ones the first
        ([0.6, 0.7, 0.8, 0.9], 0.0, [3, 2]),  # touching is no overlap; shifted overlaps apart
    ],
)
def test_the_best_box_takes_out_those_that_overlap_it_by_more(scores, overlap, kept):
    boxes = np.array([SQUARE, SHIFTED, INSIDE, APART])
    assert distinct(boxes, np.array(scores), overlap).tolist() == kept


def test_a_box_that_was_taken_out_takes_none_out_itself():
    """A chain: the middle one overlaps both ends, the ends not each other."""
    boxes = np.array([[0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]])
    assert distinct(boxes, np.array([0.9, 0.8, 0.7]), 0.5).tolist() == [0, 2]


def test_no_box_leaves_none():
    assert distinct(np.zeros((0, 4)), np.zeros(0), 0.5).tolist() == []
