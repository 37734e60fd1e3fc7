"""Rendered prompts to their parts."""

from journeyman.core.values import (
    Action,
    Lesson,
    Observation,
    Origin,
    Plan,
    Step,
    Strategy,
    Trajectory,
)
from journeyman.methods.prompting import lessons_text, pool_text, step_line, trajectory_text
from journeyman.models.standin.prompts import (
    actions_of,
    entries_of,
    items_of,
    sections,
    steps_of,
    view_of,
)


def test_sections_are_told_apart_by_their_headings():
    found = sections("Role.\n\n## Task\nInstruction: x\n\n## History\n(none)")
    assert found[""].strip() == "Role."
    assert found["Task"].strip() == "Instruction: x" and found["History"] == "(none)"


def test_the_action_list_gives_ids_by_name():
    assert actions_of("ids 0 to 1.\naction id 0: find a Cup\naction id 1: open the Box") == {
        "find a Cup": 0,
        "open the Box": 1,
    }


def test_steps_are_read_as_the_methods_write_them():
    nothing = Observation("")
    good = Step(0, Action(14, "find a Mug"), True, "Last action executed successfully.", nothing)
    bad = Step(
        1, Action(9, "pick up the Mug"), False, "Last action is invalid. No, not so", nothing
    )
    first, second = steps_of(f"{step_line(good)}\n{step_line(bad)}")
    assert (first.name, first.success) == ("find a Mug", True)
    assert (second.name, second.success, second.message) == ("pick up the Mug", False, "No, not so")
    trajectory = Trajectory(
        "x", nothing, (Plan(language_plan="go"),), (good, bad), False, "max_steps"
    )
    assert steps_of(trajectory_text(trajectory)) == [first, second]


def test_lessons_are_read_as_the_methods_write_them():
    text = lessons_text(
        [Lesson("S3", "Do this.", "A title", "it fits"), Lesson("S5", "Only text.")]
    )
    first, second = entries_of(text)
    assert (first.alias, first.title, first.applies_when, first.text) == (
        "S3",
        "A title",
        "it fits",
        "Do this.",
    )
    assert (second.alias, second.title, second.text) == ("S5", "", "Only text.")


def test_pool_entries_have_their_kind():
    strategy = Strategy(
        "i", "S1", 1, "Text.", "Title", "now", "success_pattern", "plan", "do", Origin()
    )
    [entry] = entries_of(pool_text([strategy]))
    assert (entry.alias, entry.kind, entry.applies_when, entry.text) == (
        "S1",
        "success_pattern",
        "now",
        "Text.",
    )


def test_reflection_items_are_split_at_their_bars():
    full, bare = items_of(
        "- [failure_cause] Title | When: x is y | Text | with a bar.\n"
        "- [success_pattern] Text only."
    )
    assert (full.kind, full.title, full.applies_when, full.text) == (
        "failure_cause",
        "Title",
        "x is y",
        "Text | with a bar.",
    )
    assert (bare.kind, bare.title, bare.text) == ("success_pattern", "", "Text only.")


def test_the_view_tells_what_is_in_hand_and_in_view():
    view = view_of("In hand: Apple slice\nIn view:\n- Cabinet_3 (closed)\n- Fridge (open): Egg x2")
    assert view.hand == "Apple"
    assert view.places == {"Cabinet_3": "closed", "Fridge": "open Egg x2"}
    assert view_of("In hand: nothing").hand == ""
    assert view_of("A picture in words.").places == {}
