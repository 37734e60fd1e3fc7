"""ELITE with a real, small language model on the real EB-ALFRED tasks, replayed symbolically.

    python benchmarks/real_model.py --data DIR [--model gguf:qwen2.5-coder-1.5b]
        [--base-url URL] [--profile compact] [--tasks 60] [--max-plans 2] [--per-type 3]
        [--minutes M] [--out DIR]

Arms, the same tasks for each (the first ``--tasks`` of the subsets base and common_sense, shuffled
together):

    none        the planner alone, with the same two fixed examples of the reply's format
    online      ELITE learning from its own episodes, without demonstrations
    supervised  ELITE with a frozen memory, learnt from ``--per-type`` demonstrated trials of each
                task type; the trials are ALFRED's, but none of the benchmark's. By default
                every insight is added as it is (``--taught-consolidator append``, the paper's
                ablation w/o CC): consolidating, this model overwrites notes on other tasks
    irrelevant  the control: the same memory without the entries from tasks of this task's type, the
                same retriever and number of lessons; the study knows the types, no method does

Crossed over, with ``--arms none supervised crossed`` and ``--stand-in``:

    crossed     the model reads a frozen memory that the stand-in wrote of the same demonstrations
    stand-in/*  the stand-in without memory, with its own of those demonstrations, and with the two
                memories (supervised and online) that the model wrote

The arms take turns, one episode each, so that they cover nearly the same tasks whenever this is
stopped; figures are of the tasks that all arms have finished. The same call goes on where it was
stopped, by ``--minutes`` or by force; ``--report`` prints the figures and runs nothing. A run is
never continued with other prompts.

Symbolic replay is not the benchmark: compare these figures with each other and with nothing else.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from journeyman import api
from journeyman.api.parts import choose_tasks
from journeyman.core import seeding
from journeyman.core.errors import BudgetReached
from journeyman.core.events import EpisodeEnded, Event
from journeyman.core.values import Delta, Remove, Step, Trajectory
from journeyman.memory import StrategyPool
from journeyman.models.loading import load_embedder
from journeyman.runs import RunFolder, RunSpec
from journeyman.runs.spec import check_spec
from journeyman.studies import by_task, difference, rate

UNUSED = "eb-alfred-replay/unused"
SUBSETS = ("eb-alfred-replay/base", "eb-alfred-replay/common_sense")
ARMS = ("none", "online", "supervised", "irrelevant")
STAND_IN = ("none", "own", "supervised", "online")
PAIRS = (
    ("supervised", "none"),
    ("supervised", "irrelevant"),
    ("irrelevant", "none"),
    ("online", "none"),
    ("crossed", "none"),
    ("crossed", "supervised"),
)
K = 4


class Study:
    """The runs of one profile under one folder."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.out: Path = options.out / options.profile
        self.kind = {  # for the choice of demonstrations and for analysis; no method sees it
            task.id: task.spec["goal"]["task_type"]
            for env in (UNUSED, *SUBSETS)
            for task in api.tasks(env, data=options.data)
        }

        self.first = self.first_tasks()

    def first_tasks(self) -> tuple[str, ...]:
        """The ids of the tasks that every arm meets, in the order of a run."""
        spec = check_spec(
            {"env": SUBSETS, "data": str(self.options.data), "seed": self.options.seed}
        )
        stream = choose_tasks(spec, [api.make(name, data=self.options.data) for name in SUBSETS])
        return tuple(task.id for _, task in stream)[: self.options.tasks]

    def path(self, arm: str) -> Path:
        return self.out / arm

    def parts(self, arm: str) -> tuple[str, ...]:
        """The runs that make up an arm: ``irrelevant`` has one for each task type."""
        if arm != "irrelevant":
            return (arm,)
        return tuple(f"irrelevant/{kind}" for kind in sorted({self.kind[t] for t in self.first}))

    def spec(self, part: str) -> RunSpec:
        o = self.options
        planner = {"profile": o.profile, "max_plans": o.max_plans, "shots": o.shots}
        taught = {"consolidator": o.taught_consolidator}
        elite = {**planner, "k": K, "pool_tokens": o.pool_tokens, "reflection_reasks": 1}
        common: dict[str, Any] = {
            "model": o.model,
            "base_url": o.base_url,
            "data": str(o.data),
            "env": SUBSETS,
            "seed": o.seed,
            "max_tokens": o.max_tokens,
            "task_ids": self.first,
            "settings": elite,
        }
        if o.model.startswith("openai/"):
            common["settings"]["observation"] = planner["observation"] = "text"
        if part == "taught":
            own = {
                "env": (UNUSED,),
                "setting": "supervised",
                "task_ids": self.demonstrated(),
                "settings": {**elite, **taught},
            }
        elif part == "none":
            own = {"method": "base", "learning": False, "settings": planner}
        elif part == "online":
            own = {}
        elif part == "crossed":
            own = {
                "learning": False,
                "memory": self.learnt("stand-in/taught"),
                "settings": {**elite, **taught},
            }
        elif part.startswith("stand-in/"):
            return self.stand_in_spec(part.removeprefix("stand-in/"))
        else:
            own = {"learning": False, "settings": {**elite, **taught}}
            kind = part.removeprefix("irrelevant/")
            own["memory"] = self.learnt("taught") if kind == part else str(self.without(kind))
            if kind != part:
                own["task_ids"] = tuple(t for t in self.first if self.kind[t] == kind)
        return check_spec({**common, **own})

    def without(self, kind: str) -> Path:
        """The supervised memory without the entries that came from tasks of this type."""
        path = self.out / "memories" / f"{kind}.db"
        if path.exists():
            return path
        path.parent.mkdir(exist_ok=True)
        beside = path.with_suffix(".part")
        beside.unlink(missing_ok=True)
        run = api.open_run(self.path("taught"))
        run.memory.copy_to(beside)
        origins = origins_of(self, "taught")
        with StrategyPool.open(beside, embedder=load_embedder(run.spec.embedder)) as pool:
            taught = pool.strategies
            gone = [
                Remove(s.alias, "of the type of the task") for s in taught if origins[s.id] == kind
            ]
            applied = pool.apply(Delta(pool.version, tuple(gone)))
            assert all(verdict.accepted for verdict in applied.verdicts)
            left = len(pool.strategies)
        assert left == len(taught) - len(gone) and gone and left >= K
        run.close()
        beside.rename(path)
        return path

    def demonstrated(self) -> tuple[str, ...]:
        """Unused trials, ``per_type`` of each task type that the subsets have, by seed."""
        wanted = {
            self.kind[t.id] for env in SUBSETS for t in api.tasks(env, data=self.options.data)
        }
        of_kind = defaultdict(list)
        for task in api.tasks(UNUSED, data=self.options.data):
            of_kind[self.kind[task.id]].append(task.id)
        chosen = []
        for kind in sorted(wanted):
            order = seeding.stream(self.options.seed, "demonstrations", kind).permutation(
                len(of_kind[kind])
            )
            chosen += [of_kind[kind][int(i)] for i in order[: self.options.per_type]]
        return tuple(chosen)

    def learnt(self, part: str) -> str:
        """The memory that a run ended with, by its version."""
        run = api.open_run(self.path(part))
        version = run.memory_version_after(None)
        run.close()
        return f"{self.path(part)}@{version}"

    def stand_in_spec(self, arm: str) -> RunSpec:
        """The stand-in on the same tasks; ``taught`` learns from the same demonstrations."""
        common: dict[str, Any] = {
            "model": "stand-in",
            "data": str(self.options.data),
            "env": SUBSETS,
            "seed": self.options.seed,
            "task_ids": self.first,
            "learning": False,
        }
        if arm == "taught":
            return check_spec(
                {
                    **common,
                    "env": (UNUSED,),
                    "task_ids": self.demonstrated(),
                    "setting": "supervised",
                    "learning": True,
                }
            )
        if arm == "none":
            return check_spec({**common, "method": "base"})
        source = {"own": "stand-in/taught", "supervised": "taught", "online": "online"}[arm]
        return check_spec({**common, "memory": self.learnt(source)})

    def finished(self, arm: str) -> list[dict[str, Any]]:
        """The summary lines of an arm's finished episodes."""
        paths = [self.path(part) for part in self.parts(arm)]
        runs = [api.open_run(path) for path in paths if RunFolder.exists(path)]
        lines = [line for run in runs for line in run.summaries]
        for run in runs:
            run.close()
        return lines

    def go_on(self, part: str, episodes: int | None) -> bool:
        """Run so many more episodes of a part of an arm; True where it is complete."""
        run = api.run_spec(self.spec(part), self.path(part), listeners=[Stop(part, episodes)])
        run.close()
        return run.status == "complete"


class Stop:
    """Ends a run cleanly after so many episodes, as a used-up budget does; says what happened."""

    def __init__(self, arm: str, episodes: int | None) -> None:
        self.arm = arm
        self.left = episodes

    def __call__(self, event: Event) -> None:
        if not isinstance(event, EpisodeEnded):
            return
        episode = event.episode
        print(
            f"{time.strftime('%H:%M:%S')} {self.arm:<10} {episode.task.id:<18} "
            f"{'success' if episode.outcome.task_success else 'failure'} "
            f"{episode.outcome.task_progress:.2f} {episode.wall_s:6.1f} s",
            flush=True,
        )
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                raise BudgetReached("the chunk is done; the same call goes on.")


def run_all(study: Study) -> None:
    options = study.options
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    complete = False
    while not complete and "supervised" in options.arms:
        if time.monotonic() > until:
            return
        complete = study.go_on("taught", 1)
    if "crossed" in options.arms:
        study.go_on("stand-in/taught", None)
    done = {part: 0 for arm in options.arms for part in study.parts(arm)}
    for part in done:
        if RunFolder.exists(study.path(part)):
            run = api.open_run(study.path(part))
            done[part] = len(run.summaries)
            run.close()
    due = dict.fromkeys(done, 0)
    for task in study.first:
        for arm in options.arms:
            part = arm if arm != "irrelevant" else f"irrelevant/{study.kind[task]}"
            due[part] += 1
            if time.monotonic() > until:
                return
            if done[part] < due[part]:
                study.go_on(part, 1)
                done[part] += 1


def cross_over(study: Study) -> None:
    """The stand-in with the model's lessons, beside its own; a few seconds."""
    for arm in ("taught", *STAND_IN):
        study.go_on(f"stand-in/{arm}", None)
    lines = {arm: study.finished(f"stand-in/{arm}") for arm in STAND_IN}
    print("the stand-in reads the lessons that the model wrote:")
    for arm, found in lines.items():
        success = rate([x["success"] for x in found])
        progress = sum(x["task_progress"] for x in found) / len(found)
        against = "" if arm == "none" else said(found, lines["none"], "success")
        print(
            f"  stand-in with {arm:<11}{success.count}/{success.n} progress {progress:.3f} "
            f"{against}"
        )


# -- figures --------------------------------------------------------------------------------------


def report(study: Study) -> None:
    lines = {arm: study.finished(arm) for arm in study.options.arms}
    shared = set.intersection(*({x["task"] for x in found} for found in lines.values()))
    print(f"\nprofile {study.options.profile}, at most {study.options.max_plans} plans an episode")
    begun = [path for path in map(study.path, ARMS) if RunFolder.exists(path)]
    for path in begun[:1]:
        print("prompts:", api.open_run(path).folder.header["prompts"])
    print(f"finished: {', '.join(f'{a} {len(found)}' for a, found in lines.items())}")
    if shared:
        compared({arm: [x for x in found if x["task"] in shared] for arm, found in lines.items()})
    stages(study)


def compared(lines: Mapping[str, list[dict[str, Any]]]) -> None:
    """The arms on the tasks that all have finished."""
    first = next(iter(lines.values()))
    subsets = Counter(line["subset"] for line in first)
    print(f"tasks that all arms finished: {len(first)} ({dict(subsets)})")
    print(
        f"{'arm':<11}{'success':>24}{'progress':>10}{'invalid':>9}{'calls':>7}"
        f"{'prompt':>8}{'reply':>7}{'cached':>8}{'s':>7}   (means a task)"
    )
    for arm, found in lines.items():
        print(row(arm, found))
    for subset, count in subsets.items():
        won = [
            f"{arm} {sum(x['success'] for x in found if x['subset'] == subset)}"
            for arm, found in lines.items()
        ]
        print(f"  successes on {subset} ({count} tasks): {', '.join(won)}")
    print("paired differences, 95 % interval, sign test:")
    for field in ("success", "task_progress"):
        for a, b in PAIRS:
            if a in lines and b in lines:
                print(f"  {field:<14}{a} - {b}: {said(lines[a], lines[b], field)}")


def row(arm: str, found: list[dict[str, Any]]) -> str:
    n = len(found)
    success = rate([x["success"] for x in found])
    spent: dict[str, float] = defaultdict(float)
    for line in found:
        for part in line["spent"]:
            for key in ("calls", "prompt_tokens", "completion_tokens", "cached_tokens"):
                spent[key] += part[key]
    interval = f"[{100 * success.interval.low:.0f}, {100 * success.interval.high:.0f}]"
    cached = spent["cached_tokens"] / spent["prompt_tokens"] if spent["prompt_tokens"] else 0.0

    def mean(field: str) -> float:
        return sum(float(x[field]) for x in found) / n

    return (
        f"{arm:<11}{f'{success.count}/{n} = {100 * success.rate:.0f} % {interval}':>24}"
        f"{mean('task_progress'):>10.3f}{mean('invalid_actions'):>9.2f}"
        f"{spent['calls'] / n:>7.2f}{spent['prompt_tokens'] / n:>8.0f}"
        f"{spent['completion_tokens'] / n:>7.0f}{100 * cached:>6.0f} %{mean('wall_s'):>7.1f}"
    )


def said(a: list[dict[str, Any]], b: list[dict[str, Any]], field: str) -> str:
    d = difference(by_task(a, 0, field), by_task(b, 0, field))
    low, high = 100 * d.interval.low, 100 * d.interval.high
    return (
        f"{100 * d.difference:+.1f} [{low:+.1f}, {high:+.1f}] points, "
        f"{d.wins}/{d.losses}/{d.ties} won/lost/tied, p = {d.p_value:.3f}"
    )


# -- the stages of learning, one by one -----------------------------------------------------------


def stages(study: Study) -> None:
    """Retrieval, reflection and consolidation, over all finished episodes of each run."""
    print("stages:")
    for arm in ("taught", "online", "supervised"):
        if not study.finished(arm):
            continue
        run = api.open_run(study.path(arm))
        origins = origins_of(study, arm)
        hits, shown, chance = precision(study, run, origins)
        if shown:
            print(
                f"  {arm}: {hits}/{shown} = {100 * hits / shown:.0f} % of the lessons shown came "
                f"from a task of the same type (chance {100 * chance:.0f} %)"
            )
        if run.spec.learning:
            print(f"  {arm}: {failures_named(run)}")
            print(f"  {arm}: {operations_valid(run)}")
        run.close()


def origins_of(study: Study, arm: str) -> Mapping[str, str]:
    """The type of the task that each entry of an arm's memory was first added from."""
    run = api.open_run(study.path("online" if arm == "online" else "taught"))
    first: dict[str, str] = {}
    for change in run.memory.history():
        for verdict in change.verdicts:
            if verdict.accepted and verdict.operation.op == "add":
                first.setdefault(verdict.entry, study.kind[change.origin.task])
    run.close()
    return first


def precision(study: Study, run: api.Run, origins: Mapping[str, str]) -> tuple[int, int, float]:
    """Lessons of the task's own type, lessons shown, and the share that chance would give.

    Chance: in each episode, the share of that type among the entries that memory then had.
    """
    hits = shown = 0
    expected = 0.0
    source = api.open_run(study.path("online" if run.path.name == "online" else "taught"))
    for line in run.summaries:
        kind = study.kind[line["task"]]
        found = line["lessons"]
        number = line["number"]
        version = run.episodes[number].lessons.memory_version
        pool = [origins[s.id] for s in source.memory.at(version).strategies]
        hits += sum(origins[lesson["entry"]] == kind for lesson in found)
        shown += len(found)
        expected += len(found) * (sum(k == kind for k in pool) / len(pool) if pool else 0.0)
    source.close()
    return hits, shown, expected / shown if shown else 0.0


def failures_named(run: api.Run) -> str:
    """How many failure causes name the first invalid action of their episode.

    Object: the class that the action is about, spaces and case aside (of "put down" the place that
    was found last). Skill: the words before it, such as "pick up". Episodes without an invalid
    action have no such step and are left out.
    """
    causes = objects = skills = both = 0
    for episode in run.episodes:
        step = first_invalid(episode.trajectory)
        if step is None or episode.delta is None or episode.delta.reflection is None:
            continue
        skill, thing = parts_of(step, episode.trajectory)
        for insight in episode.delta.reflection.insights:
            if insight.kind != "failure_cause":
                continue
            text = f"{insight.title} {insight.text}".lower()
            names_object = bool(thing) and thing in text.replace(" ", "")
            names_skill = skill in text
            causes += 1
            objects += names_object
            skills += names_skill
            both += names_object and names_skill
    return (
        f"of {causes} failure causes {objects} name the object of the first invalid action, "
        f"{skills} its skill, {both} both"
    )


def first_invalid(trajectory: Trajectory) -> Step | None:
    return next((step for step in trajectory.steps if not step.success), None)


def parts_of(step: Step, trajectory: Trajectory) -> tuple[str, str]:
    """Skill and class of an action, both in lower case: ("pick up", "desklamp")."""
    skill, _, thing = step.action.name.rpartition(" ")
    if thing == "hand":
        skill = "put down" if step.action.name.startswith("put down") else "drop"
        found = [
            s.action.name.rpartition(" ")[2]
            for s in trajectory.steps[: step.index]
            if s.success and s.action.name.startswith("find ")
        ]
        thing = found[-1] if found else ""
    return skill.removesuffix(" a").removesuffix(" the").lower(), thing.partition("_")[0].lower()


def operations_valid(run: api.Run) -> str:
    accepted = sum(x["operations"]["accepted"] for x in run.summaries)
    refused = sum(x["operations"]["refused"] for x in run.summaries)
    unusable = sum(x["operations"]["error"] is not None for x in run.summaries)
    proposed = accepted + refused
    share = f"{100 * accepted / proposed:.0f} %" if proposed else "none"
    return (
        f"{accepted} of {proposed} operations accepted ({share}), {unusable} unusable replies, "
        f"{len(run.memory.strategies)} entries after {len(run.summaries)} episodes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder with embodiedbench/")
    parser.add_argument("--model", default="gguf:qwen2.5-coder-1.5b")
    parser.add_argument("--profile", choices=("faithful", "compact"), default="compact")
    parser.add_argument("--max-plans", type=int, default=2, help="0: the benchmark's own limits")
    parser.add_argument("--base-url", help="of a server, for openai/NAME")
    parser.add_argument("--per-type", type=int, default=3, help="demonstrations of each task type")
    parser.add_argument("--taught-consolidator", choices=("llm", "append"), default="append")
    parser.add_argument("--tasks", type=int, default=60, help="of the 100 in shuffled order")
    parser.add_argument("--shots", type=int, default=2, help="worked examples of the environment")
    parser.add_argument("--arms", nargs="+", choices=(*ARMS, "crossed"), default=ARMS)
    parser.add_argument("--stand-in", action="store_true", help="only cross over to the stand-in")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so long")
    parser.add_argument("--pool-tokens", type=int, default=500)
    parser.add_argument("--max-tokens", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/real_model"))
    parser.add_argument("--report", action="store_true", help="print the figures, run nothing")
    study = Study(parser.parse_args())
    if study.options.stand_in:
        cross_over(study)
        return
    if not study.options.report:
        study.out.mkdir(parents=True, exist_ok=True)
        run_all(study)
    report(study)


if __name__ == "__main__":
    main()
