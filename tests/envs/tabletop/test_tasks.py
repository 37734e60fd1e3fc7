"""Success and every failure of the six tasks, by actions written for the scene at hand."""

from dataclasses import replace
from itertools import pairwise

import pytest

from journeyman.envs.tabletop.kinematics import distance_m
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.oracle import demonstration
from journeyman.envs.tabletop.scene import Pose
from journeyman.envs.tabletop.tasks import TASKS
from journeyman.envs.tabletop.tasks.rearrange import Rearrange
from journeyman.envs.tabletop.tasks.sampling import sample
from journeyman.envs.tabletop.taskset import setup_of
from tests.envs.tabletop.scenes import put, started, turn

EMPTY = (0.2501, 0.4999)
"""A corner in which nothing lies, since things keep half their width from the edge."""


def dragged(env, setup):
    return env.scene.body(setup.goals[0].body)


def distractor(env, setup):
    return env.scene.body(setup.distractors[0])


def away(pose, x=0.0, y=0.0):
    return replace(pose, x=pose.x + x, y=pose.y + y)


def inward(pose, distance):
    """A point so far from ``pose`` along y, towards the table's middle."""
    return away(pose, y=-distance if pose.y > 0 else distance)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_demonstration_solves_the_task_and_ends_it_within_the_oracles_steps(task, level):
    env, _ = started(task, steps="oracle", episodes=8)
    chosen = [each for each in env.tasks if each.subset == level]
    for each in chosen:
        env.reset(options={"task": each})
        for text in each.demonstration:
            *_, terminated, truncated, info = env.step(env.library().read(text))
        assert terminated and not truncated and info["task_success"], each.id
        assert info["task_progress"] == 1.0 and env.failure_reason == ""


@pytest.mark.parametrize("task", ["visual_manipulation", "scene_understanding"])
@pytest.mark.parametrize(("gap", "success"), [(0.0999, True), (0.1001, False)])
def test_a_centre_within_ten_centimetres_of_the_bases_is_in_it(task, gap, success):
    env, setup = started(task, lambda s: abs(s.goals[0].pose.y) > 0.15)
    *_, terminated, truncated, _ = env.step(
        put(dragged(env, setup), inward(setup.goals[0].pose, gap))
    )
    confused = "distractor" in env.failure_reason
    assert (terminated, truncated) == (success, confused)


def test_success_by_the_ten_centimetres_is_told_from_inside():
    env, setup = started("visual_manipulation", _base("container"))
    start = dragged(env, setup)
    env.step(put(start, inward(setup.goals[0].pose, 0.05)))
    assert env.analysis["success_inside"] is True
    env, setup = started("visual_manipulation", _base("bowl"))
    env.step(put(dragged(env, setup), inward(setup.goals[0].pose, 0.095)))
    assert env.failure_reason == "" and env.analysis["success_inside"] is False
    assert env.analysis["position_error_m"] == pytest.approx(0.095)


def _base(shape):
    return lambda s: s.scene.body(s.goals[0].base).shape == shape and abs(s.goals[0].pose.y) > 0.1


def loose(setup):
    return not setup.scene.body(setup.distractors[0]).fixed


@pytest.mark.parametrize("task", ["visual_manipulation", "scene_understanding"])
def test_the_distractor_in_the_base_fails_at_once(task):
    env, setup = started(task, loose)
    *_, terminated, truncated, info = env.step(put(distractor(env, setup), setup.goals[0].pose))
    assert (terminated, truncated) == (False, True)
    assert env.failure_reason.startswith("wrong object: a distractor was put at a goal")
    assert "wrong object moved in step 1" in env.failure_reason
    assert info["env_feedback"] == "The action was carried out."


@pytest.mark.parametrize("task", ["visual_manipulation", "scene_understanding"])
def test_the_object_at_the_distractor_fails_at_once(task):
    env, setup = started(task)
    *_, truncated, _ = env.step(put(dragged(env, setup), distractor(env, setup)))
    assert truncated and env.failure_reason.startswith("wrong place")


@pytest.mark.parametrize("task", ["visual_manipulation", "rotate", "rearrange"])
def test_a_centre_off_the_workspace_fails_at_once(task):
    env, setup = started(task, lambda s: len(s.goals) == 1)
    start = dragged(env, setup).pose
    *_, truncated, _ = env.step(put(away(start, y=-0.02), (start.x, 0.5)))
    assert truncated and env.failure_reason.startswith("out of bounds")


@pytest.mark.parametrize(("off", "success"), [(14.9, True), (15.1, False)])
@pytest.mark.parametrize("side", [-1, 1])
def test_an_angle_counts_within_fifteen_degrees_clockwise(off, side, success):
    env, setup = started("rotate", lambda s: s.goals[0].turn_deg == -90)
    *_, terminated, truncated, _ = env.step(turn(dragged(env, setup), 90 + side * off))
    assert (terminated, truncated) == (success, False)
    if not success:
        assert "angle off by 15 degrees" in env.failure_reason


def test_turning_the_other_way_is_no_success():
    env, setup = started("rotate", lambda s: s.goals[0].turn_deg == -90)
    *_, terminated, _, _ = env.step(turn(dragged(env, setup), -90))
    assert not terminated and "angle off by 180 degrees" in env.failure_reason


def test_turning_about_a_far_point_moves_the_centre_too_far_only_beyond_ten_centimetres():
    """150 degrees about a point r away move the centre by 2 r sin 75 = 1.93 r."""
    env, setup = started("rotate", lambda s: s.goals[0].turn_deg == -150)
    *_, terminated, _, _ = env.step(turn(away(dragged(env, setup).pose, x=0.03), 150))
    assert terminated and env.analysis["position_error_m"] == pytest.approx(0.058, abs=1e-3)


def plain(count):
    return lambda setup: len(setup.goals) == count and setup.blocker is None


def blocked(setup):
    return setup.blocker is not None


def test_objects_are_rearranged_in_any_order_and_progress_counts_them():
    env, setup = started("rearrange", plain(2))
    first, second = setup.goals
    *_, info = env.step(put(env.scene.body(second.body), second.pose))
    assert info["task_progress"] == 0.5 and not info["task_success"]
    *_, info = env.step(put(env.scene.body(first.body), first.pose))
    assert info["task_success"]


def test_a_goal_once_met_stays_met():
    env, setup = started("rearrange", plain(2))
    first, second = setup.goals
    start = env.scene.body(first.body)
    env.step(put(start, first.pose))
    env.step(put(first.pose, start))
    *_, info = env.step(put(env.scene.body(second.body), second.pose))
    assert info["task_success"]


def test_the_blocker_left_on_the_target_fails_only_once_the_object_is_there():
    env, setup = started("rearrange", blocked)
    free = setup.blocker[1]
    goal = setup.goals[0]
    *_, truncated, _ = env.step(put(EMPTY, free))
    assert not truncated
    *_, truncated, info = env.step(put(dragged(env, setup), goal.pose))
    assert truncated and not info["task_success"] and info["task_progress"] == 0.5
    assert env.failure_reason.startswith("blocker left")


def test_the_blocker_moved_away_lets_the_rearrangement_succeed():
    env, setup = started("rearrange", blocked)
    blocker, free = setup.blocker
    env.step(put(env.scene.body(blocker), free))
    *_, info = env.step(put(dragged(env, setup), setup.goals[0].pose))
    assert info["task_success"]


def test_a_distractor_put_on_the_target_fails_a_rearrangement_at_its_end():
    env, setup = started("rearrange", lambda s: s.distractors and not s.blocker)
    *_, truncated, _ = env.step(put(distractor(env, setup), setup.goals[0].pose))
    assert not truncated
    *_, truncated, _ = env.step(put(dragged(env, setup), setup.goals[0].pose))
    assert truncated and env.failure_reason.startswith("wrong object")


def test_orientation_is_not_judged_in_a_rearrangement_but_told_in_the_analysis():
    def turned(setup):
        goal = setup.goals[0]
        yaw = setup.scene.body(goal.body).pose.yaw_deg
        return plain(1)(setup) and 60 < abs(yaw - goal.pose.yaw_deg) < 300 and _asymmetric(setup)

    env, setup = started("rearrange", turned)
    *_, info = env.step(put(dragged(env, setup), setup.goals[0].pose))
    assert info["task_success"] and env.analysis["success_with_orientation"] is False
    yaw_deg = setup.scene.body(setup.goals[0].body).pose.yaw_deg
    env.reset(options={"task": _task_of(env, setup)})
    env.step(turn(dragged(env, setup), yaw_deg - setup.goals[0].pose.yaw_deg))
    *_, info = env.step(put(dragged(env, setup), setup.goals[0].pose))
    assert info["task_success"] and env.analysis["success_with_orientation"] is True


def _asymmetric(setup):
    from journeyman.envs.tabletop.shapes import SHAPES

    return SHAPES[setup.scene.body(setup.goals[0].body).shape].symmetry_deg == 360


def _task_of(env, setup):
    name = env.rules.name
    return next(t for t in env.tasks if setup_of(name, t.subset, t.spec["seed"]) == setup)


def test_restoring_counts_only_after_the_whole_rearrangement():
    env, setup = started("rearrange_then_restore", plain(4))
    start = {goal.body: env.scene.body(goal.body) for goal in setup.goals}
    first, second = setup.goals[:2]
    env.step(put(start[first.body], first.pose))
    *_, info = env.step(put(first.pose, start[first.body]))
    assert info["task_progress"] == 0.25
    *_, info = env.step(put(start[second.body], second.pose))
    assert info["task_progress"] == 0.5 and not info["task_success"]
    *_, info = env.step(put(second.pose, start[second.body]))
    assert info["task_success"]  # the first was back already, and counts now


def test_a_blocker_restored_before_the_object_is_back_is_still_at_a_goal():
    middle = Pose(0.5, 0.0)

    def middle_is_free(setup):
        poses = [setup.blocker[1], *(goal.pose for goal in setup.goals)] if setup.blocker else []
        return bool(poses) and all(distance_m(pose, middle) > 0.22 for pose in poses)

    env, setup = started("rearrange_then_restore", middle_is_free)
    (blocker, free), target = setup.blocker, setup.goals[0].pose
    start, lying = dragged(env, setup), env.scene.body(blocker)
    for pick, place in ((lying, free), (start, target), (target, middle), (free, lying)):
        *_, truncated, info = env.step(put(pick, place))
        assert not truncated and not info["task_success"]
    *_, truncated, info = env.step(put(middle, start))
    assert truncated and not info["task_success"]
    assert env.failure_reason.startswith(("wrong object", "blocker left"))


def test_a_blocker_left_away_lets_the_restoration_succeed():
    env, setup = started("rearrange_then_restore", blocked)
    (blocker, free), target = setup.blocker, setup.goals[0].pose
    start = dragged(env, setup)
    for action in (put(env.scene.body(blocker), free), put(start, target), put(target, start)):
        *_, info = env.step(action)
    assert info["task_success"]


def test_bases_are_reached_in_order_then_the_own_one():
    env, setup = started("pick_in_order_then_restore")
    first, second, origin = (goal.pose for goal in setup.goals)
    progress = []
    for pick, place in ((origin, first), (first, second), (second, origin)):
        *_, info = env.step(put(pick, place))
        progress.append(info["task_progress"])
    assert progress == pytest.approx([1 / 3, 2 / 3, 1]) and info["task_success"]


def test_the_second_base_before_the_first_is_wrong_order():
    env, setup = started("pick_in_order_then_restore")
    *_, truncated, _ = env.step(put(setup.goals[2].pose, setup.goals[1].pose))
    assert truncated and env.failure_reason.startswith("wrong order")


def test_an_empty_base_or_the_own_one_in_between_only_costs_a_step():
    env, setup = started("pick_in_order_then_restore")
    first, second, origin = (goal.pose for goal in setup.goals)
    goals = {goal.base for goal in setup.goals}
    decoy = next(b.pose for b in env.scene.bodies if b.fixed and b.id not in goals)
    stops = [origin, decoy, first, origin, second, origin]
    for pick, place in pairwise(stops):
        *_, truncated, info = env.step(put(pick, place))
        assert not truncated
    assert info["task_success"]


@pytest.mark.parametrize(("gap", "met"), [(0.0499, True), (0.0501, False)])
def test_pick_in_order_counts_within_five_centimetres(gap, met):
    env, setup = started("pick_in_order_then_restore")
    goal = setup.goals[0].pose
    *_, info = env.step(put(setup.goals[2].pose, away(goal, x=gap if goal.x < 0.5 else -gap)))
    assert (info["task_progress"] > 0) is met


@pytest.mark.parametrize(
    ("task", "oracle"),
    list(zip(TASKS, (3, 3, 3, 5, 8, 4), strict=True)),
)
def test_steps_run_out_at_both_limits(task, oracle):
    for steps, limit in (("oracle", oracle), ("lenient", oracle + 2)):
        env, _ = started(task, steps=steps)
        assert env.max_steps == limit
        ends = [env.step(put(EMPTY, EMPTY))[2:4] for _ in range(limit)]
        assert ends == [(False, False)] * (limit - 1) + [(False, True)]
        assert env.failure_reason.startswith("out of steps; missed pick in step 1;")


def test_rearrangements_have_one_to_three_objects_and_a_fifth_is_blocked():
    setups = [setup_of("rearrange", "L1", seed) for seed in range(600)]
    counts = [sum(len(s.goals) == n for s in setups) / 600 for n in (1, 2, 3)]
    assert counts == pytest.approx([0.4, 0.4, 0.2], abs=0.05)
    assert sum(s.blocker is not None for s in setups) / 600 == pytest.approx(0.2, abs=0.04)
    assert all(bool(s.distractors) == (len(s.goals) == 1) for s in setups)


def test_angles_are_uniform_and_clockwise():
    turns = [setup_of("rotate", "L1", seed).goals[0].turn_deg for seed in range(600)]
    shares = [turns.count(-angle) / 600 for angle in (30, 60, 90, 120, 150)]
    assert shares == pytest.approx([0.2] * 5, abs=0.05)


def test_half_of_the_scene_distractors_share_the_objects_texture():
    setups = [setup_of("scene_understanding", "L1", seed) for seed in range(300)]
    same = 0
    for setup in setups:
        other, goal = setup.scene.body(setup.distractors[0]), setup.goals[0]
        thing, base = setup.scene.body(goal.body), setup.scene.body(goal.base)
        alike = other.texture == thing.texture and other.shape != thing.shape
        assert alike or (other.shape == base.shape and other.texture != base.texture)
        same += alike
    assert same / 300 == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("task", TASKS)
def test_things_lie_within_the_workspace_clear_of_each_other(task):
    from journeyman.envs.tabletop.kinematics import bodies_overlap, hull

    for seed in range(40):
        setup = setup_of(task, "L3", seed)
        bodies = setup.scene.bodies
        assert [b.id for b in bodies] == list(range(2, 2 + len(bodies)))
        for thing in bodies:
            corners = hull(thing)
            assert all(0.25 <= x <= 0.75 and -0.5 <= y <= 0.5 for x, y in corners)
        if task != "pick_in_order_then_restore":
            pairs = [(a, b) for a in bodies for b in bodies if a.id < b.id]
            assert not any(bodies_overlap(a, b) for a, b in pairs)


def test_the_order_of_ids_does_not_tell_what_the_task_is_about():
    firsts = [setup_of("visual_manipulation", "L1", seed).goals[0].body for seed in range(60)]
    assert {firsts.count(number) > 10 for number in (2, 3, 4)} == {True}


def test_a_harder_difficulty_distracts_with_look_alikes_and_changes_the_light():
    from journeyman.envs.tabletop.scene import Light
    from journeyman.envs.tabletop.textures import LOOKALIKES

    def alike(difficulty):
        found = 0
        for seed in range(60):
            setup = setup_of("rotate", "L1", seed, difficulty)
            wanted = setup.scene.body(setup.goals[0].body).texture
            found += setup.scene.body(setup.distractors[0]).texture in LOOKALIKES[wanted]
            assert (setup.scene.light == Light()) is (difficulty == "easy")
        return found

    easy, medium, hard = map(alike, ("easy", "medium", "hard"))
    assert easy < medium < hard


def test_a_scene_is_drawn_again_until_its_things_have_room():
    import numpy as np

    from journeyman.envs.tabletop.tasks.drawing import Unplaceable

    class Crowded(Rearrange):
        tries = 0

        def sample(self, draw):
            Crowded.tries += 1
            if Crowded.tries < 3:
                raise Unplaceable
            return super().sample(draw)

    setup = sample(Crowded(), np.random.default_rng(0), "L1", "easy")
    assert Crowded.tries == 3 and demonstration(setup)
