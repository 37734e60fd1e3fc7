"""ELITE's ablations online (after Figures 2 and 3), with the stand-in.

    python benchmarks/ablations.py [--seeds 5]

Each variant learns online on the same tasks in the same order for each seed. Success and task
progress of the whole run, against full ELITE, paired by (task, seed).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from journeyman import api
from journeyman.runs.spec import check_spec
from journeyman.studies import by_task, difference

VARIANTS: dict[str, dict[str, object]] = {
    "ELITE": {},
    "w/o IAR (all strategies)": {"settings": {"retriever": "all"}},
    "w/o CC (append)": {"settings": {"consolidator": "append"}},
    "TF-IDF, strategy content": {"settings": {"retriever": "content_tfidf"}},
    "TF-IDF, instruction": {"settings": {"retriever": "instruction_tfidf"}},
    "random": {"settings": {"retriever": "random"}},
    "base model": {"method": "base"},
}
Values = dict[tuple[str, int], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("runs/ablations"))
    options = parser.parse_args()
    for env in ("household/base-v0", "household/long_horizon-v0"):
        table(env, options.seeds, options.out)


def table(env: str, seeds: int, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    success: dict[str, Values] = {name: {} for name in VARIANTS}
    progress: dict[str, Values] = {name: {} for name in VARIANTS}
    entries: dict[str, list[int]] = {name: [] for name in VARIANTS}
    for number, (name, changes) in enumerate(VARIANTS.items()):
        for seed in range(seeds):
            spec = check_spec({"env": (env,), "seed": seed, **changes})
            run = api.run_spec(spec, out / f"{env.rpartition('/')[2]}-{number}-s{seed}")
            success[name].update(by_task(run.summaries, seed))
            progress[name].update(by_task(run.summaries, seed, "task_progress"))
            entries[name].append(len(run.memory.strategies))
            run.close()
    print(f"\n{env}, online, {seeds} seeds")
    print(f"{'variant':<28}{'success':>8}{'progress':>9}{'entries':>8}   ELITE minus variant")
    for name in VARIANTS:
        d = difference(success["ELITE"], success[name])
        mean_entries = sum(entries[name]) / seeds
        print(
            f"{name:<28}{100 * d.mean_b:>8.1f}{100 * mean(progress[name]):>9.1f}"
            f"{mean_entries:>8.1f}   {100 * d.difference:+.1f} "
            f"[{100 * d.interval.low:+.1f}, {100 * d.interval.high:+.1f}], p = {d.p_value:.3f}"
        )


def mean(values: Values) -> float:
    return sum(values.values()) / len(values)


if __name__ == "__main__":
    main()
