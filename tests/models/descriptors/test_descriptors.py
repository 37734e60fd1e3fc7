"""Colour, outline, texture, size and words of hand-made pieces."""

import numpy as np
import pytest

from journeyman.core.errors import ConfigError
from journeyman.models.descriptors import (
    Likeness,
    Weights,
    compare,
    describe,
    descriptor,
    similarity,
)
from journeyman.models.pixels import BadPicture

RED, BLUE, GREEN, YELLOW = (220, 40, 40), (40, 80, 210), (50, 160, 70), (245, 215, 50)
ROWS, COLUMNS = np.mgrid[:48, :48]
FAR = np.hypot(ROWS - 23.5, COLUMNS - 23.5)
DISC, RING = FAR < 20, (FAR < 20) & (FAR > 9)
SQUARE = (abs(ROWS - 23.5) < 16) & (abs(COLUMNS - 23.5) < 16)
TURNED_SQUARE = abs(ROWS - 23.5) + abs(COLUMNS - 23.5) < 22
STRIPES = COLUMNS // 4 % 2 == 0
LYING_STRIPES = STRIPES.T
CHECKS = (ROWS // 6 + COLUMNS // 6) % 2 == 0
DOTS = np.hypot(ROWS % 10 - 4.5, COLUMNS % 10 - 4.5) < 3.6
EVERYWHERE = np.ones((48, 48), bool)


def painted(first, second=RED, where=EVERYWHERE):
    picture = np.full((48, 48, 3), second, np.uint8)
    picture[where] = first
    return picture


def like(a, mask_a, b, mask_b):
    return compare(descriptor(a, mask_a), descriptor(b, mask_b))


def test_a_piece_is_just_like_itself_whatever_surrounds_it():
    alone, among_blue = painted(RED), painted(BLUE, RED, ~DISC)
    likeness = like(alone, DISC, among_blue, DISC)
    for group in (likeness.colour, likeness.outline, likeness.texture, likeness.size):
        assert group == pytest.approx(1, abs=1e-5)


def test_groups_tell_their_own_difference_and_no_other():
    red, blue = painted(RED), painted(BLUE)
    other_colour = like(red, DISC, blue, DISC)
    assert other_colour.colour < 0.1
    assert other_colour.outline == pytest.approx(1, abs=1e-4)
    assert other_colour.texture == pytest.approx(1, abs=1e-4)
    other_outline = like(red, DISC, red, RING)
    assert other_outline.colour == pytest.approx(1, abs=1e-4)
    assert other_outline.outline == pytest.approx(1 - (9 / 20) ** 2, abs=0.03)
    assert other_outline.texture == pytest.approx(1, abs=1e-4)
    stripes, checks = painted(RED, BLUE, STRIPES), painted(RED, BLUE, CHECKS)
    other_texture = like(stripes, DISC, checks, DISC)
    assert other_texture.colour > 0.95
    assert other_texture.outline == pytest.approx(1, abs=1e-4)
    assert other_texture.texture < 0.6


def test_turned_pieces_are_alike():
    stripes, lying = painted(RED, BLUE, STRIPES), painted(RED, BLUE, LYING_STRIPES)
    assert like(stripes, DISC, lying, DISC).texture == pytest.approx(1, abs=1e-3)
    assert like(stripes, SQUARE, stripes, TURNED_SQUARE).outline > 0.9


def test_size_is_the_smaller_by_the_larger_area():
    small = (abs(ROWS - 23.5) < 8) & (abs(COLUMNS - 23.5) < 8)
    assert like(painted(RED), SQUARE, painted(RED), small).size == 256 / 1024
    assert like(painted(RED), small, painted(RED), SQUARE).outline > 0.97


def test_weights_decide_which_piece_is_nearer():
    wanted = descriptor(painted(RED), DISC)
    red_square, blue_disc = descriptor(painted(RED), SQUARE), descriptor(painted(BLUE), DISC)
    by_colour, by_outline = Weights(1, 0, 0, 0), Weights(0, 1, 0, 0)
    assert similarity(wanted, red_square, by_colour) > similarity(wanted, blue_disc, by_colour)
    assert similarity(wanted, red_square, by_outline) < similarity(wanted, blue_disc, by_outline)


def test_a_similarity_is_the_weighted_mean_of_its_groups():
    likeness = Likeness(colour=0.5, outline=1.0, texture=0.25, size=0.0)
    assert likeness.weighed(Weights(2, 1, 4, 1)) == (1.0 + 1.0 + 1.0 + 0.0) / 8


@pytest.mark.parametrize("given", [(-1, 1, 1, 1), (0, 0, 0, 0)])
def test_weights_without_a_meaning_are_refused(given):
    with pytest.raises(ConfigError, match="weights"):
        Weights(*given)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (RED, "red"),
        (BLUE, "blue"),
        (GREEN, "green"),
        (YELLOW, "yellow"),
        ((250, 140, 30), "orange"),
        ((145, 70, 180), "purple"),
        ((252, 160, 186), "pink"),
        ((250, 250, 250), "white"),
        ((5, 5, 5), "black"),
        ((120, 120, 120), "grey"),
        ((130, 80, 45), "brown"),
    ],
)
def test_colours_have_plain_names(value, name):
    [colour] = describe(painted(value), DISC).colours
    assert (colour.word, colour.sure) == (name, 1.0)


def test_two_colours_are_named_by_their_shares():
    where = COLUMNS < 16  # a quarter of the square, which spans columns 8 to 39
    colours = describe(painted(YELLOW, BLUE, where), SQUARE).colours
    assert [c.word for c in colours] == ["blue", "yellow"]
    assert [c.sure for c in colours] == [0.75, 0.25]


@pytest.mark.parametrize(
    ("where", "word"),
    [
        (EVERYWHERE, "plain"),
        (STRIPES, "striped"),
        (LYING_STRIPES, "striped"),
        (CHECKS, "checked"),
        (DOTS, "dotted"),
    ],
)
@pytest.mark.parametrize("mask", [DISC, SQUARE])
def test_patterns_have_words(where, word, mask):
    pattern = describe(painted(YELLOW, BLUE, where), mask).pattern
    assert pattern.word == word
    assert 0.5 <= pattern.sure <= 1


@pytest.mark.parametrize(
    ("mask", "word", "holes"),
    [
        (DISC, "round", 0),
        (RING, "ring", 1),
        (SQUARE, "square", 0),
        (TURNED_SQUARE, "square", 0),
        (SQUARE & ~((abs(ROWS - 23.5) < 12) & (abs(COLUMNS - 23.5) < 12)), "frame", 1),
        ((abs(ROWS - 23.5) < 3) & (abs(COLUMNS - 23.5) < 20), "bar", 0),
        (((abs(ROWS - 23.5) < 6) | (abs(COLUMNS - 23.5) < 6)) & (FAR < 20), "cross", 0),
        ((ROWS < 24) & (ROWS > 3) & (abs(COLUMNS - 23.5) < 20), "rectangle", 0),
    ],
)
def test_outlines_have_words(mask, word, holes):
    said = describe(painted(RED), mask)
    assert said.outline.word == word
    assert said.holes == holes
    assert said.area_px == mask.sum()


def test_measures_of_a_lying_bar():
    bar = (abs(ROWS - 23.5) < 3) & (abs(COLUMNS - 23.5) < 18)  # 6 by 36 pixels
    said = describe(painted(RED), bar)
    assert said.length_px == pytest.approx(36)
    assert said.elongation == pytest.approx(6)


def test_the_text_says_colours_pattern_and_outline():
    said = describe(painted(YELLOW, BLUE, COLUMNS % 8 < 3), DISC)
    assert said.text == "blue and yellow striped round thing"
    assert describe(painted(RED), RING).text == "red ring thing"


@pytest.mark.parametrize("side", [1, 2, 3])
def test_tiny_pieces_are_described_without_failing(side):
    mask = (side > ROWS) & (side > COLUMNS)
    a = descriptor(painted(RED), mask)
    assert compare(a, a).weighed(Weights()) == pytest.approx(1, abs=1e-5)
    assert describe(painted(RED), mask).colours[0].word == "red"


@pytest.mark.parametrize(
    ("picture", "mask", "said"),
    [
        (painted(RED).astype(float), DISC, "float64"),
        (painted(RED), DISC.astype(np.uint8), "no mask.*uint8"),
        (painted(RED), DISC[:40], "no mask.*40, 48"),
        (painted(RED), np.zeros((48, 48), bool), "empty mask"),
    ],
)
@pytest.mark.parametrize("take", [descriptor, describe])
def test_what_is_no_picture_or_mask_is_refused(take, picture, mask, said):
    with pytest.raises(BadPicture, match=said):
        take(picture, mask)
