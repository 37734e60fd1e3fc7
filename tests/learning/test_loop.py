"""The learning loop (Algorithm 1), frozen evaluation, resumption and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from journeyman.core.episode import Episode
from journeyman.core.errors import BudgetReached, Fault, ModelUnavailable
from journeyman.core.events import (
    EpisodeEnded,
    EpisodeFaulted,
    EpisodeStarted,
    Events,
    ModelCalled,
    Reflected,
)
from journeyman.core.values import (
    Add,
    Delta,
    Experience,
    History,
    Lessons,
    Observation,
    Plan,
    TaskView,
    Use,
)
from journeyman.learning import Identity, evaluate, learn, task_stream
from journeyman.learning.loop import position
from journeyman.memory import StrategyPool
from journeyman.methods.elite import Elite
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.roles import ModelRoles
from tests.support.scripted import ScriptedModel, TidyModel, section
from tests.support.tiny_env import TinyEnv

SELF = Identity("run-1", "tidy-model", 3)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[StrategyPool]:
    with StrategyPool.open(tmp_path / "pool.db", embedder=HashingEmbedder(dim=32)) as pool:
        yield pool


class Session:
    """A learn run with everything that was told and asked for."""

    def __init__(self, pool: StrategyPool, model: Any = None, env: TinyEnv | None = None) -> None:
        self.model = model or TidyModel()
        roles = ModelRoles(self.model)
        self.method = Elite(roles, k=2)
        self.pool = pool
        self.env = env or TinyEnv()
        self.stream = task_stream([self.env], seed=3)
        self.heard: list[Any] = []
        self.events = Events()
        self.events.subscribe(self.heard.append)
        roles.listen(lambda call: self.events.emit(ModelCalled(call)))

    def learn(self, **options: Any) -> Session:
        learn(self.stream, self.method, self.pool, self.events, SELF, **options)
        return self

    def evaluate(self, memory: Any = None, **options: Any) -> Session:
        chosen = self.pool if memory is None else memory
        evaluate(self.stream, self.method, chosen, self.events, SELF, **options)
        return self

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.heard if isinstance(event, kind)]

    @property
    def ended(self) -> list[Episode]:
        return [event.episode for event in self.told(EpisodeEnded)]


class TestOrder:
    def test_every_task_once_in_an_order_that_the_seed_decides(self) -> None:
        env = TinyEnv()
        orders = [[t.id for _, t in task_stream([env], seed=seed)] for seed in range(5)]
        assert all(sorted(order) == [t.id for t in env.tasks] for order in orders)
        assert len({tuple(order) for order in orders}) == 5
        assert orders == [[t.id for _, t in task_stream([env], seed=seed)] for seed in range(5)]

    def test_several_environments_are_mixed_and_each_task_goes_to_its_own(self) -> None:
        one, two = TinyEnv("tiny/one-v0"), TinyEnv("tiny/two-v0")
        stream = task_stream([one, two], seed=0)
        assert len(stream) == 22 and all(task.env == env.id for env, task in stream)
        assert len({env.id for env, _ in stream[:8]}) == 2

    def test_without_shuffling_it_is_the_task_sets_own_order(self) -> None:
        env = TinyEnv()
        assert [t for _, t in task_stream([env], seed=1, shuffle=False)] == list(env.tasks)

    def test_an_episodes_seed_depends_on_run_seed_and_task_and_not_on_its_place(self) -> None:
        forward, backward = TinyEnv(), TinyEnv()
        for env, stream in (
            (forward, task_stream([forward], seed=3)),
            (backward, task_stream([backward], seed=3)[::-1]),
        ):
            method = Elite(ScriptedModel(lambda *_: "{}"))
            evaluate(stream, method, _nothing(), Events(), SELF)
            assert len(env.resets) == 11
        assert sorted(forward.resets) == sorted(backward.resets)
        assert len({seed for _, seed in forward.resets}) == 11


def _nothing() -> Any:
    from tests.support.hand_memory import HandMemory

    return HandMemory()


class TestLearning:
    def test_each_task_is_met_once_and_the_pool_grows_and_helps(self, pool: StrategyPool) -> None:
        run = Session(pool).learn()
        assert [e.task.id for e in run.ended] == [task.id for _, task in run.stream]
        assert [e.number for e in run.ended] == list(range(11))
        assert pool.version == 11 and pool.strategies
        needs = [i for i, (_, task) in enumerate(run.stream) if "chest" in str(task.demonstration)]
        assert not run.ended[needs[0]].outcome.task_success
        assert any(run.ended[i].outcome.task_success for i in needs), "a lesson came to help"

    def test_the_memory_after_task_n_serves_task_n_plus_one(self, pool: StrategyPool) -> None:
        run = Session(pool).learn()
        assert [e.lessons.memory_version for e in run.ended] == list(range(11))
        assert [e.applied.version for e in run.told(EpisodeEnded)] == list(range(1, 12))

    def test_an_episode_is_complete_before_its_delta_is_applied(self, pool: StrategyPool) -> None:
        versions: list[tuple[int, int]] = []
        run = Session(pool)
        run.events.subscribe(
            lambda event: (
                versions.append((event.episode.number, pool.version))
                if isinstance(event, Reflected)
                else None
            )
        )
        run.learn()
        assert versions == [(n, n) for n in range(11)]
        assert run.ended == [event.episode for event in run.told(Reflected)]

    def test_every_prompt_and_reply_is_kept_with_its_episode(self, pool: StrategyPool) -> None:
        run = Session(pool).learn()
        kept = [call for episode in run.ended for call in episode.calls]
        assert len(kept) == len(run.model.calls)
        assert [call.messages for call in kept] == [messages for messages, _ in run.model.calls]
        assert all(call.completion.parsed is None and call.completion.text for call in kept)
        assert {call.role for call in kept} == {"coarse_plan", "plan", "distil", "consolidate"}

    def test_an_episode_keeps_neither_specification_nor_demonstration(
        self, pool: StrategyPool
    ) -> None:
        run = Session(pool).learn()
        assert all(e.task.spec == {} and e.task.demonstration is None for e in run.ended)

    def test_uses_are_recorded_with_rank_similarity_and_outcome(self, pool: StrategyPool) -> None:
        run = Session(pool).learn()
        changes = pool.history()
        used = [episode for episode in run.ended if episode.lessons.items]
        assert any(e.outcome.task_success for e in used)
        for episode in run.ended:
            expected = tuple(
                Use(
                    lesson.entry,
                    lesson.revision,
                    rank,
                    pytest.approx(lesson.similarity),
                    episode.outcome.task_success,
                )
                for rank, lesson in enumerate(episode.lessons.items, start=1)
            )
            assert changes[episode.number].uses == expected

    def test_changes_say_which_run_episode_task_and_author_made_them(
        self, pool: StrategyPool
    ) -> None:
        run = Session(pool).learn()
        origins = [change.origin for change in pool.history()]
        assert [(o.run, o.episode, o.moment) for o in origins] == [
            ("run-1", n, "reflect") for n in range(11)
        ]
        assert [o.task for o in origins] == [e.task.id for e in run.ended]
        assert {o.author for o in origins} == {"tidy-model"}


class TestSetting:
    def experiences(self, pool: StrategyPool, **options: Any) -> list[Experience]:
        seen: list[Experience] = []
        run = Session(pool)

        class Watching(Elite):
            def reflect(self, experience: Experience, memory: Any) -> Delta:
                seen.append(experience)
                return super().reflect(experience, memory)

        run.method = Watching(ModelRoles(run.model))
        run.learn(**options)
        demonstrations = [task.demonstration for _, task in run.stream]
        assert [e.task for e in seen] == [task.view() for _, task in run.stream]
        self.wanted = demonstrations
        self.model = run.model
        return seen

    def test_online_reflection_is_never_given_a_demonstration(self, pool: StrategyPool) -> None:
        assert {e.demonstration for e in self.experiences(pool)} == {None}

    def test_supervised_reflection_is_given_that_of_its_task(self, pool: StrategyPool) -> None:
        seen = self.experiences(pool, supervised=True)
        assert [e.demonstration for e in seen] == self.wanted
        shown = [p for p in self.model.prompts if "## Demonstration" in p]
        assert [section(p, "Demonstration") for p in shown] == [
            "\n".join(demonstration) for demonstration in self.wanted
        ]

    def test_reflection_is_given_one_trajectory_and_what_was_recalled(
        self, pool: StrategyPool
    ) -> None:
        for experience in self.experiences(pool):
            assert len(experience.trajectories) == 1
            assert experience.lessons.coarse_plan.startswith("- take the ")


class TestResuming:
    def test_a_pending_episode_is_applied_and_the_run_goes_on_after_it(
        self, pool: StrategyPool, tmp_path: Path
    ) -> None:
        whole = Session(pool).learn()
        with StrategyPool.open(tmp_path / "o.db", embedder=HashingEmbedder(dim=32)) as other:
            cut = Session(other)
            _stop_at(cut, 5, Reflected)
            with pytest.raises(KeyboardInterrupt):
                cut.learn()
            assert other.version == 5
            rest = Session(other).learn(
                finished=[True] * 5, pending=[cut.told(Reflected)[-1].episode]
            )
            assert [e.number for e in rest.ended] == [5, 6, 7, 8, 9, 10]
            assert [e.number for e in rest.told(EpisodeStarted)] == [6, 7, 8, 9, 10]
            assert other.export() == pool.export()
        assert [e.task.id for e in rest.ended] == [e.task.id for e in whole.ended[5:]]

    def test_a_pending_episode_that_was_applied_before_is_not_applied_twice(
        self, pool: StrategyPool
    ) -> None:
        cut = Session(pool)
        _stop_at(cut, 5, EpisodeEnded)
        with pytest.raises(KeyboardInterrupt):
            cut.learn()
        assert pool.version == 6
        before = pool.export()
        pending = cut.told(Reflected)[-1].episode
        rest = Session(pool)
        _stop_at(rest, 6, EpisodeStarted)
        with pytest.raises(KeyboardInterrupt):
            rest.learn(finished=[True] * 5, pending=[pending])
        [ended] = rest.told(EpisodeEnded)
        assert ended.episode == pending and ended.applied.repeated
        assert ended.applied.version == 6
        assert pool.export() == before and rest.model.calls == []


def _stop_at(run: Session, number: int, kind: type) -> None:
    def stop(event: Any) -> None:
        at = getattr(event, "number", None)
        if isinstance(event, kind) and number == (event.episode.number if at is None else at):
            raise KeyboardInterrupt

    run.events.subscribe(stop)


class TestFaults:
    @pytest.mark.parametrize("call", [0, 1, 3, 17])
    def test_a_model_that_fails_ends_the_run_and_nothing_of_the_episode_is_learnt(
        self, pool: StrategyPool, call: int
    ) -> None:
        model = TidyModel()
        model.unavailable_at = call
        run = Session(pool, model)
        with pytest.raises(ModelUnavailable):
            run.learn()
        [fault] = run.told(EpisodeFaulted)
        finished = len(run.ended)
        assert fault.number == finished == pool.version
        assert fault.task == run.stream[finished][1]
        assert "the model is down" in fault.reason
        made = sum(len(e.calls) for e in run.ended) + len(fault.calls)
        assert made == call, "the calls that were made are told, finished episodes' apart"

    def test_a_simulator_that_fails_likewise_and_the_run_can_go_on(
        self, pool: StrategyPool, tmp_path: Path
    ) -> None:
        broken = Session(pool, env=TinyEnv(fail_at=20))
        with pytest.raises(Fault, match="the arm fell off"):
            broken.learn()
        done = len(broken.ended)
        assert 0 < done < 11 and pool.version == done
        rest = Session(pool).learn(finished=[True] * done)
        assert [e.number for e in rest.ended] == list(range(done, 11))
        with StrategyPool.open(tmp_path / "o.db", embedder=HashingEmbedder(dim=32)) as other:
            Session(other).learn()
            assert other.export() == pool.export()

    def test_a_used_up_budget_is_a_fault_too(self, pool: StrategyPool) -> None:
        run = Session(pool)

        def gate() -> None:
            if len(run.model.calls) >= 7:
                raise BudgetReached("the budget is used up.")

        run.method.models.gate = gate
        with pytest.raises(BudgetReached):
            run.learn()
        assert len(run.model.calls) == 7 and len(run.told(EpisodeFaulted)) == 1


class TestFrozen:
    def test_nothing_is_written_to_memory_and_nothing_reflected(self, pool: StrategyPool) -> None:
        Session(pool).learn()
        pool.close()
        before = pool.path.read_bytes()
        with StrategyPool.open(pool.path, embedder=HashingEmbedder(dim=32)) as again:
            run = Session(again).evaluate()
        assert pool.path.read_bytes() == before
        assert {role for e in run.ended for role in (c.role for c in e.calls)} == {
            "coarse_plan",
            "plan",
        }
        assert all(e.delta is None for e in run.ended)
        assert {event.applied for event in run.told(EpisodeEnded)} == {None}

    def test_every_task_is_attempted_with_the_same_memory(self, pool: StrategyPool) -> None:
        Session(pool).learn()
        run = Session(pool).evaluate(pool.at(6))
        assert len(run.ended) == 11
        assert {e.lessons.memory_version for e in run.ended} == {6}

    def test_a_full_pool_does_better_than_an_empty_one(self, pool: StrategyPool) -> None:
        Session(pool).learn()

        def successes(memory: Any) -> int:
            return sum(e.outcome.task_success for e in Session(pool).evaluate(memory).ended)

        assert successes(pool.at(0)) < successes(pool.view())

    def test_it_resumes_at_a_saved_episode_and_after_faults(self, pool: StrategyPool) -> None:
        first = Session(pool)
        _stop_at(first, 2, Reflected)
        with pytest.raises(KeyboardInterrupt):
            first.evaluate()
        rest = Session(pool).evaluate(start=2, pending=[first.told(Reflected)[-1].episode])
        assert [e.number for e in rest.ended] == list(range(2, 11))
        model = TidyModel()
        model.unavailable_at = 4
        with pytest.raises(ModelUnavailable):
            Session(pool, model).evaluate()
        assert pool.version == 0


class Retrying:
    """Solves a task by its ``solves``-th attempt, and keeps what it was given to reflect on."""

    id = "retrying"
    max_retries = 2

    def __init__(self, solves: dict[str, int]) -> None:
        self.solves = solves
        self.attempts: Counter[str] = Counter()
        self.reflected: list[tuple[str, int, bool, bool, int]] = []

    def recall(self, task: TaskView, obs: Observation, memory: Any) -> Lessons:
        self.attempts[task.instruction] += 1
        return Lessons(memory_version=memory.version)

    def act(self, obs: Any, library: Any, lessons: Lessons, history: History) -> Plan:
        task = next(t for t in TinyEnv().tasks if t.instruction == history.task.instruction)
        solved = self.attempts[task.instruction] >= self.solves.get(task.id, 99)
        if history.steps or not solved:
            return Plan()
        assert task.demonstration is not None
        return Plan(tuple(library.by_name[name] for name in task.demonstration))

    def reflect(self, experience: Experience, memory: Any) -> Delta:
        [trajectory] = experience.trajectories
        self.reflected.append(
            (
                experience.task.instruction,
                experience.trial,
                experience.last,
                trajectory.success,
                memory.version,
            )
        )
        note = f"{experience.task.instruction} trial {experience.trial}"
        return Delta(memory.version, (Add(note, plan=note),))


class TestTrials:
    """A failed task is tried again, with what was learnt in between (EEAgent Algorithm 1)."""

    def run(
        self, pool: StrategyPool, solves: dict[int, int], **options: Any
    ) -> tuple[Retrying, list[Any]]:
        env = TinyEnv()
        stream = [(env, task) for task in env.tasks[:3]]
        method = Retrying({env.tasks[i].id: at for i, at in solves.items()})
        heard: list[Any] = []
        events = Events()
        events.subscribe(heard.append)
        learn(stream, method, pool, events, SELF, **options)
        return method, heard

    def test_until_it_succeeds_or_the_retries_are_used_up(self, pool: StrategyPool) -> None:
        _, heard = self.run(pool, {0: 1, 1: 3})
        ended = [e.episode for e in heard if isinstance(e, EpisodeEnded)]
        tasks = [t.id for t in TinyEnv().tasks]
        assert [(e.number, e.task.id, e.trial, e.outcome.task_success) for e in ended] == [
            (0, tasks[0], 0, True),
            (1, tasks[1], 0, False),
            (2, tasks[1], 1, False),
            (3, tasks[1], 2, True),
            (4, tasks[2], 0, False),
            (5, tasks[2], 1, False),
            (6, tasks[2], 2, False),
        ]
        started = [e for e in heard if isinstance(e, EpisodeStarted)]
        assert [(e.number, e.done, e.total, e.trial) for e in started] == [
            (0, 0, 3, 0),
            (1, 1, 3, 0),
            (2, 1, 3, 1),
            (3, 1, 3, 2),
            (4, 2, 3, 0),
            (5, 2, 3, 1),
            (6, 2, 3, 2),
        ]

    def test_each_trial_is_reflected_on_and_its_lesson_is_in_memory_at_the_next(
        self, pool: StrategyPool
    ) -> None:
        method, heard = self.run(pool, {0: 1, 1: 3})
        last = [(trial, is_last, success) for _, trial, is_last, success, _ in method.reflected]
        assert last == [
            (0, True, True),
            (0, False, False),
            (1, False, False),
            (2, True, True),
            (0, False, False),
            (1, False, False),
            (2, True, False),
        ]
        versions = [e.episode.lessons.memory_version for e in heard if isinstance(e, EpisodeEnded)]
        assert versions == sorted(set(versions)) and len(versions) == 7

    @pytest.mark.parametrize("already", range(7))
    def test_it_goes_on_in_the_middle_of_a_task(self, pool: StrategyPool, already: int) -> None:
        successes = [True, False, False, True, False, False, False]
        _, heard = self.run(pool, {}, finished=successes[:already])
        started = [e for e in heard if isinstance(e, EpisodeStarted)]
        expected = [(0, 0, 0), (1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 2, 0), (5, 2, 1), (6, 2, 2)]
        assert (started[0].number, started[0].done, started[0].trial) == expected[already]

    def test_a_method_without_retries_tries_once(self) -> None:
        assert position([False, True, False], 0) == (3, 0)
