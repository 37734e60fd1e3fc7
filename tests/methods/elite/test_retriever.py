"""Which strategies each retriever variant chooses, by hand-made vectors and hand-worked words."""

from __future__ import annotations

from math import sqrt

import pytest

from journeyman.core.errors import ConfigError
from journeyman.core.values import Lesson, TaskView
from journeyman.methods.elite.retriever import (
    RETRIEVERS,
    AllRetriever,
    ContentRetriever,
    InstructionRetriever,
    IntentRetriever,
    NoRetriever,
    RandomRetriever,
    as_lessons,
    make_retriever,
)
from tests.support.hand_memory import HandMemory, strategy

TASK = TaskView("Heat the egg.")


def memory(table: dict[str, list[float]] | None = None) -> HandMemory:
    """Five strategies; S4 and S2 have the same direction, and S2 is longer."""
    return HandMemory(
        [
            strategy(1, "Wash it.", instruction="Rinse the cup."),
            strategy(2, "Use the stove.", title="Heat", instruction="Chop the egg."),
            strategy(3, "Cut it.", applies_when="an egg is cut", instruction="Heat the egg."),
            strategy(4, "Heat the egg.", instruction="Fold the towel."),
            strategy(5, "Unrelated.", instruction="Heat the room."),
        ],
        [[1, 0], [6, 8], [0, 1], [3, 4], [-1, 0]],
        table,
    )


def chosen(retriever: object, of: HandMemory, task: TaskView = TASK, plan: str = "p") -> list[str]:
    return [s.alias for s, _ in retriever.retrieve(plan, task, of)]  # type: ignore[attr-defined]


class TestIntent:
    def test_ranks_by_the_cosine_of_the_coarse_plan_and_ties_keep_their_order(self) -> None:
        """q = (0, 2): cosines 0, .8, 1, .8, 0."""
        found = IntentRetriever(4).retrieve("p", TASK, memory({"p": [0, 2]}))
        assert [s.alias for s, _ in found] == ["S3", "S2", "S4", "S1"]
        assert [score for _, score in found] == pytest.approx([1, 0.8, 0.8, 0])

    def test_asks_by_the_plan_and_not_by_the_instruction(self) -> None:
        table = {"p": [1.0, 0.0], TASK.instruction: [0.0, 1.0]}
        assert chosen(IntentRetriever(1), memory(table)) == ["S1"]

    def test_applies_no_similarity_floor(self) -> None:
        """q = (1, 0): the worst of five still comes when five are asked for."""
        found = IntentRetriever(5).retrieve("p", TASK, memory({"p": [1, 0]}))
        assert found[-1][0].alias == "S5" and found[-1][1] == pytest.approx(-1)

    def test_gives_all_there_are_where_there_are_fewer_than_k(self) -> None:
        assert len(IntentRetriever(4).retrieve("p", TASK, memory({"p": [1, 1]}))) == 4
        assert len(IntentRetriever(9).retrieve("p", TASK, memory({"p": [1, 1]}))) == 5

    def test_an_empty_pool_is_not_searched_and_its_plan_not_embedded(self) -> None:
        assert chosen(IntentRetriever(4), HandMemory()) == []


class TestTfidf:
    def test_content_compares_the_instruction_with_title_condition_and_text(self) -> None:
        """'heat' and 'egg' are in two texts each, 'the' in two: S4 has all three words.

        S2 'heat use the stove' shares heat and the; S3 'an egg is cut cut it' shares egg.
        """
        assert chosen(ContentRetriever(3), memory()) == ["S4", "S2", "S3"]

    def test_instruction_compares_with_the_instruction_that_a_strategy_came_from(self) -> None:
        """S3 is the same sentence; S2 'chop the egg' and S5 'heat the room' share two words.

        df: the 5, egg 2, heat 2: equal scores, so insertion order; then S1 and S4 by 'the'.
        """
        assert chosen(InstructionRetriever(5), memory()) == ["S3", "S2", "S5", "S1", "S4"]

    def test_scores_are_cosines_by_hand(self) -> None:
        """n = 1, so every idf is ln(2/2) + 1 = 1: 'heat the egg' against 'heat it' = 1/sqrt(3*2).

        The query's words that the text lacks are not in the vocabulary: (heat) against (heat, it).
        """
        pool = HandMemory([strategy(1, "x", instruction="Heat it")], [[1.0]])
        [(_, score)] = InstructionRetriever(1).retrieve("p", TASK, pool)
        assert score == pytest.approx(1 / sqrt(2))

    @pytest.mark.parametrize("retriever", [ContentRetriever(9), InstructionRetriever(9)])
    def test_the_whole_pool_comes_where_it_has_fewer_than_k(self, retriever: object) -> None:
        assert sorted(chosen(retriever, memory())) == ["S1", "S2", "S3", "S4", "S5"]
        assert chosen(retriever, HandMemory()) == []


class TestOthers:
    def test_all_gives_the_whole_pool_in_insertion_order_without_scores(self) -> None:
        found = AllRetriever().retrieve("p", TASK, memory())
        assert [(s.alias, score) for s, score in found] == [(f"S{i}", None) for i in range(1, 6)]

    def test_none_gives_nothing(self) -> None:
        assert chosen(NoRetriever(), memory()) == []

    def test_random_is_decided_by_seed_and_instruction_and_never_repeats_an_entry(self) -> None:
        pool = memory()
        picks = [chosen(RandomRetriever(3, seed), pool) for seed in range(20)]
        assert picks == [chosen(RandomRetriever(3, seed), pool) for seed in range(20)]
        assert all(len(set(pick)) == 3 for pick in picks)
        assert len({tuple(pick) for pick in picks}) > 5
        other = TaskView("Heat the egg again.")
        assert picks != [chosen(RandomRetriever(3, seed), pool, other) for seed in range(20)]

    def test_random_gives_all_where_there_are_fewer_than_k(self) -> None:
        assert sorted(chosen(RandomRetriever(9), memory())) == ["S1", "S2", "S3", "S4", "S5"]
        assert chosen(RandomRetriever(4), HandMemory()) == []

    def test_random_chooses_every_entry_about_equally_often(self) -> None:
        """600 draws of 1 of 5: each 120 times on average, sd 9.8; five sd either way."""
        pool = memory()
        first = [chosen(RandomRetriever(1, seed), pool)[0] for seed in range(600)]
        assert all(70 < first.count(f"S{i}") < 170 for i in range(1, 6))


class TestMaking:
    def test_each_name_gives_the_variant_of_that_name(self) -> None:
        assert [make_retriever(name).name for name in RETRIEVERS] == list(RETRIEVERS)

    def test_an_unknown_name_is_refused_with_the_choices(self) -> None:
        with pytest.raises(ConfigError, match=r"retriever: 'itent' is none of intent, content"):
            make_retriever("itent")

    @pytest.mark.parametrize("name", ["intent", "content_tfidf", "instruction_tfidf", "random"])
    @pytest.mark.parametrize("k", [0, -3])
    def test_k_below_one_is_refused(self, name: str, k: int) -> None:
        with pytest.raises(ConfigError, match=f"k: {k}"):
            make_retriever(name, k=k)

    def test_lessons_keep_alias_wording_entry_revision_and_score(self) -> None:
        entry = strategy(3, "text", title="title", applies_when="when", revision=4)
        assert as_lessons([(entry, 0.5), (entry, None)]) == (
            Lesson("S3", "text", "title", "when", "e3", 4, 0.5),
            Lesson("S3", "text", "title", "when", "e3", 4, None),
        )
