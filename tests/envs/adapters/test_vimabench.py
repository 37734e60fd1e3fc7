"""The adapter to VIMABench: against a stand-in checkout everywhere, against a real one if given."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from journeyman import cli
from journeyman.core.errors import ConfigError, DataError, MissingExtra, SimulatorFault, UnknownName
from journeyman.core.registry import registry
from journeyman.envs.adapters.vimabench import VimaBenchEnv, checkout
from journeyman.envs.adapters.vimabench.simulation import (
    STEPS_A_MOTION,
    SecondEnvironment,
    Simulation,
)
from journeyman.envs.check import check_env, check_experts
from journeyman.envs.tabletop import TASKS, TabletopEnv
from tests.envs.adapters import small_vimabench

NAME = "vimabench/visual_manipulation"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A stand-in checkout, and modules that stand in for what it imports."""
    kept = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == "vima_bench"}
    small_vimabench.forget()
    monkeypatch.delenv("JOURNEYMAN_VIMABENCH", raising=False)
    monkeypatch.setattr(checkout, "NEEDS", {"pybullet": "pybullet", "gym": "gym"})
    monkeypatch.setattr(Simulation, "_living", None)
    monkeypatch.setitem(sys.modules, "pybullet", small_vimabench.pybullet())
    monkeypatch.setitem(sys.modules, "gym", small_vimabench.gym())
    yield small_vimabench.write(tmp_path)
    small_vimabench.forget()
    sys.modules.update(kept)


@pytest.fixture
def env(folder):
    made = VimaBenchEnv(NAME, vimabench=folder)
    yield made
    made.close()


def put(env, pick, place):
    """The action, with the offset of the stand-in's scene added to x."""
    x = small_vimabench.BODIES[6][0] - 0.5
    skill = env.library().by_name["PickPlace"]
    given = [[pick[0] + x, pick[1]], [place[0] + x, place[1]]]
    return replace(
        skill, arguments=dict(zip(("pick_location", "place_location"), given, strict=True))
    )


OBJECT, BASE, RING, NOWHERE = (0.5, -0.2), (0.5, 0.2), (0.35, 0.0), (0.6, 0.0)


# What is missing is said in one sentence with the next command.


def test_without_a_checkout_it_says_how_to_give_one(folder):
    with pytest.raises(DataError) as caught:
        VimaBenchEnv(NAME)
    assert str(caught.value) == (
        "the real VIMA-Bench needs a checkout, and none is given.\n"
        "  Give --vimabench DIR, or set JOURNEYMAN_VIMABENCH, to your checkout of VIMABench."
    )


def test_a_folder_that_is_no_checkout_is_named(folder, tmp_path):
    with pytest.raises(DataError) as caught:
        VimaBenchEnv(NAME, vimabench=tmp_path / "elsewhere")
    assert caught.value.message == (
        f"no checkout of VIMABench in '{tmp_path / 'elsewhere'}': there is no vima_bench/ in it."
    )


def test_a_missing_package_names_the_extra(folder, monkeypatch):
    monkeypatch.setattr(checkout, "NEEDS", {"no_such_module": "pybullet"})
    with pytest.raises(MissingExtra) as caught:
        VimaBenchEnv(NAME, vimabench=folder)
    assert str(caught.value) == (
        f"'{NAME}' needs the package pybullet.\n"
        '  Install it with: pip install "journeyman[vimabench]"'
    )


def test_what_the_extra_installs_is_what_the_checkout_needs():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    listed = {line.partition(">")[0] for line in project["optional-dependencies"]["vimabench"]}
    assert listed == set(checkout.NEEDS.values())


def test_a_broken_checkout_is_said_to_be_and_can_be_mended(folder):
    code = folder / "vima_bench" / "tasks" / "__init__.py"
    whole = code.read_text()
    code.write_text("raise FileNotFoundError('assets')")
    with pytest.raises(DataError, match=r"cannot be imported: FileNotFoundError: assets\."):
        VimaBenchEnv(NAME, vimabench=folder)
    code.write_text(whole + "\n")
    assert VimaBenchEnv(NAME, vimabench=folder).id == NAME


def test_a_second_checkout_in_one_process_is_refused(env, tmp_path):
    other = small_vimabench.write(tmp_path / "other")
    with pytest.raises(DataError, match="another checkout of VIMABench is in use"):
        VimaBenchEnv(NAME, vimabench=other)


def test_an_unknown_task_or_setting_is_refused(folder):
    with pytest.raises(UnknownName, match="Did you mean 'rotate'"):
        VimaBenchEnv("vimabench/rotat", vimabench=folder)
    with pytest.raises(ConfigError, match="steps: 'many' is none of oracle, lenient"):
        VimaBenchEnv(NAME, vimabench=folder, steps="many")


# The checkout is found and imported without a trace.


def test_the_variable_the_package_folder_and_a_data_folder_find_it(folder, monkeypatch):
    assert checkout.locate(folder / "vima_bench") == folder.resolve()
    assert VimaBenchEnv(NAME, data=folder).id == NAME
    monkeypatch.setenv("JOURNEYMAN_VIMABENCH", str(folder))
    made = registry().find("env", NAME).load()(NAME, task="visual_manipulation")
    assert isinstance(made, VimaBenchEnv)


def test_importing_it_leaves_path_and_modules_as_they_were(folder):
    before = list(sys.path)
    absent = [name for name in checkout.STAND_INS if importlib.util.find_spec(name) is None]
    checkout.load(folder.resolve(), NAME)
    assert sys.path == before
    assert not [name for name in absent if name in sys.modules]


def test_nothing_that_it_prints_reaches_standard_output(folder, capfd):
    env = VimaBenchEnv(NAME, vimabench=folder)
    env.reset()
    env.step(put(env, OBJECT, NOWHERE))
    env.close()
    os.write(1, b"ours")
    assert capfd.readouterr().out == "ours"


def test_the_option_of_the_command_line_finds_it(folder, monkeypatch, capfd):
    monkeypatch.setenv("JOURNEYMAN_VIMABENCH", "elsewhere")
    assert cli.run(["check", NAME, "--vimabench", str(folder), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["problems"] == []
    monkeypatch.setenv("JOURNEYMAN_VIMABENCH", "elsewhere")
    assert cli.run(["check", NAME]) == 2
    assert "no checkout of VIMABench in 'elsewhere'" in capfd.readouterr().err


# Episodes.


def test_there_are_200_episodes_a_level_each_with_a_seed_of_its_own(env):
    assert len(env.tasks) == 600
    assert [env.tasks[i].id for i in (0, 199, 200, 599)] == [
        "visual_manipulation-L1-0000",
        "visual_manipulation-L1-0199",
        "visual_manipulation-L2-0000",
        "visual_manipulation-L3-0199",
    ]
    assert len({task.spec["seed"] for task in env.tasks}) == 600
    assert env.tasks[250].subset == "L2" and env.tasks[-1] == env.tasks[599]


def test_instructions_are_the_tabletops_word_for_word(env):
    ours = TabletopEnv("tabletop/visual_manipulation-v0")
    assert env.tasks[0].instruction == ours.tasks[0].instruction
    assert env.library() == ours.library()


def test_the_seed_reaches_the_inner_environment_and_decides_the_scene(env):
    first, other = env.tasks[0], env.tasks[1]
    env.reset(seed=1, options={"task": first})
    scene = env.scene
    assert env.simulation.env.seeds == [first.spec["seed"]]
    env.reset(options={"task": other})
    assert env.scene != scene
    env.reset(seed=2, options={"task": first})
    assert env.scene == scene


def test_each_level_takes_its_own_objects(env):
    env.reset(options={"task": env.tasks[450]})
    assert env.simulation.task.level == "novel_object"
    assert env.simulation.task.difficulty == "easy"
    assert env.simulation.env.modalities == ["rgb"]


def test_a_task_of_another_environment_is_refused(env):
    ours = TabletopEnv("tabletop/visual_manipulation-v0")
    with pytest.raises(ConfigError, match=r"is no episode of vimabench/visual_manipulation"):
        env.reset(options={"task": ours.tasks[0]})


def test_the_keys_and_shapes_of_observations_are_the_tabletops(env):
    obs, info = env.reset()
    ours, our_info = TabletopEnv("tabletop/visual_manipulation-v0").reset()
    assert set(obs) == set(ours) and info == our_info
    assert obs.text == ours.text
    assert all(obs[key].shape == ours[key].shape for key in obs if key != "text")
    assert obs["image"][3, 4].tolist() == [10, 20, 0]
    assert obs["front"][3, 4].tolist() == [11, 21, 1]
    assert obs["prompt/object"].max() == 1


def test_success_ends_the_episode(env):
    env.reset()
    _, reward, terminated, truncated, info = env.step(put(env, OBJECT, BASE))
    assert (reward, terminated, truncated, info["task_success"]) == (1.0, True, False, True)
    assert info["env_feedback"] == "The action was carried out."
    assert env.failure_reason == "" and env.analysis["success_inside"] is True
    with pytest.raises(ConfigError, match="no episode is running"):
        env.step(put(env, OBJECT, BASE))


def test_a_failure_ends_it_too_and_is_told_in_the_tabletops_words(env):
    env.reset()
    _, _, terminated, truncated, info = env.step(put(env, RING, BASE))
    assert (terminated, truncated, info["task_success"]) == (False, True, False)
    assert env.failure_reason == (
        "wrong object: a distractor was put at a goal; wrong object moved in step 1; "
        "goal 1 of 1: position off by 0.40 m"
    )


def test_missed_picks_and_unreadable_actions_go_into_the_reason(env):
    env.reset()
    env.step(put(env, NOWHERE, BASE))
    _, _, _, _, info = env.step(replace(env.library().actions[0], arguments={"pick": 1}))
    assert info["num_invalid_actions"] == 1 and info["last_action_success"] is False
    assert info["env_feedback"].startswith("The action was not carried out: ")
    assert env.failure_reason == (
        "unfinished; missed pick in step 1; invalid action in step 2; "
        "goal 1 of 1: position off by 0.40 m"
    )


def test_the_oracles_limit_is_two_steps_shorter(folder):
    for steps, limit in (("oracle", 3), ("lenient", 5)):
        env = VimaBenchEnv(NAME, vimabench=folder, steps=steps)
        env.reset()
        ends = [env.step(put(env, NOWHERE, BASE))[3] for _ in range(limit)]
        assert ends == [False] * (limit - 1) + [True]
        assert env.failure_reason.startswith("out of steps")


def test_a_motion_that_gives_up_ends_the_episode_after_a_count_of_steps(env):
    env.reset()
    clock = sys.modules["vima_bench.env.base"].time
    before = clock.steps
    straight = [0, 0, 0, 1]
    _, _, terminated, truncated, _ = env.step_poses([0.5, 0], straight, [0.75, 0], straight)
    assert truncated and not terminated
    assert env.failure_reason.startswith("motion timed out")
    assert STEPS_A_MOTION <= clock.steps - before <= STEPS_A_MOTION + 3


def test_the_benchmarks_own_action_is_taken_too(env):
    env.reset()
    base = small_vimabench.BODIES[6]
    pick = np.array(small_vimabench.BODIES[5][:2], np.float32)
    straight = np.array([0, 0, 0, 1], np.float32)
    _, _, terminated, _, _ = env.step_poses(
        pick, straight, np.array(base[:2], np.float32), straight
    )
    assert terminated


def test_demonstrations_are_found_when_asked_for_and_solve_the_task(env):
    assert env.tasks[0].demonstration is None
    assert check_experts(env, env.tasks[:2]) == [
        {"task": "visual_manipulation-L1-0000", "success": True, "reason": ""},
        {"task": "visual_manipulation-L1-0001", "success": True, "reason": ""},
    ]


def test_it_keeps_the_contract_of_environments(env):
    assert check_env(env) == []


# One environment a process.


def test_a_second_environment_waits_until_the_first_ones_episode_is_over(folder, env):
    env.reset()
    second = VimaBenchEnv(NAME, vimabench=folder)
    with pytest.raises(SecondEnvironment, match="is in the middle of an episode"):
        second.reset()
    first = env.simulation.env
    env.step(put(env, OBJECT, BASE))
    second.reset()
    assert first.closed
    second.close()
    env.reset()
    assert not env.simulation.env.closed


def test_another_connection_to_the_physics_is_refused(folder, monkeypatch):
    env = VimaBenchEnv(NAME, vimabench=folder)
    monkeypatch.setattr(sys.modules["vima_bench.env.base"].Env, "client_id", 1)
    with pytest.raises(SecondEnvironment, match="something else in this process"):
        env.reset()


def test_a_scene_without_room_and_another_wording_are_faults_of_the_simulator(env, monkeypatch):
    inner = sys.modules["vima_bench.env.base"].Env

    def full(self):
        raise ValueError("Error in sampling distractors")

    with monkeypatch.context() as patch:
        patch.setattr(inner, "reset", full)
        with pytest.raises(
            SimulatorFault, match=r"could not set up seed \d+ of .* Error in sampling"
        ):
            env.reset()
    whole = inner.reset

    def reworded(self):
        looks = whole(self)
        self.prompt = "Drop it."
        return looks

    monkeypatch.setattr(inner, "reset", reworded)
    with pytest.raises(SimulatorFault, match=r"says 'Drop it\.' where 'Put the"):
        env.reset()


# The real thing.


@pytest.fixture
def real():
    given = os.environ.get("JOURNEYMAN_VIMABENCH")
    if not given:
        pytest.skip("JOURNEYMAN_VIMABENCH names no checkout of VIMABench")
    absent = [n for n in checkout.NEEDS if importlib.util.find_spec(n) is None]
    if absent:
        pytest.skip(f"the extra [vimabench] is not installed: {', '.join(absent)}")
    made = []

    def make(task):
        made.append(VimaBenchEnv(f"vimabench/{task}", vimabench=given))
        return made[-1]

    yield make
    for env in made:
        env.close()


@pytest.mark.parametrize("task", TASKS)
def test_real_episodes_are_solved_by_their_demonstration(real, task):
    env = real(task)
    [result] = check_experts(env, [env.tasks[400]])
    assert result["reason"] == ""
    assert env.scene.bodies and env.analysis["position_error_m"] < 0.02


def test_real_episodes_hang_on_their_seed_alone(real):
    env = real("rotate")
    task = env.tasks[7]
    obs, _ = env.reset(options={"task": task})
    picture, scene = obs["image"].copy(), env.scene
    env.reset(options={"task": env.tasks[8]})
    assert env.scene != scene
    again, _ = env.reset(options={"task": task})
    assert env.scene == scene and np.array_equal(again["image"], picture)


def test_real_and_kinematic_outcomes_agree_on_a_few_actions(real):
    from journeyman.envs.adapters.vimabench.rebuilt import setup_of
    from journeyman.envs.tabletop.judging import Record
    from journeyman.envs.tabletop.kinematics import distance_m
    from journeyman.envs.tabletop.skills import PickPlace

    env = real("pick_in_order_then_restore")
    env.reset(options={"task": env.tasks[0]})
    setup = setup_of(env.simulation)
    record, scene = Record(TASKS[env.rules.name], setup), setup.scene
    for step, goal in enumerate(setup.goals, start=1):
        pose = scene.body(goal.body).pose
        asked = PickPlace((pose.x, pose.y), (goal.pose.x + 0.01, goal.pose.y - 0.01))
        result = env.simulation.act(asked.pick, asked.place, 0.0)
        scene = record.execute(scene, asked, step)
        lying = next(thing for thing in env.simulation.lying() if thing.id == goal.body)
        assert (result.success, result.failure) == (
            record.judgement.success,
            bool(record.judgement.failure),
        )
        place = replace(pose, x=lying.x, y=lying.y)
        assert distance_m(scene.body(goal.body).pose, place) < 0.01
    assert result.success


def test_the_commands_own_output_is_all_that_reaches_standard_output(real):
    code = (
        "import json\n"
        "from journeyman.envs.adapters.vimabench import VimaBenchEnv\n"
        "env = VimaBenchEnv('vimabench/rearrange')\n"
        "env.reset()\n"
        "env.close()\n"
        "print(json.dumps({'tasks': len(env.tasks)}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"tasks": 600}
    assert done.stderr == ""
