"""The run folder: what is written is whole, what is broken is named, what is locked is left."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from journeyman.core.errors import ConfigError, RunError
from journeyman.core.messages import Completion, ModelCall, user
from journeyman.runs import RunFolder, RunSpec, claim_folder
from journeyman.runs.folder import FORMAT, write_atomically
from tests.runs.examples import PICTURE, episode

SPEC = RunSpec(env=("tiny/tidy-v0",), seed=4, settings={"k": 2})


def made(tmp_path: Path, **header: Any) -> RunFolder:
    return RunFolder.create(tmp_path / "run", {"spec": SPEC.model_dump(mode="json"), **header})


class TestOpening:
    def test_what_was_created_can_be_opened(self, tmp_path: Path) -> None:
        made(tmp_path, id="elite-1", status="running")
        folder = RunFolder.open(tmp_path / "run")
        assert folder.spec == SPEC and folder.status == "running"
        assert folder.header["id"] == "elite-1" and folder.header["format"] == FORMAT
        assert folder.summaries() == [] and folder.pending() == [] and folder.faults() == []

    def test_the_folders_above_are_made(self, tmp_path: Path) -> None:
        RunFolder.create(tmp_path / "a" / "b", {"spec": SPEC.model_dump(mode="json")})
        assert RunFolder.exists(tmp_path / "a" / "b")

    def test_a_folder_with_other_things_in_it_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "thesis.tex").write_text("all my work")
        with pytest.raises(RunError, match="not empty and holds no run") as caught:
            made(tmp_path)
        assert "--out" in caught.value.hint
        assert [item.name for item in (tmp_path / "run").iterdir()] == ["thesis.tex"]

    def test_what_a_kill_left_while_the_folder_was_made_does_not_hinder(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "run" / "episodes").mkdir(parents=True)
        (tmp_path / "run" / "run.json.part").write_text('{"for')
        (tmp_path / "run" / ".lock").touch()
        assert made(tmp_path).spec == SPEC

    def test_of_two_that_make_a_run_in_one_folder_the_first_keeps_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The second finds no run there, as yet; the first is done before the second writes."""
        lock = RunFolder.lock
        first: list[RunFolder] = []

        def overtaken(folder: RunFolder) -> Any:
            monkeypatch.setattr(RunFolder, "lock", lock)
            first.append(made(tmp_path, id="first"))
            return lock(folder)

        monkeypatch.setattr(RunFolder, "lock", overtaken)
        with pytest.raises(RunError, match="has just begun a run"):
            made(tmp_path, id="second")
        assert first and RunFolder.open(tmp_path / "run").header["id"] == "first"

    def test_no_run_there_says_how_to_make_one(self, tmp_path: Path) -> None:
        assert not RunFolder.exists(tmp_path / "none")
        for path in (tmp_path / "none", tmp_path):
            with pytest.raises(RunError, match="holds no run") as caught:
                RunFolder.open(path)
            assert "journeyman learn --out" in caught.value.hint

    def test_another_format_says_which_version_reads_it(self, tmp_path: Path) -> None:
        made(tmp_path, versions={"journeyman": "9.1.0"})
        file = tmp_path / "run" / "run.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "format": FORMAT + 1}))
        with pytest.raises(RunError, match=f"format {FORMAT + 1}.*reads {FORMAT}") as caught:
            RunFolder.open(tmp_path / "run")
        assert "journeyman 9.1.0" in caught.value.hint

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("{", "cannot be read"),
            ("[]", "key 'spec' is missing"),
            ("{}", "key 'spec' is missing"),
            ('"spec"', "key 'spec' is missing"),
        ],
    )
    def test_a_broken_header_is_named(self, tmp_path: Path, text: str, words: str) -> None:
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(RunError, match=rf"run\.json.*{words}"):
            RunFolder.open(tmp_path)

    def test_a_specification_that_this_version_does_not_know_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "run.json").write_text(
            json.dumps({"format": FORMAT, "spec": {"seed": 1, "future": True}})
        )
        with pytest.raises(ConfigError, match=r"run\.json: future: "):
            RunFolder.open(tmp_path)


class TestSameSpecification:
    def test_budgets_and_addresses_may_differ(self, tmp_path: Path) -> None:
        made(tmp_path).check_same(SPEC.model_copy(update={"budget_tokens": 9, "tries": 1}))

    def test_each_field_that_differs_is_named_with_both_values(self, tmp_path: Path) -> None:
        other = SPEC.model_copy(update={"seed": 5, "settings": {"k": 3}})
        with pytest.raises(RunError) as caught:
            made(tmp_path).check_same(other)
        assert "seed: 4 there, 5 now" in caught.value.message
        assert "settings: {'k': 2} there, {'k': 3} now" in caught.value.message
        assert "another --out" in caught.value.hint


class TestEpisodes:
    def test_an_episode_comes_back_as_it_was_saved(self, tmp_path: Path) -> None:
        folder, saved = made(tmp_path), episode(7)
        folder.save_episode(saved)
        back = folder.episode(7)
        assert back.task == saved.task and back.lessons == saved.lessons
        assert back.outcome == saved.outcome
        assert back.delta is not None and saved.delta is not None
        assert tuple(back.delta.operations) == tuple(saved.delta.operations)
        assert back.delta.reflection == saved.delta.reflection
        assert (back.delta.version, back.delta.reply) == (4, "words")
        assert back.trajectory.plans == saved.trajectory.plans
        assert back.trajectory.steps[0].action == saved.trajectory.steps[0].action
        assert back.trajectory.first_observation.text == "before"
        [call], [was] = back.calls, saved.calls
        assert call.completion == was.completion and call.attempt == 1
        assert call.messages[1] == was.messages[1]
        assert call.messages[0].text == was.messages[0].text

    def test_a_picture_is_kept_beside_it_by_its_hash(self, tmp_path: Path) -> None:
        import numpy as np
        from PIL import Image

        folder = made(tmp_path)
        folder.save_episode(episode())
        [image] = folder.episode(0).calls[0].messages[0].images
        [file] = (folder.path / "media").iterdir()
        assert file.name == f"{image.sha256}.png" and image.array is None
        np.testing.assert_array_equal(np.asarray(Image.open(file)), PICTURE)
        assert str(PICTURE.tolist())[:20] not in (folder.path / "episodes/0000.json").read_text()

    def test_a_picture_that_a_kill_cut_off_is_written_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = made(tmp_path)

        def killed(*args: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            folder.save_episode(episode())
        assert not list((folder.path / "media").glob("*.png")), "no part under its own name"
        monkeypatch.undo()
        folder.save_episode(episode())
        [file] = (folder.path / "media").iterdir()
        assert file.stem == hashlib.sha256(file.read_bytes()).hexdigest()

    @pytest.mark.parametrize(
        "words", ["\ud83d cut off", "nul \x00 and \x1b[31m", "\u2028 line", "{}", "\N{PILE OF POO}"]
    )
    def test_whatever_a_model_writes_can_be_saved_and_read(
        self, tmp_path: Path, words: str
    ) -> None:
        folder = made(tmp_path)
        folder.save_episode(episode(words=words))
        back = folder.episode(0)
        assert len(back.calls[0].completion.text) >= len(words) - 1
        assert back.trajectory.steps[0].feedback[1:] == words[1:]

    def test_no_such_episode_says_how_many_there_are(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        folder.append_summary({"number": 0})
        with pytest.raises(RunError, match=r"no episode 3; it has 1, numbered from 0"):
            folder.episode(3)

    def test_a_broken_episode_is_named_with_the_field(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        folder.save_episode(episode())
        file = folder.path / "episodes" / "0000.json"
        file.write_text(file.read_text().replace('"num_steps": 1', '"num_steps": "many"'))
        with pytest.raises(RunError, match=r"0000\.json is broken at 'outcome\.num_steps'"):
            folder.episode(0)
        file.write_text("{")
        with pytest.raises(RunError, match=r"0000\.json is broken"):
            folder.episode(0)

    def test_an_episode_without_its_line_is_pending(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        folder.save_episode(episode(0))
        assert [e.number for e in folder.pending()] == [0]
        folder.append_summary({"number": 0})
        assert folder.pending() == []
        for number in (1, 2, 4):
            folder.save_episode(episode(number))
        assert [e.number for e in folder.pending()] == [1, 2], "up to the first that is missing"


class TestLines:
    def test_lines_come_back_in_order(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        for number in range(3):
            folder.append_summary({"number": number, "text": "line\nend \u2028"})
        assert [line["number"] for line in folder.summaries()] == [0, 1, 2]
        folder.append_fault({"reason": "down"})
        assert folder.faults() == [{"reason": "down"}]

    @pytest.mark.parametrize("torn", ['{"number": 1, "te', "{", '{"number": 1'])
    def test_a_torn_last_line_is_not_counted_and_is_mended(self, tmp_path: Path, torn: str) -> None:
        folder = made(tmp_path)
        folder.append_summary({"number": 0})
        with (folder.path / "episodes.jsonl").open("a") as stream:
            stream.write(torn)
        assert folder.summaries() == [{"number": 0}]
        folder.mend()
        folder.append_summary({"number": 1})
        assert folder.summaries() == [{"number": 0}, {"number": 1}]

    def test_a_whole_line_without_its_end_is_written_again_and_not_doubled(
        self, tmp_path: Path
    ) -> None:
        folder = made(tmp_path)
        folder.append_summary({"number": 0})
        with (folder.path / "episodes.jsonl").open("a") as stream:
            stream.write('{"number": 1}')
        folder.mend()
        assert folder.summaries() == [{"number": 0}]

    def test_mending_a_file_that_is_one_torn_line_leaves_it_empty(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        (folder.path / "episodes.jsonl").write_text('{"numb')
        folder.mend()
        assert folder.summaries() == []
        folder.mend()

    @pytest.mark.parametrize("broken", ["{", "\x00\x00", "not json"])
    def test_a_broken_line_before_the_last_is_named(self, tmp_path: Path, broken: str) -> None:
        folder = made(tmp_path)
        file = folder.path / "episodes.jsonl"
        file.write_text(f'{{"number": 0}}\n{broken}\n{{"number": 2}}\n')
        with pytest.raises(RunError, match=r"episodes\.jsonl line 2 is broken") as caught:
            folder.summaries()
        assert "Delete that line and those after it" in caught.value.hint


class TestWriting:
    def test_a_file_is_replaced_whole_or_not_at_all(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "run.json"
        write_atomically(file, "old")

        def killed(*args: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(file, "new and longer")
        assert file.read_text() == "old"
        monkeypatch.undo()
        write_atomically(file, "new")
        assert file.read_text() == "new"
        assert [item.name for item in tmp_path.iterdir()] == ["run.json"]

    def test_readers_meanwhile_see_the_old_header(self, tmp_path: Path) -> None:
        folder = made(tmp_path, status="running")
        folder.update(status="complete", planned=11)
        again = RunFolder.open(folder.path)
        assert (again.status, again.header["planned"]) == ("complete", 11)

    @pytest.mark.parametrize("what", ["save_episode", "append_summary", "update"])
    def test_a_full_disk_is_an_error_that_says_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        folder = made(tmp_path)

        def full(*args: Any) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(RunError, match=r"cannot be written: No space left") as caught:
            {
                "save_episode": lambda: folder.save_episode(episode()),
                "append_summary": lambda: folder.append_summary({"number": 0}),
                "update": lambda: folder.update(status="complete"),
            }[what]()
        assert "make room" in caught.value.hint

    def test_a_place_that_cannot_be_a_folder_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for path in (tmp_path / "file", tmp_path / "file" / "run"):
            with pytest.raises(RunError, match="cannot be written"):
                RunFolder.create(path, {"spec": SPEC.model_dump(mode="json")})


class TestClaiming:
    def test_numbers_follow_those_that_are_there_and_other_names_do_not_count(
        self, tmp_path: Path
    ) -> None:
        for name in ("a-002", "a-b-007", "a-old", "ab-009"):
            (tmp_path / "runs" / name).mkdir(parents=True)
        assert claim_folder(tmp_path / "runs", "a") == tmp_path / "runs" / "a-003"
        assert claim_folder(tmp_path / "runs", "c") == tmp_path / "runs" / "c-001"

    def test_who_looked_before_another_made_it_gets_the_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Path, "glob", lambda *_: [])
        claimed = [claim_folder(tmp_path, "a").name for _ in range(3)]
        assert claimed == ["a-001", "a-002", "a-003"]

    def test_threads_that_claim_at_once_get_one_each(self, tmp_path: Path) -> None:
        together = threading.Barrier(8)

        def claim(_: int) -> Path:
            together.wait()
            return claim_folder(tmp_path / "runs", "a")

        with ThreadPoolExecutor(8) as pool:
            claimed = list(pool.map(claim, range(8)))
        assert sorted(path.name for path in claimed) == [f"a-00{n}" for n in range(1, 9)]

    def test_a_place_without_room_for_folders_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "runs").write_text("")
        with pytest.raises(RunError, match="runs cannot be written"):
            claim_folder(tmp_path / "runs", "a")


class TestLock:
    HOLDER = (
        "import sys, pathlib\n"
        "from journeyman.runs import RunFolder\n"
        "with RunFolder.open(pathlib.Path(sys.argv[1])).lock():\n"
        "    print('held', flush=True); sys.stdin.readline()\n"
    )

    def test_a_second_process_is_refused_until_the_first_is_done(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        holder = subprocess.Popen(
            [sys.executable, "-c", self.HOLDER, str(folder.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        try:
            with pytest.raises(RunError, match="another process is writing"), folder.lock():
                pass
        finally:
            holder.communicate("\n", timeout=30)
        with folder.lock():
            assert True

    def test_a_killed_holder_leaves_no_lock_behind(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        holder = subprocess.Popen(
            [sys.executable, "-c", self.HOLDER, str(folder.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        holder.kill()
        holder.communicate(timeout=30)
        with folder.lock():
            assert True

    def test_it_is_given_back_after_an_error(self, tmp_path: Path) -> None:
        folder = made(tmp_path)
        with pytest.raises(ZeroDivisionError), folder.lock():
            raise ZeroDivisionError
        with folder.lock():
            assert True


def test_a_call_with_a_bad_reply_is_kept_with_its_problem(tmp_path: Path) -> None:
    folder = made(tmp_path)
    call = ModelCall("plan", (user("?"),), Completion("", problem="the reply is empty"))
    folder.save_episode(episode(calls=(call,)))
    assert folder.episode(0).calls == (call,)


def test_a_call_that_was_kept_without_its_tools_is_read_as_one_that_had_none(
    tmp_path: Path,
) -> None:
    """As run folders have it that were written before tools were kept."""
    folder = made(tmp_path)
    folder.save_episode(episode())
    assert [tool.name for tool in folder.episode(0).calls[0].tools] == ["look"]
    file = folder.path / "episodes" / "0000.json"
    stored = json.loads(file.read_text("utf-8"))
    del stored["calls"][0]["tools"]
    file.write_text(json.dumps(stored), "utf-8")
    assert folder.episode(0).calls[0].tools == ()
