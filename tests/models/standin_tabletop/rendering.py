"""Prompts as EEAgent renders them, filled in by hand, and pictures drawn by hand."""

import json

import numpy as np

from journeyman.core.messages import Image, Message
from journeyman.methods.eeagent.strategies import PACKAGE
from journeyman.methods.prompting import template
from journeyman.models.options import ModelOptions
from journeyman.models.standin_tabletop import StandInTabletop

RULES = "- PickPlace(pick_location, place_location)"


def model(profile="expert", seed=0):
    return StandInTabletop(f"stand-in-tabletop/{profile}", ModelOptions(seed=seed))


def rendered(name, **fields):
    base = {"principles": "(none)", "suggestions": "(none)", "thinking": "", "thoughts": ""}
    return template(PACKAGE, name).substitute({**base, **fields})


def answer(asked, text, pictures=()):
    parts = [text]
    for label, picture in pictures:
        parts += [label, Image(picture)]
    reply = asked.complete([Message("user", tuple(parts))])
    return json.loads(reply.text)


def plan(asked, instruction, environment, **memory):
    text = rendered(
        "plan",
        role="You are a robot arm.",
        rules=RULES,
        actions="- PickPlace",
        examples="(none)",
        instruction=instruction,
        environment=environment,
        **memory,
    )
    return answer(asked, text)["actions"]


def moves(actions):
    return [(a["arguments"]["pick_location"], a["arguments"]["place_location"]) for a in actions]


def match(asked, target, entities, *, tool="image_match", name="{object}", **memory):
    lines = [
        f"- Entity {number}: box [0, 0, 40, 40], location [0.5, 0.1], area 900"
        for number in range(1, len(entities) + 1)
    ]
    text = rendered(
        tool,
        instruction="Put the {object} into the {base}.",
        target=name,
        place="the environment",
        entities="\n".join(lines),
        **memory,
    )
    shown = [(f"Entity {number}:", picture) for number, picture in enumerate(entities, start=1)]
    if target is not None:
        shown.insert(0, (f"Target {name}:", target))
    return answer(asked, text, shown)


RED, YELLOW, BLUE, DARK_RED = (222, 48, 52), (244, 212, 52), (52, 110, 215), (120, 25, 28)


def square(colour, stripe=None, side=41, width=4, every=2):
    """A square on white, plain or with stripes, one in ``every``, of a second colour."""
    picture = np.full((side + 8, side + 8, 3), 255, np.uint8)
    inside = picture[4:-4, 4:-4]
    inside[:] = colour
    if stripe is not None:
        inside[(np.arange(side) // width) % every == 1] = stripe
    return picture


def disc(colour, radius=20):
    rows, columns = np.mgrid[: 2 * radius + 8, : 2 * radius + 8] - (radius + 3.5)
    picture = np.full((*rows.shape, 3), 255, np.uint8)
    picture[np.hypot(rows, columns) <= radius] = colour
    return picture


PUT = """Entities:
- Entity 1: box [0, 0, 9, 9], location [0.400, -0.300], area 600
- Entity 2: box [0, 0, 9, 9], location [0.600, 0.200], area 1400
Matches:
- {object} is Entity 1 at [0.400, -0.300], confidence 0.90
- {base} is Entity 2 at [0.600, 0.200], confidence 0.90
Interpretation: as matched."""

ORDER = """Entities:
- Entity 1: box [0, 0, 9, 9], location [0.375, -0.250], area 1400
- Entity 2: box [0, 0, 9, 9], location [0.375, 0.000], area 1400
- Entity 3: box [0, 0, 9, 9], location [0.625, 0.250], area 1400
Matches:
- {object} is Entity 1 at [0.375, -0.250], confidence 0.90
- {base_1} is Entity 2 at [0.375, 0.000], confidence 0.90
- {base_2} is Entity 3 at [0.625, 0.250], confidence 0.90
Interpretation: as matched."""
IN_ORDER = (
    "Put {object} into {base_1} then {base_2}. Finally restore it into its original container."
)

SCENE = """Entities:
- Entity 1: box [0, 0, 9, 9], location [0.400, -0.300], area 600
- Entity 2: box [0, 0, 9, 9], location [0.600, 0.200], area 600
- Entity 3: box [0, 0, 9, 9], location [0.510, 0.010], area 600
Matches:
- {scene/1} is Entity 1 at [0.400, -0.300], confidence 0.90; {scene} shows it at [0.500, 0.000]
- {scene/2} is Entity 2 at [0.600, 0.200], confidence 0.90; {scene} shows it at [0.350, 0.400]
Interpretation: as matched."""
RESTORE = "Rearrange objects to this setup {scene} and then restore."
