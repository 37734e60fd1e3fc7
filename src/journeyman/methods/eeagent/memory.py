"""Long- and short-term memory of both modules: a view of the store's strategies by their kind.

LM_ei, LM_pp, SM_ei and SM_pp of Algorithm 1 are the kinds ``interpreter_principle``,
``planner_principle``, ``interpreter_suggestion`` and ``planner_suggestion``. Nothing is kept here:
the same entries give the same view.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from journeyman.core import seeding
from journeyman.core.errors import ConfigError
from journeyman.core.protocols import MemoryView
from journeyman.core.values import Kind, Lesson
from journeyman.methods.prompting import one_line

Module = Literal["interpreter", "planner"]
MODULES: tuple[Module, ...] = get_args(Module)
NAMES = {"interpreter": "environment interpreter", "planner": "policy planner"}

Term = Literal["principle", "suggestion"]
"""Of long-term and of short-term memory."""

LETTERS = {"principle": "P", "suggestion": "Q"}

Control = Literal["none", "shuffled", "nonsense"]
CONTROLS: tuple[Control, ...] = get_args(Control)


def kind_of(module: Module, term: Term) -> Kind:
    return cast("Kind", f"{module}_{term}")


@dataclass(frozen=True)
class LongShortMemory:
    """The memory as both modules' prompts hold it, in the order in which it was learnt.

    Attributes:
        lessons: Each with its kind and the alias of its strategy (S1, S2, ...); within a module's
            list they are numbered anew, P1, P2, ... and Q1, Q2, ...
    """

    lessons: tuple[Lesson, ...] = ()

    @classmethod
    def of(
        cls, memory: MemoryView, *, short_term: bool = True, instruction: str | None = None
    ) -> LongShortMemory:
        """All that ``memory`` holds for EEAgent; entries of other kinds are another method's.

        A memory that was kept in the middle of a task holds the suggestions of that task.

        Args:
            short_term: False leaves suggestions out, as in the evaluation of a frozen memory.
            instruction: Leaves out the suggestions of tasks with other instructions.
        """
        terms: tuple[Term, ...] = ("principle", "suggestion") if short_term else ("principle",)
        kinds = {kind_of(module, term) for term in terms for module in MODULES}
        return cls(
            tuple(
                Lesson(s.alias, s.text, "", "", s.id, s.revision, None, s.kind)
                for s in memory.strategies
                if s.kind in kinds
                and (s.kind.endswith("_principle") or instruction in (None, s.instruction))
            )
        )

    def principles(self, module: Module) -> tuple[Lesson, ...]:
        """LM of ``module``."""
        return self._kind(kind_of(module, "principle"))

    def suggestions(self, module: Module) -> tuple[Lesson, ...]:
        """SM of ``module``."""
        return self._kind(kind_of(module, "suggestion"))

    def sections(self, module: Module) -> dict[str, str]:
        """What a prompt of ``module`` has under Principles and Suggestions."""
        return {
            "principles": listed("P", (lesson.text for lesson in self.principles(module))),
            "suggestions": listed("Q", (lesson.text for lesson in self.suggestions(module))),
        }

    def _kind(self, kind: Kind) -> tuple[Lesson, ...]:
        return tuple(lesson for lesson in self.lessons if lesson.kind == kind)


def listed(letter: str, texts: Iterable[str]) -> str:
    """``- [P1] text`` a line; a text cannot open a section or an item of its own."""
    lines = [f"- [{letter}{n}] {one_line(text)}" for n, text in enumerate(texts, start=1)]
    return "\n".join(lines) or "(none)"


def controlled(lessons: Sequence[Lesson], control: Control, seed: int) -> tuple[Lesson, ...]:
    """What is shown in place of the lessons, as many of them.

    ``shuffled`` shows each module what the other one learnt: real lessons for another job. In
    ``nonsense`` every letter is another one, so that only number and length remain.
    """
    if control == "shuffled":
        return tuple(replace(lesson, kind=_other(lesson.kind)) for lesson in lessons)
    if control == "nonsense":
        return tuple(replace(lesson, text=_garbled(lesson, seed)) for lesson in lessons)
    return tuple(lessons)


def check_control(control: str) -> Control:
    """``control``, if it is one.

    Raises:
        ConfigError: naming the key and the choices.
    """
    if control not in CONTROLS:
        raise ConfigError(f"memory_control: '{control}' is none of {', '.join(CONTROLS)}.")
    return control


def _other(kind: Kind | None) -> Kind | None:
    module, _, term = str(kind).partition("_")
    other: Module = "planner" if module == "interpreter" else "interpreter"
    return kind_of(other, cast("Term", term)) if term else kind


def _garbled(lesson: Lesson, seed: int) -> str:
    random = seeding.stream(seed, "nonsense_memory", lesson.entry, lesson.revision)
    return re.sub("[A-Za-z]", lambda _: _VOWELS_AND_MORE[int(random.integers(16))], lesson.text)


_VOWELS_AND_MORE = "aeiourstlnmbdgkp"
