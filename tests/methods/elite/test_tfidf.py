"""TF-IDF against values worked out by hand from the definition."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from journeyman.methods.elite.tfidf import tfidf_similarity


def test_two_texts_by_hand() -> None:
    """idf = ln((1 + n) / (1 + df)) + 1 with n = 2: 'red' is in both, 'cup' and 'mug' in one.

    red: ln(3/3) + 1 = 1; cup, mug: ln(3/2) + 1 = r. Texts: (red 1, cup r) and (red 1, mug r).
    Query 'red cup' is the first text; with the second it shares red: 1 / (1 + r^2).
    """
    r = log(3 / 2) + 1
    scores = tfidf_similarity("red cup", ["red cup", "red mug"])
    np.testing.assert_allclose(scores, [1.0, 1 / (1 + r * r)], rtol=1e-12)


def test_term_counts_weigh_by_hand() -> None:
    """n = 3. heat: df 1, h = ln(4/2) + 1; the: df 3, 1; egg: df 2, e = ln(4/3) + 1.

    Text 0 'heat the egg egg' = (h, 1, 2e). Query 'heat egg' = (h, e).
    """
    h, e = log(2) + 1, log(4 / 3) + 1
    texts = ["heat the egg egg", "the egg", "the"]
    expected = [
        (h * h + 2 * e * e) / (sqrt(h * h + 1 + 4 * e * e) * sqrt(h * h + e * e)),
        e * e / (sqrt(1 + e * e) * sqrt(h * h + e * e)),
        0.0,
    ]
    np.testing.assert_allclose(tfidf_similarity("heat egg", texts), expected, rtol=1e-12)


def test_words_are_compared_without_case_and_punctuation_and_single_letters_do_not_count() -> None:
    np.testing.assert_allclose(tfidf_similarity("A CUP!", ["cup, a", "b c d"]), [1.0, 0.0])


@pytest.mark.parametrize("query", ["", "a !", "unknown words"])
def test_a_query_without_a_known_word_scores_zero_everywhere(query: str) -> None:
    assert tfidf_similarity(query, ["red cup", ""]).tolist() == [0.0, 0.0]


def test_no_texts_give_no_scores() -> None:
    assert tfidf_similarity("cup", []).shape == (0,)


def test_unknown_words_of_the_query_do_not_change_the_scores() -> None:
    texts = ["red cup", "red mug"]
    np.testing.assert_array_equal(
        tfidf_similarity("red cup zebra", texts), tfidf_similarity("red cup", texts)
    )
