import random
import re

import pytest

from journeyman.envs.household import taskset, wording
from journeyman.envs.household.goals import TASK_TYPES
from journeyman.envs.household.recipes import RECIPES
from journeyman.envs.household.scene import Goal, Scene, SceneObject
from journeyman.envs.household.vocab import PICKUPABLE, SLICEABLE
from journeyman.envs.household.wording import WordingError, instruction, plural, referents

TASKS = [task for name in RECIPES for task in taskset.load(name)]
APPLIANCE_WORDS = {"SinkBasin", "Microwave", "Fridge"}
"""Sentences for washing, heating and cooling may name where that is done."""


def room(*types: str, kind: str = "kitchen") -> Scene:
    objects = [SceneObject(f"{t}|{n}", t, (n, 0.0, 0.0)) for n, t in enumerate(types)]
    return Scene("room", kind, tuple(objects))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("apple", "apples"),
        ("chopping knife", "chopping knives"),
        ("loaf of bread", "loaves of bread"),
        ("slice of tomato", "slices of tomato"),
        ("box of tissues", "boxes of tissues"),
        ("toilet roll", "toilet rolls"),
        ("potato", "potatoes"),
        ("watch", "watches"),
    ],
)
def test_plurals(noun: str, several: str):
    assert plural(noun) == several


def test_a_noun_that_means_two_classes_of_the_room_is_not_used():
    scene = room("Vase", "DiningTable", "CoffeeTable", kind="living_room")
    assert referents("table", scene) == {"DiningTable", "CoffeeTable"}
    goal = Goal("pick_and_place_simple", "Vase", "CoffeeTable")
    for seed in range(60):
        assert "coffee table" in instruction(goal, scene, random.Random(seed))


def test_the_bare_word_lamp_is_used_only_where_there_is_one_kind_of_lamp():
    goal = Goal("look_at_obj_in_light", "Book", toggle_target="FloorLamp")
    alone = room("Book", "FloorLamp", kind="bedroom")
    both = room("Book", "FloorLamp", "DeskLamp", kind="bedroom")
    sentences = [instruction(goal, alone, random.Random(seed)) for seed in range(60)]
    assert any(" the lamp" in sentence for sentence in sentences)
    for seed in range(60):
        assert " the lamp" not in instruction(goal, both, random.Random(seed))


def test_two_things_are_asked_for_in_the_same_place_where_there_are_several():
    goal = Goal("pick_two_obj_and_place", "Fork", "Drawer")
    scene = room("Fork", "Fork", "Drawer", "Drawer")
    for seed in range(60):
        assert "in the same drawer" in instruction(goal, scene, random.Random(seed))


def test_what_goes_into_a_place_is_never_only_brought_to_it():
    goal = Goal("pick_and_place_simple", "Apple", "Fridge")
    for seed in range(100):
        sentence = instruction(goal, room("Apple", "Fridge"), random.Random(seed))
        assert re.search(r" in the (fridge|refrigerator)", sentence), sentence


def test_a_class_without_a_word_of_its_own_is_refused():
    goal = Goal("pick_and_place_simple", "Apple", "TVStand")
    with pytest.raises(WordingError, match="no noun means only TVStand"):
        instruction(goal, room("Apple", "TVStand"), random.Random(0))


def test_every_pickupable_class_has_a_noun_and_every_sliceable_one_a_word_for_slices():
    assert set(PICKUPABLE) == set(wording.OBJECT_NOUNS)
    assert set(SLICEABLE) == set(wording.SLICE_WORDS)


def test_every_task_type_has_at_least_ten_sentences():
    assert set(wording.TEMPLATES) == set(TASK_TYPES)
    for sentences in wording.TEMPLATES.values():
        assert len(set(sentences)) >= 10


def _named_classes(sentence: str, scene: Scene) -> list[frozenset[str]]:
    """What the nouns of a sentence may mean in the scene, longest nouns first."""
    meanings: dict[str, set[str]] = {}
    for thing in scene.objects:
        words = set(wording.nouns(thing.type, scene.room))
        if thing.type in wording.SLICE_WORDS:
            words.add(wording.SLICE_WORDS[thing.type])
        for word in words:
            meanings.setdefault(word, set()).add(thing.type)
            meanings.setdefault(plural(word), set()).add(thing.type)
    longest_first = sorted(meanings, key=len, reverse=True)
    pattern = r"\b(" + "|".join(map(re.escape, longest_first)) + r")\b"
    text = sentence[0].lower() + sentence[1:]
    return [frozenset(meanings[noun]) for noun in re.findall(pattern, text)]


def test_the_words_of_every_task_decide_its_classes():
    for task in TASKS:
        goal = Goal.from_json(task.spec["goal"])
        scene = task.spec["scene"]
        named = _named_classes(task.instruction, scene)
        assert all(len(meaning) == 1 for meaning in named), task.instruction
        classes = {kind for meaning in named for kind in meaning}
        targets = {
            goal.object_target,
            goal.parent_target,
            goal.mrecep_target,
            goal.toggle_target,
        } - {""}
        assert targets <= classes, task.instruction
        allowed = targets | (APPLIANCE_WORDS if goal.task_type in _TREATING else set())
        assert classes <= allowed, task.instruction


_TREATING = {
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
}


def test_the_words_tell_two_from_one_and_a_slice_from_the_whole():
    for task in TASKS:
        goal = Goal.from_json(task.spec["goal"])
        words = task.instruction.lower()
        two = re.search(r"\b(two|pair|both)\b", words) is not None
        if goal.task_type == "pick_two_obj_and_place":
            assert two, task.instruction
        elif goal.task_type != "pick_and_place_with_movable_recep":
            assert not two, task.instruction
        assert goal.object_sliced == bool(re.search(r"\b(slice|cut up)", words)) or (
            goal.object_sliced and "sliced" in words
        )


def test_the_words_tell_washing_heating_and_cooling_apart():
    words = {
        "pick_clean_then_place_in_recep": r"wash|rins|clean|water",
        "pick_heat_then_place_in_recep": r"heat|warm|\bhot\b|microwave .* and|cook",
        "pick_cool_then_place_in_recep": r"cool|chill|cold|refrigerate",
        "look_at_obj_in_light": r"lamp",
    }
    for task in TASKS:
        kind = task.spec["goal"]["task_type"]
        for other, pattern in words.items():
            if other == kind:
                assert re.search(pattern, task.instruction.lower()), task.instruction
        if kind == "pick_heat_then_place_in_recep":
            cold = words["pick_cool_then_place_in_recep"]
            assert not re.search(cold, task.instruction.lower()), task.instruction
        if kind == "pick_cool_then_place_in_recep":
            hot = r"heat|warm|\bhot\b|cook"
            assert not re.search(hot, task.instruction.lower()), task.instruction


def test_no_instruction_shows_a_class_name_or_an_instance_number():
    for task in TASKS:
        assert not re.search(r"[a-z][A-Z]|_|\d", task.instruction), task.instruction
        assert task.instruction[0].isupper() and task.instruction[-1] in ".?"
        assert "{" not in task.instruction
