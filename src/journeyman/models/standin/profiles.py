"""Profiles: what the stand-in knows from the start and how it treats lessons."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

ALL = (
    "open_before_put open_to_take sink_before_faucet take_back heat_inside_closed cool_by_closing"
    " one_at_a_time find_before_put lamp_while_holding stack_then_carry second_instance"
    " slice_then_pick"
)

DRAWN = (
    ("sink_before_faucet lamp_while_holding stack_then_carry second_instance", (2,)),
    ("heat_inside_closed cool_by_closing", (1,)),
    ("take_back one_at_a_time slice_then_pick", (1, 2, 3, 3)),
    ("open_before_put open_to_take find_before_put", (2,)),
)
"""From each group the seed draws one of the counts, then so many rules: six to eight of twelve."""


@dataclass(frozen=True)
class Profile:
    """How a stand-in is made.

    Attributes:
        name: After ``stand-in/``.
        summary: One line for lists.
        groups: (rules, numbers of which the seed draws how many of them are known).
        heeds: Whether lessons can teach it anything.
        unlimited: Whether it overlooks none of them and follows no wrong one.
        luck: Chance that it does a rule it lacks right in an episode.
    """

    name: str
    summary: str
    groups: tuple[tuple[str, tuple[int, ...]], ...] = DRAWN
    heeds: bool = True
    unlimited: bool = False
    luck: float = 0.15


PROFILES = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile("default", "knows about half of the rules, by seed, attends to few lessons"),
            Profile(
                "ignores-lessons", "as default, but no lesson teaches it anything", heeds=False
            ),
            Profile("unlimited-attention", "as default, but overlooks no lesson", unlimited=True),
            Profile("novice", "knows no rule and has no luck", groups=(), luck=0.0),
            Profile("expert", "knows every rule", groups=((ALL, (12,)),)),
        )
    }
)
