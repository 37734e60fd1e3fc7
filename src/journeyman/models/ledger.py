"""What the calls cost: tokens, seconds and money by role and model, and the budget that ends a run.

Prices are the user's to keep, in a TOML file, in US dollars per million tokens::

    ["gpt-4o"]
    in = 2.5
    out = 10.0
    cached = 1.25     # optional; ``in`` where it is left out

A model without an entry has no price; that is said, never taken for free. A reply that was paid for
before, and comes from a cache or a recording now, is `Repeated`: counted as usage, but neither
priced nor held against the budget. So the tokens that a method needs do not depend on what a cache
held.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from journeyman.core.errors import BudgetReached, ConfigError, RunError
from journeyman.core.messages import Completion, ModelCall, Usage
from journeyman.models.trouble import Troubled

NO_REPLY = "(no reply)"
"""The model of calls that none replied to."""

_ALWAYS = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "seconds")
_DATE = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    prompt: float
    completion: float
    cached: float

    def usd(self, usage: Usage) -> float:
        """The price of ``usage``; its cached tokens are part of its prompt tokens."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        return (
            (usage.prompt_tokens - cached) * self.prompt
            + cached * self.cached
            + usage.completion_tokens * self.completion
        ) / 1_000_000


class Prices:
    """A price table by the name that the server reports."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = dict(prices or {})

    @classmethod
    def read(cls, path: Path) -> Prices:
        """The table in the TOML file ``path``.

        Raises:
            ConfigError: the file cannot be read, is no TOML, or an entry is not ``in``, ``out``
                and optionally ``cached``, each a number of 0 or more.
        """
        try:
            tables = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"the price table {path} cannot be read: {error}.") from error
        return cls({model: _price(path, model, table) for model, table in tables.items()})

    def of(self, model: str) -> Price | None:
        """The price of ``model``: by its name, or its name without ``openai/`` or a final date."""
        bare = model.removeprefix("openai/")
        for name in (model, bare, _DATE.sub("", bare)):
            if name in self._prices:
                return self._prices[name]
        return None


def _price(path: Path, model: str, table: Any) -> Price:
    entry: dict[str, Any] = table if isinstance(table, dict) else {}
    valid = {"in", "out"} <= set(entry) <= {"in", "out", "cached"} and all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
        for value in entry.values()
    )
    if not valid:
        raise ConfigError(
            f'the price table {path}, entry "{model}", needs in and out, and may have cached, '
            "each a number of 0 or more.",
            hint=f'Write it like: ["{model}"]  in = 2.5  out = 10.0  cached = 1.25, a line each',
        )
    return Price(float(entry["in"]), float(entry["out"]), float(entry.get("cached", entry["in"])))


class Repeated(Completion):
    """A reply that was given before, with the usage of then; nothing is paid for it now.

    A recorded episode does not keep the difference, its summary does: the one episode that a kill
    may leave without a summary counts as paid.
    """


@dataclass(frozen=True)
class Tally:
    """Sums over calls; those of `Repeated` replies are counted by themselves too.

    ``unusable`` replies could not be used. ``retries``, ``waited_s`` and ``troubles`` (kind to
    times) are what `trouble.Troubled` replies tell of, those that never came included; ``seconds``
    holds the waiting.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    repeated_calls: int = 0
    repeated_prompt_tokens: int = 0
    repeated_completion_tokens: int = 0
    repeated_cached_tokens: int = 0
    unusable: int = 0
    retries: int = 0
    waited_s: float = 0.0
    troubles: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        mine, its = vars(self), vars(other)
        sums = {name: mine[name] + its[name] for name in mine if name != "troubles"}
        troubles = Counter(self.troubles) + Counter(other.troubles)
        return Tally(**sums, troubles=dict(sorted(troubles.items())))

    @property
    def usage(self) -> Usage:
        return Usage(self.prompt_tokens, self.completion_tokens, self.cached_tokens)

    @property
    def paid_calls(self) -> int:
        return self.calls - self.repeated_calls

    @property
    def paid(self) -> Usage:
        """The usage without that of repeated replies."""
        return Usage(
            self.prompt_tokens - self.repeated_prompt_tokens,
            self.completion_tokens - self.repeated_completion_tokens,
            self.cached_tokens - self.repeated_cached_tokens,
        )


@dataclass(frozen=True)
class RoleCost:
    """What the calls of one role came to; ``usd`` is None where one of its models has no price."""

    role: str
    calls: int
    usage: Usage
    seconds: float
    usd: float | None = None
    unusable: int = 0
    retries: int = 0
    waited_s: float = 0.0
    troubles: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Budget:
    """Limits of a run, resumed or not; None is no limit.

    Attributes:
        tokens: Prompt and completion tokens together.
        usd: US dollars by the price table.
        seconds: Seconds spent waiting for models.

    Raises:
        ConfigError: a limit is below 0.
    """

    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            if limit is not None and limit < 0:
                raise ConfigError(f"budget {name}: {limit} is below 0.")


class Ledger:
    """Adds up the calls that it is told of (``roles.listen(ledger.record)``), guards the budget.

    Args:
        prices: The price table; nothing has a price where None.
        budget: Where to stop (``roles.gate = ledger.check``); nowhere where None.
    """

    def __init__(self, prices: Prices | None = None, budget: Budget | None = None) -> None:
        self.prices = prices or Prices()
        self.budget = budget or Budget()
        self._tallies: dict[tuple[str, str], Tally] = {}

    def record(self, call: ModelCall) -> None:
        """Add one call, a bad reply like a good one; no call, but its trouble, without a reply."""
        completion, usage = call.completion, call.completion.usage
        tally = Tally(
            1,
            **asdict(usage),
            seconds=completion.seconds,
            unusable=int(completion.problem is not None),
        )
        if isinstance(completion, Troubled):
            answered = completion.answered
            tally = replace(
                tally,
                calls=int(answered),
                unusable=tally.unusable if answered else 0,
                retries=completion.retries,
                waited_s=completion.waited_s,
                troubles=completion.troubles,
            )
        if isinstance(completion, Repeated):
            tally += Tally(
                repeated_calls=1,
                repeated_prompt_tokens=usage.prompt_tokens,
                repeated_completion_tokens=usage.completion_tokens,
                repeated_cached_tokens=usage.cached_tokens,
            )
        self._add(call.role, completion.model or NO_REPLY, tally)

    def _add(self, role: str, model: str, tally: Tally) -> None:
        key = (role, model)
        self._tallies[key] = self._tallies.get(key, Tally()) + tally

    @property
    def by_role_and_model(self) -> Mapping[tuple[str, str], Tally]:
        return dict(self._tallies)

    @property
    def by_role(self) -> tuple[RoleCost, ...]:
        """The calls of each role over all its models, in order of first use."""
        found: list[RoleCost] = []
        for role in dict.fromkeys(role for role, _ in self._tallies):
            mine = {model: tally for (its, model), tally in self._tallies.items() if its == role}
            total = sum(mine.values(), Tally())
            prices = [(self.prices.of(model), tally.paid) for model, tally in mine.items()]
            usd = [price.usd(paid) for price, paid in prices if price is not None]
            known = sum(usd) if len(usd) == len(prices) else None
            found.append(
                RoleCost(
                    role,
                    total.calls,
                    total.usage,
                    total.seconds,
                    known,
                    total.unusable,
                    total.retries,
                    total.waited_s,
                    total.troubles,
                )
            )
        return tuple(found)

    @property
    def total(self) -> Tally:
        return sum(self._tallies.values(), Tally())

    @property
    def usd(self) -> float:
        """The cost of every paid call whose model has a price; see ``unpriced`` for the others."""
        return sum(
            price.usd(tally.paid)
            for (_, model), tally in self._tallies.items()
            if (price := self.prices.of(model)) is not None
        )

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models that were called and have no price."""
        called = {model for (_, model), tally in self._tallies.items() if tally.paid_calls}
        return tuple(sorted(model for model in called if self.prices.of(model) is None))

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The models that were called and whose server reports no tokens."""
        return tuple(
            sorted(
                {
                    model
                    for (_, model), tally in self._tallies.items()
                    if tally.paid_calls and not tally.paid.prompt_tokens
                }
            )
        )

    def snapshot(self) -> list[dict[str, Any]]:
        """The totals as JSON, one object for each role and model; of the rarer ones no 0 in it."""
        return [
            {"role": role, "model": model}
            | {k: v for k, v in asdict(tally).items() if v or k in _ALWAYS}
            for (role, model), tally in self._tallies.items()
        ]

    def restore(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add recorded totals, so that a resumed run counts what was spent before.

        Raises:
            RunError: a row is not as `snapshot` writes it.
        """
        for row in rows:
            counts = {key: value for key, value in row.items() if key not in ("role", "model")}
            try:
                self._add(str(row["role"]), str(row["model"]), Tally(**counts))
            except (KeyError, TypeError) as error:
                raise RunError(f"recorded totals are damaged: {error}.") from error

    def check(self) -> None:
        """Nothing, while the budget lasts; asked before each call.

        Raises:
            BudgetReached: a limit is used up, or cannot be kept because a server reports no tokens
                or a model has no price.
        """
        total, limit = self.total, self.budget
        tokens = total.paid.prompt_tokens + total.paid.completion_tokens
        if limit.tokens is not None or limit.usd is not None:
            _keepable(self.uncounted, "report no tokens", "Limit the seconds instead")
        if limit.usd is not None:
            _keepable(self.unpriced, "have no price", "Add them to the price table")
        if limit.tokens is not None and tokens >= limit.tokens:
            raise _used_up(f"{tokens:,} of {limit.tokens:,} tokens", total)
        if limit.seconds is not None and total.seconds >= limit.seconds:
            raise _used_up(f"{total.seconds:,.0f} of {limit.seconds:,.0f} seconds", total)
        if limit.usd is not None and self.usd >= limit.usd:
            raise _used_up(f"{self.usd:.2f} of {limit.usd:.2f} US dollars", total)


def _keepable(models: Iterable[str], what: str, remedy: str) -> None:
    names = ", ".join(models)
    if names:
        raise BudgetReached(
            f"the budget cannot be kept: these models {what}: {names}.",
            hint=f"{remedy}, and give the same command again.",
        )


def _used_up(spent: str, total: Tally) -> BudgetReached:
    return BudgetReached(
        f"the budget is used up: {spent} in {total.paid_calls:,} calls.",
        hint="Raise it and give the same command again; the run goes on where it stopped.",
    )
