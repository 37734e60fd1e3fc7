"""How well the segmenter without weights finds what lies on the table, and how well pieces match.

    python benchmarks/segmenter.py [--scenes 100] [--first-seed 9000] [--segmenter embedded]

Scenes of all six tasks and levels L1 to L3 in turn, seen from above. Settings were chosen on seeds
5000 to 5099; the default seeds were used for nothing but the figures in benchmarks/README.md.
Times are of the process, numeric libraries on one thread.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from journeyman.core import seeding
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.env import TabletopEnv
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.oracle import demonstration
from journeyman.envs.tabletop.render import TABLE, Picture, draw, draw_object
from journeyman.envs.tabletop.scene import Body, Light, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks import TASKS
from journeyman.envs.tabletop.taskset import setup_of
from journeyman.envs.tabletop.textures import LOOKALIKES, TEXTURES
from journeyman.models import load_segmenter
from journeyman.models.descriptors import Weights, compare, describe, descriptor
from journeyman.models.segmenters import Segmenter

LEAST_PX = 20
"""Smaller visible parts are no instances, at 128 x 256."""
SIZES = ((128, 256), (256, 512))
FIRST_SEED = 9000

Masks = NDArray[np.bool_]
Size = tuple[int, int]


@dataclass
class Score:
    """Over all scenes looked at."""

    overlaps: list[float] = field(default_factory=list)
    by_task: dict[str, list[float]] = field(default_factory=dict)
    false: int = 0
    pictures: int = 0
    seconds: list[float] = field(default_factory=list)

    def line(self) -> str:
        found = np.array(self.overlaps)
        return (
            f"{self.pictures:4d} pictures {len(found):4d} things  mean IoU {found.mean():.3f}"
            f"  found {(found > 0.5).mean():.3f}  false masks {self.false / self.pictures:.2f}"
            f"  {1000 * np.median(self.seconds):6.1f} ms"
        )


def scenes(
    count: int, first_seed: int, difficulty: str, size: Size
) -> Iterator[tuple[str, Picture]]:
    """Task names and pictures, tasks and levels in turn, the seed rising by one each round."""
    kinds = list(product(LEVELS, TASKS))
    for number in range(count):
        level, task = kinds[number % len(kinds)]
        seed = first_seed + number // len(kinds)
        yield task, draw(setup_of(task, level, seed, difficulty).scene, Camera("top", *size))


def played(count: int, first_seed: int) -> Iterator[tuple[str, Picture]]:
    """As `scenes`, of the two tasks that put things into bases, after their demonstration."""
    kinds = list(product(LEVELS, ("visual_manipulation", "scene_understanding")))
    for number in range(count):
        level, task = kinds[number % len(kinds)]
        seed = first_seed + number // len(kinds)
        env = TabletopEnv(f"tabletop/{task}-v0", episodes=1, first_seed=seed)
        env.reset(options={"task": env.tasks[LEVELS.index(level)]})
        for action in demonstration(setup_of(task, level, seed)):
            env.step(action)
        yield task, draw(env.scene, Camera("top"))


def truth(picture: Picture, least_px: int) -> Masks:
    """Masks of what is visible, shape (N, H, W)."""
    ids = [k for k in np.unique(picture.masks) if k > TABLE]
    masks = [picture.masks == k for k in ids]
    return np.array([mask for mask in masks if mask.sum() >= least_px])


def matched(real: Masks, found: Masks) -> NDArray[np.float64]:
    """Intersection over union of each real mask with its own found one, the best pairs first."""
    overlaps = np.zeros(len(real))
    if not len(found):
        return overlaps
    a, b = real.reshape(len(real), -1).astype(float), found.reshape(len(found), -1).astype(float)
    shared = a @ b.T
    left = shared / (a.sum(1)[:, None] + b.sum(1)[None] - shared)
    for _ in range(min(left.shape)):
        i, j = np.unravel_index(left.argmax(), left.shape)
        if left[i, j] <= 0:
            break
        overlaps[i] = left[i, j]
        left[i], left[:, j] = -1, -1
    return overlaps


def measure(segmenter: Segmenter, pictures: Iterator[tuple[str, Picture]]) -> Score:
    score = Score()
    for task, picture in pictures:
        least_px = LEAST_PX * picture.masks.size // (128 * 256)
        before = time.process_time()
        found = segmenter.segment(picture.rgb).masks
        score.seconds.append(time.process_time() - before)
        overlaps = matched(truth(picture, least_px), found)
        score.pictures += 1
        score.overlaps += list(overlaps)
        score.by_task.setdefault(task, []).extend(overlaps)
        score.false += len(found) - int((overlaps > 0.5).sum())
    return score


ALIKE_SHAPES = (
    ("round", "hexagon", "pentagon", "flower", "ring"),
    ("letter A", "letter V", "letter R", "letter M", "triangle"),
    ("letter E", "letter G", "letter M", "letter T", "L-shaped block"),
    ("block", "diamond", "cross", "star", "heart"),
)
"""Shapes that are easily taken for one another."""
WEIGHINGS = {
    "colour only": Weights(1, 0, 0, 0),
    "outline only": Weights(0, 1, 0, 0),
    "texture only": Weights(0, 0, 1, 0),
    "size only": Weights(0, 0, 0, 1),
    "colour and outline": Weights(1, 1, 0, 0),
    "outline and texture": Weights(0, 1, 1, 0),
    "colour and texture": Weights(1, 0, 1, 0),
    "all alike": Weights(1, 1, 1, 1),
    "default": Weights(),
}


def eight(random: np.random.Generator, alike: bool) -> list[tuple[str, str]]:
    """Shape and texture of eight things, the wanted one first.

    Alike ones are up to four of its shape in look-alike textures, the others of its texture in
    shapes taken for its own; else all are drawn at random.
    """
    shapes = [name for name, shape in SHAPES.items() if shape.role == "dragged"]
    shape, texture = str(random.choice(shapes)), str(random.choice(list(TEXTURES)))
    if not alike:
        every = [pair for pair in product(shapes, TEXTURES) if pair != (shape, texture)]
        order = random.permutation(len(every))[:7]
        return [(shape, texture), *(every[k] for k in order)]
    textures = list(random.permutation(LOOKALIKES[texture]))[:4]
    near = [s for group in ALIKE_SHAPES if shape in group for s in group]
    others = [*random.permutation(near), *random.permutation(shapes)]
    different = [s for s in dict.fromkeys(others) if s != shape][: 7 - len(textures)]
    same_shape, same_texture = product([shape], textures), product(different, [texture])
    return [(shape, texture), *same_shape, *same_texture]


def eight_on_a_table(
    things: list[tuple[str, str]], random: np.random.Generator, light: Light
) -> Picture:
    bodies = []
    for k, (shape, texture) in enumerate(things):
        cut = SHAPES[shape]
        pose = Pose(0.375 + 0.25 * (k // 4), -0.375 + 0.25 * (k % 4), random.uniform(-180, 180))
        bodies.append(Body(2 + k, shape, texture, pose, cut.size_m, cut.height_m))
    return draw(Scene(tuple(bodies), light), Camera("top"))


def matching(
    segmenter: Segmenter, count: int, first_seed: int, alike: bool, hard_light: bool
) -> tuple[dict[str, list[bool]], dict[str, list[bool]]]:
    """How often the reference picture's own thing comes out nearest of eight, by weighing.

    Both pictures go through the segmenter. Also how often words say what was drawn.
    """
    right: dict[str, list[bool]] = {name: [] for name in WEIGHINGS}
    words: dict[str, list[bool]] = {"colour of plain things": [], "family of pattern": []}
    for seed in range(first_seed, first_seed + count):
        random = seeding.stream(seed, "matching", alike)
        things = eight(random, alike)
        light = Light(0.95, 0.15, (1.05, 0.95, 1.0), 6.0, seed) if hard_light else Light()
        picture = eight_on_a_table(things, random, light)
        shown = draw_object(*things[0], Camera("top"))
        [reference] = segmenter.segment(shown).masks[:1]
        wanted = descriptor(shown, reference)
        found = segmenter.segment(picture.rgb).masks
        real = np.array([picture.masks == 2 + k for k in range(8)])
        likenesses = []
        for mask in found:
            own = int((real & mask).sum((1, 2)).argmax())
            likenesses.append((own, compare(wanted, descriptor(picture.rgb, mask))))
            texture = TEXTURES[things[own][1]]
            said = describe(picture.rgb, mask)
            if texture.family == "plain":
                words["colour of plain things"].append(said.colours[0].word == texture.name)
            if texture.family in PATTERN_WORDS:
                right_word = said.pattern.word == PATTERN_WORDS[texture.family]
                words["family of pattern"].append(right_word)
        for name, weights in WEIGHINGS.items():
            best = max(likenesses, key=lambda pair: pair[1].weighed(weights), default=(-1, None))
            right[name].append(best[0] == 0)
    return right, words


PATTERN_WORDS = {
    "stripe": "striped",
    "polka dot": "dotted",
    "swirl": "swirled",
    "paisley": "paisley",
    "plain": "plain",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--segmenter", default="embedded")
    parser.add_argument("--only", choices=("segmenting", "matching"))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    segmenter = load_segmenter(given.segmenter)
    if given.only != "matching":
        for difficulty, size in KINDS:
            pictures = scenes(given.scenes, given.first_seed, difficulty, size)
            show(f"{difficulty}, {size[0]} x {size[1]}", measure(segmenter, pictures))
        pictures = played(given.scenes, given.first_seed)
        show("easy, after the demonstration", measure(segmenter, pictures))
    if given.only != "segmenting":
        show_matching(segmenter, given.scenes, given.first_seed)


KINDS = (("easy", SIZES[0]), ("easy", SIZES[1]), ("medium", SIZES[0]), ("hard", SIZES[0]))


def show(title: str, score: Score) -> None:
    print(f"{title:30s}{score.line()}", flush=True)
    for task, overlaps in score.by_task.items():
        print(f"    {task:27s} {np.mean(overlaps):.3f} of {len(overlaps)}")


def show_matching(segmenter: Segmenter, count: int, first_seed: int) -> None:
    columns = list(product((False, True), (False, True)))
    tables = [matching(segmenter, count, first_seed, *column) for column in columns]
    names = [f"{'alike' if a else 'easy'}, {'hard' if h else 'even'} light" for a, h in columns]
    print(f"one of eight, {count} pictures   " + "  ".join(names))
    for name in WEIGHINGS:
        cells = "  ".join(f"{np.mean(right[name]):16.3f}" for right, _ in tables)
        print(f"    {name:22s} {cells}")
    for name in tables[0][1]:
        cells = "  ".join(f"{np.mean(words[name]):16.3f}" for _, words in tables)
        print(f"    word: {name:22s} {cells}")


if __name__ == "__main__":
    main()
