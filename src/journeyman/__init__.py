"""Journeyman: embodied agents that get better at their job by doing it.

A frozen model acts in a world, looks back on each episode, writes down what it learnt in plain
language, and finds the right lesson for the next task. Names load when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Comparison": "journeyman.api",
    "Run": "journeyman.api",
    "compare": "journeyman.api",
    "evaluate": "journeyman.api",
    "learn": "journeyman.api",
    "make": "journeyman.api",
    "make_method": "journeyman.api",
    "open_run": "journeyman.api",
    "open_session": "journeyman.api",
    "tasks": "journeyman.api",
    "EEAgent": "journeyman.methods.eeagent",
    "Elite": "journeyman.methods.elite",
    "IntentRetriever": "journeyman.methods.elite",
    "BaseModel": "journeyman.methods.baselines.base",
    "StrategyPool": "journeyman.memory",
    "ModelRoles": "journeyman.models.roles",
    "ModelOptions": "journeyman.models.options",
    "load_model": "journeyman.models.loading",
    "load_embedder": "journeyman.models.loading",
    "check_env": "journeyman.envs.check",
    "Session": "journeyman.learning",
}

if TYPE_CHECKING:
    from journeyman.api import (
        Comparison,
        Run,
        compare,
        evaluate,
        learn,
        make,
        make_method,
        open_run,
        open_session,
        tasks,
    )
    from journeyman.envs.check import check_env
    from journeyman.learning import Session
    from journeyman.memory import StrategyPool
    from journeyman.methods.baselines.base import BaseModel
    from journeyman.methods.eeagent import EEAgent
    from journeyman.methods.elite import Elite, IntentRetriever
    from journeyman.models.loading import load_embedder, load_model
    from journeyman.models.options import ModelOptions
    from journeyman.models.roles import ModelRoles

__all__ = [
    "BaseModel",
    "Comparison",
    "EEAgent",
    "Elite",
    "IntentRetriever",
    "ModelOptions",
    "ModelRoles",
    "Run",
    "Session",
    "StrategyPool",
    "check_env",
    "compare",
    "evaluate",
    "learn",
    "load_embedder",
    "load_model",
    "make",
    "make_method",
    "open_run",
    "open_session",
    "tasks",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'journeyman' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
