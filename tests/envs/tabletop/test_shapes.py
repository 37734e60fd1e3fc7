import numpy as np
import pytest

from journeyman.envs.tabletop.scene import Body, Pose
from journeyman.envs.tabletop.shapes import SHAPES, Polygon, Shape, convex_hull, hull_at, outline_at

L1_DRAGGED = (
    *(f"letter {name}" for name in "AEGMTV"),
    *("block", "cross", "triangle", "flower", "heart", "ring", "pentagon", "L-shaped block"),
)
L3_DRAGGED = ("letter R", "diamond", "hexagon", "round", "star")
BASES = ("bowl", "frame", "container", "square", "pallet", "pan")


def area(polygon: Polygon) -> float:
    """Signed, positive counter-clockwise."""
    x, y = polygon.T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def maps_onto_itself(shape: Shape, turn_deg: float) -> bool:
    """A symmetry takes corners to corners, of the outline and of every hole."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    corners = np.concatenate([shape.outline, *shape.holes])
    turned = corners @ np.array([[c, s], [-s, c]])
    gaps = np.linalg.norm(turned[:, None] - corners[None], axis=2).min(axis=1)
    return float(gaps.max()) < 1e-9


def test_the_names_are_the_benchmarks_in_its_roles():
    dragged = tuple(s.name for s in SHAPES.values() if s.role == "dragged")
    assert dragged == L1_DRAGGED + L3_DRAGGED
    assert tuple(s.name for s in SHAPES.values() if s.role == "base") == BASES


@pytest.mark.parametrize(
    ("name", "box_m"),
    [
        ("letter M", (0.144, 0.144)),
        ("cross", (0.128, 0.128)),
        ("block", (0.07, 0.07)),
        ("bowl", (0.17, 0.17)),
        ("container", (0.17, 0.17)),
        ("frame", (0.225, 0.225)),
        ("square", (0.2, 0.2)),
        ("pallet", (0.21, 0.175)),
        ("pan", (0.24, 0.16)),
    ],
)
def test_sizes_are_the_benchmarks(name, box_m):
    assert np.ptp(SHAPES[name].outline, axis=0) == pytest.approx(box_m, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_size_is_the_longer_side_of_the_outlines_box(shape):
    assert np.ptp(shape.outline, axis=0).max() == pytest.approx(shape.size_m, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_symmetry_is_the_smallest_rotation_that_maps_the_outline_onto_itself(shape):
    assert maps_onto_itself(shape, shape.symmetry_deg)
    smaller = [360 / k for k in range(2, 97) if 360 / k < shape.symmetry_deg - 1e-9]
    assert not any(maps_onto_itself(shape, turn) for turn in smaller)


def test_what_must_be_turned_has_no_symmetry():
    turned = [f"letter {name}" for name in "AEGMTVR"] + ["heart", "L-shaped block"]
    assert all(SHAPES[name].symmetry_deg == 360 for name in turned)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_the_outline_turns_left_its_holes_turn_right_and_the_hull_holds_both(shape):
    assert area(shape.outline) > 0
    assert all(area(hole) < 0 for hole in shape.holes)
    start, end = shape.hull, np.roll(shape.hull, -1, axis=0)
    for x, y in np.concatenate([shape.outline, *shape.holes]):
        side = (end - start)[:, 0] * (y - start[:, 1]) - (end - start)[:, 1] * (x - start[:, 0])
        assert side.min() > -1e-12
    assert area(shape.hull) >= area(shape.outline) - 1e-12


def test_a_hull_leaves_out_inner_points_and_points_on_its_sides():
    points = np.array([(0, 0), (1, 1), (2, 0), (2, 2), (1, 0), (0, 2), (0.5, 1)], float)
    assert convex_hull(points).tolist() == [[0, 0], [2, 0], [2, 2], [0, 2]]


def test_an_outline_is_scaled_by_the_bodys_size_and_turned_counter_clockwise():
    body = Body(2, "block", "red", Pose(0.5, 0.1, 90), size_m=0.14, height_m=0.07)
    [outline] = outline_at(body)
    # The corner (-35, -35) mm doubles to (-70, -70) and turns to (70, -70).
    assert outline[0] == pytest.approx((0.57, 0.03))
    assert area(outline) == pytest.approx(0.14**2)


def test_holes_follow_the_outline_to_the_bodys_place():
    body = Body(2, "ring", "red", Pose(0.3, -0.2, 12), 0.128, 0.03)
    outer, hole = outline_at(body)
    middle = (0.3, -0.2)
    assert np.linalg.norm(outer - middle, axis=1) == pytest.approx(0.064)
    assert np.linalg.norm(hole - middle, axis=1) == pytest.approx(0.064 * 0.52)
    assert area(hull_at(body)) == pytest.approx(area(outer))
