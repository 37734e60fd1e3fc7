"""Frozen evaluation of a memory, and the comparison of two runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from journeyman.api.parts import choose_tasks, make, method_parameters, parse_memory
from journeyman.api.run import Comparison, Run, open_run
from journeyman.api.running import Listener, run_spec
from journeyman.core.errors import ConfigError
from journeyman.core.values import Task
from journeyman.runs import RunFolder, RunSpec, check_settings
from journeyman.runs.spec import check_spec


def evaluate(
    run: Run | str | Path,
    env: str | None = None,
    *,
    at: int | None = None,
    version: int | None = None,
    memory: bool = True,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    listeners: Iterable[Listener] = (),
    command: str = "",
    **changes: Any,
) -> Run:
    """Evaluate the frozen memory of ``run`` on a whole task set; nothing is learnt.

    Args:
        env: Environment id; the run's own where None.
        at: The memory after this many episodes; the latest where None (Figure 4: a pool frozen
            after n tasks, evaluated on the whole subset).
        version: The memory at this version, edits and restores counted; not with ``at``.
        memory: False evaluates the same planner, with its own settings, and no memory at all.
        settings: Of the method, over the run's own (e.g. another ``retriever``).
        out: The folder; under the run's ``evals/`` where None. The same call resumes.
        command: What to type to do it again, for the header.
        changes: Fields of `RunSpec` that shall differ from the run's (``tasks``, ``seed``,
            ``model``, ``base_url``, ``budget_tokens``, ...). The run's own budget and choice of
            tasks are not taken over.

    Returns:
        The evaluation, itself a run; its header says how far its tasks overlap with those that
        were learnt on.

    Raises:
        ConfigError: a change that an evaluation decides itself, or that does not fit.
    """
    if at is not None and version is not None:
        raise ConfigError("at and version both name a memory; give one of them.")
    for key in changes:
        if key in DECIDED:
            raise ConfigError(f"{key}: an evaluation decides this itself.")
    source = run if isinstance(run, Run) else open_run(run)
    has_strategies = "strategy" in method_parameters(source.spec.method)
    method = source.spec.method if memory or has_strategies else "base"
    chosen = {**source.spec.settings, **(settings or {})}
    check_settings(source.spec.method, list(method_parameters(source.spec.method)), chosen)
    if not memory and has_strategies:  # the same agent as it is without one (EEAgent's Vanilla EA)
        chosen["strategy"] = "vanilla"
    if not memory:
        known = method_parameters(method)
        chosen = {key: value for key, value in chosen.items() if key in known}
    frozen = version if version is not None else source.memory_version_after(at)
    reference = source.memory_reference
    if source is not run:
        source.close()
    given = {key: value for key, value in changes.items() if value is not None}
    if "model" in given:
        given.setdefault("role_models", {})
    spec = check_spec(
        {
            **source.spec.model_dump(),
            **dict.fromkeys((*NOT_TAKEN_OVER, "memory")),
            "task_ids": (),
            "shuffle": False,
            "learning": False,
            "setting": "online",
            **given,
            "env": (env,) if env else source.spec.env,
            "method": method,
            "settings": chosen,
            "memory": f"{reference}@{frozen}" if memory else None,
        }
    )
    shared = overlap(source.spec, spec)
    name = f"{spec.env[0].replace('/', '-')}-{f'v{frozen}' if memory else 'no-memory'}"
    label = f"{name}-{spec.key()[:6]}{'-recorded' if spec.from_recording else ''}"
    path = Path(out) if out is not None else source.path / "evals" / label
    result = run_spec(spec, path, listeners=listeners, command=command)
    result.folder.update(overlap=shared)
    return result


DECIDED = ("env", "method", "memory", "learning", "setting", "shuffle", "settings")
"""Fields of the specification that an evaluation sets itself."""

NOT_TAKEN_OVER = ("level", "tasks", "from_recording", "budget_tokens", "budget_usd", "budget_s")
"""Fields of the learning run that say nothing about its evaluation."""


def overlap(learnt: RunSpec, evaluated: RunSpec) -> dict[str, int]:
    """How many evaluated tasks share an instruction, a scene or a goal with those learnt on.

    Learnt on are also the tasks of the runs whose memory ``learnt`` started from, as long as their
    folders are there; of a memory file without a run beside it no tasks are known.
    """
    before, after = [task for spec in _lineage(learnt) for task in _tasks(spec)], _tasks(evaluated)
    report = {"tasks": len(after)}
    for what, key in _OVERLAP_KEYS.items():
        seen = {key(task) for task in before} - {None}
        report[what] = sum(key(task) in seen for task in after)
    return report


def _tasks(spec: RunSpec) -> list[Task]:
    return [task for _, task in choose_tasks(spec, [make(env, data=spec.data) for env in spec.env])]


def _lineage(spec: RunSpec) -> list[RunSpec]:
    """``spec``, that of the run whose memory it started from, and so on."""
    found = [spec]
    while spec.memory is not None:
        try:
            folder = parse_memory(spec.memory)[0].parent
        except ConfigError:  # it is gone
            break
        if not RunFolder.exists(folder):
            break
        spec = RunFolder.open(folder).spec
        if spec in found:
            break
        found.append(spec)
    return found


def _scene(task: Task) -> str | None:
    scene = task.spec.get("scene")
    name = scene.get("id", scene) if isinstance(scene, Mapping) else getattr(scene, "id", scene)
    return None if name is None else str(name)


def _goal(task: Task) -> str | None:
    goal = task.spec.get("goal")
    return None if goal is None else json.dumps(goal, sort_keys=True, default=str)


_OVERLAP_KEYS: dict[str, Callable[[Task], str | None]] = {
    "same_instruction": lambda task: task.instruction,
    "same_scene": _scene,
    "same_goal": _goal,
}
"""What two tasks can share; None where an environment's tasks have no such thing."""


def compare(a: Run | str | Path, b: Run | str | Path) -> Comparison:
    """Two runs paired by task: success and progress, wins and losses, interval and sign test."""
    first = a if isinstance(a, Run) else open_run(a)
    second = b if isinstance(b, Run) else open_run(b)
    return Comparison.of(first, second)
