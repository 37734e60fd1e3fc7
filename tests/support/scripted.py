"""Models whose replies a test decides."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from journeyman.core.errors import ModelUnavailable
from journeyman.core.messages import Completion, Message, Tool, Usage
from tests.support.tiny_env import ACTIONS, ID, OK, START

PUT = "put down the thing in hand"

Reply = Callable[[Sequence[Message], Mapping[str, Any]], str]


class ScriptedModel:
    """Gives the replies of a list in order, or those of a function of (messages, schema).

    Args:
        replies: What to reply; running out of a list is a failure of the test.
        sees_images: Whether methods should send it pictures.
        unavailable_at: The number of the call, from 0, that raises `ModelUnavailable`.
    """

    def __init__(
        self,
        replies: Sequence[str] | Reply = (),
        *,
        id: str = "scripted",
        sees_images: bool = False,
        unavailable_at: int | None = None,
    ) -> None:
        self.id = id
        self.sees_images = sees_images
        self.unavailable_at = unavailable_at
        self.calls: list[tuple[tuple[Message, ...], Mapping[str, Any]]] = []
        self._replies = replies

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        number = len(self.calls)
        self.calls.append((tuple(messages), schema or {}))
        if number == self.unavailable_at:
            raise ModelUnavailable("the model is down.", hint="Start it.")
        if callable(self._replies):
            text = self._replies(messages, schema or {})
        else:
            assert number < len(self._replies), f"call {number} was not expected"
            text = self._replies[number]
        asked = sum(len(message.text) for message in messages)
        return Completion(text, usage=Usage(asked // 4, len(text) // 4), model=self.id)

    @property
    def prompts(self) -> list[str]:
        """The text of each call's first message."""
        return [messages[0].text for messages, _ in self.calls]


class RecordingModel:
    """Another model, with everything that it is shown kept in ``shown``."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.id = model.id
        self.sees_images = model.sees_images
        self.shown: list[tuple[str, str]] = []
        """(which reply was asked for, all texts of the prompt)."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        self.shown.append((asked_for(schema or {}), "\n".join(m.text for m in messages)))
        completion: Completion = self.model.complete(messages, schema=schema, tools=tools)
        return completion


def asked_for(schema: Mapping[str, Any]) -> str:
    """The reply class that the schema stands for, e.g. ``PlanReply``."""
    return str(schema.get("title", ""))


def plan_reply(*actions: str | int, words: str = "do it") -> str:
    """A planner's reply that executes these actions, by name or by id."""
    ids = [ID[action] if isinstance(action, str) else action for action in actions]
    return json.dumps(
        {
            "visual_state_description": "a room",
            "reasoning_and_reflection": "it is needed",
            "language_plan": words,
            "executable_plan": [
                {"action_id": i, "action_name": ACTIONS[i].name if 0 <= i < len(ACTIONS) else "?"}
                for i in ids
            ],
        }
    )


def section(prompt: str, heading: str) -> str:
    """The body of the section ``## heading``."""
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", prompt, re.M | re.S)
    assert match is not None, f"no section '{heading}' in:\n{prompt}"
    return match.group(1).strip()


def headings(prompt: str) -> list[str]:
    return re.findall(r"^## (.*)$", prompt, re.M)


class TidyModel(ScriptedModel):
    """A small learner for the tiny world: it does not know that a chest has to be opened.

    It learns that from a lesson in its prompt, writes that lesson from the failing step of a
    trajectory, and adds to the pool what the pool does not say. Made as the registry makes models.
    """

    def __init__(
        self, name: str = "tidy-model", options: Any = None, *, sees_images: bool = False
    ) -> None:
        super().__init__(self._reply, id=name, sees_images=sees_images)

    def _reply(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        prompt = messages[0].text
        return {
            "CoarsePlanReply": self._coarse_plan,
            "PlanReply": self._plan,
            "SuccessReply": self._success,
            "FailureReply": self._failure,
            "DeltaReply": self._consolidate,
        }[asked_for(schema)](prompt)

    def _coarse_plan(self, prompt: str) -> str:
        thing, place = _wanted(prompt)
        return json.dumps({"coarse_plan": [f"take the {thing}", f"carry it to the {place}"]})

    def _plan(self, prompt: str) -> str:
        thing, place = _wanted(prompt)
        knows = "## Lessons" in prompt and "Open the chest" in prompt
        history = section(prompt, "History")
        if "The chest is closed." in history or f"{PUT}, env feedback: {OK}" in history:
            return plan_reply(words="there is nothing more to do")
        return plan_reply(
            f"go to the {START[thing]}",
            *(["open the chest"] if START[thing] == "chest" and knows else []),
            f"pick up the {thing}",
            f"go to the {place}",
            *(["open the chest"] if place == "chest" and knows else []),
            "put down the thing in hand",
            words=f"bring the {thing} to the {place}",
        )

    def _success(self, prompt: str) -> str:
        thing, place = _wanted(prompt)
        text = f"Go to where the {thing} is, take it, go to the {place}, put it down."
        return json.dumps({"repeatable_steps": [{"title": f"To the {place}", "text": text}]})

    def _failure(self, prompt: str) -> str:
        if "chest" not in section(prompt, "Trajectory"):
            return json.dumps({"failure_causes": [], "avoidance_guidelines": []})
        note = {
            "title": "Open first",
            "applies_when": "a thing goes into or comes from the chest",
            "text": "Open the chest before taking a thing from it or putting one in.",
        }
        return json.dumps({"failure_causes": [], "avoidance_guidelines": [note]})

    def _consolidate(self, prompt: str) -> str:
        pool = section(prompt, "Strategy pool")
        operations = []
        for kind, title, text in re.findall(
            r"^- \[(\w+)\] ([^|\n]*)(?: \| When: [^|\n]*)? \| (.*)$",
            section(prompt, "Reflection"),
            re.M,
        ):
            if text in pool:
                continue
            same = re.search(rf"^\[(S\d+)\] {re.escape(title)}$", pool, re.M)
            common = {"title": title, "text": text, "kind": kind}
            operations.append(
                {"op": "revise", "alias": same.group(1), **common}
                if same
                else {"op": "add", **common}
            )
        return json.dumps({"operations": operations})


def _wanted(prompt: str) -> tuple[str, str]:
    """Thing and place of the instruction; of an unknown sentence the ball and the shelf."""
    instruction = re.search(r"^Instruction: (.*)$", prompt.rpartition("## Task")[2], re.M)
    words = re.findall(r"[a-z]+", instruction.group(1)) if instruction else []
    thing = next((word for word in words if word in START), "ball")
    place = next((word for word in words if word in ("shelf", "table", "chest")), "shelf")
    return thing, place
