"""Pictures of the table with the mask of what is where, and the pictures in instructions.

The same scene gives the same bytes in every process. VIMA-Bench's look: a table of RGB
(47, 47, 47) amid (239, 239, 239), no arm; objects in instructions stand alone on white.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from journeyman.core import seeding
from journeyman.core.errors import JourneymanError
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.raster import patch, whole_pixels
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Body, Light, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES

TABLE_GREY, OUTSIDE_GREY, PAPER_GREY = 47, 239, 255
OUTSIDE, TABLE = 0, 1
"""What a mask holds where no body is."""
PROMPT_YAW_DEG = 90.0
TABLE_MIDDLE = (0.5, 0.0)
EVEN = Light()


class PictureError(JourneymanError):
    """A scene that cannot be drawn."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What a camera sees.

    Attributes:
        rgb: Shape (height, width, 3).
        masks: The id of the body seen at each pixel, `TABLE` or `OUTSIDE`; shape (height, width).
    """

    rgb: NDArray[np.uint8]
    masks: NDArray[np.uint8]


def draw(scene: Scene, camera: Camera) -> Picture:
    """The scene as the camera sees it, lit by the scene's light.

    Raises:
        PictureError: a body's id is not in 2 to 255.
        KeyError: a shape or texture that does not exist.
    """
    table = _empty_table(camera)
    picture = Picture(table.rgb.copy(), table.masks.copy())
    _place(scene.bodies, camera, picture)
    return Picture(lit(picture.rgb, scene.light, camera), picture.masks)


def draw_object(shape: str, texture: str, camera: Camera) -> NDArray[np.uint8]:
    """The picture of one object as instructions show it: alone, on white, upright for a reader.

    Returns:
        RGB, shape (height, width, 3), at the scale of the table's pictures.
    """
    cut = SHAPES[shape]
    pose = Pose(*TABLE_MIDDLE, PROMPT_YAW_DEG)
    body = Body(2, shape, texture, pose, cut.size_m, cut.height_m)
    size = (camera.height_px, camera.width_px)
    paper = Picture(np.full((*size, 3), PAPER_GREY, np.uint8), np.zeros(size, np.uint8))
    _place((body,), camera, paper)
    return paper.rgb


def _place(bodies: tuple[Body, ...], camera: Camera, picture: Picture) -> None:
    """Draw the bodies into the picture; at each pixel the highest is seen."""
    highest = np.zeros(picture.masks.shape, np.int16)
    pixels = whole_pixels(picture.rgb)
    for body in bodies:
        if not TABLE < body.id <= 255:
            raise PictureError(
                f"a mask holds body ids from 2 to 255, and {body.shape!r} has {body.id}."
                " Number the scene's bodies within that range."
            )
        piece = patch(body, camera)
        rows = slice(max(piece.row, 0), max(piece.row + piece.levels.shape[0], 0))
        cols = slice(max(piece.col, 0), max(piece.col + piece.levels.shape[1], 0))
        so_far = highest[rows, cols]
        part = (
            slice(rows.start - piece.row, rows.start - piece.row + so_far.shape[0]),
            slice(cols.start - piece.col, cols.start - piece.col + so_far.shape[1]),
        )
        seen = piece.levels[part] > so_far
        np.copyto(so_far, piece.levels[part], where=seen)
        np.copyto(picture.masks[rows, cols], np.uint8(body.id), where=seen)
        np.copyto(pixels[rows, cols], whole_pixels(piece.rgb)[part], where=seen)


@lru_cache(maxsize=8)
def _empty_table(camera: Camera) -> Picture:
    rows, cols = np.arange(camera.height_px), np.arange(camera.width_px)
    x0, y0 = camera.origin
    x, y = x0 + rows * camera.row_m, y0 + cols * camera.column_m
    inside_x = (x >= X_BOUNDS[0]) & (x <= X_BOUNDS[1])
    inside_y = (y >= Y_BOUNDS[0]) & (y <= Y_BOUNDS[1])
    on_table = inside_x[:, None] & inside_y[None, :]
    grey = np.where(on_table, np.uint8(TABLE_GREY), np.uint8(OUTSIDE_GREY))
    return Picture(
        np.repeat(grey[..., None], 3, axis=2),
        np.where(on_table, np.uint8(TABLE), np.uint8(OUTSIDE)),
    )


def lit(rgb: NDArray[np.uint8], light: Light, camera: Camera) -> NDArray[np.uint8]:
    """The picture under the light: gain, slope across the table, tint, then pixel noise.

    The middle of the table has brightness ``gain``, its left and right edges ``gain`` times
    1 - slope / 2 and 1 + slope / 2. Values are rounded and kept in 0 to 255. Noise is Gaussian,
    independent for each pixel, channel and camera, in 256 equally likely sizes: exact ones would
    take longer than the picture.
    """
    if light == EVEN:
        return rgb
    y = camera.origin[1] + np.arange(camera.width_px, dtype=np.float32) * camera.column_m
    across = light.gain * (1 + light.slope * y / (Y_BOUNDS[1] - Y_BOUNDS[0]))
    factor = np.outer(across, light.tint).astype(np.float32)
    shown = rgb * factor
    if light.noise:
        random = seeding.stream(light.seed, "picture noise", camera.name)
        chance = np.frombuffer(random.bytes(shown.size), np.uint8).reshape(shown.shape)
        shown += (_normal_quantiles() * np.float32(light.noise))[chance]
    np.rint(shown, out=shown)
    np.clip(shown, 0, 255, out=shown)
    return shown.astype(np.uint8)


@cache
def _normal_quantiles() -> NDArray[np.float32]:
    """256 equally likely values with the standard normal's shape, mean 0 and deviation 1."""
    values = np.array([NormalDist().inv_cdf((k + 0.5) / 256) for k in range(256)])
    quantiles: NDArray[np.float32] = (values / values.std()).astype(np.float32)
    return quantiles
