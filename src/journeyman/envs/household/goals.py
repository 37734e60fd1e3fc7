"""Goal conditions of the seven ALFRED task types, counted as the benchmark counts them.

`task_success` is "all met", `task_progress` met / total. Any instance of a class qualifies, a slice
counts as its class (its id begins with it), and heated, cooled and cleaned stick to the object id,
so a slice of a heated Apple is not heated.

Source: EB-ALFRED's rules (section 1.5 of the protocol notes: totals 1, 2, 2, 3, 3, 3, 3, and
"sliced" one more, two more for pick_two).
"""

from __future__ import annotations

from collections.abc import Callable

from journeyman.envs.household.scene import Goal, TaskType
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import RECEPTACLES, SLICED_FROM, kind_of, sliced

Conditions = tuple[int, int]
"""Goal conditions met, and their total."""


def conditions(state: State, goal: Goal, *, substring_names: bool = False) -> Conditions:
    """How many of the goal's conditions hold in ``state``, and how many there are.

    Args:
        state: Where everything is.
        goal: Of one of the seven task types.
        substring_names: Match classes as substrings of object ids, as the benchmark does, so that
            ``Pen`` also matches ``Pencil``.
    """
    match = _by_substring if substring_names else _by_kind
    things = match(state, goal.object_target, goal.object_sliced)
    met, total = _COUNTS[goal.task_type](state, goal, things, match)
    if goal.object_sliced:
        wanted = 2 if goal.task_type == "pick_two_obj_and_place" else 1
        met += min(sum(state.type[o] in SLICED_FROM for o in things), wanted)
        total += wanted
    return met, total


_Match = Callable[[State, str, bool], list[str]]


def _by_kind(state: State, target: str, slices: bool = False) -> list[str]:
    """Ids of the class ``target``, or of its slices only."""
    kind = kind_of(target)
    members = state.members.get(kind, ())
    if slices:
        piece = sliced(kind)
        return [o for o in members if state.type[o] == piece]
    return list(members)


def _by_substring(state: State, target: str, slices: bool = False) -> list[str]:
    """Ids that contain the class name anywhere; a basin's own id names its fixture first."""
    name = sliced(target) if slices else target
    return [o for o in state.type if name in o] if name else []


def _receptacles(state: State, target: str, match: _Match) -> set[str]:
    return {o for o in match(state, target, False) if state.type[o] in RECEPTACLES}


def _in_place(state: State, things: list[str], receptacles: set[str]) -> list[str]:
    return [o for o in things if not receptacles.isdisjoint(state.ancestors(o))]


def _simple(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    placed = _in_place(state, things, _receptacles(state, goal.parent_target, match))
    return int(bool(placed)), 1


def _two(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    """The best single receptacle counts: one in each of two does not make two."""
    receptacles = _receptacles(state, goal.parent_target, match)
    counts = dict.fromkeys(receptacles, 0)
    for thing in things:
        for around in state.ancestors(thing):
            if around in counts:
                counts[around] += 1
    return min(max(counts.values(), default=0), 2), 2


def _look(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    lamps = match(state, goal.toggle_target, False)
    lit = any(lamp in state.on and state.visible(lamp) for lamp in lamps)
    return int(state.held in things) + int(lit), 2


def _treated(
    state: State, goal: Goal, things: list[str], match: _Match, treated: set[str]
) -> Conditions:
    placed = _in_place(state, things, _receptacles(state, goal.parent_target, match))
    done = [o for o in things if o in treated]
    both = any(o in treated for o in placed)
    return int(bool(placed)) + int(bool(done)) + int(both), 3


def _clean(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    return _treated(state, goal, things, match, state.cleaned)


def _heat(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    return _treated(state, goal, things, match, state.heated)


def _cool(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    return _treated(state, goal, things, match, state.cooled)


def _movable(state: State, goal: Goal, things: list[str], match: _Match) -> Conditions:
    receptacles = _receptacles(state, goal.parent_target, match)
    vessels = match(state, goal.mrecep_target, False)
    loaded = {v for v in vessels if _in_place(state, things, {v})}
    placed = _in_place(state, vessels, receptacles)
    stacked = any(v in loaded for v in placed)
    return int(bool(loaded)) + int(bool(placed)) + int(stacked), 3


_COUNTS: dict[TaskType, Callable[[State, Goal, list[str], _Match], Conditions]] = {
    "pick_and_place_simple": _simple,
    "pick_two_obj_and_place": _two,
    "look_at_obj_in_light": _look,
    "pick_clean_then_place_in_recep": _clean,
    "pick_heat_then_place_in_recep": _heat,
    "pick_cool_then_place_in_recep": _cool,
    "pick_and_place_with_movable_recep": _movable,
}

TASK_TYPES: frozenset[str] = frozenset(_COUNTS)
"""The seven task types."""
