"""Which model serves which role, who is told, and the gate before each call."""

import pytest

from journeyman.core.errors import BudgetReached, UnknownName
from journeyman.core.messages import Completion, user
from journeyman.methods.elite.replies import CoarsePlanReply
from journeyman.models.roles import ROLES, ModelRoles
from tests.support.fake_server import ScriptedModel

PLAN = '{"coarse_plan": ["find the mug"]}'


def test_a_role_without_a_model_of_its_own_is_served_by_the_default():
    default, planner = ScriptedModel(PLAN, id="small"), ScriptedModel(PLAN, id="big")
    roles = ModelRoles(default, {"plan": planner})
    assert roles.model("plan") is planner
    assert all(roles.model(role) is default for role in ROLES if role != "plan")
    assert roles.ids == {"default": "small", "plan": "big"}


def test_asking_a_role_calls_its_model_alone():
    default, planner = ScriptedModel(PLAN), ScriptedModel(PLAN)
    roles = ModelRoles(default, {"plan": planner})
    roles.ask("plan", [user("x")], CoarsePlanReply)
    assert (len(default.asked), len(planner.asked)) == (0, 1)
    roles.ask("distil", [user("x")], CoarsePlanReply)
    assert (len(default.asked), len(planner.asked)) == (1, 1)


def test_one_model_becomes_roles_and_roles_stay_themselves():
    model = ScriptedModel(PLAN)
    roles = ModelRoles.of(model)
    assert roles.model("judge") is model
    assert ModelRoles.of(roles) is roles


def test_a_role_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"no model role 'plam'\. Did you mean 'plan'\?"):
        ModelRoles(ScriptedModel(PLAN), {"plam": ScriptedModel(PLAN)})
    with pytest.raises(UnknownName, match="no model role 'distill'"):
        ModelRoles(ScriptedModel(PLAN)).ask("distill", [user("x")], CoarsePlanReply)


def test_listeners_hear_every_attempt_as_it_is_made_with_its_own_prompt():
    model = ScriptedModel("no idea", PLAN)
    roles = ModelRoles(model)
    heard = []
    roles.listen(lambda call: heard.append((call, len(model.asked))))
    completion = roles.ask("coarse_plan", [user("Plan it.")], CoarsePlanReply, reasks=2)
    (first, calls_then), (second, _) = heard
    assert calls_then == 1
    assert (first.role, first.attempt, first.completion.parsed) == ("coarse_plan", 0, None)
    assert first.completion.problem == "the reply holds no JSON object"
    assert [len(call.messages) for call, _ in heard] == [1, 3]
    assert (second.attempt, second.completion) == (1, completion)


def test_what_listen_returns_ends_the_listening():
    roles = ModelRoles(ScriptedModel(PLAN))
    heard, kept = [], []
    end = roles.listen(heard.append)
    roles.listen(kept.append)
    roles.ask("plan", [user("x")], CoarsePlanReply)
    end()
    roles.ask("plan", [user("x")], CoarsePlanReply)
    assert (len(heard), len(kept)) == (1, 2)


def test_the_gate_is_asked_before_each_call_reasks_included():
    model = ScriptedModel("bad", "bad", "bad")
    roles = ModelRoles(model)
    heard = []
    roles.listen(heard.append)

    def two_calls():
        if len(heard) == 2:
            raise BudgetReached("used up")

    roles.gate = two_calls
    with pytest.raises(BudgetReached):
        roles.ask("distil", [user("x")], CoarsePlanReply, reasks=2)
    assert len(model.asked) == len(heard) == 2


def test_a_model_that_does_not_name_itself_is_recorded_by_its_id():
    roles = ModelRoles(ScriptedModel(PLAN, id="nameless"))
    assert roles.ask("plan", [user("x")], CoarsePlanReply).model == "nameless"
    named = ModelRoles(ScriptedModel(Completion(PLAN, model="served-1"), id="asked"))
    assert named.ask("plan", [user("x")], CoarsePlanReply).model == "served-1"
