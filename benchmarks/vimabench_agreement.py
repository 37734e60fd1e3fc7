"""Whether the tabletop and the real VIMA-Bench agree: the same scenes and actions in both.

Scenes of a checkout are read out and rebuilt as scenes of the tabletop; then actions that a
sensible agent, or one that errs, might take are carried out in both. Compared after every action:
success and failure, and where everything lies. The same process measures both's speed.

    python benchmarks/vimabench_agreement.py --vimabench DIR [--rows FILE] [--rounds 1]

``--rows`` keeps what was measured, an episode a line, and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from journeyman.core.seeding import stream
from journeyman.envs.adapters.vimabench import VimaBenchEnv
from journeyman.envs.adapters.vimabench.episodes import seed_of
from journeyman.envs.adapters.vimabench.rebuilt import scene_now, setup_of
from journeyman.envs.adapters.vimabench.simulation import Simulation
from journeyman.envs.tabletop import TASKS, TabletopEnv
from journeyman.envs.tabletop.judging import Record
from journeyman.envs.tabletop.kinematics import angle_between_deg, distance_m
from journeyman.envs.tabletop.levels import LEVELS
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Body, Pose, Scene
from journeyman.envs.tabletop.skills import PickPlace
from journeyman.envs.tabletop.tasks import Setup

FREE_M = 0.19
"""Centres of other things are at least so far from a place that counts as empty."""

WITHIN_M = 0.01


@dataclass
class Situation:
    """What an action is chosen from: the episode, where things lie, and random numbers."""

    setup: Setup
    scene: Scene
    random: np.random.Generator

    def goal(self, index: int) -> tuple[Body, Pose]:
        goal = self.setup.goals[index]
        return self.scene.body(goal.body), goal.pose

    @property
    def distractor(self) -> Body | None:
        """A distractor that can be moved."""
        loose = [self.scene.body(i) for i in self.setup.distractors]
        return next((body for body in loose if not body.fixed), None)

    def free(self) -> tuple[float, float]:
        """A place in the workspace, far from everything and from every goal."""
        taken = [body.pose for body in self.scene.bodies] + [g.pose for g in self.setup.goals]
        best = (0.0, (0.5, 0.0))
        for _ in range(400):
            x = float(self.random.uniform(X_BOUNDS[0] + 0.03, X_BOUNDS[1] - 0.03))
            y = float(self.random.uniform(Y_BOUNDS[0] + 0.03, Y_BOUNDS[1] - 0.03))
            least = min(math.hypot(x - pose.x, y - pose.y) for pose in taken)
            best = max(best, (least, (x, y)))
            if least >= FREE_M:
                break
        return best[1]


Choice = Callable[[Situation], "PickPlace | None"]
"""Chooses an action; None where the episode has no room for it."""


def carry(body: Body, to: tuple[float, float], grip: tuple[float, float] = (0, 0)) -> PickPlace:
    """Grip ``body`` off its centre by ``grip`` and bring its centre to ``to``."""
    pick = inside(body.pose.x + grip[0], body.pose.y + grip[1])
    off = (pick[0] - body.pose.x, pick[1] - body.pose.y)
    return PickPlace(pick, inside(to[0] + off[0], to[1] + off[1]))


def inside(x: float, y: float) -> tuple[float, float]:
    return min(max(x, X_BOUNDS[0]), X_BOUNDS[1]), min(max(y, Y_BOUNDS[0]), Y_BOUNDS[1])


def off_by(low_m: float, high_m: float, random: np.random.Generator) -> tuple[float, float]:
    length, angle = random.uniform(low_m, high_m), random.uniform(0, 2 * math.pi)
    return float(length * math.cos(angle)), float(length * math.sin(angle))


def oracle(index: int) -> Choice:
    """What solves a goal, gripped up to 1.5 cm off the centre."""

    def choose(now: Situation) -> PickPlace:
        body, pose = now.goal(index)
        return carry(body, (pose.x, pose.y), off_by(0, 0.015, now.random))

    return choose


def near(index: int, low_m: float, high_m: float) -> Choice:
    """The same, put down so far beside the goal."""

    def choose(now: Situation) -> PickPlace:
        body, pose = now.goal(index)
        x, y = off_by(low_m, high_m, now.random)
        return carry(body, (pose.x + x, pose.y + y))

    return choose


def turned(index: int, off_deg: float) -> Choice:
    """Turn the object on the spot to so much beside the angle asked for."""

    def choose(now: Situation) -> PickPlace:
        body, pose = now.goal(index)
        spot = inside(body.pose.x, body.pose.y)
        return PickPlace(spot, spot, pose.yaw_deg - body.pose.yaw_deg + off_deg)

    return choose


def empty(now: Situation) -> PickPlace:
    """Pick where nothing lies."""
    return PickPlace(now.free(), now.free())


def blocker_away(now: Situation) -> PickPlace | None:
    if now.setup.blocker is None:
        return None
    body, pose = now.setup.blocker
    return carry(now.scene.body(body), (pose.x, pose.y))


def distractor_away(now: Situation) -> PickPlace | None:
    return None if now.distractor is None else carry(now.distractor, now.free())


def distractor_to_goal(now: Situation) -> PickPlace | None:
    if now.distractor is None:
        return None
    pose = now.setup.goals[0].pose
    return carry(now.distractor, (pose.x, pose.y))


def object_away(now: Situation) -> PickPlace:
    return carry(now.goal(0)[0], now.free())


def onto_distractor(now: Situation) -> PickPlace | None:
    if not now.setup.distractors:
        return None
    pose = now.scene.body(now.setup.distractors[0]).pose
    return carry(now.goal(0)[0], (pose.x, pose.y))


def into_decoy(now: Situation) -> PickPlace | None:
    """Into a base that no goal names."""
    wanted = {goal.base for goal in now.setup.goals}
    decoys = [body for body in now.scene.bodies if body.fixed and body.id not in wanted]
    if not decoys:
        return None
    return carry(now.goal(0)[0], (decoys[0].pose.x, decoys[0].pose.y))


def swapped(now: Situation) -> PickPlace | None:
    """The first object to the second one's place."""
    if len(now.setup.goals) < 2:
        return None
    pose = now.setup.goals[1].pose
    return carry(now.goal(0)[0], (pose.x, pose.y))


def off_the_edge(now: Situation) -> PickPlace:
    """Put down at the edge, so that the centre is 3 cm outside."""
    body = now.goal(0)[0]
    pick = inside(body.pose.x, body.pose.y - 0.03)
    return PickPlace(pick, (min(max(body.pose.x, 0.35), 0.65), Y_BOUNDS[1]))


def every(goals: Setup, choose: Callable[[int], Choice]) -> list[Choice]:
    return [choose(index) for index in range(len(goals.goals))]


def slightly(index: int) -> Choice:
    return near(index, 0.01, 0.05)


def plans(task: str, setup: Setup) -> list[list[Choice]]:
    """What is tried in each of six episodes."""
    if task == "rotate":
        return [
            [empty, turned(0, 25), turned(0, 0)],
            [distractor_away, turned(0, 10)],
            [turned(0, -130), object_away, turned(0, 0), slightly(0)],
            [turned(0, 20), off_the_edge],
            [onto_distractor, turned(0, -5)],
            [slightly_turned, turned(0, -12)],
        ]
    if task in ("rearrange", "rearrange_then_restore"):
        return [
            [blocker_away, *every(setup, slightly)],
            [empty, blocker_away, *every(setup, oracle)],
            every(setup, oracle),
            [object_away, off_the_edge],
            [near(0, 0.12, 0.14), blocker_away, *every(setup, slightly)],
            [swapped, distractor_to_goal, *every(setup, oracle)],
        ]
    if task == "pick_in_order_then_restore":
        return [
            every(setup, lambda index: near(index, 0.01, 0.04)),
            [oracle(1)],
            [empty, into_decoy, *every(setup, oracle)],
            [oracle(0), near(1, 0.06, 0.08), oracle(1), oracle(2)],
            [oracle(0), off_the_edge],
            [near(0, 0.01, 0.02), oracle(2), oracle(1), oracle(2)],
        ]
    return [
        [empty, distractor_away, slightly(0)],
        [object_away, oracle(0)],
        [distractor_to_goal, slightly(0)],
        [near(0, 0.12, 0.14), onto_distractor],
        [distractor_away, off_the_edge],
        [near(0, 0.12, 0.15), slightly(0)],
    ]


def slightly_turned(now: Situation) -> PickPlace:
    """A quarter of a turn, gripped 2 cm off the centre."""
    body = now.goal(0)[0]
    x, y = off_by(0.02, 0.02, now.random)
    spot = inside(body.pose.x + x, body.pose.y + y)
    return PickPlace(spot, spot, 90.0)


def play(simulation: Simulation, task: str, plan: int, random: np.random.Generator) -> dict:
    """One episode in both; a row with an entry an action."""
    setup = setup_of(simulation)
    record, ours = Record(TASKS[task], setup), setup.scene
    row: dict[str, Any] = {"actions": []}
    for choose in plans(task, setup)[plan % 6]:
        real = scene_now(setup, simulation)
        asked = choose(Situation(setup, real, random))
        if asked is None:
            continue
        begun = time.process_time()
        result = simulation.act(asked.pick, asked.place, asked.turn_deg)
        cpu_s = time.process_time() - begun
        ours = record.execute(ours, asked, len(row["actions"]) + 1)
        theirs = scene_now(setup, simulation)
        judged = record.judgement
        row["actions"].append(
            {
                "what": getattr(choose, "__qualname__", "").split(".")[0],
                "asked": [*asked.pick, *asked.place, asked.turn_deg],
                "real": [result.success, result.failure, result.timed_out],
                "ours": [judged.success, bool(judged.failure)],
                "why": judged.failure,
                "gripped": [result.gripped, _moved(ours, theirs)[0]],
                **_apart(ours, theirs, result.gripped),
                "cpu_s": cpu_s,
            }
        )
        if result.success or result.failure or judged.success or judged.failure:
            break
    return row


def _moved(ours: Scene, theirs: Scene) -> tuple[int, float]:
    """The loose body whose places differ most, and by how much."""
    loose = [body for body in ours.bodies if not body.fixed]
    gaps = [(distance_m(body.pose, theirs.body(body.id).pose), body.id) for body in loose]
    gap, worst = max(gaps)
    return worst, gap


def _apart(ours: Scene, theirs: Scene, gripped: int | None) -> dict[str, float]:
    worst, gap = _moved(ours, theirs)
    found = {"worst_m": gap, "worst_id": worst}
    if gripped is not None:
        a, b = ours.body(gripped), theirs.body(gripped)
        found["gripped_m"] = distance_m(a.pose, b.pose)
        found["gripped_deg"] = angle_between_deg(a.pose.yaw_deg, b.pose.yaw_deg)
        found["gripped_shape"] = a.shape
    return found


def study(vimabench: str, rounds: int, rows: Path | None) -> list[dict[str, Any]]:
    done = [json.loads(line) for line in rows.read_text().splitlines()] if rows_there(rows) else []
    known = {(row["task"], row["number"]) for row in done}
    for number in range(6 * rounds):
        for task in TASKS:
            if (task, number) in known:
                continue
            env = VimaBenchEnv(f"vimabench/{task}", vimabench=vimabench)
            level = LEVELS[number % len(LEVELS)]
            simulation = Simulation(env._bench, task, level)
            begun = time.process_time()
            simulation.reset(seed_of(task, level, number))
            reset_s = time.process_time() - begun
            random = stream(number, "vimabench_agreement", task)
            row = {"task": task, "level": level, "number": number, "reset_s": reset_s}
            row |= play(simulation, task, number, random)
            simulation.close()
            row["peak_mb"] = peak_mb()
            done.append(row)
            if rows is not None:
                with rows.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"{task} {level} {number}: {len(row['actions'])} actions", file=sys.stderr)
    return done


def rows_there(rows: Path | None) -> bool:
    return rows is not None and rows.is_file()


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def our_speed(episodes: int = 12) -> dict[str, dict[str, float]]:
    """CPU seconds of a reset and of an action of the tabletop, pictures of both views drawn."""
    found = {}
    for task in TASKS:
        env = TabletopEnv(f"tabletop/{task}-v0", first_seed=5000)
        resets, acts, count = 0.0, 0.0, 0
        for number in range(episodes):
            begun = time.process_time()
            entry = env.tasks[number]
            obs, _ = env.reset(options={"task": entry})
            _look(obs)
            resets += time.process_time() - begun
            for name in entry.demonstration or ():
                action = env.library().read(name)
                begun = time.process_time()
                _look(env.step(action)[0])
                acts += time.process_time() - begun
                count += 1
        found[task] = {"reset_s": resets / episodes, "action_s": acts / count}
    return found


def _look(obs: Any) -> None:
    for key in obs:
        _ = obs[key]


def summary(rows: list[dict[str, Any]], ours: dict[str, Any], ours_mb: float) -> Iterator[str]:
    yield "| task | actions | verdicts agree | final pose, median / max (mm) | within 1 cm |"
    yield "|---|---|---|---|---|"
    for task in (*TASKS, "all"):
        acts = [a for row in rows if task in (row["task"], "all") for a in row["actions"]]
        agree = sum(a["real"][:2] == a["ours"] for a in acts)
        gaps = [1000 * a["gripped_m"] for a in acts if "gripped_m" in a]
        close = sum(a["worst_m"] <= WITHIN_M for a in acts)
        yield (
            f"| {task} | {len(acts)} | {agree} ({100 * agree / len(acts):.1f} %) | "
            f"{statistics.median(gaps):.1f} / {max(gaps):.1f} | {close} of {len(acts)} |"
        )
    yield ""
    yield "| task | VIMABench: reset, action (CPU s) | a second | tabletop: CPU ms | a second |"
    yield "|---|---|---|---|---|"
    for task in TASKS:
        mine = [row for row in rows if row["task"] == task]
        reset = statistics.mean(row["reset_s"] for row in mine)
        action = statistics.mean(a["cpu_s"] for row in mine for a in row["actions"])
        our_reset, our_action = ours[task]["reset_s"], ours[task]["action_s"]
        yield (
            f"| {task} | {reset:.2f}, {action:.2f} | {1 / reset:.1f}, {1 / action:.1f} | "
            f"{1000 * our_reset:.1f}, {1000 * our_action:.1f} | "
            f"{1 / our_reset:.0f}, {1 / our_action:.0f} |"
        )
    peak = max(row["peak_mb"] for row in rows)
    yield f"\nPeak memory: tabletop {ours_mb:.0f} MB, with VIMABench {peak:.0f} MB."
    yield "\nVerdicts that differ, and poses further apart than 1 cm:"
    for row in rows:
        for step, a in enumerate(row["actions"], start=1):
            differ, far = a["real"][:2] != a["ours"], a["worst_m"] > WITHIN_M
            if differ or far:
                yield (
                    f"- {row['task']} {row['level']} {row['number']}, step {step} ({a['what']}): "
                    f"real {_verdict(*a['real'])}, ours {_verdict(*a['ours'])} {a['why']}; "
                    f"body {a['worst_id']} {1000 * a['worst_m']:.0f} mm apart; gripped "
                    f"{a['gripped'][0]}"
                )


def _verdict(success: bool, failure: bool, timed_out: bool = False) -> str:
    return "timed out" if timed_out else "success" if success else "failure" if failure else "open"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vimabench", required=True, metavar="DIR", help="the checkout")
    parser.add_argument(
        "--rows", type=Path, metavar="FILE", help="keep and resume what is measured"
    )
    parser.add_argument("--rounds", type=int, default=1, help="six episodes a task and round")
    given = parser.parse_args()
    ours = our_speed()
    ours_mb = peak_mb()
    rows = study(given.vimabench, given.rounds, given.rows)
    print("\n".join(summary(rows, ours, ours_mb)))


if __name__ == "__main__":
    main()
