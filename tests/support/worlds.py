"""The tiny world and its model in the registry, for tests that ask for parts by name."""

from __future__ import annotations

from journeyman.core.registry import Registry
from tests.support.tiny_env import ENV_ID

MODEL = "tidy-model"


def register(registry: Registry) -> None:
    """As an installed package would: see `journeyman.core.registry`."""
    registry.env(ENV_ID, "tests.support.tiny_env:TinyEnv")
    registry.model(MODEL, "tests.support.scripted:TidyModel")
