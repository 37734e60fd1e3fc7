"""A user's checkout of VIMABench: finding it, importing it as it lies there, keeping it quiet.

Nothing is installed and nothing of it is copied. It was written for gym 0.21 and imports torch and
kornia for helpers that no task uses; it runs on gym 0.26, and empty stand-ins serve where those two
are absent. Its C library prints to the process's standard output, which is kept out of ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import importlib.util
import io
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from journeyman.core.errors import DataError, MissingExtra

VARIABLE = "JOURNEYMAN_VIMABENCH"
PACKAGE = "vima_bench"
STAND_INS = ("torch", "torchvision", "kornia")
"""Imported by the checkout at its top and used in nothing that a task needs."""

NEEDS = {
    "pybullet": "pybullet",
    "gym": "gym",
    "cv2": "opencv-python-headless",
    "transforms3d": "transforms3d",
    "omegaconf": "omegaconf",
    "importlib_resources": "importlib_resources",
    "einops": "einops",
    "matplotlib": "matplotlib",
}
"""Modules that it really uses, and the packages that have them."""

GIVE = f"Give --vimabench DIR, or set {VARIABLE}, to your checkout of VIMABench."


def locate(given: str | Path | None) -> Path:
    """The folder that holds ``vima_bench/``; it or that folder itself may be given.

    Raises:
        DataError: none is given, or it is no checkout of VIMABench.
    """
    if not given:
        raise DataError("the real VIMA-Bench needs a checkout, and none is given.", hint=GIVE)
    root = Path(given).expanduser()
    for folder in (root, root.parent) if root.name == PACKAGE else (root,):
        if is_checkout(folder):
            return folder.resolve()
    raise DataError(
        f"no checkout of VIMABench in '{root}': there is no {PACKAGE}/ in it.", hint=GIVE
    )


def named(setting: str | Path | None, data: str | Path | None) -> str | Path | None:
    """What the user gave as the checkout: a setting, the variable, or a data folder that is one."""
    given = setting if setting is not None else os.environ.get(VARIABLE)
    if not given and data is not None and is_checkout(Path(data)):
        return data
    return given


def is_checkout(folder: Path) -> bool:
    """Whether ``vima_bench/`` lies in it."""
    package = folder / PACKAGE
    return (package / "__init__.py").is_file() and (package / "tasks").is_dir()


def fingerprint(root: Path) -> str:
    """SHA-256 of the checkout's code and partition files, in path order."""
    found = hashlib.sha256()
    files = [path for ending in ("*.py", "*.yaml") for path in (root / PACKAGE).rglob(ending)]
    for path in sorted(files):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def load(root: Path, asked: str) -> ModuleType:
    """Import ``vima_bench`` from ``root``; the path and stand-ins are gone again afterwards.

    Args:
        asked: The environment that needs it, for the messages.

    Raises:
        MissingExtra: a package that it uses is not installed.
        DataError: it cannot be imported, or another checkout is loaded already.
    """
    for module, package in NEEDS.items():
        if module not in sys.modules and importlib.util.find_spec(module) is None:
            raise MissingExtra(f"'{asked}'", package, "vimabench")
    loaded = sys.modules.get(PACKAGE)
    if loaded is None:
        try:
            with quiet(errors=True), _on_path(root), _stand_ins():
                importlib.import_module("pybullet")  # it talks once
                loaded = importlib.import_module(PACKAGE)
        except Exception as error:
            for name in [n for n in sys.modules if n.partition(".")[0] == PACKAGE]:
                del sys.modules[name]
            raise DataError(
                f"the checkout of VIMABench in '{root}' cannot be imported: "
                f"{type(error).__name__}: {error}.",
                hint="Is it complete? Its assets folder has to be there too. " + GIVE,
            ) from error
        _gym_only_errors()
    if Path(str(loaded.__file__)).resolve().parent.parent != root:
        raise DataError(
            f"another checkout of VIMABench is in use in this process: {loaded.__file__}.",
            hint="Start a new process for this one.",
        )
    return loaded


@contextlib.contextmanager
def _on_path(root: Path) -> Iterator[None]:
    before = list(sys.path)
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path[:] = before


@contextlib.contextmanager
def _stand_ins() -> Iterator[None]:
    """Empty modules for what is not installed, only while this lasts."""
    absent = [n for n in STAND_INS if n not in sys.modules and importlib.util.find_spec(n) is None]
    sys.modules.update({name: ModuleType(name) for name in absent})
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


def _gym_only_errors() -> None:
    import gym

    gym.logger.set_level(gym.logger.ERROR)


_talking = threading.RLock()


@contextlib.contextmanager
def quiet(*, errors: bool = False) -> Iterator[None]:
    """Keep what is printed meanwhile, by Python and by C, out of standard output.

    The file descriptor is turned to nowhere and back, one thread at a time; what another thread
    prints to standard output meanwhile is lost with the rest.

    Args:
        errors: Keep it out of standard error too, with warnings.
    """
    with _talking, contextlib.ExitStack() as until_the_end:
        until_the_end.enter_context(_turned_away(1))
        until_the_end.enter_context(contextlib.redirect_stdout(io.StringIO()))
        if errors:
            until_the_end.enter_context(_turned_away(2))
            until_the_end.enter_context(contextlib.redirect_stderr(io.StringIO()))
            until_the_end.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _turned_away(descriptor: int) -> Iterator[None]:
    """What is written to the file descriptor meanwhile goes nowhere."""
    _flush()
    try:
        kept = os.dup(descriptor)
    except OSError:  # it is closed
        yield
        return
    drain = os.open(os.devnull, os.O_WRONLY)
    os.dup2(drain, descriptor)
    os.close(drain)
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def _flush() -> None:
    """Write out what Python and C hold back, so that it lands where the streams point now."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    with contextlib.suppress(OSError, AttributeError, TypeError):  # no C library to be had
        ctypes.CDLL(None).fflush(None)
