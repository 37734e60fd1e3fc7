"""The policy planner: what it is shown, and which replies become plans."""

from __future__ import annotations

import json
from typing import Any

import pytest

from journeyman.core.values import Action, ActionLibrary, Lesson, TaskView
from journeyman.methods.eeagent.entities import Entity
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.methods.eeagent.memory import LongShortMemory
from journeyman.methods.eeagent.planner import (
    Planner,
    examples,
    misfit,
    problems,
    sequence_key,
)
from journeyman.methods.eeagent.replies import PlannedCall, PlanReply
from journeyman.methods.eeagent.strategies import Asking
from journeyman.models.roles import ModelRoles
from tests.methods.eeagent.seer import Seer
from tests.support.scripted import headings, section
from tests.support.tiny_env import LIBRARY as TINY

POINT = {
    "type": "array",
    "prefixItems": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "number"}],
    "minItems": 2,
    "maxItems": 2,
}
LIBRARY = ActionLibrary(
    (Action(0, "PickPlace"), Action(1, "PickRotate"), Action(2, "Wait")),
    role="You are an arm.",
    rules="- PickPlace: grip and move.",
    parameters={
        "PickPlace": {
            "type": "object",
            "properties": {"pick_location": POINT, "place_location": POINT},
            "required": ["pick_location", "place_location"],
            "additionalProperties": False,
        },
        "PickRotate": {
            "type": "object",
            "properties": {"pick_location": POINT, "angle_deg": {"type": "number"}},
            "required": ["pick_location", "angle_deg"],
            "additionalProperties": False,
        },
    },
)
FINDINGS = Findings(
    (Entity(1, "a red block"),),
    {},
    (Match("block", "semantic_match", 1, confidence=0.5),),
    "The block is Entity 1.",
    words="A table.",
)
MOVE = {"pick_location": [0.1, 0.2], "place_location": [0.3, 0.4]}


def reply(*calls: tuple[str, dict[str, Any]], words: str = "move it") -> str:
    actions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return json.dumps({"plan": words, "actions": actions})


def plan(seer: Seer, library: ActionLibrary = LIBRARY, memory: Any = None, reasks: int = 2) -> Any:
    planner = Planner(Asking(ModelRoles(seer), reasks))
    return planner.plan(TaskView("Move it."), FINDINGS, library, memory or LongShortMemory())


def test_a_plan_is_a_sequence_of_library_actions_with_their_arguments() -> None:
    found = plan(Seer(plan=reply(("PickPlace", MOVE), ("Wait", {}))))
    assert found.actions == (Action(0, "PickPlace", MOVE), Action(2, "Wait"))
    assert (found.language_plan, found.error) == ("move it", None)


def test_the_prompt_has_its_sections_in_order_and_no_picture() -> None:
    memory = LongShortMemory(
        (
            Lesson("S1", "Grip the middle.", kind="planner_principle"),
            Lesson("S2", "Look twice.", kind="interpreter_principle"),
            Lesson("S3", "Take the other.", kind="planner_suggestion"),
        )
    )
    seer = Seer(plan=reply(("Wait", {})))
    plan(seer, memory=memory)
    [(_, [message])] = seer.asked
    assert message.images == ()
    assert headings(message.text) == [
        "Task description",
        "Action library",
        "Examples",
        "Principles",
        "Suggestions",
        "Task",
        "Environment",
        "Reply",
    ]
    assert section(message.text, "Principles").endswith("- [P1] Grip the middle.")
    assert section(message.text, "Suggestions").endswith("- [Q1] Take the other.")
    assert section(message.text, "Environment") == (
        "Observation: A table.\nEntities:\n- Entity 1: a red block\nMatches:\n"
        '- "block" is Entity 1, confidence 0.50\nInterpretation: The block is Entity 1.'
    )
    assert "Look twice." not in message.text


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("Push", {}, "'Push' is no action of the library"),
        ("PickPlace", {"pick_location": [0.1, 0.2]}, "PickPlace needs place_location"),
        ("Wait", {"seconds": 3}, "Wait has no argument 'seconds'"),
        ("PickPlace", {**MOVE, "speed": 1}, "PickPlace has no argument 'speed'"),
        (
            "PickPlace",
            {**MOVE, "pick_location": [1.5, 0]},
            "pick_location of PickPlace (item 1) has to be from 0 to 1",
        ),
        (
            "PickPlace",
            {**MOVE, "pick_location": [0.5]},
            "pick_location of PickPlace has to be a list of 2",
        ),
        (
            "PickPlace",
            {**MOVE, "place_location": ["0.5", 0.1]},
            "place_location of PickPlace (item 1) has to be a number",
        ),
        ("PickPlace", MOVE, None),
    ],
)
def test_what_is_wrong_with_an_action_is_one_sentence(
    name: str, arguments: dict[str, Any], problem: str | None
) -> None:
    calls = [PlannedCall(name="Wait"), PlannedCall(name=name, arguments=arguments)]
    [first, second] = problems(calls, LIBRARY)
    assert first is None
    assert second == (None if problem is None else f"action 2: {problem}")


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        (True, {"type": "number"}, False),
        (float("nan"), {"type": "number"}, False),
        (float("-inf"), {"type": "number"}, False),
        (10**400, {"type": "number"}, False),
        (-(10**400), {"type": "integer"}, False),
        (2, {"type": "integer", "enum": [1, 2]}, True),
        (3, {"type": "integer", "enum": [1, 2]}, False),
        (2.0, {"type": "integer"}, True),
        (2.5, {"type": "integer"}, False),
        ("up", {"type": "string", "enum": ["up", "down"]}, True),
        ("left", {"type": "string", "enum": ["up", "down"]}, False),
        (3, {"type": "string"}, False),
        ([1, 2, 3], {"type": "array"}, True),
        ([1, 2], {"type": "array", "items": {"type": "number"}}, True),
        ([1, "2"], {"type": "array", "items": {"type": "number"}}, False),
        (["a", 1], {"type": "array", "prefixItems": [{}], "items": {"type": "string"}}, False),
        ([1, "2"], {"type": "array", "prefixItems": [{}], "items": False}, True),
    ],
)
def test_values_are_held_against_their_schema(value: Any, schema: Any, fits: bool) -> None:
    assert (misfit(value, schema) is None) is fits


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-" + "9" * 4000, "1e999", "NaN"])
def test_a_number_beyond_all_floats_is_quoted_back(number: str) -> None:
    first = reply(("PickRotate", {"pick_location": [0.1, 0.2], "angle_deg": 7})).replace(
        "7", number
    )
    seer = Seer(plan=[first, reply(("Wait", {}))])
    assert [str(action) for action in plan(seer).actions] == ["Wait"]
    assert "angle_deg of PickRotate has to be a number" in seer.asked[1][1][-1].text


def test_plans_with_any_numbers_can_be_voted_on() -> None:
    """Arguments that no schema holds may be anything."""
    said = '{"actions": [{"name": "Wait", "arguments": {"a": [%s, NaN, 30, true]}}]}'
    one, two = (
        PlanReply.model_validate(json.loads(said % number)) for number in ("1" + "0" * 400, "1e308")
    )
    assert sequence_key(one) != sequence_key(two)


def test_arguments_too_deep_to_be_recorded_are_refused_whatever_the_schema_allows() -> None:
    nested: list[Any] = []
    for _ in range(300):
        nested = [nested]
    library = ActionLibrary((Action(0, "Say"),), parameters={"Say": {"type": "object"}})
    found = plan(Seer(plan=reply(("Say", {"words": nested}))), library, reasks=0)
    assert found.error == "action 1: the arguments of Say are nested too deep"


def test_a_bad_plan_is_quoted_back_and_the_next_one_used() -> None:
    seer = Seer(plan=[reply(("Push", {})), reply(("Wait", {}))])
    assert [str(action) for action in plan(seer).actions] == ["Wait"]
    again = seer.asked[1][1]
    assert "action 1: 'Push' is no action of the library" in again[-1].text


def test_a_plan_that_stays_bad_is_used_not_even_in_part() -> None:
    found = plan(Seer(plan=reply(("Wait", {}), ("Push", {}))), reasks=1)
    assert found.actions == ()
    assert found.error == "action 2: 'Push' is no action of the library"


def test_examples_are_the_worlds_own_in_this_planners_form() -> None:
    old = json.dumps(
        {
            "language_plan": "go, then open",
            "executable_plan": [{"action_id": 0, "action_name": "go to the shelf"}],
        }
    )
    library = ActionLibrary((Action(0, "go to the shelf"),), examples=(f"Instruction: Go.\n{old}",))
    assert examples(library) == (
        'Instruction: Go.\n{"plan": "go, then open", '
        '"actions": [{"name": "go to the shelf", "arguments": {}}]}'
    )
    assert "PickRotate" in examples(LIBRARY)
    assert examples(TINY) == "(none)"
