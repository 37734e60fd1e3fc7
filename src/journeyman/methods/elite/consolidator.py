"""The Context Consolidator C: Delta = C(r, P) (ELITE section 3.3, Eq. 3), and its ablation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from journeyman.core.messages import user
from journeyman.core.protocols import MemoryView
from journeyman.core.values import (
    Add,
    Delta,
    Experience,
    Operation,
    Reflection,
    Remove,
    Revise,
    Strategy,
)
from journeyman.methods.elite.profile import FAITHFUL, Profile
from journeyman.methods.elite.replies import OperationReply
from journeyman.methods.elite.tfidf import tfidf_similarity
from journeyman.methods.prompting import lesson_text, one_line, pool_text, reflection_text
from journeyman.models.roles import ModelRoles

CHARS_A_TOKEN = 4


class Consolidator(Protocol):
    """Turns a reflection into operations on the pool; proposes, never applies."""

    def consolidate(
        self, reflection: Reflection, experience: Experience, memory: MemoryView
    ) -> Delta: ...


class LLMConsolidator:
    """The paper's: the model sees the full pool and answers with Add, Revise and Remove.

    New and revised entries are keyed by the coarse plan of the task that caused them. The paper
    regenerates embeddings of revised entries (Algorithm 1 line 11) and does not say from which
    plan.

    Args:
        models: The role ``consolidate`` is asked.
        pool_tokens: Where the pool's text is longer than about this many tokens, the model sees
            the entries nearest to the reflection in full (TF-IDF on their text) and the titles of
            the rest, so that the cost of an episode stops growing. The paper has no such bound.
        reasks: Times a bad reply is asked for again with its error quoted.
    """

    def __init__(
        self,
        models: ModelRoles,
        *,
        pool_tokens: int = 24_000,
        reasks: int = 2,
        profile: Profile = FAITHFUL,
    ) -> None:
        self.models = models
        self.pool_tokens = pool_tokens
        self.reasks = reasks
        self.profile = profile

    def consolidate(
        self, reflection: Reflection, experience: Experience, memory: MemoryView
    ) -> Delta:
        if reflection.error is not None:
            return Delta(memory.version, error=reflection.error, reflection=reflection)
        if not reflection.insights:
            return Delta(memory.version, reflection=reflection)
        text = self.profile.template("consolidate").substitute(
            pool=shown_pool(memory.strategies, reflection, self.pool_tokens),
            instruction=one_line(experience.task.instruction),
            reflection=self.profile.reflection(reflection),
        )
        aliases = tuple(strategy.alias for strategy in memory.strategies)
        reply_type = self.profile.delta(len(reflection.insights), aliases)
        reply = self.models.ask("consolidate", [user(text)], reply_type, self.reasks)
        if reply.parsed is None:
            problem = reply.problem or "the reply holds no operations"
            return Delta(memory.version, (), reply.text, problem, reflection)
        operations = [
            as_operation(item, experience, reflection)
            for item in self.profile.operations(reply.parsed, reflection)
        ]
        return Delta(memory.version, operations, reply.text, None, reflection)


class AppendConsolidator:
    """Without context consolidation (Figure 2, w/o CC): every insight is added as it is."""

    def consolidate(
        self, reflection: Reflection, experience: Experience, memory: MemoryView
    ) -> Delta:
        additions = [
            Add(
                insight.text,
                insight.title,
                insight.applies_when,
                insight.kind,
                experience.lessons.coarse_plan,
                experience.task.instruction,
            )
            for insight in reflection.insights
        ]
        return Delta(memory.version, additions, "", reflection.error, reflection)


def as_operation(item: OperationReply, experience: Experience, reflection: Reflection) -> Operation:
    """The operation with its key plan and instruction; memory judges whether it is allowed."""
    plan, instruction = experience.lessons.coarse_plan, experience.task.instruction
    if item.op == "add":
        kind = item.kind or reflection.insights[0].kind
        return Add(item.text, item.title, item.applies_when, kind, plan, instruction)
    if item.op == "revise":
        return Revise(
            item.alias, item.text, item.title, item.applies_when, item.kind, plan, instruction
        )
    return Remove(item.alias, item.reason)


def shown_pool(strategies: Sequence[Strategy], reflection: Reflection, pool_tokens: int) -> str:
    """The full pool while it fits, else the nearest entries in full and a digest of the rest."""
    if not strategies:
        return "(empty)"
    whole = pool_text(strategies)
    if len(whole) <= pool_tokens * CHARS_A_TOKEN:
        return whole
    similarity = tfidf_similarity(reflection_text(reflection), [_bag(s) for s in strategies])
    budget = pool_tokens * CHARS_A_TOKEN * 3 // 4
    chosen: set[str] = set()
    for index in sorted(range(len(strategies)), key=lambda i: -similarity[i]):
        budget -= len(lesson_text(strategies[index], kind=strategies[index].kind)) + 2
        if budget < 0:
            break
        chosen.add(strategies[index].id)
    digest = _digest([s for s in strategies if s.id not in chosen], pool_tokens)
    return f"{pool_text(s for s in strategies if s.id in chosen)}\n\n{digest}"


def _digest(rest: Sequence[Strategy], pool_tokens: int) -> str:
    lines, budget = [], pool_tokens * CHARS_A_TOKEN // 4
    for strategy in rest:
        line = f"[{strategy.alias}] {one_line(strategy.title or strategy.text)[:80]}"
        budget -= len(line) + 1
        if budget < 0:
            break
        lines.append(line)
    more = len(rest) - len(lines)
    lines += [f"(and {more} more)"] if more else []
    return "Titles of the other strategies:\n" + "\n".join(lines)


def _bag(strategy: Strategy) -> str:
    return f"{strategy.title} {strategy.applies_when} {strategy.text}"
