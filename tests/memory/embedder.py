"""An embedder for tests: vectors from a table, others decided by the text alone."""

import hashlib

import numpy as np


class TableEmbedder:
    def __init__(self, table=None, *, dim=4, id="table"):
        self.id, self.dim = id, dim
        self.table = {text: np.array(vector, np.float32) for text, vector in (table or {}).items()}
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        return np.stack([self._one(text) for text in texts])

    def _one(self, text):
        if text in self.table:
            return self.table[text]
        numbers = hashlib.shake_256(text.encode()).digest(self.dim)
        return np.frombuffer(numbers, np.uint8).astype(np.float32) - 127.5
