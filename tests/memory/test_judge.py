from dataclasses import replace

import pytest

from journeyman.core.values import KINDS, Add, Delta, Origin, Remove, Revise, Strategy
from journeyman.memory.judge import LONGEST, alias_position, digest, family, judge, normalised


class Ground:
    """Living entries with these texts, nothing stale."""

    def __init__(self, *texts):
        self.entries = [
            Strategy(
                f"e{n:04d}",
                f"S{n}",
                1,
                text,
                "Title",
                "When",
                "failure_cause",
                "plan",
                "L",
                Origin(),
            )
            for n, text in enumerate(texts, 1)
        ]

    @property
    def living(self):
        return len(self.entries)

    def resolve(self, position):
        if position > len(self.entries):
            return f"S{position} is no alias of version 7"
        return self.entries[position - 1]

    def holder(self, mark, kinds):
        found = (e.id for e in self.entries if digest(e.text) == mark and e.kind in kinds)
        return next(found, None)


def verdicts(ground, *operations, error=None, by_hand=False):
    rulings = judge(Delta(7, operations, error=error), ground, by_hand=by_hand)
    return [(r.verdict.accepted, r.verdict.reason, r.verdict.entry) for r in rulings]


def accepted(ground, *operations):
    return [verdict[0] for verdict in verdicts(ground, *operations)]


def test_an_add_a_revise_and_a_remove_of_known_entries_are_accepted():
    assert verdicts(Ground("a", "b"), Add("c"), Revise("S1", "d"), Remove("S2")) == [
        (True, "", ""),
        (True, "", "e0001"),
        (True, "", "e0002"),
    ]


def test_a_reply_that_could_not_be_used_has_every_operation_refused():
    assert verdicts(Ground("a"), Add("c"), error="no JSON") == [
        (False, "the reply could not be used", "")
    ]


@pytest.mark.parametrize("alias", ["S3", " s3 ", "[S3]"])
def test_an_alias_may_be_written_as_the_prompt_shows_it(alias):
    assert alias_position(alias) == 3


@pytest.mark.parametrize(
    "alias", ["", "3", "S0", "S-1", "S03", "e0003", "S3.5", "S" + "9" * 40, "S٣"]
)
def test_anything_else_is_no_alias(alias):
    assert alias_position(alias) is None
    assert verdicts(Ground("a"), Revise(alias, "x")) == [
        (False, "the alias is not of the form S1, S2, ...", "")
    ]


def test_an_unknown_alias_is_refused_with_the_reason_that_the_memory_gives():
    assert verdicts(Ground("a"), Remove("S2")) == [(False, "S2 is no alias of version 7", "")]


@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b\u200d", "\u00a0"])
def test_text_without_a_visible_character_is_refused(text):
    assert verdicts(Ground("a"), Add(text), Revise("S1", text)) == [
        (False, "the text is empty", ""),
        (False, "the text is empty", "e0001"),
    ]


def test_text_at_the_limit_is_accepted_and_one_character_more_is_refused():
    long = "x" * (LONGEST + 1)
    assert verdicts(
        Ground("a"), Add(long[1:]), Add(long), Add("b", title=long), Add("c", "", long)
    ) == [
        (True, "", ""),
        (False, "the text has 2001 characters, more than 2000", ""),
        (False, "the title has 2001 characters, more than 2000", ""),
        (False, "the condition has 2001 characters, more than 2000", ""),
    ]


def test_the_same_text_in_other_case_spacing_and_width_is_a_duplicate():
    ground = Ground("Open the fridge", "b")
    assert (
        verdicts(ground, Add("open  THE\nfridge "), Add("ｏｐｅｎ the fridge"))
        == [(False, "the same text as e0001", "e0001")] * 2
    )
    assert normalised(" Open\u200b  THE\nfridge ") == "open the fridge"


def test_a_revise_to_the_text_of_another_entry_is_a_duplicate():
    assert verdicts(Ground("a", "b"), Revise("S2", "A")) == [
        (False, "the same text as e0001", "e0001")
    ]


def test_the_second_of_two_equal_adds_is_refused():
    assert verdicts(Ground(), Add("a"), Add("a")) == [
        (True, "", ""),
        (False, "the same text as an earlier operation of this delta", ""),
    ]


def test_a_text_that_this_delta_replaces_may_be_given_to_another_entry():
    assert accepted(Ground("a"), Revise("S1", "b"), Add("a")) == [True, True]


def test_a_revise_that_changes_no_word_is_refused_even_with_another_plan():
    ground = Ground("a")
    assert (
        verdicts(ground, Revise("S1", "a"), Revise("S1", "a", plan="p", instruction="M"))
        == [(False, "nothing would change", "e0001")] * 2
    )
    assert accepted(ground, Revise("S1", "a", title="Other")) == [True]
    assert accepted(ground, Revise("S1", "A")) == [True]


def test_a_person_may_change_the_plan_alone_but_not_nothing():
    ground = Ground("a")
    assert verdicts(ground, Revise("S1", "a", plan="p"), by_hand=True)[0][0]
    assert not verdicts(ground, Revise("S1", "a", plan="plan"), by_hand=True)[0][0]


def test_a_revise_keeps_what_it_leaves_empty():
    [ruling] = judge(Delta(7, [Revise("S1", "new", kind="success_pattern")]), Ground("a"))
    wording = ruling.wording
    assert (wording.text, wording.title, wording.applies_when) == ("new", "Title", "When")
    assert (wording.kind, wording.plan, wording.instruction) == ("success_pattern", "plan", "L")


def test_the_second_accepted_touch_of_an_entry_is_refused():
    assert verdicts(Ground("a", "b"), Revise("S1", "c"), Remove("S1")) == [
        (True, "", "e0001"),
        (False, "this delta touches the entry already", "e0001"),
    ]
    assert accepted(Ground("a", "b"), Remove("S1"), Revise("S1", "c")) == [True, False]
    assert accepted(Ground("a", "b"), Revise("S1", "c"), Revise("S1", "d")) == [True, False]


def test_a_refused_touch_does_not_count():
    assert accepted(Ground("a", "b"), Revise("S1", ""), Remove("S1")) == [False, True]


@pytest.mark.parametrize(("living", "allowed"), [(1, 0), (2, 1), (3, 1), (4, 2), (9, 4), (10, 5)])
def test_at_most_half_of_the_entries_go_at_once_the_last_refused_first(living, allowed):
    ground = Ground(*"abcdefghij"[:living])
    removals = [Remove(f"S{n}") for n in range(1, living + 1)]
    assert accepted(ground, *removals) == [True] * allowed + [False] * (living - allowed)


def test_a_mass_removal_says_so():
    assert verdicts(Ground("a", "b"), Remove("S1"), Remove("S2"))[1] == (
        False,
        "mass removal: too many of the 2 living entries",
        "e0002",
    )


def test_each_accepted_add_allows_one_more_removal_wherever_it_stands():
    removals = [Remove(f"S{n}") for n in (1, 2, 3, 4)]
    assert accepted(Ground(*"abcd"), *removals, Add("merged")) == [True] * 3 + [False, True]
    assert accepted(Ground(*"abcd"), Add("merged"), Add("two"), *removals) == [True] * 6
    assert accepted(Ground(*"abcd"), Add("a"), *removals[1:]) == [False, True, True, False]


@pytest.mark.parametrize("order", [1, -1])
def test_an_entry_is_not_removed_by_a_delta_that_gives_its_text_again(order):
    operations = [Remove("S1"), Add("A")][::order]
    assert sorted(verdicts(Ground("a", "b"), *operations)) == [
        (False, "the same text as e0001", "e0001"),
        (False, "this delta gives the entry's text again", "e0001"),
    ]
    operations = [Remove("S1"), Revise("S2", "a")][::order]
    assert accepted(Ground("a", "b"), *operations) == [False, False]


def test_an_entry_whose_own_revise_repeats_its_text_may_be_removed():
    assert accepted(Ground("a", "b"), Remove("S1"), Revise("S1", "a", title="T")) == [True, False]


def short_term(ground, *aliases):
    """``ground`` with these entries as suggestions, which live for one task only."""
    for number, entry in enumerate(ground.entries):
        if entry.alias in aliases:
            ground.entries[number] = replace(entry, kind="planner_suggestion")
    return ground


def test_all_suggestions_may_be_cleared_at_once():
    ground = short_term(Ground("a", "b", "c"), "S1", "S2", "S3")
    assert accepted(ground, Remove("S1"), Remove("S2"), Remove("S3")) == [True] * 3


def test_suggestions_do_not_make_room_for_the_removal_of_other_entries():
    """Two others live: one of them may go, however many suggestions come and go."""
    ground = short_term(Ground("a", "b", "c", "d"), "S3", "S4")
    operations = [Remove("S1"), Remove("S2"), Remove("S3"), Remove("S4")]
    assert accepted(ground, *operations) == [True, False, True, True]
    new = Add("e", kind="planner_suggestion")
    assert accepted(ground, new, *operations) == [True, True, False, True, True]
    ground = short_term(Ground("a", "b", "c", "d"), "S3", "S4")
    assert accepted(ground, Add("e"), *operations) == [True] * 5


ELITE = ("success_pattern", "repeatable_steps", "failure_cause", "avoidance_guideline")
EEAGENT = tuple(kind for kind in KINDS if kind not in ELITE)
FAMILIES = {
    **dict.fromkeys(ELITE, "elite"),
    **{kind: kind.partition("_")[0] for kind in EEAGENT},
}


def of_kinds(ground, *kinds):
    ground.entries = [
        replace(entry, kind=kind) for entry, kind in zip(ground.entries, kinds, strict=True)
    ]
    return ground


def test_every_kind_is_in_one_family():
    assert all(kind in family(kind) for kind in KINDS)
    assert {family(kind) for kind in ELITE} == {ELITE}
    assert len({family(kind) for kind in KINDS}) == 3


@pytest.mark.parametrize("held", KINDS)
@pytest.mark.parametrize("new", KINDS)
def test_a_text_is_kept_once_a_family_by_add_by_revise_and_within_a_delta(held, new):
    """What both modules of EEAgent learnt is kept for both; ELITE's kinds are one family."""
    free = FAMILIES[held] != FAMILIES[new]
    ground = of_kinds(Ground("a", "b"), held, new)
    assert accepted(ground, Add(" A", kind=new)) == [free]
    assert accepted(ground, Revise("S2", "a")) == [free]
    ground = of_kinds(Ground("b"), new)
    assert accepted(ground, Add("a", kind=held), Add("a", kind=new)) == [True, free]
    assert accepted(ground, Add("a", kind=held), Revise("S1", "a")) == [True, free]


@pytest.mark.parametrize("held", KINDS)
@pytest.mark.parametrize("new", KINDS)
def test_a_removal_with_its_text_given_again_is_refused_in_its_family_alone(held, new):
    free = FAMILIES[held] != FAMILIES[new]
    ground = of_kinds(Ground("a", "b"), held, new)
    assert accepted(ground, Remove("S1"), Add("a", kind=new)) == [free, free]
    assert accepted(ground, Remove("S1"), Revise("S2", "a")) == [free, free]
    assert accepted(ground, Remove("S1"), Revise("S9", "a")) == [False, False]


def test_a_text_that_another_family_replaces_does_not_free_it():
    ground = of_kinds(Ground("a", "a"), "interpreter_principle", "planner_principle")
    operations = [Revise("S1", "b"), Add("a", kind="planner_principle")]
    assert verdicts(ground, *operations)[1] == (False, "the same text as e0002", "e0002")
    assert accepted(ground, Revise("S1", "b"), Add("a", kind="interpreter_suggestion")) == [
        True,
        True,
    ]


def test_an_entry_may_change_its_family_unless_its_text_stands_there():
    kinds = ("interpreter_principle", "planner_principle", "interpreter_principle")
    ground = of_kinds(Ground("a", "a", "b"), *kinds)
    moved = [Revise(alias, "", kind="planner_principle") for alias in ("S1", "S3")]
    moved = [replace(op, text=text) for op, text in zip(moved, "ab", strict=True)]
    assert accepted(ground, *moved) == [False, True]


def test_a_suggestion_that_becomes_a_principle_makes_room_as_an_add_does():
    """Two principles and a suggestion: one may go, and one more for the promotion."""
    ground = of_kinds(
        Ground("a", "b", "c"), "planner_principle", "planner_principle", "planner_suggestion"
    )
    removals = [Remove("S1"), Remove("S2")]
    assert accepted(ground, *removals) == [True, False]
    promotion = Revise("S3", "c", kind="planner_principle")
    assert accepted(ground, *removals, promotion) == [True] * 3
    assert accepted(ground, *removals, Revise("S3", "d")) == [True, False, True]
