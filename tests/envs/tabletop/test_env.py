"""The environment's contract: arguments, feedback, pictures, seeds, levels, what stays untold."""

import hashlib
import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from journeyman import api
from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.registry import registry
from journeyman.core.values import Action, Task
from journeyman.envs.check import check_env
from journeyman.envs.tabletop import TASKS, TabletopEnv
from journeyman.envs.tabletop.levels import pools
from journeyman.envs.tabletop.prompt import EXECUTED
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks import ObjectPicture
from journeyman.envs.tabletop.taskset import read_spec, setup_of
from journeyman.envs.tabletop.textures import TEXTURES
from tests.envs.tabletop.scenes import put, started, turn

IDS = [entry.name for entry in registry().entries("env") if entry.name.startswith("tabletop")]
HARDER = [f"{prefix}{task}-v0" for prefix in IDS if prefix.endswith("/") for task in TASKS]
IDENTITY = (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("name", [name for name in IDS if not name.endswith("/")] + HARDER)
def test_every_id_keeps_the_contract(name):
    assert check_env(api.make(name, episodes=1, resolution=(64, 128))) == []


def test_all_tasks_are_registered_with_pictures_and_described():
    expected = {
        f"{kind}/{task}-v0" for kind in ("tabletop", "tabletop-described") for task in TASKS
    }
    assert {name for name in IDS if not name.endswith("/")} == expected


@pytest.mark.parametrize(
    ("action", "why"),
    [
        (put((0.5, math.nan), (0.5, 0.0)), "y of pick_location has to be from -0.5 to 0.5 metres"),
        (put((0.5, math.inf), (0.5, 0.0)), "y of pick_location has to be from -0.5 to 0.5 metres"),
        (put((0.5, 0.0), (0.76, 0.0)), "x of place_location has to be from 0.25 to 0.75 metres"),
        (put((0.5, 0.0), (0.5, 0.0, 0.1)),
         "place_location has to be a list of two numbers, [x, y]"),
        (put((0.5, True), (0.5, 0.0)), "y of pick_location has to be a number"),
        (put(("0.5", 0.0), (0.5, 0.0)), "x of pick_location has to be a number"),
        (Action(0, "PickPlace", {"pick_location": "0.5, 0", "place_location": [0.5, 0]}),
         "pick_location has to be a list of two numbers, [x, y]"),
        (Action(0, "PickPlace"), "PickPlace needs pick_location"),
        (0, "PickPlace needs pick_location"),
        (Action(0, "PickPlace", {"pick_location": [0.5, 0]}), "PickPlace needs place_location"),
        (Action(1, "PickRotate", {"pick_location": [0.5, 0], "angle_deg": 30, "force": 2}),
         "PickRotate has no argument force; it has pick_location and angle_deg"),
        (turn((0.5, 0.0), 361), "angle_deg has to be from -360 to 360 degrees"),
        (turn((0.5, 0.0), math.nan), "angle_deg has to be from -360 to 360 degrees"),
        (turn((0.5, 0.0), 10**400), "angle_deg has to be from -360 to 360 degrees"),
        (turn((0.5, 0.0), None), "angle_deg has to be a number"),
        (Action(2, "Push"),
         "there is no skill with id 2; there are 0 (PickPlace) and 1 (PickRotate)"),
        (-1, "there is no skill with id -1; there are 0 (PickPlace) and 1 (PickRotate)"),
        (True, "there is no skill with id True; there are 0 (PickPlace) and 1 (PickRotate)"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_counted_and_moves_nothing(action, why):
    env, setup = started("visual_manipulation")
    _, reward, terminated, truncated, info = env.step(action)
    assert info["env_feedback"] == f"The action was not carried out: {why}."
    assert (info["last_action_success"], info["num_invalid_actions"]) == (False, 1)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert env.scene == setup.scene and "invalid action in step 1" in env.failure_reason


def test_a_pick_on_the_empty_table_is_carried_out_and_moves_nothing():
    env, setup = started("visual_manipulation")
    *_, info = env.step(put((0.2501, 0.4999), (0.5, 0.0)))
    assert info["env_feedback"] == EXECUTED and info["last_action_success"]
    assert env.scene == setup.scene
    assert env.failure_reason.startswith("unfinished; missed pick in step 1; goal 1 of 1")


def test_invalid_actions_use_up_the_steps():
    env, _ = started("rotate", steps="oracle")
    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("kind", [list, tuple, np.float32, np.float64])
def test_a_pair_of_poses_does_what_the_skills_do(kind):
    def given(values):
        return kind(values) if kind in (list, tuple) else np.array(values, kind)

    env, setup = started("rotate", lambda s: s.goals[0].turn_deg == -60)
    pose = setup.scene.body(setup.goals[0].body).pose
    half = math.radians(-60) / 2
    turned = (0.0, 0.0, math.sin(half), math.cos(half))
    place = (pose.x, pose.y)
    *_, info = env.step_poses(given(place), given(IDENTITY), given(place), given(turned))
    assert info["task_success"]


def test_only_the_difference_of_two_yaws_turns():
    env, setup = started("rotate", lambda s: s.goals[0].turn_deg == -60)
    pose = setup.scene.body(setup.goals[0].body).pose
    yaws = [(0.0, 0.0, math.sin(a / 2), math.cos(a / 2)) for a in map(math.radians, (45, -15))]
    *_, info = env.step_poses((pose.x, pose.y), yaws[0], (pose.x, pose.y), yaws[1])
    assert info["task_success"]


@pytest.mark.parametrize(
    ("position", "rotation", "why"),
    [
        ((0.5, 0.0), (0, 0, 0, 0), "pose0_rotation must not be of length 0"),
        ((0.5, 0.0), (0, 0, 1), "pose0_rotation has to be a list of four numbers, [x, y, z, w]"),
        ((0.5, 0.0), (0, 0, 0, 1.1), "each of pose0_rotation has to be from -1 to 1"),
        ((0.5, math.nan), IDENTITY, "y of pose0_position has to be from -0.5 to 0.5 metres"),
        ((0.2, 0.0), IDENTITY, "x of pose0_position has to be from 0.25 to 0.75 metres"),
        (None, IDENTITY, "pose0_position has to be a list of two numbers, [x, y]"),
    ],
)
def test_a_pose_that_is_none_is_refused(position, rotation, why):
    env, _ = started("rotate")
    *_, info = env.step_poses(position, rotation, (0.5, 0.0), IDENTITY)
    assert info["env_feedback"] == f"The action was not carried out: {why}."
    assert info["num_invalid_actions"] == 1


@pytest.mark.parametrize("task", TASKS)
def test_only_the_instruction_tells_an_agent_what_things_are(task):
    env = TabletopEnv(f"tabletop/{task}-v0", episodes=4)
    names = {*SHAPES, *TEXTURES} - {"pan", "red", "round", "block", "square", "frame", "container"}
    for each in env.tasks:
        obs, _ = env.reset(options={"task": each})
        texts = [obs.text]
        for text in ("PickPlace(pick_location=[0.26, 0.4])", *each.demonstration):
            obs, *_, info = env.step(env.library().read(text))
            texts += [obs.text, info["env_feedback"]]
        assert not [name for name in names if any(name in text for text in texts)]
        assert len({*texts[1::2]}) == 1 and each.view().instruction == each.instruction
        assert task == "scene_understanding" or not any(n in each.instruction for n in TEXTURES)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_carried_out_once_an_episode_is_over(task):
    env, setup = started(task)
    actions = [env.library().read(text) for text in _demonstration(setup)]
    for action in actions:
        *_, terminated, _, info = env.step(action)
    assert terminated and info["task_success"]
    scene = env.scene
    for again in (actions[-1], Action(7, "no skill")):
        with pytest.raises(ConfigError, match="the last one is over"):
            env.step(again)
    with pytest.raises(ConfigError, match="the last one is over"):
        env.step_poses([0.5, 0], [0, 0, 0, 1], [0.5, 0.1], [0, 0, 0, 1])
    assert env.scene is scene and env.failure_reason == ""
    env.reset()
    for _ in range(env.max_steps):
        *_, truncated, _ = env.step(Action(7, "no skill"))
    assert truncated
    with pytest.raises(ConfigError, match="the last one is over"):
        env.step(actions[0])


@pytest.mark.parametrize("task", TASKS)
def test_feedback_is_the_same_for_right_and_wrong_actions(task):
    env, setup = started(task)
    right = env.step(env.library().read(_demonstration(setup)[0]))[-1]["env_feedback"]
    env, _ = started(task)
    wrong = env.step(put((0.2501, 0.4999), (0.5, 0.0)))[-1]["env_feedback"]
    assert right == wrong == EXECUTED


def _demonstration(setup):
    from journeyman.envs.tabletop.oracle import demonstration

    return [str(action) for action in demonstration(setup)]


def test_pictures_stand_for_the_names_in_the_instruction():
    for task in TASKS:
        env, setup = started(task, resolution=(64, 128))
        obs, _ = env.reset()
        named = {name for name in setup.pictures if f"{{{name}}}" in setup.instruction}
        assert obs.prompt_pictures.keys() == named == setup.pictures.keys()
        views = [obs["image"], obs["front"], *obs.prompt_pictures.values()]
        assert {view.shape for view in views} == {(64, 128, 3)}
        assert "masks" not in obs and "masks/front" not in obs


def test_masks_come_only_where_they_are_asked_for_and_hold_the_ids():
    env = TabletopEnv("tabletop/rearrange-v0", masks=True)
    obs, _ = env.reset()
    ids = {body.id for body in read_spec(env.tasks[0], env.id).scene.bodies}
    assert set(np.unique(obs["masks"])) - {0, 1} == ids
    assert obs["masks/front"].shape == (128, 256)


def test_an_observation_stays_what_it_was_when_looked_at_late():
    env, _ = started("visual_manipulation")
    early, _ = env.reset()
    before, _ = env.reset()
    start = before["image"].copy()
    read = [env.library().read(text) for text in env.tasks[0].demonstration]
    after, *_ = env.step(read[0])
    assert (early["image"] == start).all() and (after["image"] != start).any()


def test_the_text_gives_the_exact_way_from_pixels_to_metres():
    env, _ = started("rotate", resolution=(256, 512))
    obs, _ = env.reset()
    assert "256 pixels high and 512 wide" in obs.text and "x = 0.2480 + 0.001987 * row" in obs.text


def test_the_described_variant_has_no_picture_and_says_what_is_where():
    env = TabletopEnv("tabletop-described/visual_manipulation-v0", described=True)
    setup = read_spec(env.tasks[0], env.id)
    obs, _ = env.reset()
    assert list(obs) == ["text"]
    for body in setup.scene.bodies:
        assert f"{TEXTURES[body.texture].words} {SHAPES[body.shape].words} at [" in obs.text
    base = setup.scene.body(setup.goals[0].base)
    assert f"{{base}} is a picture of a {base.texture} {base.shape}." in obs.text
    obs, *_ = env.step(env.library().read(env.tasks[0].demonstration[0]))
    assert f"in the {base.texture} {base.shape}" in obs.text


def _fingerprint(task, difficulty):
    env = TabletopEnv(f"tabletop/{task}-v0", difficulty=difficulty, masks=True)
    digest = hashlib.sha256()
    for each in (env.tasks[3], env.tasks[403]):
        obs, _ = env.reset(options={"task": each})
        digest.update(repr((each, env.scene)).encode())
        for key in obs:
            digest.update(obs[key].encode() if key == "text" else obs[key].tobytes())
    return digest.hexdigest()


FINGERPRINT = """
from tests.envs.tabletop.test_env import _fingerprint
from journeyman.envs.tabletop import TASKS
print([_fingerprint(task, d) for d in ("hard", "easy") for task in TASKS])
"""


def test_the_same_seed_gives_the_same_bytes_here_and_in_another_process():
    here = [_fingerprint(task, d) for d in ("hard", "easy") for task in TASKS]
    assert here == [_fingerprint(task, d) for d in ("hard", "easy") for task in TASKS]
    command = [sys.executable, "-c", FINGERPRINT]
    other = subprocess.run(command, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(here)


def test_many_environments_run_side_by_side():
    envs = [TabletopEnv("tabletop/rearrange_then_restore-v0", episodes=4) for _ in range(3)]
    plans = []
    for env, task in zip(envs, envs[0].tasks, strict=False):
        env.reset(options={"task": task})
        plans.append([env.library().read(text) for text in task.demonstration])
    done = [False] * 3
    for step in range(max(map(len, plans))):
        for number, (env, plan) in enumerate(zip(envs, plans, strict=True)):
            if step < len(plan):
                done[number] = env.step(plan[step])[-1]["task_success"]
    assert done == [True] * 3


def test_a_task_set_has_two_hundred_episodes_a_level_each_of_its_own_seed():
    tasks = TabletopEnv("tabletop/rotate-v0").tasks
    assert [sum(t.subset == level for t in tasks) for level in ("L1", "L2", "L3")] == [200] * 3
    assert tasks[417].spec == {"seed": 17, "level": "L3", "task": "rotate"}
    assert tasks[-1].id == "rotate-L3-0199" and len(tasks[5:8]) == 3
    other = TabletopEnv("tabletop/rotate-v0", episodes=2, first_seed=17).tasks
    assert other[4].instruction == tasks[417].instruction
    assert other[4].demonstration == tasks[417].demonstration


def test_a_task_that_came_through_json_is_the_same_episode():
    env, _ = started("scene_understanding")
    task = env.tasks[3]
    again = Task(**json.loads(json.dumps(
        {"id": "x", "env": env.id, "subset": "", "instruction": "", "spec": task.spec}
    )))  # fmt: skip
    env.reset(options={"task": again})
    scene = env.scene
    env.reset(options={"task": task})
    assert env.scene == scene


def test_levels_draw_from_their_own_shapes_and_textures():
    seen = {}
    for level in ("L1", "L2", "L3"):
        env = TabletopEnv("tabletop/visual_manipulation-v0", episodes=60)
        for task in (t for t in env.tasks if t.subset == level):
            setup = read_spec(task, env.id)
            thing, base = setup.pictures["object"], setup.pictures["base"]
            assert thing.shape in pools(level).dragged and base.shape in pools(level).bases
            assert thing.texture in pools(level).dragged_textures
            assert base.texture in pools(level).base_textures
            seen.setdefault(level, set()).add(thing)
    assert all(isinstance(thing, ObjectPicture) for thing in seen["L1"])


def test_the_partitions_hold_out_shapes_textures_and_combinations():
    first, second, third = map(pools, ("L1", "L2", "L3"))
    assert (first.dragged, first.bases) == (second.dragged, second.bases)
    assert (first.dragged_textures, first.base_textures) == (
        second.base_textures,
        second.dragged_textures,
    )
    assert not {*first.dragged_textures} & {*first.base_textures}
    assert not {*first.dragged, *first.bases} & {*third.dragged, *third.bases}
    trained = {*first.dragged_textures, *first.base_textures}
    assert len({*third.textures} - trained) == 10 and trained < {*third.textures}
    assert {*first.dragged, *first.bases, *third.dragged, *third.bases} <= {*SHAPES}
    assert (len(third.dragged_textures), len(third.base_textures)) == (24, 25)
    grids = [setup_of("pick_in_order_then_restore", "L3", seed).scene for seed in range(30)]
    assert {b.shape for scene in grids for b in scene.bodies if b.fixed} == {"pallet"}
    letters = [setup_of("rotate", "L3", seed).scene for seed in range(30)]
    assert {b.shape for scene in letters for b in scene.bodies} == {"letter R"}


def test_settings_and_tasks_that_do_not_fit_are_named():
    with pytest.raises(UnknownName, match="Did you mean 'rotate'"):
        TabletopEnv("tabletop/rotat-v0")
    for setting in ({"steps": "none"}, {"difficulty": "L1"}, {"resolution": (4, 4)},
                    {"episodes": 0}, {"first_seed": -1}):  # fmt: skip
        with pytest.raises(ConfigError, match=next(iter(setting))):
            TabletopEnv("tabletop/rotate-v0", **setting)
    env = TabletopEnv("tabletop/rotate-v0")
    with pytest.raises(ConfigError, match="no episode is running"):
        env.step(0)
    other = TabletopEnv("tabletop/rearrange-v0").tasks[0]
    with pytest.raises(ConfigError, match="cannot run it"):
        env.reset(options={"task": other})
    with pytest.raises(ConfigError, match="cannot run it"):
        env.reset(options={"task": replace(other, spec={})})


def test_the_pose_space_is_the_original_benchmarks():
    env, _ = started("rotate")
    action = {
        "pose0_position": np.array([0.25, -0.5], np.float32),
        "pose0_rotation": np.array(IDENTITY, np.float32),
        "pose1_position": np.array([0.75, 0.5], np.float32),
        "pose1_rotation": np.array(IDENTITY, np.float32),
    }
    assert env.pose_space.contains(action)
    assert env.step_poses(**action)[-1]["last_action_success"]
