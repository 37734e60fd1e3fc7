"""Does EEAgent get better, and is it what it wrote down that helps?

    python benchmarks/eeagent_effect.py [--seeds 5] [--tasks 60] [--jobs 2] [--out DIR]
        [--only rotate ...] [--model MODEL --base-url URL] [--figure FILE]

For each of VIMA-Bench's six tasks and each seed EEAgent learns online on ``--tasks`` episodes of
level L1; beside it, on the same episodes in the same order:

    vanilla      the same agent without memory, with as many trials (a deterministic model repeats
                 itself in them)
    nonsense     it learns, but is shown the letters of what it learnt mixed up: retries alone
    shuffled     it learns, but each module is shown what the other one learnt
    long-term    it learns, but is shown no suggestions: only principles
    ignoring     it learns, and its reader takes no notice (the stand-in only)

Success at the first trial and within the trials, EEAgent against each, paired by (episode, seed),
intervals clustered by both. Then each memory is frozen and evaluated on as many episodes of L2 and
of L3 (one trial, principles only) against no memory and the two controls, and on half as many of
L2 of each other task: lessons for something else. Everything is printed, whatever it is. The same
call goes on where it was stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any

from journeyman import api
from journeyman.core.errors import JourneymanError
from journeyman.envs.tabletop import TASKS
from journeyman.runs.spec import check_spec
from journeyman.studies import by_task, cluster_bootstrap, difference, outcomes

ARMS: dict[str, dict[str, Any]] = {
    "EEAgent": {},
    "vanilla": {"settings": {"strategy": "vanilla", "max_retries": 3}},
    "nonsense": {"settings": {"memory_control": "nonsense"}},
    "shuffled": {"settings": {"memory_control": "shuffled"}},
    "long-term": {"settings": {"short_term": False}},
    "ignoring": {"model": "stand-in-tabletop/ignores-lessons"},
}
FROZEN: dict[str, dict[str, Any]] = {
    "frozen EEAgent": {},
    "no memory": {"memory": False},
    "frozen nonsense": {"settings": {"memory_control": "nonsense"}},
    "frozen shuffled": {"settings": {"memory_control": "shuffled"}},
}
LEVELS = ("L2", "L3")
PARTS = 3
"""Of a run, over which success at the first trial is printed."""

Values = dict[tuple[str, int], float]
Lines = list[dict[str, Any]]


def cell(
    task: str, seed: int, others: Sequence[str], tasks: int, out: Path, model: Mapping[str, Any]
) -> dict[str, Lines]:
    """All arms of one task and seed, its memory met on ``others`` too: the summaries of each."""
    found: dict[str, Lines] = {}
    common = {"env": (f"tabletop/{task}-v0",), "seed": seed, "tasks": tasks, "level": "L1"}
    for arm, changes in ARMS.items():
        if model and "model" in changes:
            continue
        spec = check_spec({**common, "method": "eeagent", **model, **changes})
        run = api.run_spec(spec, out / f"{task}-{arm}-s{seed}")
        found[arm] = run.summaries
        if arm == "EEAgent":
            for level in LEVELS:
                for name, settings in FROZEN.items():
                    frozen = api.evaluate(run, level=level, tasks=tasks, **settings)
                    found[f"{name}, {level}"] = frozen.summaries
            for other in others:
                env, half = f"tabletop/{other}-v0", max(tasks // 2, 1)
                moved = api.evaluate(run, env, level=LEVELS[0], tasks=half)
                found[f"learnt for this, met {other}"] = moved.summaries
            kinds = [strategy.kind for strategy in run.memory.strategies]
            found["memory"] = [{"kind": kind} for kind in kinds]
        run.close()
    return found


def first_trials(lines: Lines) -> Lines:
    return [line for line in lines if line["trials"] <= 1]


def within(lines: Lines) -> Lines:
    return [dict(line) for line in outcomes(lines)]


Select = Callable[[Lines], Lines]


class Study:
    """The cells that were run, by task and seed."""

    def __init__(self, cells: Mapping[tuple[str, int], dict[str, Lines]]) -> None:
        self.cells = cells

    def values(self, arm: str, select: Select, tasks: Iterable[str] = TASKS) -> Values:
        found: Values = {}
        for (task, seed), arms in self.cells.items():
            if task in tasks:
                found.update(by_task(select(arms[arm]), seed))
        return found

    def seeds(self, arm: str, select: Select, task: str) -> list[float]:
        return [
            fmean(float(line["success"]) for line in select(arms[arm]))
            for (name, _), arms in self.cells.items()
            if name == task
        ]

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(task for task, _ in self.cells))

    @property
    def arms(self) -> list[str]:
        return [arm for arm in ARMS if arm in next(iter(self.cells.values()))]


def report(study: Study) -> None:
    for title, select in (("first trial", first_trials), ("within the trials", within)):
        print(f"\n## Success, {title}, online on L1: percent by arm")
        table(study, study.arms, select)
        for other in study.arms[1:]:
            print(f"\nEEAgent minus {other}, {title}, percentage points")
            against(study, "EEAgent", other, select)
    print("\n## EEAgent's first trial by part of the run, percent; vanilla beside it")
    for task in study.tasks:
        rows = [", ".join(f"{100 * v:.0f}" for v in parts(study, arm, task)) for arm in TWO]
        print(f"{task:<28}{rows[0]:>16}   vanilla {rows[1]:>16}")
    print("\n## By seed, first trial, percent")
    for task in study.tasks:
        for arm in TWO:
            by_seed = " ".join(f"{100 * v:.0f}" for v in study.seeds(arm, first_trials, task))
            print(f"{task:<28}{arm:<10}{by_seed}")
    for level in LEVELS:
        names = [f"{name}, {level}" for name in FROZEN]
        print(f"\n## Memory frozen after L1, {level}: one trial, principles only, percent")
        table(study, names, first_trials)
        for other in names[1:]:
            print(f"\n{names[0]} minus {other}, percentage points")
            against(study, names[0], other, first_trials)
    transfer(study)
    print("\n## Principles at the end, mean a module over seeds")
    for task in study.tasks:
        print(f"{task:<28}" + ", ".join(f"{kind} {n:.1f}" for kind, n in entries(study, task)))


def transfer(study: Study) -> None:
    """Frozen memories of one task (rows) on another (columns) against no memory there."""
    print(f"\n## Learnt on L1 of a row, met on {LEVELS[0]} of a column: points above no memory")
    print(f"{'':<28}" + "".join(f"{f'{n + 1}':>22}" for n in range(len(study.tasks))))
    for number, learnt in enumerate(study.tasks, start=1):
        row = []
        for met in study.tasks:
            moved: Values = {}
            for (task, seed), arms in study.cells.items():
                if task == learnt:
                    moved.update(by_task(arms[f"learnt for this, met {met}"], seed))
            there = study.values(f"no memory, {LEVELS[0]}", first_trials, (met,))
            d = difference(moved, there)
            low, high = 100 * d.interval.low, 100 * d.interval.high
            row.append(f"{100 * d.difference:+.1f} [{low:+.1f}, {high:+.1f}]")
        print(f"{number} {learnt:<26}" + "".join(f"{text:>22}" for text in row))


TWO = ("EEAgent", "vanilla")


def table(study: Study, arms: list[str], select: Select) -> None:
    print(f"{'task':<28}" + "".join(f"{arm.partition(',')[0]:>16}" for arm in arms))
    for task in [*study.tasks, "mean over tasks"]:
        chosen = study.tasks if task not in study.tasks else [task]
        rates = [
            fmean(fmean(study.values(arm, select, (name,)).values()) for name in chosen)
            for arm in arms
        ]
        print(f"{task:<28}" + "".join(f"{100 * rate:>16.1f}" for rate in rates))


def against(study: Study, one: str, other: str, select: Select) -> None:
    for task in [*study.tasks, "all"]:
        chosen = study.tasks if task == "all" else (task,)
        d = difference(study.values(one, select, chosen), study.values(other, select, chosen))
        low, high = 100 * d.interval.low, 100 * d.interval.high
        print(
            f"  {task:<28}{100 * d.difference:+6.1f} [{low:+.1f}, {high:+.1f}]  "
            f"{d.wins}/{d.losses}/{d.ties} won/lost/tied, p = {d.p_value:.4f}, {d.pairs} pairs"
        )


def parts(study: Study, arm: str, task: str) -> list[float]:
    """Success at the first trial in each part of the run, over the seeds."""
    runs = [first_trials(arms[arm]) for (name, _), arms in study.cells.items() if name == task]
    return [
        fmean(
            float(line["success"])
            for lines in runs
            for line in lines[len(lines) * n // PARTS : len(lines) * (n + 1) // PARTS]
        )
        for n in range(PARTS)
    ]


def entries(study: Study, task: str) -> list[tuple[str, float]]:
    memories = [arms["memory"] for (name, _), arms in study.cells.items() if name == task]
    kinds = ("interpreter_principle", "planner_principle")
    return [(k, fmean(sum(line["kind"] == k for line in m) for m in memories)) for k in kinds]


BARS: list[tuple[str, str, Select]] = [
    ("without memory", "vanilla", first_trials),
    ("principles of the other module", "shuffled", first_trials),
    ("EEAgent, first trial", "EEAgent", first_trials),
    ("EEAgent, within the trials", "EEAgent", within),
]


def draw(study: Study, file: Path) -> None:
    """Success by task and arm, with 95 % intervals clustered by episode and seed."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "journeyman"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 3.6))
    width = 0.8 / len(BARS)
    for number, (label, arm, select) in enumerate(BARS):
        rates, spans = [], []
        for task in study.tasks:
            values = study.values(arm, select, (task,))
            keys = sorted(values)
            clusters = [[name for name, _ in keys], [seed for _, seed in keys]]
            interval = cluster_bootstrap([values[key] for key in keys], clusters)
            rate = fmean(values.values())
            rates.append(100 * rate)
            spans.append((100 * (rate - interval.low), 100 * (interval.high - rate)))
        places = [n + width * (number - (len(BARS) - 1) / 2) for n in range(len(rates))]
        axes.bar(places, rates, width, label=label, color=COLOURS[number])
        axes.errorbar(places, rates, list(zip(*spans, strict=True)), fmt="none", **LINES)
    axes.set_xticks(range(len(study.tasks)), [task.replace("_", "\n") for task in study.tasks])
    axes.tick_params(axis="x", labelsize=8)
    axes.set(ylabel="success, %", ylim=(0, 108))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None})


COLOURS = ("#b8b8b8", "#d9b382", "#7fa8d1", "#2f6db5")
LINES: dict[str, Any] = {"ecolor": "#333333", "elinewidth": 0.8, "capsize": 2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/eeagent_effect"))
    parser.add_argument("--only", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    given = {"model": options.model, "base_url": options.base_url}
    model = {key: value for key, value in given.items() if value is not None}
    keys = [(task, seed) for seed in range(options.seeds) for task in options.only]
    cells = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        rest = (options.only, options.tasks, options.out, model)
        found = {key: pool.submit(cell, *key, *rest) for key in keys}
        for key, future in found.items():
            try:
                cells[key] = future.result()
            except JourneymanError as error:
                pool.shutdown(cancel_futures=True)
                parser.exit(2, f"{error}\n")
            print(f"{key[0]}, seed {key[1]}: done", flush=True)
    roles = api.load_roles(check_spec({"env": (f"tabletop/{options.only[0]}-v0",), **model}))
    print(f"model: {roles.default.id}; {options.seeds} seeds, {options.tasks} episodes each")
    study = Study(cells)
    report(study)
    if options.figure is not None:
        draw(study, options.figure)


if __name__ == "__main__":
    main()
