"""``journeyman report``: the page that shows a run."""

from __future__ import annotations

from pathlib import Path

import click

from journeyman.cli.options import run_argument


@click.command("report")
@run_argument
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE", help="Where to write it.")
@click.option("--prompts", is_flag=True, help="Show every prompt whole (a larger page).")
def command(run: Path, to: Path | None, prompts: bool) -> None:
    """Write one self-contained HTML page that shows RUN."""
    from journeyman import api
    from journeyman.report.build import build_report

    opened = api.open_run(run)
    click.echo(build_report(opened, to, prompts=prompts))
    opened.close()
