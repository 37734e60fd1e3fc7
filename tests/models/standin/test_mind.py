"""Which rules are at work: profile, seed, luck, lessons and limited attention."""

import pytest

from journeyman.models.standin.belief import Belief
from journeyman.models.standin.grounding import ground
from journeyman.models.standin.mind import known_rules, load, mind_of, relevant
from journeyman.models.standin.profiles import PROFILES
from journeyman.models.standin.prompts import Entry
from journeyman.models.standin.reading import RULES

RIGHT = "Put the thing in the sink before turning on the faucet."
OTHERS = (
    "To cool something, put it in the fridge and close the door.",
    "Keep holding the thing while you turn on the lamp.",
    "For the second of two things fetch another instance.",
    "Put the thing into the bowl and then carry the bowl.",
    "To heat food, put it in the microwave, close the door and turn it on.",
    "Cut with the knife, put the knife away and pick up a slice right there.",
)
NONSENSE = ("The sky is blue.", "Kitchens are rooms.", "Time is short.", "Walls are white.")
THINGS = [
    "plate",
    "cup",
    "mug",
    "fork",
    "knife",
    "spoon",
    "ladle",
    "spatula",
    "pan",
    "pot",
    "bowl",
    "kettle",
    "apple",
    "tomato",
]
PLACES = ["table", "counter", "shelf", "desk", "sofa", "bed", "dresser", "stove"]
INSTRUCTIONS = [f"Put a clean {thing} on the {place}." for thing in THINGS for place in PLACES]


def mind(instruction, lessons=(), profile="novice", seed=0):
    entries = [Entry(f"S{n}", text=text) for n, text in enumerate(lessons)]
    return mind_of(PROFILES[profile], seed, instruction, ground(instruction), entries, Belief())


def heeded(lessons, profile="novice"):
    """Share of the instructions on which the right lesson is heeded."""
    return sum("sink_before_faucet" in mind(i, lessons, profile).rules for i in INSTRUCTIONS) / len(
        INSTRUCTIONS
    )


def astray(lessons, profile="novice"):
    return sum(bool(mind(i, lessons, profile).lure) for i in INSTRUCTIONS) / len(INSTRUCTIONS)


@pytest.mark.parametrize("seed", range(20))
def test_the_default_profile_knows_about_half_of_the_rules(seed):
    known = known_rules(PROFILES["default"], seed)
    assert 6 <= len(known) <= 8 and known <= set(RULES)


def test_seeds_know_different_rules_and_every_rule_is_sometimes_lacking():
    drawn = [known_rules(PROFILES["default"], seed) for seed in range(30)]
    assert len(set(drawn)) > 10
    assert set.intersection(*map(set, drawn)) == set()
    assert set.union(*map(set, drawn)) == set(RULES)


def test_the_expert_knows_all_and_the_novice_nothing():
    assert known_rules(PROFILES["expert"], 0) == set(RULES)
    assert mind(INSTRUCTIONS[0]).rules == frozenset()


def test_each_other_lesson_weighs_on_attention_and_those_of_other_procedures_most():
    wanted = relevant(ground("Put a clean plate on the table."))
    assert load([], wanted) == 0
    assert load([frozenset({"take_back"})], wanted) == pytest.approx(0.05)
    assert load([frozenset()], wanted) == pytest.approx(0.06)
    assert load([frozenset({"stack_then_carry"})], wanted) == pytest.approx(0.12)


def test_attention_falls_with_the_number_of_lessons_about_other_procedures():
    """Expected .95, .95 / 1.36 = .70 and .95 / 1.72 = .55; the half-width is about .09."""
    shares = [heeded([RIGHT, *OTHERS[:n]]) for n in (0, 3, 6)]
    assert shares[0] == pytest.approx(0.95, abs=0.06)
    assert shares[1] == pytest.approx(0.70, abs=0.12)
    assert shares[2] == pytest.approx(0.55, abs=0.13)
    assert shares[0] > shares[1] > shares[2]


def test_nonsense_costs_less_attention_than_lessons_about_other_procedures():
    assert heeded([RIGHT, *NONSENSE]) > heeded([RIGHT, *OTHERS[:4]])


def test_lessons_about_other_procedures_alone_teach_nothing_that_is_wanted():
    assert heeded(list(OTHERS)) == 0
    assert heeded(list(NONSENSE)) == 0


def test_it_is_led_astray_more_often_the_more_such_lessons_there_are():
    """Expected .35 / 13 = .03 with one and .35 * 6 / 18 = .12 with six."""
    assert astray([RIGHT]) == 0
    assert astray(NONSENSE) == 0
    assert astray(OTHERS[:1]) < astray(OTHERS)
    assert astray(OTHERS) == pytest.approx(0.12, abs=0.08)


def test_unlimited_attention_heeds_every_lesson_and_is_never_led_astray():
    lessons = [RIGHT, *OTHERS, *NONSENSE]
    assert heeded(lessons, "unlimited-attention") == 1
    assert astray(lessons, "unlimited-attention") == 0


def test_the_ignoring_profile_has_the_same_rules_with_any_lessons():
    for instruction in INSTRUCTIONS[:20]:
        bare = mind(instruction, (), "ignores-lessons")
        assert mind(instruction, [RIGHT, *OTHERS], "ignores-lessons") == bare


def test_luck_gives_a_lacking_rule_in_about_a_seventh_of_the_episodes():
    seed = next(
        s for s in range(20) if "sink_before_faucet" not in known_rules(PROFILES["default"], s)
    )
    lucky = sum("sink_before_faucet" in mind(i, (), "default", seed).rules for i in INSTRUCTIONS)
    assert lucky / len(INSTRUCTIONS) == pytest.approx(0.15, abs=0.09)
