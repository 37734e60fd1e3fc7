"""The README's animation: one held-out task without memory and with what was learnt elsewhere.

    python benchmarks/animation.py [--seed 0] [--task ID] [--out runs/animation]

Learns on household/base-v0, evaluates on the held-out set with and without memory, and draws, side
by side, what the agent saw on a task that only the memory solves. Writes docs/figures/episode.gif.
"""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from journeyman import api
from journeyman.core.episode import Episode
from journeyman.runs.spec import check_spec

HELDOUT = "household/base-heldout-v0"
SIZE, GAP, HEAD, FOOT = 300, 12, 54, 58


def scenes(episode: Episode, task_id: str) -> list[tuple[Image.Image, str]]:
    """What the agent saw and what it did, step by step, by acting again."""
    env = api.make(HELDOUT)
    task = next(task for task in env.tasks if task.id == task_id)
    obs, _ = env.reset(seed=0, options={"task": task})
    shown = [(picture(obs), "")]
    for step in episode.trajectory.steps:
        obs, *_ = env.step(step.action)
        mark = "" if step.success else "  (invalid)"
        shown.append((picture(obs), f"{step.action.name}{mark}"))
    solved = episode.trajectory.success
    shown.append((shown[-1][0], "task solved" if solved else "believes it is done: failed"))
    return shown


def clumsiness(summary: dict[str, object]) -> tuple[int, int]:
    """A showable episode has no invalid actions and about nine steps."""
    return int(str(summary["invalid_actions"])), abs(int(str(summary["steps"])) - 9)


def picture(obs: object) -> Image.Image:
    return Image.fromarray(obs["image"]).resize((SIZE, SIZE))  # type: ignore[index]


def frame(title: str, sides: list[tuple[str, Image.Image, str]]) -> Image.Image:
    width = 2 * SIZE + 3 * GAP
    canvas = Image.new("RGB", (width, HEAD + SIZE + FOOT), "white")
    draw, font = ImageDraw.Draw(canvas), ImageFont.load_default(15)
    draw.text((GAP, 8), title, fill="black", font=font)
    for column, (head, image, caption) in enumerate(sides):
        left = GAP + column * (SIZE + GAP)
        draw.text((left, 32), head, fill="#555555", font=font)
        canvas.paste(image, (left, HEAD))
        for row, line in enumerate(textwrap.wrap(caption, 38)[:2]):
            draw.text((left, HEAD + SIZE + 8 + 20 * row), line, fill="black", font=font)
    return canvas


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--task", help="A held-out task; the first that fits where left out.")
    parser.add_argument("--out", type=Path, default=Path("runs/animation"))
    parser.add_argument("--figure", type=Path, default=Path("docs/figures/episode.gif"))
    options = parser.parse_args()
    run = api.run_spec(check_spec({"seed": options.seed}), options.out / f"s{options.seed}")
    with_memory = api.evaluate(run, HELDOUT)
    without = api.evaluate(run, HELDOUT, memory=False)
    pairs = [
        (a["number"], a["task"])
        for a, b in zip(with_memory.summaries, without.summaries, strict=True)
        if a["success"] and not b["success"] and options.task in (None, a["task"])
    ]
    number, task_id = min(pairs, key=lambda pair: clumsiness(with_memory.summaries[pair[0]]))
    left = scenes(without.episodes[number], task_id)
    right = scenes(with_memory.episodes[number], task_id)
    title = with_memory.summaries[number]["instruction"]
    frames = []
    for index in range(max(len(left), len(right))):
        sides = [
            (head, *side[min(index, len(side) - 1)])
            for head, side in (("without memory", left), ("with what it learnt", right))
        ]
        frames.append(frame(title, sides).quantize(64))
    options.figure.parent.mkdir(parents=True, exist_ok=True)
    frames[0].save(
        options.figure,
        save_all=True,
        append_images=frames[1:],
        duration=[1200] * (len(frames) - 1) + [4000],
        loop=0,
        optimize=True,
    )
    print(f"{task_id}: {title} ({len(frames)} frames, {options.figure.stat().st_size // 1024} KB)")
    run.close()


if __name__ == "__main__":
    main()
