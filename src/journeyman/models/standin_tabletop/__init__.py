"""The stand-in for the tabletop: a deterministic model of rules that looks at the pixels."""

from journeyman.models.standin_tabletop.model import VERSION, StandInTabletop, source_hash
from journeyman.models.standin_tabletop.reading import RULES, stances

__all__ = ["RULES", "VERSION", "StandInTabletop", "source_hash", "stances"]
