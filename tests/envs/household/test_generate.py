import json
from collections import Counter
from importlib.resources import files

import pytest

from journeyman.core.errors import UnknownName
from journeyman.core.values import Task
from journeyman.envs.household import taskset
from journeyman.envs.household.generate import generate, pairs, to_text
from journeyman.envs.household.goals import conditions
from journeyman.envs.household.names import Names
from journeyman.envs.household.recipes import DOORS, RECIPES
from journeyman.envs.household.scene import Goal, Scene
from journeyman.envs.household.state import State

DATA = files("journeyman.envs.household") / "data"
SETS = {name: taskset.load(name) for name in RECIPES}
BASE_MIX = {
    "pick_clean_then_place_in_recep": 13,
    "pick_and_place_with_movable_recep": 10,
    "pick_two_obj_and_place": 10,
    "pick_and_place_simple": 10,
    "look_at_obj_in_light": 7,
}
LONG_MIX = {
    "pick_heat_then_place_in_recep": 28,
    "pick_cool_then_place_in_recep": 16,
    "pick_two_obj_and_place": 6,
}
HELD_OUT = [("base-v0", "base-heldout-v0"), ("long_horizon-v0", "long_horizon-heldout-v0")]
each_set = pytest.mark.parametrize("name", RECIPES)
each_pair = pytest.mark.parametrize(("first", "held_out"), HELD_OUT)


def _goal(task: Task) -> Goal:
    return Goal.from_json(task.spec["goal"])


@each_set
def test_the_bundled_file_is_what_the_generator_writes_byte_for_byte(name: str):
    assert (DATA / f"{name}.json").read_bytes() == to_text(generate(name)).encode()


@each_set
def test_the_file_is_json_with_the_generated_document(name: str):
    document = generate(name)
    assert json.loads(to_text(document)) == json.loads(json.dumps(document))
    assert document["env"] == f"household/{name}"
    assert {task["subset"] for task in document["tasks"]} == {name.removesuffix("-v0")}


@each_set
def test_the_mix_of_task_types_is_the_benchmarks(name: str):
    mix = Counter(task.spec["goal"]["task_type"] for task in SETS[name])
    assert mix == (BASE_MIX if name.startswith("base") else LONG_MIX)
    sliced = {task.spec["goal"]["object_sliced"] for task in SETS[name]}
    assert sliced == {name.startswith("long_horizon")}


@each_set
def test_ids_and_instructions_are_unique_and_scenes_are_reused(name: str):
    tasks = SETS[name]
    assert len({task.id for task in tasks}) == len({task.instruction for task in tasks}) == 50
    scenes = Counter(task.spec["scene"].id for task in tasks)
    assert 17 <= len(scenes) <= 20 and max(scenes.values()) <= 4
    assert len({(task.spec["scene"].id, _goal(task)) for task in tasks}) == 50


@each_pair
def test_a_held_out_set_shares_no_scene_with_its_first_set(first: str, held_out: str):
    one, other = (
        {task.spec["scene"].id: task.spec["scene"] for task in SETS[name]}
        for name in (first, held_out)
    )
    assert one.keys().isdisjoint(other)
    assert {s.objects for s in one.values()}.isdisjoint(s.objects for s in other.values())


@each_pair
def test_a_held_out_set_shares_no_pair_of_object_and_place_vessel_or_lamp(
    first: str, held_out: str
):
    one, other = (
        {pair for task in SETS[name] for pair in pairs(_goal(task))} for name in (first, held_out)
    )
    assert one and other and one.isdisjoint(other)


def test_held_out_pairs_are_new_to_both_first_sets():
    first = {p for a, _ in HELD_OUT for task in SETS[a] for p in pairs(_goal(task))}
    held_out = {p for _, b in HELD_OUT for task in SETS[b] for p in pairs(_goal(task))}
    assert first.isdisjoint(held_out)


def test_pairs_of_a_stack_hold_the_place_and_the_vessel():
    goal = Goal("pick_and_place_with_movable_recep", "Spoon", "Shelf", "Cup")
    assert pairs(goal) == {("Spoon", "Shelf"), ("Spoon", "Cup")}


@each_set
def test_no_condition_of_the_goal_is_met_at_reset(name: str):
    for task in SETS[name]:
        assert conditions(State.of(task.spec["scene"]), _goal(task))[0] == 0, task.id


@each_set
def test_nothing_lies_where_it_would_be_treated_anyway(name: str):
    where = {
        "pick_clean_then_place_in_recep": "SinkBasin",
        "pick_heat_then_place_in_recep": "Microwave",
        "pick_cool_then_place_in_recep": "Fridge",
    }
    for task in SETS[name]:
        goal, scene = _goal(task), task.spec["scene"]
        types = {o.id: o.type for o in scene.objects}
        parents = {types.get(o.parent) for o in scene.objects if o.type == goal.object_target}
        assert where.get(goal.task_type) not in parents, task.id


@each_set
def test_demonstrations_use_the_action_list_and_leave_slack(name: str):
    for task in SETS[name]:
        assert task.demonstration
        assert set(task.demonstration) <= set(Names.of(task.spec["scene"]).actions)
        assert len(task.demonstration) <= 27


@each_set
def test_action_lists_are_about_as_long_as_the_benchmarks(name: str):
    sizes = [len(Names.of(task.spec["scene"]).actions) for task in SETS[name]]
    assert min(sizes) >= 165 and max(sizes) <= 300


def _through_doors(task: Task) -> tuple[bool, bool]:
    """Whether the place has a door, and whether something was taken from behind one."""
    plan = task.demonstration or ()
    taken = any(
        a.startswith("open") and b.startswith(("pick up", "slice"))
        for n, a in enumerate(plan[:-1])
        for b in plan[n + 1 : n + 3]
        if not a.endswith(("Microwave", "Fridge")) or "close" not in plan[n - 1]
    )
    return _goal(task).parent_target in DOORS, taken


@each_set
def test_doors_matter_in_a_fair_share_of_the_tasks(name: str):
    put = sum(_through_doors(task)[0] for task in SETS[name])
    either = sum(any(_through_doors(task)) for task in SETS[name])
    assert put >= 12 and either >= 20


def test_half_of_the_tasks_that_only_move_things_go_through_a_door():
    for name in ("base-v0", "base-heldout-v0"):
        moved = [
            task
            for task in SETS[name]
            if _goal(task).task_type in ("pick_and_place_simple", "pick_two_obj_and_place")
        ]
        assert sum(any(_through_doors(task)) for task in moved) >= 10


def test_every_first_set_uses_all_its_sliceables_or_rooms():
    long_horizon = {_goal(task).object_target for task in SETS["long_horizon-v0"]}
    assert long_horizon == {"Apple", "Bread", "Lettuce", "Potato", "Tomato"}
    rooms = Counter(task.spec["scene"].room for task in SETS["base-v0"])
    assert set(rooms) == {"kitchen", "living_room", "bedroom", "bathroom"}
    assert min(rooms.values()) >= 6


@each_set
def test_another_seed_gives_another_set_of_the_same_mix(name: str):
    document = generate(name, seed=1)
    assert len(document["tasks"]) == 50
    mix = Counter(task["goal"]["task_type"] for task in document["tasks"])
    assert mix == (BASE_MIX if name.startswith("base") else LONG_MIX)
    bundled = {task.spec["scene"].objects for task in SETS[name]}
    assert bundled.isdisjoint(Scene.from_json(s).objects for s in document["scenes"].values())


def test_an_unknown_set_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownName, match="Did you mean 'base-v0'"):
        generate("bse-v0")
