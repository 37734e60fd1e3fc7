"""Both consistency checks: what they compare, and whom they blame."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from journeyman.core.values import Action, Observation, Plan, Step, Trajectory
from journeyman.methods.eeagent.entities import GroundTruth, extract
from journeyman.methods.eeagent.error_location import ErrorLocation, ErrorLocator, Verdict
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.models.roles import ModelRoles
from tests.methods.eeagent.seer import BLUE, Seer, alone, labelled, observation
from tests.support.scripted import section

L = "Put the {object} into the {base}."
MOVE = Action(0, "PickPlace", {"pick_location": [0.035, 0.115], "place_location": [0.1, 0.2]})


def trial(*matches: Match, obs: Observation | None = None, plan: Plan | None = None) -> Trajectory:
    obs = obs or observation(object=alone(BLUE))
    entities = tuple(extract(obs, GroundTruth())) if "image" in obs else ()
    findings = Findings(entities, {}, matches, "Put the {object} into the {base}.")
    plan = plan or Plan((MOVE,), language_plan="move", working=findings.values())
    steps = tuple(Step(i, a, True, "done", obs) for i, a in enumerate(plan.actions))
    return Trajectory(L, obs, (plan,), steps, False, "plan_limit")


def locate(seer: Seer, trajectory: Trajectory) -> ErrorLocation:
    return ErrorLocator(ModelRoles(seer), reasks=0).locate(trajectory)


RIGHT = Match("object", "image_match", 2, "", 0.9, "", "blue square", "blue square")
WRONG = Match("object", "image_match", 1, "", 0.9, "", "blue square", "blue square")


def test_a_wrong_match_is_found_by_fresh_descriptions_of_both_pictures() -> None:
    """The match tool had called both blue; looked at by itself, the entity is red."""
    seer = Seer()
    location = locate(seer, trial(WRONG))
    assert location.interpreter.consistent is False and location.planner.consistent is True
    assert location.blamed == ("interpreter",)
    [check] = location.interpreter.matches
    assert (check.target_features, check.entity_features) == ("colour 0 0 6", "colour 6 0 0")
    shown = labelled(next(m for kind, m in seer.asked if kind == "describe")[0])
    assert list(shown) == ["Picture 1:", "Picture 2:"]
    assert "Target {object}: colour 0 0 6" in section(
        seer.prompts("check_descriptions")[0], "Matches"
    )


def test_right_matches_and_right_actions_blame_both_modules() -> None:
    location = locate(Seer(), trial(RIGHT))
    assert (location.interpreter.consistent, location.planner.consistent) == (True, True)
    assert location.blamed == ("interpreter", "planner")


def test_actions_that_read_back_otherwise_blame_the_planner() -> None:
    seer = Seer(regenerate_instruction='{"instruction": "Turn the {object}."}')
    location = locate(seer, trial(RIGHT))
    assert location.blamed == ("planner",)
    assert (location.planner.original, location.planner.regenerated) == (L, "Turn the {object}.")


def test_who_reads_the_actions_back_is_not_told_the_instruction() -> None:
    seer = Seer()
    locate(seer, trial(RIGHT))
    [prompt] = seer.prompts("regenerate_instruction")
    body = prompt.partition("## Action library")[2]
    assert L not in body and "Interpretation" not in body
    assert section(prompt, "Executed actions") == (
        "1. PickPlace(pick_location=[0.035, 0.115], place_location=[0.1, 0.2])"
    )
    assert "- {object} is Entity 2 at [0.035, 0.115]" in section(prompt, "Environment")


def test_both_checks_run_even_when_the_first_finds_a_fault() -> None:
    seer = Seer()
    locate(seer, trial(WRONG))
    assert seer.kinds == [
        "describe",
        "check_descriptions",
        "regenerate_instruction",
        "compare_instructions",
    ]


def test_words_are_compared_with_the_description_of_the_chosen_entity() -> None:
    seer = Seer(check_descriptions='{"verdicts": [{"match": 1, "consistent": false}]}')
    words = Match("the blue one", "semantic_match", 1, "", 0.9, "", "", "red square")
    location = locate(seer, trial(words))
    assert list(labelled(seer.asked[0][1][0])) == ["Picture 1:"]
    assert section(seer.prompts("check_descriptions")[0], "Matches") == (
        'Match 1\nTarget "the blue one": the blue one\nEntity 1: colour 6 0 0'
    )
    assert location.blamed == ("interpreter",)


@pytest.mark.parametrize("sees", [True, False])
def test_without_pictures_the_match_tools_descriptions_are_compared(sees: bool) -> None:
    obs = observation(object=alone(BLUE)) if not sees else Observation("- a block")
    seer = Seer(sees_images=sees)
    location = locate(seer, trial(WRONG, obs=obs))
    assert "describe" not in seer.kinds
    [check] = location.interpreter.matches
    assert (check.target_features, check.entity_features) == ("blue square", "blue square")


def test_no_match_and_unusable_replies_are_not_known() -> None:
    location = locate(Seer(), trial())
    assert location.interpreter == Verdict(None, "no match was made")
    seer = Seer(check_descriptions="yes", compare_instructions="no")
    location = locate(seer, trial(RIGHT))
    assert (location.interpreter.consistent, location.planner.consistent) == (None, None)
    assert location.blamed == ("interpreter", "planner")


def test_a_match_that_was_not_judged_is_not_known() -> None:
    seer = Seer(check_descriptions='{"verdicts": [{"match": 2, "consistent": true}]}')
    location = locate(seer, trial(RIGHT))
    assert location.interpreter.consistent is None


def test_no_plan_is_the_planners_fault_without_asking() -> None:
    seer = Seer()
    location = locate(seer, trial(plan=Plan(error="the reply is empty")))
    assert seer.asked == []
    assert location.blamed == ("planner",)
    assert location.planner.reason == "no plan was made: the reply is empty"


def test_an_empty_plan_is_not_the_planners_fault_for_certain() -> None:
    """By wrong matches, all may seem to lie in place already."""
    empty = Plan(working=Findings((), {}, (WRONG,), "all is in place").values())
    seer = Seer()
    location = locate(seer, trial(plan=empty))
    assert location.planner == Verdict(None, "nothing was planned", original=L)
    assert "regenerate_instruction" not in [kind for kind, _ in seer.asked]


def test_the_whole_plan_is_read_back_where_the_trial_ended_before_its_last_action() -> None:
    back = Action(0, "PickPlace", {"pick_location": [0.1, 0.2], "place_location": [0.035, 0.115]})
    seer = Seer()
    whole = trial(RIGHT, plan=Plan((MOVE, back), working=Findings((), {}, (RIGHT,), "").values()))
    locate(seer, replace(whole, steps=whole.steps[:1]))
    [prompt] = seer.prompts("regenerate_instruction")
    assert section(prompt, "Executed actions").splitlines() == [f"1. {MOVE}", f"2. {back}"]


def test_an_interpreter_that_gave_nothing_is_at_fault_without_asking() -> None:
    """As a planner without a plan is; else a model that calls no tools would never be told."""
    findings = Findings(dialogue="No answer: no tool was called", problem="no tool was called")
    seer = Seer(compare_instructions='{"consistent": false}')
    location = locate(seer, trial(plan=Plan((MOVE,), working=findings.values())))
    assert "check_descriptions" not in seer.kinds
    assert location.blamed == ("interpreter", "planner")
    assert location.interpreter.reason == "nothing was interpreted: no tool was called"


def test_the_evidence_is_json_with_the_quoted_texts() -> None:
    values = locate(Seer(), trial(WRONG)).values()
    assert json.loads(json.dumps(values)) == values
    assert values["blamed"] == ["interpreter"]
    assert values["planner"]["regenerated"] == L and values["planner"]["consistent"] is True
    assert values["interpreter"]["matches"][0]["entity_features"] == "colour 6 0 0"


def test_each_modules_evidence_speaks_of_its_own_check() -> None:
    location = locate(Seer(), trial(WRONG))
    interpreter, planner = location.text("interpreter"), location.text("planner")
    assert interpreter.startswith("Image-description consistency: not consistent\n- {object}")
    assert planner.startswith(f"Action-to-instruction consistency: consistent\nOriginal: {L}")
