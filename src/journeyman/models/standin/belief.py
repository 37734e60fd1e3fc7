"""What the stand-in believes of the running episode, from its history and what it sees now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from journeyman.models.standin.household import OPENABLE
from journeyman.models.standin.prompts import Step, View

_HIDDEN = re.compile(r"(\w+) is not visible .* in (\w+)")
_ABSENT = re.compile(r"Cannot find (\w+)")

FIND, PICK, OPEN, CLOSE = "find a ", "pick up the ", "open the ", "close the "
ON, OFF, SLICE = "turn on the ", "turn off the ", "slice the "
PUT, DROP = "put down the object in hand", "drop the object in hand"


def kind_of(name: str) -> str:
    """The class in a name: ``Cabinet_3`` gives ``Cabinet``."""
    return name.split("_")[0]


@dataclass
class Belief:
    """The episode so far, read from its steps.

    Attributes:
        hand: Class of what is held, or empty.
        target: What the last find named, while a put would still go there.
        at: What was found last.
        opened: Names of containers opened and not closed again.
        puts: (class, place name) of each thing put down, in order; place empty where dropped.
        picks: (class, what was found before) of each thing picked up, in order.
        washed, heated, cooled: Classes that were treated as the rules say.
        switched: (device, what was in hand) of each switching on, in order.
        closed: (container, what was in hand) of each closing, in order.
        sliced: Classes that were cut.
        hidden: Class to the place that the feedback said it is in.
        absent: Names and classes that could not be found.
        refused: Places where a put failed.
        clashes: Picks refused since the hand was full.
        failures: Steps that failed, in order.
        inside: Place name to the classes put there and not taken again.
    """

    hand: str = ""
    target: str = ""
    at: str = ""
    opened: set[str] = field(default_factory=set)
    puts: list[tuple[str, str]] = field(default_factory=list)
    picks: list[tuple[str, str]] = field(default_factory=list)
    washed: set[str] = field(default_factory=set)
    heated: set[str] = field(default_factory=set)
    cooled: set[str] = field(default_factory=set)
    switched: list[tuple[str, str]] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)
    sliced: set[str] = field(default_factory=set)
    hidden: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    clashes: int = 0
    failures: list[Step] = field(default_factory=list)
    inside: dict[str, set[str]] = field(default_factory=dict)

    def contents(self, kind: str) -> set[str]:
        """What was put into any place of a class."""
        found: set[str] = set()
        for name, things in self.inside.items():
            if kind_of(name) == kind:
                found |= things
        return found


def believe(steps: Sequence[Step], view: View | None = None) -> Belief:
    """Read ``steps`` in order."""
    belief = Belief()
    for step in steps:
        advance(belief, step)
    if view is not None and view.places:
        belief.hand = view.hand
    return belief


def advance(belief: Belief, step: Step) -> None:
    """Take one more step into account."""
    if step.success:
        _succeeded(belief, step.name)
    else:
        _failed(belief, step)
    if not (step.name == PUT or step.name.startswith((OPEN, FIND))):
        belief.target = ""


def _succeeded(belief: Belief, name: str) -> None:
    if name.startswith(FIND):
        belief.target = belief.at = name.removeprefix(FIND)
    elif name.startswith(PICK):
        thing = name.removeprefix(PICK)
        belief.hand = thing
        belief.picks.append((thing, belief.at))
        belief.hidden.pop(thing, None)
        for things in belief.inside.values():
            things.discard(thing)
    elif name in {PUT, DROP}:
        place = belief.target if name == PUT else ""
        belief.puts.append((belief.hand, place))
        if place:
            belief.inside.setdefault(place, set()).add(belief.hand)
        belief.hand = ""
        belief.target = ""
    elif name.startswith(OPEN):
        belief.opened.add(name.removeprefix(OPEN))
    elif name.startswith(CLOSE):
        container = name.removeprefix(CLOSE)
        belief.opened.discard(container)
        belief.closed.append((container, belief.hand))
        if kind_of(container) == "Fridge":
            belief.cooled |= belief.contents("Fridge")
    elif name.startswith(ON):
        device = name.removeprefix(ON)
        belief.switched.append((device, belief.hand))
        if device == "Faucet":
            belief.washed |= belief.contents("Sink")
        elif device == "Microwave":
            belief.heated |= belief.contents("Microwave")
    elif name.startswith(SLICE):
        belief.sliced.add(name.removeprefix(SLICE))


def _failed(belief: Belief, step: Step) -> None:
    belief.failures.append(step)
    message = step.message
    hidden = _HIDDEN.search(message)
    absent = _ABSENT.match(message)
    if hidden:
        belief.hidden[hidden[1]] = hidden[2]
    elif step.name.startswith(FIND) and absent:
        belief.absent.add(step.name.removeprefix(FIND))
        belief.at = ""
    elif absent:
        belief.absent.add(absent[1])
    elif message.startswith("Robot is currently holding"):
        belief.clashes += 1
    elif message.startswith("Putting the object on"):
        belief.refused.append(belief.target)
        if "dropped" in message:
            belief.puts.append((belief.hand, ""))
            belief.hand = ""
    elif message.startswith("Open action failed.") and "already open" in message:
        belief.opened.add(step.name.removeprefix(OPEN))
    if step.name.startswith(FIND):
        belief.target = ""


def seen_closed(view: View) -> Iterable[str]:
    """Closed containers in view, in order."""
    for name, state in view.places.items():
        if kind_of(name) in OPENABLE and state.startswith("closed"):
            yield name
