"""Which rules are held in a trial: from the start, by luck, from lessons that are heeded.

Every chance is a digest of the seed and of what it is about, so the same prompt gets the same
answer. The numbers are stated in ``docs/stand-in-tabletop.md``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from journeyman.core import seeding
from journeyman.models.standin_tabletop.profiles import Profile
from journeyman.models.standin_tabletop.reading import PLANNER, stances

LUCK = {"perceive": 0.2, "plan": 0.3}
"""Chance that a rule it lacks is followed in a task, by what the rule is about."""
HEED = 0.85
"""Chance that the only principle of a prompt is heeded, and that a suggestion is."""
LOAD = 0.08
"""How much every other principle of the prompt divides the chance that one is heeded."""


@dataclass(frozen=True)
class Mind:
    """The constant part: profile and seed."""

    profile: Profile
    seed: int

    def chance(self, *about: Hashable) -> float:
        """A number in [0, 1) for this mind."""
        return seeding.uniform("stand-in-tabletop", self.seed, *about)

    @property
    def start(self) -> frozenset[str]:
        """The rules known from the start."""
        known: set[str] = set()
        for rules, count in self.profile.groups:
            ordered = sorted(rules.split(), key=lambda rule: self.chance("start", rule))
            known.update(ordered[:count])
        return frozenset(known)

    def holds(
        self,
        rules: Sequence[str],
        principles: Sequence[str],
        suggestions: Sequence[str],
        *task: Hashable,
    ) -> frozenset[str]:
        """Those of ``rules`` that guide it now.

        Args:
            rules: Those of the module.
            principles, suggestions: As its prompt lists them.
            task: What the chances belong to: the instruction, what is on the table.
        """
        start = self.start
        luck = LUCK["plan" if set(rules) <= set(PLANNER) else "perceive"]
        held = {r for r in rules if r in start or self.chance("luck", r, *task) < luck}
        if not self.profile.heeds:
            return frozenset(held)
        heed = HEED / (1 + LOAD * max(0, len(principles) - 1))
        told = [(text, heed) for text in principles] + [(text, HEED) for text in suggestions]
        for text, share in told:
            if not self.profile.unlimited and self.chance("heed", text, *task) >= share:
                continue
            for rule, stance in stances(text).items():
                if rule in rules:
                    (held.add if stance > 0 else held.discard)(rule)
        return frozenset(held)
