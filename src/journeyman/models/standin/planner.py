"""One plan in the making: skills with what belongs to them, as far as the rules at work go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from journeyman.models.standin.belief import (
    CLOSE,
    DROP,
    FIND,
    OPEN,
    PICK,
    PUT,
    Belief,
    kind_of,
    seen_closed,
)
from journeyman.models.standin.grounding import Intent
from journeyman.models.standin.household import OPENABLE
from journeyman.models.standin.mind import Mind
from journeyman.models.standin.prompts import View

MOST_ACTIONS = 20
OUT_OF_ORDER = {
    "simple": 0.4,
    "two": 0.3,
    "movable": 0.25,
    "clean": 0.25,
    "heat": 0.25,
    "cool": 0.25,
}
"""Share of tasks, by kind, in which lacking ``find_before_put`` shows."""


@dataclass
class Planner:
    """Writes one plan; its belief runs ahead with the actions that it plans."""

    intent: Intent
    belief: Belief
    view: View
    names: Mapping[str, int]
    mind: Mind
    actions: list[str] = field(default_factory=list)
    stop: bool = False
    """Whether the plan should end here to look around."""

    # What may be done ------------------------------------------------------------------------

    def has(self, rule: str) -> bool:
        return rule in self.mind.rules

    def do(self, action: str) -> None:
        if action in self.names and not self.stop and len(self.actions) < MOST_ACTIONS:
            self.actions.append(action)

    def exists(self, name: str) -> bool:
        return FIND + name in self.names and name not in self.belief.absent

    def pick_class(self, candidates: tuple[str, ...]) -> str:
        """The likeliest candidate class that the action list has and that was not missing."""
        known = [c for c in candidates if FIND + c in self.names]
        there = [c for c in known if c not in self.belief.absent]
        return (there or known or [*candidates, ""])[0]

    def instances(self, kind: str) -> list[str]:
        """Names of a class in order: ``Cabinet``, ``Cabinet_2``, ..."""
        found = [kind] if FIND + kind in self.names else []
        number = 2
        while FIND + f"{kind}_{number}" in self.names:
            found.append(f"{kind}_{number}")
            number += 1
        return found

    # Skills with what belongs to them -----------------------------------------------------------

    def find(self, name: str) -> None:
        self.do(FIND + name)
        self.belief.at = self.belief.target = name

    def open(self, name: str) -> None:
        if name not in self.belief.opened:
            self.do(OPEN + name)
            self.belief.opened.add(name)

    def close(self, name: str) -> None:
        self.do(CLOSE + name)
        self.belief.opened.discard(name)

    def pick(self, kind: str) -> None:
        self.do(PICK + kind)
        self.belief.hand = kind
        self.belief.hidden.pop(kind, None)

    def take(self, kind: str, name: str = "") -> None:
        """Get a thing into the hand from wherever it is believed to be."""
        if self.belief.hand == kind:
            return
        if self.belief.hand:
            if self.has("one_at_a_time"):
                self.do(DROP)
            self.belief.hand = ""
        hidden = self.belief.hidden.get(kind, "")
        if hidden and any(t == kind and p == hidden for t, p in self.belief.puts):
            hidden = self.closed_in_view()  # told of the one that was put there
            name = "" if hidden else name
        left = next((p for p, things in self.belief.inside.items() if kind in things), "")
        if hidden:
            self.uncover(hidden)
        elif left and not name:
            self.uncover(left)
        else:
            self.find(name or self.nth(kind, 0))
        self.pick(kind)

    def closed_in_view(self) -> str:
        """A closed container in view that was not opened yet, or empty."""
        return next((n for n in seen_closed(self.view) if n not in self.belief.opened), "")

    def nth(self, kind: str, number: int) -> str:
        """The n-th instance name of a class that was not missing, or the last."""
        there = [n for n in self.instances(kind) if n not in self.belief.absent] or [kind]
        return there[min(number, len(there) - 1)]

    def uncover(self, container: str) -> None:
        """Go to where a thing is and, with the rule, open what hides it."""
        self.find(container)
        if kind_of(container) in OPENABLE and self.has("open_to_take"):
            self.open(container)

    def place(self, kind: str) -> str:
        """The instance to put into: the one used before, else the first that has not refused."""
        used = [p for _, p in self.belief.puts if kind_of(p) == kind]
        if used:
            return used[0]
        spent = {p for p in self.belief.refused if p in self.belief.opened or kind not in OPENABLE}
        names = self.instances(kind) or [kind]
        if not self.has("open_before_put"):
            spent = set()
        return next((n for n in names if n not in spent), names[0])

    def put(self, kind: str) -> None:
        """Bring what is held to a place of a class and put it down there."""
        name = self.place(kind)
        if self.out_of_order:
            self.do(PUT)
        else:
            self.find(name)
            if kind in OPENABLE and self.has("open_before_put"):
                self.open(name)
            self.do(PUT)
        self.belief.puts.append((self.belief.hand, name))
        self.belief.hand = ""

    @property
    def out_of_order(self) -> bool:
        """Whether it visits the place first and then thinks it need not go there again."""
        share = OUT_OF_ORDER.get(self.intent.kind, 0.0)
        return not self.has("find_before_put") and self.mind.chance("out of order") < share
