"""How well the stand-in reads procedural rules in sentences that nobody wrote for it.

Both corpora were written without knowledge of the reader, and its author saw no sentence of them.
He did see the figures of ``rules.json`` by rule while he worked, so that they are no clean measure
any more; ``reserve.json`` was kept from him altogether. Per rule, the paraphrases are the positives
and the near misses the negatives. The tables go to the terminal; the sentences that were read
wrongly do not. The floors are what the frozen reader reaches, a little below: they guard it, and
are no claim of quality.
"""

import json
import re
from pathlib import Path

import pytest

import journeyman
from journeyman.models.standin.reading import rules_in

RULES = (
    "open_before_put",
    "open_to_take",
    "sink_before_faucet",
    "take_back",
    "heat_inside_closed",
    "cool_by_closing",
    "one_at_a_time",
    "find_before_put",
    "lamp_while_holding",
    "stack_then_carry",
    "second_instance",
    "slice_then_pick",
)
STANDIN = Path(journeyman.__file__).parent / "models" / "standin"
CORPORA = {
    name: json.loads(
        (Path(__file__).parent / "corpus" / f"{name}.json").read_text(encoding="utf-8"),
    )
    for name in ("rules", "reserve")
}
CORPUS = CORPORA["rules"]
FLOORS = {"rules": (0.85, 0.72), "reserve": (0.80, 0.65)}
"""Precision and recall."""
SHARED_WORDS = 5


def entries(rule, corpus=CORPUS):
    return corpus[rule]["paraphrases"] + corpus[rule]["near_misses"]


def every_entry():
    return [
        entry for corpus in CORPORA.values() for rule in RULES for entry in entries(rule, corpus)
    ]


def words(text):
    return re.findall(r"[a-z0-9]+", text.lower())


def runs_of_words(text):
    found = words(text)
    length = min(SHARED_WORDS, len(found))
    return {" ".join(found[i : i + length]) for i in range(len(found) - length + 1)}


def ratio(part, whole):
    return part / whole if whole else 0.0


def counted(corpus):
    """Per rule: right positives, wrong positives, positives, and readings in foreign sentences."""
    read = {e["text"]: rules_in(e["text"]) for rule in RULES for e in entries(rule, corpus)}
    table = {}
    for rule in RULES:
        hits = sum(rule in read[e["text"]] for e in corpus[rule]["paraphrases"])
        false = sum(rule in read[e["text"]] for e in corpus[rule]["near_misses"])
        elsewhere = sum(
            rule in read[e["text"]] and rule not in e.get("also", ())
            for other in RULES
            if other != rule
            for e in entries(other, corpus)
        )
        table[rule] = (hits, false, len(corpus[rule]["paraphrases"]), elsewhere)
    return table


def test_the_corpus_has_the_twelve_rules_and_no_other():
    assert sorted(CORPUS) == sorted(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_twenty_paraphrases_and_twenty_near_misses(rule):
    assert len(CORPUS[rule]["paraphrases"]) >= 20
    assert len(CORPUS[rule]["near_misses"]) >= 20


def test_no_sentence_occurs_twice():
    texts = [" ".join(words(entry["text"])) for entry in every_entry()]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("rule", RULES)
def test_what_a_sentence_also_states_is_another_of_the_rules(rule):
    for entry in entries(rule):
        assert set(entry.get("also", ())) <= set(RULES) - {rule}, entry["text"]


def test_reading_and_corpus_share_no_run_of_five_words():
    files = sorted(p for p in STANDIN.rglob("*") if p.is_file() and p.suffix != ".pyc")
    assert any(p.suffix == ".py" for p in files)
    shared = []
    for path in files:
        source = f" {' '.join(words(path.read_text(encoding='utf-8')))} "
        shared += [
            f"{path.name}: {run}"
            for entry in every_entry()
            for run in sorted(runs_of_words(entry["text"]))
            if f" {run} " in source
        ]
    assert not shared, "\n".join(shared)


@pytest.mark.parametrize("name", CORPORA)
def test_overall_precision_and_recall_on_held_out_sentences(name, capsys):
    corpus = CORPORA[name]
    counts = counted(corpus)
    lines = [
        f"{'rule':<20}{'precision':>10}{'recall':>8}{'read':>9}{'misread':>9}{'elsewhere':>11}",
    ]
    for rule, (hits, false, positives, elsewhere) in counts.items():
        precision, recall = ratio(hits, hits + false), ratio(hits, positives)
        negatives = len(corpus[rule]["near_misses"])
        lines.append(
            f"{rule:<20}{precision:>10.2f}{recall:>8.2f}{f'{hits}/{positives}':>9}"
            f"{f'{false}/{negatives}':>9}{elsewhere:>11}"
        )
    hits, false, positives, elsewhere = (
        sum(column) for column in zip(*counts.values(), strict=True)
    )
    negatives = sum(len(corpus[rule]["near_misses"]) for rule in RULES)
    precision, recall = ratio(hits, hits + false), ratio(hits, positives)
    lines.append(
        f"{'all':<20}{precision:>10.2f}{recall:>8.2f}{f'{hits}/{positives}':>9}"
        f"{f'{false}/{negatives}':>9}{elsewhere:>11}"
    )
    lines.append(
        "elsewhere: read in a sentence about another rule that is not marked as stating it"
    )
    with capsys.disabled():
        print(f"\nReading procedural rules, {name}.json\n" + "\n".join(lines))
    assert precision >= FLOORS[name][0]
    assert recall >= FLOORS[name][1]
