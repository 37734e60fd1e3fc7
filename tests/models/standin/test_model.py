"""The stand-in as a model: names, ids, dispatch, shapes."""

import json

import pytest

from journeyman.core.errors import UnknownName
from journeyman.core.messages import Message, user
from journeyman.core.protocols import Model
from journeyman.methods.elite.replies import (
    CoarsePlanReply,
    DeltaReply,
    FailureReply,
    PlanReply,
    SuccessReply,
)
from journeyman.methods.prompting import template
from journeyman.models.options import ModelOptions
from journeyman.models.standin import RULES, VERSION, StandIn, source_hash
from tests.models.standin.rendering import consolidate_prompt, distil_prompt, plan_prompt

STEPS = [("find a Cup", ""), ("pick up the Cup", "")]
INSTRUCTIONS = [
    "Put a cup on the table.",
    "Put two cups on the table.",
    "Look at a cup by the lamp.",
    "Put a clean cup on the table.",
    "Put a hot slice of apple on the table.",
    "Put a cold apple on the table.",
    "Put a plate with a fork in it on the table.",
    "",
    "What is the meaning of life?",
]


def coarse_prompt(instruction):
    return template("journeyman.methods.elite", "coarse_plan").substitute(
        role="You are a robot.", instruction=instruction, observation="nothing"
    )


PROMPTS = {
    CoarsePlanReply: coarse_prompt,
    PlanReply: plan_prompt,
    SuccessReply: lambda instruction: distil_prompt("success", instruction, STEPS),
    FailureReply: lambda instruction: distil_prompt("failure", instruction, STEPS),
    DeltaReply: lambda instruction: consolidate_prompt(
        [], [("failure_cause", "T", instruction or "x", "Open the drawer before putting it in.")]
    ),
}


def reply(text, schema=None, name="stand-in", seed=0):
    return StandIn(name, ModelOptions(seed=seed)).complete([user(text)], schema=schema)


def test_it_is_a_model_that_sees_no_pictures():
    model = StandIn("stand-in", ModelOptions())
    assert isinstance(model, Model) and not model.sees_images


def test_the_id_names_profile_version_and_source():
    model = StandIn("stand-in/novice", ModelOptions())
    assert model.id == f"stand-in/novice@{VERSION}-{source_hash()}"
    assert model.version == VERSION and len(model.source_hash) == 8
    assert StandIn("stand-in", ModelOptions()).id.startswith("stand-in/default@")


def test_profiles_are_listed_and_an_unknown_one_is_refused():
    assert set(StandIn.profiles()) == {
        "default",
        "ignores-lessons",
        "unlimited-attention",
        "novice",
        "expert",
    }
    with pytest.raises(UnknownName, match="expert"):
        StandIn("stand-in/expret", ModelOptions())


def test_every_rule_has_a_description():
    assert len(RULES) == 12 and all(RULES.values())


@pytest.mark.parametrize("shape", PROMPTS)
@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_replies_parse_to_their_classes_with_and_without_a_schema(shape, instruction):
    text = PROMPTS[shape](instruction)
    bare = reply(text).text
    asked = reply(text, shape.model_json_schema()).text
    assert asked == bare
    shape.model_validate(json.loads(asked))


def test_fields_that_the_schema_does_not_have_are_left_out():
    schema = PlanReply.model_json_schema()
    schema["properties"] = {
        k: schema["properties"][k] for k in ("language_plan", "executable_plan")
    }
    found = json.loads(reply(plan_prompt("Put a cup on the table."), schema).text)
    assert list(found) == ["language_plan", "executable_plan"]


def test_an_unknown_request_gets_an_honest_sentence():
    for text in ("Hello?", "", "## Task\nInstruction: x\n\n## Reply\nOne word."):
        assert "no answer" in reply(text).text


def test_the_prompt_is_found_behind_other_messages():
    model = StandIn("stand-in", ModelOptions())
    prompt = user(coarse_prompt("Put a cup on the table."))
    asked_again = [
        Message("system", ("Be brief.",)),
        prompt,
        Message("assistant", ("not json",)),
        user("This was no JSON. Try again."),
    ]
    assert model.complete(asked_again).text == model.complete([prompt]).text


def test_the_coarse_plan_has_three_to_six_bullets_and_ignores_lessons_and_profile():
    for instruction in INSTRUCTIONS[:7]:
        text = coarse_prompt(instruction)
        bullets = json.loads(reply(text).text)["coarse_plan"]
        assert 3 <= len(bullets) <= 6
        assert json.loads(reply(text, name="stand-in/novice").text)["coarse_plan"] == bullets


def test_coarse_plans_are_akin_by_procedure_and_worded_in_several_ways():
    things = ["cup", "plate", "fork", "apple", "pan", "ladle"]
    cleaning = {reply(coarse_prompt(f"Put a clean {t} on the table.")).text for t in things}
    blind = {text.replace(thing, "thing") for text in cleaning for thing in things if thing in text}
    assert len(blind) > 2
    assert all("sink" in text or "water" in text or "wash" in text for text in cleaning)


def test_usage_is_estimated_from_the_lengths():
    text = coarse_prompt("Put a cup on the table.")
    completion = reply(text)
    assert completion.usage.prompt_tokens == len(text) // 4
    assert completion.usage.completion_tokens == len(completion.text) // 4
    assert completion.model == StandIn("stand-in", ModelOptions()).id


def test_equal_seeds_answer_equally():
    for shape, prompt in PROMPTS.items():
        text = prompt("Put a clean cup on the table.")
        assert reply(text, seed=3).text == reply(text, seed=3).text, shape
