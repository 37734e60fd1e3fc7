"""Each repair of the data, on a floor plan and a trial by hand."""

import copy

import pytest

from journeyman.envs.adapters.eb_alfred_replay.env import problems_of
from journeyman.envs.adapters.eb_alfred_replay.expert import skills_of
from journeyman.envs.adapters.eb_alfred_replay.files import Plan, Trial
from journeyman.envs.adapters.eb_alfred_replay.scenes import goal_of, position_in, scene_of
from journeyman.envs.household.names import Names
from tests.envs.adapters.small_data import (
    CABINET,
    COUNTER,
    DESK,
    FORK,
    FRIDGE,
    PLAN,
    SINK,
    SINK_AGAIN,
    folder,
    trial,
)

PUT = "put down the object in hand"


def placed(object_type, x, y, z, receptacle, cost=0.1):
    return {
        "type": object_type,
        "position": [x, y, z],
        "receptacle": receptacle,
        "inference_cost": cost,
    }


def built(plan=None, **changes):
    parsed = Trial.model_validate(trial(**changes))
    replayed = scene_of(parsed, Plan.model_validate(plan or PLAN))
    return parsed, replayed, {o.id: o for o in replayed.scene.objects}


def skills(**changes):
    parsed, replayed, _ = built(**changes)
    return skills_of(parsed, replayed.scene, Names.of(replayed.scene), replayed.aliases)


def test_two_spellings_of_a_sink_are_one_and_keep_the_id_that_the_plan_names():
    _, replayed, objects = built()
    assert SINK_AGAIN in objects and SINK not in objects
    assert replayed.aliases == {SINK: SINK_AGAIN}
    _, replayed, objects = built(expert_object_actions=[[0, "PickupObject", FORK, None]])
    assert SINK in objects and replayed.aliases == {SINK_AGAIN: SINK}


def test_what_lies_in_the_other_spelling_lies_in_the_one_sink():
    things = [placed("Egg", -3, 0.8, -3, SINK)]
    _, _, objects = built(objects=[*trial()["objects"], *things])
    [egg] = [o for o in objects.values() if o.type == "Egg" and o.position[0] == -3]
    assert egg.parent == SINK_AGAIN


def test_sinks_further_apart_stay_two():
    plan = copy.deepcopy(PLAN)
    plan["receptacles"][SINK_AGAIN]["position"] = [-2.0, 0.7, -3.0]
    _, replayed, objects = built(plan)
    assert {SINK, SINK_AGAIN} <= set(objects) and replayed.aliases == {}


def test_vessels_among_the_floor_plans_receptacles_belong_to_other_trials():
    _, _, objects = built()
    assert not [o for o in objects.values() if o.type == "Bowl"]


def test_a_faucet_hangs_over_each_sink_and_a_lamp_stands_on_the_first_desk():
    _, _, objects = built()
    [faucet] = [o for o in objects.values() if o.type == "Faucet"]
    assert faucet.position == pytest.approx((-2.99, 1.0, -3.1))
    [lamp] = [o for o in objects.values() if o.type == "DeskLamp"]
    assert lamp.position == pytest.approx((3.0, 0.1, -3.0))
    assert not [o for o in objects.values() if o.type == "FloorLamp"]


def test_the_plan_gives_faucet_and_lamp_their_id_and_place():
    faucet, lamp = "Faucet|-03.10|+01.00|-03.20", "DeskLamp|+01.00|+00.70|+02.00"
    _, _, objects = built(
        expert_object_actions=[
            [0, "ToggleObjectOn", faucet, None],
            [1, "ToggleObjectOn", lamp, None],
        ]
    )
    assert [o.id for o in objects.values() if o.type in ("Faucet", "DeskLamp")] == [faucet, lamp]
    assert objects[faucet].position == (-3.1, 1.0, -3.2)


def test_touched_things_have_the_plans_id_and_others_one_spelt_from_their_place():
    _, _, objects = built()
    assert objects[FORK].position == (0.104, 0.951, 3.004)
    assert objects["Egg|+03.00|+00.80|+03.00"].parent == FRIDGE


def test_two_things_in_one_place_get_two_ids():
    twins = [placed("Egg", 1, 1, 1, COUNTER), placed("Egg", 1, 1, 1, COUNTER)]
    _, _, objects = built(objects=[*trial()["objects"], *twins])
    assert {"Egg|+01.00|+01.00|+01.00", "Egg|+01.01|+01.00|+01.00"} <= set(objects)


def test_low_things_of_a_weak_inference_lie_on_the_floor():
    low = (1.0, 0.05, 0.0)
    _, _, objects = built(
        objects=[
            *trial()["objects"],
            placed("Mug", *low, COUNTER, 0.7),
            placed("Cup", *low, COUNTER, 0.5),
            placed("Pan", 1.0, 0.2, 0.0, COUNTER, 0.7),
        ]
    )
    parents = {o.type: o.parent for o in objects.values()}
    assert (parents["Mug"], parents["Cup"], parents["Pan"]) == (None, COUNTER, COUNTER)


def test_boxes_and_laptops_start_open_and_doors_closed():
    _, _, objects = built(
        objects=[*trial()["objects"], placed("Laptop", 3, 0.7, -3, DESK)],
    )
    assert {o.type for o in objects.values() if o.is_open} == {"Box", "Laptop"}


def test_what_the_expert_picks_without_opening_is_not_in_a_closed_container():
    inside = [placed("Fork", 0.104, 0.951, 3.004, CABINET)]
    _, _, objects = built(objects=inside)
    assert objects[FORK].parent == COUNTER
    opened = [
        [0, "OpenObject", CABINET, None],
        [0, "PickupObject", FORK, None],
        [0, "CloseObject", CABINET, None],
    ]
    _, _, objects = built(objects=inside, expert_object_actions=opened)
    assert objects[FORK].parent == CABINET


def test_what_the_expert_puts_into_or_slices_is_moved_out_too():
    mug, tomato = "Mug|+00.30|+00.45|+03.00", "Tomato|+00.40|+00.45|+03.00"
    _, _, objects = built(
        objects=[
            *trial()["objects"],
            placed("Mug", 0.3, 0.45, 3.0, CABINET),
            placed("Tomato", 0.4, 0.45, 3.0, CABINET),
        ],
        expert_object_actions=[
            [0, "SliceObject", tomato, None],
            [1, "PickupObject", FORK, None],
            [2, "PutObject", FORK, mug],
        ],
    )
    assert objects[mug].parent == objects[tomato].parent == COUNTER


def test_in_a_movable_task_a_thing_that_is_never_picked_lies_in_the_vessel_already():
    plate = "Plate|+00.20|+00.95|+02.90"
    things = [
        placed("Plate", 0.2, 0.95, 2.9, COUNTER),
        placed("Fork", 2.0, 0.95, 3.0, COUNTER),
        placed("Fork", 0.5, 0.95, 3.0, COUNTER),
    ]
    goal = {"object_target": "Fork", "parent_target": "SinkBasin", "mrecep_target": "Plate"}
    _, _, objects = built(
        task_type="pick_and_place_with_movable_recep",
        pddl_params=goal,
        objects=things,
        expert_object_actions=[
            [0, "PickupObject", plate, None],
            [1, "PutObject", plate, SINK],
        ],
    )
    parents = {o.id: o.parent for o in objects.values() if o.type == "Fork"}
    assert parents == {
        "Fork|+02.00|+00.95|+03.00": COUNTER,
        "Fork|+00.50|+00.95|+03.00": plate,
    }


def test_the_scene_knows_its_room_and_where_the_agent_starts():
    _, replayed, _ = built()
    assert (replayed.scene.id, replayed.scene.room) == ("FloorPlan1", "kitchen")
    assert replayed.scene.agent == (0.5, -0.25)
    rooms = {
        plan: built(floor_plan=plan)[1].scene.room
        for plan in ("FloorPlan30", "FloorPlan201", "FloorPlan330", "FloorPlan401")
    }
    assert list(rooms.values()) == ["kitchen", "living_room", "bedroom", "bathroom"]


def test_a_position_is_read_from_an_id():
    assert position_in("Fork|+00.10|-00.95|+03.00") == (0.1, -0.95, 3.0)


def test_the_expert_plan_becomes_skills_with_a_find_before_each_pick_and_put():
    assert skills() == ("find a Fork", "pick up the Fork", "find a Sink", PUT)


def test_after_opening_what_is_put_into_there_is_no_find():
    plan = [
        [1, "PickupObject", FORK, None],
        [3, "OpenObject", FRIDGE, None],
        [3, "PutObject", FORK, FRIDGE],
        [3, "CloseObject", FRIDGE, None],
    ]
    assert skills(expert_object_actions=plan) == (
        "find a Fork",
        "pick up the Fork",
        "find a Fridge",
        "open the Fridge",
        PUT,
        "close the Fridge",
    )


def test_instances_are_found_by_their_names():
    second = placed("Fork", 3.0, 0.75, -3.0, DESK)
    other = "Fork|+03.00|+00.75|-03.00"
    plan = [[1, "PickupObject", other, None], [3, "PutObject", other, SINK_AGAIN]]
    things = [*trial()["objects"], second]
    assert skills(objects=things, expert_object_actions=plan) == (
        "find a Fork_2",
        "pick up the Fork",
        "find a Sink",
        PUT,
    )


def test_a_slice_whose_old_name_is_gone_is_reached_by_what_lies_beside_it():
    first = "Apple|+00.20|+00.95|+03.00"
    piece = f"{first}|AppleSliced_9"
    things = [
        *trial()["objects"],
        placed("Apple", 0.2, 0.95, 3.0, COUNTER),
        placed("Apple", 3.0, 0.75, -3.0, DESK),
    ]
    plan = [
        [1, "SliceObject", first, None],
        [2, "PickupObject", FORK, None],
        [3, "PutObject", FORK, SINK],
        [4, "PickupObject", piece, None],
        [5, "PutObject", piece, SINK],
    ]
    assert skills(objects=things, expert_object_actions=plan) == (
        "find a Apple",
        "slice the Apple",
        "find a Fork",
        "pick up the Fork",
        "find a Sink",
        PUT,
        "find a CounterTop",
        "pick up the Apple",
        "find a Sink",
        PUT,
    )


def test_goals_are_alfreds():
    parsed, _, _ = built()
    assert goal_of(parsed).to_json() == {
        "task_type": "pick_and_place_simple",
        "object_target": "Fork",
        "parent_target": "SinkBasin",
        "mrecep_target": "",
        "toggle_target": "",
        "object_sliced": False,
    }


def test_unfair_tasks_are_told(tmp_path):
    from journeyman.envs.adapters.eb_alfred_replay import EBAlfredReplayEnv

    goal = {"object_target": "Fork", "parent_target": "CounterTop"}
    lamp = {"object_target": "Fork", "toggle_target": "FloorLamp"}
    data = folder(
        tmp_path,
        trials={
            "put-fork": trial(pddl_params=goal),
            "spare": trial(task_type="look_at_obj_in_light", pddl_params=lamp),
        },
    )
    env = EBAlfredReplayEnv("eb-alfred-replay/base", data=data)
    assert env.problems == ("task 'base-000': its goal is met at reset.",)
    [task] = EBAlfredReplayEnv("eb-alfred-replay/unused", data=data).tasks
    assert problems_of(task) == ["task 'unused-000': there is no FloorLamp in its scene."]
