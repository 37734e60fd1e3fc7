"""A call that was made before is not made again; what decides a reply decides its key."""

import json
import multiprocessing
import os
import signal
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage, user
from journeyman.models.cache import CachedModel, ReplyCache, reply_key
from journeyman.models.ledger import Repeated
from journeyman.models.options import ModelOptions
from tests.support.fake_server import ScriptedModel

PICTURE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
OPTIONS = ModelOptions(seed=3)
SCHEMA = {"title": "R", "properties": {"a": {}, "b": {}}}
TOOL = Tool("look", "looks", {"type": "object"})


def cached(path, *replies, options=OPTIONS, id="openai/m"):
    """(the cached model, the model that it asks)"""
    model = ScriptedModel(*replies, id=id)
    return CachedModel(model, options, ReplyCache(path)), model


def key(**changed):
    given = {
        "model": "openai/m",
        "options": OPTIONS,
        "messages": [user(Image(PICTURE), "hello")],
        "schema": SCHEMA,
        "tools": [TOOL],
    }
    return reply_key(**{**given, **changed})


class TestAHit:
    @pytest.mark.compatibility("the cache of replies", "any model", "replies by script")
    def test_is_the_whole_reply_and_asks_nobody(self, tmp_path):
        reply = Completion(
            'half \ud83d and "whole" \u00e9',
            tool_calls=(ToolCall("t1", "look", {"at": [1, {"deep": None}]}),),
            usage=Usage(7, 3, 2),
            model="m-2024",
            finish_reason="length",
            seconds=1.5,
        )
        asking, model = cached(tmp_path / "c.db", reply)
        assert asking.complete([user("hello")]) == reply
        again = asking.complete([user("hello")])
        assert isinstance(again, Repeated)
        assert Completion(**vars(again)) == replace(reply, seconds=0.0)
        assert len(model.asked) == 1

    def test_comes_from_the_file_in_another_handle_and_another_model_object(self, tmp_path):
        cached(tmp_path / "c.db", "first")[0].complete([user("hello")])
        asking, model = cached(tmp_path / "c.db", "second")
        assert asking.complete([user("hello")]).text == "first"
        assert model.asked == []

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_answers_from_a_file_that_can_only_be_read(self, tmp_path):
        cached(tmp_path / "c.db", "first")[0].complete([user("hello")])
        (tmp_path / "c.db").chmod(0o444)
        tmp_path.chmod(0o555)
        try:
            asking, _ = cached(tmp_path / "c.db", "second")
            assert asking.complete([user("hello")]).text == "first"
        finally:
            tmp_path.chmod(0o755)


class TestTheKey:
    @pytest.mark.parametrize(
        "changed",
        [
            {"model": "openai/n"},
            {"options": replace(OPTIONS, temperature=0.5)},
            {"options": replace(OPTIONS, max_tokens=7)},
            {"options": replace(OPTIONS, seed=4)},
            {"dtype": "float32"},
            {"messages": [user(Image(PICTURE), "hello!")]},
            {"messages": [user(Image(PICTURE + 1), "hello")]},
            {"messages": [user("hello", Image(PICTURE))]},
            {"messages": [user("hello")]},
            {"messages": [Message("system", (Image(PICTURE), "hello"))]},
            {"messages": [user(Image(PICTURE), "hello"), user("more")]},
            {"messages": [user(Image(PICTURE), "hel", "lo")]},
            {"messages": [Message("user", (Image(PICTURE), "hello"), (ToolCall("1", "a", {}),))]},
            {"messages": [Message("user", (Image(PICTURE), "hello"), tool_call_id="1")]},
            {"schema": None},
            {"schema": {"title": "R", "properties": {"b": {}, "a": {}}}},
            {"tools": []},
            {"tools": [replace(TOOL, description="sees")]},
        ],
        ids=str,
    )
    def test_changes_with_all_that_decides_a_reply(self, changed):
        assert key(**changed) != key()

    def test_is_the_same_for_another_address_key_or_patience(self):
        elsewhere = replace(
            OPTIONS, base_url="http://elsewhere/v1", key_env="OTHER", timeout_s=1.0, tries=1
        )
        assert key(options=elsewhere) == key()

    def test_takes_a_picture_and_its_stored_hash_for_the_same(self):
        stored = Image(None, Image(PICTURE).sha256)
        assert key(messages=[user(stored, "hello")]) == key()


class TestWhatIsKept:
    @pytest.mark.parametrize(
        "bad",
        [
            Completion("", problem="the reply is empty"),
            Completion("no", problem="the model refused: no"),
        ],
    )
    def test_a_bad_reply_is_not_and_is_asked_for_again(self, tmp_path, bad):
        asking, model = cached(tmp_path / "c.db", bad, "good")
        assert asking.complete([user("hello")]) == bad
        assert asking.complete([user("hello")]).text == "good"
        assert asking.complete([user("hello")]).text == "good"
        assert len(model.asked) == 2

    def test_a_fault_is_not(self, tmp_path):
        class Down(ScriptedModel):
            def complete(self, *_, **__):
                raise ModelUnavailable("down")

        cache = ReplyCache(tmp_path / "c.db")
        with pytest.raises(ModelUnavailable, match="down"):
            CachedModel(Down("x"), OPTIONS, cache).complete([user("hello")])
        assert len(cache) == 0

    def test_the_first_of_two_replies_that_were_asked_for_at_once_stays(self, tmp_path):
        cache = ReplyCache(tmp_path / "c.db")
        cache.keep("k", Completion("first"))
        cache.keep("k", Completion("second"))
        assert cache.find("k").text == "first"

    def test_neither_address_nor_key_is_in_the_file(self, tmp_path, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        options = replace(OPTIONS, base_url="http://private.example/v1")
        cached(tmp_path / "c.db", "good", options=options)[0].complete([user("hello")])
        content = (tmp_path / "c.db").read_bytes()
        assert b"good" in content
        assert b"sk-secret" not in content and b"private.example" not in content


def test_what_it_stands_for_shows_through(tmp_path):
    class Seeing(ScriptedModel):
        sees_images = True
        caveat = "made up"
        prompt_profiles = ("faithful",)

    asking = CachedModel(Seeing("x", id="openai/s"), OPTIONS, ReplyCache(tmp_path / "c.db"))
    assert (asking.id, asking.sees_images, asking.caveat) == ("openai/s", True, "made up")
    assert asking.prompt_profiles == ("faithful",)


def test_a_model_in_this_process_answers_for_its_own_precision(tmp_path):
    """The option may say ``auto``; what counts is what the model computes in."""

    def reply(dtype, text):
        model = ScriptedModel(text, id="hf/m")
        model.dtype = dtype
        asking = CachedModel(model, OPTIONS, ReplyCache(tmp_path / "c.db"))
        return asking.complete([user("hello")]).text

    assert reply("float32", "exact") == "exact"
    assert reply("bfloat16", "rounded") == "rounded"
    assert reply("float32", "not asked") == "exact"


class TestAFileThatIsNone:
    @pytest.mark.parametrize("content", [b"this is a diary, not a database" * 40, b"\x00" * 4096])
    def test_is_refused_by_name_and_left_as_it_is(self, tmp_path, content):
        path = tmp_path / "c.db"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=r"c\.db cannot be used: file is not a database"):
            ReplyCache(path)
        assert path.read_bytes() == content

    def test_another_programs_database_is_refused(self, tmp_path):
        connection = sqlite3.connect(tmp_path / "c.db")
        connection.execute("CREATE TABLE mine (x)")
        connection.close()
        with pytest.raises(ConfigError, match="is a database, but no cache of replies"):
            ReplyCache(tmp_path / "c.db")

    @pytest.mark.parametrize("where", ["", "missing/c.db"])
    def test_a_folder_and_a_file_in_none_are_refused(self, tmp_path, where):
        with pytest.raises(ConfigError, match="unable to open database file"):
            ReplyCache(tmp_path / where)

    def test_damage_in_the_middle_is_a_fault_that_names_the_file(self, tmp_path):
        path = tmp_path / "c.db"
        asking, _ = cached(path, "x" * 20_000)
        for number in range(8):
            asking.complete([user(str(number))])
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
        with pytest.raises(ModelUnavailable, match=r"c\.db cannot be used.*malformed") as caught:
            asking.complete([user("3")])
        assert "--cache" in caught.value.hint

    @pytest.mark.parametrize("reply", ["{", "[]", '{"text": "x"}', "null"])
    def test_a_damaged_entry_is_a_fault(self, tmp_path, reply):
        cache = ReplyCache(tmp_path / "c.db")
        cache.keep("k", Completion("x"))
        connection = sqlite3.connect(tmp_path / "c.db")
        with connection:
            connection.execute("UPDATE reply SET reply = ?", (reply,))
        connection.close()
        with pytest.raises(ModelUnavailable, match="the entry k is damaged"):
            cache.find("k")


def _fill(path, first, count):
    asking, _ = cached(path, "shared")
    for number in range(first, first + count):
        asking.complete([user(f"prompt {number}")])


def _fill_and_die(path):
    cache = ReplyCache(path)
    cache.keep("kept", Completion("whole"))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO reply VALUES ('torn', ?)", (json.dumps("x" * 100_000),))
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.compatibility("the cache of replies", "any model", "replies by script")
def test_several_processes_share_a_file(tmp_path):
    """Four processes of 20 prompts each, half of them everyone's: none is lost, none is locked."""
    path = tmp_path / "c.db"
    forking = multiprocessing.get_context("fork")
    workers = [forking.Process(target=_fill, args=(path, 10 * i, 20)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    assert len(ReplyCache(path)) == 50


def test_a_kill_in_the_middle_of_a_write_leaves_what_was_kept(tmp_path):
    path = tmp_path / "c.db"
    worker = multiprocessing.get_context("fork").Process(target=_fill_and_die, args=(path,))
    worker.start()
    worker.join(30)
    assert worker.exitcode == -signal.SIGKILL
    cache = ReplyCache(path)
    assert cache.find("kept").text == "whole"
    assert cache.find("torn") is None
    cache.keep("next", Completion("x"))
    assert len(cache) == 2
