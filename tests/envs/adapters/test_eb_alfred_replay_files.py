import gzip
import json

import pytest

from journeyman.core.errors import DataError, UnknownName
from journeyman.envs.adapters.eb_alfred_replay import EBAlfredReplayEnv, subsets
from tests.envs.adapters.small_data import PLAN, TASKS, folder, trial

BASE = "eb-alfred-replay/base"


def test_the_folder_may_be_given_at_any_of_three_levels(tmp_path, monkeypatch):
    inner = tmp_path / "embodiedbench" / "eb_alfred"
    inner.mkdir(parents=True)
    folder(inner)
    for given in (tmp_path, tmp_path / "embodiedbench", inner, str(inner)):
        assert [task.id for task in EBAlfredReplayEnv(BASE, data=given).tasks] == ["base-000"]
    monkeypatch.setenv("JOURNEYMAN_DATA", str(tmp_path))
    assert subsets() == ["base", "unused"]


def test_without_a_folder_the_error_says_how_to_give_one(tmp_path, monkeypatch):
    monkeypatch.delenv("JOURNEYMAN_DATA", raising=False)
    with pytest.raises(DataError) as caught:
        EBAlfredReplayEnv(BASE)
    assert "needs a data folder, and none is given" in caught.value.message
    assert "--data DIR" in caught.value.hint
    with pytest.raises(DataError, match=r"there is no tasks\.json in it"):
        subsets(tmp_path)


def test_a_subset_is_listed_if_all_its_trials_are_there(tmp_path):
    tasks = {
        **TASKS,
        "spatial": [{"index": 0, "task": "lost", "instruction": "Somewhere."}],
        "mine": TASKS["base"],
    }
    data = folder(tmp_path, tasks=tasks)
    assert subsets(data) == ["base", "mine", "unused"]
    with pytest.raises(DataError, match="lacks 1 trials of subset 'spatial', first 'lost'"):
        EBAlfredReplayEnv("eb-alfred-replay/spatial", data=data)


def test_an_unknown_subset_is_named_with_the_nearest(tmp_path):
    with pytest.raises(UnknownName, match=r"no EB-ALFRED subset 'bass'\. Did you mean 'base'"):
        EBAlfredReplayEnv("eb-alfred-replay/bass", data=folder(tmp_path))


def test_trials_that_no_subset_uses_are_a_subset_with_a_persons_first_words(tmp_path):
    data = folder(
        tmp_path,
        trials={
            "put-fork": trial(),
            "spare": trial(annotations=[{"task_desc": "Bring the fork."}, {"task_desc": "Second"}]),
            "elsewhere": trial(used_by_subsets=["visual_appearance"]),
        },
    )
    [task] = EBAlfredReplayEnv("eb-alfred-replay/unused", data=data).tasks
    assert task.instruction == "Bring the fork."
    assert task.spec["trial"] == "spare" and task.demonstration


def test_no_unused_trials_no_such_subset(tmp_path):
    assert subsets(folder(tmp_path, trials={"put-fork": trial()})) == ["base"]


BROKEN = [
    ({"tasks": []}, "tasks.json does not hold a JSON object"),
    ({"tasks": {"base": {}}}, "tasks.json: subset 'base' is not a list of tasks"),
    (
        {"tasks": {"base": [{"index": 0, "task": "put-fork"}]}},
        "tasks.json, subset 'base', task 0, field 'instruction': field required",
    ),
    (
        {"trials": {"put-fork": trial(task_type="dance")}},
        "trials.json.gz, task 'put-fork', field 'task_type'",
    ),
    (
        {"trials": {"put-fork": {k: v for k, v in trial().items() if k != "objects"}}},
        "trials.json.gz, task 'put-fork', field 'objects': field required",
    ),
    (
        {"trials": {"put-fork": trial(expert_object_actions=[[0, "Dance", "Fork|1|1|1", None]])}},
        "trials.json.gz, task 'put-fork', field 'expert_object_actions.0.1'",
    ),
    (
        {"trials": {"put-fork": trial(expert_object_actions=[[0, "OpenObject", "Fridge", None]])}},
        "trials.json.gz, task 'put-fork', field 'expert_object_actions.0.2'",
    ),
    (
        {"scenes": {}},
        "trials.json.gz, task 'put-fork', field 'floor_plan': scenes.json.gz has no 'FloorPlan1'",
    ),
    (
        {"scenes": {"FloorPlan1": {**PLAN, "receptacles": {"Bed|1|1|1": {"type": "Bed"}}}}},
        "scenes.json.gz, scene 'FloorPlan1', field 'receptacles.Bed|1|1|1.position'",
    ),
]


@pytest.mark.parametrize(("changes", "message"), BROKEN)
def test_broken_data_name_file_task_and_field(tmp_path, changes, message):
    with pytest.raises(DataError) as caught:
        EBAlfredReplayEnv(BASE, data=folder(tmp_path, **changes))
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_a_file_that_is_missing_or_not_what_it_says_is_named(tmp_path):
    data = folder(tmp_path)
    (data / "scenes.json.gz").write_bytes(b"plain")
    with pytest.raises(DataError, match=r"scenes\.json\.gz is not gzipped JSON"):
        subsets(data)
    (data / "scenes.json.gz").write_bytes(gzip.compress(json.dumps({}).encode())[:-9])
    with pytest.raises(DataError, match=r"scenes\.json\.gz is not gzipped JSON"):
        subsets(data)
    (data / "scenes.json.gz").unlink()
    with pytest.raises(DataError, match=r"scenes\.json\.gz cannot be read: No such file"):
        subsets(data)


def test_a_broken_trial_spoils_only_the_subsets_that_need_it(tmp_path):
    data = folder(tmp_path, trials={"put-fork": trial(), "spare": trial(objects=None)})
    assert len(EBAlfredReplayEnv(BASE, data=data).tasks) == 1
    with pytest.raises(DataError, match="task 'spare', field 'objects'"):
        EBAlfredReplayEnv("eb-alfred-replay/unused", data=data)


def test_the_hash_is_that_of_the_contents(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    hashes = [EBAlfredReplayEnv(BASE, data=folder(root)).data_hash for root in (one, two)]
    assert hashes[0] == hashes[1] and hashes[0].startswith("sha256:")
    (two / "tasks.json").write_text(json.dumps(TASKS) + " ")
    assert EBAlfredReplayEnv(BASE, data=two).data_hash != hashes[0]
