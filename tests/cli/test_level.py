"""``--level`` of ``learn`` and ``eval``."""

from __future__ import annotations

import json

from tests.cli.conftest import Command


def tasks(out: str) -> list[str]:
    return [line["task"] for line in json.loads(out)["per_task"]]


def test_learn_and_eval_take_one_level(journeyman: Command) -> None:
    base = ("learn", "tabletop/rotate-v0", "--method", "eeagent", "--tasks", "2", "--json")
    learnt = journeyman(*base, "--level", "L2", "--out", "run")
    assert [task.split("-")[1] for task in tasks(learnt.out)] == ["L2", "L2"]
    evaluated = journeyman("eval", "run", "--no-memory", "--level", "L3", "--tasks", "1", "--json")
    assert tasks(evaluated.out) == ["rotate-L3-0000"]


def test_an_unknown_level_is_refused_with_those_that_there_are(journeyman: Command) -> None:
    refused = journeyman("learn", "tabletop/rotate-v0", "--level", "L9")
    assert refused.code == 2
    assert "no level 'L9'" in refused.err and "L1, L2, L3" in refused.err
