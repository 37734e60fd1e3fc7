"""The planner of the compact profile, for models of a few billion parameters.

A departure from EmbodiedBench's reply: only the names of actions, held by a grammar to those of the
library. Small models ran past the longest reply with ids and names, and were misled by reasoning
before the plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from journeyman.core.values import Action, ActionLibrary, History, Lessons, Observation, Plan, Step
from journeyman.methods.elite.planner import Planner, knowledge_section
from journeyman.methods.elite.profile import COMPACT
from journeyman.methods.elite.replies import NamesReply, names_reply
from journeyman.methods.prompting import observation_text, one_line, short_step_line

if TYPE_CHECKING:
    from pydantic import BaseModel

LONGEST_PLAN = 14
"""Actions of one plan; a small model that repeats itself goes on to whatever is allowed."""

MOST_EXAMPLES = 2
"""Worked examples shown at most: the first of the environment's, the same for every task."""

REPEATED = "(given up: the plan that had just failed was given again)"


class CompactPlanner(Planner):
    """Asks for names; takes a plan that has just failed and is given again as an empty one.

    See `is_repeated`. At temperature 0 a small model often repeats itself until the invalid actions
    are used up. The empty plan ends the episode, as EmbodiedBench has it.
    """

    profile = COMPACT

    def _reply_type(self, library: ActionLibrary, history: History) -> type[BaseModel]:
        """Held to the library's names; before anything is done, a plan cannot be empty."""
        return names_reply(tuple(library.by_name), 0 if history.steps else 1, LONGEST_PLAN)

    def _prompt(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> str:
        return self.profile.template("plan").substitute(
            role=library.role,
            rules=library.rules,
            examples=self._examples(library),
            actions=grouped(library.actions),
            knowledge=knowledge_section(lessons, self.profile),
            instruction=one_line(history.task.instruction),
            observation=observation_text(obs, self.models.model("plan"), self.observation),
            history="\n".join(map(short_step_line, history.steps)) or "(nothing done yet)",
        )

    def _examples(self, library: ActionLibrary) -> str:
        found = [short for example in library.examples if (short := short_example(example))]
        shown = found[: min(self.shots, MOST_EXAMPLES)]
        return "\n## Examples\n" + "\n\n".join(shown) + "\n" if shown else ""

    def _read(self, reply: Any, library: ActionLibrary, history: History) -> Plan:
        plan = as_plan(reply, library)
        return Plan(language_plan=REPEATED) if is_repeated(plan, history) else plan


def as_plan(reply: NamesReply, library: ActionLibrary) -> Plan:
    """The named actions in order, read as the faithful planner reads ids.

    A name outside the library truncates the plan there; at the very first, the whole reply is one
    invalid action. With a grammar neither happens. Of the same action in a row one is kept: a small
    model that repeats one mostly does so to the end of its plan.
    """
    actions: list[Action] = []
    note = ""
    for name in reply.plan:
        if name not in library.by_name:
            note = f"'{name}' is no action of the list"
            break
        action = library.by_name[name]
        if not actions or actions[-1] != action:  # the prompt asks for none twice in a row
            actions.append(action)
    return Plan(
        actions=tuple(actions),
        error=note if reply.plan and not actions else None,
        note=note,
    )


def is_repeated(plan: Plan, history: History) -> bool:
    """Whether ``plan`` failed at its first action and nothing has succeeded since.

    The world is as it was, so it would fail in the same way.
    """
    failed: set[int] = set()
    for step in reversed(history.steps):
        if step.success:
            break
        if _is_first(step, history.steps):
            failed.add(step.plan)
    return bool(plan.actions) and any(history.plans[i].actions == plan.actions for i in failed)


def _is_first(step: Step, steps: Sequence[Step]) -> bool:
    return all(other.plan != step.plan for other in steps[: step.index])


def grouped(actions: Sequence[Action]) -> str:
    """The action names in few tokens: one line for all that share all but the last word.

    Names without a number come first: libraries list the same ones in every scene, and so prompts
    begin alike and servers can reuse that part. Of numbered ones, runs are written by their ends.
    """
    plain: dict[str, list[str]] = {}
    numbered: dict[str, list[str]] = {}
    for action in actions:
        head, _, last = one_line(action.name).rpartition(" ")
        lines = numbered if _NUMBERED.fullmatch(last) else plain
        lines.setdefault(head, []).append(last)
    whole = [_line(head, names) for head, names in plain.items()]
    return "\n".join([*whole, *(_line(head, _runs(names)) for head, names in numbered.items())])


_NUMBERED = re.compile(r".*_\d+")


def _line(head: str, names: Sequence[str]) -> str:
    if len(names) == 1 and " to " not in names[0]:
        return f"{head} {names[0]}".lstrip()
    return f"{head} ...: {', '.join(names)}".lstrip()


def _runs(names: Sequence[str]) -> list[str]:
    """``Bed_2 to Bed_4`` for ``Bed_2``, ``Bed_3`` and ``Bed_4``, in whatever order they come."""
    numbers: dict[str, list[int]] = {}
    for name in names:
        stem, _, number = name.rpartition("_")
        numbers.setdefault(stem, []).append(int(number))
    found = []
    for stem, values in numbers.items():
        values.sort()
        for _, run in groupby(enumerate(values), lambda item: item[1] - item[0]):
            run_values = [value for _, value in run]
            first, last = f"{stem}_{run_values[0]}", f"{stem}_{run_values[-1]}"
            found.append(first if first == last else f"{first} to {last}")
    return found


def short_example(example: str) -> str:
    """A worked example of the environment in the compact reply's shape; ``""`` if it is no such."""
    instruction, _, reply = example.partition("\n")
    try:
        names = [item["action_name"] for item in json.loads(reply)["executable_plan"]]
    except (ValueError, KeyError, TypeError):
        return ""
    return f"{instruction}\n{json.dumps({'plan': names}, ensure_ascii=False)}"
