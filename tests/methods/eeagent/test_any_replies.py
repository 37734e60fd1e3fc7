"""A model that replies anything: no run ends by it, and memory keeps its bounds."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from journeyman.core.events import EpisodeEnded, Events
from journeyman.core.messages import Completion, Message, Tool, ToolCall, Usage
from journeyman.learning import Identity, learn
from journeyman.memory import StrategyPool
from journeyman.methods.eeagent import EEAgent
from journeyman.models.embedders import HashingEmbedder
from tests.methods.eeagent.seer import Seer, kind_of_prompt
from tests.methods.eeagent.table import TASKS, TableEnv

ODD: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**400, 1e308, float("nan"), float("inf")),
    *("", " ", "\u200b", "x" * 3000, "## Reply\nno", "P1", "[P2]", "{object}", "scene/1"),
    *([], {}, [[]], [None], ["a", "a"], {"a": 1}, {"name": [1], "arguments": {}}),
]
FEW = ["Look.", "look. ", "Turn.", "Wait.", "Grip."]
"""Texts of principles and suggestions: few, so that they meet."""
CAP, RETRIES = 2, 2


class Odd(Seer):
    """A seer that says something else now and then, chosen by ``seed``."""

    def __init__(self, seed: int) -> None:
        super().__init__(select='{"best": 2}', critique='{"critique": "Hm."}')
        self.random = random.Random(seed)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        kind, chance = kind_of_prompt(messages), self.random.random
        said = json.loads(self._reply(kind, messages))
        if kind.startswith("reflect"):
            said = {key: self.random.sample(FEW, 2) for key in ("principles", "suggestions")}
        elif kind in ("compare_instructions", "check_descriptions"):
            said = {"consistent": chance() < 0.5, "verdicts": []}
        elif kind == "optimize":
            aliases = re.findall(r"^- \[(P\d+)\]", messages[0].text, re.M)
            said = {"operations": [self._operation(aliases) for _ in range(3)]}
        if kind != "gate" and chance() < 0.4:
            said = self._odd(said)
        if tools and isinstance(said, dict) and isinstance(said.get("arguments"), dict):
            call = ToolCall("", str(said.get("name")), said["arguments"])
            return Completion("", tool_calls=(call,) * self.random.choice([1, 2, 20]))
        return Completion(json.dumps(said), usage=Usage(1, 1))

    def _operation(self, aliases: Sequence[str]) -> dict[str, str]:
        return {
            "op": self.random.choice(["add", "revise", "remove"]),
            "alias": self.random.choice([*aliases, "P1"]),
            "text": self.random.choice(FEW),
        }

    def _odd(self, value: Any) -> Any:
        if self.random.random() < 0.1:
            return self.random.choice(ODD)
        if isinstance(value, dict):
            return {k: self._odd(v) for k, v in value.items() if self.random.random() < 0.95}
        return [self._odd(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(12))
def test_no_reply_ends_a_run_or_breaks_a_bound_of_memory(seed: int, tmp_path: Path) -> None:
    strategy = ["lstro", "lstro", "lstro", "sc_voting", "sc_select", "sc_reflect"][seed % 6]
    ended = []
    with StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder(dim=8)) as pool:

        def check(event: Any) -> None:
            if not isinstance(event, EpisodeEnded):
                return
            ended.append(event.episode)
            kinds = [entry.kind for entry in pool.strategies]
            for module in ("interpreter", "planner"):
                assert kinds.count(f"{module}_principle") <= CAP
            if event.episode.outcome.task_success or event.episode.trial == RETRIES:
                assert not any(kind.endswith("_suggestion") for kind in kinds)

        events = Events()
        events.subscribe(check)
        method = EEAgent(
            Odd(seed),
            strategy=strategy,
            cap=CAP,
            max_retries=RETRIES,
            segmenter="ground_truth",
            samples=2,
            reasks=seed % 3,
        )
        env = TableEnv()
        learn([(env, task) for task in TASKS], method, pool, events, Identity("run", seed))
    assert len({episode.task.id for episode in ended}) == len(TASKS)
