import pytest

from journeyman.core.errors import ConfigError
from journeyman.envs.household.simulator import Faults, Simulator
from journeyman.envs.household.vocab import SLICES
from tests.envs.household.kitchen import (
    APPLE,
    APPLE_2,
    CABINET,
    CABINET_2,
    COUNTER,
    COUNTER_2,
    CUP,
    EGG,
    FORK,
    FRIDGE,
    KNIFE,
    MICROWAVE,
    PLATE,
    SINK,
    kitchen,
    thing,
)

PUT = "put down the object in hand"
DROP = "drop the object in hand"


def start(*more, without=(), **faults):
    simulator = Simulator(Faults(**faults))
    simulator.reset(kitchen(*more, without=without))
    return simulator


def do(simulator, *actions):
    """Execute actions that must succeed, but for the last, whose message is given."""
    *before, last = actions
    for action in before:
        assert simulator.execute(action) == (True, ""), action
    success, message = simulator.execute(last)
    assert success == (not message)
    return message


# Feedback, word for word -------------------------------------------------------------------------

PUT_FAILED = (
    "Putting the object on {} failed. First {} the receptacle is open or not. "
    "Also try other instances of the receptacle"
)
GET_FORK = ("find a Fork", "pick up the Fork")

MESSAGES = [
    (
        ("find a Safe",),
        "Cannot find Safe. This object may not exist in this scene. "
        "Try to explore other instances instead.",
    ),
    (
        ("find a Apple", "slice the Apple", "find a Apple"),
        "Cannot find Apple. This object may not exist in this scene. "
        "Try to explore other instances instead.",
    ),
    (
        ("pick up the Pencil",),
        "Cannot find Pencil to pick up. Find the object before picking up it",
    ),
    (
        ("find a Plate", "pick up the Plate"),
        "Plate is not visible because it is in Cabinet. Go there to pick the object instead.",
    ),
    (
        ("find a Fridge", "pick up the Cup"),
        "Cup is not visible because it is in CounterTop_2. Go there to pick the object instead.",
    ),
    ((*GET_FORK, "pick up the Cup"), "Robot is currently holding Fork"),
    (
        (*GET_FORK, "find a Plate", "pick up the Plate"),
        "Plate is not visible because it is in Cabinet. Go there to pick the object instead.",
    ),
    (("find a Fridge", "pick up the Egg"), "Robot is not holding any object"),
    (("find a Fridge", PUT), "Robot is not holding any object"),
    ((PUT,), "Robot is not holding any object"),
    ((*GET_FORK, "find a Fridge", PUT), PUT_FAILED.format("Fridge", "check whether")),
    ((*GET_FORK, "find a Cabinet_2", PUT), PUT_FAILED.format("Cabinet", "check")),
    ((*GET_FORK, "find a Egg", PUT), PUT_FAILED.format("Egg", "check whether")),
    ((DROP,), "Robot is not holding any object"),
    (("open the Safe",), "Cannot find Safe to open. Find the object before opening it"),
    (
        ("find a Fridge", "open the Fridge", "open the Fridge"),
        "Open action failed. The Fridge is already open",
    ),
    (("find a Sink", "open the Cabinet_2"), "Open action failed."),
    (("close the Laptop",), "Cannot find Laptop to close"),
    (("find a Fridge", "close the Fridge"), "Close action failed. The Fridge is already closed"),
    (
        ("find a Fridge", "open the Fridge", "find a Sink", "close the Fridge"),
        "Close action failed",
    ),
    (("turn on the DeskLamp",), "Cannot find DeskLamp to turn on"),
    (("turn off the DeskLamp",), "Cannot find DeskLamp to turn off"),
    (("find a Fridge", "turn on the Faucet"), "Turn on action failed"),
    (("find a Faucet", "turn on the Faucet", "turn on the Faucet"), "Turn on action failed"),
    (("find a Faucet", "turn off the Faucet"), "Turn off action failed"),
    (
        ("find a Faucet", "turn on the Faucet", "find a Fridge", "turn off the Faucet"),
        "Turn off action failed",
    ),
    (("slice the Bread",), "Cannot find Bread to slice"),
    (("find a Fridge", "slice the Apple"), "Slice action failed"),
    (("find a Apple", "slice the Apple", "slice the Apple"), "Slice action failed"),
    (("find a Apple", "pick up the Apple", "slice the Apple"), "Slice action failed"),
]


@pytest.mark.parametrize(("actions", "message"), MESSAGES)
def test_feedback_is_the_benchmarks_word_for_word(actions, message):
    assert do(start(), *actions) == message


def test_a_slice_in_hand_is_named_by_its_own_class():
    simulator = start()
    actions = ("find a Apple", "slice the Apple", "pick up the Apple", "pick up the Knife")
    assert do(simulator, *actions) == "Robot is currently holding AppleSliced"


def test_an_unknown_skill_is_an_error_and_not_feedback():
    with pytest.raises(ConfigError, match="no household skill is called 'wash the Apple'"):
        start().execute("wash the Apple")


# Find, and what put down uses --------------------------------------------------------------------


def test_put_goes_to_what_was_found_last():
    simulator = start()
    assert do(simulator, *GET_FORK, "find a Sink", PUT) == ""
    assert simulator.state.parent[FORK.id] == SINK.id
    assert simulator.state.held is None


def test_opening_in_between_keeps_the_target_of_put():
    simulator = start()
    assert do(simulator, *GET_FORK, "find a Cabinet", "open the Cabinet", PUT) == ""
    assert simulator.state.parent[FORK.id] == CABINET.id


def test_every_other_action_in_between_turns_put_into_drop():
    simulator = start()
    do(simulator, "find a Fridge", "open the Fridge", "pick up the Apple", PUT)
    assert simulator.state.parent[APPLE_2.id] is None
    assert simulator.state.position[APPLE_2.id][1] < 0.1
    assert simulator.put_counts == {}


def test_a_failed_find_is_still_the_target_of_put():
    simulator = start()
    do(simulator, *GET_FORK, "find a Safe")
    assert do(simulator, PUT) == PUT_FAILED.format("Safe", "check whether")
    assert simulator.state.held == FORK.id


def test_a_put_that_fails_on_its_target_tries_the_next_instance():
    simulator = start()
    do(simulator, "find a Cabinet_2", "open the Cabinet_2", *GET_FORK, "find a Cabinet", PUT)
    assert simulator.state.parent[FORK.id] == CABINET_2.id


def test_the_third_put_on_a_name_that_fails_drops_the_object():
    simulator = start()
    do(simulator, *GET_FORK, "find a Fridge")
    failed = PUT_FAILED.format("Fridge", "check whether")
    assert simulator.execute(PUT) == (False, failed)
    assert simulator.execute(PUT) == (False, failed)
    assert simulator.execute(PUT) == (False, f"{failed}. The robot dropped the object instead.")
    assert simulator.state.held is None
    assert simulator.state.parent[FORK.id] is None


def test_puts_that_succeed_count_towards_the_third_and_other_names_do_not():
    simulator = start()
    for _ in range(2):
        do(simulator, *GET_FORK, "find a Sink", PUT)
    assert simulator.put_counts == {"Sink": 2}
    do(simulator, "find a Sink")
    assert do(simulator, PUT) == (
        "Robot is not holding any object. The robot dropped the object instead."
    )
    do(simulator, *GET_FORK, "find a Fridge")
    assert do(simulator, PUT) == PUT_FAILED.format("Fridge", "check whether")


def test_a_bare_name_of_several_instances_is_the_first_however_far():
    simulator = start()
    do(simulator, "find a Apple_2", "find a Apple")
    assert simulator.state.distance(APPLE.id) < 1.0
    do(simulator, "find a CounterTop_2", "find a CounterTop")
    assert simulator.state.visible(COUNTER.id)
    assert not simulator.state.visible(COUNTER_2.id)


def test_find_goes_near_and_faces_the_target_even_inside_a_closed_container():
    simulator = start()
    do(simulator, "find a Plate")
    x, z = simulator.state.agent
    assert (x, z) == pytest.approx((0.0, -2.4))
    assert simulator.state.rotation_deg == pytest.approx(180.0)
    assert simulator.state.horizon_deg == pytest.approx(0.9 * -18.435, abs=1e-2)
    assert not simulator.state.visible(PLATE.id)


def test_finding_what_is_in_hand_does_not_move_the_agent():
    simulator = start()
    do(simulator, *GET_FORK)
    before = simulator.state.agent
    do(simulator, "find a Fork")
    assert simulator.state.agent == before


# Choosing among instances ------------------------------------------------------------------------


def test_what_is_shut_in_comes_last():
    near_but_shut = thing("Egg", -2.9, 0.8, 3, FRIDGE.id)
    simulator = start(near_but_shut)
    do(simulator, "find a Fridge")
    assert simulator.choose("Egg") == EGG.id
    do(simulator, "open the Fridge")
    assert simulator.choose("Egg") == near_but_shut.id


def test_an_occupied_stove_burner_comes_after_an_empty_one():
    near, far = thing("StoveBurner", 0.3, 0.9, 0), thing("StoveBurner", 2, 0.9, 0)
    pan = thing("Pan", 0.3, 0.95, 0, near.id)
    assert start(near, far).choose("StoveBurner") == near.id
    assert start(near, far, pan).choose("StoveBurner") == far.id


def test_what_is_in_view_comes_before_what_is_nearer():
    near_behind, ahead = thing("Mug", -3.0, 0.9, 2.0), thing("Mug", -3.0, 0.9, 3.8)
    simulator = start(near_behind, ahead)
    do(simulator, "find a Fridge")
    simulator.state.agent = (-3.0, 2.5)
    simulator.state.face(-3.0, 3.0)
    assert simulator.choose("Mug") == near_behind.id
    assert simulator.choose("Mug", seen_first=True) == ahead.id


def test_once_something_was_sliced_slices_are_preferred():
    simulator = start(thing("Apple", 0.1, 0.95, 3, COUNTER.id), without=(APPLE_2,))
    do(simulator, "find a Apple", "slice the Apple", "pick up the Apple")
    assert "AppleSliced" in simulator.state.held


# Pick, put, drop ---------------------------------------------------------------------------------


def test_a_vessel_is_carried_with_what_is_in_it():
    simulator = start()
    do(simulator, *GET_FORK, "find a Cup", PUT, "pick up the Cup", "find a CounterTop", PUT)
    state = simulator.state
    assert state.parent[FORK.id] == CUP.id
    assert state.ancestors(FORK.id) == [CUP.id, COUNTER.id]
    assert set(state.inside(COUNTER.id)) >= {CUP.id, FORK.id}
    assert state.position[FORK.id] == state.position[CUP.id]


def test_nothing_is_put_into_itself():
    simulator = start()
    assert do(simulator, "find a Cup", "pick up the Cup", "find a Cup", PUT) == PUT_FAILED.format(
        "Cup", "check whether"
    )


@pytest.mark.parametrize(
    ("first", "where", "fits"),
    [("Apple", "Cup", False), ("Fork", "Cup", True), ("Egg", "Plate", True), ("Cup", "Egg", False)],
)
def test_a_vessel_takes_what_is_small_enough(first, where, fits):
    plate = thing("Plate", 3, 0.95, -2.9, COUNTER_2.id)
    simulator = start(plate, without=(PLATE,))
    message = do(simulator, f"find a {first}", f"pick up the {first}", f"find a {where}", PUT)
    assert (message == "") == fits


def test_a_stove_burner_takes_one_thing():
    burner, pot, pan = (
        thing("StoveBurner", 3, 0.9, 0),
        thing("Pot", -3, 0.9, 0.1),
        thing("Pan", -3, 0.9, -0.1),
    )
    simulator = start(burner, pot, pan)
    do(simulator, "find a Pot", "pick up the Pot", "find a StoveBurner", PUT)
    message = do(simulator, "find a Pan", "pick up the Pan", "find a StoveBurner", PUT)
    assert message == PUT_FAILED.format("StoveBurner", "check whether")


def test_drop_leaves_the_object_on_the_floor_before_the_agent():
    simulator = start()
    do(simulator, *GET_FORK, "find a Sink", DROP)
    assert simulator.state.parent[FORK.id] is None
    assert simulator.state.visible(FORK.id)
    assert do(simulator, "pick up the Fork") == ""


# Heat, cool, clean -------------------------------------------------------------------------------


def test_turning_on_the_microwave_heats_what_is_in_it_for_good():
    simulator = start()
    do(
        simulator,
        "find a Apple",
        "pick up the Apple",
        "find a Microwave",
        "open the Microwave",
        PUT,
    )
    assert do(simulator, "turn on the Microwave") == "Turn on action failed"
    do(simulator, "close the Microwave", "turn on the Microwave")
    assert simulator.state.heated == {APPLE.id}
    assert do(simulator, "open the Microwave") == "Open action failed."
    do(simulator, "turn off the Microwave", "open the Microwave", "pick up the Apple")
    assert simulator.state.heated == {APPLE.id}


def test_closing_the_fridge_cools_everything_in_it_at_any_depth():
    cup = thing("Cup", -3, 0.8, 2.9, FRIDGE.id)
    spoon = thing("Spoon", -3, 0.8, 2.9, cup.id)
    simulator = start(cup, spoon)
    do(simulator, "find a Fridge", "open the Fridge")
    assert simulator.state.cooled == set()
    do(simulator, "close the Fridge")
    assert simulator.state.cooled == {APPLE_2.id, cup.id, spoon.id}


def test_the_faucet_cleans_what_is_in_the_closest_basin_only():
    other_sink = thing("SinkBasin", 3, 0.8, 0)
    plate = thing("Plate", 3, 0.8, 0, other_sink.id)
    simulator = start(other_sink, plate, without=(PLATE,))
    do(simulator, *GET_FORK, "find a Sink", PUT, "turn on the Faucet")
    assert simulator.state.cleaned == {FORK.id}


def test_a_slice_is_not_heated_because_its_apple_was():
    simulator = start()
    do(
        simulator,
        "find a Apple",
        "pick up the Apple",
        "find a Microwave",
        "open the Microwave",
        PUT,
    )
    do(simulator, "close the Microwave", "turn on the Microwave", "turn off the Microwave")
    do(simulator, "open the Microwave", "slice the Apple", "pick up the Apple")
    assert simulator.state.held not in simulator.state.heated


def test_the_forgetful_faucet_is_a_named_fault_that_is_off_by_default():
    clean = (*GET_FORK, "find a Sink", PUT, "turn on the Faucet", "turn off the Faucet")
    again = ("pick up the Fork", "turn on the Faucet")
    faithful, ours = start(forgetful_faucet=True), start()
    for simulator in (faithful, ours):
        do(simulator, *clean)
        do(simulator, *again)
    assert ours.state.cleaned == {FORK.id}
    assert faithful.state.cleaned == set()


# Slices ------------------------------------------------------------------------------------------


def test_slicing_replaces_the_apple_by_pieces_in_its_place():
    simulator = start()
    do(simulator, "find a Apple", "slice the Apple")
    pieces = [f"{APPLE.id}|AppleSliced_{k}" for k in range(1, SLICES["Apple"] + 1)]
    state = simulator.state
    assert APPLE.id not in state.type
    assert [o for o in state.type if "Sliced" in o] == pieces
    assert {state.type[o] for o in pieces} == {"AppleSliced"}
    assert set(pieces) <= set(state.contents[COUNTER.id])


def test_slicing_needs_no_knife():
    simulator = start(without=(KNIFE,))
    assert do(simulator, "find a Apple", "slice the Apple") == ""


# Reset and metadata ------------------------------------------------------------------------------


def test_reset_forgets_put_counts_and_slicing_unless_the_fault_is_asked_for():
    for carry_over in (False, True):
        simulator = start(carry_over=carry_over)
        do(simulator, *GET_FORK, "find a Fridge", PUT)
        do(simulator, "find a Apple", "slice the Apple")
        simulator.reset(kitchen())
        assert simulator.sliced is carry_over
        assert bool(simulator.put_counts) is carry_over


def test_reset_gives_the_same_state_after_any_episode():
    simulator = start()
    before = simulator.state.copy()
    do(simulator, "find a Apple", "slice the Apple", "pick up the Apple", "find a Fridge", DROP)
    assert simulator.state != before
    simulator.reset(kitchen())
    assert simulator.state == before


def test_metadata_has_ai2thors_shape():
    simulator = start()
    do(simulator, "find a Apple", "slice the Apple", "pick up the Apple")
    objects = {o["objectId"]: o for o in simulator.metadata()}
    held = objects[f"{APPLE.id}|AppleSliced_1"]
    assert held["isPickedUp"] and held["visible"] and held["isSliced"]
    assert held["objectType"] == "AppleSliced" and held["parentReceptacles"] is None
    fridge = objects[FRIDGE.id]
    assert fridge["receptacle"] and fridge["receptacleObjectIds"] == [APPLE_2.id]
    assert fridge["openable"] and not fridge["isOpen"] and not fridge["visible"]
    assert fridge["position"] == {"x": -3, "y": 0, "z": 3}
    assert objects[APPLE_2.id]["parentReceptacles"] == [FRIDGE.id]
    assert objects[MICROWAVE.id]["toggleable"] and not objects[MICROWAVE.id]["isToggled"]
    assert objects[KNIFE.id]["pickupable"] and not objects[KNIFE.id]["sliceable"]
