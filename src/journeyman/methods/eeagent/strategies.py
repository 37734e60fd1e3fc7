"""Prompting strategies (Table I): how one prompt becomes one reply, on the same agent.

Vanilla asks once. Chain of thought asks for thoughts first. Self-consistency asks several times and
votes, has the best one selected, or has the disagreements criticised and asks anew. They apply to
the planner and to the match tools. LSTRO asks once, with what was learnt in the prompt.

Samples differ only with a temperature above 0 (the paper prints none; 0.7 is usual). The number of
the sample stands at the end of its prompt, so that a cache of replies keeps them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from journeyman.core.errors import ConfigError
from journeyman.core.messages import Completion, Message
from journeyman.methods.eeagent.replies import CritiqueReply, SelectionReply
from journeyman.methods.prompting import no_heading, template
from journeyman.models.roles import ModelRoles
from journeyman.models.structured import Check

if TYPE_CHECKING:
    from pydantic import BaseModel

PACKAGE = "journeyman.methods.eeagent"

StrategyName = Literal["lstro", "vanilla", "cot", "sc_voting", "sc_select", "sc_reflect"]
STRATEGIES: tuple[StrategyName, ...] = get_args(StrategyName)

Key = Callable[[Any], Hashable]
"""Replies of equal keys say the same."""

Once = Callable[[Message], Completion]
"""Asks for one reply of the form wanted."""


class Asking:
    """Asks once; a bad reply is asked for again with its error quoted.

    Args:
        reasks: How often.
    """

    thinking = ""
    """What the prompt says before the fields of the reply."""
    thoughts = ""
    """The fields that come before the others."""

    def __init__(self, models: ModelRoles, reasks: int) -> None:
        self.models = models
        self.reasks = reasks

    @property
    def words(self) -> dict[str, str]:
        return {"thinking": self.thinking, "thoughts": self.thoughts}

    def ask(
        self,
        role: str,
        message: Message,
        reply_type: type[BaseModel],
        key: Key,
        check: Check | None = None,
    ) -> Completion:
        """The reply, ``parsed`` a ``reply_type`` that passes ``check``, or None."""
        return self.models.ask(role, [message], reply_type, self.reasks, check=check)


class ChainOfThought(Asking):
    """CoT-Prompt: thoughts, step by step, before the decision; in a field, so that JSON holds."""

    thinking = "Think step by step before you decide, and write your thoughts down first.\n"
    thoughts = '"thoughts": your reasoning, step by step (string),\n'


class Voting(Asking):
    """S-C (Voting): the most frequent of several samples; of equally frequent ones the first."""

    def __init__(self, models: ModelRoles, reasks: int, samples: int) -> None:
        super().__init__(models, reasks)
        self.samples = samples

    def ask(
        self,
        role: str,
        message: Message,
        reply_type: type[BaseModel],
        key: Key,
        check: Check | None = None,
    ) -> Completion:
        def once(asked: Message) -> Completion:
            return self.models.ask(role, [asked], reply_type, self.reasks, check=check)

        numbers = range(1, self.samples + 1)
        found = [once(_numbered(message, number, self.samples)) for number in numbers]
        usable = [completion for completion in found if completion.parsed is not None]
        distinct: dict[Hashable, Completion] = {}
        for completion in usable:
            distinct.setdefault(key(completion.parsed), completion)
        if len(distinct) < 2:
            return usable[0] if usable else found[0]
        count = Counter(key(completion.parsed) for completion in usable)
        voted = distinct[max(distinct, key=count.__getitem__)]
        return self._choose(role, message, tuple(distinct.values()), once) or voted

    def _choose(
        self, role: str, message: Message, distinct: Sequence[Completion], once: Once
    ) -> Completion | None:
        """The reply that counts in place of the vote's, or None; ``distinct`` in their order."""
        return None

    def _about(
        self,
        role: str,
        name: str,
        reply_type: type[BaseModel],
        message: Message,
        distinct: Sequence[Completion],
    ) -> Any:
        """The ``reply_type`` to the prompt ``name`` about replies to ``message``, or None."""
        text = template(PACKAGE, name).substitute(
            prompt=no_heading(str(message.content[0])), replies=_replies(distinct)
        )
        asked = Message("user", (text, *message.content[1:]))
        return self.models.ask(role, [asked], reply_type, self.reasks).parsed


class Selection(Voting):
    """S-C (Select): the model names the best of the distinct replies; else the vote counts."""

    def _choose(
        self, role: str, message: Message, distinct: Sequence[Completion], once: Once
    ) -> Completion | None:
        chosen = self._about(role, "select", SelectionReply, message, distinct)
        there = chosen is not None and 1 <= chosen.best <= len(distinct)
        return distinct[chosen.best - 1] if there else None


class Critique(Voting):
    """S-C (Reflect): the disagreements are criticised, and one new reply is asked for."""

    def _choose(
        self, role: str, message: Message, distinct: Sequence[Completion], once: Once
    ) -> Completion | None:
        said = self._about(role, "critique", CritiqueReply, message, distinct)
        if said is None:
            return None
        more = (
            f"\n## Earlier replies\n{_replies(distinct)}\n\n"
            f"## Critique of them\n{no_heading(said.critique)}\n\n"
            "Give one new reply of the form asked for, which heeds the critique."
        )
        final = once(replace(message, content=(*message.content, more)))
        return final if final.parsed is not None else None


def make_asking(name: str, models: ModelRoles, *, reasks: int, samples: int) -> Asking:
    """How the strategy ``name`` of `STRATEGIES` asks.

    Raises:
        ConfigError: naming the key ``strategy`` and the choices, or too few samples.
    """
    if samples < 2:
        raise ConfigError(f"samples: {samples} is below 2; self-consistency compares samples.")
    kinds: dict[str, type[Voting]] = {
        "sc_voting": Voting,
        "sc_select": Selection,
        "sc_reflect": Critique,
    }
    if name in kinds:
        return kinds[name](models, reasks, samples)
    if name == "cot":
        return ChainOfThought(models, reasks)
    if name in STRATEGIES:
        return Asking(models, reasks)
    raise ConfigError(f"strategy: '{name}' is none of {', '.join(STRATEGIES)}.")


def _numbered(message: Message, number: int, samples: int) -> Message:
    said = f"\nThis is reply {number} of {samples} to this prompt, each found by itself."
    return replace(message, content=(*message.content, said))


def _replies(distinct: Sequence[Completion]) -> str:
    return "\n".join(
        f"Reply {number}: {completion.parsed.model_dump_json()}"
        for number, completion in enumerate(distinct, start=1)
    )
