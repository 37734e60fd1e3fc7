"""``journeyman list``: what can be asked for by name."""

from __future__ import annotations

from typing import Any

import click

from journeyman.cli.options import data_option, json_option, one_line, print_json

SORTS = ("envs", "methods", "models", "embedders", "segmenters", "tasks")


@click.command("list")
@click.argument("what", metavar="|".join(SORTS))
@click.argument("env", required=False)
@data_option
@json_option
def command(what: str, env: str | None, data: str | None, as_json: bool) -> None:
    """List environments, methods, models, embedders or segmenters, or tasks of ENV."""
    from journeyman.core.errors import ConfigError, UnknownName

    if what not in SORTS:
        raise UnknownName("list", what, SORTS, hint=f"There are: {', '.join(SORTS)}")
    if what == "tasks":
        if env is None:
            raise ConfigError("tasks of which environment?", hint="journeyman list tasks ENV")
        rows = _tasks(env, data)
    else:
        rows = _entries(what, data)
    if as_json:
        print_json(rows)
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        click.echo(f"{one_line(row['name']):<{width}}  {one_line(row['summary'])}".rstrip())


def _tasks(env: str, data: str | None) -> list[dict[str, Any]]:
    from journeyman import api

    return [
        {"name": task.id, "subset": task.subset, "summary": task.instruction}
        for task in api.tasks(env, data=data)
    ]


def _entries(what: str, data: str | None) -> list[dict[str, Any]]:
    from journeyman.core.registry import registry

    rows: list[dict[str, Any]] = []
    for entry in registry().entries(what[:-1]):  # type: ignore[arg-type]
        if entry.name == "eb-alfred-replay/":
            rows += _replay(entry.summary, data)
        else:
            name = entry.name + ("NAME" if entry.name.endswith(("/", ":")) else "")
            rows.append({"name": name, "summary": entry.summary})
    return rows


def _replay(summary: str, data: str | None) -> list[dict[str, Any]]:
    from journeyman.core.errors import JourneymanError
    from journeyman.envs.adapters.eb_alfred_replay import subsets

    try:
        names = subsets(data)
    except JourneymanError as error:
        return [{"name": "eb-alfred-replay/SUBSET", "summary": f"{summary}; now: {error.message}"}]
    return [{"name": f"eb-alfred-replay/{n}", "summary": "real tasks, replayed"} for n in names]
