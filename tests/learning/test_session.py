"""Sessions: the user owns the loop, we advise and learn from what is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from journeyman.core.errors import JourneymanError, ModelUnavailable
from journeyman.core.values import Action, Add, Delta, Observation, Use
from journeyman.learning import Session
from journeyman.memory import StrategyPool
from journeyman.methods.elite import Elite
from journeyman.models.embedders import HashingEmbedder
from tests.support.scripted import ScriptedModel, TidyModel, asked_for, plan_reply, section
from tests.support.tiny_env import ID, LIBRARY, OK, TinyEnv

NAMES = [action.name for action in LIBRARY.actions]
INSTRUCTION = "Put the ball in the chest."


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[StrategyPool]:
    with StrategyPool.open(tmp_path / "robot.db", embedder=HashingEmbedder(dim=32)) as pool:
        yield pool


class Robot:
    """A robot that is not ours: the tiny world behind names and sentences."""

    def __init__(self) -> None:
        self.env = TinyEnv()
        self.env.reset(options={"task": self.env.tasks[1]})

    def do(self, name: str) -> tuple[bool, str, str]:
        obs, *_, info = self.env.step(ID[name])
        self.done = bool(info["task_success"])
        return info["last_action_success"], info["env_feedback"], obs.text


def attempt(session: Session, library: object = LIBRARY) -> bool:
    """The loop of the documentation."""
    robot = Robot()
    episode = session.begin(INSTRUCTION, "At the table: ball, book.")
    while (action := episode.next_action(library)) is not None:  # type: ignore[arg-type]
        done, message, camera_text = robot.do(action.name)
        episode.record(action, done, message, camera_text)
    episode.finish(success=robot.done)
    return robot.done


def test_a_lesson_of_the_first_attempt_makes_the_second_a_success(pool: StrategyPool) -> None:
    session = Session(Elite(TidyModel()), pool)
    assert not attempt(session)
    assert [s.text for s in pool.strategies] == [
        "Open the chest before taking a thing from it or putting one in."
    ]
    assert attempt(session)
    assert len(pool.history()[1].uses) == 1 and pool.history()[1].uses[0].success


def test_plain_names_do_as_a_library(pool: StrategyPool) -> None:
    assert not attempt(Session(Elite(TidyModel()), pool), NAMES)


def test_what_was_recorded_is_what_reflection_reads(pool: StrategyPool) -> None:
    model = TidyModel()
    attempt(Session(Elite(model), pool))
    [prompt] = [
        p
        for p, (_, s) in zip(model.prompts, model.calls, strict=True)
        if asked_for(s) == "FailureReply"
    ]
    lines = section(prompt, "Trajectory").splitlines()
    assert lines[-1] == "Ended: the robot believed it was done and planned nothing more"
    assert lines[1] == f"Step 0, action id 1, go to the table, env feedback: {OK}"
    assert lines[4] == (
        "Step 3, action id 9, put down the thing in hand, "
        "env feedback: Last action is invalid. The chest is closed."
    )


def test_a_limit_on_plans_is_told_to_reflection_by_its_own_name(pool: StrategyPool) -> None:
    model = TidyModel()
    assert not attempt(Session(Elite(model, max_plans=1), pool))
    told = [p for p in model.prompts if "Ended: the allowed number of plans was used up" in p]
    assert len(told) == 1


def test_after_an_invalid_action_the_plan_is_dropped_and_a_new_one_asked_for(
    pool: StrategyPool,
) -> None:
    replies = {
        "CoarsePlanReply": ['{"coarse_plan": ["go"]}'],
        "PlanReply": [plan_reply("open the chest", "close the chest"), plan_reply(0)],
    }
    model = ScriptedModel(lambda _, schema: replies[asked_for(schema)].pop(0))
    episode = Session(Elite(model), pool).begin(INSTRUCTION, "here")
    action = episode.next_action(LIBRARY)
    assert action is not None and action.name == "open the chest"
    episode.record(action, False, "It is stuck.")
    again = episode.next_action(LIBRARY)
    assert again is not None and again.name == "go to the shelf"
    assert "It is stuck." in section(model.prompts[-1], "History")


def test_the_planner_sees_the_newest_observation(pool: StrategyPool) -> None:
    model = ScriptedModel(
        lambda _, schema: {
            "CoarsePlanReply": '{"coarse_plan": ["go"]}',
            "PlanReply": plan_reply(0),
        }[asked_for(schema)]
    )
    episode = Session(Elite(model), pool).begin(INSTRUCTION, Observation("first"))
    action = episode.next_action(LIBRARY)
    assert action is not None
    episode.record(action, True, "", "second")
    episode.next_action(LIBRARY)
    assert [section(p, "Observation") for p in model.prompts] == ["first", "first", "second"]


def test_ten_unusable_plans_are_an_error_and_not_an_endless_loop(pool: StrategyPool) -> None:
    model = ScriptedModel(lambda *_: "no")
    episode = Session(Elite(model, reflection_reasks=0), pool).begin(INSTRUCTION, "here")
    with pytest.raises(JourneymanError, match="10 unusable plans"):
        episode.next_action(LIBRARY)
    assert len(model.calls) == 11


class TestOwnPlanner:
    """Advice without our planner: knowledge out, steps and outcome in."""

    REPLIES = {  # noqa: RUF012
        "CoarsePlanReply": '{"coarse_plan": ["go"]}',
        "FailureReply": '{"failure_causes": [{"text": "It was shut."}]}',
        "SuccessReply": '{"success_patterns": [{"text": "It was open."}]}',
        "DeltaReply": '{"operations": [{"op": "add", "text": "Open it first."}]}',
    }

    def session(self, pool: StrategyPool) -> Session:
        self.model = ScriptedModel(lambda _, schema: self.REPLIES[asked_for(schema)])
        return Session(Elite(self.model), pool, name="my robot")

    def test_knowledge_is_text_and_empty_at_first(self, pool: StrategyPool) -> None:
        session = self.session(pool)
        assert session.begin(INSTRUCTION, "here").knowledge == ""
        pool.apply(Delta(0, (Add("Look first.", title="Look", plan="- go"),)))
        assert session.begin(INSTRUCTION, "here").knowledge == "[S1] Look\nLook first."

    def test_named_actions_are_recorded_and_learnt_from(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.record("open lid", True)
        episode.record("grasp", False, "slipped")
        applied = episode.finish(success=False)
        assert [v.accepted for v in applied.verdicts] == [True]
        [prompt] = [p for p in self.model.prompts if "## Trajectory" in p]
        trajectory = section(prompt, "Trajectory")
        assert "open lid" in trajectory and "grasp, env feedback: slipped" in trajectory
        assert not any(asked_for(s) == "PlanReply" for _, s in self.model.calls)
        origin = pool.history()[0].origin
        assert (origin.run, origin.episode, origin.author) == ("my robot", 0, "elite")

    def test_reflection_is_not_told_that_our_planner_gave_up(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.record("grasp", False, "slipped")
        episode.finish(success=False)
        [prompt] = [p for p in self.model.prompts if "## Trajectory" in p]
        assert "Ended: it was stopped before the task was done" in prompt

    def test_a_demonstration_makes_reflection_comparative(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.finish(success=False, demonstration=["open lid", "grasp"])
        [prompt] = [p for p in self.model.prompts if "## Trajectory" in p]
        assert section(prompt, "Demonstration") == "open lid\ngrasp"

    def test_uses_are_recorded_with_the_outcome(self, pool: StrategyPool) -> None:
        pool.apply(Delta(0, (Add("Look first.", plan="- go"),)))
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.finish(success=True)
        assert pool.history()[1].uses == (Use("e0001", 1, 1, pytest.approx(1.0), True),)

    def test_a_second_finish_is_refused(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.finish(success=True)
        with pytest.raises(JourneymanError, match="finished"):
            episode.finish(success=True)
        assert pool.version == 1

    def test_an_outcome_that_is_reported_twice_under_its_own_number_is_learnt_once(
        self, pool: StrategyPool
    ) -> None:
        for _ in range(2):
            applied = self.session(pool).begin(INSTRUCTION, "here").finish(success=True, episode=4)
        assert applied.repeated and pool.version == 1

    def test_episodes_without_numbers_are_all_learnt_from(self, pool: StrategyPool) -> None:
        session = self.session(pool)
        first, second = (session.begin(INSTRUCTION, "here") for _ in range(2))
        assert not first.finish(success=True).repeated
        assert not second.finish(success=False).repeated
        assert pool.version == 2

    def test_two_robots_of_one_name_that_report_at_the_same_version_are_both_heard(
        self, pool: StrategyPool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = (self.session(pool).begin(INSTRUCTION, "here") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(StrategyPool, "version", 0)
            reports = [first.finish(success=True), second.finish(success=False)]
        assert not any(report.repeated for report in reports)
        assert pool.version == 2

    def test_a_finished_episode_takes_no_more_steps(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.finish(success=True)
        for late in (
            lambda: episode.record("grasp", True),
            lambda: episode.next_action(LIBRARY),
            lambda: episode.finish(success=True),
        ):
            with pytest.raises(JourneymanError, match="finished"):
                late()
        assert pool.version == 1

    def test_nothing_is_learnt_without_a_report(self, pool: StrategyPool) -> None:
        with self.session(pool) as session:
            session.begin(INSTRUCTION, "here").record("grasp", True)
        with StrategyPool.open(pool.path, embedder=HashingEmbedder(dim=32)) as again:
            assert again.version == 0

    def test_a_report_can_be_made_again_after_the_model_failed(self, pool: StrategyPool) -> None:
        session = self.session(pool)
        episode = session.begin(INSTRUCTION, "here")
        self.model.unavailable_at = 1
        with pytest.raises(ModelUnavailable):
            episode.finish(success=True)
        assert pool.version == 0
        episode.finish(success=True)
        assert pool.version == 1

    def test_an_action_of_the_library_may_be_recorded_too(self, pool: StrategyPool) -> None:
        episode = self.session(pool).begin(INSTRUCTION, "here")
        episode.record(Action(3, "open the chest"), True, "ok", Observation("later"))
        episode.finish(success=True)
        assert "Step 0, action id 3, open the chest, env feedback: ok" in json.dumps(
            self.model.prompts
        )
