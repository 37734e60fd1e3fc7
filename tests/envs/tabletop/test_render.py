import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.render import PictureError, draw, draw_object
from journeyman.envs.tabletop.scene import Body, Light, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.textures import COLOURS, TEXTURES

TOP, FRONT = Camera("top"), Camera("front")


def body(number, shape, x, y, yaw_deg=0.0, texture="red", bottom_m=0.0) -> Body:
    cut = SHAPES[shape]
    pose = Pose(x, y, yaw_deg)
    return Body(number, shape, texture, pose, cut.size_m, cut.height_m, False, bottom_m)


def seen_at(picture, camera, x, y, z=0.0):
    row, col = camera.to_pixel(x, y, z)
    return int(picture.masks[round(row), round(col)])


def rgb_at(rgb, camera, x, y, z=0.0):
    row, col = camera.to_pixel(x, y, z)
    return tuple(int(value) for value in rgb[round(row), round(col)])


def test_the_empty_table_is_dark_amid_light_and_reaches_over_the_workspace():
    picture = draw(Scene(()), TOP)
    assert picture.rgb.shape == (128, 256, 3)
    assert picture.rgb.dtype == picture.masks.dtype == np.uint8
    assert (picture.rgb[picture.masks == 1] == 47).all()
    assert (picture.rgb[picture.masks == 0] == 239).all()
    # Rows 0.25 to 126.07 and columns 2.51 to 253.26 lie on the table.
    rows, cols = np.nonzero(picture.masks)
    assert (rows.min(), rows.max(), cols.min(), cols.max()) == (1, 126, 3, 253)


def test_the_front_picture_shows_the_table_in_rows_36_to_123():
    rows, _ = np.nonzero(draw(Scene(()), FRONT).masks)
    assert (rows.min(), rows.max()) == (36, 123)


@pytest.mark.parametrize("yaw_deg", [0, 17, 45, 80])
def test_a_blocks_mask_has_the_blocks_area(yaw_deg):
    areas = [
        (draw(Scene((body(5, "block", 0.45 + k / 1301, 0.1 + k / 977, yaw_deg),)), TOP).masks == 5)
        for k in range(12)
    ]
    expected = 0.07**2 / (0.003974 * 0.003988)
    assert np.mean([area.sum() for area in areas]) == pytest.approx(expected, rel=0.015)


def test_a_block_covers_the_pixels_whose_middles_lie_in_it():
    masks = draw(Scene((body(5, "block", 0.5, 0.0),)), TOP).masks
    rows, cols = np.nonzero(masks == 5)
    # Rows (0.465 - 0.249) / 0.003974 = 54.4 to 72.0; columns 119.1 to 136.7.
    assert (rows.min(), rows.max(), cols.min(), cols.max()) == (55, 71, 120, 136)


def test_from_the_front_a_block_shows_its_upper_face_and_a_darker_front_wall():
    picture = draw(Scene((body(5, "block", 0.5, 0.0),)), FRONT)
    rows, _ = np.nonzero(picture.masks == 5)
    # The far upper edge at (0.465, z 0.07) is row 60.8, the near lower one at 0.535 row 85.7.
    assert (rows.min(), rows.max()) == (61, 85)
    assert rgb_at(picture.rgb, FRONT, 0.5, 0, z=0.07) == COLOURS["red"]
    wall = rgb_at(picture.rgb, FRONT, 0.535, 0, z=0.03)
    assert wall == tuple(int(np.float32(0.58) * value) for value in COLOURS["red"])


def test_at_twice_the_resolution_a_mask_has_four_times_the_pixels():
    scene = Scene((body(5, "flower", 0.5, 0.0, 20),))
    native = (draw(scene, TOP).masks == 5).sum()
    double = (draw(scene, Camera("top", 256, 512)).masks == 5).sum()
    assert double == pytest.approx(4 * native, rel=0.03)


def test_the_table_shows_through_a_ring():
    picture = draw(Scene((body(5, "ring", 0.5, 0.0),)), TOP)
    assert seen_at(picture, TOP, 0.5, 0.0) == 1
    assert seen_at(picture, TOP, 0.5, 0.05) == 5


def test_of_two_bodies_on_one_another_the_upper_is_seen_in_any_order():
    lower = body(5, "round", 0.5, 0.0, texture="green")
    upper = body(6, "block", 0.5, 0.0, bottom_m=0.03)
    for bodies in [(lower, upper), (upper, lower)]:
        picture = draw(Scene(bodies), TOP)
        assert seen_at(picture, TOP, 0.5, 0.0) == 6
        assert rgb_at(picture.rgb, TOP, 0.5, 0.0) == COLOURS["red"]
        assert seen_at(picture, TOP, 0.5, 0.055) == 5


def test_from_the_front_the_nearer_block_hides_the_foot_of_the_farther():
    far, near = body(5, "block", 0.45, 0.0), body(6, "block", 0.53, 0.0)
    for bodies in [(far, near), (near, far)]:
        picture = draw(Scene(bodies), FRONT)
        assert seen_at(picture, FRONT, 0.485, 0.0, z=0.0) == 6  # behind the near block's top
        assert seen_at(picture, FRONT, 0.45, 0.0, z=0.07) == 5
    alone = draw(Scene((far,)), FRONT)
    assert seen_at(alone, FRONT, 0.485, 0.0, z=0.005) == 5


def test_what_lies_in_a_bowl_is_seen_within_it_and_its_front_wall_before_it():
    bowl = body(5, "bowl", 0.5, 0.0, texture="blue")
    inside = replace(body(6, "round", 0.5, 0.0, bottom_m=0.008), size_m=0.08)
    scene = Scene((bowl, inside))
    top, front = draw(scene, TOP), draw(scene, FRONT)
    assert seen_at(top, TOP, 0.5, 0.0) == 6
    assert seen_at(top, TOP, 0.5, 0.08) == 5
    assert seen_at(front, FRONT, 0.5, 0.0, z=0.038) == 6
    assert seen_at(front, FRONT, 0.585, 0.0, z=0.02) == 5  # the outer wall
    assert seen_at(front, FRONT, 0.54, 0.0, z=0.01) == 5  # a foot behind the front wall


@pytest.mark.parametrize("base", ["bowl", "container", "pan"])
def test_containers_are_darker_inside(base):
    rgb = draw(Scene((body(5, base, 0.5, 0.0),)), TOP).rgb
    rim = SHAPES[base].outline[:, 0].min() + 0.004
    assert rgb_at(rgb, TOP, 0.5, 0.0)[0] < 0.85 * COLOURS["red"][0]
    assert rgb_at(rgb, TOP, 0.5 + rim, 0.0) == COLOURS["red"]


def test_the_texture_turns_with_the_body():
    def colours(yaw_deg: float) -> tuple[int, int]:
        """How many colours there are along the body's middle row and middle column."""
        rgb = draw(
            Scene((body(5, "round", 0.5, 0.0, yaw_deg, texture="red and blue stripe"),)), TOP
        ).rgb
        row, col = (round(value) for value in TOP.to_pixel(0.5, 0.0))
        across, down = rgb[row, col - 10 : col + 11], rgb[row - 10 : row + 11, col]
        return len(np.unique(across, axis=0)), len(np.unique(down, axis=0))

    across, down = colours(0)  # stripes run along the body's y axis, the picture's rows
    assert across == 1 < down
    across, down = colours(90)
    assert down == 1 < across


def test_masks_hold_the_ids_of_all_bodies_and_the_rgb_shows_their_colours():
    scene = Scene(
        (
            body(2, "letter M", 0.4, -0.3, 30, "yellow"),
            body(77, "star", 0.6, 0.0, 50, "pink"),
            body(255, "pallet", 0.5, 0.3, 10, "cyan"),
        )
    )
    for camera in (TOP, FRONT):
        picture = draw(scene, camera)
        assert set(np.unique(picture.masks)) == {0, 1, 2, 77, 255}
        table = (picture.rgb == 47).all(axis=2)
        assert (table == (picture.masks == 1)).all()


def test_a_body_over_the_pictures_edge_is_cut_off_and_one_beyond_is_not_seen():
    at_edge, beyond = body(5, "ring", 0.25, -0.51), body(6, "ring", 2.0, -3.0)
    picture = draw(Scene((at_edge, beyond)), TOP)
    quarter = (picture.masks == 5).sum()
    whole = (draw(Scene((body(5, "ring", 0.5, 0.0),)), TOP).masks == 5).sum()
    assert quarter == pytest.approx(whole / 4, rel=0.06)
    assert 6 not in picture.masks


@pytest.mark.parametrize("number", [1, 256])
def test_ids_that_a_mask_cannot_hold_are_refused(number):
    with pytest.raises(PictureError, match="2 to 255"):
        draw(Scene((body(number, "block", 0.5, 0.0),)), TOP)


@pytest.mark.parametrize("camera", [TOP, FRONT], ids=lambda camera: camera.name)
def test_every_shape_and_every_texture_draws(camera):
    names = list(TEXTURES)
    for number, shape in enumerate(SHAPES):
        for texture in names[number::25]:
            picture = draw(Scene((body(5, shape, 0.5, 0.0, 33, texture),)), camera)
            assert (picture.masks == 5).sum() > 100
            assert picture.rgb[picture.masks == 5].std() > 0


def test_gain_tint_and_slope_multiply_the_picture():
    light = Light(gain=0.5, slope=0.4, tint=(1.0, 0.8, 0.6))
    rgb = draw(Scene((), light), TOP).rgb
    y = -0.510 + 0.003988 * 254
    factor = 0.5 * (1 + 0.4 * y)
    assert rgb[60, 254].tolist() == [round(239 * factor * tint) for tint in (1.0, 0.8, 0.6)]
    assert rgb[60, 128].tolist() == [round(47 * 0.5 * tint) for tint in (1.0, 0.8, 0.6)]


def test_noise_has_the_stated_deviation_in_each_channel_and_follows_the_seed():
    def table(seed: int, camera: Camera = TOP) -> np.ndarray:
        picture = draw(Scene((), Light(noise=8.0, seed=seed)), camera)
        return picture.rgb[picture.masks == 1][:20_000].astype(float)

    disturbed = table(1)
    assert disturbed.mean(axis=0) == pytest.approx(47, abs=0.2)
    assert disturbed.std(axis=0) == pytest.approx(8.0, abs=0.15)
    assert (table(1) == disturbed).all()
    for other in (table(2), table(1, FRONT)):
        assert abs(np.corrcoef(disturbed[:, 0], other[:, 0])[0, 1]) < 0.03


def test_light_leaves_masks_alone():
    scene = Scene((body(5, "heart", 0.5, 0.0),))
    dim = replace(scene, light=Light(0.6, 0.5, (0.9, 1.0, 1.0), 9.0, 3))
    assert (draw(scene, FRONT).masks == draw(dim, FRONT).masks).all()


def test_an_object_in_an_instruction_stands_upright_and_alone_on_white():
    rgb = draw_object("letter T", "green", TOP)
    assert rgb.shape == (128, 256, 3)
    assert rgb_at(rgb, TOP, 0.44, -0.06) == rgb_at(rgb, TOP, 0.44, 0.06) == COLOURS["green"]
    assert rgb_at(rgb, TOP, 0.56, 0.0) == COLOURS["green"]
    assert rgb_at(rgb, TOP, 0.56, 0.06) == (255, 255, 255)
    assert np.unique(rgb.reshape(-1, 3), axis=0).tolist() == [[52, 160, 70], [255, 255, 255]]


def test_an_object_in_an_instruction_has_the_tables_scale():
    alone = (draw_object("letter G", "red", TOP) != 255).any(axis=2).sum()
    on_table = (draw(Scene((body(5, "letter G", 0.5, 0.0, 90),)), TOP).masks == 5).sum()
    assert alone == on_table


def test_drawing_leaves_the_next_picture_untouched():
    scene = Scene((body(5, "letter A", 0.5, 0.0),))
    first = draw(scene, TOP)
    kept = first.rgb.copy()
    first.rgb[:] = 0
    first.masks[:] = 9
    again = draw(scene, TOP)
    assert (again.rgb == kept).all()
    assert (draw(Scene(()), TOP).masks <= 1).all()


DRAWN_ELSEWHERE = """
from tests.envs.tabletop.test_render import fingerprint
print(fingerprint())
"""


def fingerprint() -> str:
    """Of both views of a scene of many textures, uneven light and noise."""
    digest = hashlib.sha256()
    names = list(TEXTURES)
    shapes = list(SHAPES)
    bodies = tuple(
        body(2 + k, shapes[k], 0.3 + 0.1 * (k % 5), -0.4 + 0.2 * (k // 5), 7 * k, names[2 * k])
        for k in range(25)
    )
    for light in (Light(), Light(0.9, 0.2, (1, 0.9, 0.8), 5.0, 4)):
        for camera in (TOP, FRONT):
            picture = draw(Scene(bodies, light), camera)
            digest.update(picture.rgb.tobytes() + picture.masks.tobytes())
    return digest.hexdigest()


def test_another_process_draws_the_same_bytes():
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": path}
    there = subprocess.run(
        [sys.executable, "-c", DRAWN_ELSEWHERE],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=root,
    )
    assert there.stdout.strip() == fingerprint()
