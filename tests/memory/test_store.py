import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from journeyman.core.errors import MemoryStoreError
from journeyman.core.values import Add, Delta, Origin, Remove, Revise
from journeyman.memory import StrategyPool
from journeyman.memory.store import SCHEMA_VERSION, Store
from tests.memory.embedder import TableEmbedder

fork = multiprocessing.get_context("fork") if hasattr(os, "fork") else None
needs_fork = pytest.mark.skipif(fork is None, reason="needs fork")


def opened(path, **settings):
    return StrategyPool.open(path, embedder=TableEmbedder(), **settings)


def test_the_file_is_written_ahead_and_fully_synchronised(tmp_path):
    store = Store(tmp_path / "m.db")
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "user_version")
    values = [store.rows(f"PRAGMA {pragma}")[0][0] for pragma in pragmas]
    assert values == ["wal", 2, 1, 1, SCHEMA_VERSION]
    store.close()


def test_a_transaction_that_fails_changes_nothing(tmp_path):
    store = Store(tmp_path / "m.db")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.set_setting("a", "1")
        _ = 1 / 0
    assert store.setting("a") is None
    store.close()


@pytest.mark.parametrize("content", [b"hello " * 1000, b"\x00" * 5000, b"SQLite format 3\x00 no"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "m.db"
    path.write_bytes(content)
    with pytest.raises(MemoryStoreError, match=r"m\.db is not a memory file\.") as caught:
        opened(path)
    assert "Give the path of a memory" in caught.value.hint
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "m.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(MemoryStoreError, match="a database of another program, not a memory"):
        opened(path)
    assert path.read_bytes() == before


def test_a_memory_of_another_schema_version_is_refused_with_both_numbers(tmp_path):
    path = tmp_path / "m.db"
    opened(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=7")
    connection.close()
    with pytest.raises(MemoryStoreError, match="schema 7; this version reads 1") as caught:
        opened(path)
    assert "journeyman memory export" in caught.value.hint


def test_an_empty_file_becomes_a_new_memory(tmp_path):
    path = tmp_path / "m.db"
    path.touch()
    with opened(path) as pool:
        assert pool.version == 0


def test_a_missing_file_is_an_error_where_none_may_be_made(tmp_path):
    with pytest.raises(MemoryStoreError, match="there is no memory at"):
        opened(tmp_path / "m.db", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("where", ["nowhere/m.db", "."])
def test_a_missing_folder_or_a_folder_instead_of_a_file_is_an_error(tmp_path, where):
    with pytest.raises(MemoryStoreError, match="cannot be opened"):
        opened(tmp_path / where)


def test_a_locked_file_is_an_error_after_the_wait_and_nothing_changes(tmp_path):
    path = tmp_path / "m.db"
    with opened(path) as one, opened(path, timeout_s=0.05) as two:
        with one._store.transaction(), pytest.raises(MemoryStoreError) as caught:
            two.apply(Delta(0, [Add("a")]))
        assert "is locked by another process; nothing was changed." in caught.value.message
        assert "run the same command again" in caught.value.hint
        assert two.version == 0
        assert two.apply(Delta(0, [Add("a")])).version == 1


def test_a_full_disk_is_an_error_and_nothing_changes(tmp_path):
    with opened(tmp_path / "m.db") as pool:
        pool.apply(Delta(0, [Add("a")]))
        [[pages]] = pool._store.rows("PRAGMA page_count")
        pool._store.rows(f"PRAGMA max_page_count={pages}")
        with pytest.raises(MemoryStoreError, match="the disk is full; nothing was changed"):
            pool.apply(Delta(1, [Add(f"{n} " + "x" * 1900) for n in range(99)]))
        assert pool.version == 1 and len(pool.strategies) == len(pool.vectors) == 1
        pool._store.rows("PRAGMA max_page_count=1000000")
        pool.apply(Delta(1, [Add("b")]))
        assert [s.id for s in pool.strategies] == ["e0001", "e0002"]


def test_a_read_only_file_is_an_error_and_nothing_changes(tmp_path):
    with opened(tmp_path / "m.db") as pool:
        pool.apply(Delta(0, [Add("a")]))
        pool._store.rows("PRAGMA query_only=1")
        with pytest.raises(MemoryStoreError, match="cannot be written; nothing was changed"):
            pool.apply(Delta(1, [Add("b")]))
        assert [s.text for s in pool.strategies] == ["a"]


def test_a_damaged_file_is_an_error(tmp_path):
    path = tmp_path / "m.db"
    with opened(path) as pool:
        pool.apply(Delta(0, [Add(f"text {n}") for n in range(200)]))
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 4096):
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)
    with pytest.raises(MemoryStoreError, match="is damaged") as caught, opened(path) as pool:
        _ = pool.strategies
    assert "journeyman memory import" in caught.value.hint


def test_a_closed_memory_says_so(tmp_path):
    pool = opened(tmp_path / "m.db")
    pool.close()
    pool.close()
    for action in (lambda: pool.version, lambda: pool.strategies, lambda: pool.apply(Delta(0))):
        with pytest.raises(MemoryStoreError, match="is closed"):
            action()


def test_threads_may_share_a_handle(tmp_path):
    with opened(tmp_path / "m.db") as pool:

        def add(name):
            for n in range(10):
                pool.apply(Delta(0, [Add(f"{name} {n}")]))
                pool.nearest(pool.embed("x"), 3)

        threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert pool.version == len(pool.strategies) == 20


def _add_many(path, name, count):
    with opened(path) as pool:
        for n in range(count):
            pool.apply(Delta(pool.version, [Add(f"{name} {n}")]), origin=Origin(name, n))
            _ = pool.strategies


@needs_fork
def test_three_processes_that_make_the_file_and_add_to_it_lose_nothing(tmp_path):
    path, names = tmp_path / "m.db", ("a", "b", "c")
    workers = [fork.Process(target=_add_many, args=(path, name, 15)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    with opened(path) as pool:
        assert pool.version == 45
        assert {s.text for s in pool.strategies} == {f"{x} {n}" for x in names for n in range(15)}
        assert [s.id for s in pool.strategies] == [f"e{n:04d}" for n in range(1, 46)]


def sound(path):
    """The number of versions of a file that must be whole: the log, lives and vectors agree."""
    with opened(path) as pool:
        assert pool._store.rows("PRAGMA integrity_check") == [("ok",)]
        assert pool._store.rows("PRAGMA foreign_key_check") == []
        for version in range(pool.version + 1):
            view = pool.at(version)
            assert len(view.strategies) == len(view.vectors)
        accepted = [v for change in pool.history() for v in change.verdicts if v.accepted]
        [[revisions]] = pool._store.rows("SELECT count(*) FROM revision")
        [[vectors]] = pool._store.rows("SELECT count(*) FROM vector")
        written = sum(not isinstance(verdict.operation, Remove) for verdict in accepted)
        assert revisions == vectors == written
        return pool.version


def _apply_and_die(path, statement):
    """Kill this process the hard way just before its n-th statement to the file."""
    pool = opened(path)
    done = 0

    def count(_):
        nonlocal done
        done += 1
        if done == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    pool._store._open.set_trace_callback(count)
    operations = [Add("c"), Revise("S1", "a2"), Remove("S2", "old"), Add("a")]
    pool.apply(Delta(1, operations, "reply"), origin=Origin("run", 1))
    os._exit(0)


@needs_fork
def test_a_process_killed_before_any_statement_leaves_all_of_the_delta_or_nothing(tmp_path):
    ends = []
    for statement in range(1, 200):
        path = tmp_path / f"{statement}.db"
        with opened(path) as pool:
            pool.apply(Delta(0, [Add("a"), Add("b")]), origin=Origin("run", 0))
        worker = fork.Process(target=_apply_and_die, args=(path, statement))
        worker.start()
        worker.join()
        ends.append((sound(path), worker.exitcode))
        if worker.exitcode == 0:
            break
        with opened(path) as pool:
            assert not pool.apply(Delta(1, [Add("c")]), origin=Origin("run", 1)).repeated
    assert ends[-1] == (2, 0)
    assert set(ends[:-1]) == {(1, -signal.SIGKILL)}
    assert len(ends) > 20


ENDLESS = """
import sys
from journeyman.core.values import Add, Delta, Remove, Revise
from tests.memory.test_store import opened
pool = opened(sys.argv[1])
for n in range(100000):
    pool.apply(Delta(pool.version, [Add(f"a {n}"), Add(f"b {n}"), Revise("S1", f"r {n}")]))
    pool.apply(Delta(pool.version, [Remove("S2")]))
    print(pool.version, flush=True)
"""


def test_a_process_killed_at_any_moment_keeps_what_it_reported(tmp_path):
    path, waits = tmp_path / "m.db", random.Random(0)
    root = Path(__file__).parents[2]
    reported = 0
    for _ in range(3):
        worker = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE, text=True, cwd=root
        )
        first = worker.stdout.readline()
        time.sleep(waits.uniform(0.0, 0.05))
        worker.kill()
        lines = [first, *worker.stdout.read().split("\n")[:-1]]
        worker.wait()
        worker.stdout.close()
        version = sound(path)
        assert version >= int(lines[-1]) > reported
        reported = version
