"""The match tools: image_match, semantic_match and, from both, scene_match (section III-B).

Each is a model call with a prompt of its own: task description, principles, suggestions, output
format. Which entity is meant, the model says; here is only what it is shown and how it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from journeyman.core.messages import Image, Message
from journeyman.core.values import ImageHWC
from journeyman.methods.eeagent.entities import Entity, cut_out, enlarged, trimmed
from journeyman.methods.eeagent.findings import Match, named
from journeyman.methods.eeagent.memory import LongShortMemory
from journeyman.methods.eeagent.replies import MatchReply
from journeyman.methods.eeagent.strategies import PACKAGE, Asking
from journeyman.methods.prompting import no_heading, one_line, template


@dataclass(frozen=True, eq=False)
class Where:
    """What a target is looked for in.

    Attributes:
        entities: The candidates.
        image: The picture they are in; None where the environment is seen in words.
        scene: The name of the pictured scene; empty for the environment.
    """

    entities: Sequence[Entity]
    image: ImageHWC | None = None
    scene: str = ""

    def but(self, numbers: set[int]) -> Where:
        """The same without some of the candidates."""
        left = [entity for entity in self.entities if entity.number not in numbers]
        return Where(left, self.image, self.scene)


class Matcher:
    """Asks which entity a target is.

    Args:
        asking: The prompting strategy.
        instruction: Of the task at hand.
        memory: What both modules remember.
    """

    def __init__(self, asking: Asking, instruction: str, memory: LongShortMemory) -> None:
        self.asking = asking
        self.instruction = instruction
        self.memory = memory

    def image_match(self, target: str, picture: ImageHWC, where: Where) -> Match:
        """The entity most like ``picture``, the picture of one object."""
        return self._match("image_match", target, where, trimmed(picture))

    def semantic_match(self, description: str, where: Where) -> Match:
        """The entity that the words describe."""
        return self._match("semantic_match", description, where, None)

    def _match(self, tool: str, target: str, where: Where, picture: ImageHWC | None) -> Match:
        if not where.entities:
            return Match(target, tool, 0, where.scene, reason="no entity is left")
        text = template(PACKAGE, tool).substitute(
            **self.memory.sections("interpreter"),
            **self.asking.words,
            instruction=one_line(self.instruction),
            target=named(target, tool),
            place=f"the picture {{{where.scene}}}" if where.scene else "the environment",
            entities=no_heading("\n".join(entity.line for entity in where.entities)),
        )
        shown = self._pictures(named(target, tool), where, picture)
        numbers = [entity.number for entity in where.entities]

        def check(reply: MatchReply) -> str | None:
            if reply.entity in (0, *numbers):
                return None
            known = ", ".join(map(str, numbers))
            return f"there is no entity {reply.entity}; the entities are {known}, and 0 for none"

        asked = Message("user", (text, *shown))
        reply = self.asking.ask("interpret", asked, MatchReply, lambda r: r.entity, check)
        if not isinstance(reply.parsed, MatchReply):
            reason = f"the reply could not be used: {reply.problem}"
            return Match(target, tool, 0, where.scene, reason=reason)
        said = reply.parsed
        return Match(
            target,
            tool,
            said.entity,
            where.scene,
            said.confidence,
            said.reason,
            said.target_features,
            said.entity_features,
        )

    def _pictures(
        self, target: str, where: Where, picture: ImageHWC | None
    ) -> tuple[str | Image, ...]:
        """The target's picture, if there is one, and a cut-out of each entity, with their names."""
        if where.image is None or not self.asking.models.model("interpret").sees_images:
            return ()
        names = [f"Entity {entity.number}:" for entity in where.entities]
        pictures = [cut_out(where.image, entity) for entity in where.entities]
        if picture is not None:
            names, pictures = [f"Target {target}:", *names], [picture, *pictures]
        return labelled(names, enlarged(pictures))


def labelled(names: Sequence[str], pictures: Sequence[ImageHWC]) -> tuple[str | Image, ...]:
    """Each picture after the line that names it."""
    return tuple(
        part
        for name, picture in zip(names, pictures, strict=True)
        for part in (name, Image(picture))
    )


def scene_match(targets: Sequence[Entity], where: Where, match: MatchOne) -> dict[int, Match]:
    """One entity of the environment for each of the pictured scene, no entity twice.

    "Uses the two match tools iteratively": each target is matched among all entities; where two
    choose the same one, the more confident match keeps it and the other target is matched again
    without it (the deferred acceptance of stable matching; of equally confident ones the first).

    Args:
        targets: The entities of the pictured scene.
        match: Matches one target among some candidates.

    Returns:
        The match of each target by its number, in the order of ``targets``.
    """
    found: dict[int, Match] = {}
    refused: dict[int, set[int]] = {target.number: set() for target in targets}
    by_number = {target.number: target for target in targets}
    waiting = list(targets)
    while waiting:
        target = waiting.pop(0)
        made = found[target.number] = match(target, where.but(refused[target.number]))
        rival = next(
            (
                number
                for number, other in found.items()
                if made.entity and number != target.number and other.entity == made.entity
            ),
            None,
        )
        if rival is None:
            continue
        loser = target.number if made.confidence <= found[rival].confidence else rival
        refused[loser].add(made.entity)
        del found[loser]
        waiting.append(by_number[loser])
    return {target.number: found[target.number] for target in targets}


MatchOne = Callable[[Entity, Where], Match]
