"""The two skills, their arguments, and the pair of poses beneath them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from journeyman.core.values import Action
from journeyman.envs.tabletop.kinematics import Point
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS

MAX_ANGLE_DEG = 360.0

PICK_PLACE = Action(0, "PickPlace")
PICK_ROTATE = Action(1, "PickRotate")
ACTIONS = (PICK_PLACE, PICK_ROTATE)

_LOCATION: Mapping[str, Any] = {
    "type": "array",
    "prefixItems": [
        {"type": "number", "minimum": X_BOUNDS[0], "maximum": X_BOUNDS[1]},
        {"type": "number", "minimum": Y_BOUNDS[0], "maximum": Y_BOUNDS[1]},
    ],
    "minItems": 2,
    "maxItems": 2,
}
_ANGLE: Mapping[str, Any] = {
    "type": "number",
    "minimum": -MAX_ANGLE_DEG,
    "maximum": MAX_ANGLE_DEG,
}


def _schema(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    PICK_PLACE.name: _schema(
        pick_location={**_LOCATION, "description": "[x, y] in metres where to grip"},
        place_location={**_LOCATION, "description": "[x, y] in metres where to put it down"},
    ),
    PICK_ROTATE.name: _schema(
        pick_location={**_LOCATION, "description": "[x, y] in metres where to grip"},
        angle_deg={**_ANGLE, "description": "degrees to turn by, clockwise seen from above"},
    ),
}
"""JSON schema of each skill's arguments."""


class BadArguments(Exception):
    """Why an action cannot be carried out, as a sentence for the agent."""


@dataclass(frozen=True, slots=True)
class PickPlace:
    """What the tool does: grip at ``pick``, put down at ``place``, turned counter-clockwise."""

    pick: Point
    place: Point
    turn_deg: float = 0.0


def read(action: Action | int) -> PickPlace:
    """What an action of the library asks for; its id counts, not its name.

    Raises:
        BadArguments: unknown skill; arguments missing, unknown, of another type or out of range.
    """
    number = action.id if isinstance(action, Action) else action
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(ACTIONS):
        raise BadArguments(
            f"there is no skill with id {_shown(number)}; there are "
            + " and ".join(f"{skill.id} ({skill.name})" for skill in ACTIONS)
        )
    skill = ACTIONS[number]
    given = action.arguments if isinstance(action, Action) else {}
    wanted = PARAMETERS[skill.name]["required"]
    for name in wanted:
        if name not in given:
            raise BadArguments(f"{skill.name} needs {name}")
    for name in given:
        if name not in wanted:
            raise BadArguments(
                f"{skill.name} has no argument {_shown(name)}; it has {' and '.join(wanted)}"
            )
    pick = location("pick_location", given["pick_location"])
    if skill == PICK_ROTATE:
        angle_deg = number_within(
            "angle_deg", given["angle_deg"], (-MAX_ANGLE_DEG, MAX_ANGLE_DEG), "degrees"
        )
        return PickPlace(pick, pick, -angle_deg)
    return PickPlace(pick, location("place_location", given["place_location"]))


def location(name: str, given: Any) -> Point:
    """``given`` as a point of the workspace.

    Raises:
        BadArguments: it is none.
    """
    listed = _listed(given)
    if listed is None or len(listed) != 2:
        raise BadArguments(f"{name} has to be a list of two numbers, [x, y]")
    x = number_within(f"x of {name}", listed[0], X_BOUNDS, "metres")
    return x, number_within(f"y of {name}", listed[1], Y_BOUNDS, "metres")


def number_within(name: str, given: Any, bounds: tuple[float, float], unit: str) -> float:
    """``given`` as a finite number within ``bounds``, both included.

    Raises:
        BadArguments: it is none.
    """
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise BadArguments(f"{name} has to be a number")
    low, high = bounds
    if not low <= given <= high:  # false for NaN as well
        raise BadArguments(f"{name} has to be from {low:g} to {high:g} {unit}".rstrip())
    return float(given)


def yaw_deg(name: str, rotation_xyzw: Any) -> float:
    """The turn about the vertical axis of a quaternion, degrees; the only part that counts.

    Raises:
        BadArguments: it is no quaternion of numbers in [-1, 1], or of length 0.
    """
    listed = _listed(rotation_xyzw)
    if listed is None or len(listed) != 4:
        raise BadArguments(f"{name} has to be a list of four numbers, [x, y, z, w]")
    x, y, z, w = (number_within(f"each of {name}", part, (-1.0, 1.0), "") for part in listed)
    if math.hypot(x, y, z, w) < 1e-6:
        raise BadArguments(f"{name} must not be of length 0")
    return math.degrees(math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z))


def _listed(given: Any) -> Sequence[Any] | None:
    """``given`` as a list, arrays included; None where it is none."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    return given if isinstance(given, list | tuple) else None


def _shown(text: object) -> str:
    return " ".join(str(text).split())[:40]
