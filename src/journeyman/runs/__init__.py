"""Run folders: what a run is (`spec`), how it is kept (`folder`, `recorder`)."""

from journeyman.runs.canonical import canonical_episodes
from journeyman.runs.folder import RunFolder, claim_folder
from journeyman.runs.recorder import Recorder
from journeyman.runs.spec import RunSpec, check_settings, merge_spec

__all__ = [
    "Recorder",
    "RunFolder",
    "RunSpec",
    "canonical_episodes",
    "check_settings",
    "claim_folder",
    "merge_spec",
]
