import copy
import json

import pytest

from journeyman.core.errors import DataError, MemoryStoreError
from journeyman.core.values import Add, Delta, Insight, Origin, Reflection, Remove, Revise, Use
from journeyman.memory import StrategyPool
from journeyman.memory.export import canonical
from tests.memory.embedder import TableEmbedder


def live(pool):
    """Every kind of change once."""
    reflection = Reflection("failure", (Insight("failure_cause", "x", "t", "w"),), None)
    pool.apply(
        Delta(0, [Add("a", plan="p"), Add("b", plan="q"), Add(" A")], "raw ü", None, reflection),
        origin=Origin("run", 0, "reflect", "task", "model"),
    )
    pool.apply(
        Delta(1, [Revise("S1", "a2", kind="success_pattern"), Remove("S2", "harm")]),
        origin=Origin("run", 1),
        uses=[Use("e0001", 1, 1, 0.1 + 0.2, True), Use("e0002", 1, 2, None, False)],
    )
    pool.apply(Delta(2, [], "half", "not JSON"))
    pool.restore(1)
    pool.apply(Delta(4, [Add("private matter")]))
    pool.purge("e0003")
    pool.edit("S1", "a by hand")
    return pool


@pytest.fixture
def document(pool):
    return live(pool).export()


def opened(tmp_path, name="other.db"):
    return StrategyPool.open(tmp_path / name, embedder=TableEmbedder())


def test_two_memories_with_the_same_changes_have_the_same_export(tmp_path, document):
    with opened(tmp_path) as other:
        assert canonical(live(other).export()) == canonical(document)


def test_an_import_is_exact(tmp_path, pool, document):
    with opened(tmp_path) as other:
        other.import_(canonical(document))
        assert other.export() == document
        assert other.history() == pool.history()
        assert other.blame("e0001") == pool.blame("e0001")
        for version in range(pool.version + 1):
            assert other.at(version).strategies == pool.at(version).strategies
            assert (other.at(version).vectors == pool.at(version).vectors).all()


def test_an_imported_memory_goes_on_like_the_one_exported(tmp_path, pool, document):
    with opened(tmp_path) as other:
        other.import_(document)
        for memory in (pool, other):
            memory.apply(Delta(7, [Add("c"), Revise("S2", "b2")]), origin=Origin("run", 2))
            assert memory.apply(Delta(8), origin=Origin("run", 1)).repeated
        assert other.export() == pool.export()


def test_the_canonical_text_is_the_document_and_has_no_time_and_no_vector(document):
    text = canonical(document)
    assert json.loads(text) == document
    assert text == canonical(json.loads(text))
    assert set(document) == {"format", "format_version", "entries", "deltas"}
    assert set(document["deltas"][0]) == {
        "version",
        "cause",
        "seen",
        "origin",
        "reply",
        "error",
        "reflection",
        "verdicts",
        "uses",
    }
    assert "raw ü" in text


def test_a_small_export_by_hand(tmp_path, pool):
    pool.apply(Delta(0, [Add("a", plan="p")]))
    assert pool.export()["entries"] == [
        {
            "entry": "e0001",
            "scope": "strategy",
            "purged": False,
            "revisions": [
                {
                    "revision": 1,
                    "version": 1,
                    "text": "a",
                    "title": "",
                    "applies_when": "",
                    "kind": "avoidance_guideline",
                    "plan": "p",
                    "instruction": "",
                }
            ],
            "lives": [{"revision": 1, "since": 1, "until": None}],
        }
    ]


def test_an_import_into_a_memory_with_a_past_is_refused(pool, document):
    with pytest.raises(MemoryStoreError, match="holds a memory already"):
        pool.import_(document)


def test_an_import_without_an_embedder_says_how_to_have_one(tmp_path, document):
    with (
        StrategyPool.open(tmp_path / "other.db") as other,
        pytest.raises(MemoryStoreError, match="without an embedder"),
    ):
        other.import_(document)


def put(document, path, value):
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = value


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["format"], "zip", "format"),
        (["format_version"], 2, "format_version"),
        (["extra"], 1, "extra"),
        (["entries"], None, "entries"),
        (["entries", 0, "entry"], "e0007", "entries[0].entry"),
        (["entries", 0, "purged"], "no", "entries[0].purged"),
        (["entries", 0, "revisions", 0, "text"], 7, "entries[0].revisions[0].text"),
        (["entries", 0, "revisions", 0, "kind"], "x", "entries[0].revisions[0].kind"),
        (["entries", 0, "revisions", 0, "revision"], 2, "entries[0].revisions[0].revision"),
        (["entries", 0, "revisions", 0, "version"], 99, "entries[0].revisions[0].version"),
        (["entries", 0, "revisions", 0, "version"], 10**30, "entries[0].revisions[0].version"),
        (["entries", 0, "revisions", 1, "version"], 3, "entries[0].lives[1].since"),
        (["entries", 0, "lives", 0, "revision"], 9, "entries[0].lives[0].revision"),
        (["entries", 0, "lives", 0, "until"], 1, "entries[0].lives[0].until"),
        (["entries", 0, "lives", 0, "until"], None, "entries[0].lives[1].since"),
        (["entries", 0, "lives", 0, "until"], 99, "entries[0].lives[0].until"),
        (["entries", 1, "lives", 1, "since"], 99, "entries[1].lives[1].since"),
        (["entries", 2, "purged"], False, "entries[2].revisions"),
        (["entries", 1, "purged"], True, "entries[1].revisions"),
        (["deltas", 0, "version"], 2, "deltas[0].version"),
        (["deltas", 1, "origin", "episode"], 0, "deltas[1].origin"),
        (["deltas", 1, "origin", "episode"], 10**30, "deltas[1].origin.episode"),
        (
            ["deltas", 0, "verdicts", 0, "operation", "op"],
            "drop",
            "deltas[0].verdicts[0].operation",
        ),
        (["deltas", 0, "verdicts", 0, "entry"], "e0042", "deltas[0].verdicts[0].entry"),
        (["deltas", 1, "uses", 0, "revision"], 8, "deltas[1].uses[0]"),
        (["deltas", 1, "uses", 0, "rank"], 10**30, "deltas[1].uses[0].rank"),
        (["deltas", 1, "uses", 0, "similarity"], "near", "deltas[1].uses[0].similarity"),
    ],
)
def test_a_wrong_document_is_refused_with_the_name_of_the_field(
    tmp_path, document, path, value, field
):
    wrong = copy.deepcopy(document)
    put(wrong, path, value)
    with opened(tmp_path) as other:
        with pytest.raises(DataError) as caught:
            other.import_(wrong)
        assert f"not valid at {field}: " in caught.value.message
        assert other.version == 0 and other.export()["entries"] == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '"\\ud800"', '{"format": "journeyman-memory"}']
)
def test_text_that_is_no_export_is_refused(tmp_path, text):
    with opened(tmp_path) as other, pytest.raises(DataError, match="memory export is not valid"):
        other.import_(text)


def test_text_in_a_document_is_data(tmp_path, document):
    hostile = "'); DROP TABLE entry; --"
    put(document, ["entries", 0, "revisions", 0, "text"], hostile)
    put(document, ["entries", 0, "scope"], hostile)
    put(document, ["deltas", 0, "cause"], hostile)
    with opened(tmp_path) as other:
        other.import_(document)
        assert other.export() == document
