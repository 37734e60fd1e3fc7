"""What `preview` estimates for EEAgent: conversations, match calls, retries, reflection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.api.preview import OTHER_REPLY_TOKENS, tokens
from journeyman.api.rehearsal import FAILING
from journeyman.core.errors import UnknownName
from journeyman.core.events import ModelCalled
from journeyman.runs import RunSpec

TASKS = 10


def spec(task: str, **given: Any) -> RunSpec:
    return RunSpec(
        **{"env": (f"tabletop/{task}-v0",), "method": "eeagent", "tasks": TASKS, **given}
    )


def calls(found: api.Preview) -> dict[str, int]:
    return {role.role: role.calls for role in found.roles}


@pytest.mark.parametrize("task", ["rotate", "scene_understanding", "pick_in_order_then_restore"])
def test_calls_and_prompts_are_within_a_factor_of_two_of_a_run(task: str, tmp_path: Path) -> None:
    """Tasks with few and with many failures; what is sent is measured by the same rule."""
    made, sent = 0, 0

    def count(event: Any) -> None:
        nonlocal made, sent
        if isinstance(event, ModelCalled):
            made += 1
            sent += tokens(event.call.messages, event.call.tools)

    estimate = api.preview(spec(task, tasks=6))
    api.run_spec(spec(task, tasks=6), tmp_path / "run", listeners=[count]).close()
    assert 0.5 < estimate.calls / made < 2
    assert 0.5 < estimate.prompt_tokens / sent < 2
    assert estimate.most is not None
    assert estimate.most[0] > made and estimate.most[1] > sent


def test_one_trial_a_task_is_counted_call_by_call() -> None:
    """Entities, the match, the answer; a match call; the plan; both checks of what failed (three
    of the judge, one that describes), both reflections, both gates, both consolidations."""
    found = api.preview(spec("rotate", settings={"max_retries": 0}))
    assert (found.trials, found.most) == (1.0, None)
    assert calls(found) == {
        "interpret": TASKS * (3 + 1 + 1),
        "plan": TASKS,
        "judge": TASKS * (3 + 2),
        "distil": TASKS * 2,
        "consolidate": TASKS * 2,
    }


def test_retries_multiply_what_a_trial_takes() -> None:
    found = api.preview(spec("rotate", settings={"max_retries": 1}))
    successes, failures = 1 - FAILING**2, FAILING + FAILING**2
    assert found.trials == pytest.approx(successes + failures)
    assert calls(found)["plan"] == round(TASKS * found.trials)
    assert calls(found)["judge"] == round(TASKS * (2 * successes + 5 * failures))
    assert found.most is not None and found.most[0] == 2 * TASKS * 15
    assert any(f"{found.trials:.1f} trials a task" in said for said in found.remarks)
    assert f"If every trial failed: {found.most[0]:,} calls" in found.remarks[1]
    assert found.document()["estimate"]["most"] == {"calls": 300, "tokens": found.most[1]}


def test_a_frozen_memory_takes_one_trial_and_reflects_on_nothing() -> None:
    found = api.preview(spec("rotate", learning=False))
    assert calls(found) == {"interpret": TASKS * 4, "plan": TASKS}


def test_a_strategy_counts_its_samples() -> None:
    vanilla = api.preview(spec("rotate", settings={"strategy": "vanilla"}))
    voting = api.preview(spec("rotate", settings={"strategy": "sc_voting", "samples": 3}))
    assert calls(vanilla) == {"interpret": TASKS * (3 + 1), "plan": TASKS}
    assert calls(voting) == {"interpret": TASKS * (3 + 3), "plan": TASKS * 3}


def test_tools_by_json_take_one_reply_a_call_and_are_counted_in_the_prompt() -> None:
    native = api.preview(spec("visual_manipulation", settings={"max_retries": 0}))
    given = {"model": "openai/m", "base_url": "http://127.0.0.1:9", "tools": "json"}
    by_json = api.preview(spec("visual_manipulation", settings={"max_retries": 0}, **given))
    assert calls(native)["interpret"] == TASKS * (3 + 2 + 1)
    assert calls(by_json)["interpret"] == TASKS * (4 + 2 + 1)
    asked = next(role for role in native.roles if role.role == "interpret")
    bare = TASKS * sum(tokens(call.messages) for call in native.first)
    assert asked.prompt_tokens > bare
    assert asked.completion_tokens == asked.calls * OTHER_REPLY_TOKENS


def test_words_in_place_of_pictures_are_matched_by_words() -> None:
    described = spec("rotate", env=("tabletop-described/rotate-v0",), settings={"max_retries": 0})
    assert calls(api.preview(described))["interpret"] == TASKS * (3 + 1)


def test_the_memory_is_taken_to_grow_up_to_its_cap() -> None:
    def sent(tasks: int, cap: int) -> float:
        found = api.preview(spec("rotate", tasks=tasks, settings={"cap": cap, "max_retries": 0}))
        return found.prompt_tokens / tasks

    assert sent(100, 20) > sent(1, 20) + 500, "principles are in the prompts"
    assert sent(600, 20) == pytest.approx(sent(100, 20), rel=0.01)
    assert sent(600, 2) < sent(600, 20)


def test_a_segmenter_that_there_is_not_is_refused_as_in_the_run() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'sam-huge'"):
        api.preview(spec("rotate", settings={"segmenter": "sam-hug"}))
