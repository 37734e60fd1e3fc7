"""The EEAgent paper's Table I, Table II and Figure 4, for the model at hand.

    python benchmarks/eeagent_tables.py [--table strategies|segmenters|models] [--levels L1 L2 L3]
        [--tasks 20] [--seeds 1] [--env tabletop|tabletop-medium|vimabench] [--jobs 2] [--out DIR]
        [--model MODEL ... --base-url URL] [--segmenter sam-huge] [--temperature 0.7]

    strategies   Table I's lower part: vanilla, CoT, the three self-consistencies, EEAgent
    segmenters   Table II's lower part: EEAgent with SAM base, large and huge (extra [hf])
    models       Table II's upper part: EEAgent with each ``--model``

The six tasks are columns; the levels are run apart, each with fresh memory (Figure 4), and a last
block has their mean. Success counts within the trials for EEAgent, as in the paper; its first
trial is a row of its own. What the paper does not print is decided here: the number of episodes,
five samples at temperature 0.7 for self-consistency (0 elsewhere), and an average that is the mean
of the row's cells (the printed one differs from that in four rows).

The paper's figures are GPT-4o's with SAM huge on VIMA-Bench. This prints them under the table only
for real models; the stand-in's compare with nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any

from journeyman import api
from journeyman.core.errors import JourneymanError
from journeyman.envs.tabletop import TASKS
from journeyman.runs.spec import check_spec
from journeyman.studies import by_task, difference, outcomes, wilson

SAMPLED = ("sc_voting", "sc_select", "sc_reflect")
STRATEGIES = ("vanilla", "cot", *SAMPLED, "lstro")
SEGMENTERS = ("sam-base", "sam-large", "sam-huge")
PAPER: dict[str, dict[str, tuple[float, ...]]] = {
    "strategies": {
        "vanilla": (89.2, 90.8, 98.3, 76.2, 74.5, 81.8),
        "cot": (91.7, 92.8, 99.2, 82.5, 80.0, 88.3),
        "sc_voting": (90.5, 93.0, 98.8, 83.3, 81.2, 87.7),
        "sc_select": (91.2, 93.7, 99.2, 82.8, 80.5, 88.3),
        "sc_reflect": (90.8, 92.5, 99.0, 82.7, 79.8, 87.2),
        "lstro": (94.3, 94.2, 99.3, 87.2, 84.8, 93.2),
    },
    "segmenters": {
        "sam-base": (80.2, 80.7, 86.5, 73.2, 72.8, 66.8),
        "sam-large": (88.3, 89.5, 96.2, 84.7, 82.2, 87.5),
        "sam-huge": (94.3, 94.2, 99.3, 87.2, 84.8, 93.2),
    },
    "models": {
        "LLaVA-v1.5 (7B)": (80.5, 79.7, 84.2, 75.2, 71.5, 69.2),
        "Qwen2-VL (70B)": (85.0, 84.2, 88.2, 80.5, 76.8, 78.7),
        "Gemini 1.5 Pro": (93.7, 94.0, 98.8, 88.2, 85.2, 91.8),
        "GPT-4o": (94.3, 94.2, 99.3, 87.2, 84.8, 93.2),
    },
}

Cell = tuple[str, str, str, int]
"""Row, level, task, seed."""


def rows(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What differs from row to row, by the row's name."""
    models = options.model or [None]
    given = {"model": models[0], "base_url": options.base_url, "method": "eeagent"}
    common = {key: value for key, value in given.items() if value is not None}
    own = {"segmenter": options.segmenter}
    if options.table == "models":
        named = [model for model in models if model is not None]
        return {model: {**common, "model": model, "settings": own} for model in named}
    if options.table == "segmenters":
        return {name: {**common, "settings": {"segmenter": name}} for name in options.segmenters}
    return {
        name: {
            **common,
            "settings": {**own, "strategy": name},
            **({"temperature": options.temperature} if name in SAMPLED else {}),
        }
        for name in options.strategies
    }


Values = dict[tuple[str, int], float]
Found = Mapping[Cell, tuple[Values, Values]]


def run(
    cell: Cell, changes: Mapping[str, Any], options: argparse.Namespace
) -> tuple[Values, Values]:
    """The cell's successes by episode and seed, within the trials and at the first."""
    row, level, task, seed = cell
    env = f"{options.env}/{task}" + ("" if options.env == "vimabench" else "-v0")
    spec = check_spec(
        {"env": (env,), "level": level, "tasks": options.tasks, "seed": seed, **changes}
    )
    name = "-".join([row.replace("/", "_"), options.env, level, task, f"s{seed}"])
    done = api.run_spec(spec, options.out / name)
    lines = done.summaries
    done.close()
    first = [line for line in lines if line["trials"] <= 1]
    return by_task(outcomes(lines), seed), by_task(first, seed)


def show(found: Found, options: argparse.Namespace) -> None:
    names = list(dict.fromkeys(row for row, *_ in found))
    for level in [*options.levels, "mean over levels"]:
        levels = [level] if level in options.levels else options.levels
        print(f"\n{level}: success, percent [95 % over all episodes, Wilson]")
        print(f"{'':<24}" + "".join(f"{f'task {n}':>8}" for n in range(1, 7)) + f"{'avg':>8}")
        for name in names:
            within, first = (by_column(found, name, levels, which) for which in (0, 1))
            print_row(name, within)
            if first != within:
                print_row(f"{name}, first trial", first)


def by_column(found: Found, name: str, levels: Sequence[str], which: int) -> list[Values]:
    """The successes of one row by task, in the order of the paper's columns."""
    columns: dict[str, Values] = {task: {} for task in TASKS}
    for (row, level, task, _), values in found.items():
        if row == name and level in levels:
            columns[task].update(values[which])
    return list(columns.values())


def show_pairs(found: Found, levels: Sequence[str]) -> None:
    """EEAgent against vanilla on the same episodes, all levels."""
    print("\nlstro minus vanilla, points, paired; intervals clustered by episode and seed")
    for which, label in ((1, "first trial"), (0, "within the trials")):
        one, other = (by_column(found, name, levels, which) for name in ("lstro", "vanilla"))
        every = [
            {k: v for column in columns for k, v in column.items()} for columns in (one, other)
        ]
        pairs = [*zip(TASKS, one, other, strict=True), ("all", *every)]
        for task, a, b in pairs:
            d = difference(a, b)
            low, high = 100 * d.interval.low, 100 * d.interval.high
            print(
                f"  {label:<18}{task:<28}{100 * d.difference:+6.1f} [{low:+.1f}, {high:+.1f}]  "
                f"{d.wins}/{d.losses}/{d.ties} won/lost/tied, {d.pairs} pairs"
            )


def print_row(label: str, columns: Sequence[Values]) -> None:
    every = [value for column in columns for value in column.values()]
    interval = wilson(round(sum(every)), len(every))
    print(
        f"{label:<24}{line([100 * fmean(column.values()) for column in columns])}"
        f"   [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
    )


def line(values: list[float]) -> str:
    return "".join(f"{value:>8.1f}" for value in [*values, fmean(values)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", choices=PAPER, default="strategies")
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=STRATEGIES)
    parser.add_argument("--segmenters", nargs="+", default=SEGMENTERS)
    parser.add_argument("--levels", nargs="+", default=["L1", "L2", "L3"])
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--env", default="tabletop")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/eeagent_tables"))
    parser.add_argument("--model", nargs="+")
    parser.add_argument("--base-url")
    parser.add_argument("--segmenter", default="embedded", help="of the other two tables")
    parser.add_argument("--temperature", type=float, default=0.7)
    options = parser.parse_args()
    if options.table == "models" and not options.model:
        parser.error("--table models needs --model, one or more")
    options.out.mkdir(parents=True, exist_ok=True)
    changes = rows(options)
    cells = [
        (row, level, task, seed)
        for seed in range(options.seeds)
        for level in options.levels
        for task in TASKS
        for row in changes
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        asked = {cell: pool.submit(run, cell, changes[cell[0]], options) for cell in cells}
        try:
            found = {cell: future.result() for cell, future in asked.items()}
        except JourneymanError as error:
            pool.shutdown(cancel_futures=True)
            parser.exit(2, f"{error}\n")
    print(f"{options.env}, {options.tasks} episodes a task, level and seed, {options.seeds} seeds")
    show(found, options)
    if {"lstro", "vanilla"} <= set(changes):
        show_pairs(found, options.levels)
    if options.model:
        print("\nThe paper's (GPT-4o and SAM huge unless said otherwise, VIMA-Bench)")
        for name, values in PAPER[options.table].items():
            print(f"{name:<24}" + line(list(values)))


if __name__ == "__main__":
    main()
