"""EEAgent (Evolvable Embodied Agent with long short-term reflection): a module a concept."""

from journeyman.methods.eeagent.eeagent import EEAgent
from journeyman.methods.eeagent.memory import LongShortMemory

__all__ = ["EEAgent", "LongShortMemory"]
