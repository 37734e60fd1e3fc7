"""How long the tabletop's pictures take, and sheets of shapes, textures and tasks to look at.

    python benchmarks/tabletop_pictures.py [--out FOLDER]

One core; the process pins the numeric libraries to one thread and times are of its processor. Both
views with masks, 128 x 256: a scene drawn again, after one body moved, and with every body new to
the renderer, as after a reset. ``--out`` writes the sheets as PNG files.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from journeyman.api import make
from journeyman.core import seeding
from journeyman.envs.tabletop import TASKS
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.raster import patch
from journeyman.envs.tabletop.render import draw, draw_object
from journeyman.envs.tabletop.scene import Body, Light, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.textures import TEXTURES, swatch

TOP, FRONT = Camera("top"), Camera("front")
PICTURES_A_ROW = 5
ROUNDS = 300
ENLARGED = 3
IN_SHEET = ("red", "yellow and blue polka dot", "green and purple stripe", "wooden", "blue paisley")

Image8 = NDArray[np.uint8]


def body(number: int, shape: str, texture: str, pose: Pose, bottom_m: float = 0.0) -> Body:
    cut = SHAPES[shape]
    fixed = cut.role == "base"
    return Body(number, shape, texture, pose, cut.size_m, cut.height_m, fixed, bottom_m)


def table(seed: int) -> Scene:
    """Five bodies: one lies in a bowl."""
    random = seeding.stream(seed, "benchmark")
    names = random.choice(list(TEXTURES), 5, replace=False)
    places = (("bowl", 0.36, -0.3), ("letter A", 0.36, -0.3), ("container", 0.4, 0.32))
    places += (("block", 0.6, -0.05), ("heart", 0.62, 0.2))
    return Scene(
        tuple(
            body(5 + k, shape, names[k], Pose(x, y, random.uniform(-180, 180)), 0.008 * (k == 1))
            for k, (shape, x, y) in enumerate(places)
        )
    )


def milliseconds(work: Callable[[int], object]) -> str:
    taken = []
    for number in range(ROUNDS):
        began = time.process_time()
        work(number)
        taken.append(1000 * (time.process_time() - began))
    return f"{statistics.median(taken):.2f} ms (least {min(taken):.2f})"


def timing() -> None:
    scene = table(0)

    def both(shown: Scene) -> None:
        draw(shown, TOP)
        draw(shown, FRONT)

    def moved(number: int) -> None:
        mover = scene.bodies[-1]
        both(scene.moved(mover.at(Pose(0.6 + number / 10_000, 0.2, number))))

    def fresh(number: int) -> None:
        patch.cache_clear()
        both(scene)

    def noisy(number: int) -> None:
        both(Scene(scene.bodies, Light(gain=0.9, slope=0.3, noise=6, seed=number)))

    def prompt(number: int) -> None:
        patch.cache_clear()
        draw_object("letter G", "tiger", TOP)

    both(scene)
    print("Both views of five bodies with masks, 128 x 256, processor time")
    print("  drawn again:             ", milliseconds(lambda number: both(scene)))
    print("  one body moved:          ", milliseconds(moved))
    print("  every body new:          ", milliseconds(fresh))
    print("  uneven light and noise:  ", milliseconds(noisy))
    print("Picture of one object, new:", milliseconds(prompt))
    began = time.process_time()
    swatch.cache_clear()
    for name in TEXTURES:
        swatch(name)
    print(f"All textures, once a process: {time.process_time() - began:.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"Peak memory: {peak:.0f} MB")


def enlarged(picture: Image8, times: int = ENLARGED) -> Image8:
    return picture.repeat(times, axis=0).repeat(times, axis=1)


def sheet(cells: list[tuple[str, Image8]], columns: int, file: Path) -> None:
    """The pictures, all of one size, in rows, each under its name."""
    height, width = cells[0][1].shape[:2]
    rows = -(-len(cells) // columns)
    page = Image.new("RGB", (columns * (width + 4), rows * (height + 16)), "white")
    pen = ImageDraw.Draw(page)
    for number, (name, picture) in enumerate(cells):
        x, y = (number % columns) * (width + 4), (number // columns) * (height + 16)
        pen.text((x + 2, y + 2), name, fill="black")
        page.paste(Image.fromarray(picture), (x, y + 16))
    page.save(file)
    print(f"wrote {file}")


def middle(picture: Image8) -> Image8:
    """The 64 x 64 pixels about the table's middle."""
    return enlarged(picture[32:96, 96:160])


def on_table(shape: str, texture: str, camera: Camera, yaw_deg: float) -> Image8:
    x = 0.5 if camera is TOP else 0.42
    return middle(draw(Scene((body(5, shape, texture, Pose(x, 0, yaw_deg)),)), camera).rgb)


def sheets(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    pictured = []
    for shape in SHAPES:
        pictured += [(shape, middle(draw_object(shape, IN_SHEET[0], TOP)))]
        pictured += [(name, on_table(shape, name, TOP, 90)) for name in IN_SHEET[1:3]]
        pictured += [(name, on_table(shape, name, FRONT, 60)) for name in IN_SHEET[3:]]
    sheet(pictured, 10, out / "shapes.png")
    for shape in ("round", "letter E", "block"):
        covered = [(name, on_table(shape, name, TOP, 30)) for name in TEXTURES]
        sheet(covered, 10, out / f"textures-{shape.replace(' ', '-')}.png")
    sheet([(name, enlarged(swatch(name)[::-1], 2)) for name in TEXTURES], 10, out / "swatches.png")
    lights = [Light(), Light(0.8, 0.6), Light(1.1, 0, (1, 0.85, 0.7)), Light(noise=12)]
    scenes = []
    for number, light in enumerate(lights):
        shown = Scene(table(number).bodies, light)
        for camera in (TOP, FRONT):
            scenes.append((f"{camera.name} {light}", enlarged(draw(shown, camera).rgb)))
    for name in ("top", "front"):
        large = draw(table(0), Camera(name, 128 * ENLARGED, 256 * ENLARGED))
        scenes.append((f"{name}, {ENLARGED} x the resolution", large.rgb))
    sheet(scenes, 2, out / "scenes.png")


def task_sheets(out: Path) -> None:
    """Each task at each level: the first two episodes with the pictures of their instructions."""
    for task in TASKS:
        cells = []
        env = make(f"tabletop/{task}-v0")
        for level in ("L1", "L2", "L3"):
            for shown in [t for t in env.tasks if t.subset == level][:2]:
                obs, _ = env.reset(options={"task": shown})
                row = [(f"{level} {shown.instruction[:78]}", obs["image"]), ("front", obs["front"])]
                row += [(name, picture) for name, picture in obs.prompt_pictures.items()]
                blank = np.full_like(row[0][1], 255)
                row += [("", blank)] * (PICTURES_A_ROW - len(row))
                cells += [(name, enlarged(picture, 2)) for name, picture in row]
        sheet(cells, PICTURES_A_ROW, out / f"task-{task}.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    timing()
    if options.out:
        sheets(options.out)
        task_sheets(options.out)


if __name__ == "__main__":
    main()
