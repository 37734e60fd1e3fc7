"""Entities as values: what is kept of regions, where they lie, how they are cut out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from journeyman.core.errors import ConfigError
from journeyman.core.values import GroundMap, Observation
from journeyman.methods.eeagent.entities import (
    Entity,
    GroundTruth,
    cut_out,
    enlarged,
    extract,
    from_regions,
    from_runs,
    from_words,
    runs,
    trimmed,
)
from journeyman.models.segmenters import Regions, boxes_of
from tests.methods.eeagent.seer import BLUE, alone, observation


def regions(*masks: np.ndarray) -> Regions:
    stack = np.array(masks, np.bool_)
    return Regions(stack, boxes_of(stack), np.ones(len(masks), np.float32))


def box_mask(left: int, top: int, right: int, bottom: int) -> np.ndarray:
    mask = np.zeros((20, 40), np.bool_)
    mask[top:bottom, left:right] = True
    return mask


def test_entities_are_numbered_from_left_to_right_whatever_the_order_of_the_regions() -> None:
    found = from_regions(regions(box_mask(20, 2, 25, 7), box_mask(3, 9, 8, 14)), None)
    assert [(e.number, e.box, e.area) for e in found] == [
        (1, (3, 9, 8, 14), 25),
        (2, (20, 2, 25, 7), 25),
    ]


def test_ground_surroundings_and_specks_are_no_entities() -> None:
    """20 x 40 pixels: 200 are a quarter, a box of more than 400 goes around the scene."""
    frame = box_mask(0, 0, 40, 20) & ~box_mask(1, 1, 39, 19)
    large, largest_kept = box_mask(0, 0, 21, 10), box_mask(0, 0, 20, 10)
    speck, smallest_kept = box_mask(30, 15, 41, 16), box_mask(24, 15, 28, 18)
    assert speck.sum() == 10 and smallest_kept.sum() == 12 and frame.sum() == 116
    found = from_regions(regions(frame, large, largest_kept, speck, smallest_kept), None)
    assert [e.box for e in found] == [(0, 0, 20, 10), (24, 15, 28, 18)]


def test_a_location_is_the_centre_of_the_mask_on_the_ground() -> None:
    """Three pixels of an L: rows 2, 3, 3 and columns 5, 5, 6."""
    mask = np.zeros((20, 40), np.bool_)
    mask[2:14, 5] = True
    mask[13, 5:11] = True
    [entity] = from_regions(regions(mask), GroundMap(1.0, 0.1, -2.0, 0.01))
    rows, columns = [*range(2, 14), *[13] * 5], [*[5] * 12, *range(6, 11)]
    x, y = 1.0 + 0.1 * np.mean(rows), -2.0 + 0.01 * np.mean(columns)
    assert entity.location == (pytest.approx(x, abs=1e-4), pytest.approx(y, abs=1e-4))


def test_no_location_is_made_up_without_a_ground_map() -> None:
    [entity] = from_regions(regions(box_mask(3, 9, 8, 14)), None)
    assert entity.location is None
    assert entity.line == "- Entity 1: box [3, 9, 8, 14], area 25"


@pytest.mark.parametrize(
    ("mask", "lengths"),
    [
        ([[0, 1, 1], [1, 0, 0]], [1, 3, 2]),
        ([[1, 1, 0], [0, 0, 1]], [0, 2, 3, 1]),
        ([[1, 1]], [0, 2]),
        ([[0, 0]], [2]),
    ],
)
def test_masks_are_kept_as_runs_from_a_false_one(mask: list[list[int]], lengths: list[int]) -> None:
    made = np.array(mask, np.bool_)
    assert runs(made) == lengths
    assert (from_runs(lengths, made.shape) == made).all()


def test_an_entity_comes_back_from_its_json_values() -> None:
    [_, blue, _] = extract(observation(), GroundTruth())
    read = Entity.read(json.loads(json.dumps(blue.values())))
    assert (read.number, read.box, read.location) == (2, (10, 2, 14, 6), (0.035, 0.115))
    assert read.mask is not None and read.mask.all() and read.mask.shape == (4, 4)
    words = Entity(3, "a red block")
    assert Entity.read(words.values()).line == words.line == "- Entity 3: a red block"


def test_ground_truth_is_refused_where_the_environment_gives_no_masks() -> None:
    """Else every task would fail, and nothing would say why."""
    bare = Observation("", lambda: np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(ConfigError, match="gives no masks"):
        extract(bare, GroundTruth())


def test_a_picture_of_the_instruction_without_masks_has_no_entities() -> None:
    shown = np.full((4, 4, 3), 255, np.uint8)
    obs = Observation(
        "", lambda: shown, {"masks": lambda: shown[..., 0], "prompt/a": lambda: shown}
    )
    assert extract(obs, GroundTruth(), "prompt/a") == []


def test_entities_of_words_are_the_first_list() -> None:
    text = "Bounds.\nOn the table:\n- a red  block\n- a pan\n{scene} is a picture with:\n- a cup"
    assert [(e.number, e.words) for e in from_words(text)] == [(1, "a red block"), (2, "a pan")]
    assert from_words("nothing at all") == []


def test_a_cut_out_is_white_outside_the_mask() -> None:
    image = np.full((4, 6, 3), 7, np.uint8)
    mask = np.array([[1, 0], [1, 1]], np.bool_)
    out = cut_out(image, Entity(1, "", (2, 1, 4, 3), None, mask))
    assert out[..., 0].tolist() == [[7, 255], [7, 7]]


def test_pictures_of_objects_are_trimmed_to_what_they_show() -> None:
    assert trimmed(alone(BLUE)).shape == (4, 4, 3)
    empty = np.full((3, 3, 3), 9, np.uint8)
    assert trimmed(empty).shape == (3, 3, 3)


def test_all_pictures_of_a_message_are_enlarged_alike() -> None:
    """The smallest has 20 pixels on its longer side: 3 times 20 is the first above 56."""
    small, large = np.zeros((20, 10, 3), np.uint8), np.zeros((30, 100, 3), np.uint8)
    assert [p.shape for p in enlarged([small, large])] == [(60, 30, 3), (90, 300, 3)]
    assert enlarged([np.zeros((2, 2, 3), np.uint8), np.zeros((300, 9, 3), np.uint8)])[0].shape == (
        2,
        2,
        3,
    )
