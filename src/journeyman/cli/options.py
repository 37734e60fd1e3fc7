"""Options that several commands share, and how results are printed."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


class Interrupted(Exception):
    """A run was interrupted; the words say how to go on."""


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document on stdout and nothing else."
)
_data = click.option(
    "--data",
    metavar="DIR",
    default=lambda: os.environ.get("JOURNEYMAN_DATA"),
    help="Folder of benchmark data (or the variable JOURNEYMAN_DATA).",
)


def _use_checkout(context: click.Context, option: click.Parameter, given: str | None) -> None:
    if given is not None:
        os.environ["JOURNEYMAN_VIMABENCH"] = given


_vimabench = click.option(
    "--vimabench",
    metavar="DIR",
    expose_value=False,
    callback=_use_checkout,
    help="Checkout of VIMABench, for vimabench/ (or the variable JOURNEYMAN_VIMABENCH).",
)


def data_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where environments find what does not come with the package."""
    return _data(_vimabench(function))


cache_option = click.option(
    "--cache", metavar="FILE", help="Keep replies in FILE; a call made before is not paid again."
)
recording_option = click.option(
    "--from-recording",
    metavar="RUN",
    help="Take every reply from the episodes of RUN; no model is asked (the embedder is).",
)


def run_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("run", metavar="RUN", type=click.Path(path_type=Path))(function)


def print_json(document: Any) -> None:
    click.echo(json.dumps(document, indent=1))


def this_command(*more: str) -> str:
    """What the user typed, with ``more`` behind it: how to do it again."""
    return shlex.join(["journeyman", *click.get_current_context().find_root().obj, *more])


def printable(text: object) -> str:
    """Text of others without what could steer a terminal."""
    from journeyman.report.terminal import plain

    return plain(text).plain


def one_line(text: object) -> str:
    """Text of others, printable, on one line."""
    return " ".join(printable(text).split())
