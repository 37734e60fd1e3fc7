"""The tiny world and its model in the registry, for tests that ask for parts by name."""

from __future__ import annotations

from journeyman.core.registry import Registry
from tests.support.tiny_env import ENV_ID

MODEL = "tidy-model"
DRAWN_ENV_ID = "tiny/drawn-v0"
SEEING_MODEL = "tidy-model-that-sees"


def register(registry: Registry) -> None:
    """As an installed package would: see `journeyman.core.registry`."""
    registry.env(ENV_ID, "tests.support.tiny_env:TinyEnv")
    registry.env(DRAWN_ENV_ID, "tests.support.tiny_env:TinyEnv", draw=True)
    registry.model(MODEL, "tests.support.scripted:TidyModel")
    registry.model(SEEING_MODEL, "tests.support.scripted:TidyModel", sees_images=True)
