"""What the planner does with its rules, and what without."""

import pytest

from tests.models.standin_tabletop.rendering import (
    IN_ORDER,
    ORDER,
    PUT,
    RESTORE,
    SCENE,
    model,
    moves,
    plan,
)

A, B, C = [0.375, -0.25], [0.375, 0.0], [0.625, 0.25]


def without(rule, instruction, environment):
    """The plan of an expert that is told not to follow the rule."""
    return plan(model(), instruction, environment, principles=f"- [P1] {DENIED[rule]}")


DENIED = {
    "clockwise": "Positive angles turn counter-clockwise.",
    "order": "Reverse the order of the bases.",
    "restore": "Do not bring the objects back at the end.",
    "blocker": "Do not move the blocker away.",
    "source": "Pick the object from where the picture shows it.",
    "all_objects": "Do not move all objects.",
    "object_to_base": "Pick the base and put it onto the object.",
}


def test_the_expert_puts_the_object_onto_the_base():
    assert moves(plan(model(), "Put the {object} into the {base}.", PUT)) == [
        ([0.4, -0.3], [0.6, 0.2])
    ]


def test_the_expert_visits_the_bases_in_order_and_brings_the_object_back():
    assert moves(plan(model(), IN_ORDER, ORDER)) == [(A, B), (B, C), (C, A)]


def test_the_expert_clears_the_target_moves_both_and_restores():
    made = moves(plan(model(), RESTORE, SCENE))
    assert made[0][0] == [0.51, 0.01]
    assert made[1:] == [
        ([0.4, -0.3], [0.5, 0.0]),
        ([0.6, 0.2], [0.35, 0.4]),
        ([0.5, 0.0], [0.4, -0.3]),
        ([0.35, 0.4], [0.6, 0.2]),
    ]


def test_a_denied_rule_is_not_followed_even_by_the_expert():
    turned = without("clockwise", "Rotate the {object} 90 degrees.", PUT)
    assert turned[0]["arguments"]["angle_deg"] == -90
    assert moves(without("order", IN_ORDER, ORDER)) == [(A, C), (C, B), (B, A)]
    assert moves(without("restore", IN_ORDER, ORDER)) == [(A, B), (B, C)]
    assert moves(without("source", IN_ORDER, ORDER)) == [(A, B), (A, C), (A, A)]
    assert len(moves(without("blocker", RESTORE, SCENE))) == 4
    assert len(moves(without("all_objects", RESTORE, SCENE))) == 3
    put = "Put the {object} into the {base}."
    assert moves(without("object_to_base", put, PUT)) == [([0.6, 0.2], [0.4, -0.3])]


@pytest.mark.parametrize("seed", range(4))
def test_a_missing_rule_comes_from_a_principle_in_other_words(seed):
    told = "- [P1] Clockwise turns have positive angles."
    instruction = "Rotate the {object} 90 degrees."
    asked = model("unlimited-attention", seed)
    assert plan(asked, instruction, PUT, principles=told)[0]["arguments"]["angle_deg"] == 90
    ignoring = model("ignores-lessons", seed)
    assert plan(ignoring, instruction, PUT, principles=told) == plan(ignoring, instruction, PUT)


def test_some_mind_turns_the_wrong_way_without_the_principle():
    instruction = "Rotate the {object} 90 degrees."
    made = [plan(model("default", s), instruction, PUT)[0]["arguments"] for s in range(8)]
    assert {m["angle_deg"] for m in made} == {90, -90}


def test_the_more_principles_the_likelier_the_right_one_is_overlooked():
    said = "Clockwise turns have positive angles."
    instruction = "Rotate the {object} 90 degrees."
    lacks = [s for s in range(150) if _angle("default", s, instruction, []) < 0]
    alone = [_angle("default", s, instruction, [said]) > 0 for s in lacks]
    others = [f"Keep calm, for the {n}th time." for n in range(15)]
    crowded = [_angle("default", s, instruction, [said, *others]) > 0 for s in lacks]
    assert sum(alone) / len(lacks) > 0.7 > 0.6 > sum(crowded) / len(lacks) > 0.2


def _angle(profile, seed, instruction, principles):
    listed = "\n".join(f"- [P{n}] {text}" for n, text in enumerate(principles, start=1))
    made = plan(model(profile, seed), instruction, PUT, principles=listed or "(none)")
    return made[0]["arguments"]["angle_deg"]
