"""Progress of a run on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from journeyman.core.events import EpisodeEnded, EpisodeStarted, Event, ModelCalled
from journeyman.core.values import Applied


@contextmanager
def watching(*, quiet: bool = False, resume: str = "") -> Iterator[Callable[[Event], None]]:
    """A listener that shows the run; on interruption says how to go on.

    SIGTERM ends a run as Ctrl-C does. ``quiet`` shows nothing.
    """
    before = signal.getsignal(signal.SIGTERM)

    def terminated(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminated)
    watcher: _Watcher = _Quiet() if quiet else _Bar() if sys.stderr.isatty() else _Lines()
    try:
        yield watcher
    except KeyboardInterrupt:
        watcher.close()
        if resume:
            print(
                f"Interrupted; what was finished is kept. Go on with:\n  {resume}", file=sys.stderr
            )
        raise
    finally:
        watcher.close()
        signal.signal(signal.SIGTERM, before)


class _Watcher:
    """Counts what happens; subclasses show it."""

    def __init__(self) -> None:
        self.total = 0
        self.done = self.successes = self.calls = self.tokens = 0
        self.began = time.monotonic()
        self.ended_here = 0

    def __call__(self, event: Event) -> None:
        match event:
            case EpisodeStarted(number, _, total):
                self.done, self.total = number, total
            case ModelCalled(call):
                usage = call.completion.usage
                self.calls += 1
                self.tokens += usage.prompt_tokens + usage.completion_tokens
                self.tick()
            case EpisodeEnded(episode, applied):
                self.ended_here += 1
                self.done = episode.number + 1
                self.successes += episode.outcome.task_success
                self.show(
                    episode.number, episode.outcome.task_success, episode.task.instruction, applied
                )

    def numbers(self) -> str:
        rate = f"{self.successes}/{self.ended_here} solved"
        return f"{rate}  {self.calls} calls  {self.tokens / 1000:.0f}k tokens"

    def left(self) -> str:
        if not self.total or not self.ended_here:
            return ""
        each = (time.monotonic() - self.began) / self.ended_here
        return f"{each * (self.total - self.done):.0f} s left"

    def tick(self) -> None: ...

    def show(self, number: int, success: bool, instruction: str, applied: Applied | None) -> None:
        raise NotImplementedError

    def close(self) -> None: ...


class _Quiet(_Watcher):
    def show(self, number: int, success: bool, instruction: str, applied: Applied | None) -> None:
        """Nothing."""


class _Lines(_Watcher):
    """One plain line an episode."""

    def show(self, number: int, success: bool, instruction: str, applied: Applied | None) -> None:
        mark = "solved" if success else "failed"
        print(
            f"episode {number + 1} {mark}  {learnt(applied):<12} {self.numbers()}  {self.left()}  "
            f"{instruction}".rstrip(),
            file=sys.stderr,
            flush=True,
        )


class _Bar(_Watcher):
    """A line an episode and, beneath them, a bar with success, calls, tokens and time left."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[numbers]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("learning", total=None, numbers="")
        self._progress.start()

    def tick(self) -> None:
        self._progress.update(
            self._task,
            total=self.total or None,
            completed=self.done,
            numbers=f"{self.numbers()}  {self.left()}",
        )

    def show(self, number: int, success: bool, instruction: str, applied: Applied | None) -> None:
        from rich.markup import escape

        mark = "[green]✓[/green]" if success else "[red]✗[/red]"
        self._progress.console.print(
            f"{number + 1:>4} {mark} {escape(instruction)}  [dim]{learnt(applied)}[/dim]"
        )
        self.tick()

    def close(self) -> None:
        self._progress.stop()


def learnt(applied: Applied | None) -> str:
    """What an episode changed in memory: ``+2 ~1 -1`` added, revised, removed."""
    if applied is None:
        return ""
    counts = {"add": 0, "revise": 0, "remove": 0}
    for verdict in applied.verdicts:
        counts[verdict.operation.op] += verdict.accepted
    shown = zip("+~-", counts.values(), strict=True)
    return " ".join(f"{sign}{count}" for sign, count in shown if count)
