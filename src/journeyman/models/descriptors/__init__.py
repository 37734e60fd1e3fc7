"""What a piece of a picture looks like: in numbers to compare, and in plain words."""

from journeyman.models.descriptors.features import (
    Descriptor,
    Likeness,
    Weights,
    compare,
    descriptor,
    similarity,
)
from journeyman.models.descriptors.words import Description, Word, describe

__all__ = [
    "Description",
    "Descriptor",
    "Likeness",
    "Weights",
    "Word",
    "compare",
    "describe",
    "descriptor",
    "similarity",
]
