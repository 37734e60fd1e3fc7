"""A method whose model calls tools: its run folder holds the dialogue, and repeats from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from journeyman import api
from journeyman.core.errors import ConfigError
from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage, user
from journeyman.core.registry import registry
from journeyman.core.values import Lessons, Plan
from journeyman.methods.baselines.base import BaseModel as BaseMethod
from journeyman.models import ToolFunction
from journeyman.models.tool_dialects import told_by_json
from journeyman.runs import RunSpec, canonical_episodes
from journeyman.runs.spec import check_spec
from tests.support.fake_server import FakeServer
from tests.support.tiny_env import ENV_ID

TASKS = 2


class Look(BaseModel):
    at: str


class Steps(BaseModel):
    actions: list[int]


class Looking(BaseMethod):
    """Looks by a tool before it plans; one plan of one action, then none."""

    id = "looking"

    def __init__(self, models: Any) -> None:
        super().__init__(models)

    def act(self, obs: Any, library: Any, lessons: Lessons, history: Any) -> Plan:
        def look(arguments: Look) -> tuple[str | Image, ...]:
            shade = len(arguments.at)
            return (f"This is the {arguments.at}.", Image(np.full((2, 2, 3), shade, np.uint8)))

        prompt = f"{history.task.instruction} {len(history.steps)} steps were done."
        tools = [ToolFunction("look", "Look at a place.", Look, look)]
        said = self.models.converse("plan", [user(prompt)], tools, Steps, needs_call=True)
        return Plan(tuple(library.actions[i] for i in said.reply.actions))


class Decider:
    """Looks wrongly, at the shelf and then at the table, and answers; by tools or by JSON."""

    id = "decider"
    sees_images = True

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        done = sum(message.role == "assistant" for message in messages)
        usage = Usage(5, 2)
        if done < 3:
            arguments: dict[str, Any] = ({"place": 1}, {"at": "shelf"}, {"at": "table"})[done]
            if tools:
                return Completion("", tool_calls=(ToolCall("", "look", arguments),), usage=usage)
            return Completion(json.dumps({"tool": "look", "arguments": arguments}), usage=usage)
        answer = {"actions": [0] if " 0 steps" in messages[0].text else []}
        return Completion(json.dumps(answer if tools else {"answer": answer}), usage=usage)


@pytest.fixture(autouse=True)
def looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    registry().method("looking", "tests.api.test_runs_with_tools:Looking")


@pytest.fixture(params=["accepts", "refuses"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, RunSpec, int]:
    """A run whose server is gone by now, its specification, and the requests that it took."""
    refuses = ["tools"] if request.param == "refuses" else []
    with FakeServer(Decider(), refuses=refuses) as server:
        spec = check_spec(
            {
                "env": (ENV_ID,),
                "method": "looking",
                "model": "openai/m",
                "base_url": server.base_url,
                "embedder": "hashing",
                "tasks": TASKS,
                "tries": 1,
                "cache": str(tmp_path / "replies.db"),
            }
        )
        run = api.run_spec(spec, tmp_path / "run")
        assert run.status == "complete"
        run.close()
        return tmp_path / "run", spec, len(server.requests)


def test_the_folder_holds_the_dialogue_as_it_was_sent(served: tuple[Path, RunSpec, int]) -> None:
    path, _, requests = served
    calls = [call for n in range(TASKS) for call in api.open_run(path).folder.episode(n).calls]
    by_json = told_by_json(calls[0].messages)
    assert len(calls) == requests - by_json == TASKS * 2 * 4
    last = calls[3].messages
    if by_json:
        assert [m.role for m in last] == ["user", *["assistant", "user"] * 3]
    else:
        assert [m.role for m in last] == [
            *("user", "assistant", "tool"),
            *("assistant", "tool", "user") * 2,
        ]
        assert last[3].tool_calls == (ToolCall("call00001", "look", {"at": "shelf"}),)
        assert [m.tool_call_id for m in last if m.role == "tool"] == [
            f"call{number:05d}" for number in range(3)
        ]
        assert calls[0].completion.tool_calls[0].arguments == {"place": 1}
    shown = [image for message in last for image in message.images]
    assert len(shown) == 2
    assert all((path / "media" / f"{image.sha256}.png").exists() for image in shown)


def test_it_repeats_from_its_recording(served: tuple[Path, RunSpec, int], tmp_path: Path) -> None:
    path, spec, _ = served
    rerun = check_spec({**spec.model_dump(), "cache": None, "from_recording": str(path)})
    run = api.run_spec(rerun, tmp_path / "again")
    assert run.status == "complete"
    run.close()
    assert canonical_episodes(tmp_path / "again") == canonical_episodes(path)


def test_it_repeats_from_its_cache(served: tuple[Path, RunSpec, int], tmp_path: Path) -> None:
    path, spec, _ = served
    run = api.run_spec(spec, tmp_path / "again")
    assert run.status == "complete"
    assert run.usage()["repeated_calls"] == run.usage()["calls"] == TASKS * 2 * 4
    run.close()
    assert canonical_episodes(tmp_path / "again") == canonical_episodes(path)


def test_the_way_of_the_recording_may_be_another_word_for_the_same(
    served: tuple[Path, RunSpec, int], tmp_path: Path
) -> None:
    path, spec, requests = served
    said = "json" if requests > TASKS * 2 * 4 else "native"
    rerun = check_spec(
        {**spec.model_dump(), "cache": None, "from_recording": str(path), "tools": said}
    )
    api.run_spec(rerun, tmp_path / "again").close()
    assert (
        canonical_episodes(tmp_path / "again")["episodes"] == canonical_episodes(path)["episodes"]
    )


def test_a_way_that_does_not_exist_is_named() -> None:
    with pytest.raises(ConfigError, match="tools: Input should be 'auto', 'native' or 'json'"):
        check_spec({"tools": "xml"})
