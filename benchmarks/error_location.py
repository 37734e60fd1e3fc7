"""Does EEAgent find the module at fault? Error location on episodes whose faults are known.

    python benchmarks/error_location.py [--episodes 30] [--seed 200] [--examples 0]

The reader `stand-in-tabletop/expert` solves nearly every episode of the tabletop. Into its replies
a fault is forced from outside: one match says another entity, the plan holds one mistake, or both;
or neither. Both consistency checks of a failed trial are then asked, by a stand-in that nobody
tampers with, whom they blame. They are told neither the fault nor the truth.

Kept are episodes that the expert, left alone, solves with every match right. A wrong match counts
as one only where the simulator says that the match names another thing and the episode failed; a
wrong plan only where the episode failed. What is dropped is counted and printed. Levels L1 to L3
take turns, the seed rising by one each round; where the faults lie is drawn from the same seed.
Nothing was chosen on these episodes: seeds 0 to 9 served for trying it out, and 100 to 126 for a
first measurement, after which the check on actions was changed.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import dist
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from journeyman.api import NoMemory
from journeyman.core import seeding
from journeyman.core.events import Events
from journeyman.core.messages import Completion, Message, Tool
from journeyman.core.values import Trajectory
from journeyman.envs.tabletop import TASKS, TabletopEnv
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.render import draw
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.tasks import ObjectPicture, Setup
from journeyman.envs.tabletop.taskset import read_spec
from journeyman.learning.episode import run_episode
from journeyman.methods.eeagent import EEAgent
from journeyman.methods.eeagent.entities import Entity
from journeyman.methods.eeagent.error_location import ErrorLocation, ErrorLocator
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.methods.eeagent.memory import MODULES, Module
from journeyman.models import ModelOptions, ModelRoles, load_model
from journeyman.studies import wilson

READER, CHECKER = "stand-in-tabletop/expert", "stand-in-tabletop/default"
FIRST_SEED = 200
MOST_TRIES = 8
"""So many times the episodes wanted are tried before a task gives up on a condition."""
APART_M = 0.1
"""Two locations nearer than this are the same place to a gripper, give or take."""

Call = dict[str, Any]
Point = tuple[float, float]
Look = tuple[str, str]
"""Shape and texture: what makes a thing the same thing to the eye."""

FAULTY: Mapping[str, tuple[str, ...]] = {
    "wrong match": ("interpreter",),
    "wrong plan": ("planner",),
    "both": MODULES,
    "neither": (),
}
"""The modules at fault in each condition."""
DOUBLED = "one entity is taken for two"
"""Matches that contradict each other, which no plan can follow: the planner takes something else
for one of the two, so that it cannot be said to be without fault. Counted and shown apart."""


# The faults.


class Forced:
    """A model that has one match or its plan changed; all else it says itself.

    Args:
        model: Who is asked.
        match: The target as prompts name it, where it is looked for, and the entity numbers to
            say instead, the first of those that the prompt lists; or None.
        mistake: Gives the actions instead of the plan's, from the reply and the prompt; or None.
    """

    sees_images = True
    takes_tools = True

    def __init__(
        self,
        model: Any,
        match: tuple[str, str, Sequence[int]] | None = None,
        mistake: Callable[[list[Call], str], list[Call]] | None = None,
    ) -> None:
        self.model, self.match, self.mistake = model, match, mistake
        self.id = f"forced {model.id}"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        said: Completion = self.model.complete(messages, schema=schema, tools=tools)
        prompt = messages[0].text
        if self.match is not None and "matching tool in the environment" in prompt[:90]:
            target, place, numbers = self.match
            listed = (k for k in numbers if f"\n- Entity {k}: " in prompt)
            other = next(listed, None)
            if f"\nTarget: {target}\nLook in: {place}\n" in prompt and other is not None:
                reply = json.loads(said.text)  # who takes one for the other says they look alike
                reply |= {"entity": other, "entity_features": reply["target_features"]}
                return replace(said, text=json.dumps(reply))
        if self.mistake is not None and prompt.startswith("You are the policy planner"):
            reply = json.loads(said.text)
            reply["actions"] = self.mistake(reply["actions"], prompt)
            return replace(said, text=json.dumps(reply))
        return said


def mistakes(plan: Sequence[Call], places: Sequence[Point]) -> dict[str, list[list[Call]]]:
    """By kind, the plans that hold one mistake, as a planner could make it.

    Args:
        places: Where the entities lie.
    """
    found: dict[str, list[list[Call]]] = {}

    def add(kind: str, *plans: list[Call]) -> None:
        new = [made for made in plans if made and made != list(plan)]
        found.setdefault(kind, []).extend(new)

    def changed(index: int, **arguments: Any) -> list[Call]:
        call = plan[index]
        made = {**call, "arguments": {**call["arguments"], **arguments}}
        return [*plan[:index], made, *plan[index + 1 :]]

    moves = [call["arguments"] for call in plan if call["name"] == "PickPlace"]
    for index, call in enumerate(plan):
        given = call["arguments"]
        pick, place = given["pick_location"], given.get("place_location")
        ends = [pick] if place is None else [pick, place]
        others = [list(p) for p in places if all(dist(p, end) >= APART_M for end in ends)]
        add("another entity is gripped", *(changed(index, pick_location=p) for p in others))
        if place is None:
            angle = given["angle_deg"]
            add("the other way round", changed(index, angle_deg=-angle))
            angles = (a for a in (30, 60, 90, 120, 150) if a != abs(angle))
            add("another angle", *(changed(index, angle_deg=a) for a in angles))
        elif dist(pick, place) >= APART_M:
            add("it is put at another entity", *(changed(index, place_location=p) for p in others))
            swapped = {"pick_location": place, "place_location": pick}
            add("pick and place are swapped", changed(index, **swapped))
    things = handled(plan)
    for thing in set(things):
        pairs = list(zip(things, plan, strict=True))
        add("a thing is left out", [call for t, call in pairs if t != thing])
        add("only the first thing", [call for t, call in pairs if t == things[0]])
    back = [
        any(dist(move["place_location"], m["pick_location"]) < 0.01 for m in moves[:n])
        for n, move in enumerate(moves)
    ]
    if moves and back[-1]:
        kept = max((n + 1 for n, home in enumerate(back) if not home), default=0)
        add("nothing is brought back", list(plan[: len(plan) - len(moves) + kept]))
    if len(moves) > 1 and len(set(things)) == 1:  # from place to place: the first two change places
        stops = [moves[0]["pick_location"], *(move["place_location"] for move in moves)]
        stops[1], stops[2] = stops[2], stops[1]
        add(
            "wrong order",
            [
                {"name": "PickPlace", "arguments": {"pick_location": a, "place_location": b}}
                for a, b in pairwise(stops)
                if a != b
            ],
        )
    return {kind: plans for kind, plans in found.items() if plans}


def handled(plan: Sequence[Call]) -> list[int]:
    """For each action the thing that it handles, by the number of the action first to grip it."""
    at: dict[int, Sequence[float]] = {}
    things = []
    for number, call in enumerate(plan):
        given = call["arguments"]
        pick = given["pick_location"]
        thing = next((t for t in reversed(at) if dist(at[t], pick) < 0.01), number)
        at.pop(thing, None)
        at[thing] = given.get("place_location", pick)
        things.append(thing)
    return things


class Mistaken:
    """Makes one of the plan's possible mistakes, its kind drawn first; ``kind`` says which."""

    def __init__(self, random: np.random.Generator, places: Sequence[Point]) -> None:
        self.random, self.places = random, places
        self.kind = ""

    def __call__(self, plan: list[Call], prompt: str) -> list[Call]:
        possible = mistakes(plan, self.places)
        if not possible:
            return plan
        self.kind = drawn(self.random, sorted(possible))
        made: list[Call] = drawn(self.random, possible[self.kind])
        return made


def drawn(random: np.random.Generator, choices: Sequence[Any]) -> Any:
    return choices[int(random.integers(len(choices)))]


def wrong_match(
    random: np.random.Generator, findings: Findings
) -> tuple[Match, tuple[str, str, list[int]]]:
    """One of the matches made, and what to say in its place: the other entities in any order."""
    match = drawn(random, [m for m in findings.matches if m.entity])
    there = (findings.scenes or {})[match.scene] if match.scene else findings.entities
    numbers = [entity.number for entity in there if entity.number != match.entity]
    order = [numbers[int(i)] for i in random.permutation(len(numbers))]
    place = f"the picture {{{match.scene}}}" if match.scene else "the environment"
    return match, (match.name, place, order)


# The truth, which no method sees.


class Truth:
    """Which things each entity of an episode is, and which thing each target is."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._masks: dict[str, NDArray[np.uint8]] = {}

    def is_right(self, match: Match, findings: Findings) -> bool:
        """Whether the entity chosen is (or holds) a thing that looks as the target is to look."""
        entity = findings.entity(match)
        return entity is not None and self._wanted(match, findings) in self._looks(
            entity, match.scene
        )

    def _wanted(self, match: Match, findings: Findings) -> Look | None:
        setup, [goal, *_] = self.setup, self.setup.goals
        if match.tool == "semantic_match":
            # "the ... object in {scene}" is what is moved, "the ... object" where it goes
            body = goal.body if match.scene or goal.base is None else goal.base
            thing = setup.scene.body(body)
            return thing.shape, thing.texture
        scene, _, number = match.target.partition("/")
        shown = setup.pictures[scene]
        if isinstance(shown, ObjectPicture):
            return shown.shape, shown.texture
        entities = (findings.scenes or {}).get(scene, ())
        looks = [
            look for e in entities if str(e.number) == number for look in self._looks(e, scene)
        ]
        return looks[0] if looks else None

    def _looks(self, entity: Entity, scene: str) -> list[Look]:
        """Of the things of which the entity holds at least half of what is visible."""
        shown = self.setup.pictures[scene] if scene else self.setup.scene
        assert isinstance(shown, Scene) and entity.mask is not None
        if scene not in self._masks:
            self._masks[scene] = draw(shown, Camera("top")).masks
        masks = self._masks[scene]
        left, top, right, bottom = entity.box
        inside = masks[top:bottom, left:right][entity.mask]
        return [
            (body.shape, body.texture)
            for body in shown.bodies
            if 2 * int((inside == body.id).sum()) >= int((masks == body.id).sum()) > 0
        ]


def doubled(findings: Findings) -> bool:
    """Whether one entity of the environment was taken for two things of the instruction."""
    chosen = [m.entity for m in findings.matches if m.entity and not m.scene]
    return len(set(chosen)) < len(chosen)


# One episode.


@dataclass(frozen=True)
class Case:
    """One episode with its forced fault and what was found.

    Attributes:
        fault: What was forced, in words.
        kind: Of the mistake in the plan; empty where there is none.
        done: The actions carried out.
        planned: How many the plan had.
    """

    name: str
    task: str
    condition: str
    fault: str
    kind: str
    done: tuple[str, ...]
    planned: int
    location: ErrorLocation

    def shown(self, module: Module) -> tuple[Any, ...]:
        """What the check was shown: the pairs of pictures, or the actions."""
        if module == "interpreter":
            return tuple(
                (check.target, check.entity) for check in self.location.interpreter.matches
            )
        return self.done

    def blames(self, module: Module) -> bool:
        return self.location.of(module).consistent is False


class Study:
    """Episodes of one task until each condition has as many as wanted."""

    def __init__(self, task: str, wanted: int, seed: int) -> None:
        self.task, self.wanted, self.seed = task, wanted, seed
        rounds = -(-MOST_TRIES * wanted // len(LEVELS))
        self.rounds = rounds
        self.env = TabletopEnv(f"tabletop/{task}-v0", episodes=rounds, first_seed=seed)
        options = ModelOptions(seed=seed)
        self.reader = load_model(READER, options)
        self.locator = ErrorLocator(ModelRoles(load_model(CHECKER, options)))
        self.other = ErrorLocator(ModelRoles(self.reader))
        self.cases: list[Case] = []
        self.dropped: Counter[tuple[str, str]] = Counter()
        self.tried: Counter[str] = Counter()
        self.disagreed = 0

    def run(self) -> None:
        for number, level in product(range(self.rounds), range(len(LEVELS))):
            missing = [c for c in FAULTY if self.kept(c) < self.wanted]
            if not missing:
                return
            self._episode(level * self.rounds + number, missing)

    def kept(self, condition: str) -> int:
        return sum(case.condition == condition for case in self.cases)

    def _episode(self, index: int, conditions: Iterable[str]) -> None:
        task = self.env.tasks[index]
        truth = Truth(read_spec(task, self.env.id))
        trajectory = self._attempt(index, Forced(self.reader))
        alone = Findings.read(trajectory.plans[0].working)
        self.tried["left alone"] += 1
        if not trajectory.success:
            self.dropped["left alone", "the expert itself did not solve it"] += 1
            return
        if not all(truth.is_right(match, alone) for match in alone.matches):
            self.dropped["left alone", "solved, though a match of the expert's was wrong"] += 1
            return
        for condition in conditions:
            self.tried[condition] += 1
            if condition == "neither":
                self._keep(task.id, condition, "", "", trajectory)
                continue
            random = seeding.stream(self.seed, "error location", task.id, condition)
            match, fault = wrong_match(random, alone)
            places = [entity.location for entity in alone.entities if entity.location]
            mistake = Mistaken(random, places)
            forced = Forced(
                self.reader,
                fault if "interpreter" in FAULTY[condition] else None,
                mistake if "planner" in FAULTY[condition] else None,
            )
            made = self._attempt(index, forced)
            findings = Findings.read(made.plans[0].working)
            after = next((m for m in findings.matches if m.name == match.name), match)
            why = ""
            if forced.match is not None and truth.is_right(after, findings):
                same = after.entity == match.entity
                why = "scene_match put the match right" if same else "a thing of the same look"
            elif forced.mistake is not None and not mistake.kind:
                why = "the plan had no action to get wrong"
            elif made.success:
                why = "the episode was a success all the same"
            if why:
                self.dropped[condition, why] += 1
                continue
            said = []
            if forced.match is not None:
                said.append(f"{match.name} is Entity {match.entity}, said was {after.entity}")
            if forced.mistake is not None:
                said.append(mistake.kind)
            if forced.match is not None and doubled(findings):
                self.dropped[condition, DOUBLED] += 1
                self._keep(task.id, f"{condition}, {DOUBLED}", "; ".join(said), mistake.kind, made)
            else:
                self._keep(task.id, condition, "; ".join(said), mistake.kind, made)

    def _attempt(self, index: int, model: Forced) -> Trajectory:
        agent = EEAgent(ModelRoles(model), max_retries=0)
        task = self.env.tasks[index]
        rollout = run_episode(self.env, task, agent, NoMemory(), Events(), seed=self.seed)
        return rollout.trajectory

    def _keep(self, name: str, condition: str, fault: str, kind: str, made: Trajectory) -> None:
        location = self.locator.locate(made)
        self.disagreed += location != self.other.locate(made)
        done = tuple(str(step.action) for step in made.steps)
        planned = len(made.plans[0].actions)
        case = Case(name, self.task, condition, fault, kind, done, planned, location)
        self.cases.append(case)


# What is printed.


def share(cases: Sequence[Case], counts: Callable[[Case], bool]) -> str:
    n, found = len(cases), sum(map(counts, cases))
    if not n:
        return f"{'-':>7}{'':19}"
    interval = wilson(found, n)
    bounds = f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
    return f"{found:>3}/{n:<3} {100 * found / n:5.1f} {bounds:<13}"


def table(module: Module, cases: Sequence[Case]) -> None:
    """Right blame where the module was at fault, false blame where it was not.

    Where a check was shown the same twice, as the matches of an episode under "wrong plan" and
    under "neither", it counts once in what is put together.
    """
    at_fault = [c for c in FAULTY if module in FAULTY[c]]
    columns = at_fault, [c for c in FAULTY if c not in at_fault]
    titles = (*columns[0], "RIGHT BLAME", *columns[1], "FALSE BLAME")
    print(f"{'':<28}" + "".join(f"{title:<29}" for title in titles))
    for task in (*TASKS, "all"):
        mine = [case for case in cases if task in (case.task, "all")]
        cells = []
        for group in columns:
            for chosen in (*([c] for c in group), group):
                of = [case for case in mine if case.condition in chosen]
                of = list({(case.name, case.shown(module)): case for case in of}.values())
                cells.append(share(of, lambda case: case.blames(module)))
        print(f"{task:<28}" + "  ".join(cells))


def exact_table(cases: Sequence[Case]) -> None:
    """How often exactly the modules at fault are blamed; both where no check found anything."""
    forced = [condition for condition, modules in FAULTY.items() if modules]
    print(f"{'':<28}" + "".join(f"{title:<29}" for title in (*forced, "together")))
    for task in (*TASKS, "all"):
        mine = [case for case in cases if task in (case.task, "all") and case.condition in forced]
        groups = [[case for case in mine if case.condition == c] for c in forced]
        cells = [
            share(group, lambda case: case.location.blamed == FAULTY[case.condition])
            for group in (*groups, mine)
        ]
        print(f"{task:<28}" + "  ".join(cells))


def apart(every: Sequence[Case]) -> None:
    print(f"\nnot counted above: {DOUBLED}, so that the plan cannot follow the matches")
    for condition in ("wrong match", "both"):
        of = [case for case in every if case.condition == f"{condition}, {DOUBLED}"]
        for module in MODULES:
            blamed = [case for case in of if case.blames(module)]
            print(f"{f'{condition}, {module} blamed':<33}{share(of, blamed.__contains__)}")


def kinds(cases: Sequence[Case]) -> None:
    print("\nright blame of the planner by the mistake in the plan")
    planner = [case for case in cases if case.kind]
    for kind in sorted({case.kind for case in planner}):
        of = [case for case in planner if case.kind == kind]
        print(f"{kind:<28}{share(of, lambda case: case.blames('planner'))}")


def reasons(cases: Sequence[Case]) -> None:
    """Why modules without fault were blamed."""
    for module in MODULES:
        found: Counter[str] = Counter()
        for case in cases:
            if module not in FAULTY[case.condition] and case.blames(module):
                cut = "" if len(case.done) == case.planned else ", cut short"
                reason = case.location.of(module).reason
                found[f"{case.condition}{cut if module == 'planner' else ''}: {reason}"] += 1
        print(f"\nfalse blame of the {module}, by the reason given")
        for text, count in found.most_common():
            print(f"{count:>4}  {text}")


def examples(cases: Sequence[Case], count: int) -> None:
    """The quoted evidence of the first cases of each kind: found, missed, blamed without fault."""
    for module in MODULES:
        for faulty, blamed, title in (
            (True, True, "found"),
            (True, False, "missed"),
            (False, True, "blamed without fault"),
        ):
            of = [c for c in cases if (module in FAULTY[c.condition]) is faulty]
            of = [c for c in of if c.blames(module) is blamed]
            for case in spread(of, count):
                print(f"\n--- {module}, {title}: {case.name}, {case.condition}")
                print(f"Forced: {case.fault or 'nothing'}")
                print(f"Done: {'; '.join(case.done) or 'nothing'} (of {case.planned} planned)")
                print(case.location.text(module))


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """The first ones of each task in turn."""
    rounds: Counter[str] = Counter()
    ranked = []
    for case in cases:
        ranked.append((rounds[case.task], case))
        rounds[case.task] += 1
    return [case for _, case in sorted(ranked, key=lambda pair: pair[0])[:count]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=30, help="kept a task and condition")
    parser.add_argument("--seed", type=int, default=FIRST_SEED)
    parser.add_argument("--examples", type=int, default=0, help="quoted, of each kind")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    studies = [Study(task, given.episodes, given.seed) for task in TASKS]
    for study in studies:
        study.run()
    every = [case for study in studies for case in study.cases]
    cases = [case for case in every if case.condition in FAULTY]
    print(f"acting: {studies[0].reader.id}, faults forced from outside; checking: {CHECKER}")
    print(f"episodes from seed {given.seed}, levels {', '.join(LEVELS)} in turn; percent, 95 %")
    disagreed = sum(study.disagreed for study in studies)
    print(f"cases in which {READER} as the checks' reader says otherwise: {disagreed}")
    title = "bars: at least 80 % right, at most 10 % false"
    print(f"\nimage-description consistency: the interpreter is blamed ({title})")
    table("interpreter", cases)
    print(f"\naction-to-instruction consistency: the planner is blamed ({title})")
    table("planner", cases)
    print("\nexactly the modules at fault are blamed; both where neither check found anything")
    exact_table(cases)
    apart(every)
    kinds(cases)
    reasons(cases)
    print("\ndropped")
    for study in studies:
        tried = ", ".join(f"{condition} {n}" for condition, n in study.tried.items())
        print(f"{study.task}: tried {tried}")
        for (condition, why), n in sorted(study.dropped.items()):
            print(f"{n:>4}  {condition}: {why}")
    examples(cases, given.examples)


if __name__ == "__main__":
    main()
