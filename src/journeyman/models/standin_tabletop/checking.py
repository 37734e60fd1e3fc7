"""The consistency checks: describe closely, compare words, read actions back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from journeyman.core.messages import Message
from journeyman.models.standin_tabletop.deeds import deeds, same_errand, table, told
from journeyman.models.standin_tabletop.errands import bare
from journeyman.models.standin_tabletop.eyes import enlargement, look
from journeyman.models.standin_tabletop.prompts import field, pictures
from journeyman.models.standin_tabletop.seeking import COLOURS, fits_words, sought

CLOSELY = frozenset({"colours", "pattern"})


def describe_reply(message: Message) -> dict[str, Any]:
    """Each picture by itself, every group of features: closer than a match looks."""
    said = []
    shown = pictures(message)
    factor = enlargement(shown.values())
    for name, picture in shown.items():
        number = re.search(r"\d+", name)
        seen = look(picture, factor)
        if number:
            features = seen.features if seen is not None else "nothing can be seen"
            said.append({"picture": int(number.group()), "features": features})
    return {"pictures": said}


def check_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """Whether the descriptions of each match are of the same thing."""
    verdicts = []
    for block in re.split(r"\n\s*\n", parts.get("Matches", "")):
        number = re.search(r"^Match (\d+)", block, re.MULTILINE)
        target = re.search(r"^Target (.*?): (.*)$", block, re.MULTILINE)
        entity = re.search(r"^Entity \d+: (.*)$", block, re.MULTILINE)
        if not (number and target and entity):
            continue
        differing = differences(target.group(2), entity.group(1))
        verdicts.append(
            {
                "match": int(number.group(1)),
                "consistent": not differing,
                "reason": f"Different {' and '.join(differing)}." if differing else "Alike.",
            }
        )
    return {"verdicts": verdicts}


def features_of(text: str) -> dict[str, str]:
    """``colours: red; pattern: plain`` as a table."""
    pairs = re.findall(r"(colours|pattern|outline|holes|size): ([^;]+?)(?=;|\.|$)", text)
    return {key: value.strip() for key, value in pairs}


def differences(target: str, entity: str) -> list[str]:
    """The groups of features in which two descriptions differ; small differences are let pass."""
    one, other = features_of(target), features_of(entity)
    if not other:
        return []
    if not one:
        wanted = sought(target)
        if not wanted.colours:
            return []
        fit = fits_words(wanted, entity, CLOSELY)
        return [] if fit >= 0.45 else ["colours" if fit < 0.25 else "pattern"]
    found = []
    colours = [
        {word for word in re.findall("[a-z]+", said.get("colours", "")) if word in COLOURS}
        for said in (one, other)
    ]
    shared = len(colours[0] & colours[1]) / max(1, len(colours[0] | colours[1]))
    if shared < 0.5:
        found.append("colours")
    if one.get("pattern") != other.get("pattern"):
        found.append("pattern")
    if one.get("outline") != other.get("outline"):
        found.append("outline")
    long = [
        float(m.group(1)) if (m := re.search(r"(\d+) pixels", s.get("size", ""))) else 0.0
        for s in (one, other)
    ]
    if min(long) < 0.7 * max(long) or one.get("holes") != other.get("holes"):
        found.append("size")
    plain = "plain" in (one.get("pattern"), other.get("pattern")) and "pattern" in found
    serious = shared < 0.34 or plain or len(found) >= 2
    return found if serious else []


def regenerate_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """The instruction that the executed actions carry out."""
    on = table(parts.get("Environment", ""))
    return {"instruction": told(deeds(parts.get("Executed actions", ""), on), on)}


def compare_reply(parts: Mapping[str, str]) -> dict[str, Any]:
    """Whether two instructions ask for the same."""
    said = parts.get("Instructions", "")
    original, regenerated = field(said, "Original"), field(said, "Regenerated")
    if bare(original) == bare(regenerated):
        return {"consistent": True, "reason": "They say the same."}
    consistent, reason = same_errand(original, regenerated)
    return {"consistent": consistent, "reason": reason}
