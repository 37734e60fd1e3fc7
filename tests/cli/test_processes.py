"""The command line as a process: signals, closed pipes, a full disk, a terminal's encoding."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

import journeyman as package
from journeyman.memory import StrategyPool
from journeyman.models.embedders import HashingEmbedder
from journeyman.runs import RunFolder, canonical_episodes
from tests.cli.conftest import TINY, Command
from tests.cli.test_learn import KEYS

PATHS = [str(Path(__file__).parents[2]), str(Path(package.__file__).parents[1])]
TINY_JOURNEYMAN = f"{shlex.quote(sys.executable)} -m tests.cli.tiny_journeyman"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``command`` with ``journeyman`` in it standing for the one of the tiny world."""
    return subprocess.run(
        ["bash", "-c", f'journeyman() {{ {TINY_JOURNEYMAN} "$@"; }}; {command}'],
        env=_environment(environment),
        capture_output=True,
        text=True,
        timeout=120,
    )


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), **more}


def same(one: Path, other: Path) -> None:
    """Equal summaries, trajectories, prompts and memory, times aside."""
    assert canonical_episodes(one) == canonical_episodes(other)
    exports = []
    for path in (one, other):
        with StrategyPool.open(path / "memory.db", embedder=HashingEmbedder()) as pool:
            exports.append(pool.export())
    assert exports[0] == exports[1]


class TestSignals:
    @pytest.mark.parametrize(("name", "at"), [("SIGINT", 22), ("SIGTERM", 8)])
    def test_the_command_that_an_interruption_names_finishes_the_run(
        self, learnt_once: Path, name: str, at: int
    ) -> None:
        ended = shell(shlex.join(["journeyman", "learn", *TINY]), STOP_WITH=name, STOP_AT=str(at))
        assert ended.returncode == 130 and ended.stdout == ""
        assert "Traceback" not in ended.stderr and ended.stderr.count("Interrupted") == 1
        said, command = ended.stderr.splitlines()[-2:]
        assert said == "Interrupted; what was finished is kept. Go on with:"
        run = Path("runs/elite-tiny-tidy-v0-001")
        assert RunFolder.open(run).status == "interrupted"
        assert len(RunFolder.open(run).summaries()) < 11

        again = shell(command)
        assert again.returncode == 0, again.stderr
        same(run, learnt_once)

    def test_a_run_that_is_killed_is_named_by_the_next(
        self, journeyman: Command, learnt_once: Path
    ) -> None:
        killed = shell(
            shlex.join(["journeyman", "learn", *TINY]), STOP_WITH="SIGKILL", STOP_AT="22"
        )
        assert killed.returncode in (-9, 137)
        other = journeyman("learn", *TINY, "--tasks", 1)
        [command] = [line for line in other.err.splitlines() if "Go on with: " in line]
        words = shlex.split(command.partition("Go on with: ")[2])
        assert words[0] == "journeyman" and journeyman(*words[1:]).code == 0
        same(Path("runs/elite-tiny-tidy-v0-001"), learnt_once)


def test_two_runs_without_a_name_that_begin_at_once_both_finish(learnt_once: Path) -> None:
    learn = shlex.join(["journeyman", "learn", *TINY])
    ended = shell(f"{learn} & {learn} & wait")
    assert "Traceback" not in ended.stderr and ended.stdout.count("status") == 2
    for number in (1, 2):
        same(Path(f"runs/elite-tiny-tidy-v0-00{number}"), learnt_once)


class TestPipes:
    def test_a_reader_that_leaves_early_is_no_error(self, learnt: Path) -> None:
        """More than a pipe holds is written, so that the writer meets the closed end."""
        text = "x" * 100_000
        with StrategyPool.open(learnt / "memory.db", embedder=HashingEmbedder()) as pool:
            pool.edit("S1", text)
        for command in ("memory export first", "memory show first"):
            ended = shell(f"journeyman {command} | head -1; exit ${{PIPESTATUS[0]}}")
            assert (ended.returncode, ended.stderr) == (0, ""), command
            assert len(ended.stdout.splitlines()) == 1

    def test_a_run_whose_progress_nobody_reads_stops_to_be_resumed(self, learnt_once: Path) -> None:
        learn = shlex.join(["journeyman", "learn", *TINY, "--out", "run"])
        ended = shell(f"set -o pipefail; {learn} 2>&1 >table | true")
        assert ended.returncode == 130 and ended.stderr == ""
        assert RunFolder.open(Path("run")).status == "interrupted"
        assert shell(learn).returncode == 0
        same(Path("run"), learnt_once)


@contextmanager
def disk(folder: Path, size_kb: int) -> Iterator[None]:
    """A disk of that size at ``folder``; skips where none may be mounted."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("size_kb", [4, 40, 200, 400])
def test_a_run_that_filled_the_disk_goes_on_when_there_is_room(
    journeyman: Command, tmp_path: Path, learnt_once: Path, size_kb: int
) -> None:
    """400 KB hold some episodes, 4 not even the folder's first files."""
    run = tmp_path / "disk" / "run"
    with disk(tmp_path / "disk", size_kb):
        ended = journeyman("learn", *TINY, "--out", run)
        assert ended.code == 2 and "Traceback" not in ended.err
        said = ended.err.splitlines()[-2:]
        assert "No space left on device" in said[0] or "disk" in said[0]
        assert "the same command" in said[1]

        more = ["mount", "-o", "remount,size=50m", str(tmp_path / "disk")]
        subprocess.run(more, check=True)
        assert journeyman("learn", *TINY, "--out", run).code == 0
        same(run, learnt_once)


class TestTerminal:
    def test_a_terminal_gets_a_bar_and_a_line_an_episode(self) -> None:
        master, terminal = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.tiny_journeyman", "learn", *TINY, "--out", "run"],
            env=_environment({"COLUMNS": "80", "TERM": "xterm"}),
            stdout=subprocess.PIPE,
            stderr=terminal,
        )
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(master)
        assert process.stdout is not None
        table = process.stdout.read().decode()
        assert process.wait(60) == 0
        text = shown.decode()
        assert "learning" in text and "/11" in text and "solved" in text
        assert "Put the key on the table." in text and "✗" in text and "✓" in text
        assert "Report: run/report.html" in table and "\x1b" not in table

    def test_an_encoding_without_the_characters_ends_nothing(self, learnt: Path) -> None:
        with StrategyPool.open(learnt / "memory.db", embedder=HashingEmbedder()) as pool:
            pool.edit("S1", "Open the chest \N{EM DASH} first.")
        ended = shell("journeyman memory diff first 0", PYTHONIOENCODING="latin-1")
        assert ended.returncode == 0, ended.stderr
        assert "Open the chest ? first." in ended.stdout

    def test_the_module_is_the_command(self) -> None:
        command = [sys.executable, "-m", "journeyman", "learn", "--embedder", "hashing"]
        ended = subprocess.run(
            [*command, "--tasks", "2", "--json"],
            env=_environment({}),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert set(json.loads(ended.stdout)) >= KEYS
