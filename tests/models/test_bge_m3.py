"""BGE-M3's path: real sentence-transformers on a tiny random XLM-RoBERTa in a folder."""

import importlib.util

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, DataError
from journeyman.core.protocols import Embedder
from journeyman.models import load_embedder
from tests.support import tiny_weights

TEXTS = ["find the mug; rinse it in the sink", "open the fridge", "", "\u732b in the box"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("needs the extra [embed]")
    tiny_weights.torchvision_as_it_is()
    return tiny_weights.bge(tmp_path_factory.mktemp("weights"))


@pytest.fixture
def embedder(folder):
    return load_embedder(f"bge-m3:{folder}")


@pytest.mark.compatibility(
    "BGE-M3 through sentence-transformers",
    "embedders",
    "random weights of XLM-RoBERTa in a folder",
    needs="the extra [embed]",
)
def test_rows_are_float32_of_length_one_and_of_the_weights_dimension(embedder, folder):
    rows = embedder.embed(TEXTS)
    assert isinstance(embedder, Embedder)
    assert (embedder.id, embedder.dim) == (str(folder), 24)
    assert (rows.shape, rows.dtype) == ((4, 24), np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    assert not np.allclose(rows[0], rows[1], atol=1e-3)


def test_a_batch_is_its_texts_one_by_one_and_no_text_no_row(embedder, folder):
    together = embedder.embed(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(load_embedder(f"bge-m3:{folder}").embed([text])[0], row)
    assert embedder.embed([]).shape == (0, 24)


@pytest.mark.compatibility(
    "BGE-M3 through sentence-transformers",
    "embedders",
    "random weights of XLM-RoBERTa in a folder",
    needs="the extra [embed]",
)
def test_the_vector_is_the_first_tokens_own_made_of_length_one(embedder, folder):
    """Computed here by transformers alone: no mean over tokens, as BGE-M3's dense vector."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    words = AutoTokenizer.from_pretrained(folder)(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder)(**words).last_hidden_state[0]
    assert states.shape == (len(words["input_ids"][0]), 24)
    expected = (states[0] / states[0].norm()).numpy()
    np.testing.assert_allclose(embedder.embed(TEXTS[:1])[0], expected, atol=1e-5)


def test_a_text_longer_than_the_weights_take_is_cut(embedder):
    [long, longer] = embedder.embed(["a" * 500, "a" * 600])
    np.testing.assert_array_equal(long, longer)


def test_a_folder_that_is_not_there_is_named_at_once(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"no folder '.*none' for the embedder 'bge-m3:.*none'"):
        load_embedder(f"bge-m3:{tmp_path / 'none'}")


def test_a_folder_without_weights_is_one_sentence(folder, tmp_path):
    with pytest.raises(DataError, match="cannot be loaded") as caught:
        load_embedder(f"bge-m3:{tmp_path}").embed(["a"])
    assert "\n" not in caught.value.message
    assert "use --embedder usem3" in caught.value.hint


def test_weights_that_are_neither_cached_nor_reachable_are_one_sentence(folder, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DataError, match="'org/none' cannot be loaded") as caught:
        load_embedder("bge-m3", weights="org/none").embed(["a"])
    assert "\n" not in caught.value.message
