import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, DataError, UnknownName
from journeyman.core.protocols import EmbodiedEnv
from journeyman.core.values import Action, Task
from journeyman.envs.check import check_env
from journeyman.envs.household import HouseholdEnv, prompt, taskset
from journeyman.envs.household.simulator import Faults
from tests.envs.household.kitchen import CABINET, CABINET_2, HandEnv, kitchen, task

PUT = "put down the object in hand"
SOLVE = ("find a Fork", "pick up the Fork", "find a Sink", PUT)
INFO = {
    "task_success",
    "task_progress",
    "last_action_success",
    "env_feedback",
    "num_invalid_actions",
}


def play(env, *actions):
    for name in actions:
        result = env.step(env.library().by_name[name])
    return result


def test_it_keeps_the_contract_of_environments():
    env = HandEnv(task(demonstration=SOLVE))
    assert isinstance(env, EmbodiedEnv)
    assert check_env(env) == []


def test_success_ends_the_episode_at_once_with_reward_one():
    env = HandEnv()
    _, info = env.reset()
    assert set(info) == INFO
    assert info["task_success"] is False and info["env_feedback"] == ""
    *_, first = play(env, *SOLVE[:3])
    assert first["last_action_success"] and first["task_progress"] == 0.0
    _, reward, terminated, truncated, info = play(env, PUT)
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["task_success"] is True and info["task_progress"] == 1.0
    assert info["env_feedback"] == "Last action executed successfully."


def test_an_invalid_action_is_told_with_the_benchmarks_prefix_and_counted():
    env = HandEnv()
    env.reset()
    _, reward, _, _, info = play(env, "open the Safe")
    assert info["env_feedback"] == (
        "Last action is invalid. Cannot find Safe to open. Find the object before opening it"
    )
    assert info["num_invalid_actions"] == 1 and not info["last_action_success"] and reward == 0.0


def test_ten_invalid_actions_end_the_episode():
    env = HandEnv()
    env.reset()
    ends = [play(env, "open the Safe")[3] for _ in range(10)]
    assert ends == [False] * 9 + [True]


def test_thirty_steps_end_the_episode():
    env = HandEnv()
    env.reset()
    ends = [play(env, "find a Fork")[3] for _ in range(30)]
    assert ends == [False] * 29 + [True]


def test_reset_starts_anew():
    env = HandEnv()
    env.reset()
    play(env, "open the Safe", *SOLVE)
    obs, info = env.reset()
    assert info["num_invalid_actions"] == 0 and not info["task_success"]
    assert obs.text == HandEnv().reset()[0].text


def test_only_the_id_of_an_action_is_executed():
    env = HandEnv()
    env.reset()
    number = env.library().by_name["find a Fork"].id
    assert env.step(Action(number, "open the Safe"))[4]["last_action_success"]
    assert env.step(number)[4]["last_action_success"]


def test_a_step_before_reset_or_with_an_id_outside_the_list_is_an_error():
    env = HandEnv()
    with pytest.raises(ConfigError, match="step before reset"):
        env.step(0)
    env.reset()
    with pytest.raises(
        ConfigError, match=f"action id 999 is not in the list 0 to {len(env.library()) - 1}"
    ):
        env.step(999)
    with pytest.raises(ConfigError, match="action id -1"):
        env.step(-1)


def test_the_task_given_to_reset_is_played_and_scenes_may_be_json():
    env = HandEnv()
    other = task(json.loads(json.dumps(kitchen().to_json())), parent_target="Fridge")
    env.reset(options={"task": other})
    *_, terminated, _, info = play(env, "find a Fork", "pick up the Fork", "find a Sink", PUT)
    assert not terminated and info["task_progress"] == 0.0


def test_a_task_of_another_world_is_refused():
    foreign = Task("t", "tabletop/L1", "L1", "Stack.", {})
    with pytest.raises(ConfigError, match="task 't' of tabletop/L1 has no scene and goal"):
        HandEnv().reset(options={"task": foreign})


def test_the_library_lists_the_actions_of_the_scene_with_role_rules_and_examples():
    env = HandEnv()
    env.reset()
    library = env.library()
    assert [a.id for a in library.actions] == list(range(len(library)))
    assert library.actions[-1].name == "find a Apple_2"
    assert env.action_space.n == len(library)
    assert all(f"- {skill}:" in library.rules for skill in ("find", "pick up", "put down", "slice"))
    assert 3 <= len(library.examples) <= 10


def test_examples_are_replies_in_the_benchmarks_format_with_valid_ids():
    env = HandEnv()
    env.reset()
    for example in prompt.examples():
        instruction, reply = example.split("\n", 1)
        assert instruction.startswith("Instruction: ")
        parsed = json.loads(reply)
        assert list(parsed) == [
            "visual_state_description",
            "reasoning_and_reflection",
            "language_plan",
            "executable_plan",
        ]
        for item in parsed["executable_plan"]:
            assert env.library().actions[item["action_id"]].name == item["action_name"]


def test_the_picture_is_drawn_only_when_somebody_looks():
    drawn = []

    def draw(moment):
        drawn.append(moment.state.agent)
        return np.zeros((500, 500, 3), np.uint8)

    env = HandEnv(draw=draw)
    env.reset()
    obs, *_ = play(env, "find a Fork")
    assert drawn == [] and "image" in obs
    assert obs["image"].shape == (500, 500, 3) and obs.image is obs["image"]
    assert drawn == [env.simulator.state.agent]
    assert "image" not in HandEnv(draw=None).reset()[0]


def test_an_order_seed_changes_which_instance_a_bare_name_means():
    meant = set()
    for seed in range(6):
        env = HandEnv(order_seed=seed)
        env.reset()
        meant.add(env.simulator.names.ids["Cabinet"])
    assert meant == {CABINET.id, CABINET_2.id}


def test_substring_matching_can_be_replayed():
    given = task(object_target="Fo", parent_target="CounterTop")
    assert HandEnv(given).reset()[1]["task_progress"] == 0.0
    env = HandEnv(given, faults=Faults(substring_names=True))
    assert env.reset()[1]["task_progress"] == 1.0


def test_an_unknown_task_set_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match="no household task set 'bass-v0'"):
        HouseholdEnv("household/bass-v0")


def document(**changes):
    entry = {
        "id": "a",
        "subset": "base",
        "instruction": "Wash up.",
        "scene": "hand",
        "goal": {"task_type": "pick_and_place_simple", "object_target": "Fork"},
        "demonstration": ["find a Fork"],
    }
    return {
        "env": "household/base-v0",
        "tasks": [{**entry, **changes}],
        "scenes": {"hand": kitchen().to_json()},
    }


def test_a_task_set_is_read_from_its_file_format():
    [read] = taskset.parse(json.loads(json.dumps(document())), "base.json")
    assert read.spec["scene"] == kitchen()
    assert (read.id, read.env, read.subset) == ("a", "household/base-v0", "base")
    assert read.demonstration == ("find a Fork",)


BROKEN = [
    ([], "base.json is not a JSON object"),
    ({"env": "x", "tasks": []}, "base.json has no field 'scenes'"),
    (document(instruction=3), "base.json, task 'a': field 'instruction' is of the wrong type"),
    (document(scene="attic"), "task 'a': field 'scene' names 'attic', which is not in 'scenes'"),
    (document(goal={"task_type": "dance", "object_target": "Fork"}), "'task_type' is 'dance'"),
    (document(goal={"object_target": "Fork"}), "task 'a': field 'goal' is no goal"),
    ({**document(), "scenes": {"hand": {"id": "hand"}}}, "scene 'hand' is no scene: missing 'obj"),
]


@pytest.mark.parametrize(("data", "message"), BROKEN)
def test_a_broken_task_set_names_file_task_and_field(data, message):
    with pytest.raises(DataError) as caught:
        taskset.parse(data, "base.json")
    assert message in caught.value.message


def test_a_scene_with_a_stray_parent_or_an_id_twice_is_refused():
    scene = kitchen()
    lost = replace(scene.objects[8], parent="Attic|1")
    with pytest.raises(DataError, match=r"field 'parent' names 'Attic\|1'"):
        taskset.scene_of(replace(scene, objects=(lost,)).to_json(), "x")
    twice = replace(scene, objects=(*scene.objects, scene.objects[0]))
    with pytest.raises(DataError, match="holds the same id twice"):
        taskset.scene_of(twice.to_json(), "x")


def test_importing_the_household_does_not_import_gymnasium():
    code = "import sys, journeyman.envs.household; print('gymnasium' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout.strip() == "False"


def test_a_task_set_has_a_hash_that_tells_it_from_another():
    first, second = HouseholdEnv("household/base-v0"), HouseholdEnv("household/base-heldout-v0")
    assert first.data_hash.startswith("sha256:") and first.data_hash != second.data_hash
    assert first.data_hash == HouseholdEnv("household/base-v0").data_hash
