import math
import subprocess
import sys
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from journeyman.envs.household import taskset
from journeyman.envs.household.env import HouseholdEnv
from journeyman.envs.household.furniture import MODULES, PLANS
from journeyman.envs.household.render import NOTHING, draw, render
from journeyman.envs.household.render.bodies import Place, objects
from journeyman.envs.household.render.picture import camera_of
from journeyman.envs.household.render.placing import arrange, cell_of
from journeyman.envs.household.render.raster import NEAR_M, Camera, visible
from journeyman.envs.household.render.shapes import _UNKNOWN, SCENERY, shape_of
from journeyman.envs.household.render.solids import block
from journeyman.envs.household.rooms import build
from journeyman.envs.household.simulator import Simulator
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import (
    BASINS,
    FINDABLE,
    RECEPTACLES,
    SLICED_FROM,
    UNLISTED_PICKUPABLE,
)
from tests.envs.household.kitchen import APPLE_2, FRIDGE, PLATE, HandEnv, kitchen, thing

LEVEL = Camera(np.zeros(3), np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, 1]]))
"""At the origin, looking along +z."""


@cache
def scene(room):
    return next(
        task.spec["scene"]
        for task in taskset.load("base-v0")
        if task.spec["scene"].id == f"base-{room}-03"
    )


def after(where, *actions):
    simulator = Simulator()
    simulator.reset(where)
    for action in actions:
        assert simulator.execute(action) == (True, ""), action
    return simulator


def play(env, name):
    return env.step(env.library().by_name[name])


# The z-buffer


def test_depth_is_along_the_optical_axis_and_the_nearer_face_hides_the_farther():
    far, near = block(-3, 3, -3, 3, 4, 5).quads, block(0, 1, -1, 1, 2, 3).quads
    for quads in (np.concatenate([far, near]), np.concatenate([near, far])):
        depth = visible(quads, LEVEL, 100).depth_m()
        # 90 degrees: column c looks to x / z = (c + 0.5) / 50 - 1.
        assert depth[50, 49] == pytest.approx(4, abs=1e-3)
        assert depth[50, 51] == pytest.approx(2, abs=1e-3)
        assert depth[50, 74] == pytest.approx(2, abs=1e-3)
        assert depth[50, 76] == pytest.approx(4, abs=1e-3)
        assert np.isinf(depth[50, 5])


def ray_cast(boxes, camera, size):
    """Depth along the axis of the nearest front face at each pixel, ray by ray."""
    pixels = (np.arange(size) + 0.5) * 2 / size - 1
    across, down = np.meshgrid(pixels, pixels)
    rays = np.stack([across, down, np.ones_like(across)], -1) @ camera.axes
    depth = np.full((size, size), np.inf)
    for low, high in boxes:
        one, other = (low - camera.eye) / rays, (high - camera.eye) / rays
        enter, leave = np.minimum(one, other).max(-1), np.maximum(one, other).min(-1)
        hit = (enter < leave) & (enter > NEAR_M)
        depth[hit] = np.minimum(depth, enter)[hit]
    return depth


@pytest.mark.parametrize("seed", range(4))
def test_the_picture_agrees_with_casting_a_ray_through_every_pixel(seed):
    random = np.random.default_rng(seed)
    low = random.uniform(-2, 2, (40, 3))
    boxes = list(zip(low, low + random.uniform(0.05, 1.5, (40, 3)), strict=True))
    state = State.of(kitchen())
    state.rotation_deg, state.horizon_deg = random.uniform(0, 360), random.uniform(-30, 50)
    camera = Camera(random.uniform(-2, 2, 3), camera_of(state, arrange(kitchen())).axes)
    corners = [np.stack([low, high], 1).reshape(-1) for low, high in boxes]
    quads = np.concatenate([block(*corner).quads for corner in corners])
    found, expected = visible(quads, camera, 120).depth_m(), ray_cast(boxes, camera, 120)
    assert np.isclose(found, expected, rtol=1e-3).all()


# What the bodies are


def test_every_class_has_a_look_and_all_its_solids_face_outwards():
    kinds = {*FINDABLE, *RECEPTACLES, *UNLISTED_PICKUPABLE, *SLICED_FROM} - set(BASINS)
    shapes = [shape_of(kind, opened, on) for kind in kinds for opened in (0, 1) for on in (0, 1)]
    assert all(shape is not _UNKNOWN for shape in shapes)
    for shape in (*shapes, *SCENERY.values()):
        for part in shape:
            quads = part.quads
            outwards = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
            assert (outwards * quads.mean(1)).sum() > 0  # six times the volume


@pytest.mark.parametrize("room", PLANS)
def test_walls_and_the_way_fixtures_face_are_read_back_from_a_generated_room(room):
    for seed in range(3):
        layout, built = build(room, f"test-{room}", seed)
        found = arrange(built)
        half_x, half_z = layout.width / 2, layout.depth / 2
        assert found.walls == pytest.approx((-half_x, -half_z, half_x, half_z))
        for fixture in layout.fixtures:
            setting = found.settings[fixture.object.id]
            assert setting.module
            assert (abs(math.sin(setting.turn_rad)) > 0.5) == fixture.turned
        assert len(found.stands) == len(layout.bodies)


@pytest.mark.parametrize("room", PLANS)
def test_closed_cabinets_and_drawers_stand_side_by_side(room):
    for seed in range(3):
        built = build(room, f"test-{room}", seed)[1]
        state = State.of(built)
        bodies = {
            object_id: body.quads.reshape(-1, 3)
            for object_id, body in objects(Place.of(built), state, LEVEL)
            if state.type[object_id] in ("Cabinet", "Drawer")
        }
        for one, other in combinations(bodies, 2):
            low = np.maximum(bodies[one].min(0), bodies[other].min(0))
            high = np.minimum(bodies[one].max(0), bodies[other].max(0))
            assert (high - low).min() < 0.01, (one, other)


def test_doors_and_drawers_of_a_module_share_its_front():
    cells = [cell_of("counter", part) for part in MODULES["counter"].parts[1:4]]
    assert [c.y_high - c.y_low for c in cells] == pytest.approx([0.225, 0.28, 0.335])
    top, middle = cells[:2]
    assert 0.83 + top.y_low == pytest.approx(0.56 + middle.y_high)
    assert top.mirrored().x_low == -top.x_high


# What is seen and what is not


def test_what_is_behind_a_closed_door_leaves_no_trace_in_the_picture():
    with_things, without = kitchen(), kitchen(without=(APPLE_2, PLATE))
    for actions in ([], ["find a Fridge"], ["find a Cabinet"]):
        one, other = render(after(with_things, *actions)), render(after(without, *actions))
        assert np.array_equal(one.rgb, other.rgb)
        assert one.objects == other.objects and np.array_equal(one.mask, other.mask)
        assert np.array_equal(one.depth_m, other.depth_m)
    opened = render(after(with_things, "find a Fridge", "open the Fridge"))
    assert opened.in_sight[APPLE_2.id] > 20
    closed = render(after(with_things, "find a Fridge", "open the Fridge", "close the Fridge"))
    assert APPLE_2.id not in closed.objects


def test_a_held_box_hides_and_shows_what_is_in_it():
    box = thing("Box", 0, 0.95, 3, "CounterTop|+00.00|+00.90|+03.00", is_open=True)
    pen = thing("Pen", 0, 1.0, 3, box.id)
    simulator = after(kitchen(box, pen), "find a Box", "pick up the Box")
    assert render(simulator).in_sight[pen.id] > 0
    simulator.state.open.discard(box.id)
    assert pen.id not in render(simulator).objects


@pytest.mark.parametrize("room", PLANS)
def test_all_that_is_in_reach_is_drawn_and_nothing_shut_in_is(room):
    tasks = [t for t in taskset.load("base-v0") if t.spec["scene"].room == room][:2]
    for task in tasks:
        simulator = after(task.spec["scene"])
        for action in (None, *task.demonstration):
            if action:
                simulator.execute(action)
            state, picture = simulator.state, render(simulator, 50)
            drawn = set(picture.objects)
            things = [o for o in state.type if o not in simulator.names.shells]
            assert drawn == {o for o in things if not state.shut_in(o)}
            assert drawn >= {o for o in things if state.visible(o)}
            assert set(picture.in_sight) <= drawn


@pytest.mark.parametrize("room", PLANS)
def test_what_was_found_is_in_sight_near_the_middle_column(room):
    simulator = after(scene(room))
    for object_id in simulator.names.labels:
        if object_id in simulator.names.shells or simulator.state.shut_in(object_id):
            continue
        simulator.state.stand_at(object_id)
        picture = render(simulator, 250)
        assert picture.in_sight.get(object_id, 0) >= 5, object_id
        columns = np.nonzero(picture.mask == picture.objects.index(object_id))[1]
        assert 75 < columns.mean() < 175, object_id


def test_a_drawer_comes_out_with_what_is_in_it():
    where = scene("bedroom")
    for number, drawer in enumerate(o for o in where.objects if o.type == "Drawer"):
        simulator = after(where)
        simulator.state.stand_at(drawer.id)
        inside = simulator.state.contents.get(drawer.id, ())
        before = render(simulator)
        assert not set(inside) & set(before.objects), number
        simulator.state.open.add(drawer.id)
        opened = render(simulator)
        assert opened.in_sight[drawer.id] > before.in_sight[drawer.id]
        assert set(inside) <= set(opened.in_sight)


def test_a_burning_lamp_glows_and_a_running_faucet_shows_water():
    where = scene("bedroom")
    off = render(after(where, "find a DeskLamp"))
    on = render(after(where, "find a DeskLamp", "turn on the DeskLamp"))
    shade = np.array([255, 244, 150])
    assert (on.rgb == shade).all(-1).sum() > 1000 > (off.rgb == shade).all(-1).sum()

    def blue(picture):
        rgb = picture.rgb.astype(int)
        return ((rgb[..., 2] > 150) & (rgb[..., 0] < 110)).sum()

    dry, running = after(kitchen(), "find a Faucet"), after(kitchen(), "find a Faucet")
    running.state.on.add("Faucet|-03.00|+01.10|-03.00")
    assert blue(render(running)) > blue(render(dry)) + 200


def test_what_is_held_is_at_the_lower_right_in_front_of_all_else():
    picture = render(after(kitchen(), "find a Cup", "pick up the Cup", "find a Fridge"))
    held = next(o for o in picture.objects if o.startswith("Cup"))
    lines, columns = np.nonzero(picture.mask == picture.objects.index(held))
    assert len(lines) > 2000 and lines.mean() > 330 and columns.mean() > 330
    assert np.nanmax(picture.depth_m[lines, columns]) < 0.8


def test_the_camera_steps_back_from_tall_bodies():
    where = scene("kitchen")
    simulator = after(where, "find a Fridge")
    arrangement = arrange(where)
    eye = camera_of(simulator.state, arrangement).eye
    fridge = next(o for o in where.objects if o.type == "Fridge")
    assert math.dist(simulator.state.agent, fridge.position[::2]) == pytest.approx(0.6)
    assert math.dist(eye[::2], fridge.position[::2]) > 1.1
    assert fridge.type == FRIDGE.type and eye[1] == 1.65


# The picture as a value


def test_the_same_moment_gives_the_same_bytes_in_the_size_asked_for():
    one, other = render(after(scene("kitchen"))), render(after(scene("kitchen")))
    assert one.rgb.tobytes() == other.rgb.tobytes()
    assert one.rgb.shape == (500, 500, 3) and one.rgb.dtype == np.uint8
    assert one.mask.shape == one.depth_m.shape == (500, 500)
    assert np.array_equal(draw(after(scene("kitchen"))), one.rgb)
    assert render(after(scene("kitchen")), 120).rgb.shape == (120, 120, 3)
    assert (one.mask == NOTHING).any() and one.mask.max() < len(one.objects)
    assert np.isfinite(one.depth_m).all()  # the room is closed


def test_the_environment_draws_the_moment_of_the_observation_however_late():
    env = HandEnv()
    first, _ = env.reset()
    assert "image" in first and env.observation_space["image"].shape == (500, 500, 3)
    second, *_ = play(env, "find a Fridge")
    play(env, "open the Fridge")
    assert np.array_equal(first.image, draw(after(kitchen())))
    assert np.array_equal(second.image, draw(after(kitchen(), "find a Fridge")))


def test_nothing_of_the_renderer_is_loaded_until_somebody_looks():
    code = (
        "import sys\n"
        "from journeyman.envs.household.env import HouseholdEnv\n"
        "env = HouseholdEnv('household/base-v0'); obs, _ = env.reset(); env.step(0)\n"
        "name = 'journeyman.envs.household.render'\n"
        "assert name not in sys.modules\n"
        "assert obs['image'].shape == (500, 500, 3) and name in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert HouseholdEnv("household/base-v0", draw=None).reset()[0].image is None
