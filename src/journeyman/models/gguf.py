"""A model in a GGUF file, run in this process by llama.cpp (package ``xllamacpp``).

Named ``gguf:PATH``, or ``gguf:NAME`` for ``NAME.gguf`` in `models_folder`. A projector for pictures
lies beside the model as ``mmproj-<file name of the model>``.

llama.cpp brings its server along, which listens on a free port of 127.0.0.1. Nothing here uses
that port; a key made for the occasion and kept nowhere closes it to everybody else.
"""

from __future__ import annotations

import importlib
import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from journeyman.core.errors import ConfigError, MissingExtra, ModelUnavailable
from journeyman.core.messages import Completion, Message, Tool, Usage
from journeyman.models.options import ModelOptions
from journeyman.models.wire import message_json, tool_calls_of, tool_json, usage_of

PREFIX = "gguf:"
CONTEXT_TOKENS = 16_384
"""Prompt and reply together; the planner's prompts in the household take 6,000 to 10,000."""

REMEMBERED_MIB = 1024
"""Memory for prompts seen before, so that one role's prompts do not push out another's."""

BATCH_TOKENS = 128
"""Prompt tokens between two moments at which a call can be stopped."""

MAGIC = b"GGUF"

_loaded: dict[tuple[Path, int, int], Any] = {}
_loading = threading.Lock()


class GgufModel:
    """Chat with a GGUF file: its own chat template, schemas enforced by a grammar.

    Of the options it takes seed, temperature, max_tokens, context and timeout_s. Loaded
    at the first call, once for all models of the same file. What begins like the prompt before is
    not computed again. With temperature 0 the same calls in the same order give the same replies;
    another order may round otherwise, since the rest of a remembered prompt is computed in other
    portions.

    Offered tools are called by JSON, which a grammar holds, unless the option ``tools`` is
    ``native``: then llama.cpp shows them as the file's chat template has it and reads calls in the
    form that it expects of that template, which a small model does not keep to (Qwen2.5-Coder 1.5B
    wrote its calls in a fence).

    Args:
        name: ``gguf:PATH`` or ``gguf:NAME``.
        options: Sampling, longest reply, longest wait (no limit where None); and ``context``,
            `CONTEXT_TOKENS` where None, what the model was trained for if that is less.
        threads: Threads; `threads_here` where left out.

    Raises:
        MissingExtra: xllamacpp is not installed.
        ConfigError: no such file, or no GGUF file.
    """

    def __init__(
        self,
        name: str,
        options: ModelOptions | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        self.id = name
        self.options = options or ModelOptions()
        self.path = find(name)
        self.sees_images = projector(self.path) is not None
        self.takes_tools = self.options.tools == "native"
        self.context = self.options.context or CONTEXT_TOKENS
        self.threads = threads or threads_here()
        _xllamacpp(name)

    def __repr__(self) -> str:
        return f"GgufModel({self.id!r})"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """The reply; ``cached_tokens`` of its usage were remembered from an earlier prompt.

        Cut off at the longest reply or at the end of the context, ``finish_reason`` is ``length``.

        Raises:
            ModelUnavailable: the file cannot be loaded, the prompt does not fit, the reply is not
                whole in time (loading does not count), or llama.cpp refuses the request.
        """
        server, body, reply = self._server(), self._body(messages, schema, tools), _Reply()
        began = time.perf_counter()

        def call() -> None:
            try:
                server.handle_chat_completions(body, reply.hear)
            except Exception as error:
                reply.raised = error
            finally:
                reply.ended.set()

        # In a thread of its own: Ctrl-C is raised in the main one, and would be lost in llama.cpp.
        threading.Thread(target=call, name=self.id, daemon=True).start()
        try:
            in_time = reply.ended.wait(self.options.timeout_s)
        finally:
            reply.stopped = True
            reply.ended.wait()
        if not in_time:
            raise ModelUnavailable(
                f"no whole reply from {self.id} within {self.options.timeout_s:g} s.",
                hint="Give it longer with --set timeout_s=SECONDS; the same command then goes on.",
            )
        if isinstance(reply.raised, RuntimeError | ValueError):  # how llama.cpp's own come
            raise self._failed({"message": reply.raised})
        if reply.raised is not None:
            raise reply.raised
        if reply.error is not None or not reply.finish_reason:
            raise self._failed(reply.error or {"message": "the reply broke off"})
        return reply.completion(self.path.stem, time.perf_counter() - began)

    def _body(
        self, messages: Sequence[Message], schema: Mapping[str, Any] | None, tools: Sequence[Tool]
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": [message_json(message) for message in messages],
            "temperature": self.options.temperature,
            "seed": self.options.seed % (2**32 - 1),  # the largest seed means a random one
            "max_tokens": self.options.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # pieces come during the prompt too: it can be stopped there
        }
        if tools:
            body["tools"] = [tool_json(tool) for tool in tools]
        if schema is not None:
            wanted = {"name": "reply", "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return body

    def _server(self) -> Any:
        """llama.cpp with the file in it, loaded where it is not yet."""
        key = (self.path, self.context, self.threads)
        with _loading:
            if key not in _loaded:
                _loaded[key] = self._load()
            return _loaded[key]

    def _load(self) -> Any:
        xllamacpp = _xllamacpp(self.id)
        settings = xllamacpp.CommonParams()
        settings.model.path = str(self.path)
        image_projector = projector(self.path)
        if image_projector is not None:
            settings.mmproj.path = str(image_projector)
        settings.n_ctx = self.context
        settings.n_batch = settings.n_ubatch = BATCH_TOKENS
        settings.n_parallel = 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self.threads
        settings.cache_ram_mib = REMEMBERED_MIB
        settings.warmup = settings.fit_params = False
        settings.verbosity = 0
        settings.offline = True
        settings.api_keys = [secrets.token_hex(32)]
        settings.ui = settings.endpoint_slots = False
        settings.n_threads_http = 1
        try:
            return xllamacpp.Server(settings)
        except RuntimeError:
            raise ModelUnavailable(
                f"llama.cpp cannot load {self.path}: it is damaged or incomplete, of a kind that "
                "this version does not know, or too large for the memory.",
                hint="Compare its size and hash with where it came from, or try: "
                "pip install --upgrade xllamacpp",
            ) from None

    def _failed(self, error: Mapping[str, Any]) -> ModelUnavailable:
        if error.get("type") == "exceed_context_size_error":
            return ModelUnavailable(
                f"the prompt has {error.get('n_prompt_tokens')} tokens and {self.id} takes "
                f"{error.get('n_ctx')} with its reply.",
                hint="Recall fewer lessons, or make room with --set context=TOKENS where the model "
                "was trained for it.",
            )
        why = " ".join(str(error.get("message", error)).split())[:300]
        hint = (
            f"Put its projector beside it as mmproj-{self.path.name}, or leave pictures out: "
            "--set observation=text"
        )
        return ModelUnavailable(
            f"llama.cpp gives no reply from {self.id}: {why}",
            hint=hint if "image input" in why else "",
        )


class _Reply:
    """Puts the pieces of a streamed reply together.

    Attributes:
        ended: Set when no more pieces come.
        stopped: Set to end the stream at the next piece.
        finish_reason: Empty until the reply is complete.
        error: What llama.cpp said instead of a reply.
        raised: What was raised in the thread that it runs in.
    """

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.stopped = False
        self.text = ""
        self.finish_reason = ""
        self.usage = Usage()
        self.calls: dict[int, dict[str, Any]] = {}
        self.error: Mapping[str, Any] | None = None
        self.raised: Exception | None = None

    def hear(self, piece: Mapping[str, Any]) -> bool:
        """Take one piece; True ends the stream."""
        if "choices" not in piece:
            self.error = piece.get("error", piece)
            return True
        if piece.get("usage"):
            self.usage = usage_of(piece["usage"])
        for choice in piece["choices"]:
            delta = choice.get("delta") or {}
            self.text += delta.get("content") or ""
            for part in delta.get("tool_calls") or ():
                call = self.calls.setdefault(
                    part["index"], {"id": "", "function": {"name": "", "arguments": ""}}
                )
                call["id"] = part.get("id") or call["id"]
                for field, text in (part.get("function") or {}).items():
                    call["function"][field] += text
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
        return self.stopped

    def completion(self, model: str, seconds: float) -> Completion:
        calls, problem = tool_calls_of([self.calls[index] for index in sorted(self.calls)])
        if not self.text.strip() and not calls and problem is None:
            problem = "the reply is empty"
        return Completion(
            self.text,
            problem=problem,
            tool_calls=calls,
            usage=self.usage,
            model=model,
            finish_reason=self.finish_reason,
            seconds=seconds,
        )


def models_folder() -> Path:
    """Where fetched models lie: ``$XDG_CACHE_HOME/journeyman/models``, or below ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "journeyman" / "models"


def find(name: str) -> Path:
    """The file that ``gguf:PATH`` or ``gguf:NAME`` names, absolute, with the right first bytes.

    Raises:
        ConfigError: there is none, or it is no GGUF file.
    """
    given, folder = name.removeprefix(PREFIX), models_folder()
    path = Path(given).expanduser()
    places = [path]
    if path.name == given:
        places += [folder / given, folder / f"{given}.gguf"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ConfigError(
            f"no file '{given}' for the model '{name}'"
            + (f", here or in {folder}." if path.name == given else "."),
            hint="Give the path of a GGUF file, or see: journeyman models list",
        )
    with found.open("rb") as file:
        begins = file.read(len(MAGIC))
    if begins != MAGIC:
        raise ConfigError(
            f"{found} is no GGUF file: it begins with {begins!r}, not {MAGIC!r}.",
            hint="Fetch one with: journeyman models fetch qwen2.5-coder-1.5b",
        )
    return found.resolve()


def projector(model: Path) -> Path | None:
    """The picture projector of the file ``model``, or None where none lies beside it."""
    beside = model.with_name(f"mmproj-{model.name}")
    return beside if beside.is_file() else None


def threads_here() -> int:
    """``OMP_NUM_THREADS`` where it is set, else the physical cores that this process may use."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if not hasattr(os, "sched_getaffinity"):
        return os.cpu_count() or 1
    cores = set()
    for processor in os.sched_getaffinity(0):
        topology = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        cores.add(topology.read_text() if topology.exists() else str(processor))
    return len(cores)


def _xllamacpp(name: str) -> Any:
    """The package, imported so that its threads sleep while they wait for each other.

    OpenMP's threads spin by default, which on a machine with other work to do makes two threads
    many times slower than one. It reads the variable when it is first loaded, so only then.
    """
    try:
        with _environment("OMP_WAIT_POLICY", "passive"):
            return importlib.import_module("xllamacpp")
    except ModuleNotFoundError:
        raise MissingExtra(
            f"'{name}'", "xllamacpp", "gguf", otherwise="use --model stand-in"
        ) from None
    except ImportError as error:
        raise ConfigError(
            f"xllamacpp is installed and cannot be imported: {error}.",
            hint="Where libgomp.so.1 is missing: apt-get install libgomp1",
        ) from None


@contextmanager
def _environment(variable: str, value: str) -> Iterator[None]:
    """``variable`` set while the block runs, unless it is set already."""
    if variable in os.environ:
        yield
        return
    os.environ[variable] = value
    try:
        yield
    finally:
        os.environ.pop(variable, None)
