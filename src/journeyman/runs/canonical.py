"""A run without its times: equal for a run that was killed and resumed and one that was not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from journeyman.runs.folder import RunFolder


def canonical_episodes(path: Path) -> dict[str, Any]:
    """Summaries and whole episodes of the run at ``path``, with every time left out."""
    folder = RunFolder.open(path)
    summaries = [_without_times(line) for line in folder.summaries()]
    episodes = [
        _without_times(json.loads((path / "episodes" / f"{n:04d}.json").read_text("utf-8")))
        for n in range(len(summaries))
    ]
    return {"summaries": summaries, "episodes": episodes}


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in ("wall_s", "seconds")}
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    return value
