"""The expert's THOR actions as skills of the action list."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from journeyman.envs.adapters.eb_alfred_replay.files import Trial
from journeyman.envs.adapters.eb_alfred_replay.scenes import whole
from journeyman.envs.household.names import Names
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.simulator import Simulator
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import kind_of

_VANTAGE_POINTS = 60
"""How many other objects near a target are tried as places to go to."""

_PUT = "put down the object in hand"


def skills_of(
    trial: Trial, scene: Scene, names: Names, aliases: Mapping[str, str]
) -> tuple[str, ...]:
    """The expert plan as action names, worked out on a simulator of its own.

    A find comes before every pick, slice, put and open, and before a switch or a close that is out
    of reach; only a put into what was opened just now needs none. Picking and slicing are by class,
    so where another instance would be taken, the plan goes to a neighbour of the target instead.
    What cannot be said in skills is left in as it stands, to fail in the replay.
    """
    return _Converter(scene, names, aliases).convert(trial)


class _Converter:
    def __init__(self, scene: Scene, names: Names, aliases: Mapping[str, str]) -> None:
        self.simulator = Simulator()
        self.simulator.reset(scene, names)
        self.aliases = aliases
        self.actions: list[str] = []
        self.stand_ins: dict[str, str] = {}
        self.pieces: dict[str, str] = {}

    def convert(self, trial: Trial) -> tuple[str, ...]:
        for _, action, object_id, receptacle in trial.expert_object_actions:
            self._CONVERT[action](self, self._present(object_id), receptacle)
        return tuple(self.actions)

    def _present(self, object_id: str) -> str:
        """The object that now plays this one's part.

        That is another instance of the class where that one was taken or sliced in its place, any
        piece for a slice, and for a merged sink the one that was kept.
        """
        object_id = self.aliases.get(object_id, object_id)
        base = whole(object_id)
        actual = self.stand_ins.get(base, base)
        object_id = actual + object_id[len(base) :]
        object_id = self.pieces.get(object_id, object_id)
        if object_id in self.simulator.state.type:
            return object_id
        pieces = (o for o in self.simulator.state.type if o != actual and whole(o) == actual)
        piece = next(pieces, object_id)
        return self.pieces.get(piece, piece)

    def _swap(self, target: str, taken: str) -> None:
        """``taken`` was used instead of ``target``: from now on each plays the other's part."""
        parts = {actual: part for part, actual in self.stand_ins.items()}
        self.stand_ins[parts.get(target, target)] = taken
        self.stand_ins[parts.get(taken, taken)] = target

    def _do(self, action: str) -> None:
        self.simulator.execute(action)
        self.actions.append(action)

    def _kind(self, object_id: str) -> str:
        return kind_of(object_id.split("|")[0])

    def _find(self, object_id: str) -> str:
        return f"find a {self.simulator.names.labels.get(object_id, self._kind(object_id))}"

    def _go(self, target: str, enough: Callable[[Simulator], bool]) -> None:
        """Find the target, or stay, or find its nearest neighbour: wherever ``enough`` holds."""
        state = self.simulator.state
        listed = set(self.simulator.names.actions)
        others: list[str] = []
        if target in state.type:
            place = state.position[target]
            others = sorted(
                (o for o in state.type if o != target and o in self.simulator.names.labels),
                key=lambda o: math.dist(place, state.position[o]),
            )[:_VANTAGE_POINTS]
        direct = self._find(target)
        for action in (direct, None, *map(self._find, others)):
            if action is None:
                if enough(self.simulator):
                    return
            elif action in listed:
                fork = _fork(self.simulator)
                found, _ = fork.execute(action)
                if found and enough(fork):
                    self._do(action)
                    return
        self._do(direct)

    def _pick(self, target: str, receptacle: str | None) -> None:
        kind = self._kind(target)

        settled = target in self.pieces.values()

        def would_take(simulator: Simulator) -> bool:
            held = _after(simulator, f"pick up the {kind}").held
            return held == target or (not settled and _other_piece(held, target))

        self._go(target, would_take)
        self._do(f"pick up the {kind}")
        held = self.simulator.state.held
        if held is None or settled:
            return
        if held == target or _other_piece(held, target):
            self.pieces[target] = held
        elif self._kind(held) == kind and whole(held) == held:
            self._swap(target, held)

    def _slice(self, target: str, receptacle: str | None) -> None:
        kind = self._kind(target)
        self._go(target, lambda s: target not in _after(s, f"slice the {kind}").type)
        before = list(self.simulator.state.type)
        self._do(f"slice the {kind}")
        gone = [o for o in before if o not in self.simulator.state.type]
        if gone and gone != [target]:
            self._swap(target, gone[0])

    def _put(self, target: str, receptacle: str | None) -> None:
        where = self.aliases.get(receptacle or "", receptacle or "")
        if not (self.simulator.target and self.actions[-1] == self._named("open", where)):
            self._do(self._find(where))
        self._do(_PUT)

    def _named(self, verb: str, object_id: str) -> str:
        labels = self.simulator.names.labels
        return f"{verb} the {labels.get(object_id, self._kind(object_id))}"

    def _open(self, target: str, receptacle: str | None) -> None:
        self._go(target, lambda s: s.state.visible(target))
        self._do(self._named("open", target))

    def _close(self, target: str, receptacle: str | None) -> None:
        self._reach(target)
        self._do(self._named("close", target))

    def _turn_on(self, target: str, receptacle: str | None) -> None:
        if self._kind(target) == "Microwave":
            self._reach(target)
        else:
            self._go(target, lambda s: s.state.visible(target))
        self._do(f"turn on the {self._kind(target)}")

    def _turn_off(self, target: str, receptacle: str | None) -> None:
        self._reach(target)
        self._do(f"turn off the {self._kind(target)}")

    def _reach(self, target: str) -> None:
        state = self.simulator.state
        if target not in state.type or not state.visible(target):
            self._go(target, lambda s: s.state.visible(target))

    _CONVERT: Mapping[str, Callable[[_Converter, str, str | None], None]] = {
        "PickupObject": _pick,
        "SliceObject": _slice,
        "PutObject": _put,
        "OpenObject": _open,
        "CloseObject": _close,
        "ToggleObjectOn": _turn_on,
        "ToggleObjectOff": _turn_off,
    }


def _other_piece(held: str | None, target: str) -> bool:
    """Whether both are pieces cut from the same thing."""
    return held is not None and held != whole(held) and whole(held) == whole(target)


def _fork(simulator: Simulator) -> Simulator:
    """A copy of the simulator, to try things on."""
    fork = Simulator()
    fork.scene, fork.names, fork.state = simulator.scene, simulator.names, simulator.state.copy()
    fork.target, fork.sliced = simulator.target, simulator.sliced
    fork.put_counts = dict(simulator.put_counts)
    return fork


def _after(simulator: Simulator, action: str) -> State:
    """The state that ``action`` would lead to."""
    fork = _fork(simulator)
    fork.execute(action)
    return fork.state
