"""What the distiller writes about finished trajectories."""

import pytest

from journeyman.methods.elite.replies import FailureReply, SuccessReply
from journeyman.models.standin.grounding import ground
from journeyman.models.standin.prompts import Step
from journeyman.models.standin.reading import rules_in
from journeyman.models.standin.review import broken, exhibited
from tests.models.standin.rendering import OK, ask, distil_prompt, invalid

PUT, DROP = "put down the object in hand", "drop the object in hand"


def ok(*names):
    return [(name, "") for name in names]


TAKE = ok("find a Plate", "pick up the Plate")
# rule: (instruction, steps, whether feedback points at it)
FAILURES = {
    "open_before_put": (
        "Put a plate in a cabinet.",
        [*TAKE, *ok("find a Cabinet"), (PUT, invalid("Putting the object on Cabinet failed."))],
        True,
    ),
    "open_to_take": (
        "Put a plate on the table.",
        [
            ("find a Plate", ""),
            ("pick up the Plate", invalid("Plate is not visible because it is in Cabinet_2. Go.")),
        ],
        True,
    ),
    "one_at_a_time": (
        "Put a slice of bread on the table.",
        [
            *ok("find a Knife", "pick up the Knife", "find a Bread", "slice the Bread"),
            ("pick up the Bread", invalid("Robot is currently holding Knife")),
        ],
        True,
    ),
    "take_back": (
        "Put a clean plate on the table.",
        [
            *TAKE,
            *ok("find a Sink", PUT, "turn on the Faucet", "find a DiningTable"),
            (PUT, invalid("Robot is not holding any object")),
        ],
        True,
    ),
    "heat_inside_closed": (
        "Put a hot potato on the table.",
        [
            *ok("find a Potato", "pick up the Potato", "find a Microwave", "open the Microwave"),
            *ok(PUT),
            ("turn on the Microwave", invalid("Turn on action failed")),
        ],
        True,
    ),
    "sink_before_faucet": (
        "Put a clean plate on the table.",
        [*TAKE, *ok("find a Faucet", "turn on the Faucet", "find a DiningTable", PUT)],
        False,
    ),
    "cool_by_closing": (
        "Put a cold tomato on the table.",
        ok(
            "find a Tomato", "pick up the Tomato", "find a Fridge", "open the Fridge", PUT,
            "pick up the Tomato", "find a DiningTable", PUT,
        ),
        False,
    ),
    "lamp_while_holding": (
        "Look at a plate by the desk lamp.",
        [*TAKE, *ok("find a DeskLamp", DROP, "find a DeskLamp", "turn on the DeskLamp")],
        False,
    ),
    "stack_then_carry": (
        "Put a plate with a fork in it on the table.",
        ok(
            "find a Fork", "pick up the Fork", "find a DiningTable", PUT,
            "find a Plate", "pick up the Plate", "find a DiningTable", PUT,
        ),
        False,
    ),
    "second_instance": (
        "Put two plates on the table.",
        [*TAKE, *ok("find a DiningTable", PUT), *TAKE, *ok("find a DiningTable", PUT)],
        False,
    ),
    "find_before_put": (
        "Put a plate on the table.",
        [*ok("find a DiningTable"), *TAKE, *ok(PUT)],
        False,
    ),
    "slice_then_pick": (
        "Put a slice of bread on the table.",
        ok(
            "find a Knife", "pick up the Knife", "find a Bread", "slice the Bread",
            "find a CounterTop", PUT, "find a Bread_2", "pick up the Bread",
            "find a DiningTable", PUT,
        ),
        False,
    ),
}  # fmt: skip
WASHED = [
    *TAKE,
    *ok("find a Sink", PUT, "turn on the Faucet", "turn off the Faucet", "pick up the Plate"),
    *ok("find a Cabinet", "open the Cabinet", PUT),
]


def as_steps(steps):
    return [Step(name, feedback or OK) for name, feedback in steps]


@pytest.mark.parametrize("rule", FAILURES)
def test_the_root_cause_is_found_in_the_steps(rule):
    instruction, steps, telling = FAILURES[rule]
    first = broken(ground(instruction), as_steps(steps))[0]
    assert (first.rule, first.telling) == (rule, telling)


def named(rule, kind="failure", demonstration=(), seeds=range(60)):
    """Share of the seeds whose guidelines say the broken rule."""
    instruction, steps, _ = FAILURES[rule]
    prompt = distil_prompt(kind, instruction, steps, demonstration=demonstration)
    count = 0
    for seed in seeds:
        reply = ask(prompt, seed=seed, reply=FailureReply)
        notes = [*reply.failure_causes, *reply.avoidance_guidelines]
        assert 1 <= len(notes) <= 4
        count += any(rule in rules_in(f"{n.title}\n{n.applies_when}\n{n.text}") for n in notes)
    return count / len(seeds)


def test_it_is_wrong_more_often_where_only_the_steps_show_the_cause():
    """Expected .85 where feedback told, .65 where it did not; half-width about .12."""
    told, shown = named("open_before_put"), named("sink_before_faucet")
    assert told == pytest.approx(0.85, abs=0.12)
    assert shown == pytest.approx(0.65, abs=0.14)


def test_with_a_demonstration_it_is_right_more_often():
    demonstration = [name for name, _ in WASHED]
    assert named("sink_before_faucet", "comparative", demonstration) > 0.85


def test_a_success_gives_patterns_and_steps_that_state_what_they_show():
    instruction = "Put a clean plate in a cabinet."
    assert exhibited(ground(instruction), as_steps(WASHED))[:2] == [
        "sink_before_faucet",
        "take_back",
    ]
    prompt = distil_prompt("success", instruction, WASHED)
    reply = ask(prompt, seed=3, reply=SuccessReply)
    [steps] = reply.repeatable_steps
    assert "sink_before_faucet" in rules_in(steps.text)
    assert "Plate" not in steps.text and "Cabinet" not in steps.text
    assert 1 <= len(reply.success_patterns) <= 2


def test_it_never_writes_the_names_of_rules():
    for rule, (instruction, steps, _) in FAILURES.items():
        for seed in range(5):
            text = ask(distil_prompt("failure", instruction, steps), seed=seed)
            assert rule not in text


def test_a_failure_without_a_broken_rule_gives_an_empty_phrase():
    steps = [*TAKE, *ok("find a SideTable", PUT)]
    reply = ask(distil_prompt("failure", "Put a plate on the table.", steps), reply=FailureReply)
    assert reply.failure_causes == []
    assert [rules_in(note.text) for note in reply.avoidance_guidelines] == [frozenset()]


def test_the_same_prompt_gets_the_same_notes():
    prompt = distil_prompt("failure", *FAILURES["take_back"][:2])
    assert ask(prompt, seed=4) == ask(prompt, seed=4)
