"""``journeyman compare``: two runs, paired by task."""

from __future__ import annotations

from pathlib import Path

import click

from journeyman.cli.options import json_option, print_json


@click.command("compare")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@json_option
def command(a: Path, b: Path, as_json: bool) -> None:
    """Compare run A with run B on the tasks that both attempted."""
    from journeyman import api

    comparison = api.compare(a, b)
    if as_json:
        print_json(comparison.document())
        return
    from journeyman.report.terminal import print_comparison

    print_comparison(
        str(a), str(b), {"success": comparison.success, "task progress": comparison.task_progress}
    )
