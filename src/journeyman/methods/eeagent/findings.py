"""Environmental information: what F_ei found, for the planner and for the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from journeyman.methods.eeagent.entities import Entity, place
from journeyman.methods.prompting import one_line


@dataclass(frozen=True)
class Match:
    """Which entity a target of the instruction is.

    Attributes:
        target: ``object`` or ``scene/2`` for a picture, the words themselves for words.
        tool: ``image_match`` or ``semantic_match``; it says which of the two the target is.
        entity: Its number, 0 where none fits.
        scene: The pictured scene that was looked in; empty for the environment.
        place: [x, y] in metres where the pictured scene shows the target; `scene_match` only.
        target_features, entity_features: The model's descriptions, for the consistency check.
    """

    target: str
    tool: str
    entity: int
    scene: str = ""
    confidence: float = 0.0
    reason: str = ""
    target_features: str = ""
    entity_features: str = ""
    place: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """The target as prompts name it: ``{object}``, ``"the red block"``."""
        return named(self.target, self.tool)

    @property
    def details(self) -> str:
        """What the model said about it, a line each."""
        said = {
            "Target features": self.target_features,
            "Entity features": self.entity_features,
            "Reason": self.reason,
        }
        return "\n".join(f"{what}: {one_line(text)}" for what, text in said.items() if text)


def named(target: str, tool: str) -> str:
    return f"{{{target}}}" if tool == "image_match" else f'"{one_line(target)}"'


@dataclass(frozen=True)
class Findings:
    """What the interpreter found in one trial.

    Attributes:
        entities: Of the environment.
        scenes: The entities of the pictured scenes that were looked at, by the picture's name.
        matches: In the order in which they were made.
        interpretation: The interpreter's final answer.
        dialogue: Its calls with their results, and the answer, as text.
        problem: Why there is no final answer, or None.
        words: The observation, where the environment is seen in words.
    """

    entities: tuple[Entity, ...] = ()
    scenes: Mapping[str, tuple[Entity, ...]] | None = None
    matches: tuple[Match, ...] = ()
    interpretation: str = ""
    dialogue: str = ""
    problem: str | None = None
    words: str = ""

    @property
    def text(self) -> str:
        """As the planner reads it."""
        said = one_line(self.interpretation) or f"(none: {one_line(self.problem or 'empty')})"
        return f"{self.facts}\nInterpretation: {said}"

    @property
    def facts(self) -> str:
        """The entities and matches, without the interpreter's own words."""
        lines = [f"Observation: {one_line(self.words)}"] if self.words else []
        lines += ["Entities:", *([entity.line for entity in self.entities] or ["(none)"])]
        lines += ["Matches:", *([f"- {self.line(m)}" for m in self.matches] or ["(none)"])]
        return "\n".join(lines)

    def line(self, match: Match) -> str:
        """A match in one line."""
        if not match.entity:
            where = f" of the picture {{{match.scene}}}" if match.scene else " that was found"
            return f"{match.name} is no entity{where}"
        entity = self.entity(match)
        location = None if entity is None else entity.location
        at = "" if location is None or match.scene else f" at {place(location)}"
        of = f" of the picture {{{match.scene}}}" if match.scene else ""
        shown = ""
        if match.place is not None:
            shown = f"; {{{match.target.partition('/')[0]}}} shows it at {place(match.place)}"
        return (
            f"{match.name} is Entity {match.entity}{of}{at}, "
            f"confidence {match.confidence:.2f}{shown}"
        )

    def entity(self, match: Match) -> Entity | None:
        """The entity that was chosen."""
        found = (self.scenes or {}).get(match.scene, ()) if match.scene else self.entities
        return next((entity for entity in found if entity.number == match.entity), None)

    def values(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "entities": [entity.values() for entity in self.entities],
            "scenes": {
                name: [entity.values() for entity in entities]
                for name, entities in (self.scenes or {}).items()
            },
            "matches": [
                {**asdict(m), "place": None if m.place is None else list(m.place)}
                for m in self.matches
            ],
            "interpretation": self.interpretation,
            "dialogue": self.dialogue,
            "problem": self.problem,
            "words": self.words,
        }

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Findings:
        """The findings that gave the values; nothing, of a plan that was made without them."""
        if "entities" not in values:
            return cls(problem="nothing was interpreted")
        return cls(
            tuple(Entity.read(entity) for entity in values["entities"]),
            {
                name: tuple(Entity.read(entity) for entity in entities)
                for name, entities in values["scenes"].items()
            },
            tuple(
                Match(**{**m, "place": None if m["place"] is None else tuple(m["place"])})
                for m in values["matches"]
            ),
            values["interpretation"],
            values["dialogue"],
            values["problem"],
            values["words"],
        )
