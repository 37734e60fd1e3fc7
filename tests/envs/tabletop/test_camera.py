from math import sqrt

import pytest

from journeyman.envs.tabletop.camera import Camera

SIZES = [(128, 256), (256, 512), (64, 128), (480, 640)]


def test_the_top_camera_has_the_benchmarks_measured_constants():
    assert Camera("top").to_world(0, 0) == pytest.approx((0.249, -0.510))
    assert Camera("top").to_world(10, 100) == pytest.approx((0.28874, -0.1112))


def test_height_does_not_show_from_the_top():
    camera = Camera("top")
    assert camera.to_pixel(0.4, 0.2, 0.1) == camera.to_pixel(0.4, 0.2)


def test_the_front_camera_looks_at_041_and_foreshortens_depth():
    camera = Camera("front")
    assert camera.to_pixel(0.41, 0.0) == pytest.approx((63.5, 127.5))
    row, col = camera.to_pixel(0.41 + 0.003977 * sqrt(2), 0.003977)
    assert (row, col) == pytest.approx((64.5, 128.5))


def test_what_is_higher_looks_farther_away_from_the_front():
    camera = Camera("front")
    assert camera.to_pixel(0.5, 0.1, 0.03) == pytest.approx(camera.to_pixel(0.47, 0.1))


@pytest.mark.parametrize("name", ["top", "front"])
@pytest.mark.parametrize("size", SIZES)
def test_pixels_and_metres_convert_both_ways(name, size):
    camera = Camera(name, *size)
    for x, y, z in [(0.25, -0.5, 0.0), (0.613, 0.207, 0.0), (0.75, 0.5, 0.07), (0.1, 0.9, 0.2)]:
        assert camera.to_world(*camera.to_pixel(x, y, z), z) == pytest.approx((x, y), abs=1e-12)
    for row, col in [(0, 0), (17.25, 90.5), (size[0] - 1, size[1] - 1)]:
        assert camera.to_pixel(*camera.to_world(row, col, 0.03), 0.03) == pytest.approx((row, col))


@pytest.mark.parametrize("name", ["top", "front"])
def test_other_resolutions_see_the_same_part_of_the_world(name):
    native, double = Camera(name), Camera(name, 256, 512)
    # The upper left corner of the picture lies half a pixel before the first pixel's middle.
    assert double.to_world(-0.5, -0.5) == pytest.approx(native.to_world(-0.5, -0.5))
    assert double.to_world(255.5, 511.5) == pytest.approx(native.to_world(127.5, 255.5))
