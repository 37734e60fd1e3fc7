"""Progress on the seven task types, counted by hand from the benchmark's totals."""

import pytest

from journeyman.envs.household.goals import TASK_TYPES, conditions
from journeyman.envs.household.scene import Goal
from journeyman.envs.household.simulator import Simulator
from tests.envs.household.kitchen import (
    COUNTER,
    COUNTER_2,
    CUP,
    SINK,
    kitchen,
    thing,
)

PUT = "put down the object in hand"


def start(*more):
    simulator = Simulator()
    simulator.reset(kitchen(*more))
    return simulator


def after(simulator, goal, *actions, **options):
    for action in actions:
        assert simulator.execute(action) == (True, ""), action
    return conditions(simulator.state, goal, **options)


def test_simple_has_one_condition_that_any_instance_meets():
    simulator = start()
    goal = Goal("pick_and_place_simple", "Apple", "SinkBasin")
    assert after(simulator, goal) == (0, 1)
    assert after(simulator, goal, "find a Apple", "pick up the Apple") == (0, 1)
    assert after(simulator, goal, "find a Sink", PUT) == (1, 1)


def test_a_thing_in_a_vessel_in_the_place_is_in_the_place():
    spoon = thing("Spoon", 2.8, 0.95, -3, CUP.id)
    goal = Goal("pick_and_place_simple", "Spoon", "CounterTop")
    assert after(start(spoon), goal) == (1, 1)


def test_two_counts_the_best_single_receptacle():
    goal = Goal("pick_two_obj_and_place", "Egg", "CounterTop")
    here, there = thing("Egg", 0, 0.95, 3, COUNTER.id), thing("Egg", 3, 0.95, -3, COUNTER_2.id)
    third = thing("Egg", 0.1, 0.95, 3, COUNTER.id)
    fourth = thing("Egg", 0.2, 0.95, 3, COUNTER.id)
    assert after(start(), goal) == (0, 2)
    assert after(start(here), goal) == (1, 2)
    assert after(start(here, there), goal) == (1, 2)
    assert after(start(here, there, third), goal) == (2, 2)
    assert after(start(here, third, fourth), goal) == (2, 2)


def test_look_needs_the_right_thing_in_hand_and_a_lit_lamp_in_view():
    lamp = thing("DeskLamp", -3, 1, 0)
    goal = Goal("look_at_obj_in_light", "Fork", toggle_target="DeskLamp")
    simulator = start(lamp)
    assert after(simulator, goal, "find a DeskLamp", "turn on the DeskLamp") == (1, 2)
    assert after(simulator, goal, "find a Fork") == (0, 2)
    assert after(simulator, goal, "pick up the Fork") == (1, 2)
    assert after(simulator, goal, "find a DeskLamp") == (2, 2)
    assert after(simulator, goal, "turn off the DeskLamp") == (1, 2)


def test_clean_counts_place_cleaning_and_one_instance_with_both():
    goal = Goal("pick_clean_then_place_in_recep", "Fork", "CounterTop")
    simulator = start()
    assert after(simulator, goal) == (1, 3)
    assert after(simulator, goal, "find a Fork", "pick up the Fork", "find a Sink", PUT) == (0, 3)
    assert after(simulator, goal, "turn on the Faucet") == (1, 3)
    assert after(simulator, goal, "pick up the Fork", "find a CounterTop", PUT) == (3, 3)


def test_place_and_treatment_by_different_instances_leave_the_third_condition():
    other = thing("Fork", -3, 0.85, -3, SINK.id)
    goal = Goal("pick_clean_then_place_in_recep", "Fork", "CounterTop")
    assert after(start(other), goal, "find a Faucet", "turn on the Faucet") == (2, 3)


def test_heat_counts_slices_in_one_condition_more():
    goal = Goal("pick_heat_then_place_in_recep", "Apple", "Sink", object_sliced=True)
    simulator = start()
    assert after(simulator, goal) == (0, 4)
    heated = ("find a Microwave", "open the Microwave", PUT, "close the Microwave")
    whole = ("find a Apple", "pick up the Apple", *heated, "turn on the Microwave")
    assert after(simulator, goal, *whole) == (0, 4)
    cut = ("turn off the Microwave", "open the Microwave", "slice the Apple")
    assert after(simulator, goal, *cut) == (1, 4)
    again = ("close the Microwave", "turn on the Microwave", "turn off the Microwave")
    assert after(simulator, goal, *again) == (2, 4)
    away = ("open the Microwave", "pick up the Apple", "find a Sink", PUT)
    assert after(simulator, goal, *away) == (4, 4)


def test_cool_counts_what_was_in_the_fridge_when_it_closed():
    goal = Goal("pick_cool_then_place_in_recep", "Apple", "CounterTop")
    simulator = start()
    assert after(simulator, goal) == (1, 3)
    assert after(simulator, goal, "find a Fridge", "open the Fridge", "close the Fridge") == (2, 3)
    fetch = ("open the Fridge", "pick up the Apple", "find a CounterTop", PUT)
    assert after(simulator, goal, *fetch) == (3, 3)


def test_movable_counts_load_place_and_the_stack():
    goal = Goal("pick_and_place_with_movable_recep", "Fork", "Sink", mrecep_target="Cup")
    simulator = start()
    assert after(simulator, goal) == (0, 3)
    assert after(simulator, goal, "find a Fork", "pick up the Fork", "find a Cup", PUT) == (1, 3)
    assert after(simulator, goal, "pick up the Cup") == (1, 3)
    assert after(simulator, goal, "find a Sink", PUT) == (3, 3)
    other = thing("Cup", -3, 0.85, -3, SINK.id)
    assert after(start(other), goal) == (1, 3)


def test_sliced_pick_two_counts_two_slices():
    goal = Goal("pick_two_obj_and_place", "Apple", "CounterTop", object_sliced=True)
    simulator = start()
    assert after(simulator, goal) == (0, 4)
    assert after(simulator, goal, "find a Apple", "slice the Apple") == (4, 4)


def test_a_goal_of_whole_things_is_met_by_their_slices():
    goal = Goal("pick_and_place_simple", "Apple", "Sink")
    simulator = start()
    actions = ("find a Apple", "slice the Apple", "pick up the Apple", "find a Sink", PUT)
    assert after(simulator, goal, *actions) == (1, 1)


def test_matching_names_by_substring_is_a_named_option():
    pencil = thing("Pencil", 0, 0.95, 3, COUNTER.id)
    goal = Goal("pick_and_place_simple", "Pen", "CounterTop")
    assert after(start(pencil), goal) == (0, 1)
    assert after(start(pencil), goal, substring_names=True) == (1, 1)


@pytest.mark.parametrize("task_type", sorted(TASK_TYPES))
@pytest.mark.parametrize("substring_names", [False, True])
def test_classes_that_are_not_in_the_scene_meet_nothing(task_type, substring_names):
    goal = Goal(task_type, "Pillow", "Bed", "Box", "FloorLamp", object_sliced=False)
    met, total = conditions(start().state, goal, substring_names=substring_names)
    assert met == 0 and total >= 1


def test_the_seven_types_have_the_benchmarks_totals():
    totals = {
        kind: conditions(start().state, Goal(kind, "Apple", "Sink"))[1] for kind in TASK_TYPES
    }
    assert totals == {
        "pick_and_place_simple": 1,
        "pick_two_obj_and_place": 2,
        "look_at_obj_in_light": 2,
        "pick_clean_then_place_in_recep": 3,
        "pick_heat_then_place_in_recep": 3,
        "pick_cool_then_place_in_recep": 3,
        "pick_and_place_with_movable_recep": 3,
    }
