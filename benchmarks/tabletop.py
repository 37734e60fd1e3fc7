"""The tabletop: its oracle on every episode, and its speed against the bars of the design.

    python benchmarks/tabletop.py            both
    python benchmarks/tabletop.py oracle     3600 episodes, success by task and level
    python benchmarks/tabletop.py speed      actions and resets a second, peak memory

CPU seconds of one process, so that other work on the machine does not count.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import resource
import sys
import time

from journeyman.core.values import Observation
from journeyman.envs.check import check_experts
from journeyman.envs.tabletop import TASKS, TabletopEnv
from journeyman.envs.tabletop.levels import LEVELS

TIMED = 60
"""Episodes of each task that are timed, spread over the levels."""


def oracle() -> None:
    print("task                         L1       L2       L3       limit oracle")
    for name in TASKS:
        env = TabletopEnv(f"tabletop/{name}-v0", steps="oracle")
        cells = []
        for level in LEVELS:
            results = check_experts(env, [task for task in env.tasks if task.subset == level])
            cells.append(f"{sum(r['success'] for r in results)}/{len(results)}")
            for result in results:
                if not result["success"]:
                    print(f"  {result['task']}: {result['reason']}")
        longest = max(len(task.demonstration or ()) for task in env.tasks)
        print(f"{name:<28} {'  '.join(cells)}  {env.max_steps}  longest demonstration {longest}")


def look(obs: Observation) -> None:
    """Draw both views with their masks."""
    for view in ("image", "front", "masks", "masks/front"):
        obs[view]


def speed() -> None:
    print("task                         actions/s  resets/s  with prompt  no picture: actions/s")
    totals: list[float] = [0, 0.0, 0, 0.0]
    for name in TASKS:
        env = TabletopEnv(f"tabletop/{name}-v0", masks=True)
        tasks = env.tasks[:: len(env.tasks) // TIMED]
        for task in tasks[:6]:  # code and textures are loaded
            look(env.reset(options={"task": task})[0])
        actions, acting, blind, resetting, prompting = 0, 0.0, 0.0, 0.0, 0.0
        for task in tasks:
            began = time.process_time()
            obs, _ = env.reset(options={"task": task})
            look(obs)
            resetting += time.process_time() - began
            began = time.process_time()
            _ = obs.prompt_pictures
            prompting += time.process_time() - began
            plan = [env.library().read(text) for text in task.demonstration or ()]
            for action in plan:
                began = time.process_time()
                obs, *_ = env.step(action)
                blind += time.process_time() - began
                look(obs)
                acting += time.process_time() - began
                actions += 1
        totals = [
            a + b for a, b in zip(totals, (actions, acting, len(tasks), resetting), strict=True)
        ]
        print(
            f"{name:<28} {actions / acting:9.0f} {len(tasks) / resetting:9.0f} "
            f"{len(tasks) / (resetting + prompting):12.0f} {actions / blind:22.0f}"
        )
    print(f"{'all (bars: 500, 200)':<28} {totals[0] / totals[1]:9.0f} {totals[2] / totals[3]:9.0f}")
    began = time.process_time()
    for name in TASKS:
        fresh = TabletopEnv(f"tabletop/{name}-v0", first_seed=5000)
        list(fresh.tasks)
    print(
        f"a task list of 600, scenes and demonstrations: {(time.process_time() - began) / 6:.2f} s"
    )
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory: {peak_kb / 1024:.0f} MB (bar 300)")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["oracle", "speed"]
    if "oracle" in wanted:
        oracle()
    if "speed" in wanted:
        speed()
