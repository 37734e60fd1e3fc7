"""What went wrong on the way to a reply, and replies that tell of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from journeyman.core.errors import ModelUnavailable
from journeyman.core.messages import Completion

SILENT = "no answer in time"
BROKEN = "broken connection"
OVERSIZED = "body too large"
HTML = "HTML instead of JSON"
NO_JSON = "no JSON"
NO_OBJECT = "no JSON object"
ERROR_IN_BODY = "error in a good status"
NO_CHAT = "no chat completion"
GARBLED = "invalid UTF-8"
CHOICES = "several choices"
NO_CHOICES = "no choices"
LONG = "text too long"
CUT_OFF = "cut off at max_tokens"


@dataclass(frozen=True)
class Trouble:
    """Why a call gave no reply.

    Attributes:
        reason: What happened, on one line, without the key.
        kind: The same in a few words that do not vary, to be counted.
        said: All that the server said about it, without the key.
        status: The HTTP status, 0 where there was none.
        passing: Whether trying again may help.
        wait_s: What the server asked to wait (``Retry-After``), or None.
        tries: Calls made.
    """

    reason: str
    kind: str = "unusable"
    status: int = 0
    passing: bool = False
    wait_s: float | None = None
    tries: int = 1
    said: str = ""


@dataclass
class Tale:
    """What happened on the way to one reply.

    Attributes:
        retries: Tries made after one that had failed.
        waited_s: Seconds slept between tries.
        troubles: How often each kind of trouble was met, that of a reply that came included.
    """

    retries: int = 0
    waited_s: float = 0.0
    troubles: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Troubled(Completion):
    """A reply that came with trouble, or (`NoReply`) none that did; see `Tale`.

    A recorded episode does not keep the difference, its summary does.
    """

    retries: int = 0
    waited_s: float = 0.0
    troubles: Mapping[str, int] = field(default_factory=dict)
    answered: bool = True

    @classmethod
    def told(cls, completion: Completion, tale: Tale, *, answered: bool = True) -> Completion:
        """``completion`` with its tale; as it is where there is nothing to tell."""
        if not tale.troubles:
            return completion
        said = {f.name: getattr(completion, f.name) for f in fields(Completion)}
        return cls(**said, **{**vars(tale), "troubles": dict(tale.troubles)}, answered=answered)


class NoReply(ModelUnavailable):
    """No reply after all tries; ``tale`` is what they met, as a completion without a text."""

    def __init__(self, unavailable: ModelUnavailable, tale: Completion) -> None:
        super().__init__(unavailable.message, hint=unavailable.hint)
        self.tale = tale
