"""Which model serves which role; the one door through which methods talk to models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from journeyman.core.errors import UnknownName
from journeyman.core.messages import Completion, Message, ModelCall, Tool
from journeyman.core.protocols import Model
from journeyman.models import function_calling, structured
from journeyman.models.function_calling import Conversation
from journeyman.models.tools import ToolFunction
from journeyman.models.trouble import NoReply

if TYPE_CHECKING:
    from pydantic import BaseModel

Role = Literal["interpret", "coarse_plan", "plan", "distil", "consolidate", "judge"]
"""What a model is asked for; the papers write theta_D (distil) and theta_C (consolidate) apart."""

ROLES: tuple[Role, ...] = get_args(Role)


class ModelRoles:
    """A model for each role, with listeners that hear of every call.

    Args:
        default: Serves every role that ``by_role`` leaves out.
        by_role: Models of single roles.

    Attributes:
        gate: Called before each call; may raise `BudgetReached` (see `ledger.Ledger.check`).

    Raises:
        UnknownName: ``by_role`` names a role that does not exist.
    """

    def __init__(self, default: Model, by_role: Mapping[str, Model] | None = None) -> None:
        self.default = default
        self._by_role = dict(by_role or {})
        for role in self._by_role:
            _known(role)
        self.gate: Callable[[], None] | None = None
        self._listeners: list[Callable[[ModelCall], None]] = []

    @classmethod
    def of(cls, model: Model | ModelRoles) -> ModelRoles:
        """``model`` itself where it has roles already, else the one model for all roles."""
        return model if isinstance(model, ModelRoles) else cls(model)

    def model(self, role: str) -> Model:
        """The model that serves ``role``."""
        _known(role)
        return self._by_role.get(role, self.default)

    @property
    def ids(self) -> dict[str, str]:
        """Model ids for the run header: ``default`` and every role with a model of its own."""
        return {"default": self.default.id, **{r: m.id for r, m in self._by_role.items()}}

    def listen(self, listener: Callable[[ModelCall], None]) -> Callable[[], None]:
        """Have ``listener`` told of every call, bad replies and re-asks included, as it is made.

        Of one that had no reply too (`trouble.Troubled`, not answered), before its error is raised.

        Returns:
            What ends the listening.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def ask(
        self,
        role: str,
        messages: Sequence[Message],
        reply_type: type[BaseModel],
        reasks: int = 0,
        *,
        check: structured.Check | None = None,
    ) -> Completion:
        """The reply of the role's model, ``parsed`` a ``reply_type`` or None with ``problem``.

        Args:
            role: One of `ROLES`.
            messages: The prompt.
            reply_type: The shape that the reply must have.
            reasks: Times that a bad reply is asked for again with its error quoted.
            check: What is wrong with a reply that has the shape, or None.

        Raises:
            BudgetReached: by the gate, before a call (a re-ask is a call).
            ModelUnavailable: by the model.
        """
        return structured.ask(
            partial(self._call, role),
            messages,
            reply_type,
            reasks,
            partial(self._tell, role),
            check,
        )

    def converse(
        self,
        role: str,
        messages: Sequence[Message],
        functions: Sequence[ToolFunction[Any]],
        reply_type: type[BaseModel] | None = None,
        *,
        needs_call: bool = False,
        max_replies: int = 12,
        reasks: int = 2,
    ) -> Conversation:
        """A conversation in which the role's model calls ``functions`` until it answers.

        The same for models that call functions and, by JSON, for those that do not: where the
        model's ``takes_tools`` is False or its server refuses tools. The arguments are those of
        `function_calling.converse`.

        Raises:
            BudgetReached: by the gate, before a call.
            ModelUnavailable: by the model.
        """
        model = self.model(role)
        return function_calling.converse(
            partial(self._call, role),
            messages,
            functions,
            reply_type,
            takes_tools=bool(getattr(model, "takes_tools", True)),
            needs_call=needs_call,
            max_replies=max_replies,
            reasks=reasks,
            heard=partial(self._tell, role),
        )

    def _call(
        self,
        role: str,
        shown: Sequence[Message],
        schema: Mapping[str, Any] | None,
        tools: Sequence[Tool] = (),
    ) -> Completion:
        model = self.model(role)
        if self.gate is not None:
            self.gate()
        try:
            completion = model.complete(shown, schema=schema, tools=tools)
        except NoReply as failed:  # what it took counts, though it gave nothing
            self._tell(role, tuple(shown), failed.tale, 0, tuple(tools))
            raise
        return completion if completion.model else replace(completion, model=model.id)

    def _tell(
        self,
        role: str,
        shown: tuple[Message, ...],
        completion: Completion,
        attempt: int,
        tools: tuple[Tool, ...] = (),
    ) -> None:
        made = ModelCall(role, shown, completion, attempt, tools)
        for listener in self._listeners:
            listener(made)


def _known(role: str) -> None:
    if role not in ROLES:
        raise UnknownName("model role", role, ROLES, hint=f"The roles are: {', '.join(ROLES)}")
