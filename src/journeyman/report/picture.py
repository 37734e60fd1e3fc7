"""A picture with what was found in it: outlines, numbers and what they were matched with, as SVG.

Without the picture the outlines stand alone. Colours come from the page's style sheet.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from journeyman.report.working import Thing

LONGEST = 28
"""Characters of a label in the picture; the table beside it has it whole."""


def png_size(picture: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None where it is no PNG."""
    if picture[:8] != b"\x89PNG\r\n\x1a\n" or picture[12:16] != b"IHDR" or len(picture) < 24:
        return None
    width, height = struct.unpack(">II", picture[16:24])
    return (width, height) if width and height else None


def outlined(
    things: Sequence[Thing],
    labels: Mapping[int, str],
    *,
    title: str,
    picture: bytes | None = None,
) -> Markup:
    """The things over the picture; empty where there is neither a picture nor an outline.

    Args:
        labels: By number, for things that were matched; the others have their number only.
        title: What it shows, for screen readers.
        picture: A PNG; another file is not shown.
    """
    boxes = [thing.box for thing in things if thing.box is not None]
    size = png_size(picture) if picture is not None else None
    if size is None and not boxes:
        return Markup("")
    width, height = size or (
        max(right for _, _, right, _ in boxes) + 10,
        max(bottom for _, _, _, bottom in boxes) + 10,
    )
    ground = Markup('<path class="ground" d="M0 0H{0}V{1}H0Z"/>').format(width, height)
    if size is not None and picture is not None:
        data = base64.b64encode(picture).decode()
        ground = Markup('<image width="{}" height="{}" href="data:image/png;base64,{}"/>').format(
            width, height, data
        )
    upmost = sorted(things, key=lambda thing: thing.number in labels)  # the matched ones on top
    drawn = [_drawn(thing, labels.get(thing.number), width, height) for thing in upmost]
    return Markup(
        '<svg class="seen" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>'
    ).format(width, height, title, ground, Markup("").join(drawn))


def _drawn(thing: Thing, label: str | None, width: int, height: int) -> Markup:
    if thing.box is None:
        return Markup("")
    left, top, right, _ = thing.box
    size = round(max(width / 28, 6), 1)
    at_end = left > 0.6 * width
    short = label if label is None or len(label) <= LONGEST else label[: LONGEST - 1] + "\u2026"
    css = "outline" if label is None else "outline matched"
    path = outline(thing)
    return Markup(
        '<path class="halo" d="{1}"/><path class="{0}" d="{1}"/>'
        '<text class="{2}" x="{3}" y="{4}" font-size="{5}">{6}</text>'
    ).format(
        css,
        path,
        "end" if at_end else "start",
        right if at_end else left,
        round(min(top + 0.9 * size, height - 1), 1),
        size,
        f"{thing.number}" if short is None else f"{thing.number} {short}",
    )


def outline(thing: Thing) -> str:
    """The path around the thing's pixels; around its box where the mask does not fit that."""
    assert thing.box is not None
    left, top, right, bottom = thing.box
    mask = _mask(thing.runs, bottom - top, right - left)
    if mask is None:
        return f"M{left} {top}H{right}V{bottom}H{left}Z"
    padded = np.pad(mask, 1)
    level = [f"M{left + a} {top + row}H{left + b}" for row, a, b in _edges(padded, axis=0)]
    upright = [f"M{left + row} {top + a}V{top + b}" for row, a, b in _edges(padded, axis=1)]
    return "".join([*level, *upright])


def _mask(runs: Sequence[int], height: int, width: int) -> NDArray[np.bool_] | None:
    if sum(runs) != height * width:
        return None
    inside = np.arange(len(runs)) % 2 == 1
    mask: NDArray[np.bool_] = np.repeat(inside, np.asarray(runs, np.int64)).reshape(height, width)
    return mask if mask.any() else None


def _edges(padded: NDArray[np.bool_], axis: int) -> list[tuple[int, int, int]]:
    """Where neighbours along ``axis`` differ: (position, from, to), neighbouring ones as one."""
    differ = np.diff(padded, axis=axis)
    lines = differ[:, 1:-1] if axis == 0 else differ[1:-1, :].T
    found = []
    for position, line in enumerate(lines):
        bounds = np.flatnonzero(np.diff(np.pad(line, 1).astype(np.int8)))
        starts, ends = bounds[::2].tolist(), bounds[1::2].tolist()
        found += [(position, a, b) for a, b in zip(starts, ends, strict=True)]
    return found
