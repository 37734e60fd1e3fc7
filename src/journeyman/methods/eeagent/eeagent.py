"""EEAgent with LSTRO: Algorithm 1 as a method."""

from __future__ import annotations

from typing import Any

from journeyman.core.errors import ConfigError
from journeyman.core.protocols import MemoryView, Model
from journeyman.core.values import (
    ActionLibrary,
    Add,
    Delta,
    Experience,
    History,
    Insight,
    Lessons,
    Observation,
    Operation,
    Plan,
    Reflection,
    Remove,
    Revise,
    TaskView,
)
from journeyman.memory.judge import normalised
from journeyman.methods.eeagent.entities import GroundTruth
from journeyman.methods.eeagent.error_location import ErrorLocator
from journeyman.methods.eeagent.interpreter import Interpreter
from journeyman.methods.eeagent.memory import (
    MODULES,
    LongShortMemory,
    Module,
    Term,
    check_control,
    controlled,
    kind_of,
)
from journeyman.methods.eeagent.optimizer import (
    Candidate,
    Optimized,
    Optimizer,
    candidate_values,
)
from journeyman.methods.eeagent.planner import Planner
from journeyman.methods.eeagent.reflection import Reflected, Reflector
from journeyman.methods.eeagent.strategies import PACKAGE, make_asking
from journeyman.methods.eeagent.tools import usual_calls
from journeyman.methods.prompting import NO_MORE_PLANS, check_answered, prompt_hashes
from journeyman.models.loading import load_segmenter
from journeyman.models.roles import ModelRoles

GROUND_TRUTH = "ground_truth"

ROLES = ("interpret", "plan", "judge", "distil", "consolidate")
"""What the models are asked for."""


class EEAgent:
    """Interpret, plan once a trial, and after each trial reflect on what happened.

    Args:
        models: One model for all roles, or `ModelRoles`: ``interpret`` (F_ei), ``plan`` (F_pp),
            ``judge`` (consistency checks, generality gate), ``distil`` (reflection),
            ``consolidate`` (optimizer).
        strategy: ``lstro``, the paper's; or one of Table I's prompting strategies on the same
            agent, which remember nothing: ``vanilla``, ``cot``, ``sc_voting``, ``sc_select``,
            ``sc_reflect``.
        cap: Principles a module at most (section IV-A: 20).
        max_retries: Trials after a failed first one. None is section IV-A's 3 for ``lstro`` and 0
            for the prompting strategies; a number holds for any strategy.
        segmenter: Its name (`load_segmenter`), or ``ground_truth``: the simulator's masks, where
            the environment gives them, for studies of perception.
        samples: Of self-consistency; they differ only at a temperature above 0.
        memory_control: ``shuffled`` or ``nonsense`` shows other texts in place of what was learnt.
        short_term: False shows no suggestions, as in the evaluation of a frozen memory.
        reasks: Re-asks of a bad reply, each quoting the error.
        seed: Of the control ``nonsense``.
    """

    id = "eeagent"
    uses_demonstrations = False
    usual_calls = staticmethod(usual_calls)

    def __init__(
        self,
        models: Model | ModelRoles,
        *,
        strategy: str = "lstro",
        cap: int = 20,
        max_retries: int | None = None,
        segmenter: str = "embedded",
        samples: int = 5,
        memory_control: str = "none",
        short_term: bool = True,
        reasks: int = 2,
        seed: int = 0,
    ) -> None:
        if reasks < 0:
            raise ConfigError(f"reasks: {reasks} is below 0; 0 asks once.")
        if cap < 1:
            raise ConfigError(f"cap: {cap} is below 1; the paper's maximum is 20.")
        if max_retries is not None and (type(max_retries) is not int or max_retries < 0):
            raise ConfigError(
                f"max_retries: {max_retries!r} is no whole number from 0 on; 0 tries each task "
                "once, and without the setting it is 3 for strategy lstro and 0 for the others."
            )
        self.models = ModelRoles.of(models)
        check_answered(self.id, self.models, ROLES, instead="--method elite")
        asking = make_asking(strategy, self.models, reasks=reasks, samples=samples)
        self.learns = strategy == "lstro"
        self.max_retries = (3 if self.learns else 0) if max_retries is None else max_retries
        self.memory_control = check_control(memory_control)
        self.short_term = short_term
        self.seed = seed
        sees_truth = segmenter == GROUND_TRUTH
        self.interpreter = Interpreter(
            asking, GroundTruth() if sees_truth else load_segmenter(segmenter)
        )
        self.planner = Planner(asking)
        self.locator = ErrorLocator(self.models, reasks=reasks)
        self.reflector = Reflector(self.models, reasks=reasks)
        self.optimizer = Optimizer(self.models, cap=cap, reasks=reasks)

    @property
    def prompts(self) -> dict[str, str]:
        return prompt_hashes(PACKAGE)

    def recall(self, task: TaskView, obs: Observation, memory: MemoryView) -> Lessons:
        """Both memories of both modules, whole: nothing is searched for.

        Suggestions of another instruction are those of a task at which another run stopped.
        """
        if not self.learns:
            return Lessons(memory_version=memory.version)
        held = LongShortMemory.of(memory, short_term=self.short_term, instruction=task.instruction)
        shown = controlled(held.lessons, self.memory_control, self.seed)
        return Lessons(shown, memory_version=memory.version)

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        """Lines 5 and 6: interpret and plan; one plan a trial, so asked again it gives none."""
        if history.plans:
            return NO_MORE_PLANS
        memory = LongShortMemory(lessons.items)
        findings = self.interpreter.interpret(history.task, obs, memory)
        plan = self.planner.plan(history.task, findings, library, memory)
        working = {**findings.values(), "rules": library.rules}
        return Plan(
            plan.actions,
            findings.interpretation,
            plan.reasoning_and_reflection,
            plan.language_plan,
            plan.error,
            plan.note,
            working,
        )

    def reflect(self, experience: Experience, memory: MemoryView) -> Delta:
        """Lines 9 to 21 after one trial; after the last one short-term memory is cleared too."""
        if not self.learns:
            return Delta(memory.version)
        [trajectory] = experience.trajectories
        evidence: dict[str, Any] = {}
        reflected: dict[Module, Reflected]
        if trajectory.success:
            reflected = {module: self.reflector.success(module, experience) for module in MODULES}
        else:
            location = self.locator.locate(trajectory)
            evidence = location.values()
            reflected = {
                module: self.reflector.failure(module, experience, location)
                for module in location.blamed
            }
        held = LongShortMemory.of(memory)
        operations: list[Operation] = []
        replies: list[str] = []
        evidence |= {"diagnoses": {}, "gate": [], "optimization": {}}
        for module in MODULES:
            found = reflected.get(module, Reflected())
            evidence["diagnoses"][module] = found.diagnosis
            candidates = self._candidates(module, found, held, experience)
            rated = self.optimizer.gate(module, candidates, experience.task.instruction)
            optimized = self.optimizer.optimize(
                module, held.principles(module), rated, experience.task.instruction
            )
            evidence["gate"] += candidate_values(module, rated)
            evidence["optimization"][module] = optimized.values()
            replies += [optimized.reply] if optimized.reply else []
            operations += optimized.operations
            operations += self._short_term(module, found, held, experience, optimized)
        reflection = Reflection(
            "success" if trajectory.success else "failure",
            tuple(_insights(reflected)),
            _problem(reflected),
            evidence,
        )
        return Delta(memory.version, tuple(operations), "\n".join(replies), None, reflection)

    def _candidates(
        self, module: Module, found: Reflected, held: LongShortMemory, experience: Experience
    ) -> list[Candidate]:
        """What may become a principle: principles reflected and, at the task's end, suggestions."""
        candidates = [Candidate(text) for text in found.principles]
        if experience.last:
            candidates += [Candidate(text) for text in found.suggestions]
        if experience.last and experience.trial > 0:
            suggestions = held.suggestions(module)
            candidates += [Candidate(lesson.text, lesson.alias) for lesson in suggestions]
        return list({normalised(c.text): c for c in candidates}.values())

    def _short_term(
        self,
        module: Module,
        found: Reflected,
        held: LongShortMemory,
        experience: Experience,
        optimized: Optimized,
    ) -> list[Operation]:
        """New suggestions while the task goes on; at its end, all that was not promoted goes.

        What is there before the second trial is of a task at which another run stopped (line 3).
        What a principle says already is no suggestion beside it: the store would refuse it, and
        keep the principle for it even where the optimizer lets that go.
        """
        operations: list[Operation] = []
        if experience.last or experience.trial == 0:
            promoted = {op.alias for op in optimized.operations if isinstance(op, Revise)}
            operations += [
                Remove(lesson.alias, "the task is over")
                for lesson in held.suggestions(module)
                if lesson.alias not in promoted
            ]
        if not experience.last:
            shown = (*held.principles(module), *held.suggestions(module))
            known = {normalised(lesson.text) for lesson in shown}
            kind = kind_of(module, "suggestion")
            operations += [
                Add(text, kind=kind, instruction=experience.task.instruction)
                for text in found.suggestions
                if normalised(text) not in known
            ]
        return operations


def _insights(reflected: dict[Module, Reflected]) -> list[Insight]:
    terms: tuple[Term, ...] = ("principle", "suggestion")
    return [
        Insight(kind_of(module, term), text)
        for module, found in reflected.items()
        for term in terms
        for text in (found.principles if term == "principle" else found.suggestions)
    ]


def _problem(reflected: dict[Module, Reflected]) -> str | None:
    found = [f"{module}: {r.problem}" for module, r in reflected.items() if r.problem is not None]
    return "; ".join(found) or None
