import io
from dataclasses import replace

import pytest
from report_sample import report_data
from rich.console import Console

from journeyman.core.values import Remove, Verdict
from journeyman.report.data import Uses
from journeyman.report.terminal import (
    console,
    plain,
    print_comparison,
    print_episode,
    print_strategies,
    print_summary,
)
from journeyman.studies import difference

HOSTILE = "[bold]loud[/bold] [link=x]y[/link] \x1b[31mred\x1b[0m \x07 :smile: \ud800 \u202eback"
SHOWN = "[bold]loud[/bold] [link=x]y[/link] \ufffd[31mred\ufffd[0m \ufffd :smile: \ufffd \ufffdback"

USES = {"entry-1": Uses(11, 8)}


def shown(show, *values, width=80, terminal=False):
    out = io.StringIO()
    settings = {"color_system": "truecolor"} if terminal else {}
    to = Console(
        file=out,
        width=width,
        force_terminal=terminal,
        highlight=False,
        markup=False,
        emoji=False,
        **settings,
    )
    show(*values, to=to)
    return out.getvalue()


def one_line(text):
    return " ".join(text.split())


def document(data):
    per_task = [dict(record.summary()) for record in data.episodes]
    return {
        "run": "runs/first",
        "env": "household/base-v0",
        "method": "elite",
        "model": "stand-in",
        "seed": 0,
        "episodes": 12,
        "success": {"count": 8, "rate": 8 / 12, "ci95": [0.3906, 0.8619]},
        "task_progress": 10 / 12,
        "first_trial_success": 0.5,
        "memory": {"entries": 3, "version": 12},
        "usage": {
            "calls": 36,
            "prompt_tokens": 39600,
            "completion_tokens": 72,
            "retries": 0,
            "waited_s": 0.0,
            "unusable": 0,
            "troubles": {},
        },
        "wall_s": 3.25,
        "status": "complete",
        "per_task": per_task,
    }


@pytest.fixture
def data():
    return report_data()


def test_the_summary_says_what_the_document_says(data):
    text = one_line(shown(print_summary, document(data)))
    assert "success 8/12 = 67 % [39 to 86 %]" in text
    assert "by half 3/6 = 50 %, then 5/6 = 83 %" in text
    assert "first trial 50 %" in text
    assert "36 calls, 39,672 tokens, 3.2 s" in text
    assert "memory 3 strategies, version 12" in text


def test_a_summary_of_no_episodes_gives_no_rates(data):
    empty = document(data) | {"episodes": 0, "per_task": []}
    text = one_line(shown(print_summary, empty))
    assert "no episode is finished" in text
    assert "%" not in text


def test_piped_output_has_no_colour_and_keeps_to_the_width(data):
    for width in (60, 80):
        text = shown(print_episode, data.episodes[4], width=width) + shown(
            print_strategies, data.strategies, USES, width=width
        )
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= width
    assert "\x1b[" in shown(print_episode, data.episodes[4], terminal=True)


def test_strategies_name_their_teacher_and_their_uses(data):
    text = one_line(shown(print_strategies, data.strategies, USES, width=120))
    assert "S1 Clean through the sink (1) episode 4 11x, 8 solved" in text
    assert "revision 2" in text
    assert "retrieved" not in shown(print_strategies, data.strategies)
    assert "The pool is empty." in shown(print_strategies, ())


def test_an_episode_is_told_step_by_step(data):
    text = one_line(shown(print_episode, data.episodes[5], width=120))
    for part in (
        "Episode 5 failed 50 % progress, 4 steps, ended: too many invalid actions",
        "1. S1 similarity 0.910 Clean through the sink",
        "0 done find a Pan Last action executed successfully.",
        "3 failed turn on the Faucet Last action is invalid. Pan is not in the sink.",
        "failure cause: The Pan was not in the sink.",
        "refused to add (a duplicate of S1): Clean through the sink; Put the object",
    ):
        assert part in text
    removal = one_line(shown(print_episode, data.episodes[8], width=120))
    assert "removed S3: S1 says it already." in removal


def test_errors_of_replies_and_reflection_are_told(data):
    record = data.episodes[0]
    plan = replace(record.episode.trajectory.plans[0], error="no JSON object", note="id 99 dropped")
    whole = replace(
        record.episode,
        trajectory=replace(record.episode.trajectory, plans=(plan,)),
        delta=replace(record.episode.delta, error="the reply was cut off"),
    )
    text = one_line(shown(print_episode, replace(record, episode=whole)))
    assert "unusable reply: no JSON object" in text
    assert "id 99 dropped" in text
    assert "error the reply was cut off" in text


def test_a_comparison_gives_both_rates_and_the_interval_of_their_difference():
    a = {(f"t{i}", 0): float(i < 6) for i in range(8)}
    b = {(f"t{i}", 0): float(i < 2) for i in range(8)}
    text = one_line(shown(print_comparison, "runs/a", "runs/b", {"success": difference(a, b)}))
    assert "success 75 % 25 % +50 points" in text
    assert "4 / 0 / 4 0.125" in text
    assert "8 pairs: 8 tasks, 1 seed(s)." in text
    few = {"success": difference(a, {("t0", 0): 1.0})}
    assert "7 that only one of the two has are left out" in one_line(
        shown(print_comparison, "a", "b", few)
    )


def test_text_from_outside_can_neither_style_nor_steer_the_terminal(data):
    assert plain(HOSTILE).plain == SHOWN
    evil = replace(
        data.strategies[0], title=HOSTILE, text=HOSTILE, applies_when=HOSTILE, alias=HOSTILE
    )
    record = data.episodes[4]
    task = replace(record.episode.task, instruction=HOSTILE, id=HOSTILE)
    applied = replace(record.applied, verdicts=(Verdict(Remove(HOSTILE, HOSTILE), False, HOSTILE),))
    record = replace(record, episode=replace(record.episode, task=task), applied=applied)
    text = (
        shown(print_strategies, [evil], width=300)
        + shown(print_episode, record, width=300)
        + shown(print_summary, document(data) | {"model": HOSTILE, "status": HOSTILE}, width=300)
    )
    assert text.count(SHOWN) == 4 + 5 + 2
    assert not {"\x1b", "\x07", "\u202e", "\ud800"} & set(text)


def test_an_output_without_the_characters_gets_question_marks(data, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    to = console(width=80)
    print_strategies([replace(data.strategies[0], text="a plate \N{EM DASH} clean")], to=to)
    to.file.flush()
    assert b"a plate ? clean" in raw.getvalue()
