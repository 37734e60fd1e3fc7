"""The segmenter without weights: exact answers on hand-made pictures, a floor on the tabletop."""

import numpy as np
import pytest

from journeyman.core.errors import ConfigError
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.render import TABLE, draw
from journeyman.envs.tabletop.tasks import TASKS
from journeyman.envs.tabletop.taskset import setup_of
from journeyman.models import load_segmenter
from journeyman.models.pixels import BadPicture
from journeyman.models.segmenters import Segmenter
from journeyman.models.segmenters.embedded import fitted

WOOD, RED, BLUE, PALE = (120, 90, 60), (200, 30, 30), (30, 60, 200), (239, 239, 239)


@pytest.fixture(scope="module")
def segmenter():
    return load_segmenter("embedded")


def table(height=60, width=80, colour=WOOD):
    return np.full((height, width, 3), colour, np.uint8)


def square(picture, top, left, side, colour):
    picture[top : top + side, left : left + side] = colour
    mask = np.zeros(picture.shape[:2], bool)
    mask[top : top + side, left : left + side] = True
    return mask


def same(masks, expected):
    """Both hold the same masks, in any order."""
    return {m.tobytes() for m in masks} == {m.tobytes() for m in expected} and len(masks) == len(
        expected
    )


def test_it_is_a_segmenter(segmenter):
    assert isinstance(segmenter, Segmenter)
    assert segmenter.id == "embedded"


@pytest.mark.parametrize("colour", [WOOD, (47, 47, 47), (255, 255, 255), (0, 0, 0), (40, 140, 60)])
def test_two_squares_on_a_plain_table_of_any_colour_are_found_to_the_pixel(segmenter, colour):
    picture = table(colour=colour)
    first = square(picture, 10, 10, 20, RED)
    second = square(picture, 35, 50, 15, BLUE)
    found = segmenter.segment(picture)
    assert same(found.masks, [first, second])
    assert sorted(found.boxes.tolist()) == [[10, 10, 30, 30], [50, 35, 65, 50]]
    assert (np.diff(found.scores) <= 0).all()
    assert (found.scores > 0.5).all() and (found.scores <= 1).all()


@pytest.mark.parametrize("shift", [0, 8])
def test_touching_squares_of_two_colours_come_apart(segmenter, shift):
    picture = table()
    first = square(picture, 10, 10, 20, RED)
    second = square(picture, 10 + shift, 30, 20, BLUE)
    assert same(segmenter.segment(picture).masks, [first, second])


def test_touching_squares_of_one_colour_stay_one(segmenter):
    picture = table()
    both = square(picture, 10, 10, 20, RED) | square(picture, 10, 30, 20, RED)
    assert same(segmenter.segment(picture).masks, [both])


def test_a_thing_on_another_is_cut_out_of_it_unless_told_otherwise(segmenter):
    picture = table()
    below = square(picture, 10, 10, 30, RED)
    above = square(picture, 18, 18, 12, BLUE)
    assert same(segmenter.segment(picture).masks, [above, below & ~above])
    assert same(load_segmenter("embedded", split=False).segment(picture).masks, [below])


def test_a_darker_middle_of_the_same_colour_is_no_thing_of_its_own(segmenter):
    picture = table()
    whole = square(picture, 10, 10, 30, RED)
    square(picture, 18, 18, 12, (140, 21, 21))
    assert same(segmenter.segment(picture).masks, [whole])


def test_stripes_stay_one_thing(segmenter):
    picture = table()
    whole = square(picture, 10, 10, 30, RED)
    for left in range(10, 40, 6):
        picture[10:40, left : left + 3] = BLUE
    assert same(segmenter.segment(picture).masks, [whole])


def test_the_hole_of_a_ring_is_not_filled(segmenter):
    rows, columns = np.mgrid[:60, :80]
    far = np.hypot(rows - 30, columns - 40)
    ring = (far < 20) & (far > 10)
    picture = table()
    picture[ring] = PALE
    assert same(segmenter.segment(picture).masks, [ring])


def test_what_lies_around_the_table_is_no_thing_but_a_thing_over_its_edge_is(segmenter):
    picture = table()
    picture[:, :3] = picture[:2] = PALE
    thing = square(picture, 20, 0, 15, RED)
    assert same(segmenter.segment(picture).masks, [thing])


@pytest.mark.parametrize("size", [(60, 80), (1, 1), (1, 9), (2, 2), (3, 3)])
def test_an_empty_table_gives_nothing_at_any_size(segmenter, size):
    found = segmenter.segment(table(*size))
    assert found.masks.shape == (0, *size)
    assert found.boxes.shape == (0, 4)
    assert found.scores.shape == (0,)


def test_slanting_light_and_noise_are_no_things(segmenter):
    random = np.random.default_rng(0)
    light = np.linspace(0.85, 1.15, 80)[None, :, None]
    picture = np.clip(table() * light + random.normal(0, 5, (60, 80, 3)), 0, 255).astype(np.uint8)
    assert len(segmenter.segment(picture)) == 0
    thing = square(picture, 20, 30, 15, BLUE)
    [mask] = segmenter.segment(picture).masks
    assert (mask & thing).sum() / (mask | thing).sum() > 0.95


def test_the_surface_follows_the_light():
    columns = np.arange(80)
    colours = np.zeros((60, 80, 3), np.float32)
    colours[..., 0] = 40 + 0.1 * columns
    colours[:20, :20] = 90
    surface = fitted(colours)
    at_left, at_right = (
        surface.at(np.array([1, u, 0, u * u, 0, 0.0]))[0] for u in (-1 + 1 / 80, 1 - 1 / 80)
    )
    assert at_left == pytest.approx(40, abs=0.01)
    assert at_right == pytest.approx(47.9, abs=0.01)


def test_pictures_without_a_dominant_surface_do_not_fail(segmenter):
    random = np.random.default_rng(1)
    picture = random.integers(0, 255, (40, 50, 3)).astype(np.uint8)
    found = segmenter.segment(picture)
    assert found.masks.shape[1:] == (40, 50)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (table().astype(float), "shape .60, 80, 3. and dtype float64"),
        (table()[..., 0], "shape .60, 80. and dtype uint8"),
        (table()[:0], "without pixels"),
        ("picture.png", "a str"),
    ],
)
def test_what_is_no_picture_is_refused_by_what_it_is(segmenter, given, said):
    with pytest.raises(BadPicture, match=said) as caught:
        segmenter.segment(given)
    assert "dtype uint8" in caught.value.hint


@pytest.mark.parametrize("settings", [{"threshold": 0}, {"least_area": 1.5}, {"least_area": -0.1}])
def test_settings_out_of_range_are_refused_by_name(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        load_segmenter("embedded", **settings)


def test_the_picture_is_left_as_it_was(segmenter):
    picture = table()
    square(picture, 10, 10, 20, RED)
    before = picture.copy()
    picture.setflags(write=False)
    segmenter.segment(picture)
    assert (picture == before).all()


def scene(number):
    task, level = list(TASKS)[number % 6], LEVELS[number % 3]
    difficulty = ("easy", "easy", "hard")[number // 4]
    return draw(setup_of(task, level, 700 + number, difficulty).scene, Camera("top"))


def test_ten_tabletop_scenes_are_found_well_and_the_same_each_time(segmenter):
    overlaps, false = [], 0
    for number in range(10):
        picture = scene(number)
        found = segmenter.segment(picture.rgb)
        again = load_segmenter("embedded").segment(picture.rgb)
        assert (again.masks == found.masks).all() and (again.scores == found.scores).all()
        real = [picture.masks == k for k in np.unique(picture.masks) if k > TABLE]
        each = [[(a & b).sum() / (a | b).sum() for b in found.masks] for a in real]
        overlaps += [max(row, default=0.0) for row in each]
        false += sum(max(column) < 0.5 for column in zip(*each, strict=True))
    assert len(overlaps) >= 25
    assert np.mean(overlaps) > 0.93
    assert false <= 1
