"""What a run command ends with: one document for programs, a table and a page for people."""

from __future__ import annotations

import click

from journeyman.api import Run, resume_command
from journeyman.cli.options import print_json


def finish(run: Run, *, as_json: bool) -> None:
    """Write the report, then print the document, or the table and the report's path."""
    from journeyman.report.build import build_report

    document = run.document()
    page = build_report(run) if run.summaries else None
    if as_json:
        print_json(document)
        run.close()
        return
    from journeyman.report.terminal import print_summary

    if run.summaries:
        print_summary(document)
    if "overlap" in document:
        shared = document["overlap"]
        click.echo(
            f"Of {shared['tasks']} tasks, the learning run had seen: "
            f"{shared['same_instruction']} instructions, {shared['same_scene']} scenes, "
            f"{shared['same_goal']} goals."
        )
    for caveat in run.folder.header.get("caveats", ()):
        click.echo(f"Note: {caveat}")
    if run.status == "budget":
        click.echo(f"Stopped: {document.get('stopped_by', '')}")
        click.echo(f"Go on with more: {resume_command(run)}")
    click.echo(f"Run:    {run.path}")
    if page is not None:
        click.echo(f"Report: {page}")
    if run.folder.memory_path.exists():
        click.echo(f"Read what was learnt: journeyman memory show {run.path}")
    run.close()
