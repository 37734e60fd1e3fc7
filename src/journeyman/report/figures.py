"""Figures as inline SVG: a learning curve with its band, an interval bar, a meter.

Drawn by hand rather than with matplotlib: that package would add some 30 MB to every install and
builds a font cache on its first import, and its SVG can follow neither the page's dark mode nor
its type. Colours and type come from the page's style sheet by class; every text that is put in is
escaped by `markupsafe`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from journeyman.studies import Point


@dataclass(frozen=True)
class Mark:
    """One episode on the strip under a curve: ``href`` is where it leads, ``label`` its tip."""

    success: bool
    label: str
    href: str = ""


@dataclass(frozen=True)
class Frame:
    """A plot's size and its inner box, in pixels of the viewBox."""

    width: int
    height: int
    left: int = 46
    right: int = 14
    top: int = 34
    bottom: int = 92

    def x(self, episode: int, count: int) -> float:
        """Where episode 0 .. count - 1 lies; a single episode lies in the middle."""
        span = self.width - self.left - self.right
        share = episode / (count - 1) if count > 1 else 0.5
        return round(self.left + share * span, 1)

    def y(self, rate: float) -> float:
        """Where a rate in [0, 1] lies."""
        return round(self.top + (1 - rate) * (self.height - self.top - self.bottom), 1)


WIDE = Frame(width=920, height=380)
NARROW = Frame(width=380, height=340, right=8)


def learning_curve(
    so_far: Sequence[Point],
    lately: Sequence[Point],
    marks: Sequence[Mark],
    *,
    title: str,
    description: str,
    frame: Frame = WIDE,
    name: str = "curve",
    axis: str = "Episode",
) -> Markup:
    """The rate so far with its band, the rolling rate, and a tick an episode.

    Args:
        so_far: The cumulative rate, one point an episode; its band is drawn.
        lately: The rolling rate, drawn as a dashed line without a band; may be empty.
        marks: One an episode: solved ticks stand above the strip's line, failed ones hang below.
        title: What the figure is, for screen readers.
        description: What it shows, in a sentence with the numbers.
        name: Prefix of the ids in the figure; unique on the page.
        axis: What is counted from left to right.
    """
    count = len(so_far)
    parts = [_axes(frame, count, axis)]
    if so_far:
        parts += [_band(frame, so_far, count), _line(frame, so_far, count, "line")]
    if lately:
        parts.append(_line(frame, lately, count, "line rolling"))
    if count == 1:
        parts.append(_dot(frame, so_far[0], count))
    parts.append(_strip(frame, marks))
    return _svg(frame.width, frame.height, title, description, Markup("").join(parts), name)


def interval_bar(rate: float, low: float, high: float, *, label: str) -> Markup:
    """A scale from 0 to 1 with an interval and the point in it; ``label`` says the numbers."""
    x, x0, x1 = (round(4 + 192 * value, 1) for value in (rate, low, high))
    return Markup(
        '<svg class="bar" viewBox="0 0 200 24" role="img" aria-label="{}">'
        '<path class="rule" d="M4 8H196M4 4V12M100 5V11M196 4V12"/>'
        '<path class="whisker" d="M{} 8H{}"/><circle class="point" cx="{}" cy="8" r="4.5"/>'
        '<text x="1" y="22">0 %</text><text class="end" x="199" y="22">100 %</text></svg>'
    ).format(label, x0, x1, x)


def meter(value: float, *, label: str) -> Markup:
    """A small bar filled to ``value`` in [0, 1]."""
    return Markup(
        '<svg class="meter" viewBox="0 0 60 6" role="img" aria-label="{}">'
        '<path class="rule" d="M3 3H57"/>{}</svg>'
    ).format(
        label,
        Markup('<path class="fill" d="M3 3H{}"/>').format(round(3 + 54 * value, 1))
        if value > 0
        else "",
    )


def _svg(width: int, height: int, title: str, description: str, body: Markup, name: str) -> Markup:
    return Markup(
        '<svg class="plot" viewBox="0 0 {0} {1}" role="img" '
        'aria-labelledby="{5}-title {5}-text"><title id="{5}-title">{2}</title>'
        '<desc id="{5}-text">{3}</desc>{4}</svg>'
    ).format(width, height, title, description, body, name)


def _axes(frame: Frame, count: int, axis: str) -> Markup:
    right = frame.width - frame.right
    lines, texts = Markup(""), Markup("")
    for percent in (0, 25, 50, 75, 100):
        y = frame.y(percent / 100)
        lines += Markup('<path class="rule" d="M{} {}H{}"/>').format(frame.left, y, right)
        texts += Markup('<text class="tick end" x="{}" y="{}">{} %</text>').format(
            frame.left - 8, y + 4, percent
        )
    texts += Markup('<text class="axis" x="{}" y="14">Success rate</text>').format(0)
    y = frame.height - 24
    for episode in _ticks(count, 8 if frame.width > 500 else 5):
        texts += Markup('<text class="tick middle" x="{}" y="{}">{}</text>').format(
            frame.x(episode, count), y, episode
        )
    texts += Markup('<text class="axis middle" x="{}" y="{}">{}</text>').format(
        (frame.left + right) / 2, frame.height - 5, axis
    )
    return lines + texts


def _ticks(count: int, most: int) -> range:
    """Round numbers below ``count`` from 0 on, at most about ``most`` of them."""
    return range(0, count, next(s for s in _steps() if count / s <= most))


def _steps() -> Sequence[int]:
    return [base * 10**power for power in range(7) for base in (1, 2, 5)]


def _path(frame: Frame, points: Sequence[tuple[Point, float]], count: int) -> str:
    """Through the heights, each at the episode that its point is reached by."""
    return "L".join(
        f"{frame.x(point.episode - 1, count)} {frame.y(rate)}" for point, rate in points
    )


def _line(frame: Frame, points: Sequence[Point], count: int, css: str) -> Markup:
    path = _path(frame, [(p, p.rate) for p in points], count)
    return Markup('<path class="{}" d="M{}"/>').format(css, path)


def _band(frame: Frame, points: Sequence[Point], count: int) -> Markup:
    outline = [(p, p.high) for p in points] + [(p, p.low) for p in reversed(points)]
    return Markup('<path class="band" d="M{}Z"/>').format(_path(frame, outline, count))


def _dot(frame: Frame, point: Point, count: int) -> Markup:
    return Markup('<circle class="point" cx="{}" cy="{}" r="4"/>').format(
        frame.x(point.episode - 1, count), frame.y(point.rate)
    )


def _strip(frame: Frame, marks: Sequence[Mark]) -> Markup:
    """Ticks of the episodes: up for solved, down for failed, told apart without colour."""
    middle = frame.height - 60
    count = len(marks)
    space = (frame.width - frame.left - frame.right) / max(count, 1)
    width = round(min(max(space * 0.6, 0.6), 6), 1)
    strip = Markup('<path class="rule" d="M{} {}H{}"/>').format(
        frame.left, middle, frame.width - frame.right
    )
    for word, y in (("solved", middle - 4), ("failed", middle + 12)):
        strip += Markup('<text class="tick end" x="{}" y="{}">{}</text>').format(
            frame.left - 8, y, word
        )
    for episode, mark in enumerate(marks):
        tick = Markup(
            '<path class="{}" stroke-width="{}" d="M{} {}v{}"><title>{}</title></path>'
        ).format(
            "solved" if mark.success else "failed",
            width,
            frame.x(episode, count),
            middle + (-2 if mark.success else 2),
            -11 if mark.success else 11,
            mark.label,
        )
        if mark.href:
            tick = Markup('<a href="{}" tabindex="-1">{}</a>').format(mark.href, tick)
        strip += tick
    return strip
