"""What a run command ends with: one document for programs, a table and a page for people."""

from __future__ import annotations

import shlex
from typing import Any

import click

from journeyman.api import Run
from journeyman.cli.options import one_line, print_json


def finish(run: Run, again: str, *, as_json: bool) -> None:
    """Write the report, then print the document, or the table and the report's path.

    Args:
        again: The command that goes on with the run.

    Raises:
        RunError: the report cannot be written; the rest was printed.
    """
    from journeyman.core.errors import RunError
    from journeyman.report.build import build_report

    document = run.document()
    page, failed = None, None
    try:
        page = build_report(run) if run.summaries else None
    except RunError as error:
        failed = error
    if as_json:
        print_json(document)
    else:
        _print(run, document, again)
        if page is not None:
            click.echo(f"Report: {page}")
        if document["memory"]["entries"] and run.folder.memory_path.exists():
            click.echo(f"Read what was learnt: journeyman memory show {shlex.quote(str(run.path))}")
    run.close()
    if failed is not None:
        raise failed


def _print(run: Run, document: dict[str, Any], again: str) -> None:
    from journeyman.report.terminal import print_note, print_summary

    if run.summaries:
        print_summary(document)
    if isinstance(seen := document.get("overlap"), dict):
        shares = ", ".join(
            f"{seen[f'same_{what}']} of {seen['tasks']} {what}s"
            for what in ("instruction", "scene", "goal")
        )
        print_note(f"Met while learning: {shares}.")
    for caveat in run.folder.header.get("caveats", ()):
        print_note(f"Note: {caveat}")
    if repeated := document["usage"]["repeated_calls"]:
        click.echo(f"Not paid again: {repeated} of {document['usage']['calls']} calls")
    if run.status == "budget":
        print_note(f"Stopped: {document.get('stopped_by', '')}")
        click.echo(f"Go on, with a larger budget: {one_line(again)}")
    click.echo(f"Run:    {run.path}")
