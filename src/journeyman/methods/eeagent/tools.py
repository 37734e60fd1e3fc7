"""The four tools of the environment interpreter, as typed functions that its model calls."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from journeyman.core.messages import ToolCall
from journeyman.core.values import PROMPT, ImageHWC, Observation, TaskView
from journeyman.methods.eeagent.entities import (
    Entity,
    GroundTruth,
    cut_out,
    extract,
    from_words,
)
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.methods.eeagent.matching import Matcher, Where, scene_match
from journeyman.methods.eeagent.replies import (
    ImageMatchArguments,
    NoArguments,
    SceneMatchArguments,
    SemanticMatchArguments,
)
from journeyman.models.segmenters import Segmenter
from journeyman.models.tools import ToolFunction, ToolRefused

AnySegmenter = Segmenter | GroundTruth


class Toolbox:
    """The tools over one observation, and what they found so far.

    Args:
        segmenter: Finds the entities of pictures.
    """

    def __init__(self, matcher: Matcher, segmenter: AnySegmenter, obs: Observation) -> None:
        self.matcher = matcher
        self.obs = obs
        self.pictures = picture_names(matcher.instruction, obs)
        self._segmenter = segmenter
        self._entities: list[Entity] | None = None
        self._scenes: dict[str, tuple[Entity, ...]] = {}
        self._matches: dict[tuple[str, str, str], Match] = {}

    @property
    def functions(self) -> list[ToolFunction[Any]]:
        return [
            ToolFunction(
                "extract_env_entities",
                "Extracts the entities of the environment and numbers them. Call it first.",
                NoArguments,
                lambda _: self.extract_env_entities(),
            ),
            ToolFunction(
                "image_match",
                "Finds the entity of the environment that looks most like a picture of one object.",
                ImageMatchArguments,
                lambda given: self.image_match(given.target),
            ),
            ToolFunction(
                "semantic_match",
                "Finds the entity that words describe, in the environment or in a pictured scene.",
                SemanticMatchArguments,
                lambda given: self.semantic_match(given.description, given.scene),
            ),
            ToolFunction(
                "scene_match",
                "Finds for every entity of a pictured scene the entity of the environment.",
                SceneMatchArguments,
                lambda given: self.scene_match(given.scene),
            ),
        ]

    @property
    def findings(self) -> Findings:
        """What was found so far."""
        return Findings(
            tuple(self._entities or ()),
            dict(self._scenes),
            tuple(self._matches.values()),
            words="" if "image" in self.obs else self.obs.text,
        )

    # The tools: text for the model, or `ToolRefused` with a sentence for it.

    def extract_env_entities(self) -> str:
        if self._entities is None:
            self._entities = (
                extract(self.obs, self._segmenter)
                if "image" in self.obs
                else from_words(self.obs.text)
            )
        return "\n".join(e.line for e in self._entities) or "No entity was found."

    def image_match(self, target: str) -> str:
        where = self._environment()
        picture = self._picture(_bare(target))
        return self._keep(self.matcher.image_match(_bare(target), picture, where))

    def semantic_match(self, description: str, scene: str = "") -> str:
        where = self._pictured(_bare(scene)) if scene else self._environment()
        return self._keep(self.matcher.semantic_match(description, where))

    def scene_match(self, scene: str) -> str:
        where, pictured = self._environment(), self._pictured(_bare(scene))

        def match(target: Entity, candidates: Where) -> Match:
            """By its look and, if nothing looks like it, by the words for its look."""
            name, shown = f"{pictured.scene}/{target.number}", self._cut_out(pictured, target)
            made = self.matcher.image_match(name, shown, candidates)
            if made.entity or not made.target_features:
                return made
            by_words = self.matcher.semantic_match(made.target_features, candidates)
            features = made.target_features
            return replace(by_words, target=name, tool="image_match", target_features=features)

        if not pictured.entities:
            raise ToolRefused(f"no entity was found in the picture {{{pictured.scene}}}.")
        made = scene_match(pictured.entities, where, match)
        lines = [f"Entities of the picture {{{pictured.scene}}}:"]
        lines += [entity.line for entity in pictured.entities]
        for target in pictured.entities:
            kept = replace(made[target.number], place=target.location)
            lines.append(self._keep(kept))
        return "\n".join(lines)

    # What they share.

    def _keep(self, match: Match) -> str:
        key = match.target, match.tool, match.scene
        before = self._matches.get(key)
        if before is not None and match.place is None:  # a closer look at a pictured entity
            match = replace(match, place=before.place)
        self._matches[key] = match
        lines = [self.findings.line(match), match.details]
        return "\n".join(line for line in lines if line)

    def _environment(self) -> Where:
        if self._entities is None:
            raise ToolRefused("no entities were extracted yet; call extract_env_entities first.")
        return Where(self._entities, self.obs.image)

    def _pictured(self, name: str) -> Where:
        """The entities of a pictured scene."""
        picture = self._picture(name)
        if name not in self._scenes:
            self._scenes[name] = tuple(extract(self.obs, self._segmenter, PROMPT + name))
        return Where(self._scenes[name], picture, name)

    def _picture(self, name: str) -> ImageHWC:
        """A picture of the instruction, or the cut-out of an entity of a pictured scene."""
        scene, _, number = name.partition("/")
        if scene not in self.pictures:
            known = ", ".join(self.pictures) or "none"
            raise ToolRefused(f"there is no picture {{{scene}}}; the pictures are: {known}.")
        if not number:
            picture: ImageHWC = self.obs[PROMPT + scene]
            return picture
        where = self._pictured(scene)
        for entity in where.entities:
            if str(entity.number) == number:
                return self._cut_out(where, entity)
        raise ToolRefused(
            f"the picture {{{scene}}} has no entity {number}; it has {len(where.entities)}."
        )

    @staticmethod
    def _cut_out(where: Where, entity: Entity) -> ImageHWC:
        assert where.image is not None
        return cut_out(where.image, entity)


def picture_names(instruction: str, obs: Observation) -> list[str]:
    """The pictures that the observation has for the instruction, in the instruction's order.

    A name that could not stand in braces, such as one of several lines, is none.
    """
    there = [key.removeprefix(PROMPT) for key in obs if key.startswith(PROMPT)]
    there = [name for name in there if re.fullmatch(r"\w+", name)]
    named = [name for name in re.findall(r"\{(\w+)\}", instruction) if name in there]
    return list(dict.fromkeys([*named, *there]))


def usual_calls(task: TaskView, obs: Observation) -> list[tuple[ToolCall, ...]]:
    """What the interpreter's model calls in an ordinary conversation, to estimate what it costs.

    In its first reply the entities; in its second a match for each picture of the instruction or,
    without pictures, for each thing that the instruction names in braces, one at least.
    """
    calls = [
        ToolCall("", "scene_match", {"scene": name})
        if name.startswith("scene")
        else ToolCall("", "image_match", {"target": name})
        for name in picture_names(task.instruction, obs)
    ]
    if not calls:
        things = re.findall(r"\{(\w+)\}", task.instruction) or ["thing"]
        calls = [ToolCall("", "semantic_match", {"description": f"the {it}"}) for it in things]
    return [(ToolCall("", "extract_env_entities", {}),), tuple(calls)]


def _bare(name: str) -> str:
    """``scene/2`` for ``{scene/2}``, ``{scene}/2`` and the like."""
    return re.sub(r"[{}\s\"']", "", name)
