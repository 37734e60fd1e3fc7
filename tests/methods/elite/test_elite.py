"""ELITE as a method: Algorithm 1 lines 4 to 9, and its settings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from journeyman.core.errors import ConfigError
from journeyman.core.values import (
    Add,
    Experience,
    History,
    Lessons,
    Observation,
    TaskView,
    Trajectory,
)
from journeyman.memory import StrategyPool
from journeyman.methods.elite import Elite, IntentRetriever
from journeyman.methods.elite.consolidator import AppendConsolidator, LLMConsolidator
from journeyman.methods.elite.retriever import NonsenseRetriever, ShuffledRetriever
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.roles import ModelRoles
from tests.support.hand_memory import HandMemory, strategy
from tests.support.scripted import ScriptedModel, asked_for, plan_reply
from tests.support.tiny_env import LIBRARY

TASK = TaskView("Put the ball in the chest.")
OBS = Observation("At the table: ball.")
COARSE = json.dumps({"coarse_plan": ["open the chest", "put the ball in"]})
PLAN = "- open the chest\n- put the ball in"


def test_recall_asks_for_a_coarse_plan_and_finds_by_its_vector() -> None:
    model = ScriptedModel([COARSE])
    memory = HandMemory(
        [strategy(1, "far"), strategy(2, "near")], [[0, 1], [1, 0.1]], {PLAN: [1, 0]}
    )
    lessons = Elite(model, k=1).recall(TASK, OBS, memory)
    assert lessons.coarse_plan == PLAN and lessons.memory_version == 7
    [lesson] = lessons.items
    assert (lesson.alias, lesson.entry) == ("S2", "e2")
    assert lesson.similarity == pytest.approx(1 / np.hypot(1, 0.1))


@pytest.mark.parametrize("retriever", ["none", "intent"])
def test_a_coarse_plan_is_written_even_where_nothing_is_recalled(retriever: str) -> None:
    """It is what a strategy from this task will be found by."""
    lessons = Elite(ScriptedModel([COARSE]), retriever=retriever).recall(TASK, OBS, HandMemory())
    assert lessons == Lessons((), PLAN, 7)


def test_act_puts_what_was_recalled_before_the_planner() -> None:
    model = ScriptedModel([COARSE, plan_reply("open the chest")])
    method = Elite(model)
    memory = HandMemory([strategy(1, "Open the lid.")], [[1.0]], {PLAN: [1.0]})
    plan = method.act(OBS, LIBRARY, method.recall(TASK, OBS, memory), History(TASK))
    assert [a.name for a in plan.actions] == ["open the chest"]
    assert "[S1]\nOpen the lid." in model.prompts[1]


def test_reflect_distils_and_consolidates_and_leaves_the_pool_alone(tmp_path: Path) -> None:
    replies = [
        '{"failure_causes": [{"text": "It was closed."}]}',
        '{"operations": [{"op": "add", "text": "Open it."}]}',
    ]
    trajectory = Trajectory(TASK.instruction, OBS, (), (), False, "max_steps")
    experience = Experience(TASK, (trajectory,), Lessons((), PLAN))
    with StrategyPool.open(tmp_path / "p.db", embedder=HashingEmbedder(dim=16)) as pool:
        delta = Elite(ScriptedModel(replies)).reflect(experience, pool)
        assert pool.version == 0 and pool.strategies == ()
    [operation] = delta.operations
    assert operation == Add("Open it.", "", "", "failure_cause", PLAN, TASK.instruction)


def test_each_role_can_have_a_model_of_its_own() -> None:
    names = {
        "coarse_plan": COARSE,
        "plan": plan_reply(0),
        "distil": '{"success_patterns": [{"text": "Good."}]}',
        "consolidate": '{"operations": []}',
    }
    models = {role: ScriptedModel([reply], id=role) for role, reply in names.items()}
    method = Elite(ModelRoles(ScriptedModel(id="unused"), models))
    lessons = method.recall(TASK, OBS, HandMemory())
    method.act(OBS, LIBRARY, lessons, History(TASK))
    trajectory = Trajectory(TASK.instruction, OBS, (), (), True, "success")
    method.reflect(Experience(TASK, (trajectory,), lessons), HandMemory())
    assert {role: len(model.calls) for role, model in models.items()} == dict.fromkeys(names, 1)
    assert asked_for(models["distil"].calls[0][1]) == "SuccessReply"


class TestSettings:
    def test_names_choose_the_parts(self) -> None:
        model = ScriptedModel()
        assert isinstance(Elite(model).retriever, IntentRetriever)
        assert Elite(model).retriever.k == 4  # type: ignore[attr-defined]
        assert isinstance(Elite(model).consolidator, LLMConsolidator)
        assert isinstance(Elite(model, consolidator="append").consolidator, AppendConsolidator)
        own = IntentRetriever(2)
        assert Elite(model, retriever=own).retriever is own

    @pytest.mark.parametrize(
        "settings",
        [
            {"retriever": "nearest"},
            {"consolidator": "merge"},
            {"observation": "images"},
            {"k": 0},
        ],
        ids=lambda settings: next(iter(settings)),
    )
    def test_a_value_that_is_none_of_the_choices_is_refused_by_its_key(
        self, settings: dict[str, object]
    ) -> None:
        [key] = settings
        with pytest.raises(ConfigError, match=f"^{key}: "):
            Elite(ScriptedModel(), **settings)  # type: ignore[arg-type]


class TestControls:
    """The two sham retrievers: the number and length of lessons without their being right."""

    def memory(self) -> HandMemory:
        table = {"p": [1.0, 0.0], "p1": [1.0, 0.0], "p2": [0.0, 1.0], "p3": [0.0, -1.0]}
        return HandMemory(
            [
                strategy(1, "Open the chest, 2 times.", title="Open", plan="p1"),
                strategy(2, "Wash it.", applies_when="dirty", plan="p2"),
                strategy(3, "Cut it.", plan="p3"),
            ],
            [[1, 0], [0, 1], [0, -1]],
            table,
        )

    def test_shuffled_asks_with_the_plan_of_an_entry_that_seed_and_instruction_draw(self) -> None:
        memory = self.memory()
        found = [
            [s.alias for s, _ in ShuffledRetriever(1, seed).retrieve("p", TASK, memory)]
            for seed in range(12)
        ]
        assert {pick for [pick] in found} == {"S1", "S2", "S3"}
        again = [s.alias for s, _ in ShuffledRetriever(1, 0).retrieve("p", TASK, memory)]
        assert again == found[0]
        assert ShuffledRetriever(1).retrieve("p", TASK, HandMemory()) == []

    def test_nonsense_garbles_what_intent_finds_and_keeps_its_length_and_place(self) -> None:
        memory = self.memory()
        [(real, score)] = IntentRetriever(1).retrieve("p", TASK, memory)
        [(garbled, garbled_score)] = NonsenseRetriever(1).retrieve("p", TASK, memory)
        assert (garbled.id, garbled.alias, garbled_score) == (real.id, real.alias, score)
        assert len(garbled.text) == len(real.text) and garbled.text.endswith(
            " 2 " + garbled.text[-6:]
        )
        assert "chest" not in garbled.text and garbled.title != "Open"
        assert NonsenseRetriever(1).retrieve("p", TASK, memory) == [(garbled, score)]
