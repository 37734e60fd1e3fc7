"""`memory`: read, compare, correct, restore, erase, carry elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from journeyman.core.registry import registry
from tests.cli.conftest import TINY, Command
from tests.cli.test_learn import one_line

OPEN_FIRST = "Open the chest before taking a thing from it or putting one in."


def texts(journeyman: Command, memory: object) -> list[str]:
    return [s["text"] for s in journeyman("memory", "show", memory, "--json").document]


def test_an_unknown_command_is_refused_with_the_nearest_and_all_there_are(
    journeyman: Command,
) -> None:
    ended = journeyman("memory", "histry", "run")
    assert ended.code == 2 and "Did you mean 'history'?" in ended.err
    ended = journeyman("memory", "rollback", "run", 3)
    assert ended.code == 2 and "restore" in ended.err and "Usage" not in ended.err


class TestReading:
    def test_the_strategies_are_shown_with_teacher_and_uses(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("memory", "show", learnt)
        assert ended.code == 0
        said = one_line(ended.out)
        assert "S1 Open first episode 0" in said
        assert ended.out.splitlines()[-1] == "4 strategies at version 11 of 11"

    def test_an_older_version_is_shown_as_it_was(self, journeyman: Command, learnt: Path) -> None:
        assert texts(journeyman, f"{learnt}@1") == [OPEN_FIRST]
        assert journeyman("memory", "show", f"{learnt}@0").out.startswith("The pool is empty.")

    def test_a_memory_file_is_as_good_as_its_run(self, journeyman: Command, learnt: Path) -> None:
        assert texts(journeyman, learnt / "memory.db") == texts(journeyman, learnt)

    def test_history_tells_every_change(self, journeyman: Command, learnt: Path) -> None:
        ended = journeyman("memory", "history", learnt)
        lines = ended.out.splitlines()
        assert lines[0] == "v1   delta  episode 0 (tidy-10)"
        assert lines[1] == "      add    e0001  Open first"
        changes = journeyman("memory", "history", learnt, "--json").document
        assert [change["version"] for change in changes] == list(range(1, 12))

    def test_history_of_an_entry_tells_of_no_other(self, journeyman: Command, learnt: Path) -> None:
        journeyman("memory", "edit", learnt, "S1", "--text", "Look into the chest.")
        out = journeyman("memory", "history", learnt, "S1").out
        assert out.count("e0001") == 2 and "e0002" not in out
        assert "v12  delta  human" in out

    def test_diff_says_what_came_and_went(self, journeyman: Command, learnt: Path) -> None:
        there = journeyman("memory", "diff", learnt, 0, 1).out
        assert there == f"+ e0001 Open first: {OPEN_FIRST}\n"
        assert journeyman("memory", "diff", learnt, 1, 0).out == f"-{there[1:]}"
        assert journeyman("memory", "diff", learnt, 1, 1).out == "no difference\n"
        found = journeyman("memory", "diff", learnt, 1, "--json").document
        assert (found["before"], found["after"], len(found["added"])) == (1, 11, 3)

    def test_blame_names_the_teacher_and_every_use(self, journeyman: Command, learnt: Path) -> None:
        lines = journeyman("memory", "blame", learnt, "S1").out.splitlines()
        assert lines[0] == "e0001: living"
        assert lines[1] == "  v1  written by episode 0 (tidy-10)"
        uses = [line for line in lines if ": rank " in line]
        assert f"  used in {len(uses)} episodes, {len(uses)} of them solved" in lines
        assert uses[0].startswith("      episode 1 (tidy-01): rank 1, similarity ")
        document = journeyman("memory", "blame", learnt, "e0001", "--json").document
        assert len(document["used"]) == len(uses) and document["living"] is True

    def test_lessons_of_another_run_are_named_with_it(
        self, journeyman: Command, learnt: Path
    ) -> None:
        journeyman("learn", *TINY, "--memory", learnt, "--tasks", 1, "--out", "next")
        out = journeyman("memory", "blame", "next", "S1").out
        assert "written by episode 0 of elite-" in out

    def test_an_evaluation_says_whose_memory_it_used(
        self, journeyman: Command, learnt: Path
    ) -> None:
        journeyman("eval", learnt, "--tasks", 1, "--out", "with")
        ended = journeyman("memory", "show", "with")
        assert ended.code == 2
        assert ended.err.splitlines() == [
            "ConfigError: with is an evaluation and has no memory of its own.",
            "  It used: journeyman memory show first@11",
        ]

    @pytest.mark.parametrize(
        "words",
        [
            ("history", "first@1"),
            ("blame", "first@1", "S1"),
            ("edit", "first@1", "S1", "--text", "other"),
            ("restore", "first@1", "0"),
            ("purge", "first@1", "S1", "--yes"),
            ("export", "first@1"),
            ("reembed", "first@1", "--embedder", "hashing"),
        ],
    )
    def test_a_version_is_refused_where_it_would_be_ignored(
        self, journeyman: Command, learnt: Path, words: tuple[str, ...]
    ) -> None:
        before = journeyman("memory", "export", learnt).out
        ended = journeyman("memory", *words)
        assert ended.code == 2 and "leave '@1' out" in ended.err
        assert journeyman("memory", "export", learnt).out == before


class TestCorrecting:
    def test_an_edit_is_a_new_revision(self, journeyman: Command, learnt: Path) -> None:
        ended = journeyman("memory", "edit", learnt, "S1", "--text", " Look inside. ")
        assert (ended.code, ended.out) == (0, "version 12\n")
        first = journeyman("memory", "show", learnt, "--json").document[0]
        assert (first["id"], first["revision"], first["text"]) == ("e0001", 2, "Look inside.")
        assert first["title"] == "Open first"
        journeyman("memory", "edit", learnt, "e0001", "--title", "Peep", "--when", "at the chest")
        first = journeyman("memory", "show", learnt, "--json").document[0]
        assert (first["title"], first["applies_when"]) == ("Peep", "at the chest")
        assert first["text"] == "Look inside."

    @pytest.mark.parametrize(
        ("words", "why"),
        [
            (("--text", ""), "refused: the text is empty"),
            (("--text", OPEN_FIRST), "refused: nothing would change"),
        ],
    )
    def test_a_refused_edit_changes_nothing_and_says_why(
        self, journeyman: Command, learnt: Path, words: tuple[str, ...], why: str
    ) -> None:
        before = texts(journeyman, learnt)
        ended = journeyman("memory", "edit", learnt, "S1", *words)
        assert (ended.code, ended.out) == (2, "") and why in ended.err
        assert texts(journeyman, learnt) == before

    def test_an_unknown_strategy_is_refused_before_anything_is_logged(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("memory", "edit", learnt, "S11", "--text", "words")
        assert ended.code == 2 and "no strategy 'S11'. Did you mean 'S1'?" in ended.err
        assert journeyman("memory", "show", learnt).out.endswith("at version 11 of 11\n")

    def test_no_editor_opens_without_a_terminal(self, journeyman: Command, learnt: Path) -> None:
        ended = journeyman("memory", "edit", learnt, "S1")
        assert ended.code == 2 and "--text" in ended.err

    def test_an_old_version_comes_back_as_a_new_one(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("memory", "restore", learnt, 1)
        assert (ended.code, ended.out) == (0, "version 12\n")
        assert texts(journeyman, learnt) == [OPEN_FIRST]
        assert journeyman("memory", "restore", learnt, 11, "--json").document["version"] == 13
        assert texts(journeyman, learnt) == texts(journeyman, f"{learnt}@11")


class TestErasing:
    def test_purge_shows_the_entry_and_asks(
        self, journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def answer(question: str, **_: object) -> bool:
            asked.append(question)
            return len(asked) > 1

        monkeypatch.setattr("click.confirm", answer)
        no = journeyman("memory", "purge", learnt, "S1")
        assert no.code == 2 and "nothing was erased" in no.err and no.out == ""
        assert f"e0001 Open first: {OPEN_FIRST}" in no.err
        assert OPEN_FIRST in texts(journeyman, learnt)
        yes = journeyman("memory", "purge", learnt, "S1")
        assert yes.code == 0 and "e0001 is erased from the memory file." in yes.out
        assert asked == ["Erase e0001 for good?"] * 2

    def test_no_answer_is_a_no(
        self, journeyman: Command, learnt: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Path("/dev/null").open() as nothing:
            monkeypatch.setattr("sys.stdin", nothing)
            ended = journeyman("memory", "purge", learnt, "S1")
        assert ended.code == 2 and "nothing was erased" in ended.err and "--yes" in ended.err
        assert OPEN_FIRST in texts(journeyman, learnt)

    def test_what_is_erased_is_gone_from_the_file(self, journeyman: Command, learnt: Path) -> None:
        assert OPEN_FIRST.encode() in (learnt / "memory.db").read_bytes()
        document = journeyman("memory", "purge", learnt, "S1", "--yes", "--json").document
        assert document["entry"] == "e0001" and document["version"] == 12
        assert OPEN_FIRST.encode() not in (learnt / "memory.db").read_bytes()
        assert OPEN_FIRST not in journeyman("memory", "export", learnt).out

    def test_an_unknown_entry_is_refused_without_a_question(
        self, journeyman: Command, learnt: Path
    ) -> None:
        ended = journeyman("memory", "purge", learnt, "S99")
        assert ended.code == 2 and "never held an entry 'S99'" in ended.err
        assert "for good?" not in ended.err


class TestCarrying:
    def test_equal_runs_export_equal_memories(self, journeyman: Command, learnt: Path) -> None:
        journeyman("learn", *TINY, "--out", "second")
        first = journeyman("memory", "export", learnt)
        assert first.code == 0 and len(first.document["entries"]) == 4
        assert journeyman("memory", "export", "second").out == first.out

    def test_an_export_is_imported_exactly(self, journeyman: Command, learnt: Path) -> None:
        assert journeyman("memory", "export", learnt, "m.json").out == "written to m.json\n"
        ended = journeyman("memory", "import", "m.json", "new.db", "--embedder", "hashing")
        assert (ended.code, ended.out) == (0, "4 strategies in new.db\n")
        journeyman("memory", "export", "new.db", "again.json")
        assert Path("again.json").read_bytes() == Path("m.json").read_bytes()
        assert journeyman("memory", "blame", "new.db", "S1").code == 0

    def test_an_imported_memory_can_be_edited_and_learnt_from(
        self, journeyman: Command, learnt: Path
    ) -> None:
        journeyman("memory", "export", learnt, "m.json")
        journeyman("memory", "import", "m.json", "new.db", "--embedder", "hashing")
        assert journeyman("memory", "edit", "new.db", "S1", "--text", "Look inside.").code == 0
        ended = journeyman("learn", *TINY, "--memory", "new.db", "--tasks", 1, "--out", "next")
        assert ended.code == 0 and "Look inside." in texts(journeyman, "next@12")

    def test_a_failed_import_leaves_no_file(self, journeyman: Command) -> None:
        Path("bad.json").write_text("{}")
        ended = journeyman("memory", "import", "bad.json", "new.db", "--embedder", "hashing")
        assert ended.code == 2 and ended.err.startswith("DataError:")
        assert sorted(path.name for path in Path.cwd().iterdir()) == ["bad.json"]

    def test_nothing_is_imported_over_a_memory(self, journeyman: Command, learnt: Path) -> None:
        journeyman("memory", "export", learnt, "m.json")
        before = Path("m.json").read_bytes()
        memory = learnt / "memory.db"
        ended = journeyman("memory", "import", "m.json", memory, "--embedder", "hashing")
        assert ended.code == 2 and "holds a memory already" in ended.err
        journeyman("memory", "export", learnt, "m.json")
        assert Path("m.json").read_bytes() == before

    def test_an_embedding_with_another_embedder_keeps_every_word(
        self, journeyman: Command, learnt: Path
    ) -> None:
        before = journeyman("memory", "export", learnt).document
        registry().embedder("small", "journeyman.models.embedders:HashingEmbedder", dim=16)
        ended = journeyman("memory", "reembed", learnt, "--embedder", "small")
        assert ended.code == 0
        assert ended.out == "9 wordings embedded again with small.\n"
        assert journeyman("memory", "export", learnt).document == before
        edited = journeyman("memory", "edit", learnt, "S1", "--text", "Look inside.")
        assert edited.code == 0, "an edit uses the embedder of the file, not that of its run"


def test_an_export_is_the_same_on_stdout_and_in_a_file(journeyman: Command, learnt: Path) -> None:
    journeyman("memory", "export", learnt, "m.json")
    text = Path("m.json").read_text("utf-8")
    assert journeyman("memory", "export", learnt).out == text
    assert json.loads(text)
