"""The real VIMA-Bench from a user's checkout; nothing of it is part of this package."""

from __future__ import annotations

from journeyman.envs.adapters.vimabench.env import VimaBenchEnv

__all__ = ["VimaBenchEnv"]
