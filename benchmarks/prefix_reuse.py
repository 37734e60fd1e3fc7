"""How much of a long episode's prompts a server need not compute again.

    python benchmarks/prefix_reuse.py [--model gguf:qwen2.5-coder-1.5b] [--steps 15]
        [--env household/long_horizon-v0] [--observation both] [--max-tokens 48]

One episode of ELITE with the faithful profile and its long prompts. The model is asked for a new
plan before every step; what is carried out is the next action of the task's demonstration, so that
the episode is as long as asked for whatever the model writes. Replies are in no later prompt, so
that their length (``--max-tokens``) changes the time and not the share. The counts of cached tokens
are those of the model's own server; a token is cached where it was not computed for this call.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from journeyman import api
from journeyman.core.events import Events
from journeyman.core.messages import ModelCall
from journeyman.core.protocols import MemoryView, Method
from journeyman.core.values import (
    Action,
    ActionLibrary,
    Delta,
    Experience,
    History,
    Lessons,
    Observation,
    Plan,
    TaskView,
)
from journeyman.learning.episode import run_episode
from journeyman.methods.elite import Elite
from journeyman.models.loading import load_model
from journeyman.models.options import ModelOptions
from journeyman.models.roles import ModelRoles


class Demonstrated:
    """ELITE, asked for a plan before every step; the demonstration is what is carried out."""

    id = "elite-demonstrated"

    def __init__(self, elite: Elite, demonstration: tuple[str, ...], steps: int) -> None:
        self.elite = elite
        self.demonstration = demonstration
        self.steps = steps

    def recall(self, task: TaskView, obs: Observation, memory: MemoryView) -> Lessons:
        return self.elite.recall(task, obs, memory)

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        done = len(history.steps)
        if done >= min(self.steps, len(self.demonstration)):
            return Plan()
        plan = self.elite.act(obs, library, lessons, history)
        action: Action = library.by_name[self.demonstration[done]]
        return replace(plan, actions=(action,), error=None)

    def reflect(self, experience: Experience, memory: MemoryView) -> Delta:
        return self.elite.reflect(experience, memory)


def main() -> None:
    options = arguments()
    env = api.make(options.env)
    task = next(t for t in env.tasks if len(t.demonstration or ()) >= options.steps)
    model = load_model(options.model, ModelOptions(max_tokens=options.max_tokens))
    roles = ModelRoles(model)
    calls: list[ModelCall] = []
    began = time.monotonic()

    def heard(call: ModelCall) -> None:
        calls.append(call)
        usage = call.completion.usage
        print(
            f"{len(calls):>4}  {call.role:<12}{usage.prompt_tokens:>8}{usage.cached_tokens:>8}"
            f"{share([call]):>8}{call.completion.seconds:>8.1f} s",
            flush=True,
        )

    roles.listen(heard)
    elite = Elite(roles, observation=options.observation, reflection_reasks=0)
    print(f"{options.model}, {task.id}: {task.instruction}")
    print(f"{'call':>4}  {'role':<12}{'prompt':>8}{'cached':>8}{'share':>8}{'time':>9}")
    method: Method = Demonstrated(elite, task.demonstration or (), options.steps)
    memory = api.NoMemory()
    rollout = run_episode(env, task, method, memory, Events(), seed=0)
    acting = list(calls)
    if not options.no_reflection:
        experience = Experience(task.view(), (rollout.trajectory,), rollout.lessons)
        method.reflect(experience, memory)
    plans = [call for call in acting if call.role == "plan"]
    print(f"steps {rollout.outcome.num_steps}, ended: {rollout.trajectory.ended}")
    print(f"prompt tokens from the prefix cache, planner alone:     {share(plans)}")
    print(f"prompt tokens from the prefix cache, planner but first: {share(plans[1:])}")
    print(f"prompt tokens from the prefix cache, whole episode:     {share(calls)}")
    print(f"{time.monotonic() - began:.0f} s")


def share(calls: list[ModelCall]) -> str:
    prompt = sum(call.completion.usage.prompt_tokens for call in calls)
    cached = sum(call.completion.usage.cached_tokens for call in calls)
    return f"{100 * cached / prompt:.1f} %" if prompt else "-"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="gguf:qwen2.5-coder-1.5b")
    parser.add_argument("--env", default="household/long_horizon-v0")
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--observation", default="both")
    parser.add_argument("--max-tokens", type=int, default=48)
    parser.add_argument("--no-reflection", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
