"""``journeyman show``: a run's episodes, or one of them step by step."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import click

from journeyman.cli.options import json_option, one_line, print_json, run_argument


@click.command("show")
@run_argument
@click.argument("episode", type=int, required=False)
@json_option
def command(run: Path, episode: int | None, as_json: bool) -> None:
    """List the episodes of RUN, or show EPISODE (numbered from 0) step by step."""
    from journeyman import api
    from journeyman.report.words import steps_word, troubles

    opened = api.open_run(run)
    if episode is not None:
        _show_episode(opened, episode, as_json)
    elif as_json:
        print_json(opened.document())
    else:
        told = f"{opened.path}: {opened.status}; {opened}" if opened.summaries else str(opened)
        click.echo(told)
        for line in opened.summaries:
            mark = "solved" if line["success"] else "failed"
            trial = f"trial {line['trials']}  " if line["trials"] > 1 else ""
            told = (
                f"{line['number']:>4}  {mark}  {steps_word(line['steps']):>8}  "
                f"{line['invalid_actions']:>2} invalid  {trial}{one_line(line['instruction'])}"
            )
            click.echo(_fitting(told))
        for fault in opened.folder.faults():
            click.echo(f"   -  fault in episode {fault['number']}: {one_line(fault['reason'])}")
        if said := troubles(opened.usage()):
            click.echo(f"Server: {one_line(said)}")
    opened.close()


def _fitting(line: str) -> str:
    """``line`` cut to the width of a terminal; whole where it goes elsewhere."""
    width = shutil.get_terminal_size().columns
    whole = len(line) <= width or not sys.stdout.isatty()
    return line if whole else line[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _show_episode(run: object, number: int, as_json: bool) -> None:
    from journeyman.api import Run
    from journeyman.report.build import episode_record
    from journeyman.report.terminal import print_episode

    assert isinstance(run, Run)
    if as_json:
        run.folder.episode(number)
        file = run.path / "episodes" / f"{number:04d}.json"
        print_json(json.loads(file.read_text("utf-8")))
        return
    print_episode(episode_record(run, number))
