"""The stand-in as a model: identity, profiles, determinism, and what it knows nothing of."""

import hashlib
from pathlib import Path

import pytest

import journeyman
from journeyman.core.errors import UnknownName
from journeyman.core.messages import user
from journeyman.models.loading import load_model
from journeyman.models.standin_tabletop import VERSION, StandInTabletop, source_hash
from journeyman.models.standin_tabletop.reading import RULES
from tests.models.standin_tabletop.rendering import model

FOLDER = Path(journeyman.__file__).parent / "models" / "standin_tabletop"


def test_its_id_names_profile_version_and_source():
    digest = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    assert source_hash() == digest.hexdigest()[:8]
    made = load_model("stand-in-tabletop/expert", seed=3)
    assert made.id == f"stand-in-tabletop/expert@{VERSION}-{source_hash()}"
    assert load_model("stand-in-tabletop").id.startswith("stand-in-tabletop/default@")


def test_an_unknown_profile_is_refused_with_the_known_ones():
    with pytest.raises(UnknownName, match="experts"):
        StandInTabletop("stand-in-tabletop/experts")


def test_the_expert_knows_every_rule_and_the_default_about_half():
    assert model("expert").mind.start == frozenset(RULES)
    assert {len(model("default", seed).mind.start) for seed in range(10)} == {6}


def test_what_it_has_no_answer_to_gets_one_sentence():
    said = model().complete([user("## Task\nInstruction: sing.\n\n## Reply\nText.")])
    assert "no answer" in said.text and not said.tool_calls


def test_it_imports_nothing_of_environments_methods_or_memory():
    for path in FOLDER.glob("*.py"):
        text = path.read_text("utf-8")
        for layer in ("envs", "methods", "memory", "learning", "runs", "api"):
            assert f"journeyman.{layer}" not in text, path.name
