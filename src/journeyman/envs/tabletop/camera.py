"""The two cameras and their exact conversions between pixels and metres, both ways.

Pixels are counted from the upper left one, whose middle is (row 0, column 0). World axes are
those of `scene`. Both cameras are orthographic, as VIMA-Bench's are to within a pixel; other
resolutions see the same part of the world.

========  ==========================================================================
``top``   straight down; y = -0.510 + 0.003988 column, x = 0.249 + 0.003974 row at 128 x 256,
          whatever the height
``front`` from the side of large x, 45 degrees down; 3.977 mm a column, 5.624 mm of depth a row;
          a point at height z is seen where the table at x - z would be
========  ==========================================================================

Source: fitted to 63 block positions in pictures of VIMA-Bench (top), its camera's parameters
(front: aimed at x = 0.41, y = 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

from journeyman.core.values import GroundMap

NATIVE_HEIGHT_PX, NATIVE_WIDTH_PX = 128, 256


@dataclass(frozen=True, slots=True)
class Camera:
    """One view at one resolution."""

    name: Literal["top", "front"]
    height_px: int = NATIVE_HEIGHT_PX
    width_px: int = NATIVE_WIDTH_PX

    @property
    def column_m(self) -> float:
        """Metres of y that a column covers."""
        native = 0.003988 if self.name == "top" else 0.003977
        return native * NATIVE_WIDTH_PX / self.width_px

    @property
    def row_m(self) -> float:
        """Metres of x that a row covers on the table."""
        native = 0.003974 if self.name == "top" else 0.003977 * sqrt(2)
        return native * NATIVE_HEIGHT_PX / self.height_px

    @property
    def origin(self) -> tuple[float, float]:
        """(x, y) on the table of the middle of pixel (0, 0)."""
        if self.name == "top":
            x, y = 0.249 - 0.003974 / 2, -0.510 - 0.003988 / 2
        else:
            x, y = 0.41 - 64 * 0.003977 * sqrt(2), -128 * 0.003977
        return x + self.row_m / 2, y + self.column_m / 2

    @property
    def ground(self) -> GroundMap:
        """Where the pixels lie on the table."""
        (x, y) = self.origin
        return GroundMap(x, self.row_m, y, self.column_m)

    @property
    def lean(self) -> float:
        """Metres towards smaller x that a metre of height seems to move a point."""
        return 0.0 if self.name == "top" else 1.0

    def to_pixel(self, x: float, y: float, z: float = 0.0) -> tuple[float, float]:
        """(row, column) where the point is seen; whole numbers are the middles of pixels.

        Args:
            x: Metres, as y and z (height above the table). Points outside the picture give pixels
                outside it.
        """
        x0, y0 = self.origin
        return (x - self.lean * z - x0) / self.row_m, (y - y0) / self.column_m

    def to_world(self, row: float, col: float, z: float = 0.0) -> tuple[float, float]:
        """(x, y) in metres of the point at height z that is seen at the pixel."""
        x0, y0 = self.origin
        return x0 + row * self.row_m + self.lean * z, y0 + col * self.column_m
