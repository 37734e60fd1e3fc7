"""The coarse plan and the plan: from a prompt's sections to a reply's fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from journeyman.core import seeding
from journeyman.models.standin.belief import FIND, believe
from journeyman.models.standin.grounding import Intent, ground
from journeyman.models.standin.household import class_phrase
from journeyman.models.standin.mind import mind_of
from journeyman.models.standin.procedures import plan
from journeyman.models.standin.profiles import Profile
from journeyman.models.standin.prompts import (
    actions_of,
    entries_of,
    instruction_of,
    steps_of,
    view_of,
)


def plan_reply(sections: Mapping[str, str], profile: Profile, seed: int) -> dict[str, Any]:
    """EmbodiedBench's planner reply."""
    names = actions_of(sections.get("Actions", ""))
    instruction = instruction_of(sections.get("Task", ""))
    steps = steps_of(sections.get("History", ""))
    view = view_of(sections.get("Observation", ""))
    lessons = entries_of(sections.get("Lessons from past tasks", ""))
    classes = frozenset(n.removeprefix(FIND) for n in names if n.startswith(FIND))
    intent = ground(instruction, classes)
    belief = believe(steps, view)
    mind = mind_of(profile, seed, instruction, intent, lessons, belief)
    failure = belief.failures[-1] if steps and not steps[-1].success else None
    actions = plan(intent, belief, view, names, mind)
    return {
        "visual_state_description": _seen(view.places, view.hand),
        "reasoning_and_reflection": _reasoning(
            intent, failure.message if failure else "", mind.heeded
        ),
        "language_plan": ", then ".join(actions) if actions else "The task is done.",
        "executable_plan": [{"action_id": names[a], "action_name": a} for a in actions],
    }


def _seen(places: Mapping[str, str], hand: str) -> str:
    held = f"I hold the {class_phrase(hand)}. " if hand else "My hand is empty. "
    if not places:
        return held + "Nothing else is told of the view."
    return held + "In view: " + ", ".join(list(places)[:6]) + "."


def _reasoning(intent: Intent, problem: str, heeded: tuple[str, ...]) -> str:
    parts = [f"This asks me to {_task(intent)}."]
    if problem:
        parts.append(f"The last action failed: {problem}")
    if heeded:
        parts.append(f"I go by {', '.join(heeded)}.")
    return " ".join(parts)


def _task(intent: Intent) -> str:
    thing = class_phrase(intent.thing[0]) if intent.thing else "something"
    thing = f"slice of {thing}" if intent.sliced else thing
    place = class_phrase(intent.place[0]) if intent.place else "its place"
    if intent.kind == "look":
        return f"look at the {thing} by a lamp"
    if intent.kind == "two":
        return f"bring two of the {thing} to the {place}"
    if intent.kind == "movable" and intent.vessel:
        return f"bring the {class_phrase(intent.vessel[0])} with the {thing} to the {place}"
    verb = {"clean": "clean the {}", "heat": "heat the {}", "cool": "cool the {}"}.get(intent.kind)
    return (
        f"{verb.format(thing)} and bring it to the {place}"
        if verb
        else (f"bring the {thing} to the {place}")
    )


_START = {
    "simple": (
        "Key objects: the {thing} and the {place}.",
        "The {thing} has to end up at the {place}.",
        "Involved are the {thing}, which moves, and the {place}, where it goes.",
    ),
    "two": (
        "Key objects: two of the {thing} and the {place}.",
        "Two instances of the {thing} have to end up together at the {place}.",
        "The same kind of object, the {thing}, is wanted twice at the {place}.",
    ),
    "movable": (
        "Key objects: the {thing}, the {vessel} that carries it, and the {place}.",
        "The {thing} has to travel in the {vessel} to the {place}.",
        "Two objects move as one: the {vessel} with the {thing} in it, to the {place}.",
    ),
    "look": (
        "Key objects: the {thing} and a {lamp}.",
        "The {thing} is to be examined by the light of a {lamp}.",
        "Looking at the {thing} needs a {lamp} that is lit.",
    ),
    "clean": (
        "Key objects: the {thing}, a sink with its faucet, and the {place}.",
        "The {thing} has to be washed and then brought to the {place}.",
        "Cleaning comes first: the {thing} goes to the water, later to the {place}.",
    ),
    "heat": (
        "Key objects: the {thing}, the microwave, and the {place}.",
        "The {thing} has to be heated and then brought to the {place}.",
        "Warming comes first: the {thing} goes to the microwave, later to the {place}.",
    ),
    "cool": (
        "Key objects: the {thing}, the fridge, and the {place}.",
        "The {thing} has to be chilled and then brought to the {place}.",
        "Cooling comes first: the {thing} goes to the fridge, later to the {place}.",
    ),
}
_MIDDLE = {
    "simple": (
        ("Locate the {thing} and take it.", "Carry it to the {place} and set it down."),
        ("Search for the {thing}, get hold of it.", "Transport it to the {place}."),
    ),
    "two": (
        ("Bring one {thing} to the {place}.", "Return for another one and bring that too."),
        ("Fetch the first {thing}, deliver it.", "Then fetch and deliver the second."),
    ),
    "movable": (
        ("Bring {thing} and {vessel} together.", "Take the loaded {vessel} to the {place}."),
        ("Combine the {thing} with the {vessel}.", "Deliver both at the {place}."),
    ),
    "look": (
        ("Get the {thing}.", "Light the {lamp} and inspect the {thing} there."),
        ("Find the {thing}, then the {lamp}.", "Switch the light on to study it."),
    ),
    "clean": (
        ("Get the {thing} and wash it at the sink.", "Bring the clean {thing} to the {place}."),
        ("Rinse the {thing} with running water.", "Put it away at the {place} afterwards."),
    ),
    "heat": (
        ("Get the {thing} and heat it in the microwave.", "Bring the hot {thing} to the {place}."),
        ("Warm the {thing} up with the microwave.", "Serve it at the {place} afterwards."),
    ),
    "cool": (
        ("Get the {thing} and cool it in the fridge.", "Bring the cold {thing} to the {place}."),
        ("Chill the {thing} with the fridge.", "Deliver it at the {place} afterwards."),
    ),
}
_CUTTING = (
    "A knife is needed, for it is a slice that is wanted.",
    "Cut the {thing} with a knife and go on with a slice.",
    "The {thing} must be sliced with a knife.",
)
_CARE = {
    "simple": ("Watch out: the place may not be ready to take things.", "Mind where it lies now."),
    "two": ("Watch out: both must count.", "Mind that two different trips are needed."),
    "movable": ("Watch out: they must arrive together.", "Mind that nothing is left behind."),
    "look": ("Watch out: the light must be on.", "Mind which lamp is meant."),
    "clean": ("Watch out: it must really get clean.", "Mind what the washing needs."),
    "heat": ("Watch out: it must really get hot.", "Mind how the appliance works."),
    "cool": ("Watch out: it must really get cold.", "Mind how the appliance works."),
}


def coarse_plan_reply(sections: Mapping[str, str], seed: int) -> dict[str, Any]:
    """Three to six bullets in procedural words, from the instruction alone."""
    instruction = instruction_of(sections.get("Task", ""))
    intent = ground(instruction)
    words = {
        "thing": class_phrase(intent.thing[0]) if intent.thing else "object",
        "place": class_phrase(intent.place[0]) if intent.place else "destination",
        "vessel": class_phrase(intent.vessel[0]) if intent.vessel else "vessel",
        "lamp": class_phrase(intent.lamp[0]) if intent.lamp else "lamp",
    }

    def one(options: tuple[Any, ...], about: str) -> Any:
        return options[seeding.digest("coarse plan", seed, instruction, about) % len(options)]

    bullets = [one(_START[intent.kind], "start")]
    if intent.sliced:
        bullets.append(one(_CUTTING, "cutting"))
    bullets += one(_MIDDLE[intent.kind], "middle")
    bullets.append(one(_CARE[intent.kind], "care"))
    return {"coarse_plan": [bullet.format(**words) for bullet in bullets]}
