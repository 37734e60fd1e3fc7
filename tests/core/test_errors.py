"""Errors say what happened and what to do next."""

from __future__ import annotations

import pickle

import pytest

from journeyman.core.errors import (
    BudgetReached,
    ConfigError,
    Fault,
    JourneymanError,
    MissingExtra,
    ModelUnavailable,
    SimulatorFault,
    UnknownName,
)
from journeyman.core.messages import Completion
from journeyman.models.tools import ToolsNotTaken
from journeyman.models.trouble import NoReply


def test_the_hint_stands_on_a_line_of_its_own() -> None:
    assert str(JourneymanError("it broke.", hint="mend it")) == "it broke.\n  mend it"
    assert str(JourneymanError("it broke.")) == "it broke."


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "houshold/base-v0",
            "no environment 'houshold/base-v0'. Did you mean 'household/base-v0'?",
        ),
        ("zzz", "no environment 'zzz'."),
    ],
)
def test_an_unknown_name_comes_with_the_nearest_one_if_any(name: str, said: str) -> None:
    error = UnknownName("environment", name, ["household/base-v0", "tabletop/l1-v0"])
    assert error.message == said


def test_a_missing_package_comes_with_its_install_line() -> None:
    error = MissingExtra("'bge-m3'", "sentence-transformers", "embed", otherwise="use hashing")
    assert 'pip install "journeyman[embed]"   or use hashing' in str(error)


def test_whatever_ends_an_episode_without_an_outcome_is_a_fault_that_a_user_can_mend() -> None:
    for kind in (ModelUnavailable, SimulatorFault, BudgetReached):
        assert issubclass(kind, Fault) and kind("x").exit_code == 2


@pytest.mark.parametrize(
    "error",
    [
        UnknownName("environment", "houshold", ["household"], hint="list them"),
        MissingExtra("'bge-m3'", "sentence-transformers", "embed"),
        ConfigError("cap: 0 is below 1.", hint="give more"),
        ToolsNotTaken("no tools here."),
        NoReply(ModelUnavailable("down.", hint="again"), Completion("", "model")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_whole_out_of_another_process(error: JourneymanError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
