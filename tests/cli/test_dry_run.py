"""`learn --dry-run`: the prompts that would be sent, and the bill, with nobody asked."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.api.rehearsal import placeholder
from journeyman.core.messages import Image, Message, user
from journeyman.runs import RunSpec
from tests.cli.conftest import TINY, Command
from tests.support import worlds
from tests.support.scripted import TidyModel

ANSWERS = TidyModel.complete
DRAWN = (worlds.DRAWN_ENV_ID, "--model", worlds.SEEING_MODEL, "--embedder", "hashing")


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object, **__: object) -> None:
        raise AssertionError("a model was asked")

    monkeypatch.setattr(TidyModel, "complete", asked)
    monkeypatch.setattr(socket.socket, "connect", asked)


def texts(prompt: dict[str, Any]) -> list[str]:
    return [part for message in prompt["messages"] for part in message["content"]]


class TestTheFirstPrompts:
    def test_are_those_that_the_run_sends(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for words in (TINY, DRAWN):
            planned = journeyman("learn", *words, "--dry-run", "--json").document["first_prompts"]
            with monkeypatch.context() as answering:
                answering.setattr(TidyModel, "complete", ANSWERS)
                assert journeyman("learn", *words, "--tasks", 1, "--out", "run").code == 0
            recorded = json.loads(Path("run/episodes/0000.json").read_text("utf-8"))["calls"]
            for prompt, call in zip(planned, recorded[:2], strict=True):
                assert prompt["role"] == call["role"]
                assert texts(prompt) == texts(call)
            shutil.rmtree("run")
        assert "image_sha256" in texts(planned[1])[0]

    def test_are_printed_whole_for_people(self, journeyman: Command) -> None:
        planned = journeyman("learn", *TINY, "--dry-run", "--json").document["first_prompts"]
        said = journeyman("learn", *TINY, "--dry-run").out
        assert [prompt["role"] for prompt in planned] == ["coarse_plan", "plan"]
        for prompt in planned:
            assert texts(prompt)[0].rstrip("\n") in said

    def test_hold_the_lessons_of_a_memory_that_is_given_and_say_so(
        self, journeyman: Command, learnt: Path
    ) -> None:
        planned = journeyman("learn", *TINY, "--memory", learnt, "--dry-run", "--json").document
        assert "Open the chest before" in texts(planned["first_prompts"][1])[0]
        assert any("first of the memory" in said for said in planned["estimate"]["remarks"])

    @pytest.mark.parametrize(
        "words", [("--method", "base"), *(("--set", f"retriever={r}") for r in ("all", "random"))]
    )
    def test_there_are_for_every_method_and_retriever(
        self, journeyman: Command, words: tuple[str, str]
    ) -> None:
        planned = journeyman("learn", *TINY, *words, "--dry-run", "--json").document
        assert planned["first_prompts"][-1]["role"] == "plan"

    def test_need_no_server_that_answers(
        self, journeyman: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        ended = journeyman("learn", "--model", "openai/m", "--dry-run", "--json", "--tasks", 1)
        assert ended.code == 0, ended.err
        assert ended.document["first_prompts"][0]["model"] == "openai/m"


class TestTheEstimate:
    def estimate(self, journeyman: Command, *words: object) -> dict[str, Any]:
        ended = journeyman("learn", *TINY, "--dry-run", "--json", *words)
        assert ended.code == 0, ended.err
        found: dict[str, Any] = ended.document["estimate"]
        return found

    def test_counts_one_coarse_plan_four_plans_and_two_reflections_an_episode(
        self, journeyman: Command
    ) -> None:
        found = self.estimate(journeyman, "--tasks", 3)
        calls = {row["role"]: row["calls"] for row in found["by_role"]}
        assert calls == {"coarse_plan": 3, "plan": 12, "distil": 3, "consolidate": 3}
        replies = {row["role"]: row["completion_tokens"] for row in found["by_role"]}
        assert replies == {"coarse_plan": 300, "plan": 4800, "distil": 900, "consolidate": 900}
        assert (found["calls"], found["completion_tokens"]) == (21, 6900)

    def test_counts_only_what_a_method_asks(self, journeyman: Command) -> None:
        def roles(*words: str) -> list[str]:
            return [row["role"] for row in self.estimate(journeyman, *words)["by_role"]]

        assert roles("--method", "base") == ["plan"]
        assert roles("--set", "consolidator=append") == ["coarse_plan", "plan", "distil"]

    def test_does_not_take_longer_replies_than_are_allowed(self, journeyman: Command) -> None:
        found = self.estimate(journeyman, "--tasks", 1, "--set", "max_tokens=50")
        assert found["completion_tokens"] == 7 * 50

    def test_takes_prompts_by_their_size(self, journeyman: Command) -> None:
        """A coarse plan's prompt is the same for the estimate and for the run."""
        document = journeyman("learn", *TINY, "--dry-run", "--json", "--tasks", 4).document
        [coarse] = (r for r in document["estimate"]["by_role"] if r["role"] == "coarse_plan")
        [text] = texts(document["first_prompts"][0])
        assert coarse["prompt_tokens"] == 4 * -(-len(text) // 4)

    def test_gives_the_price_of_a_price_table(self, journeyman: Command) -> None:
        Path("prices.toml").write_text(f'["{worlds.MODEL}"]\nin = 2.0\nout = 10.0\n')
        found = self.estimate(journeyman, "--set", "prices=prices.toml")
        expected = (found["prompt_tokens"] * 2.0 + found["completion_tokens"] * 10.0) / 1e6
        assert found["usd"] == pytest.approx(expected) and found["unpriced"] == []
        said = journeyman("learn", *TINY, "--dry-run", "--set", "prices=prices.toml").out
        assert f"about {expected:,.2f} US dollars" in said

    def test_gives_none_where_a_model_has_none(self, journeyman: Command) -> None:
        found = self.estimate(journeyman)
        assert found["usd"] is None and found["unpriced"] == [worlds.MODEL]
        assert "no price: give a price table" in journeyman("learn", *TINY, "--dry-run").out

    def test_says_how_it_is_made(self, journeyman: Command) -> None:
        found = self.estimate(journeyman)
        assert found["assumed"]["plans_an_episode"] == 4
        said = journeyman("learn", *TINY, "--dry-run").out
        assert found["remarks"][0] in said and "Replies are assumed" in said

    def test_is_near_what_a_run_of_the_household_takes(self, tmp_path: Path) -> None:
        """Within a factor of two for each prompt: 12 tasks of the stand-in, per call."""
        spec = RunSpec(tasks=12, embedder="hashing")
        rows = {role.role: role for role in api.preview(spec).roles}
        run = api.run_spec(spec, tmp_path / "run")
        for (role, _), tally in run.ledger().by_role_and_model.items():
            guessed = rows[role].prompt_tokens / rows[role].calls
            assert 0.5 < guessed / (tally.prompt_tokens / tally.calls) < 2, role
        run.close()


def test_nothing_is_written_not_even_a_cache(journeyman: Command) -> None:
    ended = journeyman("learn", *TINY, "--cache", "replies.db", "--dry-run")
    assert ended.code == 0 and "What the cache answers is not taken off." in ended.out
    assert list(Path.cwd().iterdir()) == []


def test_a_recording_costs_nothing(journeyman: Command, learnt: Path) -> None:
    ended = journeyman("learn", "--from-recording", learnt, "--dry-run", "--json")
    assert ended.document["estimate"]["usd"] == 0.0
    assert ended.document["spec"]["model"] == worlds.MODEL


def test_a_picture_counts_by_its_pixels() -> None:
    import numpy as np

    from journeyman.api.preview import tokens

    picture = Image(np.zeros((500, 500, 3), np.uint8))
    assert tokens([user(picture, "x" * 9)]) == 334 + 3
    assert tokens([user(Image(np.zeros((8, 8, 3), np.uint8)))]) == 64, "servers count a least"
    assert tokens([Message("user", (Image(None, "0" * 64),))]) == 0


def test_a_placeholder_follows_the_schema() -> None:
    shapes = {"Note": {"type": "object", "properties": {"text": {"type": "string"}}}}
    schema = {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "remove"]},
            "kind": {"anyOf": [{"const": "a"}, {"type": "null"}]},
            "notes": {"type": "array", "items": {"$ref": "#/$defs/Note"}, "minItems": 2},
            "short": {"type": "string", "maxLength": 7},
            "number": {"type": "integer"},
        },
    }
    found = placeholder(schema, shapes)
    assert (found["op"], found["kind"], found["short"], found["number"]) == (
        "add",
        "a",
        "In this",
        0,
    )
    assert [list(note) for note in found["notes"]] == [["text"], ["text"]]
    assert placeholder({"type": "integer", "minimum": 1}, {}) == 1
