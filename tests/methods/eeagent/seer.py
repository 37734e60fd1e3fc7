"""A model that answers EEAgent's prompts by mean colours, and a hand-made picture to see.

Every reply can be replaced by a test: ``Seer(plan='{"actions": []}')``, or by a function of the
messages. Prompts are told apart by their first lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from journeyman.core.messages import Completion, Message, Tool, Usage
from journeyman.core.values import GroundMap, Observation
from tests.support.scripted import section

FIRST_LINES = {
    "You are the environment interpreter": "interpret",
    "You are the image matching tool": "image_match",
    "You are the semantic matching tool": "semantic_match",
    "You are the policy planner": "plan",
    "You describe pictures": "describe",
    "You are the image-description consistency": "check_descriptions",
    "You are the action-to-instruction consistency": "regenerate_instruction",
    "You compare instructions": "compare_instructions",
    "You reflect on a success": "reflect_success",
    "You reflect on a failure": "reflect_failure",
    "You judge the generality": "gate",
    "You keep the long-term memory": "optimize",
    "You choose among several": "select",
    "You compare several": "critique",
}

Reply = str | Callable[[Sequence[Message]], str]


def kind_of_prompt(messages: Sequence[Message]) -> str:
    text = messages[0].text
    return next(kind for line, kind in FIRST_LINES.items() if text.startswith(line))


class Seer:
    """See the module.

    Args:
        replies: By kind of prompt; a list is used up in order, its last item stays.

    Attributes:
        asked: (kind of prompt, messages) of every call.
    """

    def __init__(self, *, sees_images: bool = True, **replies: Reply | list[Reply]) -> None:
        self.id = "seer"
        self.sees_images = sees_images
        self.asked: list[tuple[str, tuple[Message, ...]]] = []
        self._replies = {k: list(r) if isinstance(r, list) else [r] for k, r in replies.items()}

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        kind = kind_of_prompt(messages)
        self.asked.append((kind, tuple(messages)))
        text = self._reply(kind, messages)
        return Completion(text, usage=Usage(1, 1), model=self.id)

    def prompts(self, kind: str) -> list[str]:
        return [messages[0].text for asked, messages in self.asked if asked == kind]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]

    def _reply(self, kind: str, messages: Sequence[Message]) -> str:
        if kind in self._replies:
            left = self._replies[kind]
            reply = left.pop(0) if len(left) > 1 else left[0]
            return reply if isinstance(reply, str) else reply(messages)
        said = getattr(self, f"_{kind}")(messages)
        return said if isinstance(said, str) else json.dumps(said)

    def _interpret(self, messages: Sequence[Message]) -> Any:
        pictures = re.findall(r"\{(\w+)\}", section(messages[0].text, "Task").splitlines()[1])
        calls = [call("extract_env_entities")]
        for name in pictures:
            tool = "scene_match" if name == "scene" else "image_match"
            calls.append(call(tool, **{"scene" if name == "scene" else "target": name}))
        turn = sum(message.role == "assistant" for message in messages)
        return calls[turn] if turn < len(calls) else {"interpretation": "All is matched."}

    def _image_match(self, messages: Sequence[Message]) -> Any:
        pictures = labelled(messages[0])
        target = colour(pictures.pop(next(name for name in pictures if name.startswith("Target"))))
        far = {name: float(np.abs(colour(p) - target).sum()) for name, p in pictures.items()}
        best = min(far, key=far.__getitem__)
        return match(int(best.split()[1].rstrip(":")), 1 - far[best] / 765, features(target))

    def _semantic_match(self, messages: Sequence[Message]) -> Any:
        return match(int(re.search(r"Entity (\d+)", messages[0].text).group(1)), 0.5)

    def _plan(self, messages: Sequence[Message]) -> Any:
        environment = section(messages[0].text, "Environment")
        at = {
            name: json.loads(where)
            for name, where in re.findall(
                r"^- \{([^}]+)\} is Entity \d+ at (\[.*?\])", environment, re.M
            )
        }
        shown = {
            name: json.loads(where)
            for name, where in re.findall(
                r"^- \{([^}]+)\}.*shows it at (\[.*?\])", environment, re.M
            )
        }
        turn = re.search(r"Rotate .* (\d+) degrees", section(messages[0].text, "Task"))
        if turn:
            arguments = {"pick_location": at["object"], "angle_deg": int(turn.group(1))}
            return {"plan": "turn", "actions": [{"name": "PickRotate", "arguments": arguments}]}
        moves = [(at[name], shown[name]) for name in shown if name in at]
        if not moves and {"object", "base"} <= at.keys():
            moves = [(at["object"], at["base"])]
        actions = [
            {"name": "PickPlace", "arguments": {"pick_location": a, "place_location": b}}
            for a, b in moves
        ]
        return {"plan": "move", "actions": actions}

    def _describe(self, messages: Sequence[Message]) -> Any:
        pictures = labelled(messages[0])
        return {
            "pictures": [
                {"picture": int(name.split()[1].rstrip(":")), "features": features(colour(p))}
                for name, p in pictures.items()
            ]
        }

    def _check_descriptions(self, messages: Sequence[Message]) -> Any:
        pairs = re.findall(
            r"^Match (\d+)\nTarget [^:]*: (.*)\nEntity \d+: (.*)$",
            section(messages[0].text, "Matches"),
            re.M,
        )
        return {
            "verdicts": [
                {"match": int(n), "consistent": a == b, "reason": f"{a} and {b}"}
                for n, a, b in pairs
            ]
        }

    def _regenerate_instruction(self, messages: Sequence[Message]) -> Any:
        return {"instruction": "Put the {object} into the {base}."}

    def _compare_instructions(self, messages: Sequence[Message]) -> Any:
        original, regenerated = section(messages[0].text, "Instructions").splitlines()
        same = original.partition(": ")[2] == regenerated.partition(": ")[2]
        return {"consistent": same, "reason": "word by word"}

    def _reflect_success(self, messages: Sequence[Message]) -> Any:
        return {"principles": [f"The {_module(messages)} does well to look at colours."]}

    def _reflect_failure(self, messages: Sequence[Message]) -> Any:
        return {
            "diagnosis": "It did not look closely.",
            "principles": [f"The {_module(messages)} has to look closely."],
            "suggestions": [f"The {_module(messages)} should take the other one of two."],
        }

    def _gate(self, messages: Sequence[Message]) -> Any:
        listed = re.findall(r"^- \[(C\d+)\] (.*)$", section(messages[0].text, "Candidates"), re.M)
        return {
            "ratings": [
                {"candidate": alias, "general": not re.search(r"\d", text), "reason": "by digits"}
                for alias, text in listed
            ]
        }

    def _optimize(self, messages: Sequence[Message]) -> Any:
        new = re.findall(r"^- \[N\d+\] (.*)$", section(messages[0].text, "New principles"), re.M)
        return {"operations": [{"op": "add", "text": text} for text in new]}


def call(name: str, **arguments: Any) -> str:
    """A call of a tool as a model without the protocol writes it out."""
    return json.dumps({"name": name, "arguments": arguments})


def match(entity: int, confidence: float = 1.0, said: str = "", other: str = "") -> dict[str, Any]:
    return {
        "target_features": said,
        "entity": entity,
        "entity_features": other or said,
        "confidence": max(0.0, min(1.0, confidence)),
        "reason": "its colour",
    }


def labelled(message: Message) -> dict[str, np.ndarray]:
    """The pictures of a message by the text right before each."""
    parts = message.content
    return {
        str(parts[i - 1]): part.array for i, part in enumerate(parts) if not isinstance(part, str)
    }


def colour(picture: np.ndarray) -> np.ndarray:
    """Mean colour of what is not white, shape (3,)."""
    return picture[(picture != 255).any(2)].mean(0)


def features(mean: np.ndarray) -> str:
    return "colour " + " ".join(str(int(value) // 32) for value in mean)


def _module(messages: Sequence[Message]) -> str:
    return re.search(r"of the ([\w ]+?) of an", messages[0].text).group(1)


RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)
BOXES = {RED: (2, 2), BLUE: (10, 2), GREEN: (18, 8)}
"""Left and top of the 4 x 4 squares of `picture`, 16 x 24, on grey."""


def picture(boxes: Mapping[tuple[int, int, int], tuple[int, int]]) -> np.ndarray:
    image = np.full((16, 24, 3), 60, np.uint8)
    for shade, (left, top) in boxes.items():
        image[top : top + 4, left : left + 4] = shade
    return image


def masks(image: np.ndarray) -> np.ndarray:
    """2, 3, ... for each colour but the grey."""
    found = np.ones(image.shape[:2], np.uint8)
    for number, shade in enumerate(BOXES, start=2):
        found[(image == shade).all(2)] = number
    return found


def alone(shade: tuple[int, int, int]) -> np.ndarray:
    """A square of one colour on white, as instructions show objects."""
    image = np.full((16, 24, 3), 255, np.uint8)
    image[6:10, 10:14] = shade
    return image


def observation(**prompts: np.ndarray) -> Observation:
    """Red, blue and green squares with masks; x = row / 100, y = column / 100 metres.

    The centres are at x, y = (0.035, 0.035), (0.035, 0.115) and (0.095, 0.195).
    """
    image = picture(BOXES)
    views: dict[str, Callable[[], np.ndarray]] = {"masks": lambda: masks(image)}
    for name, shown in prompts.items():
        views[f"prompt/{name}"] = lambda shown=shown: shown
        views[f"masks/prompt/{name}"] = lambda shown=shown: masks(shown)
    return Observation("Squares.", lambda: image, views, GroundMap(0.0, 0.01, 0.0, 0.01))
