"""Profiles: what the stand-in knows from the start and how it treats what it is taught."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

DRAWN = (
    ("colours pattern outline size", 1),
    ("light container", 1),
    ("clockwise source", 1),
    ("order restore", 1),
    ("blocker all_objects object_to_base", 2),
)
"""From each group the seed draws so many rules that are known from the start: six of thirteen."""

EVERY = (
    ("colours pattern outline size light container", 6),
    ("clockwise order restore blocker source all_objects object_to_base", 7),
)


@dataclass(frozen=True)
class Profile:
    """How a stand-in is made.

    Attributes:
        name: After ``stand-in-tabletop/``.
        groups: (rules, how many of them the seed draws).
        heeds: Whether principles and suggestions change anything.
        unlimited: Whether it overlooks none of them.
    """

    name: str
    summary: str
    groups: tuple[tuple[str, int], ...] = DRAWN
    heeds: bool = True
    unlimited: bool = False


PROFILES = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile(
                "default", "knows six of thirteen rules, by seed; the more, the less attention"
            ),
            Profile("ignores-lessons", "as default, but no lesson changes anything", heeds=False),
            Profile("unlimited-attention", "as default, but overlooks no lesson", unlimited=True),
            Profile("expert", "knows every rule, overlooks nothing", groups=EVERY, unlimited=True),
        )
    }
)
