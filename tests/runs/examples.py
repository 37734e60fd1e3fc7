"""An episode with everything in it that an episode can hold."""

from __future__ import annotations

import numpy as np

from journeyman.core.episode import Episode
from journeyman.core.messages import (
    Completion,
    Image,
    Message,
    ModelCall,
    Tool,
    ToolCall,
    Usage,
    user,
)
from journeyman.core.values import (
    Action,
    Add,
    Delta,
    Insight,
    Lesson,
    Lessons,
    Observation,
    Outcome,
    Plan,
    Reflection,
    Remove,
    Revise,
    Step,
    Task,
    Trajectory,
)

PICTURE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


def episode(number: int = 0, *, success: bool = False, words: str = "words", **fields: object):
    """Episode ``number``; ``words`` stand in every place that a model writes."""
    image = Image(PICTURE)
    call = ModelCall(
        "plan",
        (
            user(image, f"## Task\n{words}"),
            Message("assistant", (words,), (ToolCall("t1", "look", {"at": "it"}),)),
        ),
        Completion(words, None, None, usage=Usage(10, 5, 2), model="m-1", seconds=0.25),
        1,
        (Tool("look", words, {"type": "object"}),),
    )
    action = Action(3, "open the chest")
    plan = Plan((action,), words, words, words, None, "a note")
    step = Step(0, action, True, words, Observation("after"), 0)
    delta = Delta(
        4,
        (
            Add(words, "t", "w", "failure_cause", "p", "i"),
            Revise("S1", words, "t", "w", None, "p", "i"),
            Remove("S2", words),
        ),
        words,
        None,
        Reflection("failure", (Insight("failure_cause", words, "t", "w"),)),
    )
    known = {
        "task": Task(f"task-{number}", "tiny/tidy-v0", "tidy", "Put it there."),
        "lessons": Lessons((Lesson("S1", words, "t", "w", "e0001", 2, 0.5),), words, 4),
        "trajectory": Trajectory(
            "Put it there.",
            Observation("before"),
            (plan, Plan(error=words)),
            (step,),
            success,
            "success" if success else "max_steps",
        ),
        "outcome": Outcome(success, 0.25, 1, 2, 2, 1, False, 0.125),
        "delta": delta,
        "calls": (call,),
        "wall_s": 1.23456,
    }
    return Episode(number=number, **{**known, **fields})  # type: ignore[arg-type]
