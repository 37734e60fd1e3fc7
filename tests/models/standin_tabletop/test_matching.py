"""What the stand-in sees, and what principles and suggestions change."""

from tests.models.standin_tabletop.rendering import (
    BLUE,
    DARK_RED,
    RED,
    YELLOW,
    disc,
    match,
    model,
    square,
)

STRIPED = square(RED, YELLOW)
MOSTLY_RED = square(RED, YELLOW, every=4)


def test_the_expert_tells_a_pattern_from_the_plain_colour():
    for seed in range(6):
        made = match(model("expert", seed), STRIPED, [square(RED), STRIPED, square(BLUE)])
        assert made["entity"] == 2
        assert "striped" in made["entity_features"]


def test_a_naive_observer_takes_one_red_thing_for_another_now_and_then():
    chosen = [
        match(model("ignores-lessons", s), square(RED), [MOSTLY_RED, square(RED), square(BLUE)])
        for s in range(40)
    ]
    numbers = [made["entity"] for made in chosen]
    assert numbers.count(3) < 5 <= numbers.count(1) < 20


def test_a_principle_about_the_pattern_mends_some_of_these_errors():
    told = "- [P1] Stripes and dots matter more than hue.\n- [P2] Check all hues."

    def wrong(**memory):
        return sum(
            match(model("default", seed), square(RED), [MOSTLY_RED, square(RED)], **memory)[
                "entity"
            ]
            == 1
            for seed in range(40)
        )

    assert wrong(principles=told) < 0.6 * wrong()


def test_a_suggestion_excludes_an_entity_of_its_target_only():
    entities = [STRIPED, square(RED)]
    told = "- [Q1] Entity 1 is not {object}; choose another one."
    assert match(model(), STRIPED, entities)["entity"] == 1
    assert match(model(), STRIPED, entities, suggestions=told)["entity"] == 2
    assert match(model(), STRIPED, entities, name="{base}", suggestions=told)["entity"] == 1
    ignoring = model("ignores-lessons")
    same = match(ignoring, STRIPED, entities)["entity"]
    assert match(ignoring, STRIPED, entities, suggestions=told)["entity"] == same


def test_words_are_read_against_what_is_seen():
    entities = [disc(BLUE), square(RED), STRIPED]
    for words, number in (
        ("the red and yellow stripe object", 3),
        ("the blue object", 1),
        ("the red object", 2),
    ):
        made = match(model(), None, entities, tool="semantic_match", name=f'"{words}"')
        assert made["entity"] == number, words


def test_the_outline_counts_for_the_expert():
    for seed in range(6):
        assert match(model("expert", seed), disc(RED), [square(RED), disc(RED)])["entity"] == 2


def test_brightness_is_discounted_by_who_knows_that_the_light_differs():
    entities = [square(BLUE), square(DARK_RED)]
    for seed in range(6):
        assert match(model("expert", seed), square(RED), entities)["entity"] == 2


def test_a_thing_within_a_container_is_found_by_its_part():
    bowl = disc(BLUE, 24)
    bowl[16:40, 16:40] = square(RED, YELLOW, side=24, width=3)[4:-4, 4:-4]
    target = square(RED, YELLOW, side=23, width=3)
    entities = [disc(YELLOW, 24), bowl, disc((52, 160, 70), 24)]
    for seed in range(6):
        assert match(model("expert", seed), target, entities)["entity"] == 2


def test_the_same_messages_give_the_same_reply_and_another_seed_another_mind():
    entities = [square(RED, YELLOW), square(RED)]
    asked = model("default", 3)
    assert match(asked, square(RED), entities) == match(model("default", 3), square(RED), entities)
    assert len({model("default", seed).mind.start for seed in range(8)}) > 4
