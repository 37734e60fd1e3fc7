"""What the household tells every agent about itself: role, rules of the skills, worked examples.

The words are ours; what they state is what EB-ALFRED's own prompt states. They describe the skills
and do not teach procedures, so that those remain to be learnt. The examples are for n-shot prompts
alone; their action ids are those of the static list, the same in every scene.
"""

from __future__ import annotations

import json
from functools import cache

from journeyman.envs.household.vocab import STATIC_ACTIONS

ROLE = (
    "You are a robot in a home. You are given an instruction and a list of actions, and you plan "
    "the actions that carry the instruction out, judging from what you see and from the feedback "
    "on earlier actions."
)

RULES = """\
- find: go to an object or a receptacle and face it. Its argument is the name to look for. It comes
  first whenever what you want to act on is not in front of you.
- pick up: take an object into the hand. Valid if the hand is empty, the object is close by and in
  view, and it is not shut inside a closed receptacle. It is chosen by class: of several instances
  the nearest one in view is taken.
- put down: put the object in hand into or onto the receptacle that you found last. Valid if you
  hold something, and the receptacle is close by, not closed, and has room. It must come right
  after finding that receptacle (opening it in between is allowed); otherwise the object is dropped.
- drop: let the object in hand fall where you stand. Valid if you hold something. Unlike put down,
  it does not aim at a receptacle.
- open: open a receptacle. Valid if it can be opened, is closed and is close by.
- close: close a receptacle. Valid if it can be closed, is open and is close by.
- turn on: switch a device on. Valid if it is off and close by.
- turn off: switch a device off. Valid if it is on and close by.
- slice: cut an object into slices. Valid if the object can be sliced and is close by.
Names such as Cabinet_2 tell several instances of a class apart; the bare name is the first one. The
hand holds one object at a time; a receptacle in hand brings along what is in it."""

_EXAMPLES: tuple[tuple[str, str, str, str], ...] = (
    (
        "Leave a pillow on the armchair.",
        "A bedroom; a pillow lies on the bed.",
        "The pillow has to get from where it is to the armchair. I carry it there.",
        "find a Pillow; pick up the Pillow; find a ArmChair; put down the object in hand",
    ),
    (
        "Store the fork in a drawer.",
        "A kitchen; cutlery lies on the counter and the drawers are shut.",
        "A closed drawer takes nothing, so it has to be open before the fork goes in.",
        "find a Fork; pick up the Fork; find a Drawer; open the Drawer; "
        "put down the object in hand; close the Drawer",
    ),
    (
        "Set a washed cup on the coffee maker.",
        "A kitchen; a cup stands on the table.",
        "The cup has to be rinsed under running water in the sink before it goes to its place.",
        "find a Cup; pick up the Cup; find a Sink; put down the object in hand; find a Faucet; "
        "turn on the Faucet; turn off the Faucet; find a Cup; pick up the Cup; "
        "find a CoffeeMachine; put down the object in hand",
    ),
    (
        "Look at the watch by the light of the standing lamp.",
        "A living room; a watch lies on the shelf, the lamp is off.",
        "I need the watch in hand and the lamp in view and lit.",
        "find a Watch; pick up the Watch; find a FloorLamp; turn on the FloorLamp",
    ),
    (
        "Bring a plate with a spoon on it to the side table.",
        "A kitchen; plate and spoon lie apart.",
        "First the spoon goes onto the plate, then I carry the plate with the spoon.",
        "find a Spoon; pick up the Spoon; find a Plate; put down the object in hand; "
        "pick up the Plate; find a SideTable; put down the object in hand",
    ),
    (
        "Put a slice of cold tomato in the sink.",
        "A kitchen; a knife and a tomato lie on the counter.",
        "I cut the tomato, chill one slice in the closed fridge, and take it to the sink.",
        "find a Tomato; slice the Tomato; pick up the Tomato; find a Fridge; open the Fridge; "
        "put down the object in hand; close the Fridge; open the Fridge; find a Tomato; "
        "pick up the Tomato; close the Fridge; find a Sink; put down the object in hand",
    ),
)


@cache
def examples() -> tuple[str, ...]:
    """Worked examples in the benchmark's reply format, one instruction and one reply each."""
    return tuple(_example(*parts) for parts in _EXAMPLES)


def _example(instruction: str, seen: str, reasoning: str, actions: str) -> str:
    names = actions.split("; ")
    plan = [{"action_id": STATIC_ACTIONS.index(name), "action_name": name} for name in names]
    reply = {
        "visual_state_description": seen,
        "reasoning_and_reflection": reasoning,
        "language_plan": ", then ".join(names),
        "executable_plan": plan,
    }
    return f"Instruction: {instruction}\n{json.dumps(reply)}"
