"""Replies as values: what is found, what is refused, how a bad reply is asked for again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from journeyman.core.messages import Completion, user
from journeyman.methods.elite.replies import (
    CoarsePlanReply,
    DeltaReply,
    PlanReply,
    SuccessReply,
)
from journeyman.models.structured import ask, extract, read
from tests.support.fake_server import ScriptedModel

PLAN = '{"coarse_plan": ["find the mug", "rinse it"]}'
TWO_OPERATIONS = '{"operations": [{"op": "add", "text": "rinse"}, {"op": "remove", "alias": "S1"}]}'


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"\n  {PLAN}\n",
        f"Here is the plan:\n{PLAN}\nGood luck!",
        f"```json\n{PLAN}\n```",
        f"Sure.\n```\n{PLAN}\n```\nDone.",
        f"```json\n{PLAN}",
        f"I write {{braces}} and {{}} and [lists] in prose. {PLAN}",
        f"{PLAN}\n\nOnce more:\n{PLAN}",
        f'<think>Maybe {{"coarse_plan": ["x"]}}, or {{"coarse_plan"</think>{PLAN}',
        f'The action {{"action_id": 3}} is useful. {PLAN}',
        '{"coarse_plan": ["find the mug", "rinse it"], "notes": "{not closed"}',
        '{"reasoning": "a brace } and a \\" quote", "coarse_plan": ["find the mug", "rinse it"]}',
        f"[{PLAN}]",
    ],
)
def test_the_one_object_is_found_whatever_stands_around_it(text):
    parsed, problem = extract(text, CoarsePlanReply)
    assert problem is None
    assert parsed == CoarsePlanReply(coarse_plan=["find the mug", "rinse it"])


def test_line_breaks_inside_strings_are_taken_as_weak_models_write_them():
    parsed, problem = extract('{"coarse_plan": ["find\nthe mug"]}', CoarsePlanReply)
    assert (parsed.coarse_plan, problem) == (["find\nthe mug"], None)


@pytest.mark.parametrize(
    ("text", "reply_type", "word"),
    [
        ("I cannot help with that.", CoarsePlanReply, "no JSON object"),
        ('["find the mug"]', CoarsePlanReply, "no JSON object"),
        ("42", CoarsePlanReply, "no JSON object"),
        ("{'coarse_plan': ['find the mug']}", CoarsePlanReply, "not valid JSON"),
        ('{"coarse_plan": ["a" "b"]}', CoarsePlanReply, "not valid JSON"),
        ('{"coarse_plan": "find the mug"}', CoarsePlanReply, "coarse_plan: "),
        ('{"coarse_plan": []}', CoarsePlanReply, "coarse_plan: "),
        ('{"plan": ["find the mug"]}', CoarsePlanReply, "none of the fields coarse_plan"),
        ('{"result": {"coarse_plan": ["a"]}}', CoarsePlanReply, "none of the fields"),
        ('{"lessons": ["rinse"]}', SuccessReply, "none of the fields success_patterns"),
        ("{}", SuccessReply, "none of the fields"),
        (f'{PLAN} {{"coarse_plan": ["other"]}}', CoarsePlanReply, "2 different JSON objects"),
        (f'{PLAN} {{"coarse_plan": "broken"}}', CoarsePlanReply, "2 different JSON objects"),
        (f'{PLAN} {{"coarse_plan": ["cut', CoarsePlanReply, "not complete"),
        (f'{PLAN} {{"coarse_plan": [oops]}}', CoarsePlanReply, "not valid JSON"),
        (
            '{"reasoning_and_reflection": "", "language_plan": "", "executable_plan": '
            '[{"action_id": "the first"}]}',
            PlanReply,
            "executable_plan.0.action_id",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_a_problem_that_says_so(text, reply_type, word):
    parsed, problem = extract(text, reply_type)
    assert parsed is None
    assert word in problem


@pytest.mark.parametrize("length", range(1, len(TWO_OPERATIONS)))
@pytest.mark.compatibility("replies that are cut off", "any model", "texts by hand")
def test_a_reply_cut_off_anywhere_applies_nothing(length):
    """Whole operations before the cut are not taken for the reply."""
    for text in (TWO_OPERATIONS[:length], f"Here:\n```json\n{TWO_OPERATIONS[:length]}\n```"):
        parsed, problem = extract(text, DeltaReply)
        assert parsed is None
        assert problem


def test_the_problem_names_at_most_three_faults_and_no_values():
    items = [{"action_id": f"secret{i}"} for i in range(5)]
    reply = {"reasoning_and_reflection": "", "language_plan": "", "executable_plan": items}
    _, problem = extract(json.dumps(reply), PlanReply)
    assert problem.count("executable_plan.") == 3
    assert "(and 2 more)" in problem
    assert "secret" not in problem


def test_nesting_beyond_the_parser_is_a_problem_and_no_crash():
    deep = '{"coarse_plan": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert extract(deep, CoarsePlanReply) == (None, "the JSON in the reply is nested too deep")
    assert extract("{" * 100_000, CoarsePlanReply)[0] is None


def test_half_a_character_inside_a_string_is_a_problem():
    parsed, problem = extract('{"coarse_plan": ["\\ud83d"]}', CoarsePlanReply)
    assert (parsed, problem) == (None, "the JSON holds half a character (a lone surrogate)")
    whole, _ = extract('{"coarse_plan": ["\\ud83d\\ude00"]}', CoarsePlanReply)
    assert whole.coarse_plan == ["\U0001f600"]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]":,\\ \nab1', max_size=40))
def test_no_reply_makes_extraction_raise(text):
    parsed, problem = extract(text, CoarsePlanReply)
    assert (parsed is None) == (problem is not None)


def test_an_empty_reply_keeps_the_reason_that_the_model_gave():
    read_back = read(Completion("", problem="the model refused: no"), CoarsePlanReply)
    assert (read_back.parsed, read_back.problem) == (None, "the model refused: no")
    assert read(Completion(" \n"), CoarsePlanReply).problem == "the reply is empty"


@pytest.mark.compatibility("replies that are cut off", "any model", "texts by hand")
def test_a_reply_that_reached_its_length_says_so():
    problem = read(Completion('{"coarse_plan": ["a', finish_reason="length"), PlanReply).problem
    assert "not complete" in problem
    assert "cut off at its longest allowed length" in problem
    whole = read(Completion(PLAN, finish_reason="length"), CoarsePlanReply)
    assert whole.problem is None


def _asked(model, reasks):
    heard = []
    completion = ask(
        lambda messages, schema: model.complete(messages, schema=schema),
        [user("Plan it.")],
        CoarsePlanReply,
        reasks,
        lambda *attempt: heard.append(attempt),
    )
    return completion, heard


def test_a_bad_reply_is_not_asked_for_again_unless_wanted():
    model = ScriptedModel("no idea", PLAN)
    completion, heard = _asked(model, reasks=0)
    assert completion.parsed is None
    assert len(model.asked) == len(heard) == 1


@pytest.mark.compatibility("bad replies are asked for again", "any model", "replies by script")
def test_a_reask_quotes_the_reply_and_its_problem_after_the_unchanged_prompt():
    model = ScriptedModel("no idea", "{", PLAN)
    completion, heard = _asked(model, reasks=2)
    assert completion.parsed == CoarsePlanReply(coarse_plan=["find the mug", "rinse it"])
    assert [number for _, _, number in heard] == [0, 1, 2]
    prompts = [messages for messages, _, _ in model.asked]
    assert [message.role for message in prompts[0]] == ["user"]
    assert [message.role for message in prompts[1]] == ["user", "assistant", "user"]
    assert prompts[1][0] == prompts[0][0]
    assert prompts[1][1].text == "no idea"
    assert "the reply holds no JSON object" in prompts[1][2].text
    assert [message.text for message in prompts[2]][:2] == ["Plan it.", "{"]
    assert len(prompts[2]) == 3


def test_reasks_end_and_the_last_bad_reply_comes_back():
    model = ScriptedModel("one", "two", "three", "four")
    completion, heard = _asked(model, reasks=2)
    assert (completion.text, completion.parsed) == ("three", None)
    assert [attempt[1].text for attempt in heard] == ["one", "two", "three"]


def test_the_schema_of_the_reply_type_goes_with_every_ask():
    model = ScriptedModel("no", PLAN)
    _asked(model, reasks=1)
    for _, schema, _ in model.asked:
        assert schema["title"] == "CoarsePlanReply"
        assert schema["required"] == ["coarse_plan"]


def test_an_empty_reply_is_quoted_in_words_since_servers_refuse_empty_turns():
    model = ScriptedModel("", PLAN)
    _asked(model, reasks=1)
    assert model.asked[1][0][1].text == "(no reply)"
