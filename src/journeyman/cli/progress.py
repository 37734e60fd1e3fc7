"""Progress of a run on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from journeyman.cli.options import Interrupted, one_line
from journeyman.core.events import EpisodeEnded, EpisodeStarted, Event, ModelCalled
from journeyman.core.values import Applied


@contextmanager
def watching(what: str, *, resume: str, quiet: bool = False) -> Iterator[Callable[[Event], None]]:
    """A listener that shows the run, called ``what``; SIGTERM ends it as Ctrl-C does.

    Args:
        resume: The command that goes on where the run is interrupted.
        quiet: Show nothing.

    Raises:
        Interrupted: with the words to say.
    """
    before = signal.getsignal(signal.SIGTERM)

    def terminated(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminated)
    watcher: _Watcher = _Quiet() if quiet else _Bar(what) if sys.stderr.isatty() else _Lines()
    try:
        yield watcher
    except KeyboardInterrupt:
        said = f"Interrupted; what was finished is kept. Go on with:\n  {resume}"
        raise Interrupted(said) from None
    finally:
        watcher.close()
        signal.signal(signal.SIGTERM, before)


class _Watcher:
    """Counts what happens; subclasses show it."""

    def __init__(self) -> None:
        self.total = 0
        self.done = self.successes = self.calls = self.tokens = 0
        self.first_ended = 0.0
        self.ended_here = 0

    def __call__(self, event: Event) -> None:
        match event:
            case EpisodeStarted(_, _, total, done):
                self.done, self.total = done, total
            case ModelCalled(call):
                usage = call.completion.usage
                self.calls += 1
                self.tokens += usage.prompt_tokens + usage.completion_tokens
                self.tick()
            case EpisodeEnded(episode, applied):
                self.ended_here += episode.trial == 0  # tasks, however often they are tried
                self.first_ended = self.first_ended or monotonic()
                self.done += 1
                self.successes += episode.outcome.task_success
                self.show(
                    episode.number,
                    episode.outcome.task_success,
                    learnt(applied),
                    (f"trial {episode.trial + 1}: " if episode.trial else "")
                    + one_line(episode.task.instruction),
                )

    def numbers(self) -> str:
        rate = f"{self.successes}/{self.ended_here} solved"
        return f"{rate}  {self.calls} calls  {self.tokens / 1000:.0f}k tokens"

    def left(self) -> str:
        """From the second episode on: the first also loads what all of them need."""
        if self.ended_here < 2:
            return ""
        each_s = (monotonic() - self.first_ended) / (self.ended_here - 1)
        left_s = each_s * (self.total - self.done)
        return f"{left_s:.0f} s left" if left_s < 120 else f"{left_s / 60:.0f} min left"

    def tick(self) -> None: ...

    def show(self, number: int, success: bool, change: str, instruction: str) -> None:
        """Tell of episode ``number``, counted from 0 as everywhere."""
        raise NotImplementedError

    def close(self) -> None: ...


class _Quiet(_Watcher):
    def show(self, number: int, success: bool, change: str, instruction: str) -> None:
        """Nothing."""


class _Lines(_Watcher):
    """One plain line an episode."""

    def show(self, number: int, success: bool, change: str, instruction: str) -> None:
        mark = "solved" if success else "failed"
        begin = f"episode {number:>2} {mark}  {change:<8}"
        parts = (begin, self.numbers(), self.left(), instruction)
        try:
            print("  ".join(part for part in parts if part), file=sys.stderr, flush=True)
        except BrokenPipeError:  # nobody watches any more: stop, to be resumed
            raise KeyboardInterrupt from None


class _Bar(_Watcher):
    """A line an episode and, beneath them, a bar with success, calls, tokens and time left."""

    def __init__(self, what: str) -> None:
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
        self._task = self._progress.add_task(what, total=None, numbers="")
        self._progress.start()

    def tick(self) -> None:
        self._progress.update(
            self._task,
            total=self.total or None,
            completed=self.done,
            numbers=f"{self.numbers()}  {self.left()}",
        )

    def show(self, number: int, success: bool, change: str, instruction: str) -> None:
        from rich.text import Text

        mark = Text("✓", "green") if success else Text("✗", "red")
        line = Text(f"{number:>4} ") + mark + Text(f" {change:<8} ", "dim") + Text(instruction)
        self._progress.console.print(line, no_wrap=True, overflow="ellipsis")
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
