"""EB-ALFRED's eight skills as a symbolic state machine over AI2-THOR's object metadata.

What each feedback string needs in this world is told in `feedback`.
Departure, by default: the benchmark keeps its put counters and its preference for slices from one
episode to the next, and a slip in its code can empty the set of cleaned objects; see `Faults`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from journeyman.envs.household import feedback
from journeyman.envs.household.names import Names, Verb, parse
from journeyman.envs.household.scene import Scene
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import (
    HIDES_CONTENTS,
    OFF_WHILE_OPEN,
    OPENABLE,
    RECEPTACLES,
    ROOM,
    SLICEABLE,
    SLICED_FROM,
    SLICES,
    TOGGLEABLE,
    is_pickupable,
    size_of,
    sliced,
)

_SHUT_PENALTY = 100_000.0
_OCCUPIED_BURNER_PENALTY = 10_000.0
_UNSEEN_PENALTY = 1_000.0
_SLICE_BONUS = 100.0
_PUTS_BEFORE_DROP = 3


@dataclass(frozen=True)
class Faults:
    """Known faults of the benchmark that can be replayed; all off by default.

    Attributes:
        carry_over: Put counters and the preference for slices survive a reset.
        forgetful_faucet: Turning on a Faucet over an empty basin empties the set of cleaned
            objects (an operator-precedence slip upstream).
        substring_names: Goals match classes by substring (``Pen`` also matches ``Pencil``).
    """

    carry_over: bool = False
    forgetful_faucet: bool = False
    substring_names: bool = False


class Simulator:
    """One household. `reset` sets the scene, `execute` does one skill by its action name.

    Attributes:
        scene: The scene of the last reset.
        names: Its action list.
        state: Where everything is now.
        target: The "current receptacle" (word, id or None) that put down will use.
        sliced: Whether a slice was tried: from then on slices are preferred.
        put_counts: Puts so far on each name.
    """

    scene: Scene
    names: Names
    state: State

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults()
        self.target: tuple[str, str | None] | None = None
        self.sliced = False
        self.put_counts: dict[str, int] = {}
        self._skills: dict[Verb, Callable[[str, str | None], str]] = {
            "find": self._find,
            "pick up": self._pick,
            "put down": self._put,
            "drop": lambda word, named: self._drop(),
            "open": self._open,
            "close": self._close,
            "turn on": self._turn_on,
            "turn off": self._turn_off,
            "slice": self._slice,
        }

    def reset(self, scene: Scene, names: Names | None = None) -> None:
        """Start in ``scene``; ``names`` saves building the action list anew."""
        self.scene = scene
        self.names = names if names is not None else Names.of(scene)
        self.state = State.of(scene)
        self.target = None
        if not self.faults.carry_over:
            self.sliced = False
            self.put_counts = {}

    def execute(self, action: str) -> tuple[bool, str]:
        """Do one skill: whether it succeeded, and the message ("" on success).

        Raises:
            ConfigError: ``action`` is not the name of a skill.
        """
        verb, word = parse(action)
        named = self.names.ids.get(word) if verb in ("find", "open", "close") else None
        if verb not in ("put down", "open"):
            self.target = None
        message = self._skills[verb](word, named)
        return not message, message

    def metadata(self) -> list[dict[str, Any]]:
        """AI2-THOR's object metadata, one dict an object, in metadata order."""
        return self.state.metadata({o: self.names.label(o) for o in self.state.type})

    # Choosing a target -----------------------------------------------------------------------

    def choose(
        self,
        kind: str,
        *,
        seen_first: bool = False,
        slices_first: bool = False,
        only: Callable[[str], bool] | None = None,
        exclude: str | None = None,
    ) -> str | None:
        """The instance that a bare class name means: the nearest, after the penalties.

        Inside a closed container +100000; a stove burner with something on it +10000; not in view
        +1000 (``seen_first``); a slice -100 (``slices_first``). Ties go to metadata order.

        Args:
            kind: Class word, e.g. ``Apple`` (its slices count) or ``Sink``.
            seen_first: Prefer what is in view.
            slices_first: Prefer slices.
            only: Test on the class of an instance.
            exclude: An id not to choose.
        """
        state = self.state
        best, least = None, math.inf
        for object_id in state.members.get(kind, ()):
            object_type = state.type[object_id]
            if object_id == exclude or (only is not None and not only(object_type)):
                continue
            cost = state.distance(object_id)
            if state.parent[object_id] is not None and state.shut_in(object_id):
                cost += _SHUT_PENALTY
            if kind == "StoveBurner" and state.contents.get(object_id):
                cost += _OCCUPIED_BURNER_PENALTY
            if seen_first and not state.visible(object_id):
                cost += _UNSEEN_PENALTY
            if slices_first and object_type in SLICED_FROM:
                cost -= _SLICE_BONUS
            if cost < least:
                best, least = object_id, cost
        return best

    def _named_or_chosen(self, word: str, named: str | None) -> str | None:
        return named if named is not None else self.choose(_kind(word))

    # Skills: each gives its message, empty on success --------------------------------------------

    def _find(self, word: str, named: str | None) -> str:
        self.target = (word, named)
        state = self.state
        target = named
        if target is None:
            target = self.choose(_kind(word), seen_first=True, slices_first=self.sliced)
        if target is None or target not in state.type:
            return feedback.FIND_NONE.format(kind=_kind(word))
        if not state.in_hand(target):
            state.stand_at(target)
        return ""

    def _pick(self, word: str, named: str | None) -> str:
        state = self.state
        target = self.choose(word, seen_first=True, slices_first=self.sliced, only=is_pickupable)
        if target is None:
            return feedback.PICK_NONE.format(kind=word)
        seen = state.visible(target)
        parent = state.parent[target]
        if not seen and parent is not None:
            receptacle = self.names.receptacle(parent)
            return feedback.PICK_HIDDEN.format(kind=word, receptacle=receptacle)
        if state.held is not None:
            return feedback.PICK_FULL.format(held=state.type[state.held])
        if not seen:
            return feedback.EMPTY_HAND
        state.take(target)
        state.held = target
        return ""

    def _put(self, word: str, named: str | None) -> str:
        if self.target is None:
            return self._drop()
        where, named = self.target
        count = self.put_counts[named or where] = self.put_counts.get(named or where, 0) + 1
        message = self._try_put(_kind(where), named)
        if message and count >= _PUTS_BEFORE_DROP:
            self._drop()
            message += feedback.PUT_DROPPED
        return message

    def _try_put(self, kind: str, named: str | None) -> str:
        held = self.state.held
        if held is None:
            return feedback.EMPTY_HAND
        first = named if named is not None else self.choose(kind)
        second = None
        if first is not None:
            if self._takes(first, held):
                self._lay(held, first)
                return ""
            second = self.choose(kind, exclude=first)
            if second is not None and self._takes(second, held):
                self._lay(held, second)
                return ""
        check = "check" if second is not None else "check whether"
        return feedback.PUT_FAILED.format(kind=kind, check=check)

    def _takes(self, receptacle: str, thing: str) -> bool:
        """Whether ``receptacle`` is in reach, open if it can be closed, and has room."""
        state = self.state
        object_type = state.type.get(receptacle)
        if object_type is None or object_type not in RECEPTACLES or state.in_hand(receptacle):
            return False
        if not state.visible(receptacle):
            return False
        if object_type in HIDES_CONTENTS and receptacle not in state.open:
            return False
        largest, most = ROOM.get(object_type, (4, math.inf))
        lying = sum(state.type[o] not in SLICED_FROM for o in state.contents.get(receptacle, ()))
        return size_of(state.type[thing]) <= largest and lying < most

    def _lay(self, thing: str, receptacle: str) -> None:
        state = self.state
        state.held = None
        state.place(thing, receptacle, state.spot(receptacle))

    def _drop(self) -> str:
        state = self.state
        if state.held is None:
            return feedback.EMPTY_HAND
        thing, state.held = state.held, None
        heading = math.radians(state.rotation_deg)
        x, z = state.agent
        state.place(thing, None, (x + 0.4 * math.sin(heading), 0.05, z + 0.4 * math.cos(heading)))
        return ""

    def _open(self, word: str, named: str | None) -> str:
        state, kind = self.state, _kind(word)
        target = self._named_or_chosen(word, named)
        if target is None:
            return feedback.OPEN_NONE.format(kind=kind)
        if target in state.open:
            return feedback.OPEN_ALREADY.format(kind=kind)
        object_type = state.type[target]
        running = object_type in OFF_WHILE_OPEN and target in state.on
        if object_type not in OPENABLE or running or not state.visible(target):
            return feedback.OPEN_FAILED
        state.open.add(target)
        return ""

    def _close(self, word: str, named: str | None) -> str:
        state, kind = self.state, _kind(word)
        target = self._named_or_chosen(word, named)
        if target is None:
            return feedback.CLOSE_NONE.format(kind=kind)
        object_type = state.type[target]
        if object_type in OPENABLE and target not in state.open:
            return feedback.CLOSE_ALREADY.format(kind=kind)
        if object_type not in OPENABLE or not state.visible(target):
            return feedback.CLOSE_FAILED
        state.open.discard(target)
        if object_type == "Fridge":
            state.cooled.update(state.inside(state.members["Fridge"][0]))
        return ""

    def _turn_on(self, word: str, named: str | None) -> str:
        state = self.state
        target = self.choose(word, only=TOGGLEABLE.__contains__)
        if target is None:
            return feedback.TOGGLE_NONE.format(kind=word, way="on")
        object_type = state.type[target]
        ajar = object_type in OFF_WHILE_OPEN and target in state.open
        if target in state.on or ajar or not state.visible(target):
            return feedback.TOGGLE_FAILED.format(way="on")
        state.on.add(target)
        if object_type == "Faucet":
            self._wash(target)
        elif object_type == "Microwave":
            state.heated.update(state.inside(state.members["Microwave"][0]))
        return ""

    def _wash(self, faucet: str) -> None:
        state = self.state
        basins = state.members.get("Sink", ())
        if not basins:
            return
        washed = state.inside(min(basins, key=lambda basin: state.between(basin, faucet)))
        if not washed and self.faults.forgetful_faucet:
            state.cleaned.clear()
        state.cleaned.update(washed)

    def _turn_off(self, word: str, named: str | None) -> str:
        state = self.state
        target = self.choose(word, only=TOGGLEABLE.__contains__)
        if target is None:
            return feedback.TOGGLE_NONE.format(kind=word, way="off")
        if target not in state.on or not state.visible(target):
            return feedback.TOGGLE_FAILED.format(way="off")
        state.on.discard(target)
        return ""

    def _slice(self, word: str, named: str | None) -> str:
        self.sliced = True
        state = self.state
        target = self.choose(word)
        if target is None:
            return feedback.SLICE_NONE.format(kind=word)
        whole = state.type[target] in SLICEABLE
        if not whole or state.in_hand(target) or not state.visible(target):
            return feedback.SLICE_FAILED
        self._cut(target)
        return ""

    def _cut(self, target: str) -> None:
        """Replace an object by its pieces, ``id|AppleSliced_1`` and on, in the same place."""
        state = self.state
        kind, parent, (x, y, z) = state.type[target], state.parent[target], state.position[target]
        piece = sliced(kind)
        pieces = [f"{target}|{piece}_{number}" for number in range(1, SLICES[kind] + 1)]
        state.take(target)
        del state.type[target], state.position[target], state.parent[target]
        state.members[kind] = (*(o for o in state.members[kind] if o != target), *pieces)
        for number, object_id in enumerate(pieces):
            state.type[object_id] = piece
            state.position[object_id] = (x + 0.02 * number, y, z)
            state.parent[object_id] = parent
        if parent is not None:
            state.contents[parent] = (*state.contents.get(parent, ()), *pieces)


def _kind(word: str) -> str:
    """The class in a name: ``Cabinet_3`` gives ``Cabinet``."""
    return word.split("_")[0]
