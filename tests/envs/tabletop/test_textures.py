from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from journeyman.envs.tabletop.textures import COLOURS, LOOKALIKES, TEXTURES, swatch


def look(name: str) -> np.ndarray:
    """Mean colour, spread, and change along x and along y: what a person sees of a texture."""
    tile = swatch(name, 32).astype(float)
    steps = [np.abs(tile - np.roll(tile, 1, axis=axis)).mean(axis=(0, 1)) for axis in (0, 1)]
    return np.concatenate([tile.mean(axis=(0, 1)), tile.std(axis=(0, 1)), *steps])


LOOKS = {name: look(name) for name in TEXTURES}


def distance(a: str, b: str) -> float:
    return float(np.linalg.norm(LOOKS[a] - LOOKS[b]))


def test_there_are_the_benchmarks_49_in_its_families():
    assert Counter(texture.family for texture in TEXTURES.values()) == {
        "image": 10,
        "stripe": 10,
        "polka dot": 10,
        "swirl": 5,
        "paisley": 5,
        "plain": 9,
    }
    assert next(iter(TEXTURES)) == "brick"
    assert list(TEXTURES)[-1] == "olive"
    assert {"magma", "red and yellow stripe", "green and purple polka dot"} <= TEXTURES.keys()


def test_words_are_unique():
    assert len({texture.words for texture in TEXTURES.values()}) == 49


@pytest.mark.parametrize("name", COLOURS)
def test_a_plain_colour_is_one_colour(name):
    assert np.unique(swatch(name).reshape(-1, 3), axis=0).tolist() == [list(COLOURS[name])]


def test_a_stripe_is_half_of_each_colour_and_runs_along_y():
    tile = swatch("red and yellow stripe", 60)
    assert (tile == tile[:1]).all()
    assert tile.mean(axis=(0, 1)) == pytest.approx(
        (np.array(COLOURS["red"]) + np.array(COLOURS["yellow"])) / 2, abs=1
    )


def test_dots_of_the_second_colour_lie_on_the_first():
    tile = swatch("green and blue polka dot", 128)
    ground = (tile == COLOURS["green"]).all(axis=2).mean()
    dots = (tile == COLOURS["blue"]).all(axis=2).mean()
    assert dots == pytest.approx(np.pi * 0.36**2, abs=0.04)  # a dot's share of its cell
    assert ground == pytest.approx(1 - np.pi * 0.36**2, abs=0.04)


def test_every_two_textures_differ_visibly():
    pairs = {(a, b): distance(a, b) for a, b in combinations(TEXTURES, 2)}
    closest = min(pairs, key=pairs.__getitem__)
    assert pairs[closest] > 20, closest


def test_lookalikes_are_mutual_and_nearer_than_others():
    for name, alike in LOOKALIKES.items():
        assert alike
        assert name not in alike
        assert all(name in LOOKALIKES[other] for other in alike)
        others = [other for other in TEXTURES if other not in (name, *alike)]
        assert np.mean([distance(name, a) for a in alike]) < np.mean(
            [distance(name, other) for other in others]
        ), name


def test_a_swatch_is_kept_and_cannot_be_written_to():
    assert swatch("tiger") is swatch("tiger")
    assert swatch("tiger").shape == (64, 64, 3)
    with pytest.raises(ValueError, match="read-only"):
        swatch("tiger")[0, 0] = 0


def test_finer_swatches_show_the_same_tile():
    fine = swatch("magma", 128).reshape(64, 2, 64, 2, 3).mean(axis=(1, 3))
    assert np.abs(fine - swatch("magma", 64)).mean() < 3


def test_an_unknown_texture_is_a_key_error():
    with pytest.raises(KeyError):
        swatch("tartan")
