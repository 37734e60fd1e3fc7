"""``journeyman show``: a run's episodes, or one of them step by step."""

from __future__ import annotations

from pathlib import Path

import click

from journeyman.cli.options import json_option, print_json, run_argument


@click.command("show")
@run_argument
@click.argument("episode", type=int, required=False)
@json_option
def command(run: Path, episode: int | None, as_json: bool) -> None:
    """List the episodes of RUN, or show EPISODE (numbered from 0) step by step."""
    from journeyman import api

    opened = api.open_run(run)
    if episode is not None:
        _show_episode(opened, episode, as_json)
    elif as_json:
        print_json(opened.document())
    else:
        click.echo(f"{opened.path}: {opened.status}; {opened}")
        for line in opened.summaries:
            mark = "solved" if line["success"] else "failed"
            click.echo(
                f"{line['number']:>4}  {mark}  {line['steps']:>2} steps  "
                f"{line['invalid_actions']:>2} invalid  {_plain(line['instruction'])}"
            )
        for fault in opened.folder.faults():
            click.echo(f"   -  fault in episode {fault['number']}: {_plain(fault['reason'])}")
    opened.close()


def _show_episode(run: object, number: int, as_json: bool) -> None:
    from journeyman.api import Run
    from journeyman.report.build import episode_record
    from journeyman.report.terminal import print_episode

    assert isinstance(run, Run)
    if as_json:
        run.folder.episode(number)
        file = run.path / "episodes" / f"{number:04d}.json"
        click.echo(file.read_text("utf-8"), nl=False)
        return
    print_episode(episode_record(run, number))


def _plain(text: str) -> str:
    from journeyman.report.terminal import plain

    return plain(text).plain
