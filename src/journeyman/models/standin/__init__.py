"""The stand-in: a deterministic, rule-based model for machines without a model."""

from journeyman.models.standin.model import VERSION, StandIn, source_hash
from journeyman.models.standin.reading import RULES, rules_in

__all__ = ["RULES", "VERSION", "StandIn", "rules_in", "source_hash"]
