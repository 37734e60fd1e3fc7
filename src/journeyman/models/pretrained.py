"""Weights under a name of Hugging Face or in a folder: where they lie and what they run on.

Shared by whatever goes through transformers. No code of a repository is ever run.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from journeyman.core.errors import ConfigError, JourneymanError, MissingExtra, ModelUnavailable

PACKAGES = ("torch", "torchvision", "transformers")
DTYPES = ("auto", "float32", "bfloat16", "float16")


def need_packages(what: str, otherwise: str) -> None:
    """Refuse where a package of the extra [hf] is missing.

    Raises:
        MissingExtra: naming the first one.
    """
    for package in PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(f"'{what}'", package, "hf", otherwise=otherwise)


def find_weights(given: str, name: str) -> str:
    """The absolute path of the folder ``given``, or ``given`` itself as a name of Hugging Face.

    Raises:
        ConfigError: it is written as a path, and there is no such folder.
    """
    folder = Path(given).expanduser()
    if given and folder.is_dir():
        return str(folder.resolve())
    if not given or given.startswith(("/", ".", "~")):
        raise ConfigError(
            f"no folder '{given}' for '{name}'.",
            hint="Give a folder as hf download --local-dir or save_pretrained writes it.",
        )
    return given


def find_device(asked: str) -> str:
    """``asked``, or for ``auto`` the first CUDA device where there is one, else the CPU.

    Raises:
        ConfigError: this machine or this build of torch has no such device.
    """
    import torch

    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=asked)
    except (RuntimeError, AssertionError) as error:  # the latter where torch is built without CUDA
        raise ConfigError(
            f"device: '{asked}' cannot be used: {_line(error)}.", hint="Use auto, cpu or cuda."
        ) from error
    return asked


def find_dtype(asked: str, device: str) -> str:
    """``asked``, or for ``auto`` bfloat16 on CUDA and float32 elsewhere.

    Raises:
        ConfigError: it is none of `DTYPES`.
    """
    if asked not in DTYPES:
        raise ConfigError(f"dtype: '{asked}' is none of {', '.join(DTYPES)}.")
    if asked != "auto":
        return asked
    return "bfloat16" if device.startswith("cuda") else "float32"


@contextmanager
def reading(weights: str, fault: type[JourneymanError] = ModelUnavailable) -> Iterator[None]:
    """Whatever transformers raises over the files of ``weights``, said in one sentence.

    Files of others can be wrong in any way, so any exception counts. Bars of progress are shown
    on a terminal only.

    Raises:
        JourneymanError: of the kind ``fault``.
    """
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    if not sys.stderr.isatty():
        logging.disable_progress_bar()
    try:
        yield
    except JourneymanError:
        raise
    except Exception as error:
        raise _refusal(weights, error, fault) from error
    finally:
        if shown:
            logging.enable_progress_bar()


def check_complete(weights: str, info: Any) -> None:
    """Refuse weights that lack some of the model's: transformers would fill those at random.

    Raises:
        ModelUnavailable: naming the first one.
    """
    missing = sorted(info["missing_keys"])
    if missing:
        raise ModelUnavailable(
            f"the weights in '{weights}' are not whole: {len(missing)} of the model's tensors are "
            f"missing, '{missing[0]}' first.",
            hint="Fetch them again, or name the repository that they are from.",
        )


def _refusal(weights: str, error: Exception, fault: type[JourneymanError]) -> JourneymanError:
    said = str(error)
    if "trust_remote_code" in said:
        return fault(
            f"'{weights}' needs code of its own, which is never run.",
            hint="Take a repository that transformers reads by itself; InternVL's end in -hf.",
        )
    if isinstance(error, ImportError):
        return fault(
            f"transformers cannot read '{weights}' with the packages here: {_line(error)}.",
            hint="torch and torchvision have to fit each other: "
            'pip install --upgrade torch torchvision "journeyman[hf]"',
        )
    if Path(weights).is_dir():
        return fault(
            f"the folder {weights} is none that transformers can read: {_line(error)}.",
            hint="It has to be as hf download --local-dir or save_pretrained writes it.",
        )
    return fault(
        f"'{weights}' is no folder here, and could be had neither from the cache nor from "
        f"Hugging Face: {_line(error)}.",
        hint=f"Fetch it where there is a network: hf download {weights}   or name a folder",
    )


def _line(error: BaseException) -> str:
    """The first 200 letters of what it says, on one line, with no full stop."""
    said = " ".join(str(error).split())[:200]
    return said.rstrip(".") or type(error).__name__
