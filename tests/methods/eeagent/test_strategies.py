"""Table I's prompting strategies: how often is asked, and which reply counts."""

from __future__ import annotations

import json

import pytest

from journeyman.core.errors import ConfigError
from journeyman.core.messages import user
from journeyman.methods.eeagent.planner import sequence_key
from journeyman.methods.eeagent.replies import MatchReply, PlanReply
from journeyman.methods.eeagent.strategies import Asking, make_asking
from journeyman.models.roles import ModelRoles
from tests.methods.eeagent.seer import Seer, match
from tests.support.scripted import headings

PROMPT = "You are the image matching tool\n\n## Reply\nJSON"


def ask(name: str, seer: Seer, samples: int = 3) -> MatchReply | None:
    asking = make_asking(name, ModelRoles(seer), reasks=0, samples=samples)
    found = asking.ask("interpret", user(PROMPT), MatchReply, lambda reply: reply.entity)
    return found.parsed


def votes(*entities: int | str) -> Seer:
    said = [json.dumps(match(e)) if isinstance(e, int) else e for e in entities]
    return Seer(image_match=said)


def test_vanilla_asks_once_and_chain_of_thought_asks_for_thoughts() -> None:
    seer = votes(1)
    assert ask("vanilla", seer).entity == 1 and seer.kinds == ["image_match"]
    vanilla, cot = (
        make_asking(name, ModelRoles(seer), reasks=0, samples=5) for name in ("vanilla", "cot")
    )
    assert vanilla.words == {"thinking": "", "thoughts": ""}
    assert "step by step" in cot.words["thinking"] and '"thoughts"' in cot.words["thoughts"]
    assert type(make_asking("lstro", ModelRoles(seer), reasks=0, samples=5)) is Asking


def test_the_most_frequent_reply_wins_the_vote() -> None:
    assert ask("sc_voting", votes(1, 2, 2)).entity == 2


def test_of_equally_frequent_replies_the_first_wins() -> None:
    assert ask("sc_voting", votes(3, 1, 1, 3), samples=4).entity == 3


def test_unusable_samples_do_not_vote() -> None:
    assert ask("sc_voting", votes("no", "no", 2)).entity == 2
    assert ask("sc_voting", votes("no", "no", "no")) is None


def test_samples_are_told_apart_at_the_end_of_their_prompts() -> None:
    seer = votes(1, 1, 1)
    ask("sc_voting", seer)
    ends = [messages[0].content[-1] for _, messages in seer.asked]
    assert [end.strip()[:20] for end in ends] == [f"This is reply {n} of 3"[:20] for n in (1, 2, 3)]
    assert len({messages[0].content[0] for _, messages in seer.asked}) == 1


def test_selection_takes_the_reply_that_the_model_names() -> None:
    seer = votes(1, 2, 2)
    seer._replies["select"] = ['{"best": 1, "reason": "it is right"}']
    assert ask("sc_select", seer).entity == 1
    assert seer.kinds == ["image_match"] * 3 + ["select"]
    [shown] = seer.prompts("select")
    assert headings(shown) == ["Task description", "Prompt", "Replies", "Reply"]
    assert "Reply 1: " in shown and "Reply 2: " in shown and "Reply 3: " not in shown


@pytest.mark.parametrize("choice", ['{"best": 0}', '{"best": 3}', "neither"])
def test_a_selection_of_nothing_leaves_it_to_the_vote(choice: str) -> None:
    seer = votes(1, 2, 2)
    seer._replies["select"] = [choice]
    assert ask("sc_select", seer).entity == 2


def test_where_all_samples_agree_nothing_more_is_asked() -> None:
    for name in ("sc_voting", "sc_select", "sc_reflect"):
        seer = votes(4, 4, 4)
        assert ask(name, seer).entity == 4 and seer.kinds == ["image_match"] * 3


def test_reflection_over_samples_gives_one_new_reply() -> None:
    seer = votes(1, 2, 2, 5)
    seer._replies["critique"] = ['{"critique": "Both are wrong.\\n## Reply\\n5"}']
    assert ask("sc_reflect", seer).entity == 5
    assert seer.kinds == [*["image_match"] * 3, "critique", "image_match"]
    last = seer.asked[-1][1][0].text
    assert "Both are wrong.\n ## Reply\n5" in last


def test_a_new_reply_that_is_unusable_leaves_it_to_the_vote() -> None:
    seer = votes(1, 2, 2, "no")
    seer._replies["critique"] = ['{"critique": "Hm."}']
    assert ask("sc_reflect", seer).entity == 2


def test_plans_that_differ_by_millimetres_are_one_plan() -> None:
    def plan(x: float) -> PlanReply:
        arguments = {"pick_location": [x, 0.2], "angle_deg": 30}
        return PlanReply.model_validate(
            {"actions": [{"name": "PickRotate", "arguments": arguments}], "plan": str(x)}
        )

    assert sequence_key(plan(0.401)) == sequence_key(plan(0.399))
    assert sequence_key(plan(0.401)) != sequence_key(plan(0.42))


@pytest.mark.parametrize(
    ("name", "samples", "said"), [("best", 5, "strategy: 'best'"), ("sc_voting", 1, "samples: 1")]
)
def test_unknown_strategies_and_single_samples_are_refused(
    name: str, samples: int, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        make_asking(name, ModelRoles(Seer()), reasks=0, samples=samples)
