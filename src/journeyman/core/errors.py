"""Errors that a person can act on.

Each message says what happened, what was given and what would work; ``hint`` is the next command.
The command line prints both without a traceback and exits with ``exit_code``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class JourneymanError(Exception):
    """Base of every error that the user can mend; anything else is a bug."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Whole out of another process, whatever a class asks for to make one."""
        return type(self).__new__, (type(self), self.message), self.__dict__


class UnknownName(JourneymanError):
    """A name that is not registered; suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, hint: str = "") -> None:
        near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
        suggestion = f" Did you mean '{near[0]}'?" if near else ""
        super().__init__(f"no {kind} '{name}'.{suggestion}", hint=hint)


class MissingExtra(JourneymanError):
    """An optional package is needed for what was asked."""

    def __init__(self, what: str, package: str, extra: str, *, otherwise: str = "") -> None:
        alternative = f"   or {otherwise}" if otherwise else ""
        super().__init__(
            f"{what} needs the package {package}.",
            hint=f'Install it with: pip install "journeyman[{extra}]"{alternative}',
        )


class ConfigError(JourneymanError):
    """A setting that is unknown or out of range; the message names its key."""


class DataError(JourneymanError):
    """A data file of the wrong shape; the message names the file, the entry and the field."""


class MemoryStoreError(JourneymanError):
    """A memory file that cannot be opened, read or written."""


class EmbeddingMismatch(JourneymanError):
    """Vectors of another embedder or dimension than the one in use."""


class RunError(JourneymanError):
    """A run folder that cannot be opened, resumed or written."""


class Fault(JourneymanError):
    """The model, the simulator or the machine failed: not an outcome, never learnt from."""


class ModelUnavailable(Fault):
    """The model gave no reply within its bounded retries (down, slow, refused, rate limited)."""


class SimulatorFault(Fault):
    """The environment failed in a way that is no part of its rules."""


class BudgetReached(Fault):
    """The budget of tokens, money or seconds is used up; the run can be resumed with more."""
