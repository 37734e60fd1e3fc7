"""A GGUF file in process: a tiny random Llama, written here byte by byte, run by real llama.cpp."""

import os
import signal
import struct
import sys
import time
import urllib.error
import urllib.request
from typing import Literal

import numpy as np
import pytest
from pydantic import BaseModel

from journeyman.core.errors import ConfigError, MissingExtra, ModelUnavailable, UnknownName
from journeyman.core.messages import Image, Tool, ToolCall, Usage, user
from journeyman.core.registry import registry
from journeyman.models import (
    ModelOptions,
    ModelRoles,
    ToolFunction,
    gguf,
    load_model,
    structured,
)
from journeyman.models.gguf import GgufModel

CONTEXT = 256
TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"


class Choice(BaseModel):
    answer: Literal["yes", "no"]


def text(value):
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def value(content):
    """A metadata value with its type: 4 uint32, 5 int32, 6 float32, 8 string, 9 array."""
    if isinstance(content, str):
        return struct.pack("<I", 8) + text(content)
    if isinstance(content, int):
        return struct.pack("<II", 4, content)
    if isinstance(content, float):
        return struct.pack("<If", 6, content)
    kind, write = {
        str: (8, text),
        int: (5, lambda item: struct.pack("<i", item)),
        float: (6, lambda item: struct.pack("<f", item)),
    }[type(content[0])]
    head = struct.pack("<IIQ", 9, kind, len(content))
    return head + b"".join(write(item) for item in content)


def write_tiny(path):
    """A Llama of one block with random weights; tokens are bytes, so counts can be worked out."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    width, inner = 32, 64
    metadata = {
        "general.architecture": "llama",
        "llama.context_length": CONTEXT,
        "llama.embedding_length": width,
        "llama.block_count": 1,
        "llama.feed_forward_length": inner,
        "llama.attention.head_count": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": TEMPLATE,
    }
    shapes = {
        "token_embd.weight": (width, len(tokens)),
        "blk.0.attn_norm.weight": (width,),
        "blk.0.attn_q.weight": (width, width),
        "blk.0.attn_k.weight": (width, width),
        "blk.0.attn_v.weight": (width, width),
        "blk.0.attn_output.weight": (width, width),
        "blk.0.ffn_norm.weight": (width,),
        "blk.0.ffn_gate.weight": (width, inner),
        "blk.0.ffn_up.weight": (width, inner),
        "blk.0.ffn_down.weight": (inner, width),
        "output_norm.weight": (width,),
        "output.weight": (width, len(tokens)),
    }
    random = np.random.default_rng(0)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(metadata))
    head += b"".join(text(key) + value(content) for key, content in metadata.items())
    data = b""
    for name, shape in shapes.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", 0, len(data))
        data += random.normal(size=shape).astype("<f4").tobytes()
        data += bytes(-len(data) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    pytest.importorskip("xllamacpp", reason="needs the extra [gguf]")
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    write_tiny(path)
    return path


@pytest.fixture
def model(tiny):
    return GgufModel(f"gguf:{tiny}", ModelOptions(max_tokens=40))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "journeyman" / "models"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.compatibility(
    "replies by JSON schema, held by a grammar",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_a_schema_makes_even_random_weights_answer_in_shape(model):
    schema = structured.schema_of(Choice)
    read = structured.read(model.complete([user("Yes or no?")], schema=schema), Choice)
    assert read.parsed in (Choice(answer="yes"), Choice(answer="no"))
    assert (read.finish_reason, read.problem, read.model) == ("stop", None, "tiny")


def test_a_schema_that_llama_cpp_does_not_understand_is_refused(model):
    with pytest.raises(ModelUnavailable, match=r"gives no reply from gguf:.*nonsense"):
        model.complete([user("Yes?")], schema={"type": "nonsense"})


@pytest.mark.compatibility(
    "replies that are cut off",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_a_reply_that_runs_out_of_tokens_says_so(tiny):
    reply = GgufModel(f"gguf:{tiny}", ModelOptions(max_tokens=5)).complete([user("Hello")])
    assert reply.finish_reason == "length"
    assert reply.usage.completion_tokens == 5


@pytest.mark.compatibility(
    "the prompt's beginning is kept between calls",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_the_beginning_that_two_prompts_share_is_computed_once(model):
    shared = "remember_this_" * 8  # a token is a byte; "<s>" and a space of three bytes come first
    first = model.complete([user(shared + "one")]).usage
    second = model.complete([user(shared + "two,_and_on")]).usage
    assert first.prompt_tokens == 1 + 3 + 14 * 8 + 3
    assert second.prompt_tokens == 1 + 3 + 14 * 8 + 11
    assert second.cached_tokens == 1 + 3 + 14 * 8


@pytest.mark.compatibility(
    "equal calls, equal replies",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_the_same_calls_give_the_same_replies(model):
    def replies():
        return [model.complete([user(prompt)]).text for prompt in ("a b", "something else")]

    assert replies() == replies()


@pytest.mark.compatibility(
    "prompts that are too long",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_a_prompt_that_does_not_fit_is_refused_with_both_counts(model):
    both = rf"has \d\d\d tokens and .* takes {CONTEXT} "
    with pytest.raises(ModelUnavailable, match=both) as caught:
        model.complete([user("x" * (CONTEXT + 10))])
    assert "--set context=TOKENS" in caught.value.hint


def test_nothing_is_written_to_the_terminal(tiny, capfd):
    model = GgufModel(f"gguf:{tiny}", ModelOptions(max_tokens=3), threads=1)  # loaded here
    model.complete([user("Hello")])
    with pytest.raises(ModelUnavailable):
        model.complete([user("x" * (CONTEXT + 10))])
    assert capfd.readouterr() == ("", "")


def test_a_file_is_loaded_once_for_all_models(tiny, monkeypatch):
    import xllamacpp

    loads = []
    server = xllamacpp.Server
    monkeypatch.setattr(
        xllamacpp, "Server", lambda settings: loads.append(settings) or server(settings)
    )
    for name in (f"gguf:{tiny}", f"gguf:{tiny.parent}/../{tiny.parent.name}/tiny.gguf"):
        model = GgufModel(name, ModelOptions(max_tokens=2, context=64))  # not loaded yet
        model.complete([user("Hello")])
        assert model.id == name
    assert [settings.n_ctx for settings in loads] == [64]


@pytest.mark.compatibility(
    "stopping in the middle of a reply",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_an_interruption_ends_the_call_and_leaves_the_model_usable(model, monkeypatch):
    hear, pieces = gguf._Reply.hear, []

    def interrupting(self, piece):
        pieces.append(piece)
        if len(pieces) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            wait_until(lambda: self.stopped)
        return hear(self, piece)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(gguf._Reply, "hear", interrupting)
            model.complete([user("Hello")])
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(pieces) == 3
    assert model.complete([user("Hello")]).usage.prompt_tokens == 1 + 3 + 5


@pytest.mark.compatibility(
    "the longest wait",
    "a GGUF file in this process",
    "real llama.cpp on a tiny random Llama",
    needs="the extra [gguf]",
)
def test_a_reply_that_is_not_whole_in_time_is_a_fault_and_leaves_the_model_usable(
    tiny, model, monkeypatch
):
    hear, impatient = gguf._Reply.hear, GgufModel(f"gguf:{tiny}", ModelOptions(timeout_s=0.05))

    def slow(self, piece):
        wait_until(lambda: self.stopped)
        return hear(self, piece)

    with monkeypatch.context() as patched, pytest.raises(ModelUnavailable) as caught:
        patched.setattr(gguf._Reply, "hear", slow)
        impatient.complete([user("Hello")])
    assert "no whole reply" in caught.value.message and "within 0.05 s" in caught.value.message
    assert "--set timeout_s=" in caught.value.hint
    assert model.complete([user("Hello")]).usage.prompt_tokens == 1 + 3 + 5


def wait_until(true):
    for _ in range(5000):
        if true():
            return
        time.sleep(0.001)


def test_a_reply_that_breaks_off_is_no_reply(model, monkeypatch):
    monkeypatch.setattr(gguf._Reply, "hear", lambda self, piece: True)
    with pytest.raises(ModelUnavailable, match="the reply broke off"):
        model.complete([user("Hello")])


def test_a_bug_of_ours_is_not_taken_for_a_model_that_is_down(model):
    with pytest.raises(TypeError):
        model.complete([user("Hello")], schema={"enum": {"a", "set"}})


def test_the_port_that_llama_cpp_opens_answers_nobody_else(model):
    model.complete([user("Hello")])
    address = model._server().listening_address
    assert address.startswith("http://127.0.0.1:")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{address}/completion", data=b'{"prompt": "a"}', timeout=5)
    assert caught.value.code == 401


@pytest.mark.compatibility(
    "pictures",
    "a GGUF file in this process",
    "refused without a projector; none was ever read",
    needs="the extra [gguf]",
)
def test_pictures_are_refused_with_the_name_that_a_projector_must_have(model):
    assert model.sees_images is False
    picture = Image(np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(ModelUnavailable) as caught:
        model.complete([user("What is it?", picture)])
    assert "mmproj-tiny.gguf" in caught.value.hint


def test_a_projector_beside_the_file_makes_a_model_that_sees(tiny, tmp_path):
    (tmp_path / "eye.gguf").write_bytes(tiny.read_bytes())
    (tmp_path / "mmproj-eye.gguf").write_bytes(b"GGUF")
    assert GgufModel(f"gguf:{tmp_path}/eye.gguf").sees_images is True


def test_a_damaged_file_is_refused_at_the_first_call(tiny, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(tiny.read_bytes()[:-1000])
    with pytest.raises(ModelUnavailable, match=r"cannot load .*broken\.gguf"):
        GgufModel(f"gguf:{broken}").complete([user("Hello")])


def test_a_file_that_is_no_gguf_is_refused_at_once(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"<html>")
    with pytest.raises(ConfigError, match="is no GGUF file: it begins with b'<htm'"):
        GgufModel(f"gguf:{tmp_path}/model.gguf")


def test_a_name_without_a_file_is_refused_with_where_it_was_looked_for(cache):
    with pytest.raises(ConfigError, match=r"no file 'nothing'.*here or in .*models\.") as caught:
        GgufModel("gguf:nothing")
    assert "journeyman models list" in caught.value.hint
    with pytest.raises(ConfigError, match=r"no file 'some/where\.gguf' for the model"):
        GgufModel("gguf:some/where.gguf")


def test_a_file_in_the_cache_folder_has_a_short_name(cache, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (cache / "small.gguf").write_bytes(tiny.read_bytes())
    for name in ("gguf:small", "gguf:small.gguf", f"gguf:{cache}/small.gguf"):
        found = load_model(name, max_tokens=7)
        assert isinstance(found, GgufModel)
        assert (found.id, found.path) == (name, (cache / "small.gguf").resolve())
        assert found.options.max_tokens == 7
    (tmp_path / "small.gguf").write_bytes(tiny.read_bytes())
    assert gguf.find("gguf:small.gguf") == (tmp_path / "small.gguf").resolve()


def test_a_prefix_that_ends_in_a_colon_matches_whatever_follows():
    entry = registry().find("model", "gguf:some/where/model.gguf")
    assert entry.target == "journeyman.models.gguf:GgufModel"
    with pytest.raises(UnknownName):
        registry().find("embedder", "gguf:some/where/model.gguf")
    with pytest.raises(ConfigError, match="no file '' for the model 'gguf:'"):
        load_model("gguf:")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra) as caught:
        GgufModel(f"gguf:{tmp_path}/model.gguf")
    assert 'pip install "journeyman[gguf]"' in caught.value.hint


def test_threads_are_those_asked_for_else_no_more_than_the_machine_has(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert gguf.threads_here() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert 1 <= gguf.threads_here() <= (os.cpu_count() or 1)


def test_the_variable_for_sleeping_threads_is_set_for_the_import_only(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    with gguf._environment("OMP_WAIT_POLICY", "passive"):
        assert os.environ["OMP_WAIT_POLICY"] == "passive"
    assert "OMP_WAIT_POLICY" not in os.environ
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    with gguf._environment("OMP_WAIT_POLICY", "passive"):
        assert os.environ["OMP_WAIT_POLICY"] == "active"
    assert os.environ["OMP_WAIT_POLICY"] == "active"


@pytest.mark.compatibility("tools", "a GGUF file in this process", "pieces of a stream by hand")
def test_pieces_of_tool_calls_are_put_together_in_order():
    reply = gguf._Reply()
    for delta in (
        {"content": "I look"},
        {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "find", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"what": '}}]},
        {"tool_calls": [{"index": 1, "id": "b", "function": {"name": "go", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"cup"}'}}]},
        {"content": None},
    ):
        assert reply.hear({"choices": [{"delta": delta, "finish_reason": None}]}) is False
    assert reply.hear({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}) is False
    counts = {"prompt_tokens": 9, "completion_tokens": 4}
    reply.hear({"choices": [], "usage": {**counts, "prompt_tokens_details": {"cached_tokens": 6}}})
    completion = reply.completion("tiny", 0.5)
    assert completion.tool_calls == (
        ToolCall("a", "find", {"what": "cup"}),
        ToolCall("b", "go", {}),
    )
    assert completion.usage == Usage(9, 4, 6)
    assert (completion.text, completion.finish_reason) == ("I look", "tool_calls")
    assert completion.problem is None


def test_even_random_weights_call_only_tools_that_there_are(tmp_path, monkeypatch):
    """By JSON, held by a grammar: calls are of a tool and of its shape, whatever the weights."""
    pytest.importorskip("xllamacpp", reason="needs the extra [gguf]")
    monkeypatch.setattr(sys.modules[__name__], "CONTEXT", 8192)  # a token is a byte
    write_tiny(tmp_path / "long.gguf")

    class Look(BaseModel):
        at: Literal["shelf", "table"]

    model = GgufModel(f"gguf:{tmp_path}/long.gguf", ModelOptions(max_tokens=60))
    assert model.takes_tools is False
    tools = [ToolFunction(name, "Looks.", Look, lambda look: look.at) for name in ("look", "stare")]
    said = ModelRoles(model).converse("plan", [user("Look")], tools, Choice, max_replies=6)
    assert said.bad_replies == 0
    assert all(use.arguments is not None for use in said.uses)
    assert said.reply in (Choice(answer="yes"), Choice(answer="no"))


def test_the_option_native_has_llama_cpp_offer_the_tools(tiny):
    assert GgufModel(f"gguf:{tiny}", ModelOptions(tools="native")).takes_tools is True


@pytest.mark.compatibility(
    "tools",
    "a GGUF file in this process",
    "offered to a tiny random Llama, which calls none",
    needs="the extra [gguf]",
)
def test_tools_can_be_offered(model):
    tool = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
    assert model.complete([user("Look")], tools=[tool]).usage.completion_tokens > 0
