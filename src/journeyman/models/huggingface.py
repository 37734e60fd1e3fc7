"""A chat model of Hugging Face in this process, through transformers: ``hf/ID`` or ``hf/FOLDER``.

Vision-language models of any family that transformers knows by itself (Qwen2.5-VL, InternVL in its
``-hf`` form and others), and models of text alone.
"""

from __future__ import annotations

import copy
import io
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from journeyman.core.errors import ConfigError, ModelUnavailable
from journeyman.core.messages import Completion, Image, Message, Tool, ToolCall, Usage
from journeyman.models import pretrained
from journeyman.models.options import ModelOptions
from journeyman.models.tools import ToolsNotTaken
from journeyman.models.wire import tool_calls_of, tool_json, with_schema

PREFIX = "hf/"

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
"""A call of a tool as Qwen and Hermes models write it; the last one may be cut off."""


@dataclass(frozen=True)
class _Loaded:
    """What is asked together: ``processor`` makes the tensors that ``model`` takes."""

    processor: Any
    model: Any

    @property
    def tokenizer(self) -> Any:
        return getattr(self.processor, "tokenizer", self.processor)


_loaded: dict[tuple[str, str, str], _Loaded] = {}
_loading = threading.Lock()
_asking = threading.Lock()


class HuggingFaceModel:
    """Chat with weights that transformers loads, with their own chat template.

    Pictures go in the order of the message. Tools go into the template, where it has a place for
    them (those of Qwen2.5-VL and InternVL have none); calls are read in the form of Qwen and
    Hermes. There is no grammar: a schema is at the end of the prompt. The model's control tokens
    are text like any other where they stand in a message. Loaded at the first call, once in a
    process for the same weights, device and dtype.

    Of the options it takes seed, temperature, max_tokens, context, timeout_s, device, dtype and
    tools. Temperature 0 takes the likeliest token; above, the sampling is decided by seed and
    messages, over all tokens. Anything else, as a penalty on repetition, is as the weights' own
    generation config says.

    Args:
        name: ``hf/ID`` or ``hf/FOLDER``.
        options: Sampling, longest reply, where and in which numbers to compute.

    Raises:
        MissingExtra: a package of the extra [hf] is not installed.
        ConfigError: no such weights, of no kind that answers messages, or no such device.
    """

    def __init__(self, name: str, options: ModelOptions | None = None) -> None:
        self.id = name
        self.options = options or ModelOptions()
        pretrained.need_packages(name, otherwise="use --model stand-in")
        self.weights = pretrained.find_weights(name.removeprefix(PREFIX), name)
        self.device = pretrained.find_device(self.options.device)
        self.dtype = pretrained.find_dtype(self.options.dtype, self.device)
        self.sees_images = self._sees_images()
        self.takes_tools = self.options.tools != "json"

    def __repr__(self) -> str:
        return f"HuggingFaceModel({self.id!r}, {self.device!r}, {self.dtype!r})"

    @cached_property
    def _config(self) -> Any:
        from transformers import AutoConfig

        with pretrained.reading(self.weights, ConfigError):
            return AutoConfig.from_pretrained(self.weights, trust_remote_code=False)

    def _sees_images(self) -> bool:
        from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

        if type(self._config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
            return True
        if type(self._config) in MODEL_FOR_CAUSAL_LM_MAPPING:
            return False
        raise ConfigError(
            f"'{self.weights}' is a model of the kind '{self._config.model_type}', which answers "
            "no messages.",
            hint="Name a chat model, for example: --model hf/Qwen/Qwen2.5-VL-7B-Instruct",
        )

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        """The reply; cut off at the longest one or at the context's end, it says ``length``.

        Raises:
            ToolsNotTaken: the template has no place for tools; ``takes_tools`` is False then.
            ModelUnavailable: the weights cannot be loaded, the template refuses the messages, or
                they do not fit the context or the memory, or the reply is not whole in time
                (loading does not count).
        """
        loaded = self._load()
        began = time.perf_counter()
        shown = messages if schema is None else with_schema(messages, schema)
        inputs = self._inputs(loaded, shown, tools)
        prompt_tokens = inputs["input_ids"].shape[1]
        generation = self._generation(loaded, self._room(prompt_tokens))
        tokens = self._generate(loaded, inputs, generation)[0, prompt_tokens:].tolist()
        text = loaded.tokenizer.decode(tokens, skip_special_tokens=True)
        text, calls, problem = calls_in(text) if tools else (text, (), None)
        if not text.strip() and not calls and problem is None:
            problem = "the reply is empty"
        ended = bool(tokens) and tokens[-1] in _ends(generation)
        timeout_s = self.options.timeout_s
        if timeout_s is not None and not ended and len(tokens) < generation.max_new_tokens:
            raise ModelUnavailable(
                f"no whole reply from {self.id} within {timeout_s:g} s.",
                hint="Give it longer with --set timeout_s=SECONDS; the same command then goes on.",
            )
        return Completion(
            text,
            problem=problem,
            tool_calls=calls,
            usage=Usage(prompt_tokens, len(tokens)),
            model=self.id.removeprefix(PREFIX).rstrip("/").rpartition("/")[2],
            finish_reason="stop" if ended else "length",
            seconds=time.perf_counter() - began,
        )

    def _load(self) -> _Loaded:
        key = (self.weights, self.device, self.dtype)
        with _loading:
            if key not in _loaded:
                _loaded[key] = self._read()
            return _loaded[key]

    def _read(self) -> _Loaded:
        import torch
        from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor

        kind = AutoModelForImageTextToText if self.sees_images else AutoModelForCausalLM
        with pretrained.reading(self.weights):
            processor = AutoProcessor.from_pretrained(self.weights, trust_remote_code=False)
            model, info = kind.from_pretrained(
                self.weights,
                dtype=getattr(torch, self.dtype),
                trust_remote_code=False,
                output_loading_info=True,
            )
            pretrained.check_complete(self.weights, info)
            model.to(self.device).eval()
        if not getattr(processor, "chat_template", None):
            raise ModelUnavailable(
                f"'{self.weights}' has no chat template: it continues texts and answers none.",
                hint="Name an instruct or chat model.",
            )
        return _Loaded(processor, model)

    def _inputs(
        self, loaded: _Loaded, messages: Sequence[Message], tools: Sequence[Tool]
    ) -> dict[str, Any]:
        import torch
        from jinja2 import TemplateError

        if not self.sees_images and any(message.images for message in messages):
            raise ModelUnavailable(
                f"'{self.id}' is a model of text alone and was given a picture.",
                hint="Leave pictures out: --set observation=text",
            )
        if tools and "tools" not in str(loaded.processor.chat_template):
            said = f"the chat template of '{self.id}' has no place for tools."
            if self.options.tools == "native":
                raise ModelUnavailable(said, hint="Have them called by JSON: --set tools=json")
            self.takes_tools = False
            raise ToolsNotTaken(said)
        try:
            made = loaded.processor.apply_chat_template(
                [_turn(message, in_parts=self.sees_images) for message in messages],
                tools=[tool_json(tool) for tool in tools] or None,
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
                sanitize_control_tokens=True,
            )
        except (TemplateError, ValueError, NotImplementedError) as error:
            why = " ".join(str(error).split())[:200]
            raise ModelUnavailable(f"the chat template of '{self.id}' fails: {why}") from error
        dtype = getattr(torch, self.dtype)
        return {
            key: tensor.to(self.device, dtype if tensor.is_floating_point() else None)
            for key, tensor in made.items()
        }

    def _room(self, prompt_tokens: int) -> int:
        """The longest reply to a prompt of so many tokens."""
        trained = getattr(self._config.get_text_config(), "max_position_embeddings", None)
        context = min((c for c in (trained, self.options.context) if c is not None), default=None)
        if context is None:
            return self.options.max_tokens
        if prompt_tokens >= context:
            raise ModelUnavailable(
                f"the prompt has {prompt_tokens} tokens and {self.id} takes {context} with its "
                "reply.",
                hint="Recall fewer lessons, or name a model with a longer context.",
            )
        return min(self.options.max_tokens, context - prompt_tokens)

    def _generation(self, loaded: _Loaded, longest: int) -> Any:
        generation = copy.deepcopy(loaded.model.generation_config)
        generation.max_new_tokens, generation.max_length = longest, None
        if generation.eos_token_id is None:
            generation.eos_token_id = loaded.tokenizer.eos_token_id
        if generation.pad_token_id is None:
            generation.pad_token_id = next(iter(_ends(generation)), 0)
        generation.num_beams = 1
        generation.max_time = self.options.timeout_s
        generation.do_sample = self.options.temperature > 0
        sampling = {"temperature": self.options.temperature, "top_p": 1.0, "top_k": 0}
        for name in ("temperature", "top_p", "top_k", "min_p", "typical_p"):
            setattr(generation, name, sampling.get(name) if generation.do_sample else None)
        return generation

    def _generate(self, loaded: _Loaded, inputs: Mapping[str, Any], generation: Any) -> Any:
        import torch

        with _asking, torch.inference_mode(), self._seeded():
            try:
                return loaded.model.generate(**inputs, generation_config=generation)
            except torch.OutOfMemoryError as error:
                raise ModelUnavailable(
                    f"the memory of {self.device} is too small for a prompt of "
                    f"{inputs['input_ids'].shape[1]} tokens to '{self.id}'.",
                    hint="Recall fewer lessons, take a smaller model, or serve it over several "
                    "devices and name the server: --model openai/NAME --base-url URL",
                ) from error

    @contextmanager
    def _seeded(self) -> Iterator[None]:
        """The same random numbers for every call of a seed, and none taken from anybody else."""
        import torch

        with torch.random.fork_rng():
            torch.manual_seed(self.options.seed % 2**63)
            yield


def calls_in(text: str) -> tuple[str, tuple[ToolCall, ...], str | None]:
    """The text without its calls, the calls, and what is wrong with the last one that is none."""
    calls, problem = tool_calls_of(
        [_sent(number, written) for number, written in enumerate(_CALL.findall(text))]
    )
    return _CALL.sub("", text).strip(), calls, problem


def _sent(number: int, written: str) -> dict[str, Any]:
    """A call in the form that `tool_calls_of` reads; without a function where it is none."""
    sent: dict[str, Any] = {"id": f"call_{number}", "function": None}
    try:
        call = json.loads(written)
    except (ValueError, RecursionError):
        return sent
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        arguments = json.dumps(call.get("arguments", {}))
        sent["function"] = {"name": call["name"], "arguments": arguments}
    return sent


def _ends(generation: Any) -> set[int]:
    """The tokens that end a reply."""
    ends = generation.eos_token_id
    if ends is None:
        return set()
    return set(ends) if isinstance(ends, list | tuple) else {int(ends)}


def _turn(message: Message, *, in_parts: bool) -> dict[str, Any]:
    """A message as chat templates take it; texts that follow each other as one, line by line."""
    turn: dict[str, Any] = {
        "role": message.role,
        "content": _parts(message) if in_parts else message.text,
    }
    if message.tool_calls:
        turn["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": dict(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        turn["tool_call_id"] = message.tool_call_id
    return turn


def _parts(message: Message) -> list[dict[str, Any]]:
    from PIL import Image as Pillow

    parts: list[dict[str, Any]] = []
    for part in message.content:
        if isinstance(part, Image):
            parts.append({"type": "image", "image": Pillow.open(io.BytesIO(part.png))})
        elif parts and parts[-1]["type"] == "text":
            parts[-1]["text"] += "\n" + part
        else:
            parts.append({"type": "text", "text": part})
    return parts
