from journeyman.envs.household.observe import HouseholdObservation, describe
from journeyman.envs.household.simulator import Simulator
from journeyman.envs.household.vocab import SLICES
from tests.envs.household.kitchen import CABINET, COUNTER_2, CUP, kitchen, thing

PUT = "put down the object in hand"


def seen(*actions, more=()):
    simulator = Simulator()
    simulator.reset(kitchen(*more))
    for action in actions:
        assert simulator.execute(action) == (True, ""), action
    return describe(simulator.state, simulator.names)


def test_places_are_listed_with_what_is_in_or_on_them_by_instance_name():
    text = seen("find a CounterTop_2")
    assert text == "In hand: nothing\nIn view:\n- CounterTop_2: Cup, Fork"


def test_nothing_behind_a_closed_door_is_named_until_it_is_opened():
    assert seen("find a Cabinet") == (
        "In hand: nothing\nIn view:\n- Cabinet (closed)\n- Cabinet_2 (closed)"
    )
    assert seen("find a Cabinet", "open the Cabinet") == (
        "In hand: nothing\nIn view:\n- Cabinet (open): Plate\n- Cabinet_2 (closed)"
    )


def test_switches_show_whether_they_are_on():
    assert "- Faucet (off)" in seen("find a Sink")
    assert "- Faucet (on)" in seen("find a Sink", "turn on the Faucet")
    assert "- Microwave (closed, off)" in seen("find a Microwave")


def test_what_is_in_hand_and_in_a_vessel_is_told():
    pen = thing("Pen", 2.8, 0.95, -3, CUP.id)
    text = seen("find a Cup", "pick up the Cup", more=(pen,))
    assert text.splitlines()[0] == "In hand: Cup (Pen)"
    assert text.count("Cup") == 1
    assert "- CounterTop_2: Cup (Pen), Fork" in seen("find a Cup", more=(pen,))


def test_slices_are_counted_and_things_on_the_floor_are_told_apart():
    assert f"- CounterTop: Knife, Apple slice x{SLICES['Apple']}" in seen(
        "find a Apple", "slice the Apple"
    )
    assert "- on the floor: Egg" in seen("find a Egg")


def test_a_thing_is_told_with_its_place_even_where_the_place_reaches_further_than_the_view():
    far_end = thing("Bowl", 1.2, 0.95, -3, COUNTER_2.id)
    assert "- CounterTop_2: Bowl" in seen("find a Bowl", more=(far_end,))


def test_out_of_reach_there_is_nothing():
    simulator = Simulator()
    simulator.reset(kitchen())
    simulator.state.agent = (50.0, 50.0)
    assert describe(simulator.state, simulator.names).endswith("- nothing within reach")


def test_the_text_is_that_of_its_moment_however_late_it_is_read():
    simulator = Simulator()
    simulator.reset(kitchen())
    simulator.execute("find a Cabinet")
    observation = HouseholdObservation(simulator.state.copy(), simulator.names)
    simulator.execute("open the Cabinet")
    simulator.execute("pick up the Plate")
    assert CABINET.id in simulator.state.open
    assert observation["text"].startswith("In hand: nothing")
    assert "- Cabinet (closed)" in observation.text
