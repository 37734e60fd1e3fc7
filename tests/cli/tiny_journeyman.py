"""The command line in a process of its own, with the tiny world and its model by name.

    [STOP_WITH=SIGINT STOP_AT=20] python -m tests.cli.tiny_journeyman learn tiny/tidy-v0 ...

With STOP_WITH the process gets that signal while its model is thinking for the STOP_AT-th time.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from journeyman.cli import main
from journeyman.core.registry import registry
from tests.support import worlds
from tests.support.scripted import TidyModel


def stop_in_the_middle(name: str, at: int) -> None:
    if name == "SIGINT":  # what a shell starts in the background inherits it ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
    reply, calls = TidyModel.complete, 0

    def complete(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at:
            os.kill(os.getpid(), getattr(signal, name))
        return reply(*args, **kwargs)

    TidyModel.complete = complete  # type: ignore[method-assign]


if __name__ == "__main__":
    worlds.register(registry())
    if "STOP_WITH" in os.environ:
        stop_in_the_middle(os.environ["STOP_WITH"], int(os.environ["STOP_AT"]))
    main()
