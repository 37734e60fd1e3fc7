"""Things that look otherwise when open or on, and those whose size their module decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from journeyman.envs.household.furniture import MODULES
from journeyman.envs.household.render.placing import Cell
from journeyman.envs.household.render.solids import Part, Shape, block, box, cylinder, turned

CABINET = Cell(-0.3, 0.3, -0.35, 0.35, -0.25, 0.25)
DRAWER = Cell(-0.25, 0.25, -0.1, 0.1, -0.25, 0.25)
"""The cells of those of no known module."""

DRAWN_OUT_M = 0.33
"""How far an open drawer comes out; what is in it comes with it."""

_DOOR_OPEN_DEG = 110


def _shell(cell: Cell, colour: str, wall: float = 0.02, *, lid: bool = True) -> Shape:
    """A box without its front."""
    x0, x1, y0, y1, z0, z1 = cell.sides
    sides = (
        block(x0, x0 + wall, y0, y1, z0, z1, colour),
        block(x1 - wall, x1, y0, y1, z0, z1, colour),
        block(x0, x1, y0, y0 + wall, z0, z1, colour),
        block(x0, x1, y0, y1, z0, z0 + wall, colour),
    )
    return (*sides, block(x0, x1, y1 - wall, y1, z0, z1, colour)) if lid else sides


def _swung(parts: Shape, x: float, z: float, angle_deg: float) -> Shape:
    """Parts turned towards the front about the upright line through (x, z), as a door is."""
    sine, cosine = np.sin(np.radians(angle_deg)), np.cos(np.radians(angle_deg))
    turn = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    return tuple(Part(p.moved(-x, 0, -z).quads @ turn, p.colour).moved(x, 0, z) for p in parts)


def _hinged(cell: Cell, opened: bool, colour: str, inside: str, shelves: Sequence[float]) -> Shape:
    """A container whose door hangs on the side of low x: solid while closed, hollow while open."""
    x0, x1, y0, y1, z0, z1 = cell.sides
    middle, tall = (y0 + y1) / 2, min(0.25, (y1 - y0) / 2)
    low, high = middle - tall / 2, middle + tall / 2
    door = (
        block(x0 + 0.012, x1 - 0.012, y0 + 0.012, y1 - 0.012, z1, z1 + 0.02, colour),
        block(x1 - 0.07, x1 - 0.05, low, high, z1 + 0.02, z1 + 0.045, "steel"),
    )
    if not opened:
        return (block(x0, x1, y0, y1, z0, z1, colour), *door)
    boards = (block(x0, x1, y - 0.015, y, z0, z1 - 0.02, inside) for y in shelves)
    return (*_shell(cell, inside), *boards, *_swung(door, x0, z1, _DOOR_OPEN_DEG))


def cabinet(cell: Cell, opened: bool) -> Shape:
    return _hinged(cell, opened, "own", "oak", (cabinet_level(cell),))


def cabinet_level(cell: Cell) -> float:
    """The height at which things lie: on the bottom, in a wardrobe on a shelf half-way up."""
    return 0.0 if cell.y_high - cell.y_low > 1.0 else cell.y_low + 0.02


def drawer(cell: Cell, opened: bool) -> Shape:
    x0, x1, y0, y1, z0, z1 = cell.sides
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    front = (
        block(x0 + 0.012, x1 - 0.012, y0 + 0.012, y1 - 0.012, z1, z1 + 0.02),
        block(x - 0.06, x + 0.06, y - 0.01, y + 0.01, z1 + 0.02, z1 + 0.045, "steel"),
    )
    if not opened:
        return (block(x0, x1, y0, y1, z0, z1), *front)
    tray = Cell(x0 + 0.03, x1 - 0.03, y0 + 0.02, y1 - 0.04, z1 - 0.45, z1)
    parts = (*_shell(tray, "oak", lid=False), *front)
    return (*_shell(cell, "own"), *(part.moved(0, 0, DRAWN_OUT_M) for part in parts))


def drawer_level(cell: Cell) -> float:
    """The height at which things lie in a drawer."""
    return cell.y_low + 0.04


def fridge(opened: bool) -> Shape:
    cell = Cell(-0.44, 0.44, 0.03, 1.75, -0.38, 0.36)
    return _hinged(cell, opened, "white", "ice", (0.5, 0.9, 1.3))


def safe(opened: bool) -> Shape:
    body = _hinged(Cell(-0.22, 0.22, -0.2, 0.24, -0.2, 0.18), opened, "iron", "grey", ())
    dial = turned((0.05, 0), (0.04, 0.03), colour="steel", y=0.02, z=0.2, axis="z")
    return body if opened else (*body, dial)


def microwave(opened: bool, on: bool) -> Shape:
    body = _hinged(Cell(-0.22, 0.13, -0.1, 0.17, -0.17, 0.14), opened, "steel", "grey", ())
    pane = block(-0.19, 0.07, -0.06, 0.13, 0.145, 0.163, "glow" if on else "black")
    panel = (
        block(0.13, 0.22, -0.1, 0.17, -0.17, 0.15, "black"),
        block(0.145, 0.205, 0.1, 0.14, 0.15, 0.154, "glow" if on else "screen"),
        box(0.05, 0.03, 0.01, "grey", x=0.175, y=-0.06, z=0.15),
    )
    return (*body, *panel) if opened else (*body, *panel, pane)


def cardboard_box(opened: bool) -> Shape:
    cell = Cell(-0.15, 0.15, 0, 0.2, -0.12, 0.12)
    if not opened:
        return (block(*cell.sides, "card"), box(0.3, 0.004, 0.05, "tan", y=0.2))
    return (
        *_shell(cell, "card", 0.01, lid=False),
        block(-0.15, 0.15, 0, 0.2, 0.11, 0.12, "card"),
        block(-0.25, -0.15, 0.19, 0.2, -0.12, 0.12, "tan"),
        block(0.15, 0.25, 0.19, 0.2, -0.12, 0.12, "tan"),
    )


def laptop(opened: bool) -> Shape:
    base = box(0.34, 0.02, 0.24, "steel")
    if not opened:
        return (base, box(0.34, 0.012, 0.24, "iron", y=0.021))
    return (
        base,
        box(0.3, 0.003, 0.12, "black", y=0.02, z=-0.02),
        block(-0.17, 0.17, 0.02, 0.24, -0.12, -0.108, "iron"),
        block(-0.155, 0.155, 0.035, 0.225, -0.108, -0.105, "screen"),
    )


def lamp(height: float, on: bool) -> Shape:
    """A foot, a pole and a shade: a desk lamp or a floor lamp."""
    wide = 0.12 if height < 1 else 0.2
    rings = ((wide, height - 1.4 * wide), (0.6 * wide, height))
    return (
        cylinder(0.8 * wide, 0.025, "iron"),
        cylinder(0.015, height - 0.7 * wide, "iron", sides=6),
        turned(*rings, colour="glow" if on else "shade", sides=10),
    )


def faucet(on: bool) -> Shape:
    """A spout over the basin, from the faucet's position; water runs as a column."""
    spout = (
        box(0.05, 0.28, 0.05, "chrome", y=-0.08),
        block(-0.02, 0.02, 0.17, 0.21, 0, 0.2, "chrome"),
        block(-0.02, 0.02, 0.12, 0.2, 0.16, 0.2, "chrome"),
        box(0.16, 0.03, 0.03, "chrome", y=-0.02),
    )
    water = turned((0.014, -0.27), (0.014, 0.12), colour="water", z=0.18, sides=6)
    return (*spout, water) if on else spout


def countertop(module: str) -> Shape:
    """The slab of a counter; an island, or a counter of no known module, has a body too."""
    if module == "vanity":
        return (block(-0.55, 0.62, -0.03, 0.05, -0.3, 0.3, "marble"),)
    known = MODULES.get(module)
    width, depth = (known.width, known.depth) if known else (1.3, 0.65)
    slab = box(width, 0.08, depth, "marble", y=-0.03)
    if known and module != "island":
        return (slab,)
    return (slab, box(width - 0.1, 0.9, depth - 0.1, "cream", y=-0.93))


def sink(module: str) -> Shape:
    """A slab with a hole and the basin in it, from the sink's position."""
    half, back, front, slab = {
        "sink": (0.45, -0.32, 0.33, "marble"),
        "vanity": (0.425, -0.3, 0.3, "marble"),
    }.get(module, (0.4, -0.28, 0.27, "porcelain"))
    middle = -0.025 if module == "vanity" else 0.0
    x0, x1 = middle - half, middle + half
    basin = "steel" if module == "sink" else "porcelain"
    return (
        block(x0, -0.28, -0.03, 0.07, back, front, slab),
        block(0.28, x1, -0.03, 0.07, back, front, slab),
        block(-0.28, 0.28, -0.03, 0.07, back, -0.17, slab),
        block(-0.28, 0.28, -0.03, 0.07, 0.2, front, slab),
        *_shell(Cell(-0.28, 0.28, -0.17, 0.08, -0.18, 0.2), basin, lid=False),
        block(-0.28, 0.28, -0.17, 0.07, 0.18, 0.2, basin),
        block(x0, x1, -0.25, -0.03, front - 0.05, front - 0.03, "cream"),
    )
