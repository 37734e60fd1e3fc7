"""Lessons to rules: what a text teaches, understood from its concepts, their order and polarity."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType

from journeyman.models.standin.clauses import Text, parse
from journeyman.models.standin.evidence import DENIED, Votes
from journeyman.models.standin.rules_companions import (
    second_instance,
    slice_then_pick,
    stack_then_carry,
)
from journeyman.models.standin.rules_doors import open_before_put, open_to_take
from journeyman.models.standin.rules_hands import (
    find_before_put,
    lamp_while_holding,
    one_at_a_time,
)
from journeyman.models.standin.rules_treatment import (
    cool_by_closing,
    heat_inside_closed,
    sink_before_faucet,
    take_back,
)

RULES = MappingProxyType(
    {
        "open_before_put": "open a closed container before putting something in",
        "open_to_take": "open the container that hides the thing, then take it",
        "sink_before_faucet": "put the thing in the sink, then turn on the faucet",
        "take_back": "after cleaning, heating or cooling, pick the thing up again",
        "heat_inside_closed": "microwave: put in, close, turn on",
        "cool_by_closing": "fridge: put in, close the door",
        "one_at_a_time": "the hand holds one thing: put it down before picking up another",
        "find_before_put": "go to the destination right before putting down",
        "lamp_while_holding": "hold the thing, go to the lamp and switch it on",
        "stack_then_carry": "put the thing into the movable vessel, then carry the vessel",
        "second_instance": "for two things fetch another instance for the second",
        "slice_then_pick": "cut, put the knife away, pick the piece up right there",
    }
)

_JUDGES: dict[str, Callable[[Text], Votes]] = {
    "open_before_put": open_before_put,
    "open_to_take": open_to_take,
    "sink_before_faucet": sink_before_faucet,
    "take_back": take_back,
    "heat_inside_closed": heat_inside_closed,
    "cool_by_closing": cool_by_closing,
    "one_at_a_time": one_at_a_time,
    "find_before_put": find_before_put,
    "lamp_while_holding": lamp_while_holding,
    "stack_then_carry": stack_then_carry,
    "second_instance": second_instance,
    "slice_then_pick": slice_then_pick,
}


@lru_cache(maxsize=4096)
def stances(text: str) -> MappingProxyType[str, int]:
    """The rules that ``text`` speaks of: +1 where it asserts one, -1 where it denies one."""
    parsed = parse(text)
    found: dict[str, int] = {}
    for name, judge in _JUDGES.items():
        votes = [vote for vote in judge(parsed) if vote]
        if votes:
            found[name] = 1 if max(votes) > 0 and min(votes) > DENIED else -1
    return MappingProxyType(found)


def rules_in(text: str) -> frozenset[str]:
    """The names in `RULES` that ``text`` asserts affirmatively."""
    return frozenset(name for name, stance in stances(text).items() if stance > 0)
