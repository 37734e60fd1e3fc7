"""``journeyman eval``: a frozen memory on a task set."""

from __future__ import annotations

import os
from pathlib import Path

import click

from journeyman.cli.options import (
    cache_option,
    data_option,
    json_option,
    recording_option,
    this_command,
)


@click.command("eval")
@click.argument("run", metavar="RUN[@VERSION]")
@click.option("--env", metavar="ENV", help="Task set (default: the run's own).")
@click.option("--no-memory", is_flag=True, help="The same planner without any memory.")
@click.option("--at", type=int, metavar="N", help="The memory after N episodes.")
@click.option("--level", metavar="LEVEL", help="Only tasks of this level, e.g. L1.")
@click.option("--tasks", type=int, metavar="N", help="Only the first N tasks.")
@click.option("--seed", type=int, help="Another seed than the run's.")
@click.option("--model", help="Another model than the run's.")
@data_option
@click.option("--base-url", metavar="URL", help="Address of the model's server.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Any setting.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The folder.")
@cache_option
@recording_option
@json_option
def command(
    run: str,
    env: str | None,
    no_memory: bool,
    at: int | None,
    level: str | None,
    tasks: int | None,
    seed: int | None,
    model: str | None,
    data: str | None,
    base_url: str | None,
    assignments: tuple[str, ...],
    out: Path | None,
    cache: str | None,
    from_recording: str | None,
    as_json: bool,
) -> None:
    """Evaluate the frozen memory of RUN on a whole task set; nothing is learnt.

    RUN@VERSION takes any version of the memory, --at N the memory after N episodes.
    """
    from journeyman import api
    from journeyman.cli.progress import watching
    from journeyman.cli.summary import finish
    from journeyman.runs.spec import read_assignments

    path, version = _split(run)
    changes = read_assignments(assignments)
    settings = changes.pop("settings", {})
    named = {
        "level": level,
        "tasks": tasks,
        "seed": seed,
        "model": model,
        "base_url": base_url,
        "data": data,
        "cache": cache,
        "from_recording": from_recording,
    }
    changes |= {key: value for key, value in named.items() if value is not None}
    again = this_command()
    with watching("evaluating", quiet=as_json, resume=again) as listener:
        result = api.evaluate(
            path,
            env,
            at=at,
            version=version,
            memory=not no_memory,
            settings=settings,
            out=out,
            listeners=[listener],
            command=again,
            **changes,
        )
    finish(result, again, as_json=as_json)


def _split(reference: str) -> tuple[str, int | None]:
    from journeyman.core.errors import ConfigError

    path, at, number = reference.rpartition("@")
    if not at or os.sep in number:
        return reference, None
    if not number.isdigit():
        raise ConfigError(
            f"'{number}' is no version number (given: '{reference}').",
            hint=f"See its versions: journeyman memory history {path}",
        )
    return path, int(number)
