"""Every Python block and every `journeyman` command of the README works as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from journeyman.cli import COMMANDS, cli

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
LINES = re.findall(r"`(journeyman [^`]*)`", README.read_text("utf-8"))


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    promised = re.search(r"print\(run\)  # (.*)", block)
    if promised:
        assert promised[1] in capsys.readouterr().out


@pytest.mark.parametrize("line", sorted(set(LINES)))
def test_a_command_names_real_commands_and_options(line):
    context = command = None
    words = shlex.split(line)[1:]
    if words == ["--help"]:
        return
    assert words[0] in COMMANDS
    context = cli.make_context("journeyman", [words[0]], resilient_parsing=True)
    command = cli.get_command(context, words[0])
    if hasattr(command, "commands"):
        command = command.get_command(context, words[1])
        assert command is not None, words[1]
    known = {option for parameter in command.params for option in parameter.opts}
    for word in words:
        if word.startswith("--"):
            assert word in known, f"{line}: {word}"
