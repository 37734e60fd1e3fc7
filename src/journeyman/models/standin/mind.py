"""Which rules the stand-in has in an episode: by profile, luck, lessons heeded or misapplied.

Every chance is a digest of the seed, the instruction and what it is about, so that the same prompt
gets the same answer. The numbers are stated in ``docs/stand-in.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from journeyman.core import seeding
from journeyman.models.standin.belief import Belief
from journeyman.models.standin.grounding import Intent
from journeyman.models.standin.profiles import Profile
from journeyman.models.standin.prompts import Entry
from journeyman.models.standin.reading import RULES, rules_in
from journeyman.models.standin.words import word_set

RECOVERY = 0.25
HEED = 0.95
LOAD_RELATED = 0.05
LOAD_NEUTRAL = 0.06
LOAD_OTHER = 0.12
LURE = 0.35
LURE_HALF = 12
LURES = word_set(
    "open_before_put open_to_take sink_before_faucet heat_inside_closed cool_by_closing"
    " one_at_a_time lamp_while_holding stack_then_carry slice_then_pick"
)
"""Rules whose step can be applied where it does not belong."""

_BY_KIND = {
    "simple": "open_before_put open_to_take find_before_put",
    "two": "open_before_put open_to_take find_before_put second_instance one_at_a_time",
    "movable": "open_before_put open_to_take find_before_put stack_then_carry",
    "look": "open_to_take lamp_while_holding",
    "clean": "open_before_put open_to_take find_before_put sink_before_faucet take_back",
    "heat": "open_before_put open_to_take find_before_put heat_inside_closed take_back",
    "cool": "open_before_put open_to_take find_before_put cool_by_closing take_back",
}


def relevant(intent: Intent) -> frozenset[str]:
    """The rules that an intent's procedure has a place for."""
    rules = frozenset(_BY_KIND[intent.kind].split())
    return rules | {"one_at_a_time", "slice_then_pick"} if intent.sliced else rules


@dataclass(frozen=True)
class Mind:
    """What the stand-in goes by in one call.

    Attributes:
        seed, instruction: What chances are drawn from.
        rules: The rules it has now.
        lure: A rule of another procedure that it follows by mistake, or empty.
    """

    seed: int
    instruction: str
    rules: frozenset[str] = frozenset(RULES)
    lure: str = ""
    heeded: tuple[str, ...] = field(default=())
    """Aliases of the lessons that taught it something here."""

    def chance(self, *about: str) -> float:
        return seeding.uniform("stand-in", self.seed, self.instruction, *about)

    def choice(self, about: str, options: int) -> int:
        """Which of ``options`` ways it goes; the same throughout an episode."""
        return min(int(self.chance("choice", about) * options), options - 1)


@lru_cache(maxsize=256)
def known_rules(profile: Profile, seed: int) -> frozenset[str]:
    """The rules that a profile has from the start: all, none, or drawn by the seed by group."""
    known: set[str] = set()
    for group, counts in profile.groups:
        names = group.split()
        stream = seeding.stream(seed, "stand-in", "rules", group)
        count = counts[int(stream.integers(len(counts)))]
        known.update(names[int(i)] for i in stream.permutation(len(names))[:count])
    return frozenset(known)


def mind_of(
    profile: Profile,
    seed: int,
    instruction: str,
    intent: Intent,
    lessons: Sequence[Entry],
    belief: Belief,
) -> Mind:
    """The rules at work in this call, from profile, luck, lessons and telling feedback."""
    mind = Mind(seed, instruction)
    rules = set(known_rules(profile, seed))
    heeded: list[str] = []
    lure = ""
    if profile.heeds and lessons:
        taught = [(entry, rules_in(entry.whole)) for entry in lessons]
        for name in RULES:
            if name not in rules:
                for entry in _heeded(mind, profile, name, taught, intent):
                    rules.add(name)
                    heeded.append(entry.alias)
        if not profile.unlimited:
            lure = _lure(mind, taught, intent)
    for name in RULES:
        if name not in rules and mind.chance("luck", name) < profile.luck:
            rules.add(name)
    told = telling(belief, intent)
    for name in told - rules:
        if mind.chance("recovery", name) < RECOVERY:
            rules.add(name)
    if lure and belief.failures and mind.chance("recovery", "lure") < RECOVERY:
        lure = ""
    return Mind(seed, instruction, frozenset(rules), lure, tuple(heeded))


def load(others: Sequence[frozenset[str]], wanted: frozenset[str]) -> float:
    """How much the other lessons in the prompt weigh on attention.

    Each counts `LOAD_RELATED` where it is about the task's own procedure, `LOAD_NEUTRAL` where it
    teaches nothing, `LOAD_OTHER` where it is about other procedures.
    """
    weight = 0.0
    for taught in others:
        if taught & wanted:
            weight += LOAD_RELATED
        else:
            weight += LOAD_OTHER if taught else LOAD_NEUTRAL
    return weight


def _heeded(
    mind: Mind,
    profile: Profile,
    name: str,
    taught: Sequence[tuple[Entry, frozenset[str]]],
    intent: Intent,
) -> list[Entry]:
    """The lessons that say ``name`` and are not overlooked."""
    wanted = relevant(intent)
    found = []
    for index, (entry, rules) in enumerate(taught):
        if name not in rules:
            continue
        others = [r for i, (_, r) in enumerate(taught) if i != index]
        chance = 1.0 if profile.unlimited else HEED / (1 + load(others, wanted))
        if mind.chance("heed", name, entry.text) < chance:
            found.append(entry)
    return found


def _lure(mind: Mind, taught: Sequence[tuple[Entry, frozenset[str]]], intent: Intent) -> str:
    """A rule of another procedure that it follows by mistake, likelier the more there are."""
    wanted = relevant(intent)
    strange = [(e, sorted(r & LURES)) for e, r in taught if r & LURES and not r & wanted]
    if not strange:
        return ""
    count = len(strange)
    whole = LURE * count / (count + LURE_HALF)
    each = 1 - (1 - whole) ** (1 / count)
    for entry, rules in strange:
        if mind.chance("lure", entry.text) < each:
            return rules[mind.choice(f"lure {entry.text}", len(rules))]
    return ""


def telling(belief: Belief, intent: Intent) -> frozenset[str]:
    """The rules that the feedback so far points at."""
    told: set[str] = set()
    for step in belief.failures:
        message = step.message
        if message.startswith("Putting the object on"):
            told.add("open_before_put")
        elif "is not visible" in message:
            told |= {"open_to_take", "slice_then_pick"} if belief.sliced else {"open_to_take"}
        elif message.startswith("Robot is currently holding"):
            told.add("one_at_a_time")
        elif message.startswith("Robot is not holding") and not step.name.startswith("pick"):
            told.add("take_back")
        elif message.startswith("Turn on action failed") and "Microwave" in step.name:
            told.add("heat_inside_closed")
        elif message.startswith("Cannot find") and belief.sliced:
            told.add("slice_then_pick")
    return frozenset(told)
