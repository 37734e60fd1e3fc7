"""Instructions to intents."""

import json
import os
from pathlib import Path

import pytest

from journeyman.envs.household.taskset import load
from journeyman.models.standin.grounding import Intent, ground

KINDS = {
    "pick_and_place_simple": "simple",
    "pick_two_obj_and_place": "two",
    "look_at_obj_in_light": "look",
    "pick_clean_then_place_in_recep": "clean",
    "pick_heat_then_place_in_recep": "heat",
    "pick_cool_then_place_in_recep": "cool",
    "pick_and_place_with_movable_recep": "movable",
}
BASINS = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}


def first(intent: Intent):
    return (
        intent.kind,
        *(group[0] if group else "" for group in (intent.thing, intent.place, intent.vessel)),
        intent.sliced,
    )


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Rinse off a ladle and move it to the table.", ("clean", "Ladle", "DiningTable", "", 0)),
        ("Put two spray bottles in the cabinet", ("two", "SprayBottle", "Cabinet", "", 0)),
        ("Put the books on the desk.", ("two", "Book", "Desk", "", 0)),
        ("Put two sets of keys on the couch.", ("two", "KeyChain", "Sofa", "", 0)),
        ("Put a set of keys on the couch.", ("simple", "KeyChain", "Sofa", "", 0)),
        ("examine the bat by the lamp", ("look", "BaseballBat", "", "", 0)),
        ("Put a pan with a potato in it in the fridge.", ("movable", "Potato", "Fridge", "Pan", 0)),
        ("Put a spoon in a bowl on the shelf.", ("movable", "Spoon", "Shelf", "Bowl", 0)),
        ("Chill a slice of bread, then place it on the table.",
         ("cool", "Bread", "DiningTable", "", 1)),
        ("Heat a potato in the microwave and put it in the sink.",
         ("heat", "Potato", "Sink", "", 0)),
        ("Put a clean mug under the coffee maker.", ("clean", "Mug", "CoffeeMachine", "", 0)),
        ("Put the soap in the drawer to the right of the sink.",
         ("simple", "SoapBar", "Drawer", "", 0)),
        ("Move the book from the bed to the night stand.", ("simple", "Book", "SideTable", "", 0)),
        ("Although there is a bowl in the cupboard, put a cup on the table.",
         ("simple", "Cup", "DiningTable", "", 0)),
        ("Throw away a heated slice of potato.", ("heat", "Potato", "GarbageCan", "", 1)),
    ],
)  # fmt: skip
def test_an_instruction_is_understood(instruction, expected):
    assert first(ground(instruction)) == (*expected[:4], bool(expected[4]))


def test_an_ambiguous_word_has_candidates_and_the_action_list_narrows_them():
    assert ground("Put a cup on the table.").place[:2] == ("DiningTable", "SideTable")
    names = frozenset({"Cup", "SideTable"})
    assert ground("Put a cup on the table.", names).place == ("SideTable",)


def test_both_lamps_come_into_question_for_a_lamp():
    assert set(ground("Hold a book and turn on the lamp.").lamp) == {"FloorLamp", "DeskLamp"}


@pytest.mark.parametrize("text", ["", "Hello.", "the the the", "§§§ ,,, ...", "put " * 300])
def test_any_text_gives_an_intent(text):
    assert isinstance(ground(text), Intent)


def share(tasks):
    right = 0
    for instruction, kind, goal in tasks:
        intent = ground(instruction)
        place = BASINS.get(goal["parent_target"], goal["parent_target"])
        right += (
            intent.kind == KINDS[kind]
            and intent.thing[:1] == (goal["object_target"],)
            and (not place or intent.place[:1] == (place,))
            and (not goal["mrecep_target"] or intent.vessel[:1] == (goal["mrecep_target"],))
            and (kind != "look_at_obj_in_light" or goal["toggle_target"] in intent.lamp)
            and intent.sliced == bool(goal["object_sliced"])
        )
    return right / len(tasks)


@pytest.mark.parametrize("subset", ["base-v0", "long_horizon-v0"])
def test_nearly_all_bundled_instructions_are_understood(subset):
    tasks = [
        (task.instruction, task.spec["goal"]["task_type"], task.spec["goal"])
        for task in load(subset)
    ]
    assert share(tasks) >= 0.9


def test_most_real_instructions_of_the_base_subset_are_understood():
    data = os.environ.get("JOURNEYMAN_DATA")
    if not data:
        pytest.skip("JOURNEYMAN_DATA is not set")
    file = Path(data) / "embodiedbench" / "eb_alfred" / "tasks.json"
    entries = json.loads(file.read_text(encoding="utf-8"))["base"]
    tasks = [(e["instruction"], e["task_type"], e["pddl_params"]) for e in entries]
    assert share(tasks) >= 0.9
