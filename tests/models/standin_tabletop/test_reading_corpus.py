"""How well principles are read in sentences that the stand-in does not write itself.

The author of the reader, who knew its first version, wrote the sentences: 22 paraphrases and ten
near misses or negations a rule. One half was looked at while the reader was widened; the other
half, ``reserve.json``, was scored once, at the end. The floors guard what the reader
reaches.
"""

import json
from pathlib import Path

import pytest

from journeyman.models.standin_tabletop.reading import RULES, stances
from journeyman.models.standin_tabletop.wording import WORDINGS

FOLDER = Path(__file__).parent / "corpus"
CORPORA = {
    name: json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    for name in ("looked_at", "reserve")
}
FLOORS = {"looked_at": (0.97, 0.95), "reserve": (0.9, 0.7)}
"""Precision and recall."""


def test_every_rule_has_twenty_paraphrases_that_reflection_does_not_write():
    own = {text for wordings in WORDINGS.values() for text in wordings}
    for rule in RULES:
        said = [text for corpus in CORPORA.values() for text in corpus[rule]["says"]]
        assert len(set(said) - own) >= 20, rule


@pytest.mark.parametrize("name", CORPORA)
def test_paraphrases_are_read_and_near_misses_refused(name, capsys):
    rows, hits, misses, false = [], 0, 0, 0
    for rule, sentences in CORPORA[name].items():
        read = sum(stances(text).get(rule, 0) > 0 for text in sentences["says"])
        wrong = sum(stances(text).get(rule, 0) > 0 for text in sentences["says_not"])
        rows.append(f"  {rule:16}{read:3} of {len(sentences['says'])} read, {wrong} misread")
        hits, misses, false = hits + read, misses + len(sentences["says"]) - read, false + wrong
    precision, recall = hits / (hits + false), hits / (hits + misses)
    with capsys.disabled():
        print(f"\n{name}: precision {precision:.3f}, recall {recall:.3f}", *rows, sep="\n")
    least_precision, least_recall = FLOORS[name]
    assert precision >= least_precision and recall >= least_recall


def test_negations_are_read_as_denials():
    for text, rule in (
        ("Do not compare the pattern.", "pattern"),
        ("Ignore the shape.", "outline"),
        ("Do not restore anything.", "restore"),
        ("Compare the brightness.", "light"),
        ("Positive angles turn counter-clockwise.", "clockwise"),
        ("Reverse the order of the bases.", "order"),
    ):
        assert stances(text).get(rule) == -1, text
