"""Reflection, the generality gate and consolidation."""

from journeyman.models.standin_tabletop.reading import rules_in, stances
from journeyman.models.standin_tabletop.wording import EMPTY, WORDINGS
from tests.models.standin_tabletop.rendering import ORDER, PUT, answer, model, rendered

TURN = "Rotate the {object} 90 degrees."


def reflected(module, dialogues, evidence, instruction=TURN, seed=0, **memory):
    text = rendered(
        "reflect_failure",
        module=module,
        duty="It works.",
        instruction=instruction,
        dialogues=dialogues,
        evidence=evidence,
        ended="the plan was carried out and the task was not done",
        **memory,
    )
    return answer(model("default", seed), text)


def taught(reply):
    return {rule for text in reply["principles"] for rule in rules_in(text)}


WRONG_WAY = (
    f"{PUT}\nPlan: turn.\nAction 1: PickRotate(pick_location=[0.4, -0.3], angle_deg=-90), ok"
)
MISSED = (
    "Image-description consistency: not consistent\n"
    "- {object} / Entity 2: not consistent. Target: colours: red; pattern: plain; outline: square; "
    "holes: no hole; size: large, 40 pixels long Entity: colours: red and yellow; pattern: "
    "striped; outline: square; holes: no hole; size: large, 40 pixels long "
    "Reason: Different pattern.\n"
    "Reason: Different pattern."
)


def test_the_planner_learns_from_what_its_actions_did():
    found = [taught(reflected("policy planner", WRONG_WAY, "", seed=s)) for s in range(20)]
    assert found.count({"clockwise"}) == 20  # the only rule of a rotation


def test_it_is_wrong_now_and_then():
    visits = (
        f"{ORDER}\nAction 1: PickPlace(pick_location=[0.375, -0.25], "
        "place_location=[0.625, 0.25]), ok"
    )
    instruction = (
        "Put {object} into {base_1} then {base_2}. Finally restore it into its original container."
    )
    found = [
        taught(reflected("policy planner", visits, "", instruction, seed=s)) for s in range(40)
    ]
    right = found.count({"order"})
    assert 26 <= right < 40


def test_the_interpreter_learns_from_the_features_that_differ_and_excludes_the_entity():
    replies = [
        reflected("environment interpreter", "Call: x", MISSED, "Put {object}.", seed=s)
        for s in range(20)
    ]
    right = [r for r in replies if taught(r) & {"pattern", "colours"}]
    assert len(right) >= 12
    assert "Entity 2 is not {object}; choose another one." in right[0]["suggestions"]


def test_lessons_are_worded_in_several_ways_and_otherwise_once_they_did_not_help():
    replies = [reflected("policy planner", WRONG_WAY, "", seed=s) for s in range(20)]
    said = {r["principles"][0] for r in replies}
    assert len(said) > 2
    told = "\n".join(f"- [Q{n}] {text}" for n, text in enumerate(WORDINGS["clockwise"][:3], 1))
    again = reflected("policy planner", WRONG_WAY, "", suggestions=told)
    assert again["principles"] == [WORDINGS["clockwise"][3]]


def test_every_wording_says_its_rule_and_no_other_and_empty_phrases_say_none():
    for rule, wordings in WORDINGS.items():
        for text in wordings:
            assert dict(stances(text)) == {rule: 1}, text
    assert not any(stances(text) for text in EMPTY)


def test_a_success_gives_a_principle_that_is_not_known_yet():
    fields = {
        "module": "policy planner",
        "duty": "It works.",
        "instruction": TURN,
        "dialogues": WRONG_WAY,
    }
    found = [
        answer(model("default", s), rendered("reflect_success", **fields))["principles"]
        for s in range(20)
    ]
    assert 8 <= sum(set(map(rules_in, f)) == {frozenset({"clockwise"})} for f in found) < 20
    known = "- [P1] Angles go clockwise."
    later = [
        answer(model("default", s), rendered("reflect_success", **fields, principles=known))
        for s in range(20)
    ]
    assert not any(taught(reply) for reply in later)


def gate(*texts):
    listed = "\n".join(f"- [C{n}] {text}" for n, text in enumerate(texts, start=1))
    text = rendered(
        "gate",
        module="policy planner",
        instruction="Put the red swirl object in {scene} into the granite object.",
        candidates=listed,
    )
    return [r["general"] for r in answer(model(), text)["ratings"]]


def test_the_gate_refuses_what_belongs_to_this_task_only():
    assert gate(
        "Compare the pattern, not only the colour.",
        "Entity 3 is not the target.",
        "Pick at [0.41, -0.2].",
        "The red swirl one is the target.",
        "Turn it by 90 degrees.",
        "Take {scene/2} for it.",
        "Move away first what lies on a target place.",
    ) == [True, False, False, False, False, False, True]


def optimized(memory, new, cap=20):
    def listed(letter, texts):
        lines = (f"- [{letter}{n}] {t}" for n, t in enumerate(texts, start=1))
        return "\n".join(lines) or "(none)"

    text = rendered(
        "optimize",
        module="policy planner",
        cap=cap,
        principles=listed("P", memory),
        new=listed("N", new),
    )
    return answer(model(), text)["operations"]


def test_what_memory_says_in_other_words_needs_no_operation():
    assert optimized(["Compare the pattern."], ["Pay attention to textures."]) == []
    [added] = optimized(["Compare the pattern."], ["Compare the outline."])
    assert added == {"op": "add", "text": "Compare the outline."}


def test_a_contradicted_principle_gives_way_to_the_newer_one():
    made = optimized(["Compare the size.", "Ignore the pattern."], ["Compare the pattern."])
    assert [(op["op"], op.get("alias", "")) for op in made] == [("remove", "P2"), ("add", "")]


def test_at_the_cap_the_least_useful_principle_goes():
    made = optimized(
        ["Compare the pattern.", "Be careful and work step by step."], ["Compare sizes."], cap=2
    )
    assert [(op["op"], op.get("alias", "")) for op in made] == [("remove", "P2"), ("add", "")]
