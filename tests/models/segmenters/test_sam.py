"""SAM's path: real transformers on tiny random weights; filters by hand."""

import sys

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, MissingExtra, ModelUnavailable, UnknownName
from journeyman.models import load_segmenter
from journeyman.models.segmenters import Segmenter, boxes_of, distinct
from journeyman.models.segmenters.sam import grid, stability
from tests.support import tiny_weights

EVERYTHING = {"least_predicted_iou": -9.0, "least_stability": 0.0, "box_overlap": 1.0}


@pytest.fixture(scope="module")
def hub():
    transformers = pytest.importorskip("transformers", reason="needs the extra [hf]")
    pytest.importorskip("torch", reason="needs the extra [hf]")
    tiny_weights.torchvision_as_it_is()
    return transformers


@pytest.fixture(scope="module")
def folder(hub, tmp_path_factory):
    return tiny_weights.sam(tmp_path_factory.mktemp("weights") / "sam")


@pytest.fixture(scope="module")
def picture():
    """Wider than high, so that the model sees it with a margin: a bright square on noise."""
    image = np.random.default_rng(0).integers(0, 60, (40, 60, 3)).astype(np.uint8)
    image[10:30, 20:40] = 220
    return image


def scripted(hub, monkeypatch, replies):
    """SAM that says ``replies``: for each batch, masks (P, 3, 32, 32) and qualities (P, 3)."""
    import torch

    asked = []

    def said(self, image_embeddings, input_points, input_labels, multimask_output):
        assert multimask_output and input_labels.shape == input_points.shape[:3]
        asked.append(input_points[0, :, 0].tolist())
        logits, quality = replies[len(asked) - 1]
        made = hub.models.sam.modeling_sam.SamImageSegmentationOutput()
        made.pred_masks, made.iou_scores = torch.tensor(logits)[None], torch.tensor(quality)[None]
        return made

    monkeypatch.setattr(hub.SamModel, "forward", said)
    return asked


@pytest.mark.compatibility(
    "SAM",
    "segmenters",
    "random weights of SAM",
    needs="the extra [hf]",
)
def test_random_weights_give_masks_of_the_pictures_size_best_first(folder, picture):
    segmenter = load_segmenter(f"sam:{folder}", points_per_side=3, **EVERYTHING)
    found = segmenter.segment(picture)
    assert isinstance(segmenter, Segmenter)
    count = len(found)
    assert 0 < count <= 3 * 3 * 3
    assert (found.masks.shape, found.masks.dtype) == ((count, 40, 60), np.bool_)
    assert (found.scores.shape, found.scores.dtype) == ((count,), np.float32)
    assert (np.diff(found.scores) <= 0).all() and found.masks.any((1, 2)).all()
    np.testing.assert_array_equal(found.boxes, boxes_of(found.masks))


def test_the_batch_of_points_decides_memory_and_no_result(folder, picture):
    one, many = (
        load_segmenter(
            f"sam:{folder}", points_per_side=3, points_per_batch=batch, **EVERYTHING
        ).segment(picture)
        for batch in (2, 64)
    )
    np.testing.assert_array_equal(one.masks, many.masks)
    np.testing.assert_allclose(one.scores, many.scores, atol=1e-6)


@pytest.mark.compatibility(
    "SAM",
    "segmenters",
    "random weights of SAM",
    needs="the extra [hf]",
)
def test_doubles_are_left_out_by_their_boxes(folder, picture):
    """Equal to leaving them out afterwards, and with random weights there are some."""
    strict = {**EVERYTHING, "box_overlap": 0.7}
    every, some = (
        load_segmenter(f"sam:{folder}", points_per_side=3, **settings).segment(picture)
        for settings in (EVERYTHING, strict)
    )
    kept = distinct(every.boxes, every.scores, 0.7)
    assert 0 < len(some) < len(every)
    np.testing.assert_array_equal(some.masks, every.masks[kept])


@pytest.mark.compatibility(
    "SAM, its filters",
    "segmenters",
    "masks by hand in place of the weights'",
    needs="the extra [hf]",
)
def test_points_and_filters_by_hand(folder, picture, hub, monkeypatch):
    """Two points, one batch each; a picture of 40 by 60 is seen as 43 by 64, rounded."""
    sharp = np.full((3, 32, 32), -8.0, np.float32)
    sharp[0, :8, :8] = 8.0  # of 64 by 64 seen: the first 16 by 16, of 60 by 40 the first 15 by 15
    sharp[1, :8, 8:16] = 8.0
    sharp[2, :8, 16:24] = 8.0
    soft = np.full((3, 32, 32), -8.0, np.float32)
    soft[0, 8:16, :8] = 0.5  # above the threshold, not above it moved by 1
    soft[1, 0, 24] = 8.0  # a dot
    replies = [
        (sharp[None], np.array([[0.90, 0.95, 0.80]], np.float32)),
        (soft[None], np.array([[0.99, 0.99, 0.99]], np.float32)),  # the last one is empty
    ]
    asked = scripted(hub, monkeypatch, replies)
    segmenter = load_segmenter(
        f"sam:{folder}", points_per_side=1, points_per_batch=1, least_area=100
    )
    found = segmenter.segment(picture)
    assert asked == [[[32.0, 21.5]]]
    assert found.scores.tolist() == pytest.approx([0.95, 0.90])  # 0.80 is below 0.88
    assert np.abs(found.boxes - [[15, 0, 30, 15], [0, 0, 15, 15]]).max() <= 1
    np.testing.assert_array_equal(found.boxes, boxes_of(found.masks))
    scripted(hub, monkeypatch, replies[1:])
    assert len(segmenter.segment(picture)) == 0  # too soft, too small, empty


def test_nothing_good_is_no_region_of_the_right_shape(folder, picture):
    found = load_segmenter(f"sam:{folder}", points_per_side=2, least_predicted_iou=9.0).segment(
        picture
    )
    assert (found.masks.shape, found.boxes.shape) == ((0, 40, 60), (0, 4))
    assert (found.scores.shape, len(found)) == ((0,), 0)


def test_the_grid_is_the_middles_of_equal_cells_row_by_row():
    expected = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]]
    assert grid(2).tolist() == expected
    assert grid(1).tolist() == [[0.5, 0.5]]


def test_stability_is_the_area_above_by_the_area_below_the_moved_threshold(hub):
    import torch

    logits = torch.full((4, 2, 5), -3.0)
    logits[0, 0, :] = 3.0  # sharp: 5 by 5
    logits[1, 0, :3] = 3.0
    logits[1, 1, 0] = 0.5  # 3 above 1, 4 above -1
    logits[2, 0, 0] = -0.5  # 0 above 1, 1 above -1
    assert stability(logits, 1.0).tolist() == [1.0, 0.75, 0.0, 0.0]
    assert stability(logits, 0.25).tolist() == [1.0, 1.0, 0.0, 0.0]


def test_a_setting_out_of_range_or_unknown_is_named(folder):
    with pytest.raises(ConfigError, match="points_per_side: 0 is below 1"):
        load_segmenter(f"sam:{folder}", points_per_side=0)
    with pytest.raises(UnknownName, match="Did you mean 'points_per_side'"):
        load_segmenter(f"sam:{folder}", points_a_side=4)


def test_weights_that_are_not_there_are_one_sentence(hub, tmp_path, picture, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match="no folder"):
        load_segmenter(f"sam:{tmp_path / 'none'}")
    with pytest.raises(ModelUnavailable, match="is none that transformers can read"):
        load_segmenter(f"sam:{tmp_path}").segment(picture)
    with pytest.raises(ModelUnavailable, match="'facebook/sam-vit-base' is no folder") as caught:
        load_segmenter("sam-base").segment(picture)
    assert "hf download facebook/sam-vit-base" in caught.value.hint


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra) as caught:
        load_segmenter("sam-base")
    assert 'pip install "journeyman[hf]"' in caught.value.hint
    with pytest.raises(UnknownName, match=r"no segmenter 'sam-bass'. Did you mean 'sam-base'"):
        load_segmenter("sam-bass")
