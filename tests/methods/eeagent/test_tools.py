"""The interpreter's tools: what calls lead to, and what wrong calls are answered with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from journeyman.core.messages import Completion, Message, ToolCall
from journeyman.core.values import Observation, TaskView
from journeyman.methods.eeagent.entities import Entity, GroundTruth
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.methods.eeagent.interpreter import Interpreter
from journeyman.methods.eeagent.matching import Where, scene_match
from journeyman.methods.eeagent.memory import LongShortMemory
from journeyman.methods.eeagent.strategies import Asking
from journeyman.models.roles import ModelRoles
from tests.methods.eeagent.seer import (
    BLUE,
    GREEN,
    RED,
    Seer,
    alone,
    call,
    labelled,
    match,
    observation,
    picture,
)
from tests.support.scripted import section

DONE = json.dumps({"interpretation": "done"})


def interpret(seer: Seer, instruction: str, obs: Observation, reasks: int = 2) -> Findings:
    interpreter = Interpreter(Asking(ModelRoles(seer), reasks), GroundTruth())
    return interpreter.interpret(TaskView(instruction), obs, LongShortMemory())


def chosen(findings: Findings) -> dict[str, int]:
    return {found.name: found.entity for found in findings.matches}


def test_the_picture_decides_which_entity_is_matched() -> None:
    for shade, number in {RED: 1, BLUE: 2, GREEN: 3}.items():
        findings = interpret(Seer(), "Put the {object} away.", observation(object=alone(shade)))
        assert chosen(findings) == {"{object}": number}
        assert findings.problem is None and findings.interpretation == "All is matched."


def test_other_calls_lead_to_other_findings() -> None:
    obs = observation(object=alone(BLUE), base=alone(GREEN))
    calls = {
        call("image_match", target="object"): {"{object}": 2},
        call("image_match", target="{base}"): {"{base}": 3},
        call("semantic_match", description="the red one"): {'"the red one"': 1},
    }
    for asked, expected in calls.items():
        seer = Seer(interpret=[call("extract_env_entities"), asked, DONE])
        assert chosen(interpret(seer, "Put {object} into {base}.", obs)) == expected


def test_matches_carry_locations_in_metres_confidence_and_descriptions() -> None:
    findings = interpret(Seer(), "Turn the {object}.", observation(object=alone(GREEN)))
    assert findings.line(findings.matches[0]) == (
        "{object} is Entity 3 at [0.095, 0.195], confidence 1.00"
    )
    assert findings.matches[0].target_features == "colour 0 5 0"
    assert "Target features: colour 0 5 0\nEntity features: colour 0 5 0" in findings.dialogue


def test_what_is_wrong_with_a_call_is_said_and_the_dialogue_goes_on() -> None:
    """Too early, unknown tool, unknown picture, twice the same: then it gets it right."""
    seer = Seer(
        interpret=[
            call("image_match", target="object"),
            '{"name": "look", "arguments": {}}',
            call("extract_env_entities"),
            call("image_match", target="subject"),
            call("extract_env_entities"),
            call("image_match", target="object"),
            DONE,
        ]
    )
    findings = interpret(seer, "Put the {object} away.", observation(object=alone(BLUE)), 4)
    assert chosen(findings) == {"{object}": 2} and findings.problem is None
    for said in (
        "no entities were extracted yet; call extract_env_entities first",
        "there is no picture {subject}; the pictures are: object",
        "was called with these arguments before",
        "Answer: done",
    ):
        assert said in findings.dialogue


def test_half_characters_in_a_call_reach_no_dialogue() -> None:
    """They can be neither stored nor sent, and the dialogue is both."""
    odd = Completion("", tool_calls=(ToolCall("a", "image_match", {"half \ud83d": "\ud83d"}),))

    class Odd(Seer):
        def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
            reply = super().complete(messages, **options)
            return odd if len(self.asked) == 1 else reply

    findings = interpret(Odd(), "Put the {object} away.", observation(object=alone(BLUE)), 4)
    assert "Call: image_match(half ?=" in findings.dialogue
    assert findings.dialogue.encode()


def test_an_answer_without_any_call_does_not_count() -> None:
    findings = interpret(Seer(interpret=DONE), "Put the {object} away.", observation())
    assert findings.interpretation == "" and findings.matches == ()
    assert "no tool was called before the answer" in str(findings.problem)


def test_what_was_found_before_a_model_lost_its_thread_is_kept() -> None:
    seer = Seer(
        interpret=[call("extract_env_entities"), call("image_match", target="object"), "hm."]
    )
    findings = interpret(seer, "Put the {object} away.", observation(object=alone(RED)))
    assert chosen(findings) == {"{object}": 1}
    assert findings.problem is not None and "No answer:" in findings.dialogue


def test_a_number_that_is_no_entity_is_asked_for_again() -> None:
    seer = Seer(image_match=[json.dumps(match(7)), json.dumps(match(3))])
    findings = interpret(seer, "Put the {object} away.", observation(object=alone(RED)))
    assert chosen(findings) == {"{object}": 3}
    again = [messages for kind, messages in seer.asked if kind == "image_match"][1]
    assert "there is no entity 7; the entities are 1, 2, 3, and 0 for none" in again[-1].text


def test_a_match_reply_that_stays_unusable_matches_nothing() -> None:
    seer = Seer(image_match="it is the red one")
    findings = interpret(seer, "Put the {object} away.", observation(object=alone(RED)))
    [found] = findings.matches
    assert found.entity == 0 and "could not be used" in found.reason
    assert findings.line(found) == "{object} is no entity that was found"


def test_pictures_follow_the_lines_that_name_them() -> None:
    seer = Seer()
    interpret(seer, "Put {base} on {object}.", observation(object=alone(RED), base=alone(BLUE)))
    [opening, *_] = [messages for kind, messages in seer.asked if kind == "interpret"]
    assert list(labelled(opening[0])) == ["Environment:", "Picture {base}:", "Picture {object}:"]
    [base, _] = [messages for kind, messages in seer.asked if kind == "image_match"]
    shown = labelled(base[0])
    assert list(shown) == ["Target {base}:", "Entity 1:", "Entity 2:", "Entity 3:"]
    assert {picture.shape for picture in shown.values()} == {(56, 56, 3)}  # 4 pixels by 14
    assert (shown["Target {base}:"] == shown["Entity 2:"]).all()


def test_a_model_that_does_not_see_is_sent_no_pictures() -> None:
    seer = Seer(sees_images=False, image_match=json.dumps(match(1)))
    interpret(seer, "Put the {object} away.", observation(object=alone(RED)))
    assert not any(message.images for _, messages in seer.asked for message in messages)


def test_scene_match_pairs_every_pictured_entity_and_says_where_it_is_shown() -> None:
    scene = picture({BLUE: (1, 9), RED: (15, 1)})
    findings = interpret(Seer(), "Rearrange to this {scene}.", observation(scene=scene))
    assert chosen(findings) == {"{scene/1}": 2, "{scene/2}": 1}
    assert [findings.line(m) for m in findings.matches] == [
        "{scene/1} is Entity 2 at [0.035, 0.115], confidence 1.00; "
        "{scene} shows it at [0.105, 0.025]",
        "{scene/2} is Entity 1 at [0.035, 0.035], confidence 1.00; "
        "{scene} shows it at [0.025, 0.165]",
    ]


def test_a_closer_look_at_a_pictured_entity_keeps_where_the_scene_shows_it() -> None:
    seer = Seer(
        interpret=[
            call("extract_env_entities"),
            call("scene_match", scene="scene"),
            call("image_match", target="scene/1"),
            DONE,
        ],
        image_match=[json.dumps(match(2)), json.dumps(match(3, 0.7))],
    )
    scene = picture({BLUE: (1, 9)})
    findings = interpret(seer, "Rearrange to this {scene}.", observation(scene=scene))
    assert [findings.line(m) for m in findings.matches] == [
        "{scene/1} is Entity 3 at [0.095, 0.195], confidence 0.70; "
        "{scene} shows it at [0.105, 0.025]"
    ]


def test_no_two_pictured_entities_get_the_same_entity() -> None:
    """The model wants Entity 1 for both; the surer match keeps it."""

    def reply(messages: Sequence[Message]) -> str:
        target = section(messages[0].text, "Task").splitlines()[1]
        left = "Entity 1:" in messages[0].text
        sure = 0.9 if "scene/2" in target else 0.4
        return json.dumps(match(1 if left else 3, sure))

    scene = picture({BLUE: (1, 9), RED: (15, 1)})
    findings = interpret(
        Seer(image_match=reply), "Rearrange to this {scene}.", observation(scene=scene)
    )
    assert chosen(findings) == {"{scene/1}": 3, "{scene/2}": 1}


def test_one_to_one_matching_ends_where_targets_outnumber_the_entities() -> None:
    targets, where = [Entity(n) for n in (1, 2, 3)], Where([Entity(1), Entity(2)])

    def first(target: Entity, candidates: Where) -> Match:
        number = candidates.entities[0].number if candidates.entities else 0
        return Match(str(target.number), "image_match", number, confidence=0.1 * target.number)

    made = scene_match(targets, where, first)
    assert {number: found.entity for number, found in made.items()} == {1: 0, 2: 2, 3: 1}


def test_what_looks_like_nothing_is_matched_by_the_words_for_its_look() -> None:
    seer = Seer(
        image_match=json.dumps(match(0, 0.1, "a red square")),
        semantic_match=json.dumps(match(1, 0.6)),
    )
    scene = picture({RED: (1, 9)})
    findings = interpret(seer, "Rearrange to this {scene}.", observation(scene=scene))
    assert chosen(findings) == {"{scene/1}": 1}
    assert 'Target: "a red square"' in seer.prompts("semantic_match")[0]


def test_words_can_be_looked_up_in_a_picture_and_its_entity_in_the_environment() -> None:
    scene = picture({BLUE: (1, 9), RED: (15, 1)})
    seer = Seer(
        interpret=[
            call("extract_env_entities"),
            call("semantic_match", description="the blue thing", scene="scene"),
            call("image_match", target="scene/1"),
            call("image_match", target="scene/9"),
            DONE,
        ]
    )
    findings = interpret(seer, "Put the blue thing in {scene} away.", observation(scene=scene))
    assert "Look in: the picture {scene}" in seer.prompts("semantic_match")[0]
    assert chosen(findings) == {'"the blue thing"': 1, "{scene/1}": 2}
    assert '"the blue thing" is Entity 1 of the picture {scene}' in findings.text
    assert "the picture {scene} has no entity 9; it has 2" in findings.dialogue


def test_an_environment_in_words_is_matched_by_words() -> None:
    obs = Observation("On the table:\n- a red block at [0.4, 0.1]\n- a pan at [0.6, 0.2]")
    seer = Seer(
        interpret=[
            call("extract_env_entities"),
            call("image_match", target="object"),
            call("semantic_match", description="the pan"),
            DONE,
        ],
        semantic_match=json.dumps(match(2, 0.8)),
    )
    findings = interpret(seer, "Put the block into the pan.", obs)
    assert chosen(findings) == {'"the pan"': 2}
    assert "there is no picture {object}; the pictures are: none" in findings.dialogue
    assert "- Entity 2: a pan at [0.6, 0.2]" in findings.text
    assert findings.text.startswith("Observation: On the table:")


def test_findings_come_back_from_their_json_values() -> None:
    scene = picture({BLUE: (1, 9), RED: (15, 1)})
    findings = interpret(Seer(), "Rearrange to this {scene}.", observation(scene=scene))
    values = findings.values()
    read = Findings.read(json.loads(json.dumps(values)))
    assert read.values() == values and read.matches == findings.matches
    assert read.text == findings.text
    assert np.array_equal(read.entities[0].mask, findings.entities[0].mask)
    assert Findings.read({}).matches == ()
