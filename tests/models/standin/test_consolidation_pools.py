"""What the stand-in does with a reflection and a strategy pool: scripted cases, held out.

A duplicate calls for no operation, a refinement for a revision of that strategy, a contradiction
for its removal and an addition, something novel for an addition; mixed cases combine two of them.
Operations are compared by kind and alias, whatever their order and wording.
"""

import json
from collections import Counter
from pathlib import Path
from string import Template

import pytest
from pydantic import ValidationError

import journeyman
from journeyman.core.messages import user
from journeyman.core.values import KINDS
from journeyman.methods.elite.replies import DeltaReply
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn

PROMPT = Template(
    (
        Path(journeyman.__file__).parent / "methods" / "elite" / "prompts" / "consolidate.txt"
    ).read_text(encoding="utf-8")
)
CASES = json.loads(
    (Path(__file__).parent / "corpus" / "pools.json").read_text(encoding="utf-8"),
)
SHAPES = {
    "duplicate": [{}],
    "refinement": [{"revise": 1}],
    "contradiction": [{"add": 1, "remove": 1}],
    "novel": [{"add": 1}, {"add": 2}],
}


def pool_section(pool):
    return "\n\n".join(
        f"[S{number}] {strategy['title']}\n"
        f"Kind: {strategy['kind']}\n"
        f"When: {strategy['applies_when']}\n"
        f"{strategy['text']}"
        for number, strategy in enumerate(pool, start=1)
    )


def reflection_section(reflection):
    return "\n".join(
        f"- [{item['kind']}] {item['title']} | When: {item['applies_when']} | {item['text']}"
        for item in reflection
    )


def prompt(case):
    return PROMPT.substitute(
        pool=pool_section(case["pool"]),
        instruction=case["instruction"],
        reflection=reflection_section(case["reflection"]),
    )


def operations(case):
    """The reply's operations as (op, alias) with their counts; None where it cannot be used."""
    model = StandIn("stand-in", ModelOptions(seed=0))
    completion = model.complete([user(prompt(case))], schema=DeltaReply.model_json_schema())
    try:
        reply = DeltaReply.model_validate_json(completion.text)
    except ValidationError:
        return None
    return Counter((o.op, "" if o.op == "add" else o.alias) for o in reply.operations)


def expected(case):
    return Counter((o["op"], o["alias"]) for o in case["expected"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_case_is_well_formed(case):
    assert 3 <= len(case["pool"]) <= 8
    assert 1 <= len(case["reflection"]) <= 2
    assert all(item["kind"] in KINDS for item in case["pool"] + case["reflection"])
    aliases = {f"S{number}" for number in range(1, len(case["pool"]) + 1)}
    assert all((o["alias"] in aliases) != (o["op"] == "add") for o in case["expected"])
    if case["type"] != "mixed":
        assert dict(Counter(o["op"] for o in case["expected"])) in SHAPES[case["type"]]


def test_there_are_thirty_cases_and_eight_of_each_pure_type():
    by_type = Counter(case["type"] for case in CASES)
    assert len(CASES) >= 30
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert all(by_type[pure] >= 8 for pure in SHAPES)


def test_consolidation_chooses_the_expected_operations_as_often_as_when_it_was_frozen(capsys):
    right, total = Counter(), Counter()
    for case in CASES:
        total[case["type"]] += 1
        right[case["type"]] += operations(case) == expected(case)
    accuracy = right.total() / total.total()
    lines = [
        f"{name:<16}{right[name]:>3}/{total[name]:<3}{right[name] / total[name]:>6.2f}"
        for name in sorted(total)
    ]
    lines.append(f"{'all':<16}{right.total():>3}/{total.total():<3}{accuracy:>6.2f}")
    with capsys.disabled():
        print("\nConsolidation, held-out pools\n" + "\n".join(lines))
    assert accuracy >= 0.68
