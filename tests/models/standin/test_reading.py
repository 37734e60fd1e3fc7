"""What a sentence teaches: order, polarity, and what its own notes say."""

import pytest

from journeyman.models.standin.phrases import VAGUE, WORDINGS
from journeyman.models.standin.reading import RULES, rules_in, stances

ASSERTED = {
    "open_before_put": "Pull the drawer open before dropping the card into it.",
    "open_to_take": "The egg is in the fridge, so open the fridge and grab the egg.",
    "sink_before_faucet": "Drop the dirty cup into the basin, and afterwards start the tap.",
    "take_back": "When heating is over, the food has to be taken out of the microwave again.",
    "heat_inside_closed": "Load the food into the microwave, push the door closed and start it.",
    "cool_by_closing": "Food is chilled only when the refrigerator is shut with it inside.",
    "one_at_a_time": "Get rid of the knife before you pick up anything else.",
    "find_before_put": "Navigate to the receptacle just before the put down.",
    "lamp_while_holding": "With the book in your grip, find the lamp and switch it on.",
    "stack_then_carry": "Set the spoon in the cup, and then move the cup to the sink.",
    "second_instance": "Two of them are needed, so fetch a different copy on the second trip.",
    "slice_then_pick": "Once cut, drop the knife and grab one of the slices where they lie.",
}
DENIED = {
    "open_before_put": "There is no need to open the drawer before putting something in.",
    "open_to_take": "You do not need to open the drawer to take the pen out.",
    "sink_before_faucet": "Never put the cup into the sink before turning on the faucet.",
    "take_back": "After washing, do not pick up the cup again.",
    "heat_inside_closed": "The microwave need not be closed before it is turned on.",
    "cool_by_closing": "Closing the fridge after putting the food in is unnecessary.",
    "one_at_a_time": "There is no need to put down the knife before picking up another thing.",
    "find_before_put": "It is unnecessary to find the destination before putting the cup down.",
    "lamp_while_holding": "It is pointless to hold the book while turning on the lamp.",
    "stack_then_carry": "Do not put the fork on the plate before carrying the plate.",
    "second_instance": "For the second trip it is needless to fetch another instance.",
    "slice_then_pick": "There is no need to pick up a slice after cutting.",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_sentence_that_states_a_rule_teaches_this_rule_alone(rule):
    assert rules_in(ASSERTED[rule]) == {rule}


@pytest.mark.parametrize("rule", RULES)
def test_a_sentence_that_denies_a_rule_teaches_nothing(rule):
    assert rules_in(DENIED[rule]) == frozenset()
    assert stances(DENIED[rule])[rule] == -1


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Turn on the tap after placing the cup in the sink.", "sink_before_faucet"),
        ("After placing the cup in the sink, turn on the tap.", "sink_before_faucet"),
        ("Do not turn on the tap until the cup lies in the sink.", "sink_before_faucet"),
        ("Never turn on the tap before the cup lies in the sink.", "sink_before_faucet"),
        ("Without opening the cabinet first, putting the cup in fails.", "open_before_put"),
        ("Do not forget to open the cabinet before putting the cup in.", "open_before_put"),
    ],
)
def test_order_is_understood_however_it_is_put(text, rule):
    assert rule in rules_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "Turn on the tap before placing the cup in the sink.",
        "Place the cup in the sink after turning on the tap.",
        "Turn on the tap, then place the cup in the sink.",
    ],
)
def test_the_reverse_order_is_another_thing(text):
    assert "sink_before_faucet" not in rules_in(text)


def test_a_breach_that_comes_to_a_bad_end_teaches_the_rule():
    assert rules_in("Running the tap with the cup in hand cleans nothing.") == {
        "sink_before_faucet"
    }
    assert rules_in("Running the tap with the cup in hand is fine.") == frozenset()


def test_questions_and_dismissals_teach_nothing():
    assert rules_in("Should the drawer be opened before something is put in?") == frozenset()
    assert rules_in("It does not matter whether the drawer is open when you put it in.") == set()


@pytest.mark.parametrize(
    "text",
    ["", "   ", "The kitchen is bright.", "zorb quux blarg", "Ünïcode – «text» 123 _2", "?!." * 50],
)
def test_other_texts_teach_nothing(text):
    assert rules_in(text) == frozenset()


@pytest.mark.parametrize("rule", RULES)
def test_every_note_that_it_writes_itself_says_its_rule_and_no_other(rule):
    wording = WORDINGS[rule]
    for text in (*wording.causes, *wording.guidelines, *wording.patterns):
        for title in wording.titles:
            for when in wording.when:
                assert rules_in(f"{title}\n{when}\n{text}") == {rule}


def test_its_empty_phrases_teach_nothing():
    for title, text in VAGUE:
        assert rules_in(f"{title}\n{text}") == frozenset()
