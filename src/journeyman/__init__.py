"""Journeyman: embodied agents that get better at their job by doing it."""

__version__ = "0.1.0"
