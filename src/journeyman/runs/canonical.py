"""What a run came to, without its times, its server's troubles and who paid for its calls.

Equal for a run that was killed and resumed, repeated from a cache or a recording, and one that was
not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from journeyman.runs.folder import RunFolder

NO_RESULTS = ("wall_s", "seconds", "retries", "waited_s", "troubles")


def canonical_episodes(path: Path) -> dict[str, Any]:
    """Summaries and whole episodes of the run at ``path``, times and payment left out."""
    folder = RunFolder.open(path)
    summaries = [_results(line) for line in folder.summaries()]
    episodes = [
        _results(json.loads((path / "episodes" / f"{n:04d}.json").read_text("utf-8")))
        for n in range(len(summaries))
    ]
    return {"summaries": summaries, "episodes": episodes}


def _results(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _results(item) for key, item in value.items() if _is_result(key)}
    if isinstance(value, list):
        return [_results(item) for item in value]
    return value


def _is_result(key: str) -> bool:
    return key not in NO_RESULTS and not key.startswith("repeated_")
