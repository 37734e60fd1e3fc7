import json

import pytest

from journeyman.envs.household import vocab
from tests.envs.data_folder import data_folder


def test_the_static_list_has_162_actions_with_the_ids_that_upstream_examples_use():
    actions = vocab.STATIC_ACTIONS
    assert len(actions) == 162 == len(set(actions))
    assert actions[36] == "find a ButterKnife"
    assert actions[63] == "find a DeskLamp"
    assert actions[130] == "pick up the ButterKnife"
    assert actions[133] == "put down the object in hand"
    assert actions[143:145] == ("open the Microwave", "close the Microwave")
    assert actions[149:152] == (
        "turn on the Microwave",
        "turn off the Microwave",
        "turn on the DeskLamp",
    )
    assert actions[153] == "turn on the FloorLamp"
    assert actions[161] == "slice the Bread"


def test_the_vocabulary_is_that_of_the_data():
    path = data_folder() / "embodiedbench" / "eb_alfred" / "action_vocab.json"
    data = json.loads(path.read_text())
    classes = data["classes"]
    assert list(vocab.STATIC_ACTIONS) == data["static_actions"]
    assert list(vocab.FINDABLE) == classes["alfred_objs"]
    assert list(vocab.PICKUPABLE) == classes["alfred_pick_obj"]
    assert list(vocab.OPENABLE) == classes["alfred_open_obj"]
    assert list(vocab.TOGGLEABLE) == classes["alfred_toggle_obj"]
    assert list(vocab.SLICEABLE) == classes["alfred_slice_obj"]
    assert list(vocab.BENCHMARK_RECEPTACLES) == classes["alfred_recep"]


def test_vessels_are_the_receptacles_that_can_be_carried():
    assert sorted(vocab.VESSELS) == ["Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot"]
    hiding = ["Box", "Cabinet", "Drawer", "Fridge", "Microwave", "Safe"]
    assert sorted(vocab.HIDES_CONTENTS) == hiding


@pytest.mark.parametrize(
    ("object_type", "kind"),
    [("AppleSliced", "Apple"), ("SinkBasin", "Sink"), ("BathtubBasin", "Bathtub"), ("Mug", "Mug")],
)
def test_slices_and_basins_answer_to_the_name_of_the_whole(object_type, kind):
    assert vocab.kind_of(object_type) == kind


def test_every_class_that_is_given_a_size_or_room_is_one_that_can_have_it():
    assert all(vocab.is_pickupable(object_type) for object_type in vocab.SIZES)
    assert set(vocab.ROOM) <= vocab.RECEPTACLES
    assert set(vocab.SURFACE_M) <= vocab.FIXTURES
