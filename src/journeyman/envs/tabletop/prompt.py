"""What the tabletop tells every agent about itself: role, rules of the skills, what a place is."""

from __future__ import annotations

from journeyman.core.values import ActionLibrary
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS
from journeyman.envs.tabletop.skills import ACTIONS, PARAMETERS

ROLE = (
    "You are a robot arm with a suction gripper over a table. You are given an instruction, which "
    "may contain pictures, and you move the things on the table as it says."
)

RULES = f"""\
- PickPlace(pick_location, place_location): grip the topmost loose thing at pick_location and put it
  down so that the gripped point is at place_location. Its orientation stays.
- PickRotate(pick_location, angle_deg): grip the topmost loose thing at pick_location and turn it on
  the spot about that point by angle_deg degrees, clockwise seen from above; negative is
  counter-clockwise.
Locations are [x, y] in metres: x from {X_BOUNDS[0]:g} to {X_BOUNDS[1]:g}, growing downwards in the
top picture, y from {Y_BOUNDS[0]:g} to {Y_BOUNDS[1]:g}, growing to the right. Containers and bases
are fixed to the table. Where there is nothing to grip, nothing moves. Angles in instructions are
clockwise."""

EXECUTED = "The action was carried out."

LIBRARY = ActionLibrary(ACTIONS, ROLE, RULES, parameters=PARAMETERS)


def refused(why: str) -> str:
    """The feedback on an action that could not be read."""
    return f"The action was not carried out: {why}."


def seen(camera: Camera) -> str:
    """The observation's text: nothing of the scene, only how to read its pictures."""
    x, y = camera.to_world(0, 0)
    return (
        "The table is seen from above, and from the front in a second picture; see the pictures. "
        f"{WORKSPACE} In the top picture, {camera.height_px} pixels high and {camera.width_px} "
        f"wide, the pixel at (row, column) shows x = {x:.4f} + {camera.row_m:.6f} * row, "
        f"y = {y:.4f} + {camera.column_m:.6f} * column."
    )


WORKSPACE = (
    f"The workspace is x from {X_BOUNDS[0]:g} (upper edge) to {X_BOUNDS[1]:g} (lower edge) and "
    f"y from {Y_BOUNDS[0]:g} (left) to {Y_BOUNDS[1]:g} (right), in metres."
)
