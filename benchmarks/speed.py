"""Speed against the bars of the design: environment, loop, imports.

    python benchmarks/speed.py

One core; the process pins the numeric libraries to one thread. Medians of several rounds.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from journeyman import api
from journeyman.core.events import Events
from journeyman.core.messages import Completion, Message
from journeyman.learning import Identity, evaluate
from journeyman.methods.baselines.base import BaseModel

ROUNDS = 5


class AtOnce:
    """A model that answers at once: the expert's next actions as a plan."""

    id = "at-once"
    sees_images = False

    def __init__(self) -> None:
        self.reply = ""

    def complete(
        self, messages: Sequence[Message], *, schema: object = None, tools: object = ()
    ) -> Completion:
        return Completion(self.reply)


def environment(name: str, data: str | None = None) -> None:
    env = api.make(name, data=data)
    tasks = [task for task in env.tasks if task.demonstration]
    resets, steps = [], []
    for _ in range(ROUNDS):
        count, acting, resetting = 0, 0.0, 0.0
        for task in tasks:
            began = time.perf_counter()
            env.reset(seed=0, options={"task": task})
            resetting += time.perf_counter() - began
            by_name = env.library().by_name
            actions = [by_name[name] for name in task.demonstration or ()]
            began = time.perf_counter()
            for action in actions:
                env.step(action)
            acting += time.perf_counter() - began
            count += len(actions)
        steps.append(count / acting)
        resets.append(1000 * resetting / len(tasks))
    print(f"{name}: {statistics.median(steps):,.0f} steps/s (bar 20,000), ", end="")
    print(f"reset {statistics.median(resets):.2f} ms (bar 5)")


def loop() -> None:
    env = api.make("household/base-v0")
    model = AtOnce()
    method = BaseModel(model)
    overheads = []
    for _ in range(ROUNDS):
        steps, began = 0, time.perf_counter()
        for task in env.tasks:
            env.reset(seed=0, options={"task": task})
            by_name = env.library().by_name
            plan = [{"action_id": by_name[name].id} for name in task.demonstration or ()]
            model.reply = json.dumps(
                {"reasoning_and_reflection": "", "language_plan": "", "executable_plan": plan}
            )
            evaluate([(env, task)], method, api.NoMemory(), Events(), Identity())
            steps += len(plan)
        overheads.append(1000 * (time.perf_counter() - began) / steps)
    print(
        f"loop, a model that answers at once: {statistics.median(overheads):.2f} ms a step (bar 2)"
    )


def wall(command: Sequence[str]) -> float:
    took = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        took.append(time.perf_counter() - began)
    return statistics.median(took[1:])


def imports() -> None:
    bare = wall([sys.executable, "-c", "pass"])
    ours = wall([sys.executable, "-c", "import journeyman"])
    helped = wall([sys.executable, "-m", "journeyman", "--help"])
    print(f"import journeyman: {ours - bare:.3f} s over a bare interpreter (bar 0.1)")
    print(f"journeyman --help: {helped:.3f} s in all (bar 0.3)")


def learning() -> None:
    import tempfile

    for threads in ({}, {"OMP_NUM_THREADS": "1"}):
        took = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-m", "journeyman", "learn", "--out", f"{folder}/run"],
                    check=True,
                    capture_output=True,
                    env={**os.environ, **threads},
                )
                took.append(time.perf_counter() - began)
        print(f"journeyman learn, 50 tasks: {statistics.median(took):.1f} s in all (bar 10)")


def main() -> None:
    sections: list[Callable[[], None]] = [
        lambda: environment("household/base-v0"),
        lambda: environment("household/long_horizon-v0"),
        loop,
        imports,
        learning,
    ]
    for section in sections:
        section()


if __name__ == "__main__":
    main()
