"""Tiny models with random weights and the real architectures, saved as their real ones are.

Everything is made here and nothing is fetched. Whoever imports this skips first where the extra is
not installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

END, PAD = "<|im_end|>", "<|endoftext|>"
SPECIALS = (PAD, "<|im_start|>", END)
CONTEXT = 32_768

QWEN_SPECIALS = (
    *SPECIALS,
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
INTERN_SPECIALS = (*SPECIALS, "<img>", "</img>", "<IMG_CONTEXT>", "<video>")

CHAT = (
    "{%% for message in messages %%}<|im_start|>{{ message.role }}\n"
    "{%% for part in message.content %%}"
    "{%% if part.type == 'image' %%}%s{%% else %%}{{ part.text }}{%% endif %%}"
    "{%% endfor %%}<|im_end|>\n{%% endfor %%}"
    "{%% if add_generation_prompt %%}<|im_start|>assistant\n{%% endif %%}"
)
"""As Qwen2.5-VL and InternVL have it: pictures where they stand, no place for tools."""

TEXT_CHAT = (
    "{% if tools %}<|im_start|>system\n{% for tool in tools %}{{ tool | tojson }}\n{% endfor %}"
    "<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>\n{{ call.function | tojson }}\n"
    "</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""As Qwen2.5 has it, with a place for tools."""


def torchvision_as_it_is() -> None:
    """Let torchvision be imported where its compiled operators are of another build than torch.

    A CPU build of torch beside the ordinary torchvision is such a pair. Pictures are resized and
    normalised by torch alone; the operators are only declared, and none is called.
    """
    import torch

    try:
        importlib.import_module("torchvision")
    except ModuleNotFoundError:  # without [hf], [embed] does not need it
        return
    except RuntimeError:
        declared = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            declared.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        torchvision_as_it_is.kept = declared  # type: ignore[attr-defined]
        importlib.import_module("torchvision")


def tokenizer(specials: Sequence[str], corpus: Iterable[str] = (), size: int = 300) -> Any:
    """Bytes, and pairs of them that ``corpus`` repeats, up to ``size`` tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(specials),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(corpus, trainer)
    named = {"start_image_token": "<img>", "end_image_token": "</img>"}
    named |= {"context_image_token": "<IMG_CONTEXT>", "video_token": "<video>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token=END,
        pad_token=PAD,
        model_max_length=CONTEXT,
        extra_special_tokens=named if "<img>" in specials else [],
    )


def _text(tokens: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(tokens),
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": CONTEXT,
        "bos_token_id": None,
        "eos_token_id": tokens.convert_tokens_to_ids(END),
        "pad_token_id": tokens.convert_tokens_to_ids(PAD),
    }


def qwen_vl(folder: Path, corpus: Iterable[str] = (), size: int = 300) -> Path:
    """Qwen2.5-VL; a picture of 28n by 28m pixels takes n times m tokens, four at least."""
    import torch
    import transformers as hub

    tokens = tokenizer(QWEN_SPECIALS, corpus, size)
    number = tokens.convert_tokens_to_ids
    config = hub.Qwen2_5_VLConfig(
        text_config={
            **_text(tokens),
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [2, 3, 3],
            },
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 32,
            "window_size": 56,
            "fullatt_block_indexes": [0],
        },
        image_token_id=number("<|image_pad|>"),
        video_token_id=number("<|video_pad|>"),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    torch.manual_seed(0)
    hub.Qwen2_5_VLForConditionalGeneration(config).save_pretrained(folder)
    hub.Qwen2_5_VLProcessor(
        image_processor=hub.Qwen2VLImageProcessor(),
        tokenizer=tokens,
        video_processor=hub.Qwen2VLVideoProcessor(),
        chat_template=CHAT % "<|vision_start|><|image_pad|><|vision_end|>",
    ).save_pretrained(folder)
    return folder


def intern_vl(folder: Path) -> Path:
    """InternVL in its ``-hf`` form; four tokens a tile of 56 by 56 pixels.

    A picture of n tiles, n above one, is seen once more as a whole.
    """
    import torch
    import transformers as hub

    tokens = tokenizer(INTERN_SPECIALS)
    config = hub.InternVLConfig(
        text_config={**_text(tokens), "model_type": "qwen2"},
        vision_config={
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "image_size": [56, 56],
        },
        image_token_id=tokens.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    torch.manual_seed(0)
    hub.InternVLForConditionalGeneration(config).save_pretrained(folder)
    hub.InternVLProcessor(
        image_processor=hub.GotOcr2ImageProcessor(size={"height": 56, "width": 56}),
        tokenizer=tokens,
        video_processor=hub.InternVLVideoProcessor(size={"height": 56, "width": 56}),
        image_seq_length=4,
        chat_template=CHAT % "<IMG_CONTEXT>\n",
    ).save_pretrained(folder)
    return folder


def qwen_text(folder: Path, template: str | None = TEXT_CHAT, **config: Any) -> Path:
    """Qwen2, text alone."""
    import torch
    import transformers as hub

    tokens = tokenizer(SPECIALS)
    tokens.chat_template = template
    torch.manual_seed(0)
    made = hub.Qwen2ForCausalLM(hub.Qwen2Config(**{**_text(tokens), **config}))
    made.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


def sam(folder: Path) -> Path:
    """SAM on pictures of 64 by 64 pixels, with masks of 32 by 32."""
    import torch
    import transformers as hub

    config = hub.SamConfig(
        vision_config={
            "hidden_size": 16,
            "output_channels": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 64,
            "patch_size": 8,
            "window_size": 4,
            "global_attn_indexes": [0],
            "mlp_dim": 16,
            "num_pos_feats": 8,
        },
        prompt_encoder_config={"hidden_size": 16, "image_size": 64, "patch_size": 8},
        mask_decoder_config={
            "hidden_size": 16,
            "mlp_dim": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "iou_head_hidden_dim": 16,
            "iou_head_depth": 2,
        },
    )
    torch.manual_seed(0)
    hub.SamModel(config).save_pretrained(folder)
    size = {"height": 64, "width": 64}
    hub.SamProcessor(
        hub.SamImageProcessor(size={"longest_edge": 64}, pad_size=size)
    ).save_pretrained(folder)
    return folder


def bge(folder: Path) -> Path:
    """XLM-RoBERTa with the first token as the text's vector, made of length one, as BGE-M3."""
    import torch
    import transformers as hub
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from tokenizers.processors import TemplateProcessing

    tokens = tokenizer(("<s>", PAD, "</s>", END))
    tokens.backend_tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    torch.manual_seed(0)
    inner = folder / "inner"
    hub.XLMRobertaModel(
        hub.XLMRobertaConfig(
            vocab_size=len(tokens),
            hidden_size=24,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=130,
            initializer_range=0.5,  # texts apart
        )
    ).save_pretrained(inner)
    tokens.save_pretrained(inner)
    words = Transformer(str(inner), max_seq_length=128)
    SentenceTransformer(
        modules=[words, Pooling(24, pooling_mode="cls"), Normalize()], device="cpu"
    ).save(str(folder / "bge"))
    return folder / "bge"
