"""An EB-ALFRED data folder by hand: one subset of one trial in one floor plan."""

import copy
import gzip
import json
from pathlib import Path
from typing import Any

COUNTER = "CounterTop|+00.00|+00.90|+03.00"
CABINET = "Cabinet|+00.30|+00.40|+03.00"
SINK = "Sink|-03.00|+00.80|-03.00|SinkBasin"
SINK_AGAIN = "SinkBasin|-02.99|+00.70|-03.10"
FRIDGE = "Fridge|+03.00|+00.00|+03.00"
DESK = "Desk|+03.00|+00.00|-03.00"
FORK = "Fork|+00.10|+00.95|+03.00"

PLAN: dict[str, Any] = {
    "object_types": ["DeskLamp", "Faucet"],
    "receptacles": {
        CABINET: {"type": "Cabinet", "position": [0.3, 0.4, 3.0]},
        COUNTER: {"type": "CounterTop", "position": [0.0, 0.9, 3.0]},
        "Bowl|+00.20|+00.95|+03.00": {"type": "Bowl", "position": [0.2, 0.95, 3.0]},
        DESK: {"type": "Desk", "position": [3.0, 0.0, -3.0]},
        FRIDGE: {"type": "Fridge", "position": [3.0, 0.0, 3.0]},
        SINK: {"type": "SinkBasin", "position": [-3.0, 0.8, -3.0]},
        SINK_AGAIN: {"type": "SinkBasin", "position": [-2.99, 0.7, -3.1]},
    },
}

TRIAL: dict[str, Any] = {
    "task_type": "pick_and_place_simple",
    "pddl_params": {
        "object_target": "Fork",
        "parent_target": "SinkBasin",
        "mrecep_target": "",
        "toggle_target": "",
        "object_sliced": False,
    },
    "floor_plan": "FloorPlan1",
    "init_action": {"action": "TeleportFull", "x": 0.5, "z": -0.25},
    "objects": [
        {
            "type": "Fork",
            "position": [0.104, 0.951, 3.004],
            "receptacle": COUNTER,
            "inference_cost": None,
        },
        {
            "type": "Egg",
            "position": [3.0, 0.8, 3.0],
            "receptacle": FRIDGE,
            "inference_cost": 0.1,
        },
        {
            "type": "Box",
            "position": [1.0, 0.05, 0.0],
            "receptacle": COUNTER,
            "inference_cost": 2.0,
        },
    ],
    "expert_object_actions": [
        [1, "PickupObject", FORK, None],
        [3, "PutObject", FORK, SINK_AGAIN],
    ],
    "annotations": [{"task_desc": "Put the fork in the sink."}],
    "used_by_subsets": [],
}

TASKS: dict[str, Any] = {
    "base": [{"index": 0, "task": "put-fork", "instruction": "Fork to the sink, please."}]
}


def trial(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(TRIAL), **changes}


def folder(
    root: Path,
    tasks: Any = None,
    trials: Any = None,
    scenes: Any = None,
) -> Path:
    """Write the three files into ``root``; what is not given is a small sound example."""
    spare = trial(annotations=[{"task_desc": "Bring the fork."}])
    (root / "tasks.json").write_text(json.dumps(TASKS if tasks is None else tasks))
    contents = {
        "trials.json.gz": {"put-fork": trial(), "spare": spare} if trials is None else trials,
        "scenes.json.gz": {"FloorPlan1": PLAN} if scenes is None else scenes,
    }
    for name, data in contents.items():
        (root / name).write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0))
    return root
