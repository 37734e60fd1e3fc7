"""How outcomes, shares and changes are worded, on the page and on the terminal alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from journeyman.core.values import Add, Operation, Remove, Revise

ENDED = {
    "success": "solved",
    "max_steps": "the step limit",
    "max_invalid_actions": "too many invalid actions",
    "empty_plan": "the planner, with an empty plan",
    "plan_limit": "the limit on plans",
    "truncated": "the environment",
}


@dataclass(frozen=True)
class Verb:
    """How a change is named when memory took it, and when it did not."""

    done: str
    refused: str


VERBS: dict[type[Operation], Verb] = {
    Add: Verb("added", "refused to add"),
    Revise: Verb("revised", "refused to revise"),
    Remove: Verb("removed", "refused to remove"),
}


def verb(operation: Operation) -> Verb:
    return VERBS[type(operation)]


def troubles(usage: Mapping[str, Any]) -> str:
    """What went wrong on the way to the models, in a line; empty where nothing did.

    Args:
        usage: ``unusable``, ``retries``, ``waited_s`` and ``troubles``, as `Run.usage` has them.
    """
    parts = []
    if tries := usage["retries"]:
        times = "once" if tries == 1 else f"{tries:,} times"
        parts.append(f"tried again {times} after {usage['waited_s']:.1f} s of waiting")
    if usage["troubles"]:
        met = sorted(usage["troubles"].items(), key=lambda item: (-item[1], item[0]))
        parts.append("met " + ", ".join(f"{kind} {times:,}x" for kind, times in met))
    if unusable := usage["unusable"]:
        parts.append(f"{unusable:,} unusable repl{'y' if unusable == 1 else 'ies'}")
    return "; ".join(parts)


def counted(strategies: int) -> str:
    return "1 strategy" if strategies == 1 else f"{strategies} strategies"


def steps_word(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def percent(share: float) -> str:
    """A share in [0, 1] as whole percent."""
    return f"{100 * share:.0f} %"


def spread(low: float, high: float) -> str:
    """The bounds of an interval of shares: ``48 to 74 %``."""
    return f"{100 * low:.0f} to {percent(high)}"
