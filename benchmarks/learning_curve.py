"""Success on held-out tasks against tasks seen (after ELITE, Figure 4).


    pip install matplotlib && python benchmarks/learning_curve.py [--seeds 5]

The memory is frozen after 0, 5, 10, ... episodes of each seed's run and evaluated on the whole
held-out set. The interval is a bootstrap clustered by task and by seed. Writes
docs/figures/learning.svg.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from journeyman import api
from journeyman.runs.spec import check_spec
from journeyman.studies import Interval, by_task, cluster_bootstrap

ENV, HELDOUT = "household/base-v0", "household/base-heldout-v0"
POINTS = (0, 2, 5, 10, 15, 20, 30, 40, 50)
Values = dict[tuple[str, int], float]


def curve(seeds: int, out: Path) -> dict[int, Values]:
    values: dict[int, Values] = {n: {} for n in POINTS}
    for seed in range(seeds):
        run = api.run_spec(check_spec({"env": (ENV,), "seed": seed}), out / f"base-v0-s{seed}")
        for n in POINTS:
            result = api.evaluate(run, HELDOUT, at=n)
            values[n].update(by_task(result.summaries, seed))
        run.close()
    return values


def interval(values: Values) -> Interval:
    keys = sorted(values)
    clusters = [[task for task, _ in keys], [seed for _, seed in keys]]
    return cluster_bootstrap([values[key] for key in keys], clusters)


def draw(points: list[tuple[int, float, Interval]], seeds: int, file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "journeyman"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.6))
    seen = [n for n, _, _ in points]
    axes.fill_between(
        seen, [100 * i.low for *_, i in points], [100 * i.high for *_, i in points], alpha=0.18
    )
    axes.plot(seen, [100 * rate for _, rate, _ in points], marker="o")
    axes.set(
        xlabel=f"tasks seen ({ENV})",
        ylabel="held-out success, %",
        ylim=(0, 100),
        title=f"Frozen memory on {HELDOUT}, stand-in, {seeds} seeds, 95 % interval",
    )
    axes.title.set_fontsize(10)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("runs/learning_curve"))
    parser.add_argument("--figure", type=Path, default=Path("docs/figures/learning.svg"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    points = []
    for n, values in curve(options.seeds, options.out).items():
        rate, band = sum(values.values()) / len(values), interval(values)
        points.append((n, rate, band))
        print(
            f"after {n:>2} tasks: {100 * rate:.1f} % [{100 * band.low:.1f}, {100 * band.high:.1f}]"
        )
    draw(points, options.seeds, options.figure)


if __name__ == "__main__":
    main()
