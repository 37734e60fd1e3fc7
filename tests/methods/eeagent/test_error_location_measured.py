"""benchmarks/error_location.py: the faults are as meant, and the truth is the simulator's."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from journeyman.core.messages import Completion, Message, user
from journeyman.envs.tabletop.taskset import setup_of
from journeyman.methods.eeagent.entities import Entity
from journeyman.methods.eeagent.findings import Findings, Match

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "error_location.py"
A, B, C = [0.3, -0.4], [0.5, 0.0], [0.7, 0.4]


@pytest.fixture(scope="module")
def measured() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measured_error_location", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def move(pick: list[float], place: list[float]) -> dict[str, Any]:
    return {"name": "PickPlace", "arguments": {"pick_location": pick, "place_location": place}}


def turn(pick: list[float], angle_deg: float) -> dict[str, Any]:
    return {"name": "PickRotate", "arguments": {"pick_location": pick, "angle_deg": angle_deg}}


def test_one_move_can_be_swapped_or_have_either_end_at_another_entity(measured: ModuleType) -> None:
    assert measured.mistakes([move(A, B)], [(0.31, -0.4), (0.7, 0.4)]) == {
        "another entity is gripped": [[move(C, B)]],
        "it is put at another entity": [[move(A, C)]],
        "pick and place are swapped": [[move(B, A)]],
    }


def test_a_turn_can_have_another_sense_or_size(measured: ModuleType) -> None:
    assert measured.mistakes([turn(A, 60)], []) == {
        "the other way round": [[turn(A, -60)]],
        "another angle": [[turn(A, angle)] for angle in (30, 90, 120, 150)],
    }


def test_a_round_of_two_places_can_be_in_the_wrong_order_or_lack_the_return(
    measured: ModuleType,
) -> None:
    found = measured.mistakes([move(A, B), move(B, C), move(C, A)], [])
    assert found["wrong order"] == [[move(A, C), move(C, B), move(B, A)]]
    assert found["nothing is brought back"] == [[move(A, B), move(B, C)]]
    assert "a thing is left out" not in found


def test_of_two_things_one_can_be_left_out_with_its_way_back(measured: ModuleType) -> None:
    to_a, to_c = [0.6, -0.2], [0.4, 0.2]
    plan = [move(A, to_a), move(C, to_c), move(to_a, A), move(to_c, C)]
    found = measured.mistakes(plan, [])
    assert found["a thing is left out"] == [[plan[1], plan[3]], [plan[0], plan[2]]]
    assert [plan[0], plan[2]] in found["only the first thing"]
    assert found["nothing is brought back"] == [plan[:2]]


class Says:
    """A model that gives the same reply to everything."""

    id = "says"

    def __init__(self, reply: Mapping[str, Any]) -> None:
        self.reply = json.dumps(reply)

    def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
        return Completion(self.reply)


MATCHING = (
    "You are the image matching tool in the environment interpreter of an embodied agent.\n"
    "## Task\nInstruction: Put it.\nTarget: {object}\nLook in: the environment\n"
    "## Entities\n- Entity 1: box\n- Entity 2: box\n"
)
MATCHED = {"target_features": "red", "entity": 1, "entity_features": "pink", "confidence": 0.8}


@pytest.mark.parametrize(
    ("prompt", "entity"),
    [
        (MATCHING, 2),
        (MATCHING.replace("{object}", "{base}"), 1),
        (MATCHING.replace("the environment", "the picture {scene}"), 1),
        (MATCHING.replace("- Entity 2: box\n", ""), 1),
        ("You describe pictures for the image-description consistency check.", 1),
    ],
)
def test_only_the_match_that_is_meant_is_changed(
    measured: ModuleType, prompt: str, entity: int
) -> None:
    forced = measured.Forced(Says(MATCHED), ("{object}", "the environment", [3, 2]))
    said = json.loads(forced.complete([user(prompt)]).text)
    assert said["entity"] == entity
    assert said == MATCHED or said["entity_features"] == said["target_features"]


def test_a_match_is_right_where_the_entity_holds_the_thing_that_is_pictured(
    measured: ModuleType,
) -> None:
    setup = setup_of("visual_manipulation", "L1", 0)
    truth = measured.Truth(setup)
    masks = measured.draw(setup.scene, measured.Camera("top")).masks
    body = setup.goals[0].body
    whole = (0, 0, masks.shape[1], masks.shape[0])
    entities = (
        Entity(1, box=whole, mask=masks == body),
        Entity(2, box=whole, mask=masks == setup.goals[0].base),
        Entity(3, box=whole, mask=np.zeros(masks.shape, bool)),
    )
    findings = Findings(entities)
    right = [
        truth.is_right(Match(target, "image_match", number), findings)
        for target in ("object", "base")
        for number in (1, 2, 3)
    ]
    assert right == [True, False, False, False, True, False]


def test_each_condition_is_kept_as_often_as_wanted_and_the_forced_module_is_blamed(
    measured: ModuleType,
) -> None:
    study = measured.Study("rotate", wanted=1, seed=1)
    study.run()
    assert sorted(case.condition for case in study.cases) == sorted(measured.FAULTY)
    for case in study.cases:
        if case.condition != "neither":
            assert case.location.blamed == measured.FAULTY[case.condition]
