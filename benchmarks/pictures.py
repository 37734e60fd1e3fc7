"""How long the household's picture takes, 500 x 500 with the mask of instances.

    python benchmarks/pictures.py [--sheet FILE.png]

One core; the process pins the numeric libraries to one thread. The views are those that the expert
has in the base tasks, every fourth one. Also printed: what loading the renderer and the first look
cost, and steps a second of the environment when nobody looks. ``--sheet`` writes twelve views.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import statistics
import subprocess
import sys
import time

from journeyman.core.values import Observation
from journeyman.envs.household.env import HouseholdEnv
from journeyman.envs.household.simulator import Simulator

BAR_A_SECOND = 100
ROUNDS = 5

SHEET = {
    "kitchen": ("", "find a Apple", "find a Fridge; open the Fridge"),
    "living_room": ("", "find a Sofa", "find a FloorLamp; turn on the FloorLamp"),
    "bedroom": ("", "find a Bed", "find a Book; pick up the Book; find a Desk"),
    "bathroom": ("", "find a Sink", "find a Toilet"),
}


def views(env: HouseholdEnv) -> list[Simulator]:
    """Simulators stopped at moments of the expert's episodes."""
    stopped = []
    for task in env.tasks:
        for end in range(0, len(task.demonstration or ()) + 1, 4):
            simulator = Simulator(env.simulator.faults)
            simulator.reset(task.spec["scene"])
            for action in (task.demonstration or ())[:end]:
                simulator.execute(action)
            stopped.append(simulator)
    return stopped


def pictures(moments: list[Simulator]) -> None:
    from journeyman.envs.household.render import render

    began = time.perf_counter()
    for moment in moments:
        render(moment)
    cold = time.perf_counter() - began
    rounds = []
    least = [float("inf")] * len(moments)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for number, moment in enumerate(moments):
            start = time.perf_counter()
            render(moment)
            least[number] = min(least[number], time.perf_counter() - start)
        rounds.append(len(moments) / (time.perf_counter() - began))
    print(
        f"{len(moments)} views: {statistics.median(rounds):.0f} pictures/s (bar {BAR_A_SECOND}); "
        f"each view at its best {1000 * statistics.mean(least):.1f} ms, "
        f"the slowest {1000 * max(least):.1f} ms; first time {1000 * cold / len(moments):.1f} ms"
    )


def first_look() -> None:
    code = (
        "import time, sys\n"
        "from journeyman.envs.household.env import HouseholdEnv\n"
        "obs, _ = HouseholdEnv('household/base-v0').reset()\n"
        "began = time.perf_counter()\n"
        "import journeyman.envs.household.render\n"
        "loaded = time.perf_counter()\n"
        "obs['image']\n"
        "print(loaded - began, time.perf_counter() - loaded)\n"
    )
    times = []
    for _ in range(ROUNDS):
        out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        times.append([1000 * float(value) for value in out.stdout.split()])
    load, look = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"first look: {load:.0f} ms to load the renderer, {look:.0f} ms for the picture")


def steps() -> None:
    for name, env in (
        ("with pictures that nobody looks at", HouseholdEnv("household/base-v0")),
        ("without pictures", HouseholdEnv("household/base-v0", draw=None)),
    ):
        rates = []
        for _ in range(ROUNDS):
            count, acting = 0, 0.0
            for task in env.tasks:
                env.reset(options={"task": task})
                actions = [env.library().by_name[name] for name in task.demonstration or ()]
                began = time.perf_counter()
                for action in actions:
                    env.step(action)
                acting += time.perf_counter() - began
                count += len(actions)
            rates.append(count / acting)
        print(f"{name}: {statistics.median(rates):,.0f} steps/s (bar 20,000)")


def sheet(env: HouseholdEnv, path: str) -> None:
    from PIL import Image

    page = Image.new("RGB", (3 * 500, 4 * 500))
    for row, (room, shots) in enumerate(SHEET.items()):
        tasks = [task for task in env.tasks if task.spec["scene"].id == f"base-{room}-03"]
        for column, shot in enumerate(shots):
            obs: Observation = env.reset(options={"task": tasks[0]})[0]
            for action in filter(None, shot.split("; ")):
                obs = env.step(env.library().by_name[action])[0]
            page.paste(Image.fromarray(obs["image"]), (500 * column, 500 * row))
    page.save(path)
    print(f"wrote {path}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sheet", help="write a page of twelve views to this file and stop")
    asked = parser.parse_args()
    env = HouseholdEnv("household/base-v0")
    if asked.sheet:
        sheet(env, asked.sheet)
        return
    pictures(views(env))
    first_look()
    steps()


if __name__ == "__main__":
    main()
