"""The action list of an episode: names of instances, and which object each name means.

Source: EB-ALFRED's dynamic action space, rebuilt at every reset. Of a class with several instances
the first in metadata order keeps the bare name, later ones are ``X_2``, ``X_3``, ...; picking and
switching stay by class. The data of the benchmark do not give the metadata order, so instance
numbering is ours wherever it is replayed; `shuffle_order` shows how much hangs on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import dist
from typing import Literal

from journeyman.core.errors import ConfigError
from journeyman.core.seeding import stream
from journeyman.core.values import Action
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.vocab import (
    BASINS,
    OPENABLE,
    PICKUPABLE,
    RECEPTACLES,
    SLICED_FROM,
    STATIC_ACTIONS,
    is_pickupable,
    kind_of,
)

Verb = Literal[
    "find", "pick up", "put down", "drop", "open", "close", "turn on", "turn off", "slice"
]

BASIN_WITHIN_M = 0.7
"""A Sink and a SinkBasin no further apart than this are one sink."""


@dataclass(frozen=True)
class Names:
    """Names of one scene's instances.

    Attributes:
        ids: Name to object id, only for classes with at least two instances: a bare name that is
            absent here means whichever instance is chosen by distance.
        labels: Object id to the name to show for it, for every object of the scene.
        actions: Action names in id order, the 162 static ones first.
        shells: Sinks and bathtubs whose basin is an object of its own; they have its name.
    """

    ids: dict[str, str] = field(repr=False)
    labels: dict[str, str] = field(repr=False)
    actions: tuple[str, ...] = field(repr=False)
    shells: frozenset[str] = frozenset()

    @classmethod
    def of(cls, scene: Scene) -> Names:
        """Name the instances of ``scene`` in its metadata order."""
        receptacles: dict[str, list[str]] = {}
        things: dict[str, list[str]] = {}
        labels: dict[str, str] = {}
        shells = shells_of(scene)
        for thing in scene.objects:
            if thing.id in shells:
                continue
            kind = kind_of(thing.type)
            labels[thing.id] = kind
            if thing.type in RECEPTACLES:
                receptacles.setdefault(kind, []).append(thing.id)
            elif is_pickupable(thing.type):
                things.setdefault(kind, []).append(thing.id)
        ids: dict[str, str] = {}
        more_receptacles = _number(receptacles, ids)
        more_things = _number(things, ids)
        labels.update({object_id: name for name, object_id in ids.items()})
        labels.update({shell: labels[basin] for shell, basin in shells.items()})
        dynamic = [f"find a {name}" for name in more_receptacles]
        for name in more_receptacles:
            if name.split("_")[0] in OPENABLE:
                dynamic += [f"open the {name}", f"close the {name}"]
        dynamic += [f"find a {name}" for name in more_things if name.split("_")[0] in PICKUPABLE]
        return cls(ids, labels, (*STATIC_ACTIONS, *dynamic), frozenset(shells))

    @cached_property
    def library(self) -> tuple[Action, ...]:
        return tuple(Action(number, name) for number, name in enumerate(self.actions))

    def label(self, object_id: str) -> str:
        """The name to show for an object; a piece of an Apple is shown as ``Apple slice``."""
        label = self.labels.get(object_id)
        if label is None:
            label = f"{SLICED_FROM[object_type(object_id)]} slice"
            self.labels[object_id] = label
        return label

    def receptacle(self, object_id: str) -> str:
        """How feedback names a receptacle: its numbered name, else its bare class."""
        return self.labels[object_id]


@cache
def parse(action: str) -> tuple[Verb, str]:
    """An action name as its verb and the word it names ("" for put down and drop).

    Raises:
        ConfigError: no skill begins like this.
    """
    prefixes: tuple[tuple[str, Verb], ...] = (
        ("find a ", "find"),
        ("pick up the ", "pick up"),
        ("open the ", "open"),
        ("close the ", "close"),
        ("turn on the ", "turn on"),
        ("turn off the ", "turn off"),
        ("slice the ", "slice"),
    )
    if action == "put down the object in hand":
        return "put down", ""
    if action == "drop the object in hand":
        return "drop", ""
    for prefix, verb in prefixes:
        if action.startswith(prefix) and len(action) > len(prefix):
            return verb, action[len(prefix) :]
    raise ConfigError(
        f"no household skill is called '{action}'.", hint="Take a name from the action library."
    )


def object_type(slice_id: str) -> str:
    """The class of a piece, from its id: ``Apple|..|AppleSliced_2`` gives ``AppleSliced``."""
    return slice_id.rsplit("|", 1)[-1].rsplit("_", 1)[0]


def shells_of(scene: Scene) -> dict[str, str]:
    """Sinks and bathtubs whose basin is an object of its own, with that basin's id.

    The two are one thing to the agent: it has one name, and what is put there lies in the basin.
    """
    basins = [thing for thing in scene.objects if thing.type in BASINS]
    shells: dict[str, str] = {}
    for thing in scene.objects:
        near = [
            basin
            for basin in basins
            if BASINS[basin.type] == thing.type
            and dist(basin.position, thing.position) <= BASIN_WITHIN_M
        ]
        if near:
            shells[thing.id] = min(near, key=lambda basin: dist(basin.position, thing.position)).id
    return shells


def shuffle_order(scene: Scene, seed: int | None) -> Scene:
    """``scene`` with its metadata order, and so its instance numbers, shuffled by ``seed``."""
    if seed is None:
        return scene
    order = stream(seed, "instance_order", scene.id).permutation(len(scene.objects))
    return replace(scene, objects=tuple(scene.objects[index] for index in order))


def _number(groups: dict[str, list[str]], ids: dict[str, str]) -> list[str]:
    """Enter the names of every group of two or more into ``ids``; the sorted names beyond it."""
    further = []
    for kind, members in groups.items():
        if len(members) < 2:
            continue
        for number, object_id in enumerate(members, start=1):
            name = kind if number == 1 else f"{kind}_{number}"
            ids[name] = object_id
            if number > 1:
                further.append(name)
    return sorted(further)
