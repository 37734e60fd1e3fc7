"""The EB-ALFRED data folder: finding it, reading it, and saying what is wrong with it.

The folder holds ``tasks.json`` (subsets of tasks), ``trials.json.gz`` (the ALFRED trials behind
them) and ``scenes.json.gz`` (floor plans). What is read is validated where it is used, so a broken
trial spoils only the subsets that need it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from journeyman.core.errors import DataError, UnknownName
from journeyman.envs.household.scene import TaskType

TASKS, TRIALS, SCENES = "tasks.json", "trials.json.gz", "scenes.json.gz"
_GIVE = "Give --data DIR, or set JOURNEYMAN_DATA, to the folder that holds embodiedbench/."
UNUSED = "unused"
"""The subset of the trials that no benchmark subset uses, for learning outside them."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore")


class GoalParams(_Entry):
    """ALFRED's pddl_params."""

    object_target: str
    parent_target: str = ""
    mrecep_target: str = ""
    toggle_target: str = ""
    object_sliced: bool = False


class TaskEntry(_Entry):
    """A task of a subset: a trial and the instruction given with it."""

    index: int
    task: str
    instruction: str = Field(min_length=1)


class Placed(_Entry):
    """A thing of a trial; ``inference_cost`` is None where the expert plan states the place."""

    type: str
    position: tuple[float, float, float]
    receptacle: str | None = None
    inference_cost: float | None = None


class Start(_Entry):
    """Where the agent starts, in metres."""

    x: float
    z: float


class Annotation(_Entry):
    """A person's words for a trial."""

    task_desc: str = Field(min_length=1)


ThorAction = Literal[
    "PickupObject",
    "PutObject",
    "OpenObject",
    "CloseObject",
    "ToggleObjectOn",
    "ToggleObjectOff",
    "SliceObject",
]

ObjectId = Annotated[str, Field(pattern=r"^[A-Za-z]+(\|[+-]?[0-9.]+){3}(\||$)")]
"""``Class|x|y|z``, for basins and slices with one part more."""


class Trial(_Entry):
    """An ALFRED trial; an expert action is [high index, THOR action, object id, receptacle id]."""

    task_type: TaskType
    pddl_params: GoalParams
    floor_plan: str
    init_action: Start
    objects: list[Placed]
    expert_object_actions: list[tuple[int, ThorAction, ObjectId, ObjectId | None]]
    annotations: list[Annotation] = Field(min_length=1)


class Fixture(_Entry):
    """A receptacle of a floor plan."""

    type: str
    position: tuple[float, float, float]


class Plan(_Entry):
    """A floor plan: the classes in it and its receptacles by object id."""

    object_types: list[str]
    receptacles: dict[str, Fixture]


_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Files:
    """The three files as read.

    Attributes:
        folder: Where they are.
        data_hash: ``sha256:`` of their names and bytes, for the record of a run.
        tasks, trials, scenes: Their JSON.
    """

    folder: Path
    data_hash: str
    tasks: dict[str, Any] = field(repr=False)
    trials: dict[str, Any] = field(repr=False)
    scenes: dict[str, Any] = field(repr=False)

    @classmethod
    def read(cls, data: str | Path | None = None) -> Files:
        """Read the folder ``data``, or the one that JOURNEYMAN_DATA names.

        Args:
            data: The folder that holds ``embodiedbench/``, that folder, or ``eb_alfred/`` itself.

        Raises:
            DataError: no such folder, a file is missing or is not what it should be.
        """
        folder = locate(data)
        digest = hashlib.sha256()
        contents = []
        for name in (TASKS, TRIALS, SCENES):
            raw = _bytes(folder / name)
            digest.update(name.encode() + b"\0" + raw)
            contents.append(_json_object(folder / name, raw))
        return cls(folder, f"sha256:{digest.hexdigest()}", *contents)

    def subsets(self) -> list[str]:
        """The subsets whose trials are all here, in file order, then ``unused`` if there is any."""
        whole = [name for name, entries in self.tasks.items() if self._complete(entries)]
        return [*whole, *([UNUSED] if self.unused() else [])]

    def _complete(self, entries: Any) -> bool:
        return isinstance(entries, list) and all(
            isinstance(entry, dict) and entry.get("task") in self.trials for entry in entries
        )

    def unused(self) -> list[str]:
        """Trials that no subset uses, here or by their own account, in file order."""
        used = {
            entry.get("task")
            for entries in self.tasks.values()
            if isinstance(entries, list)
            for entry in entries
            if isinstance(entry, dict)
        }
        return [
            name
            for name, trial in self.trials.items()
            if name not in used and isinstance(trial, dict) and not trial.get("used_by_subsets")
        ]

    def entries(self, subset: str) -> list[TaskEntry]:
        """The tasks of a subset.

        Raises:
            UnknownName: no such subset; suggests the nearest.
            DataError: the subset is broken, or some of its trials are not here.
        """
        if subset == UNUSED and UNUSED not in self.tasks:
            return [
                TaskEntry(index=i, task=name, instruction=self.trial(name).annotations[0].task_desc)
                for i, name in enumerate(self.unused())
            ]
        known = self.subsets()
        if subset not in self.tasks:
            raise UnknownName(
                "EB-ALFRED subset", subset, known, hint=f"In {self.folder}: {', '.join(known)}"
            )
        listed = self.tasks[subset]
        if not isinstance(listed, list):
            raise DataError(f"{TASKS}: subset '{subset}' is not a list of tasks.")
        entries = [
            _valid(TaskEntry, entry, f"{TASKS}, subset '{subset}', task {number}")
            for number, entry in enumerate(listed)
        ]
        missing = [entry.task for entry in entries if entry.task not in self.trials]
        if missing:
            raise DataError(
                f"{TRIALS} lacks {len(missing)} trials of subset '{subset}', first '{missing[0]}'.",
                hint=f"Subsets that are whole: {', '.join(known)}",
            )
        return entries

    def trial(self, name: str) -> Trial:
        return _valid(Trial, self.trials[name], f"{TRIALS}, task '{name}'")

    def floor_plan(self, name: str, task: str) -> Plan:
        if name not in self.scenes:
            raise DataError(
                f"{TRIALS}, task '{task}', field 'floor_plan': {SCENES} has no '{name}'."
            )
        return _valid(Plan, self.scenes[name], f"{SCENES}, scene '{name}'")


def locate(data: str | Path | None) -> Path:
    """The ``eb_alfred`` folder for what the user gave, or for JOURNEYMAN_DATA."""
    given = data if data is not None else os.environ.get("JOURNEYMAN_DATA")
    if not given:
        raise DataError(
            "the EB-ALFRED replay needs a data folder, and none is given.",
            hint=_GIVE,
        )
    root = Path(given)
    for folder in (root / "embodiedbench" / "eb_alfred", root / "eb_alfred", root):
        if (folder / TASKS).is_file():
            return folder
    raise DataError(
        f"no EB-ALFRED data in '{root}': there is no {TASKS} in it, in eb_alfred/ or in "
        "embodiedbench/eb_alfred/.",
        hint="Give --data DIR, or set JOURNEYMAN_DATA, to the folder that holds embodiedbench/.",
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error


def _json_object(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, ValueError) as error:
        form = "gzipped JSON" if path.suffix == ".gz" else "JSON"
        raise DataError(f"{path} is not {form}: {error}.") from error
    if not isinstance(data, dict):
        raise DataError(f"{path} does not hold a JSON object.")
    return data


def _valid(model: type[_Model], data: Any, where: str) -> _Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "itself"
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        raise DataError(f"{where}, field '{place}': {message}.") from error
