"""Named streams of randomness, all derived from the run's one seed."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

import numpy as np


def digest(*parts: Hashable) -> int:
    """A 64-bit integer decided by ``parts`` alone, the same in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def uniform(*parts: Hashable) -> float:
    """A number in [0, 1) decided by ``parts`` alone."""
    return digest(*parts) / 2**64


def stream(seed: int, *name: Hashable) -> np.random.Generator:
    """The generator named ``name`` of a run; streams of other names are independent of it.

    Args:
        seed: The run's seed.
        name: What the numbers are for, e.g. ``"task_order"``.
    """
    return np.random.default_rng(digest(seed, *name))
