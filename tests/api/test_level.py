"""One level of an environment: the tasks whose subset is called so."""

import pytest

from journeyman import api
from journeyman.api.parts import choose_tasks
from journeyman.core.errors import UnknownName
from journeyman.runs import RunSpec

ROTATE = "tabletop/rotate-v0"


def chosen(env: str, **fields: object) -> list[str]:
    spec = RunSpec(env=(env,), **fields)
    return [task.subset for _, task in choose_tasks(spec, [api.make(env)])]


def test_a_level_filters_before_the_number_of_tasks_counts():
    assert chosen(ROTATE, level="L2", tasks=5) == ["L2"] * 5
    assert chosen(ROTATE, level="L3") == ["L3"] * 200
    assert chosen("household/base-v0", level="base") == ["base"] * 50
    assert len(chosen(ROTATE)) == 600


def test_an_unknown_level_names_those_that_there_are():
    with pytest.raises(UnknownName) as error:
        chosen(ROTATE, level="L4")
    assert "no level 'L4'" in str(error.value)
    assert "tabletop/rotate-v0 has the levels: L1, L2, L3" in str(error.value)
