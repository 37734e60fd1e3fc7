"""The environment interpreter: which tool is called next, and the final answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from journeyman.core.messages import Message, ToolCall
from journeyman.models.standin_tabletop.eyes import is_scene
from journeyman.models.standin_tabletop.prompts import field, matches, pictures

Asked = tuple[str, dict[str, str]]

_NAMED = re.compile(r"\{(\w+)\}")
_THING = re.compile(r"\bthe ((?:[\w-]+ )+?(?:object|thing|block|one))\b", re.IGNORECASE)


def next_reply(
    parts: Mapping[str, str], messages: Sequence[Message], opening: Message
) -> tuple[str, tuple[ToolCall, ...]]:
    """Text and calls of the next reply."""
    instruction = field(parts.get("Task", ""), "Instruction")
    done, results = _history(messages)
    if "This is your last reply" in messages[-1].text:
        return _answer(instruction, results), ()
    wanted = _wanted(instruction, parts, opening, results)
    calls = [asked for asked in wanted if _key(asked) not in done]
    if not done:
        calls = [("extract_env_entities", {})]
    if not calls:
        return _answer(instruction, results), ()
    made = [
        ToolCall(f"call_{len(done) + number}", name, arguments)
        for number, (name, arguments) in enumerate(calls, start=1)
    ]
    return "", tuple(made)


def _wanted(
    instruction: str, parts: Mapping[str, str], opening: Message, results: str
) -> list[Asked]:
    """The matches that the instruction needs, as far as they can be named by now."""
    names = _NAMED.findall(field(parts.get("Task", ""), "Pictures in the instruction"))
    seen = pictures(opening)
    scenes = {
        name
        for name in names
        if (is_scene(seen[key]) if (key := f"Picture {{{name}}}") in seen else "scene" in name)
    }
    wanted: list[Asked] = []
    described = [(m.group(1), instruction[m.end() :]) for m in _THING.finditer(instruction)]
    for name in names:
        if name not in scenes:
            wanted.append(("image_match", {"target": name}))
    for words, after in described:
        within = re.match(r"\s+in \{(\w+)\}", after)
        scene = within.group(1) if within and within.group(1) in scenes else ""
        asked = {"description": f"the {words}"}
        wanted.append(("semantic_match", {**asked, "scene": scene} if scene else asked))
        for made in matches(results):
            if scene and made.scene == scene and made.entity:
                wanted.append(("image_match", {"target": f"{scene}/{made.entity}"}))
    if scenes and not described:
        wanted += [("scene_match", {"scene": name}) for name in names if name in scenes]
    if not names and not described:
        wanted += [
            ("semantic_match", {"description": f"{{{name}}}"})
            for name in dict.fromkeys(_NAMED.findall(instruction))
        ]
    return list({_key(asked): asked for asked in wanted}.values())


def _key(asked: Asked) -> str:
    return json.dumps([asked[0], {k: v for k, v in asked[1].items() if v}], sort_keys=True)


def _history(messages: Sequence[Message]) -> tuple[set[str], str]:
    """The calls made so far, and what they gave."""
    done: set[str] = set()
    results: list[str] = []
    for message in messages:
        for call in message.tool_calls:
            arguments: dict[str, Any] = dict(call.arguments)
            done.add(_key((call.name, {k: str(v) for k, v in arguments.items()})))
        if message.role == "tool":
            results.append(message.text)
    return done, "\n".join(results)


def _answer(instruction: str, results: str) -> str:
    """The final answer, in words."""
    said = []
    for made in matches(results):
        where = f" of the picture {{{made.scene}}}" if made.scene else ""
        said.append(
            f"{made.name} is Entity {made.entity}{where}"
            if made.entity
            else f"{made.name} was not found"
        )
    words = "; ".join(dict.fromkeys(said)) or "nothing was matched"
    return json.dumps({"interpretation": f"{words}. What has to be done: {instruction}"})
