"""A learning run in a process of its own that kills itself at the moment it is told.

    python -m tests.support.mortal OUT MOMENT

Moments are counted through the run: each model call, each step of the world, and before and after
each write that is meant to last (a sync, a rename, a transaction of the memory). 0 never kills; the
number of moments that passed is printed at the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from journeyman import api
from journeyman.core.registry import registry
from journeyman.memory.store import Store
from journeyman.runs import RunSpec
from tests.support import worlds
from tests.support.scripted import TidyModel
from tests.support.tiny_env import TinyEnv

SPEC = RunSpec(
    env=(worlds.DRAWN_ENV_ID,), model=worlds.SEEING_MODEL, embedder="hashing", seed=3, tasks=8
)


class Clock:
    """Counts moments; at the given one the process is gone as if its plug were pulled."""

    def __init__(self, deadly: int) -> None:
        self.deadly = deadly
        self.passed = 0

    def tick(self) -> None:
        self.passed += 1
        if self.passed == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def ticking(*args: Any, **kwargs: Any) -> Any:
            self.tick()
            result = function(*args, **kwargs)
            self.tick()
            return result

        return ticking

    def around_block(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def ticking(*args: Any) -> Iterator[None]:
            self.tick()
            with method(*args):
                yield
                self.tick()
            self.tick()

        return ticking


def main(out: Path, moment: int) -> None:
    worlds.register(registry())
    clock = Clock(moment)
    os.fsync = clock.around(os.fsync)
    Path.replace = clock.around(Path.replace)  # type: ignore[method-assign]
    Store.transaction = clock.around_block(Store.transaction)  # type: ignore[method-assign]
    TidyModel.complete = clock.around(TidyModel.complete)  # type: ignore[method-assign]
    TinyEnv.step = clock.around(TinyEnv.step)  # type: ignore[method-assign]
    run = api.run_spec(SPEC, out)
    assert run.status == "complete"
    print(clock.passed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
