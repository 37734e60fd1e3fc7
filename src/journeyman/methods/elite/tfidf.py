"""TF-IDF cosine similarity of one query to a few texts (the baselines of ELITE Figure 3).

Twenty lines, where the usual library would bring scipy and scikit-learn (about 150 MB) into the
base install. Smoothed idf and l2 norm, as there; the vocabulary comes from the texts searched.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WORD = re.compile(r"[a-z0-9]{2,}")


def tfidf_similarity(query: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Cosine of tf * idf weights, shape (len(texts),); 0 where no word is shared.

    idf(w) = ln((1 + n) / (1 + df(w))) + 1 over the n texts.
    """
    bags = [Counter(WORD.findall(text.lower())) for text in texts]
    frequency = Counter(word for bag in bags for word in bag)
    idf = {w: math.log((1 + len(texts)) / (1 + df)) + 1 for w, df in frequency.items()}
    asked = {w: n * idf[w] for w, n in Counter(WORD.findall(query.lower())).items() if w in idf}
    asked_norm = math.hypot(*asked.values())
    scores = np.zeros(len(texts))
    for row, bag in enumerate(bags):
        norm = math.hypot(*(n * idf[w] for w, n in bag.items()))
        if norm and asked_norm:
            dot = sum(weight * bag[w] * idf[w] for w, weight in asked.items() if w in bag)
            scores[row] = dot / (norm * asked_norm)
    return scores
