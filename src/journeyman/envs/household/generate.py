"""The bundled task sets: generated rooms, goals, instructions and the expert's demonstrations.

``python -m journeyman.envs.household.generate`` rewrites the four files in ``data/``.

The mixes are those of EB-ALFRED's base and long_horizon subsets. A held-out set shares no scene
with a first set, and no pair (object, place), (object, vessel) or (object, lamp): which side a pair
is on is decided by the pair alone. Within a set, slots see to it that doors matter in a fixed share
of the tasks.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from journeyman.core.errors import JourneymanError, UnknownName
from journeyman.core.seeding import digest
from journeyman.envs.household.expert import KNIVES, NoPlan, solve
from journeyman.envs.household.furniture import stock
from journeyman.envs.household.goals import conditions
from journeyman.envs.household.recipes import (
    DOORS,
    FITS,
    LAMPS,
    RECIPES,
    ROOMS,
    SUITABLE,
    TREATED_AT,
    Recipe,
    Slot,
)
from journeyman.envs.household.rooms import build
from journeyman.envs.household.scene import Goal, Scene, TaskType
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import SLICEABLE
from journeyman.envs.household.wording import instruction

SEED = 0
"""The seed of the bundled files."""


@dataclass(frozen=True)
class Candidate:
    scene: Scene
    goal: Goal
    door_to_put: bool
    door_to_take: bool


class NotEnoughTasks(JourneymanError):
    """The generated rooms do not hold a task for every slot."""


def pairs(goal: Goal) -> frozenset[tuple[str, str]]:
    """The object with its place, its vessel and its lamp: what a held-out set does not share."""
    others = (goal.parent_target, goal.mrecep_target, goal.toggle_target)
    return frozenset((goal.object_target, other) for other in others if other)


@cache
def _side(thing: str, other: str) -> int:
    """0 or 1: of the classes that ``thing`` may go with, every second one is on each side."""
    stocks = [stock(room) for room in ROOMS]
    vessels = [vessel for vessel, things in FITS.items() if thing in things]
    own = {place for s in stocks if thing in s for place in s[thing].destinations}
    carried = {p for s in stocks for v in vessels if v in s for p in s[v].destinations} - own
    for group in (own, carried, vessels, LAMPS):
        if other in group:
            order = sorted(group, key=lambda name: digest("held-out side", thing, name))
            return (order.index(other) + digest("held-out side", thing)) % 2
    raise ValueError(f"{thing} is never paired with {other}")


def _on_side(goal: Goal, side: int) -> bool:
    return all(_side(*pair) == side for pair in pairs(goal))


def _suits(slot: Slot, thing: str) -> bool:
    """Whether goals of the slot's kind are made for this class.

    Two whole ones are not asked for of what can be sliced: pieces count as the class, so one of
    them, cut in its place, would be two.
    """
    if slot.sliced or slot.task_type == "pick_two_obj_and_place":
        return slot.sliced == (thing in SLICEABLE)
    return thing in SUITABLE.get(slot.task_type, (thing,))


def _goals(slot: Slot, scene: Scene, present: frozenset[str]) -> Iterator[Goal]:
    """Sensible goals of the slot's type among the classes of the room."""
    kinds = stock(scene.room)
    for thing in sorted(present & kinds.keys()):
        places = [p for p in kinds[thing].destinations if p in present]
        if slot.task_type == "look_at_obj_in_light":
            for lamp in sorted(present & LAMPS):
                yield Goal(slot.task_type, thing, toggle_target=lamp)
        elif slot.task_type == "pick_and_place_with_movable_recep":
            for vessel in sorted(v for v in FITS if v in present and thing in FITS[v]):
                for place in kinds[vessel].destinations:
                    if place in present and place != "Microwave":
                        yield Goal(slot.task_type, thing, place, vessel)
        elif _suits(slot, thing):
            for place in places:
                if place != TREATED_AT.get(slot.task_type):
                    yield Goal(slot.task_type, thing, place, object_sliced=slot.sliced)


def _needs_door(goal: Goal, state: State) -> bool:
    """Whether too few instances of something to be carried lie in the open."""
    two_whole = goal.task_type == "pick_two_obj_and_place" and not goal.object_sliced
    wanted: list[tuple[tuple[str, ...], int]] = [((goal.object_target,), 1 + two_whole)]
    if goal.mrecep_target:
        wanted.append(((goal.mrecep_target,), 1))
    if goal.object_sliced:
        wanted.append((KNIVES, 1))
    return any(
        sum(not state.shut_in(o) for kind in kinds for o in state.members.get(kind, ())) < count
        for kinds, count in wanted
    )


def _barred(goal: Goal) -> frozenset[str]:
    """Classes of places where no instance of the object may lie at reset.

    One lying where it should be treated could be treated without being carried there; one lying
    where slices should end up could just be sliced.
    """
    treated = TREATED_AT.get(goal.task_type, "")
    return frozenset({treated, goal.parent_target if goal.object_sliced else ""} - {""})


def _candidates(slot: Slot, scenes: list[Scene], side: int) -> Iterator[Candidate]:
    """What could fill slots of this type: on this side, with no condition met at reset."""
    for scene in scenes:
        state = State.of(scene)
        for goal in _goals(slot, scene, frozenset(o.type for o in scene.objects)):
            if not _on_side(goal, side) or conditions(state, goal)[0]:
                continue
            things = state.members[goal.object_target]
            around = {state.type[place] for o in things for place in state.ancestors(o)}
            if not around & _barred(goal):
                put = goal.parent_target in DOORS
                yield Candidate(scene, goal, put, _needs_door(goal, state))


def _matches(candidate: Candidate, slot: Slot, strictness: int) -> bool:
    """Whether a candidate has the slot's doors: both (2), only the place's (1), or any (0)."""
    put = slot.door_to_put in (None, candidate.door_to_put)
    take = slot.door_to_take in (None, candidate.door_to_take)
    return (put or strictness < 1) and (take or strictness < 2)


class _Chooser:
    """Fills slots one by one under the caps, which give way only where the rooms are too poor."""

    def __init__(self, recipe: Recipe, scenes: list[Scene], rng: random.Random) -> None:
        self._caps = recipe.caps
        self._used: Counter[object] = Counter()
        self._taken: set[tuple[str, Goal]] = set()
        self._pools: dict[TaskType, list[Candidate]] = {}
        for slot in recipe.slots:
            if slot.task_type not in self._pools:
                pool = list(_candidates(slot, scenes, recipe.side))
                rng.shuffle(pool)
                self._pools[slot.task_type] = pool

    def _limits(self, candidate: Candidate) -> tuple[tuple[object, int], ...]:
        goal, caps = candidate.goal, self._caps
        limits: list[tuple[object, int]] = [
            (("scene", candidate.scene.id), caps.scene),
            (("goal", goal), caps.goal),
            (("object", goal.task_type, goal.object_target), caps.object),
        ]
        if goal.parent_target:
            limits.append((("place", goal.task_type, goal.parent_target), caps.place))
        return tuple(limits)

    def _best_first(self, slot: Slot) -> Iterator[Candidate]:
        """What is left for a slot: within the caps first, and among those with its doors first."""
        pool = [c for c in self._pools[slot.task_type] if (c.scene.id, c.goal) not in self._taken]
        for excess in (0, 1, 2, len(pool)):
            allowed = [
                c
                for c in pool
                if all(self._used[key] < limit + excess for key, limit in self._limits(c))
            ]
            for strictness in (2, 1, 0):
                yield from (c for c in allowed if _matches(c, slot, strictness))

    def fill(self, slot: Slot) -> tuple[Candidate, tuple[str, ...]]:
        """A candidate for the slot with the expert's actions.

        Raises:
            NotEnoughTasks: no candidate is left, or the expert can solve none of them.
        """
        for candidate in self._best_first(slot):
            try:
                plan = solve(candidate.goal, candidate.scene)
            except NoPlan:
                continue
            self._used.update(key for key, _ in self._limits(candidate))
            self._taken.add((candidate.scene.id, candidate.goal))
            return candidate, plan
        raise NotEnoughTasks(
            f"no room holds another {slot.task_type} task.", hint="Try another seed."
        )


def _task_id(number: int, goal: Goal) -> str:
    verb = {
        "pick_and_place_simple": "put",
        "pick_two_obj_and_place": "two",
        "look_at_obj_in_light": "look",
        "pick_clean_then_place_in_recep": "clean",
        "pick_heat_then_place_in_recep": "heat",
        "pick_cool_then_place_in_recep": "cool",
        "pick_and_place_with_movable_recep": "stack",
    }[goal.task_type]
    names = (goal.object_target, goal.mrecep_target, goal.parent_target, goal.toggle_target)
    return "-".join([f"{number:02d}", verb, *(name for name in names if name)])


def generate(subset: str, seed: int = SEED) -> dict[str, Any]:
    """A task set in the file format, decided by its name and the seed.

    Returns:
        ``{"env", "scenes": {id: Scene}, "tasks": [{"id", "subset", "instruction", "scene", "goal",
        "demonstration"}]}``, plain JSON values.

    Raises:
        UnknownName: no recipe has this name.
        NotEnoughTasks: with this seed the rooms do not hold enough tasks.
    """
    if subset not in RECIPES:
        raise UnknownName("household task set", subset, RECIPES)
    recipe = RECIPES[subset]
    group = subset.removesuffix("-v0")
    rng = random.Random(digest("household tasks", subset, seed))
    scenes = [
        build(room, f"{group}-{room}-{number:02d}", seed)[1]
        for room, count in recipe.rooms
        for number in range(1, count + 1)
    ]
    chooser = _Chooser(recipe, scenes, rng)
    filled = [chooser.fill(slot) for slot in recipe.slots]
    rng.shuffle(filled)
    sentences: set[str] = set()
    tasks = []
    for number, (candidate, plan) in enumerate(filled, start=1):
        sentence = instruction(candidate.goal, candidate.scene, rng)
        while sentence in sentences:
            sentence = instruction(candidate.goal, candidate.scene, rng)
        sentences.add(sentence)
        tasks.append(
            {
                "id": _task_id(number, candidate.goal),
                "subset": group,
                "instruction": sentence,
                "scene": candidate.scene.id,
                "goal": candidate.goal.to_json(),
                "demonstration": list(plan),
            }
        )
    used = {task["scene"] for task in tasks}
    return {
        "env": f"household/{subset}",
        "scenes": {scene.id: scene.to_json() for scene in scenes if scene.id in used},
        "tasks": tasks,
    }


def to_text(document: Mapping[str, Any]) -> str:
    """The bytes of a task-set file: sorted keys, one task or object a line."""

    def line(value: Any) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    scenes = []
    for scene_id, scene in sorted(document["scenes"].items()):
        head = line({"agent": scene["agent"], "id": scene["id"]})[:-1]
        objects = ",\n".join(line(thing) for thing in scene["objects"])
        scenes.append(
            f'{line(scene_id)}:{head},"objects":[\n{objects}\n],"room":{line(scene["room"])}}}'
        )
    tasks = ",\n".join(line(task) for task in document["tasks"])
    body = ",\n".join(scenes)
    return f'{{"env":{line(document["env"])},\n"scenes":{{\n{body}\n}},\n"tasks":[\n{tasks}\n]}}\n'


def main() -> None:
    """Rewrite the bundled files."""
    folder = Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for subset in RECIPES:
        path = folder / f"{subset}.json"
        document = generate(subset)
        path.write_text(to_text(document), encoding="utf-8", newline="\n")
        print(f"{path.name}: {len(document['tasks'])} tasks, {len(document['scenes'])} scenes")


if __name__ == "__main__":
    main()
