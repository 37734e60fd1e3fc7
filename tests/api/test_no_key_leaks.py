"""A key goes to the server and nowhere else, whatever the server does with it."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

import journeyman as package
from journeyman.models.options import ModelOptions
from journeyman.models.standin import StandIn
from tests.support.fake_server import FakeServer, Fault, Request, refused

KEY = "sk-live/7Qd+2xR=v9:ZpW0aLmT4"
PATHS = [str(Path(__file__).parents[2]), str(Path(package.__file__).parents[1])]

DRIVER = """
import logging, shutil, sys, traceback
from pathlib import Path
from journeyman import api
from journeyman.cli import main
from journeyman.core.events import EpisodeEnded
from journeyman.runs.spec import check_spec

logging.basicConfig(level=logging.DEBUG)
url = sys.argv[1]
try:
    main(["learn", "--tasks", "3", "--model", "openai/stand-in", "--base-url", url, "--out", "run",
          "--embedder", "hashing", "--cache", "cache.db", "--set", "observation=text", "--json"])
except SystemExit as ended:
    assert not ended.code, ended.code
try:
    main(["show", "run"])
except SystemExit:
    pass

def keep(event):
    if isinstance(event, EpisodeEnded):  # the memory's journal is there while the run is
        shutil.copytree("second", f"kept/{event.episode.number}")
        if event.episode.number == 1:
            Path("fail").touch()

spec = check_spec({"model": "openai/stand-in", "base_url": url, "embedder": "hashing", "seed": 1,
                   "tasks": 4, "settings": {"observation": "text"}})
try:
    api.run_spec(spec, "second", listeners=[keep])
except Exception as error:
    told = traceback.TracebackException.from_exception(error, capture_locals=True)
    print("".join(told.format()), file=sys.stderr)
    raise
"""


class Echo(FakeServer):
    """Sends what it got as authorization back wherever there is room for it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(StandIn("stand-in", ModelOptions(seed=0)), key=KEY)
        self.folder = folder

    def answer(self, request: Request) -> Fault:
        sent = request.headers["authorization"]
        if (self.folder / "fail").exists():
            self.requests.append(request)
            return refused(403, f"Authorization: {sent} may not do this")
        answer = super().answer(request)
        headers = {**answer.headers, "X-Got": sent, "Set-Cookie": f"key={quote(KEY, safe='')}"}
        body = answer.body if isinstance(answer.body, str) else answer.body.decode()
        if answer.status == 200 and body.startswith("{"):
            body = json.dumps(self._echoed(json.loads(body), sent))
        return replace(answer, body=body, headers=headers)

    def _echoed(self, reply: dict[str, object], sent: str) -> dict[str, object]:
        """The key in the model's name and, in one form after the other, in the reply's texts."""
        forms = [sent, quote(sent), base64.b64encode(sent.encode()).decode(), KEY]
        form = forms[len(self.requests) % len(forms)]
        text = json.dumps(reply).replace('\\": \\"', f'\\": \\"{form} ')
        escaped = text.replace("sk-live", "\\u0073k-live") if form == KEY else text
        return {**json.loads(escaped), "model": f"served for {sent}", "id": sent}


FAULTS = (
    refused(429, f"Bearer {KEY} asks too often", Retry_After="0"),
    Fault(503, f"<html><p>Authorization: Bearer {KEY}</p></html>", {"Retry-After": "0"}),
    Fault(429, json.dumps({"detail": [{"got": KEY}]}), {"Retry-After": "0"}),
)
FINAL = f"<html>{base64.b64encode(f'x{KEY}'.encode()).decode()} {quote(KEY, safe='')}</html>"


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, bytes, bytes]]:
    """The folder, stdout and stderr of a process that made two runs, the second of which failed."""
    folder = tmp_path_factory.mktemp("leaks")
    environment = {
        **os.environ,
        "OPENAI_API_KEY": KEY,
        "OPENAI_LOG": "debug",
        "PYTHONPATH": os.pathsep.join(PATHS),
    }
    with Echo(folder) as server:
        server.faults.extend([*FAULTS, Fault(200, FINAL)])
        ended = subprocess.run(
            [sys.executable, "-X", "dev", "-c", DRIVER, server.base_url],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=240,
        )
        assert all(r.headers["authorization"] == f"Bearer {KEY}" for r in server.requests)
        assert len(server.requests) > 20
    assert ended.returncode == 1, ended.stderr.decode()[-3000:]
    yield folder, ended.stdout, ended.stderr


def every_byte(folder: Path, *streams: bytes) -> bytes:
    files = [file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()]
    return b"\n".join([*files, *streams])


def test_the_run_left_what_could_have_held_it(left: tuple[Path, bytes, bytes]) -> None:
    folder, out, err = left
    names = {file.name for file in folder.rglob("*")}
    assert {"run.json", "0000.json", "memory.db", "cache.db", "report.html", ".lock"} <= names
    assert any(name.startswith("memory.db-") for name in names), "the memory's journal"
    assert b'"troubles"' in out and b"HTTP 429 2x" in out
    assert b"Traceback" in err and b"HTTP 403" in err and b"receive_response_headers" in err
    assert b"[key]" in (folder / "run" / "episodes" / "0000.json").read_bytes()
    assert b"served for Bearer [key]" in (folder / "run" / "run.json").read_bytes()


def forms() -> dict[str, bytes]:
    """The key plain and encoded; Base64 for each place in three, its undecided ends left out."""
    raw = KEY.encode()
    found = {
        "plain": raw,
        "escaped": json.dumps(KEY)[1:-1].encode(),
        "percent": quote(KEY, safe="").encode(),
        "percent, slashes kept": quote(KEY).encode(),
        "hexadecimal": raw.hex().encode(),
        "UTF-16": KEY.encode("utf-16-le"),
        "its secret part": b"ZpW0aLmT4",
    }
    for before in range(3):
        for name, encode in (("", base64.b64encode), (", url", base64.urlsafe_b64encode)):
            found[f"Base64 {before}{name}"] = encode(b"x" * before + raw)[4:-4]
    return found


@pytest.mark.compatibility(
    "the key is in no byte that a run leaves",
    "a server that speaks the OpenAI protocol",
    "a local HTTP server that sends the key back wherever there is room for it",
)
@pytest.mark.parametrize("form", forms())
def test_no_byte_that_it_left_is_of_the_key(form: str, left: tuple[Path, bytes, bytes]) -> None:
    assert forms()[form] not in every_byte(*left)


def test_no_authorization_has_a_value(left: tuple[Path, bytes, bytes]) -> None:
    text = every_byte(*left)
    values = re.findall(rb"(?i)(?:bearer|authorization)(?: |%20|[:=\"']|b')+([^\s\"'<>\\]+)", text)
    kept = {value for value in values if value not in (b"[key]", b"Bearer")}
    assert kept <= {b"may", b"asks"}, kept
