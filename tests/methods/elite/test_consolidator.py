"""From reflection to operations (Eq. 3), what the consolidator is shown, and w/o CC."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from journeyman.core.values import (
    Add,
    Delta,
    Experience,
    Insight,
    Lessons,
    Origin,
    Reflection,
    Remove,
    Revise,
    Strategy,
    TaskView,
)
from journeyman.memory import StrategyPool
from journeyman.methods.elite.consolidator import (
    CHARS_A_TOKEN,
    AppendConsolidator,
    LLMConsolidator,
    shown_pool,
)
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.roles import ModelRoles
from tests.support.hand_memory import HandMemory, strategy
from tests.support.scripted import ScriptedModel, section

PLAN = "- open the chest\n- put the ball in"
EXPERIENCE = Experience(TaskView("Put the ball in the chest."), (), Lessons((), PLAN, 7))
REFLECTION = Reflection(
    "failure",
    (
        Insight("failure_cause", "The chest was closed.", "Closed", "the chest is used"),
        Insight("avoidance_guideline", "Open the chest first."),
    ),
)


def consolidate(
    *replies: object,
    memory: HandMemory | StrategyPool | None = None,
    reflection: Reflection = REFLECTION,
) -> tuple[Delta, ScriptedModel]:
    model = ScriptedModel([r if isinstance(r, str) else json.dumps(r) for r in replies])
    consolidator = LLMConsolidator(ModelRoles(model))
    return consolidator.consolidate(reflection, EXPERIENCE, memory or HandMemory()), model


class TestOperations:
    def test_each_operation_is_keyed_by_the_present_tasks_coarse_plan(self) -> None:
        reply = {
            "operations": [
                {"op": "add", "kind": "success_pattern", "title": "T", "text": "New."},
                {"op": "revise", "alias": "S1", "applies_when": "W", "text": "Better."},
                {"op": "remove", "alias": "S2", "reason": "wrong"},
            ]
        }
        delta, _ = consolidate(reply)
        instruction = EXPERIENCE.task.instruction
        assert list(delta.operations) == [
            Add("New.", "T", "", "success_pattern", PLAN, instruction),
            Revise("S1", "Better.", "", "W", None, PLAN, instruction),
            Remove("S2", "wrong"),
        ]
        assert delta.version == 7 and delta.error is None
        assert delta.reflection == REFLECTION and delta.reply == json.dumps(reply)

    def test_an_addition_without_a_kind_takes_that_of_the_reflection(self) -> None:
        delta, _ = consolidate({"operations": [{"op": "add", "text": "New."}]})
        assert isinstance(delta.operations[0], Add)
        assert delta.operations[0].kind == "failure_cause"

    def test_nothing_to_change_is_no_error(self) -> None:
        delta, _ = consolidate({"operations": []})
        assert delta.operations == [] and delta.error is None

    @pytest.mark.parametrize(
        "reply",
        [
            "no",
            {"operations": [{"op": "merge", "alias": "S1"}]},
            {"operations": [{"op": "add", "text": "x", "kind": "advice"}, {"op": "add"}]},
            {"operations": {"op": "add", "text": "x"}},
            '{"operations": [{"op": "add", "text": "a whole one"}, {"op": "add", "te',
        ],
        ids=["prose", "an unknown operation", "an unknown kind", "no list", "cut off"],
    )
    def test_a_reply_that_cannot_be_used_whole_changes_nothing(self, reply: object) -> None:
        delta, model = consolidate(*[reply] * 3)
        assert list(delta.operations) == [] and delta.error
        assert delta.reply == (reply if isinstance(reply, str) else json.dumps(reply))
        assert len(model.calls) == 3

    def test_no_model_is_asked_where_the_distiller_failed(self) -> None:
        failed = Reflection("failure", error="the reply is no reflection")
        delta, model = consolidate(reflection=failed)
        assert delta == Delta(7, error="the reply is no reflection", reflection=failed)
        assert model.calls == []

    def test_no_model_is_asked_where_nothing_was_learnt(self) -> None:
        delta, model = consolidate(reflection=Reflection("success"))
        assert delta == Delta(7, reflection=Reflection("success"))
        assert model.calls == []


class TestAppend:
    def test_every_insight_is_added_as_it_is_and_keyed_by_the_coarse_plan(self) -> None:
        delta = AppendConsolidator().consolidate(REFLECTION, EXPERIENCE, HandMemory())
        instruction = EXPERIENCE.task.instruction
        assert list(delta.operations) == [
            Add(
                "The chest was closed.",
                "Closed",
                "the chest is used",
                "failure_cause",
                PLAN,
                instruction,
            ),
            Add("Open the chest first.", "", "", "avoidance_guideline", PLAN, instruction),
        ]
        assert delta.version == 7 and delta.reflection == REFLECTION

    def test_a_failed_reflection_adds_nothing_and_keeps_its_error(self) -> None:
        delta = AppendConsolidator().consolidate(
            Reflection("failure", error="bad"), EXPERIENCE, HandMemory()
        )
        assert list(delta.operations) == [] and delta.error == "bad"


class TestShownPool:
    """With 52 tokens there are 208 characters: 156 for full entries, 52 for titles."""

    POOL: tuple[Strategy, ...] = (
        strategy(1, "Wash the cup under the tap, then dry it.", title="Wash"),
        strategy(2, "Open the chest before you use it.", title="Chest"),
        strategy(3, "Slice bread with the knife in hand.", title="Slice"),
        strategy(4, "The chest was locked and closed.", title="Locked"),
    )

    def test_is_the_whole_pool_while_it_fits(self) -> None:
        whole = shown_pool(self.POOL, REFLECTION, 1000)
        assert all(s.text in whole for s in self.POOL) and "Titles" not in whole
        exact = len(whole) / CHARS_A_TOKEN
        assert shown_pool(self.POOL, REFLECTION, int(exact) + 1) == whole

    def test_beyond_its_budget_shows_the_nearest_in_full_and_the_titles_of_the_rest(self) -> None:
        """S2 and S4 speak of the chest, as the reflection does; an entry takes about 73."""
        shown = shown_pool(self.POOL, REFLECTION, 52)
        full, _, titles = shown.partition("\n\nTitles of the other strategies:\n")
        assert self.POOL[1].text in full and self.POOL[3].text in full
        assert full.index("[S2]") < full.index("[S4]"), "in the pool's own order"
        assert self.POOL[0].text not in shown and self.POOL[2].text not in shown
        assert titles.splitlines() == ["[S1] Wash", "[S3] Slice"]

    def test_stays_within_its_budget_however_large_the_pool_is(self) -> None:
        pool = [strategy(i, f"lesson {i} " + "word " * 30, title=f"T{i}") for i in range(1, 400)]
        for tokens in (50, 500, 2000):
            shown = shown_pool(pool, REFLECTION, tokens)
            assert len(shown) <= tokens * CHARS_A_TOKEN + 100
            assert "more)" in shown

    def test_an_entry_without_a_title_is_named_by_the_beginning_of_its_text(self) -> None:
        shown = shown_pool((strategy(9, "word " * 60), *self.POOL), REFLECTION, 110)
        assert "[S9] word word" in shown
        line = next(line for line in shown.splitlines() if line.startswith("[S9]"))
        assert len(line) <= len("[S9] ") + 80

    def test_the_prompt_uses_the_budget_of_the_consolidator(self) -> None:
        model = ScriptedModel(['{"operations": []}'])
        memory = HandMemory(self.POOL, [[1.0]] * 4)
        LLMConsolidator(ModelRoles(model), pool_tokens=52).consolidate(
            REFLECTION, EXPERIENCE, memory
        )
        shown = section(model.prompts[0], "Strategy pool")
        assert shown == shown_pool(self.POOL, REFLECTION, 52)


class TestIntoThePool:
    """What the model proposes, judged and applied by the real memory."""

    @pytest.fixture
    def pool(self, tmp_path: Path) -> StrategyPool:
        pool = StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder(dim=16))
        pool.apply(
            Delta(
                0,
                (
                    Add("Wash the cup.", plan="wash"),
                    Add("Slice the bread.", plan="slice"),
                    Add("Chill the egg.", plan="chill"),
                ),
            ),
            origin=Origin("run", 0),
        )
        return pool

    def apply(self, pool: StrategyPool, *operations: dict[str, str]) -> list[tuple[bool, str]]:
        delta, _ = consolidate({"operations": list(operations)}, memory=pool)
        applied = pool.apply(delta, origin=Origin("run", 1))
        return [(verdict.accepted, verdict.reason) for verdict in applied.verdicts]

    def texts(self, pool: StrategyPool) -> list[str]:
        return [s.text for s in pool.strategies]

    def test_good_operations_go_through_beside_refused_ones(self, pool: StrategyPool) -> None:
        verdicts = self.apply(
            pool,
            {"op": "revise", "alias": "S9", "text": "Nobody."},
            {"op": "add", "text": "  "},
            {"op": "revise", "alias": "S1", "text": "Rinse the cup."},
            {"op": "add", "text": "slice  THE bread."},
            {"op": "add", "text": "Heat the egg."},
            {"op": "remove", "alias": "the first one"},
        )
        assert [accepted for accepted, _ in verdicts] == [False, False, True, False, True, False]
        assert all(reason for accepted, reason in verdicts if not accepted)
        assert self.texts(pool) == [
            "Rinse the cup.",
            "Slice the bread.",
            "Chill the egg.",
            "Heat the egg.",
        ]
        assert [s.plan for s in pool.strategies] == [PLAN, "slice", "chill", PLAN]

    def test_a_reply_that_removes_everything_leaves_most_of_the_pool(
        self, pool: StrategyPool
    ) -> None:
        removals = [{"op": "remove", "alias": f"S{i}"} for i in (1, 2, 3)]
        verdicts = self.apply(pool, *removals)
        assert [accepted for accepted, _ in verdicts] == [True, False, False]
        assert self.texts(pool) == ["Slice the bread.", "Chill the egg."]

    def test_an_unusable_reply_is_logged_and_changes_nothing(self, pool: StrategyPool) -> None:
        before = pool.strategies
        delta, _ = consolidate(*["I would rather not."] * 3, memory=pool)
        applied = pool.apply(delta, origin=Origin("run", 1))
        assert applied.verdicts == () and pool.strategies == before
        assert pool.history()[-1].delta.reply == "I would rather not."
        assert pool.history()[-1].delta.error == delta.error
