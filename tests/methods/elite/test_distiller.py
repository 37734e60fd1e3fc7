"""What the distiller makes of replies: Eqs. (1) and (2), and the comparative form."""

from __future__ import annotations

import json

import pytest

from journeyman.core.values import (
    Experience,
    Insight,
    Observation,
    Reflection,
    TaskView,
    Trajectory,
)
from journeyman.methods.elite.distiller import Distiller
from journeyman.models.roles import ModelRoles
from tests.support.scripted import ScriptedModel, asked_for

NOTE = {"title": "T", "applies_when": "W", "text": "One."}
ALL = {
    "success_patterns": [NOTE, {"text": "Two."}],
    "repeatable_steps": [{"text": "Three."}],
    "failure_causes": [{"text": "Four."}],
    "avoidance_guidelines": [{"text": "Five."}],
}


def distil(
    *replies: object, success: bool, demonstration: tuple[str, ...] | None = None
) -> tuple[Reflection, ScriptedModel]:
    model = ScriptedModel([r if isinstance(r, str) else json.dumps(r) for r in replies])
    trajectory = Trajectory("Do it.", Observation("a room"), (), (), success, "max_steps")
    experience = Experience(TaskView("Do it."), (trajectory,), demonstration=demonstration)
    return Distiller(ModelRoles(model)).distil(experience), model


def test_a_success_gives_patterns_and_steps_and_nothing_of_failures() -> None:
    reflection, model = distil(ALL, success=True)
    assert reflection == Reflection(
        "success",
        (
            Insight("success_pattern", "One.", "T", "W"),
            Insight("success_pattern", "Two."),
            Insight("repeatable_steps", "Three."),
        ),
    )
    assert asked_for(model.calls[0][1]) == "SuccessReply"


@pytest.mark.parametrize(
    ("success", "demonstration", "mode"),
    [(False, None, "failure"), (False, ("go",), "comparative"), (True, ("go",), "comparative")],
)
def test_a_failure_and_a_comparison_give_causes_and_guidelines(
    success: bool, demonstration: tuple[str, ...] | None, mode: str
) -> None:
    reflection, model = distil(ALL, success=success, demonstration=demonstration)
    assert reflection == Reflection(
        mode, (Insight("failure_cause", "Four."), Insight("avoidance_guideline", "Five."))
    )
    assert asked_for(model.calls[0][1]) == "FailureReply"


def test_an_empty_demonstration_is_still_a_demonstration() -> None:
    assert distil(ALL, success=False, demonstration=())[0].mode == "comparative"


def test_a_bad_reply_is_asked_for_again_with_its_error_and_may_then_do() -> None:
    reflection, model = distil("so sorry", {"failure_causes": [{"text": "It."}]}, success=False)
    assert reflection.error is None and len(reflection.insights) == 1
    first, second = (messages for messages, _ in model.calls)
    assert second[: len(first)] == first
    assert second[-2].text == "so sorry" and "no JSON object" in second[-1].text


@pytest.mark.parametrize(
    "reply",
    ["so sorry", "", {"failure_causes": [{"text": ""}]}, {"failure_causes": [{"title": "T"}]}],
    ids=["prose", "nothing", "an empty text", "no text"],
)
def test_a_reply_that_stays_bad_gives_no_insights_and_says_why(reply: object) -> None:
    reflection, model = distil(*[reply] * 3, success=False)
    assert reflection.mode == "failure" and reflection.insights == ()
    assert reflection.error
    assert len(model.calls) == 3


def test_nothing_to_learn_is_no_error() -> None:
    assert distil({"success_patterns": []}, success=True)[0] == Reflection("success")
