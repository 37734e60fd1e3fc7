"""An expert with full sight of the state: action names that solve a task under the skills' rules.

It plays on a simulator of its own. For each way to choose the instances (the one to carry, the
place, the vessel, the knife), fewest closed doors first, it carries out the procedure of the task
type and gives the choice up as soon as a skill fails or touches another instance; the first choice
that meets the goal is the demonstration.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import islice, product

from journeyman.core.errors import JourneymanError
from journeyman.envs.household.goals import conditions
from journeyman.envs.household.names import Names
from journeyman.envs.household.scene import Goal, Scene
from journeyman.envs.household.simulator import Simulator
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import HIDES_CONTENTS, is_pickupable, kind_of

MAX_STEPS = 30
"""EB-ALFRED's limit of environment steps."""

KNIVES = ("Knife", "ButterKnife")
_KNIFE_RESTS = ("CounterTop", "DiningTable", "SideTable")
_MAX_CHOICES = 60


class NoPlan(JourneymanError):
    """No choice of instances leads the expert to the goal within the step limit."""


class _Blocked(Exception):
    """The chosen instances do not work out."""


@dataclass(frozen=True)
class _Choice:
    """One instance id for each role that the goal has; "" for the others."""

    thing: str
    second: str
    vessel: str
    place: str
    basin: str
    knife: str


def _doors(state: State, object_id: str) -> int:
    """How many closed doors hide an object or the inside of a receptacle."""
    if not object_id:
        return 0
    around = (object_id, *state.ancestors(object_id))
    return sum(state.type[o] in HIDES_CONTENTS and o not in state.open for o in around)


def _choices(goal: Goal, state: State) -> list[_Choice]:
    """All ways to choose the instances, fewest doors first, ties in metadata order."""

    def instances(*types: str) -> list[str]:
        return [o for t in types for o in state.members.get(kind_of(t), ()) if state.type[o] == t]

    nobody = [""]
    things = instances(goal.object_target)
    two_whole = goal.task_type == "pick_two_obj_and_place" and not goal.object_sliced
    washed = goal.task_type == "pick_clean_then_place_in_recep"
    roles = (
        things,
        things if two_whole else nobody,
        instances(goal.mrecep_target) if goal.mrecep_target else nobody,
        instances(goal.parent_target) if goal.parent_target else nobody,
        instances("SinkBasin") if washed else nobody,
        instances(*KNIVES) if goal.object_sliced else nobody,
    )
    found = [_Choice(*ids) for ids in product(*roles) if ids[0] != ids[1]]
    return sorted(found, key=lambda choice: sum(_doors(state, o) for o in astuple(choice)))


class _Player:
    """One attempt: skills carried out on the simulator, each checked for what it should bring."""

    def __init__(self, scene: Scene, names: Names) -> None:
        self.simulator = Simulator()
        self.simulator.reset(scene, names)
        self.actions: list[str] = []
        self.at = ""
        """What was found last."""

    @property
    def state(self) -> State:
        return self.simulator.state

    def do(self, action: str) -> None:
        success, message = self.simulator.execute(action)
        if not success:
            raise _Blocked(f"{action}: {message}")
        self.actions.append(action)

    def find(self, object_id: str) -> None:
        self.do(f"find a {self.simulator.names.label(object_id)}")
        self.at = object_id

    def open(self, container: str) -> None:
        self.do(f"open the {self.simulator.names.label(container)}")

    def closed(self, container: str) -> bool:
        return self.state.type[container] in HIDES_CONTENTS and container not in self.state.open

    def uncover(self, object_id: str) -> bool:
        """Open the closed containers around an object, outermost first; whether there were any."""
        doors = [o for o in reversed(self.state.ancestors(object_id)) if self.closed(o)]
        for container in doors:
            self.find(container)
            self.open(container)
        return bool(doors)

    def in_front(self, kind: str) -> str | None:
        """What picking up by this class would take, or None where it would fail."""
        nearest = self.simulator.choose(
            kind, seen_first=True, slices_first=self.simulator.sliced, only=is_pickupable
        )
        return nearest if nearest is not None and self.state.visible(nearest) else None

    def pick(self, object_id: str) -> None:
        """Pick up just this instance from where the agent stands."""
        kind = kind_of(self.state.type[object_id])
        if self.in_front(kind) != object_id:
            raise _Blocked(f"another {kind} is nearer")
        self.do(f"pick up the {kind}")

    def take(self, object_id: str) -> str:
        """Go to an object, through closed doors, and pick up the nearest of its class there."""
        kind = kind_of(self.state.type[object_id])
        opened = self.uncover(object_id)
        if not opened or self.in_front(kind) != object_id:
            self.find(object_id)
        nearest = self.in_front(kind)
        if nearest is None:
            raise _Blocked(f"no {kind} is in reach")
        self.pick(nearest)
        return nearest

    def put(self, receptacle: str) -> str:
        """Carry what is held to a receptacle, open it if need be, and put it down there."""
        held = self.state.held
        assert held is not None
        self.uncover(receptacle)
        self.find(receptacle)
        if self.closed(receptacle):
            self.open(receptacle)
        self.do("put down the object in hand")
        if self.state.parent[held] != receptacle:
            raise _Blocked("it went into another instance")
        return held

    def cut(self, food: str, knife: str) -> str:
        """Slice ``food`` with the knife in hand; the receptacle that the pieces lie in."""
        self.take(knife)
        home, word = self.state.parent[food], self.state.type[food]
        if home is None:
            raise _Blocked("what lies on the floor is not sliced")
        if not self.uncover(food) or self.simulator.choose(word) != food:
            self.find(food)
        self.do(f"slice the {word}")
        if food in self.state.type:
            raise _Blocked(f"another {word} was sliced")
        return home

    def lay_down_knife(self, home: str) -> None:
        """On the surface where the pieces lie, else on the nearest one."""
        rests = [o for kind in _KNIFE_RESTS for o in self.state.members.get(kind, ())]
        if not rests:
            raise _Blocked("there is no surface for the knife")
        self.put(home if home in rests else min(rests, key=self.state.distance))

    def take_slice(self, kind: str, home: str, other_than: str = "") -> str:
        """Pick up a piece. The old instance's name is gone: go by the place where it was cut."""
        if self.at != home:
            self.find(home)
        piece = self.in_front(kind)
        if piece is None or piece == other_than or self.state.type[piece] == kind:
            raise _Blocked("no further piece is in reach")
        self.pick(piece)
        return piece


def _treat(player: _Player, goal: Goal, choice: _Choice) -> None:
    """Clean, heat or cool what is held, and take it back."""
    members = player.state.members
    if goal.task_type == "pick_clean_then_place_in_recep":
        held = player.put(choice.basin)
        player.do("turn on the Faucet")
        player.do("turn off the Faucet")
    elif goal.task_type == "pick_heat_then_place_in_recep":
        held = player.put(members["Microwave"][0])
        for action in ("close", "turn on", "turn off", "open"):
            player.do(f"{action} the Microwave")
    elif goal.task_type == "pick_cool_then_place_in_recep":
        held = player.put(members["Fridge"][0])
        for action in ("close", "open"):
            player.do(f"{action} the Fridge")
    else:
        return
    player.pick(held)


def _play(player: _Player, goal: Goal, choice: _Choice) -> None:
    """The procedure of the goal's task type with the chosen instances."""
    home, thing = "", choice.thing
    if goal.object_sliced:
        home = player.cut(choice.thing, choice.knife)
        player.lay_down_knife(home)
        thing = player.take_slice(goal.object_target, home)
    else:
        thing = player.take(thing)
    if goal.toggle_target:
        player.do(f"find a {goal.toggle_target}")
        player.do(f"turn on the {goal.toggle_target}")
        return
    if choice.vessel:
        player.put(choice.vessel)
        player.pick(choice.vessel)
    _treat(player, goal, choice)
    player.put(choice.place)
    if goal.task_type == "pick_two_obj_and_place":
        if goal.object_sliced:
            player.take_slice(goal.object_target, home, other_than=thing)
        elif player.take(choice.second) == thing:
            raise _Blocked("the first one was picked up again")
        player.put(choice.place)


def solve(goal: Goal, scene: Scene) -> tuple[str, ...]:
    """Action names that meet ``goal`` from the reset of ``scene`` within `MAX_STEPS`.

    Raises:
        NoPlan: no choice of instances that was tried works out.
    """
    names = Names.of(scene)
    for choice in islice(_choices(goal, State.of(scene)), _MAX_CHOICES):
        player = _Player(scene, names)
        try:
            _play(player, goal, choice)
        except _Blocked:
            continue
        met, total = conditions(player.state, goal)
        if met == total and len(player.actions) <= MAX_STEPS:
            return tuple(player.actions)
    raise NoPlan(
        f"the expert finds no way to {goal.task_type} {goal.object_target} in {scene.id}.",
        hint="Choose another goal or another scene.",
    )
