from collections import Counter
from itertools import combinations
from typing import get_args

import pytest

from journeyman.envs.household import taskset
from journeyman.envs.household.furniture import MODULES, stock
from journeyman.envs.household.generate import SEED
from journeyman.envs.household.recipes import RECIPES
from journeyman.envs.household.rooms import Layout, build, object_id
from journeyman.envs.household.scene import Room, Scene
from journeyman.envs.household.vocab import (
    FINDABLE,
    HIDES_CONTENTS,
    OPEN_AT_RESET,
    PICKUPABLE,
    RECEPTACLES,
    ROOM,
    size_of,
)

ROOMS: tuple[Room, ...] = get_args(Room)
BUNDLED = {
    task.spec["scene"].id: task.spec["scene"] for name in RECIPES for task in taskset.load(name)
}
EXAMPLES = [build(room, "example", seed) for room in ROOMS for seed in range(4)]
example = pytest.mark.parametrize("built", EXAMPLES, ids=lambda built: built[1].room)


def test_an_id_shows_signed_coordinates_with_two_decimals():
    assert object_id("Apple", (0.1, 0.95, -1.2)) == "Apple|+00.10|+00.95|-01.20"


@example
def test_modules_lie_inside_the_room_and_do_not_overlap(built: tuple[Layout, Scene]):
    layout, _ = built
    half_x, half_z = layout.width / 2 + 1e-6, layout.depth / 2 + 1e-6
    for x_low, z_low, x_high, z_high in layout.bodies:
        assert -half_x <= x_low < x_high <= half_x
        assert -half_z <= z_low < z_high <= half_z
    for (ax, az, bx, bz), (cx, cz, dx, dz) in combinations(layout.bodies, 2):
        assert bx <= cx + 1e-6 or dx <= ax + 1e-6 or bz <= cz + 1e-6 or dz <= az + 1e-6


@example
def test_the_agent_starts_on_free_floor(built: tuple[Layout, Scene]):
    layout, scene = built
    x, z = scene.agent
    assert abs(x) < layout.width / 2 and abs(z) < layout.depth / 2
    assert not any(
        x_low < x < x_high and z_low < z < z_high for x_low, z_low, x_high, z_high in layout.bodies
    )


@example
def test_every_object_is_inside_the_room(built: tuple[Layout, Scene]):
    layout, scene = built
    for thing in scene.objects:
        x, y, z = thing.position
        assert abs(x) <= layout.width / 2 and abs(z) <= layout.depth / 2 and 0 <= y <= 2.5


@example
def test_metadata_order_mixes_fixtures_and_things(built: tuple[Layout, Scene]):
    carried = [o.type in PICKUPABLE for o in built[1].objects]
    assert carried != sorted(carried) and carried != sorted(carried, reverse=True)


def _check_invariants(scene: Scene) -> None:
    by_id = {thing.id: thing for thing in scene.objects}
    assert len(by_id) == len(scene.objects)
    assert len({(o.position, o.type) for o in scene.objects}) == len(scene.objects)
    inside = Counter(o.parent for o in scene.objects)
    for thing in scene.objects:
        if thing.type in PICKUPABLE:
            assert thing.id == object_id(thing.type, thing.position)
            assert thing.is_open == (thing.type in OPEN_AT_RESET)
        else:
            assert thing.parent is None and not thing.is_open
            assert thing.type in FINDABLE or thing.type.endswith("Basin")
        assert not thing.is_on
        if thing.parent is None:
            continue
        parent = by_id[thing.parent]
        assert parent.type in RECEPTACLES and parent.type not in ("Sink", "Bathtub")
        largest, most = ROOM.get(parent.type, (4, 99))
        assert size_of(thing.type) <= largest and inside[parent.id] <= most


@example
def test_parents_exist_and_have_room_and_ids_tell_positions(built: tuple[Layout, Scene]):
    _check_invariants(built[1])


def test_bundled_scenes_hold_the_same_invariants_and_are_what_their_id_and_seed_build():
    assert len(BUNDLED) >= 70
    for scene in BUNDLED.values():
        _check_invariants(scene)
        assert build(scene.room, scene.id, SEED)[1] == scene


def test_basins_belong_to_a_sink_or_bathtub_and_each_sink_has_a_faucet():
    for scene in BUNDLED.values():
        ids = {o.id for o in scene.objects}
        types = Counter(o.type for o in scene.objects)
        assert types["Sink"] == types["SinkBasin"] == types["Faucet"]
        assert types["Bathtub"] == types["BathtubBasin"]
        for thing in scene.objects:
            if thing.type.endswith("Basin"):
                shell, _, kind = thing.id.rpartition("|")
                assert kind == thing.type and shell in ids


def test_a_kitchen_can_wash_heat_cool_and_cut():
    for seed in range(5):
        types = Counter(o.type for o in build("kitchen", "any", seed)[1].objects)
        for kind in ("SinkBasin", "Faucet", "Microwave", "Fridge"):
            assert types[kind] == 1
        assert types["Knife"] >= 1 and types["CounterTop"] >= 2


def test_the_same_id_and_seed_give_the_same_scene_and_others_give_others():
    same = build("bedroom", "a", 1)[1]
    assert build("bedroom", "a", 1)[1] == same
    assert build("bedroom", "a", 2)[1].objects != same.objects
    assert build("bedroom", "b", 1)[1].objects != same.objects


def test_rooms_hold_about_as_many_things_and_copies_as_the_benchmark():
    """31 things that can be picked up, 14 of them extra copies; the range is ours."""
    things, copies, behind_doors = [], [], 0
    for scene in BUNDLED.values():
        counts = Counter(o.type for o in scene.objects if o.type in PICKUPABLE)
        shut = {o.id for o in scene.objects if o.type in HIDES_CONTENTS and not o.is_open}
        things.append(sum(counts.values()))
        copies.append(sum(counts.values()) - len(counts))
        behind_doors += sum(o.parent in shut for o in scene.objects)
    assert 28 <= sum(things) / len(things) <= 38
    assert 11 <= sum(copies) / len(copies) <= 17
    assert 0.25 <= behind_doors / sum(things) <= 0.45


def test_the_tables_name_only_classes_of_the_vocabulary():
    parts = {part.type for module in MODULES.values() for part in module.parts}
    for room in ROOMS:
        for name, kind in stock(room).items():
            assert name in PICKUPABLE and 0 <= kind.low <= kind.high
            assert set(kind.destinations) <= parts
            assert set(kind.starts) <= parts | {"Floor"}
