"""The model of a run that names none: the one that its environment was registered with."""

from journeyman.runs import RunSpec
from journeyman.runs.spec import check_spec, default_model


def test_an_environment_may_name_the_model_of_runs_that_name_none():
    assert RunSpec(env=("tabletop/rotate-v0",)).model == "stand-in-tabletop"
    assert check_spec({"env": ["tabletop-hard/rotate-v0"]}).model == "stand-in-tabletop"
    assert RunSpec(env=("household/base-v0",)).model == "stand-in" == RunSpec().model


def test_a_model_that_is_named_is_kept():
    assert RunSpec(env=("tabletop/rotate-v0",), model="stand-in").model == "stand-in"
    again = RunSpec.model_validate(RunSpec(env=("tabletop/rotate-v0",)).model_dump())
    assert again.model == "stand-in-tabletop"


def test_environments_that_name_different_models_or_are_unknown_decide_nothing():
    assert default_model(("tabletop/rotate-v0", "household/base-v0")) is None
    assert default_model(("no/such-v0",)) is None
    assert RunSpec(env=("tabletop/rotate-v0", "household/base-v0")).model == "stand-in"
