"""What becomes of a reflection: nothing, a revision, a removal with an addition, an addition."""

from journeyman.methods.elite.replies import DeltaReply
from tests.models.standin.rendering import ask, consolidate_prompt

GUIDE = "avoidance_guideline"
SINK = ("Washing", GUIDE, "cleaning", "Put the cup in the sink before turning on the tap.")
WRONG = ("Washing", GUIDE, "cleaning", "Hold the cup in your hand and turn on the tap.")
LAMP = ("Light", GUIDE, "looking", "Keep holding the book while you turn on the lamp.")


def operations(pool, *items):
    reply = ask(consolidate_prompt(pool, items), reply=DeltaReply)
    return reply.operations


def item(text, kind=GUIDE, title="A note"):
    return (kind, title, "it fits", text)


def short(found):
    return [(o.op, o.alias) for o in found]


def test_what_the_pool_says_already_changes_nothing():
    said = item("Place the mug into the basin, then switch the faucet on.")
    assert operations([LAMP, SINK], said) == []


def test_what_is_new_is_added_with_its_kind():
    [added] = operations([SINK], item(LAMP[3], "success_pattern", "Light"))
    assert (added.op, added.kind, added.title, added.text) == (
        "add",
        "success_pattern",
        "Light",
        LAMP[3],
    )


def test_everything_is_new_to_an_empty_pool():
    assert short(operations([], item(SINK[3]), item(LAMP[3]))) == [("add", ""), ("add", "")]


def test_what_says_more_on_the_same_topic_revises_that_entry():
    more = item(
        "Put the cup in the sink before turning on the tap, and if another pan lies in the basin"
        " already, lift it out onto the counter first."
    )
    [revised] = operations([LAMP, SINK], more)
    assert (revised.op, revised.alias, revised.title) == ("revise", "S2", "Washing")
    assert "counter" in revised.text and "before turning on the tap" in revised.text


def test_what_contradicts_an_entry_replaces_it():
    right = item("The cup stays dirty if it is in your hand when the tap is turned on.")
    assert short(operations([LAMP, WRONG], right)) == [("remove", "S2"), ("add", "")]


def test_cause_and_guideline_on_one_topic_become_one_entry():
    cause = item(
        "The tap was turned on with the cup still in hand, so it stayed dirty.", "failure_cause"
    )
    [added] = operations([], cause, item(SINK[3]))
    assert added.op == "add"
    assert "stayed dirty" in added.text and "before turning on the tap" in added.text


def test_texts_on_no_known_topic_are_compared_by_their_words():
    vague = ("Care", GUIDE, "always", "Search the whole room with great care and patience.")
    assert operations([vague], item("Search the whole room with great care.")) == []
    assert short(operations([vague], item("Plan fewer steps."))) == [("add", "")]
