"""Long- and short-term memory: principles of each module, suggestions of each task (Figure 5).

A kind ``MODULE_principle`` or ``MODULE_suggestion`` says of a strategy what it is; a pool without
such kinds has neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from journeyman.core.values import Strategy
from journeyman.report.data import ReportData


@dataclass(frozen=True)
class Suggested:
    """A suggestion as it was first written, and what became of it."""

    strategy: Strategy
    fate: str


@dataclass(frozen=True)
class TaskSuggestions:
    """The suggestions that one task gave rise to, in the order in which they were written."""

    task: str
    instruction: str
    suggestions: tuple[Suggested, ...]


@dataclass(frozen=True)
class ModuleMemory:
    """Both memories of one module.

    Attributes:
        principles: Those of long-term memory now.
        gone: Principles that were there once.
        tasks: Short-term memory, over the whole run.
    """

    module: str
    principles: tuple[Strategy, ...]
    gone: int
    tasks: tuple[TaskSuggestions, ...]


def term_of(kind: str | None) -> str:
    """``principle`` or ``suggestion``; empty for a kind that is neither."""
    module, _, term = str(kind).rpartition("_")
    return term if module and term in ("principle", "suggestion") else ""


def module_memories(data: ReportData) -> tuple[ModuleMemory, ...]:
    """Each module's memories, in the order of their names; none for another method's pool."""
    living = {strategy.id: strategy for strategy in data.strategies}
    every = {(s.id, s.revision): s for s in (*data.revisions, *data.strategies)}
    entries: dict[str, list[Strategy]] = {}
    for strategy in every.values():
        if term_of(strategy.kind):
            entries.setdefault(strategy.id, []).append(strategy)
    by_module: dict[str, list[list[Strategy]]] = {}
    for revisions in entries.values():
        revisions.sort(key=lambda strategy: strategy.revision)
        by_module.setdefault(revisions[0].kind.rpartition("_")[0], []).append(revisions)
    return tuple(
        ModuleMemory(
            module,
            tuple(
                s
                for s in data.strategies
                if term_of(s.kind) == "principle" and s.kind.startswith(f"{module}_")
            ),
            sum(
                term_of(revisions[-1].kind) == "principle" and revisions[0].id not in living
                for revisions in held
            ),
            _tasks(held, set(living)),
        )
        for module, held in sorted(by_module.items())
    )


def _tasks(held: Iterable[list[Strategy]], living: set[str]) -> tuple[TaskSuggestions, ...]:
    found: dict[tuple[str, str, str], list[Suggested]] = {}
    written = sorted(
        (revisions for revisions in held if term_of(revisions[0].kind) == "suggestion"),
        key=lambda revisions: revisions[0].origin.episode,
    )
    for first, *later in written:
        place = (first.origin.run, first.origin.task, first.instruction)
        if any(term_of(strategy.kind) == "principle" for strategy in later):
            fate = "became a principle"
        else:
            fate = "held now" if first.id in living else "removed"
        found.setdefault(place, []).append(Suggested(first, fate))
    return tuple(
        TaskSuggestions(task, instruction, tuple(suggestions))
        for (_, task, instruction), suggestions in found.items()
    )
