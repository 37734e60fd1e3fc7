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

from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.render import TABLE, Picture, draw
from journeyman.envs.tabletop.tasks import TASKS
from journeyman.envs.tabletop.taskset import setup_of
from journeyman.models import load_segmenter
from journeyman.models.segmenters import Segmenter

LEAST_PX = 20
"""Smaller visible parts are no instances, at 128 x 256."""
SIZES = ((128, 256), (256, 512))
FIRST_SEED = 9000

Masks = NDArray[np.bool_]


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
    count: int, first_seed: int, difficulty: str, size: tuple[int, int]
) -> Iterator[tuple[str, Picture]]:
    """Task names and pictures, tasks and levels in turn, the seed rising by one each round."""
    kinds = list(product(LEVELS, TASKS))
    for number in range(count):
        level, task = kinds[number % len(kinds)]
        seed = first_seed + number // len(kinds)
        yield task, draw(setup_of(task, level, seed, difficulty).scene, Camera("top", *size))


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


def measure(
    segmenter: Segmenter, count: int, first_seed: int, difficulty: str, size: tuple[int, int]
) -> Score:
    score = Score()
    least_px = LEAST_PX * size[0] * size[1] // (128 * 256)
    for task, picture in scenes(count, first_seed, difficulty, size):
        before = time.process_time()
        found = segmenter.segment(picture.rgb).masks
        score.seconds.append(time.process_time() - before)
        overlaps = matched(truth(picture, least_px), found)
        score.pictures += 1
        score.overlaps += list(overlaps)
        score.by_task.setdefault(task, []).extend(overlaps)
        score.false += len(found) - int((overlaps > 0.5).sum())
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--segmenter", default="embedded")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    segmenter = load_segmenter(given.segmenter)
    for difficulty, size in (
        ("easy", SIZES[0]),
        ("easy", SIZES[1]),
        ("medium", SIZES[0]),
        ("hard", SIZES[0]),
    ):
        score = measure(segmenter, given.scenes, given.first_seed, difficulty, size)
        print(f"{difficulty:7s}{size[0]} x {size[1]}  {score.line()}")
        for task, overlaps in score.by_task.items():
            print(f"    {task:27s} {np.mean(overlaps):.3f} of {len(overlaps)}")


if __name__ == "__main__":
    main()
