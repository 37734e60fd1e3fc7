"""An ALFRED trial as a household scene: what the data leave out is repaired or defined here.

The data hold every pickupable instance with a position and a receptacle, stated by the expert plan
or inferred from positions. A scene of the real simulator differs where the inference is wrong, so
a replay shows that names, rules, plans and goals agree, not that the scene equals the simulator's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from journeyman.envs.adapters.eb_alfred_replay.files import Placed, Plan, Trial
from journeyman.envs.household.scene import Goal, Room, Scene, SceneObject
from journeyman.envs.household.vocab import (
    BASINS,
    HIDES_CONTENTS,
    OPEN_AT_RESET,
    RECEPTACLES,
    VESSELS,
    kind_of,
)

MERGE_WITHIN_M = 0.5
"""Two spellings of a sink or bathtub no further apart than this are one."""

FAUCET_ABOVE_M = 0.3
FLOOR_BELOW_M = 0.12
WEAK_INFERENCE = 0.6
SAME_PLACE_M = 0.05

_LAMPS = ("DeskLamp", "FloorLamp")
_LAMP_STANDS = ("Desk", "SideTable", "Dresser")
_ROOMS: tuple[tuple[int, Room], ...] = (
    (200, "kitchen"),
    (300, "living_room"),
    (400, "bedroom"),
    (500, "bathroom"),
)

Position = tuple[float, float, float]


@dataclass(frozen=True)
class Replayed:
    """A trial ready to play.

    Attributes:
        scene: In data order.
        aliases: Object ids of the data that stand for another id of the scene (merged sinks).
    """

    scene: Scene
    aliases: dict[str, str]


def goal_of(trial: Trial) -> Goal:
    """The trial's ALFRED goal."""
    return Goal(trial.task_type, **trial.pddl_params.model_dump())


def scene_of(trial: Trial, plan: Plan) -> Replayed:
    """The trial's scene: fixtures, then faucets and lamps, then things, each in data order."""
    touched = _touched(trial)
    fixtures, aliases = _fixtures(plan, touched)
    appliances = _faucets_and_lamps(trial, plan, fixtures)
    things = _things(trial, {o.id: o for o in fixtures}, aliases)
    objects = [*fixtures, *appliances, *things]
    objects = _out_of_closed_containers(trial, objects, aliases)
    objects = _into_vessel(trial, objects)
    start = (trial.init_action.x, trial.init_action.z)
    return Replayed(
        Scene(trial.floor_plan, _room(trial.floor_plan), tuple(objects), start), aliases
    )


def position_in(object_id: str) -> Position:
    """The position that an id spells: ``Apple|+00.10|+00.95|-01.20``."""
    x, y, z = (float(part) for part in object_id.split("|")[1:4])
    return x, y, z


def whole(object_id: str) -> str:
    """The id of the thing that a slice was cut from; other ids as they are."""
    return re.sub(r"\|[A-Za-z]+Sliced_\d+$", "", object_id)


def _touched(trial: Trial) -> list[str]:
    """Ids that the expert plan names, each once, in order of first use."""
    ids: dict[str, None] = {}
    for _, _, object_id, receptacle in trial.expert_object_actions:
        ids[whole(object_id)] = None
        if receptacle is not None:
            ids[receptacle] = None
    return list(ids)


def _room(floor_plan: str) -> Room:
    number = int(re.sub(r"\D", "", floor_plan) or 0)
    return next((room for limit, room in _ROOMS if number < limit), "kitchen")


def _fixtures(plan: Plan, touched: list[str]) -> tuple[list[SceneObject], dict[str, str]]:
    """The floor plan's receptacles, without other trials' vessels and with each sink once.

    Of two spellings of one sink the id that the expert plan names is kept, else the one that
    names the basin inside its sink (``Sink|x|y|z|SinkBasin``).
    """
    kept: list[SceneObject] = []
    aliases: dict[str, str] = {}
    for object_id, fixture in plan.receptacles.items():
        if fixture.type in VESSELS:
            continue
        new = SceneObject(object_id, fixture.type, fixture.position)
        twin = _twin(new, kept)
        if twin is None:
            kept.append(new)
            continue
        first, second = kept[twin], new
        if _rank(second, touched) > _rank(first, touched):
            kept[twin], first, second = second, second, first
        aliases[second.id] = first.id
    for old, stands_for in aliases.items():
        aliases[old] = aliases.get(stands_for, stands_for)
    return kept, aliases


def _twin(new: SceneObject, kept: list[SceneObject]) -> int | None:
    if kind_of(new.type) not in BASINS.values():
        return None
    for index, old in enumerate(kept):
        same = kind_of(old.type) == kind_of(new.type)
        if same and math.dist(old.position, new.position) <= MERGE_WITHIN_M:
            return index
    return None


def _rank(fixture: SceneObject, touched: list[str]) -> tuple[bool, bool, bool]:
    return fixture.id in touched, fixture.type in BASINS, fixture.id.count("|") == 4


def _faucets_and_lamps(trial: Trial, plan: Plan, fixtures: list[SceneObject]) -> list[SceneObject]:
    """What is in no floor plan's receptacles: a faucet for each sink, the lamps of the room."""
    switched = [o for o in _touched(trial) if o.split("|")[0] in ("Faucet", *_LAMPS)]
    found = [SceneObject(o, o.split("|")[0], position_in(o)) for o in switched]
    basins = [o for o in fixtures if kind_of(o.type) == "Sink"]
    served = {
        min(basins, key=lambda basin: math.dist(basin.position, faucet.position)).id
        for faucet in found
        if faucet.type == "Faucet" and basins
    }
    for basin in basins:
        if basin.id not in served:
            x, y, z = basin.position
            found.append(_new("Faucet", (x, y + FAUCET_ABOVE_M, z), [o.id for o in found]))
    stands = [o for o in fixtures if o.type in _LAMP_STANDS] or fixtures
    for lamp in _LAMPS:
        if lamp in plan.object_types and stands and all(o.type != lamp for o in found):
            x, y, z = stands[0].position
            found.append(_new(lamp, (x, y + 0.1, z), [o.id for o in found]))
    return found


def _things(
    trial: Trial, fixtures: dict[str, SceneObject], aliases: dict[str, str]
) -> list[SceneObject]:
    """The trial's things; those that the expert touches have the id that the plan gives them."""
    named = [o for o in _touched(trial) if o not in fixtures and o not in aliases]
    claimed: dict[int, str] = {}
    for object_id in named:
        kind, place = object_id.split("|")[0], position_in(object_id)
        near = [
            (math.dist(thing.position, place), index)
            for index, thing in enumerate(trial.objects)
            if thing.type == kind and index not in claimed
        ]
        if near and min(near)[0] <= SAME_PLACE_M:
            claimed[min(near)[1]] = object_id
    things: list[SceneObject] = []
    taken = list(claimed.values())
    for index, thing in enumerate(trial.objects):
        new = _new(thing.type, thing.position, taken, claimed.get(index))
        taken.append(new.id)
        parent = aliases.get(thing.receptacle or "", thing.receptacle)
        if parent not in fixtures or _on_floor(thing):
            parent = None
        things.append(replace(new, parent=parent, is_open=thing.type in OPEN_AT_RESET))
    return things


def _on_floor(thing: Placed) -> bool:
    return thing.position[1] < FLOOR_BELOW_M and (thing.inference_cost or 0.0) > WEAK_INFERENCE


def _new(
    object_type: str, position: Position, taken: Iterable[str], object_id: str | None = None
) -> SceneObject:
    """An object with the given id, or with one spelt from its position that is not taken."""
    if object_id is None:
        taken = set(taken)
        x, y, z = position
        object_id = _spell(object_type, (x, y, z))
        while object_id in taken:
            x += 0.01
            object_id = _spell(object_type, (x, y, z))
    return SceneObject(object_id, object_type, position)


def _spell(object_type: str, position: Position) -> str:
    return "|".join([object_type, *(f"{part:+06.2f}" for part in position)])


def _out_of_closed_containers(
    trial: Trial, objects: list[SceneObject], aliases: dict[str, str]
) -> list[SceneObject]:
    """Move what the expert reaches without opening anything to where nothing has to be opened."""
    by_id = {o.id: o for o in objects}
    opened: set[str] = set()
    moved: set[str] = set()
    for _, action, object_id, receptacle in trial.expert_object_actions:
        if action == "OpenObject":
            opened.add(object_id)
        elif action == "CloseObject":
            opened.discard(object_id)
        for reached in (whole(object_id), receptacle):
            thing = by_id.get(reached or "")
            if thing is None or thing.id in moved:
                continue
            moved.add(thing.id)
            container = by_id.get(thing.parent or "")
            if container is None or container.type not in HIDES_CONTENTS:
                continue
            if container.id not in opened and not container.is_open:
                by_id[thing.id] = replace(thing, parent=_nearest_open(thing, objects))
    return [by_id[o.id] for o in objects]


def _nearest_open(thing: SceneObject, objects: list[SceneObject]) -> str | None:
    free = [
        o
        for o in objects
        if o.type in RECEPTACLES and o.type not in HIDES_CONTENTS and o.type not in VESSELS
    ]
    if not free:
        return None
    return min(free, key=lambda o: math.dist(o.position, thing.position)).id


def _into_vessel(trial: Trial, objects: list[SceneObject]) -> list[SceneObject]:
    """A movable-receptacle task whose plan never picks the thing: it lies in the vessel already."""
    if trial.task_type != "pick_and_place_with_movable_recep":
        return objects
    wanted = trial.pddl_params
    picked = [o for _, action, o, _ in trial.expert_object_actions if action == "PickupObject"]
    vessels = [o for o in objects if o.type == wanted.mrecep_target and o.id in picked]
    things = [o for o in objects if o.type == wanted.object_target]
    if not vessels or not things or any(whole(o) == t.id for o in picked for t in things):
        return objects
    vessel = vessels[0]
    nearest = min(things, key=lambda o: math.dist(o.position, vessel.position))
    nested = replace(nearest, parent=vessel.id, position=vessel.position)
    return [nested if o.id == nearest.id else o for o in objects]
