"""Pairs of method and model that could only fail are refused before a run folder is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.errors import ConfigError
from journeyman.core.registry import registry
from journeyman.methods.eeagent import EEAgent
from journeyman.methods.elite import Elite
from journeyman.models.loading import load_model
from journeyman.models.roles import ModelRoles
from journeyman.runs import RunSpec
from tests.support.scripted import ScriptedModel

HOUSEHOLD, TABLETOP = "household/base-v0", "tabletop/rotate-v0"
MADE_FOR = {
    ("elite", "stand-in", HOUSEHOLD),
    ("base", "stand-in", HOUSEHOLD),
    ("eeagent", "stand-in-tabletop", TABLETOP),
}
"""All that works without a real model."""


@pytest.mark.parametrize("profile", ["", "/expert"])
@pytest.mark.parametrize("env", [HOUSEHOLD, TABLETOP])
@pytest.mark.parametrize("model", ["stand-in", "stand-in-tabletop"])
@pytest.mark.parametrize("method", [entry.name for entry in registry().entries("method")])
def test_a_stand_in_runs_where_it_was_made_for_and_is_refused_elsewhere(
    method: str, model: str, env: str, profile: str, tmp_path: Path
) -> None:
    def run() -> api.Run:
        return api.learn(method, env, model=model + profile, tasks=1, out=tmp_path / "run")

    if (method, model, env) in MADE_FOR:
        tried = run()
        assert all(not call.completion.problem for call in tried.episodes[0].calls)
        return
    with pytest.raises(ConfigError) as refused:
        run()
    assert model in refused.value.message
    assert "--method" in refused.value.hint and "openai/NAME" in refused.value.hint
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError):
        api.preview(RunSpec(env=(env,), method=method, model=model + profile))


@pytest.mark.parametrize("entry", registry().entries("env"), ids=lambda entry: entry.name)
def test_every_environments_own_model_is_fit_for_it(entry: Any) -> None:
    from journeyman.api.parts import check_worlds

    name = entry.name + ("base" if entry.name.startswith("eb-") else "")
    name += "rotate-v0" if name.endswith("/") else ""
    check_worlds(RunSpec(env=(name,)))


@pytest.mark.parametrize("method", [entry.name for entry in registry().entries("method")])
@pytest.mark.parametrize("env", [HOUSEHOLD, TABLETOP])
@pytest.mark.parametrize("model", ["openai/gpt-4o", "openai/stand-in"])
def test_a_real_model_is_never_refused(method: str, env: str, model: str) -> None:
    spec = RunSpec(env=(env,), method=method, model=model, base_url="http://127.0.0.1:9", tasks=1)
    assert api.preview(spec).roles


def test_each_role_is_looked_at_and_only_those_that_a_method_asks() -> None:
    tabletop, anything = load_model("stand-in-tabletop"), ScriptedModel()
    with pytest.raises(ConfigError, match="for the role distil"):
        Elite(ModelRoles(anything, {"distil": tabletop}))
    Elite(ModelRoles(anything, {"judge": tabletop}))
    with pytest.raises(ConfigError, match=r"for the role judge\) answers faithful"):
        EEAgent(ModelRoles(anything, {"judge": load_model("stand-in")}))
    EEAgent(ModelRoles(anything, {"coarse_plan": load_model("stand-in")}))
    with pytest.raises(ConfigError, match="knows nothing of tabletop/rotate-v0"):
        api.preview(
            RunSpec(env=(TABLETOP,), method="eeagent", role_models={"plan": "stand-in/expert"})
        )


def test_a_world_of_ones_own_refuses_no_model() -> None:
    from journeyman.api.parts import check_worlds

    for model in ("stand-in", "stand-in-tabletop"):
        check_worlds(RunSpec(env=("my_world/tidy-v0",), model=model))


def test_a_run_is_not_evaluated_in_a_world_that_its_model_does_not_know(tmp_path: Path) -> None:
    run = api.learn("eeagent", TABLETOP, tasks=1, out=tmp_path / "run")
    with pytest.raises(ConfigError, match="stand-in-tabletop knows nothing of household"):
        api.evaluate(run, HOUSEHOLD, tasks=1)


def test_what_is_declared_is_no_part_of_the_stand_ins_names() -> None:
    """Their packages are frozen: an id is a hash of their own files."""
    from journeyman.models.standin import StandIn
    from journeyman.models.standin_tabletop import StandInTabletop

    assert load_model("stand-in").id == StandIn().id
    assert load_model("stand-in-tabletop").id == StandInTabletop().id
