import re

import pytest

from journeyman.report.figures import NARROW, WIDE, Frame, Mark, interval_bar, learning_curve, meter
from journeyman.studies import cumulative, rolling

FRAME = Frame(width=220, height=200, left=10, right=10, top=0, bottom=100)  # a box of 200 by 100


def curve(outcomes, window=2, frame=FRAME):
    marks = [Mark(success, f"Episode {i}", f"#e{i}") for i, success in enumerate(outcomes)]
    return learning_curve(
        cumulative(outcomes),
        rolling(outcomes, window),
        marks,
        title="Rate",
        description="Half.",
        frame=frame,
    )


def test_the_line_runs_through_the_rates():
    [path] = re.findall(r'class="line" d="(.*?)"', curve([True, False, True, False, True]))
    # rates 1, 1/2, 2/3, 1/2, 3/5 from x = 10 to 210, y = 100 (1 - rate)
    assert path == "M10.0 0.0L60.0 50.0L110.0 33.3L160.0 50.0L210.0 40.0"


def test_the_band_goes_up_one_side_and_down_the_other():
    [path] = re.findall(r'class="band" d="(.*?)"', curve([True, True]))
    # Wilson: 1 of 1 gives [.2065, 1], 2 of 2 gives [.3424, 1]
    assert path == "M10.0 0.0L210.0 0.0L210.0 65.8L10.0 79.3Z"


def test_the_rolling_line_starts_at_the_first_full_window():
    [path] = re.findall(r'class="line rolling" d="(.*?)"', curve([True, False, True, True]))
    assert path == "M76.7 50.0L143.3 50.0L210.0 0.0"
    assert "rolling" not in curve([True])


def test_solved_ticks_stand_up_and_failed_ticks_hang_down():
    figure = curve([True, False])
    assert re.search(r'class="solved" [^>]*v-11"><title>Episode 0<', figure)
    assert re.search(r'class="failed" [^>]*v11"><title>Episode 1<', figure)
    assert 'href="#e1"' in figure


def test_the_axis_numbers_episodes_as_their_marks_do():
    figure = curve([True, False, True])
    ticks = dict(re.findall(r'tick middle" x="([\d.]+)" [^>]*>(\d+)<', figure))
    marks = dict(re.findall(r'd="M([\d.]+) [\d.]+v-?11"><title>Episode (\d+)<', figure))
    assert ticks == marks == {"10.0": "0", "110.0": "1", "210.0": "2"}


def test_a_single_episode_is_a_point_in_the_middle():
    assert 'class="point" cx="110.0" cy="0.0"' in curve([True])


@pytest.mark.parametrize("frame", [WIDE, NARROW])
@pytest.mark.parametrize("count", [1, 2, 7, 50, 300])
def test_everything_lies_in_the_frame_with_few_axis_labels(frame, count):
    figure = curve([i % 3 == 0 for i in range(count)], frame=frame)
    across = [float(x) for x in re.findall(r'(?:M|L|cx="| x=")([\d.]+)', figure)]
    down = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", figure)]
    assert min(across) >= 0 and max(across) <= frame.width
    assert min(down) >= 0 and max(down) <= frame.height
    labels = [int(x) for x in re.findall(r'middle" [^>]*>(\d+)<', figure)]
    assert labels[0] == 0
    assert len(labels) <= 10
    assert labels == sorted(set(labels))
    assert max(labels) < count


def test_texts_in_figures_are_escaped():
    evil = '"><script>'
    figure = learning_curve([], [], [Mark(True, evil, evil)], title=evil, description=evil)
    assert "<script>" not in figure + interval_bar(0.5, 0.2, 0.8, label=evil)
    assert "<script>" not in meter(0.5, label=evil)
    assert figure.count("&#34;&gt;&lt;script&gt;") == 4


def test_the_interval_bar_puts_rate_and_bounds_on_a_scale_of_192():
    bar = interval_bar(0.5, 0.25, 0.75, label="half")
    assert 'd="M52.0 8H148.0"' in bar
    assert 'cx="100.0"' in bar


def test_an_empty_meter_has_no_fill():
    assert "fill" not in meter(0.0, label="none")
    assert 'd="M3 3H30.0"' in meter(0.5, label="half")
