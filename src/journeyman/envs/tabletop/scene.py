"""What lies on the table: shapes at poses, as values. Nothing here draws, samples or judges.

World coordinates are VIMA-Bench's: metres; x from 0.25 (far from the front camera's foot of the
table's picture, its upper edge) to 0.75, y from -0.5 (left) to 0.5 (right) in the top picture.
Yaw is counter-clockwise seen from above, in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

X_BOUNDS = (0.25, 0.75)
Y_BOUNDS = (-0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a body's centre is: ``x``, ``y`` in metres, ``yaw_deg`` in (-180, 180]."""

    x: float
    y: float
    yaw_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """A thing on the table.

    Attributes:
        id: Unique within its scene and stable through an episode; masks hold it. From 2 up: 0 is
            what lies outside, 1 the table.
        shape: A name in `shapes.SHAPES`.
        texture: A name in `textures.TEXTURES`.
        pose: Of its centre.
        size_m: Length of the longer side of the outline's box at yaw 0, metres.
        height_m: Thickness, metres.
        fixed: Cannot be picked or pushed (containers and bases).
        bottom_m: Height of its underside above the table, metres; above 0 where it lies on others.
    """

    id: int
    shape: str
    texture: str
    pose: Pose
    size_m: float
    height_m: float
    fixed: bool = False
    bottom_m: float = 0.0

    def at(self, pose: Pose, bottom_m: float = 0.0) -> Body:
        """The same thing elsewhere."""
        return replace(self, pose=pose, bottom_m=bottom_m)


@dataclass(frozen=True, slots=True)
class Light:
    """How a picture is lit and disturbed; the defaults are VIMA-Bench's even light.

    Attributes:
        gain: Brightness, 1.0 is even.
        slope: Change of brightness across the table's width, as a share of ``gain``.
        tint: Factor of each channel (red, green, blue).
        noise: Standard deviation of the pixel noise, of 255.
        seed: Of the noise.
    """

    gain: float = 1.0
    slope: float = 0.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """All bodies, in the order of their ids, and the light."""

    bodies: tuple[Body, ...]
    light: Light = Light()

    def body(self, body_id: int) -> Body:
        """The body with this id.

        Raises:
            KeyError: there is none.
        """
        for body in self.bodies:
            if body.id == body_id:
                return body
        raise KeyError(body_id)

    def moved(self, body: Body) -> Scene:
        """The scene with ``body`` in the place of the one of the same id."""
        return replace(self, bodies=tuple(body if b.id == body.id else b for b in self.bodies))
