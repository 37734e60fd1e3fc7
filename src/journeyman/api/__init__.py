"""Learn, evaluate, compare, open: the one place that wires the parts together."""

from journeyman.api.evaluation import compare, evaluate, overlap
from journeyman.api.parts import (
    NoMemory,
    choose_tasks,
    load_roles,
    make,
    make_method,
    method_settings,
    open_session,
    parse_memory,
    tasks,
)
from journeyman.api.preview import Preview, preview
from journeyman.api.run import Comparison, Run, open_run
from journeyman.api.running import learn, new_folder, resume_command, run_spec, unfinished

__all__ = [
    "Comparison",
    "NoMemory",
    "Preview",
    "Run",
    "choose_tasks",
    "compare",
    "evaluate",
    "learn",
    "load_roles",
    "make",
    "make_method",
    "method_settings",
    "new_folder",
    "open_run",
    "open_session",
    "overlap",
    "parse_memory",
    "preview",
    "resume_command",
    "run_spec",
    "tasks",
    "unfinished",
]
