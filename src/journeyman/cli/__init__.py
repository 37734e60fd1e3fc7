"""The command line: one module a command, each imported when it is asked for.

Exit codes: 0 done, 2 something the user can mend, 1 a bug, 130 interrupted (resumable).
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from journeyman import __version__

COMMANDS = {
    "learn": "Attempt tasks, reflect, and get better (ELITE on household tasks by default).",
    "eval": "Evaluate the frozen memory of a run on a task set.",
    "compare": "Compare two runs task by task.",
    "show": "Show a run, or one of its episodes step by step.",
    "report": "Write the page that shows a run.",
    "memory": "Read, compare, correct, restore and export what was learnt.",
    "models": "Fetch a small real model, and list those in the cache folder.",
    "list": "List what can be asked for by name.",
    "check": "Check an environment against its contract.",
    "doctor": "Say what this machine can do and what was left unfinished.",
}


class _Commands(click.Group):
    """Knows the commands by name and one line; imports a command's module on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"journeyman.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from journeyman.core.errors import UnknownName

        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            raise UnknownName("command", name, COMMANDS, hint="See them with: journeyman --help")
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="journeyman")
def cli() -> None:
    """Embodied agents that get better at their job by doing it.

    Try: journeyman learn
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit; errors that the user can mend show no traceback."""
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if args is None else args)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a character it lacks ends no program
    try:
        result: Any = cli.main(
            args=words, prog_name="journeyman", standalone_mode=False, obj=tuple(words)
        )
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        _tell(error.format_message(), error)
        return 2
    except click.Abort:
        _tell("Interrupted.")
        return 130
    except (BrokenPipeError, SystemExit):  # the latter is how click ends where a pipe is closed
        _drop_what_nobody_reads()
        return 0
    except Exception as error:
        from journeyman.cli.options import Interrupted, printable
        from journeyman.core.errors import JourneymanError

        if isinstance(error, Interrupted):
            _tell(str(error))
            return 130
        if not isinstance(error, JourneymanError):
            raise
        hint = error.hint or f"See: {_help_of(words)}"
        _tell(printable(f"{type(error).__name__}: {error.message}\n  {hint}"))
        return error.exit_code


def _tell(text: str, error: click.ClickException | None = None) -> None:
    """On stderr, where somebody still reads it."""
    try:
        if error is None:
            click.echo(text, err=True)
        else:
            error.show()
    except BrokenPipeError:
        _drop_what_nobody_reads()


def _help_of(words: Sequence[str]) -> str:
    """The help of the command that was asked for: ``journeyman memory edit --help``."""
    depth = 2 if words[:1] in (["memory"], ["models"]) else 1
    return " ".join(["journeyman", *words[:depth], "--help"])


def _drop_what_nobody_reads() -> None:
    """Closed pipes are no error: what is still to be written to them goes nowhere."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is None:
            continue
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
