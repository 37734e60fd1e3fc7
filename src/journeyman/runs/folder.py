"""The run folder: write, read, resume. Nothing else knows its layout.

::

    run.json         specification, versions, prompt hashes, model ids, status
    episodes.jsonl   one summary line an episode; lists read only these two
    episodes/0007.json   the whole episode: every prompt and reply
    memory.db        entries, vectors, every delta
    media/           pictures by hash
    faults.jsonl     episodes that ended because a model or simulator failed: never counted

A file is written beside its place and renamed; a line is appended, flushed and synced. So after a
kill at any moment the folder holds whole episodes only, and at most one that is saved without its
summary line: `pending`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from journeyman.core.episode import Episode
from journeyman.core.errors import RunError
from journeyman.core.messages import Image
from journeyman.runs.spec import NOT_RESULTS, RunSpec, check_spec

FORMAT = 1
"""Version of the layout; a folder of another one is refused with what to do."""

LEFT_BY_A_KILL = (".lock", "episodes", "run.json.part")
"""What a kill while the folder is made can leave behind."""

_EPISODE: TypeAdapter[Episode] = TypeAdapter(Episode)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class RunFolder:
    """A run on disk. Open one with `create`, `open` or `resume`."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path = path
        self.header = header
        self.spec = check_spec(header["spec"], str(path / "run.json"))

    # -- opening -----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, header: Mapping[str, Any]) -> RunFolder:
        """A new run folder; ``header`` holds ``spec`` and what else ``run.json`` should say.

        Raises:
            RunError: there are other things in it, or it cannot be written; or another process
                makes a run there, which keeps its folder.
        """
        folder = cls(path, {"format": FORMAT, **header})
        with _writing(path):
            path.mkdir(parents=True, exist_ok=True)
            _require_free(path)
            with folder.lock():
                _require_free(path)
                (path / "episodes").mkdir(exist_ok=True)
                folder._write_header()
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """An existing run folder, for reading.

        Raises:
            RunError: no run there, of another version, or unreadable; says what to do.
        """
        file = path / "run.json"
        try:
            header = json.loads(file.read_text("utf-8"))
        except FileNotFoundError:
            raise RunError(
                f"{path} holds no run.", hint="Make one with: journeyman learn --out DIR"
            ) from None
        except (OSError, ValueError) as error:
            raise RunError(f"{file} cannot be read: {error}") from None
        if not isinstance(header, dict) or "spec" not in header:
            raise RunError(f"{file} is no header of a run: the key 'spec' is missing.")
        if header.get("format") != FORMAT:
            raise RunError(
                f"{path} is of format {header.get('format')}; this version reads {FORMAT}.",
                hint=f"Use journeyman {header.get('versions', {}).get('journeyman', '(unknown)')} "
                "for it, or begin a new run with --out.",
            )
        return cls(path, header)

    @classmethod
    def exists(cls, path: Path) -> bool:
        return (path / "run.json").is_file()

    def check_same(self, spec: RunSpec) -> None:
        """Refuse to go on with another specification.

        Raises:
            RunError: naming each field that differs.
        """
        mine = self.spec.model_dump(mode="json", exclude=set(NOT_RESULTS))
        other = spec.model_dump(mode="json", exclude=set(NOT_RESULTS))
        differing = [key for key in mine if mine[key] != other[key]]
        if differing:
            said = "; ".join(f"{k}: {mine[k]!r} there, {other[k]!r} now" for k in differing)
            raise RunError(
                f"{self.path} holds a run of another specification ({said}).",
                hint="Give the same options to resume it, or another --out.",
            )

    def check_parts(self, parts: Mapping[str, Mapping[str, str]]) -> None:
        """Refuse to go on with other prompts, models or data than the run was begun with.

        Raises:
            RunError: naming each that differs.
        """
        differing = []
        for part, now in parts.items():
            there = self.header.get(part, now)
            for key in sorted({*there, *now}):
                if there.get(key) != now.get(key):
                    differing.append(f"{part} {key}: {there.get(key)} there, {now.get(key)} now")
        if differing:
            raise RunError(
                f"{self.path} was begun with other parts ({'; '.join(differing)}).",
                hint="Finish it with the version that began it, or choose another --out.",
            )

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for writing.

        Raises:
            RunError: another process holds it.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / ".lock")
        with _writing(self.path):
            try:
                lock.acquire(timeout=0)
            except Timeout:  # an OSError too
                raise RunError(
                    f"another process is writing to {self.path}.",
                    hint="Wait for it, or choose another folder with --out.",
                ) from None
        try:
            yield
        finally:
            lock.release()

    # -- header ------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """``running``, ``complete``, ``interrupted``, ``fault`` or ``budget``."""
        return str(self.header.get("status", "running"))

    def update(self, **fields: Any) -> None:
        """Change fields of the header, atomically."""
        self.header.update(fields)
        self._write_header()

    def _write_header(self) -> None:
        write_atomically(self.path / "run.json", json.dumps(self.header, indent=1) + "\n")

    @property
    def memory_path(self) -> Path:
        return self.path / "memory.db"

    # -- episodes ----------------------------------------------------------------------------

    def save_episode(self, episode: Episode) -> None:
        """Write the whole episode and its pictures; durable when this returns."""
        for call in episode.calls:
            for message in call.messages:
                for image in message.images:
                    self._save_image(image)
        write_atomically(self._episode_path(episode.number), _episode_json(episode) + "\n")

    def _save_image(self, image: Image) -> None:
        file = self.path / "media" / f"{image.sha256}.png"
        if image.array is not None and not file.exists():
            with _writing(file):
                file.parent.mkdir(exist_ok=True)
            write_atomically(file, image.png)

    def picture(self, image: Image) -> bytes | None:
        """The PNG that was kept for a stored picture; None where it is not there or another."""
        name = image.sha256
        if re.fullmatch("[0-9a-f]{64}", name) is None:
            return None
        try:
            png = (self.path / "media" / f"{name}.png").read_bytes()
        except OSError:
            return None
        return png if hashlib.sha256(png).hexdigest() == name else None

    def append_summary(self, summary: Mapping[str, Any]) -> None:
        self._append("episodes.jsonl", summary)

    def append_fault(self, fault: Mapping[str, Any]) -> None:
        self._append("faults.jsonl", fault)

    def _append(self, name: str, line: Mapping[str, Any]) -> None:
        file = self.path / name
        with _writing(file), file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def summaries(self) -> list[dict[str, Any]]:
        """The summary lines in order; a torn last line (a kill in mid-write) is not counted.

        Raises:
            RunError: a line before the last is broken; names it.
        """
        return self._lines("episodes.jsonl")

    def faults(self) -> list[dict[str, Any]]:
        return self._lines("faults.jsonl")

    def _lines(self, name: str) -> list[dict[str, Any]]:
        file = self.path / name
        if not file.exists():
            return []
        parsed: list[dict[str, Any]] = []
        lines = file.read_text("utf-8").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            try:
                parsed.append(json.loads(line))
            except ValueError:
                if number == len(lines):
                    break
                raise RunError(
                    f"{file} line {number} is broken.",
                    hint="Delete that line and those after it; the same command writes them again.",
                ) from None
        return parsed

    def mend(self) -> None:
        """Cut a torn last line off, before appending to the file again."""
        for name in ("episodes.jsonl", "faults.jsonl"):
            file = self.path / name
            if file.exists():
                data = file.read_bytes()
                whole = data[: data.rfind(b"\n") + 1]
                if whole != data:
                    with _writing(file):
                        os.truncate(file, len(whole))

    def pending(self) -> list[Episode]:
        """The episodes after the last summary line that were saved without one.

        A kill leaves at most one; more where lines were deleted because they were broken.
        """
        found: list[Episode] = []
        number = len(self.summaries())
        while self._episode_path(number + len(found)).exists():
            found.append(self.episode(number + len(found)))
        return found

    def episode(self, number: int) -> Episode:
        """The whole episode ``number``.

        Raises:
            RunError: there is none, or its file is broken; names the field.
        """
        file = self._episode_path(number)
        try:
            return _EPISODE.validate_json(file.read_bytes())
        except FileNotFoundError:
            count = len(self.summaries())
            raise RunError(
                f"{self.path} has no episode {number}; it has {count}, numbered from 0.",
                hint=f"List them with: journeyman show {self.path}",
            ) from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise RunError(f"{file} is broken at '{where}': {first['msg']}.") from None

    def _episode_path(self, number: int) -> Path:
        return self.path / "episodes" / f"{number:04d}.json"


def claim_folder(under: Path, stem: str) -> Path:
    """A new, empty folder ``under/stem-007``, numbered after those that are there.

    It is made here and now, so that of several processes each gets one of its own.
    """
    with _writing(under):
        names = [path.name.removeprefix(f"{stem}-") for path in under.glob(f"{stem}-*")]
        number = max((int(name) for name in names if name.isdecimal()), default=0)
        while True:
            number += 1
            path = under / f"{stem}-{number:03d}"
            with suppress(FileExistsError):
                path.mkdir(parents=True)
                return path


def _require_free(path: Path) -> None:
    if RunFolder.exists(path):
        raise RunError(
            f"another process has just begun a run in {path}.",
            hint="Give the same command again to resume it, or choose another --out.",
        )
    if any(item.name not in LEFT_BY_A_KILL for item in path.iterdir()):
        raise RunError(
            f"{path} is not empty and holds no run.", hint="Choose another folder with --out."
        )


def _episode_json(episode: Episode) -> str:
    """The episode as JSON, with U+FFFD for lone surrogates, which models write and UTF-8 lacks."""
    try:
        return _EPISODE.dump_json(episode, indent=1).decode()
    except PydanticSerializationError:
        text = json.dumps(_EPISODE.dump_python(episode, mode="json"), indent=1, ensure_ascii=False)
        return _LONE_SURROGATE.sub("\ufffd", text)


def write_atomically(file: Path, content: str | bytes) -> None:
    """Write beside and rename, synced: readers see the old file or the new one, never a part."""
    beside = file.with_name(file.name + ".part")
    with _writing(file):
        with beside.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{file} cannot be written: {error.strerror or error}.",
            hint="What was finished is kept; make room or choose another --out, "
            "and the same command goes on.",
        ) from None
