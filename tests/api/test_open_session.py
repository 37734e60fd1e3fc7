"""A session by names: the example of the documentation against a robot that is not ours."""

from __future__ import annotations

from pathlib import Path

import pytest

import journeyman as jm
from journeyman.core.errors import ConfigError, UnknownName
from tests.support.tiny_env import ACTIONS, ID, TinyEnv
from tests.support.worlds import MODEL


class Robot:
    def __init__(self) -> None:
        self.env = TinyEnv()
        self.env.reset(options={"task": self.env.tasks[1]})

    def do(self, name: str) -> tuple[bool, str, str]:
        obs, *_, info = self.env.step(ID[name])
        self.success = bool(info["task_success"])
        return info["last_action_success"], info["env_feedback"], obs.text

    def asked_person(self) -> bool:
        return self.success


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    outcomes, known = [], []
    library = [action.name for action in ACTIONS]
    for _ in range(2):
        robot, camera_text = Robot(), "At the table: ball, book."
        with jm.open_session(tmp_path / "robot.db", model=MODEL, embedder="hashing") as session:
            episode = session.begin("Put the ball in the chest.", camera_text)
            known.append(episode.knowledge)
            while (action := episode.next_action(library)) is not None:
                done, message, camera_text = robot.do(action.name)
                episode.record(action, done, message, camera_text)
            episode.finish(success=robot.asked_person())
        outcomes.append(robot.success)
    assert outcomes == [False, True]
    assert known[0] == "" and "Open the chest before" in known[1]


def test_settings_reach_the_method(tmp_path: Path) -> None:
    options = {"model": MODEL, "embedder": "hashing"}
    with jm.open_session(tmp_path / "r.db", settings={"retriever": "none"}, **options) as session:
        assert session.method.retriever.name == "none"  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="Did you mean 'retriever'"):
        jm.open_session(tmp_path / "r.db", settings={"retreiver": "none"}, **options)
    with pytest.raises(ConfigError, match="sede"):
        jm.open_session(tmp_path / "r.db", sede=1, **options)
