"""Pictures as arrays: OpenCV when it is first needed, and a check that says what is wrong."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from journeyman.core.errors import JourneymanError
from journeyman.core.values import ImageHWC

Mask = NDArray[np.bool_]
"""Shape (H, W), True on what is meant."""


class BadPicture(JourneymanError):
    """An array that is no picture, or no mask of it."""


@cache
def opencv() -> Any:
    """The module ``cv2``, on one thread: the same result in every process.

    Raises:
        JourneymanError: it is not installed.
    """
    try:
        import cv2
    except ImportError:
        raise JourneymanError(
            "looking at pixels needs the package opencv-python-headless.",
            hint="Install it with: pip install opencv-python-headless",
        ) from None
    return cv2


def lab(crop: ImageHWC) -> NDArray[np.float32]:
    """CIE L*a*b*: lightness 0 to 100, then green to red and blue to yellow, about -100 to 100."""
    made: NDArray[np.float32] = opencv().cvtColor(
        crop.astype(np.float32) / 255, opencv().COLOR_RGB2LAB
    )
    return made


def check_picture(image: Any, mask: Any = None) -> None:
    """Refuse what is no (H, W, 3) uint8 picture or no (H, W) bool mask with something in it.

    Raises:
        BadPicture: saying what was given.
    """
    hint = "Give RGB of shape (height, width, 3), dtype uint8, 0 to 255."
    if not isinstance(image, np.ndarray) or image.ndim != 3 or image.shape[2] != 3:
        raise BadPicture(f"no picture: {_what(image)}.", hint=hint)
    if image.dtype != np.uint8:
        raise BadPicture(f"no picture: {_what(image)}.", hint=hint)
    if image.size == 0:
        raise BadPicture(f"a picture without pixels: {_what(image)}.", hint=hint)
    if mask is None:
        return
    hint = "Give a mask of shape (height, width) of its picture, dtype bool, True somewhere."
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != image.shape[:2]:
        raise BadPicture(f"no mask of a picture of shape {image.shape}: {_what(mask)}.", hint=hint)
    if not mask.any():
        raise BadPicture("an empty mask.", hint=hint)


def _what(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    return f"a {type(value).__name__}"
