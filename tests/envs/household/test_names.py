from journeyman.envs.household.names import Names, shells_of, shuffle_order
from journeyman.envs.household.scene import SceneObject
from journeyman.envs.household.vocab import STATIC_ACTIONS
from tests.envs.household.kitchen import (
    APPLE,
    APPLE_2,
    CABINET,
    CABINET_2,
    CUP,
    SINK,
    kitchen,
    thing,
)


def test_further_instances_follow_the_static_list_receptacles_then_doors_then_things():
    names = Names.of(kitchen())
    assert names.actions[:162] == STATIC_ACTIONS
    assert names.actions[162:] == (
        "find a Cabinet_2",
        "find a CounterTop_2",
        "open the Cabinet_2",
        "close the Cabinet_2",
        "find a Apple_2",
    )


def test_the_first_in_metadata_order_keeps_the_bare_name():
    names = Names.of(kitchen())
    assert names.ids["Cabinet"] == CABINET.id
    assert names.ids["Cabinet_2"] == CABINET_2.id
    assert names.ids["Apple"] == APPLE.id
    assert names.label(APPLE_2.id) == "Apple_2"


def test_a_class_with_one_instance_is_not_in_the_map_but_has_a_label():
    names = Names.of(kitchen())
    assert "Cup" not in names.ids
    assert names.label(CUP.id) == "Cup"
    assert names.label(SINK.id) == "Sink"


def test_names_are_sorted_as_strings():
    drawers = [thing("Drawer", i / 10, 0.5, -3) for i in range(10)]
    names = Names.of(kitchen(*drawers))
    found = [a for a in names.actions[162:] if a.startswith("find a Drawer")]
    assert found[:3] == ["find a Drawer_10", "find a Drawer_2", "find a Drawer_3"]
    assert names.ids["Drawer_10"] == drawers[9].id


def test_a_vessel_counts_as_a_receptacle_and_a_thing_without_a_word_is_not_listed():
    names = Names.of(
        kitchen(
            thing("Cup", 1, 0, 1),
            thing("Towel", 1, 0, 2),
            thing("Towel", 1, 0, 3),
            thing("Egg", 2, 0, 2),
        )
    )
    dynamic = names.actions[162:]
    assert dynamic.index("find a Cup_2") < dynamic.index("open the Cabinet_2")
    assert dynamic.index("find a Egg_2") > dynamic.index("close the Cabinet_2")
    assert not [action for action in dynamic if "Towel" in action]
    assert not [action for action in dynamic if action.startswith(("pick", "turn"))]


def test_a_slice_is_labelled_by_what_it_was_cut_from():
    assert Names.of(kitchen()).label(f"{APPLE.id}|AppleSliced_3") == "Apple slice"


def test_a_sink_with_its_basin_as_an_object_of_its_own_is_one_sink():
    shell = SceneObject("Sink|-03.00|+00.90|-03.00", "Sink", (-3.0, 0.9, -3.0))
    scene = kitchen(shell)
    names = Names.of(scene)
    assert shells_of(scene) == {shell.id: SINK.id}
    assert "Sink_2" not in names.ids
    assert names.label(shell.id) == "Sink"
    far = SceneObject("Sink|+05.00|+00.90|-03.00", "Sink", (5.0, 0.9, -3.0))
    assert Names.of(kitchen(far)).ids["Sink_2"] == far.id


def test_a_seed_shuffles_the_numbering_and_none_keeps_it():
    scene = kitchen()
    assert shuffle_order(scene, None) is scene
    shuffled = [shuffle_order(scene, seed) for seed in range(8)]
    assert all(set(s.objects) == set(scene.objects) for s in shuffled)
    assert shuffle_order(scene, 3) == shuffled[3]
    firsts = {Names.of(s).ids["Cabinet"] for s in shuffled}
    assert firsts == {CABINET.id, CABINET_2.id}
