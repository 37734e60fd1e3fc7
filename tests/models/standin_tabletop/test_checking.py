"""The consistency checks."""

import pytest

from tests.models.standin_tabletop.rendering import (
    IN_ORDER,
    ORDER,
    PUT,
    RED,
    RESTORE,
    RULES,
    SCENE,
    YELLOW,
    answer,
    model,
    plan,
    rendered,
    square,
)


def describe(*pictures):
    shown = [(f"Picture {n}:", picture) for n, picture in enumerate(pictures, start=1)]
    said = answer(model(), rendered("describe"), shown)["pictures"]
    return [item["features"] for item in said]


def consistent(target, entity):
    block = f"Match 1\nTarget {{object}}: {target}\nEntity 2: {entity}"
    text = rendered("check_descriptions", instruction="Put it.", matches=block)
    [verdict] = answer(model(), text)["verdicts"]
    return verdict["consistent"], verdict["reason"]


def test_each_picture_is_described_by_itself_with_every_group_of_features():
    plain, striped = describe(square(RED), square(RED, YELLOW))
    assert plain.startswith("colours: red; pattern: plain; outline: square; holes: no hole")
    assert striped.startswith("colours: red and yellow; pattern: striped; outline: square")


def test_the_check_finds_what_a_naive_match_missed():
    plain, striped = describe(square(RED), square(RED, YELLOW))
    assert consistent(plain, plain) == (True, "Alike.")
    same, reason = consistent(plain, striped)
    assert not same and "pattern" in reason


def test_words_are_checked_against_the_description():
    _, striped = describe(square(RED), square(RED, YELLOW))
    assert consistent("the red and yellow stripe object", striped)[0]
    assert not consistent("the blue object", striped)[0]


def regenerated(environment, *actions):
    said = "\n".join(f"{n}. {action}" for n, action in enumerate(actions, start=1))
    text = rendered("regenerate_instruction", rules=RULES, environment=environment, actions=said)
    return answer(model(), text)["instruction"]


def same(original, other):
    text = rendered("compare_instructions", original=original, regenerated=other)
    return answer(model(), text)["consistent"]


def written(actions):
    for action in actions:
        given = ", ".join(f"{key}={value}" for key, value in action["arguments"].items())
        yield f"{action['name']}({given})"


@pytest.mark.parametrize(
    ("instruction", "environment"),
    [
        ("Put the {object} into the {base}.", PUT),
        ("Rotate the {object} 90 degrees.", PUT),
        (IN_ORDER, ORDER),
        ("Rearrange to this {scene}.", SCENE),
        (RESTORE, SCENE),
    ],
)
def test_the_actions_of_the_expert_read_back_as_the_instruction(instruction, environment):
    actions = written(plan(model(), instruction, environment))
    assert same(instruction, regenerated(environment, *actions))


@pytest.mark.parametrize(
    ("instruction", "environment", "denied"),
    [
        ("Put the {object} into the {base}.", PUT, "Pick the base and put it onto the object."),
        ("Rotate the {object} 90 degrees.", PUT, "Positive angles turn counter-clockwise."),
        (IN_ORDER, ORDER, "Reverse the order of the bases."),
        (IN_ORDER, ORDER, "Do not bring the objects back at the end."),
        (RESTORE, SCENE, "Do not move the blocker away."),
        (RESTORE, SCENE, "Do not move all objects."),
        (RESTORE, SCENE, "Pick the object from where the picture shows it."),
    ],
)
def test_a_broken_rule_shows_in_what_the_actions_read_back_as(instruction, environment, denied):
    made = plan(model(), instruction, environment, principles=f"- [P1] {denied}")
    assert not same(instruction, regenerated(environment, *written(made)))
