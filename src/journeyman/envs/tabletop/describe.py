"""The scene's truth in words: for agents without eyes, and for people who study a run."""

from __future__ import annotations

from journeyman.envs.tabletop.kinematics import bodies_overlap, is_inside
from journeyman.envs.tabletop.prompt import WORKSPACE
from journeyman.envs.tabletop.scene import Body, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks import ObjectPicture, Setup
from journeyman.envs.tabletop.textures import TEXTURES


def describe(scene: Scene) -> str:
    """One line a thing, in the order of their ids: what it is, where, turned how, on what."""
    return "\n".join(f"- {_line(body, scene)}" for body in scene.bodies)


def describe_pictures(setup: Setup) -> str:
    """What each picture of the instruction shows, in words."""
    lines = []
    for name, shown in setup.pictures.items():
        if isinstance(shown, ObjectPicture):
            lines.append(f"{{{name}}} is a picture of a {called(shown.shape, shown.texture)}.")
        else:
            lines.append(f"{{{name}}} is a picture of a table with:\n{describe(shown)}")
    return "\n".join(lines)


def described(setup: Setup, scene: Scene) -> str:
    """The whole observation of the variant without pictures."""
    return (
        f"{WORKSPACE} Yaw is counter-clockwise seen from above.\n"
        f"On the table:\n{describe(scene)}\n{describe_pictures(setup)}"
    )


def called(shape: str, texture: str) -> str:
    return f"{TEXTURES[texture].words} {SHAPES[shape].words}"


def _line(body: Body, scene: Scene) -> str:
    pose = body.pose
    where = f"at [{pose.x:.3f}, {pose.y:.3f}], yaw {pose.yaw_deg:.0f} degrees"
    fixed = ", fixed" if body.fixed else ""
    return f"a {called(body.shape, body.texture)} {where}{fixed}{_support(body, scene)}"


def _support(body: Body, scene: Scene) -> str:
    """In or on what a loose thing lies; nothing where that is the table."""
    if body.fixed:
        return ""
    for other in scene.bodies:
        if other.id != body.id and SHAPES[other.shape].role == "base" and is_inside(body, other):
            preposition = "in" if SHAPES[other.shape].container else "on"
            return f", {preposition} the {called(other.shape, other.texture)}"
    for other in scene.bodies:
        top = other.bottom_m + other.height_m
        if other.id != body.id and abs(top - body.bottom_m) < 1e-6 and bodies_overlap(body, other):
            return f", on the {called(other.shape, other.texture)}"
    return ""
