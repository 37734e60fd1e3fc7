"""How a planner's reply is read: EmbodiedBench's rules, one by one."""

from __future__ import annotations

import json

import pytest

from journeyman.core.values import Action, History, Lessons, Observation, Plan, TaskView
from journeyman.methods.elite.planner import Planner
from journeyman.models.roles import ModelRoles
from tests.support.scripted import ScriptedModel, plan_reply
from tests.support.tiny_env import ACTIONS, LIBRARY


def planned(*replies: str, reasks: int = 0) -> Plan:
    model = ScriptedModel(replies)
    history = History(TaskView("Put the ball on the shelf."))
    plan = Planner(ModelRoles(model), reasks=reasks).plan(
        Observation("a room"), LIBRARY, Lessons(), history
    )
    assert len(model.calls) == len(replies), "every reply was wanted"
    return plan


def raw(*actions: dict[str, object], **changes: object) -> str:
    return json.dumps(
        {
            "visual_state_description": "a room",
            "reasoning_and_reflection": "why",
            "language_plan": "what",
            "executable_plan": list(actions),
            **changes,
        }
    )


def test_a_good_reply_gives_its_actions_in_order_and_its_words() -> None:
    assert planned(plan_reply(5, 0, 5, words="take it away")) == Plan(
        (ACTIONS[5], ACTIONS[0], ACTIONS[5]), "a room", "it is needed", "take it away"
    )


@pytest.mark.parametrize("name", ["close the chest", "no such thing", "", "5"])
def test_only_the_id_is_executed_whatever_the_name_says(name: str) -> None:
    plan = planned(raw({"action_id": 3, "action_name": name}))
    assert plan.actions == (Action(3, "open the chest"),)
    assert plan.error is None and plan.note == ""


def test_the_name_may_be_missing() -> None:
    assert planned(raw({"action_id": 9})).actions == (ACTIONS[9],)


@pytest.mark.parametrize("outside", [10, -1, 99999])
def test_an_id_outside_the_list_cuts_the_plan_there(outside: int) -> None:
    plan = planned(plan_reply(0, 1, outside, 2))
    assert plan.actions == (ACTIONS[0], ACTIONS[1])
    assert plan.error is None
    assert str(outside) in plan.note and "0 to 9" in plan.note


@pytest.mark.parametrize("outside", [10, -1])
def test_an_id_outside_the_list_at_the_first_place_makes_the_whole_reply_an_error(
    outside: int,
) -> None:
    plan = planned(plan_reply(outside, 0, 1))
    assert plan.actions == ()
    assert plan.error is not None and str(outside) in plan.error


def test_an_empty_plan_is_no_error() -> None:
    plan = planned(plan_reply(words="it is done"))
    assert plan.actions == () and plan.error is None and plan.language_plan == "it is done"


def test_the_state_description_may_be_absent_as_in_the_language_only_setting() -> None:
    reply = json.loads(plan_reply(0))
    del reply["visual_state_description"]
    plan = planned(json.dumps(reply))
    assert plan.actions == (ACTIONS[0],) and plan.visual_state_description == ""


@pytest.mark.parametrize(
    "text",
    [
        f"I think so.\n```json\n{plan_reply(4)}\n```\nThat is my plan.",
        f"<think>maybe {{}} or {plan_reply(1)}</think>{plan_reply(4)}",
        f"  {plan_reply(4)}  ",
        f"The set {{a, b}} of things.\n{plan_reply(4)}",
    ],
    ids=["a fence", "thoughts", "space", "braces in prose"],
)
def test_prose_around_the_json_does_no_harm(text: str) -> None:
    assert planned(text).actions == (ACTIONS[4],)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "I would open the chest.",
        plan_reply(4)[:-30],
        '{"executable_plan": [{"action_id": 4',
        '{"executable_plan": [{"action_id": 4}]}',
        raw({"action_id": "four"}),
        raw({"action_id": None}),
        raw({"action_id": 1.5}),
        raw(executable_plan="open the chest"),
        raw(executable_plan=None),
        raw(language_plan=None),
        "[4, 5]",
        "4",
        "null",
        '{"something": "else"}',
        f"{plan_reply(4)} or rather {plan_reply(5)}",
        "{" * 5000,
        "[" * 100_000,
    ],
    ids=lambda text: text[:20] or "nothing",
)
def test_what_cannot_be_read_is_an_error_and_never_an_exception(text: str) -> None:
    plan = planned(text)
    assert plan.error and plan.actions == ()


@pytest.mark.parametrize("name", ["\\ud83d", "\\u0000", "</script>", "$name"])
def test_words_that_no_file_can_hold_are_an_error_or_kept_but_always_storable(name: str) -> None:
    plan = planned(raw({"action_id": 3}, language_plan="?").replace("?", name))
    (plan.language_plan + (plan.error or "")).encode()


def test_a_bad_reply_is_asked_for_again_only_by_option() -> None:
    assert planned("no", plan_reply(4), reasks=1).actions == (ACTIONS[4],)
    assert planned("no", "no", reasks=1).error
    assert planned("no").error
