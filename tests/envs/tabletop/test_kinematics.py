"""Picks and places by hand: coordinates and heights are worked out on paper."""

import pytest

from journeyman.envs.tabletop.kinematics import (
    angle_between_deg,
    contains,
    is_inside,
    overlap,
    pick_place,
    topmost,
    wrapped_deg,
)
from tests.envs.tabletop.scenes import body, table

SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def test_a_body_keeps_its_place_under_the_tool_and_its_orientation():
    scene = table(body(2, "block", 0.4, 0.1, 10))
    move = pick_place(scene, (0.41, 0.12), (0.6, -0.2))
    assert move.gripped == 2
    pose = move.scene.body(2).pose
    assert (pose.x, pose.y, pose.yaw_deg) == pytest.approx((0.59, -0.22, 10))


def test_a_turn_carries_the_centre_about_the_picked_point():
    """90 degrees counter-clockwise take the offset (0.03, 0) to (0, 0.03)."""
    scene = table(body(2, "block", 0.43, 0.1, 100))
    pose = pick_place(scene, (0.4, 0.1), (0.4, 0.1), 90).scene.body(2).pose
    assert (pose.x, pose.y, pose.yaw_deg) == pytest.approx((0.4, 0.13, -170))


def test_a_pick_beside_a_body_moves_nothing():
    scene = table(body(2, "block", 0.4, 0.1))  # reaches to 0.435
    missed = pick_place(scene, (0.436, 0.1), (0.6, 0.1))
    assert missed.gripped is None and missed.scene == scene
    assert pick_place(scene, (0.434, 0.1), (0.6, 0.1)).gripped == 2


def test_the_hole_of_a_ring_and_the_gap_of_a_v_grip_by_the_hull():
    ring, letter = body(2, "ring", 0.4, -0.2), body(3, "letter V", 0.6, 0.2)
    scene = table(ring, letter)
    assert topmost(scene, (0.4, -0.2)) == ring
    assert topmost(scene, (0.6, 0.2)) == letter
    assert topmost(scene, (0.4 + 0.0641, -0.2)) is None  # a tenth of a millimetre off


def test_fixed_bodies_are_never_gripped():
    scene = table(body(2, "bowl", 0.5, 0.0))
    assert pick_place(scene, (0.5, 0.0), (0.3, 0.0)).gripped is None


def test_of_two_bodies_at_the_point_the_higher_is_gripped_whatever_its_id():
    upper, lower = body(2, "block", 0.5, 0.0, bottom_m=0.03), body(3, "round", 0.5, 0.0)
    assert topmost(table(upper, lower), (0.5, 0.0)) == upper
    assert topmost(table(upper, lower), (0.55, 0.0)) == lower


def test_what_is_put_on_others_rests_on_the_highest_that_its_hull_overlaps():
    scene = table(
        body(2, "round", 0.4, 0.0),  # 0.03 high
        body(3, "block", 0.4, 0.06),  # 0.07 high, touches the place of the next
        body(4, "letter A", 0.6, 0.3),
    )
    on_both = pick_place(scene, (0.6, 0.3), (0.4, 0.01)).scene.body(4)
    on_disc = pick_place(scene, (0.6, 0.3), (0.4, -0.08)).scene.body(4)
    on_table = pick_place(scene, (0.6, 0.3), (0.6, -0.3)).scene.body(4)
    assert [b.bottom_m for b in (on_both, on_disc, on_table)] == pytest.approx([0.07, 0.03, 0.0])


def test_with_its_centre_in_a_container_a_body_lies_on_its_floor_else_on_its_rim():
    bowl = body(2, "bowl", 0.5, 0.0)  # radius 0.085, floor at 0.008, rim at 0.05
    scene = table(bowl, body(3, "block", 0.3, 0.3))
    inside = pick_place(scene, (0.3, 0.3), (0.5, 0.08)).scene.body(3)
    on_rim = pick_place(scene, (0.3, 0.3), (0.5, 0.09)).scene.body(3)
    assert inside.bottom_m == pytest.approx(0.008) and is_inside(inside, bowl)
    assert on_rim.bottom_m == pytest.approx(0.05) and not is_inside(on_rim, bowl)


def test_a_pallet_carries_on_its_top():
    scene = table(body(2, "pallet", 0.5, 0.0), body(3, "block", 0.3, 0.3))
    moved = pick_place(scene, (0.3, 0.3), (0.5, 0.0)).scene.body(3)
    assert moved.bottom_m == pytest.approx(0.03)


def test_what_lies_on_a_body_with_its_centre_over_it_goes_along():
    scene = table(body(2, "round", 0.4, 0.0), body(3, "block", 0.42, 0.0, bottom_m=0.03))
    moved = pick_place(scene, (0.35, 0.0), (0.6, 0.2), 90).scene
    carried = moved.body(3)
    assert (carried.pose.x, carried.pose.y) == pytest.approx((0.6, 0.27))
    assert (moved.body(2).bottom_m, carried.bottom_m) == pytest.approx((0.0, 0.03))


def test_what_only_leans_on_a_body_stays_and_sinks_to_the_table():
    leaning = body(3, "block", 0.495, 0.0, bottom_m=0.03)  # its centre is off the disc
    moved = pick_place(table(body(2, "round", 0.4, 0.0), leaning), (0.4, 0.0), (0.6, 0.3)).scene
    assert (moved.body(3).pose, moved.body(3).bottom_m) == (leaning.pose, 0.0)


def test_a_body_taken_from_below_lets_sink_only_what_it_held():
    scene = table(
        body(2, "round", 0.4, 0.0),
        body(3, "round", 0.4, 0.1),
        body(4, "letter A", 0.4, 0.068, bottom_m=0.03),  # on both, its centre over the second
    )
    move = pick_place(scene, (0.4, -0.05), (0.6, -0.3))
    assert move.gripped == 2 and move.scene.body(4) == scene.body(4)


def test_a_place_outside_the_workspace_is_no_matter_of_kinematics():
    scene = table(body(2, "block", 0.27, 0.0))
    pose = pick_place(scene, (0.3, 0.0), (0.25, 0.5)).scene.body(2).pose
    assert (pose.x, pose.y) == pytest.approx((0.22, 0.5))


def test_polygons_that_only_touch_do_not_overlap():
    beside = tuple((x + 1.0, y) for x, y in SQUARE)
    assert not overlap(SQUARE, beside)
    assert overlap(SQUARE, tuple((x + 0.999, y) for x, y in SQUARE))
    assert contains(SQUARE, (1.0, 0.5)) and not contains(SQUARE, (1.001, 0.5))


@pytest.mark.parametrize(
    ("given", "wrapped"), [(180, 180), (-180, 180), (190, -170), (-350, 10), (720, 0), (0, 0)]
)
def test_angles_wrap_into_a_half_open_turn(given, wrapped):
    assert wrapped_deg(given) == wrapped


@pytest.mark.parametrize(
    ("a", "b", "symmetry", "apart"),
    [(170, -170, 360, 20), (0, 95, 90, 5), (0, 85, 90, 5), (10, 200, 180, 10), (3, 77, 0, 0)],
)
def test_yaws_are_as_far_apart_as_the_symmetry_lets_them_look(a, b, symmetry, apart):
    assert angle_between_deg(a, b, symmetry) == pytest.approx(apart)
