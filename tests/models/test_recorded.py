"""A recording answers what it was asked before, and says what is missing."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import BaseModel

from journeyman.core.errors import ModelUnavailable, UnknownName
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
from journeyman.models.ledger import Repeated
from journeyman.models.recorded import RecordedModel, RecordedRoles, Recording
from journeyman.models.roles import ModelRoles
from tests.support.fake_server import ScriptedModel

PICTURE = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
IDS = {"default": "openai/m", "distil": "openai/d"}


class Answer(BaseModel):
    answer: str


def call(prompt, reply, role="plan", **fields):
    messages = (user(prompt),) if isinstance(prompt, str) else tuple(prompt)
    fields = {"model": "m-1", "usage": Usage(7, 3, 2), "seconds": 1.5, **fields}
    return ModelCall(role, messages, Completion(reply, **fields))


def recording(*calls):
    """Calls of episode 0, or pairs of episode and call."""
    return Recording("runs/a", [c if isinstance(c, tuple) else (0, c) for c in calls], IDS)


@pytest.mark.compatibility("recorded replies", "any model", "replies by script")
def test_a_reply_is_the_recorded_one_with_its_usage_and_no_seconds():
    found = recording(call("hello", "hi", tool_calls=(ToolCall("t", "look", {}),))).reply(
        "plan", [user("hello")]
    )
    assert isinstance(found, Repeated)
    assert Completion(**vars(found)) == Completion(
        "hi", tool_calls=(ToolCall("t", "look", {}),), usage=Usage(7, 3, 2), model="m-1"
    )


def test_a_picture_is_found_by_what_is_in_it():
    stored = Image(None, Image(PICTURE).sha256)
    made = recording(call([user(stored, "see")], "a room"))
    assert made.reply("plan", [user(Image(PICTURE), "see")]).text == "a room"
    with pytest.raises(ModelUnavailable, match=r"its line 2 has '.*' where that has '.*'"):
        made.reply("plan", [user(Image(PICTURE + 1), "see")])


class TestAPromptThatWasAnsweredTwice:
    made = recording(
        (0, call("same", "first")),
        (2, call("same", "second")),
        (2, call("same", "third")),
    )

    def replies(self, episode, times):
        self.made.begin(episode)
        return [self.made.reply("plan", [user("same")]).text for _ in range(times)]

    def test_gets_the_replies_of_its_episode_in_order_then_the_last(self):
        assert self.replies(2, 3) == ["second", "third", "third"]

    def test_gets_them_from_the_start_where_the_episode_begins_again(self):
        assert self.replies(2, 1) == ["second"]
        assert self.replies(2, 2) == ["second", "third"]

    def test_gets_the_first_of_all_in_an_episode_that_never_asked(self):
        assert self.replies(1, 2) == ["first", "first"]


class TestWhatIsMissing:
    made = recording(
        (0, call("## Task\nput it there\nnow", "x")),
        (3, call("## Task\nput it on the shelf\nthen stop", "y")),
    )

    def said(self, prompt, role="plan", episode=3):
        self.made.begin(episode)
        with pytest.raises(ModelUnavailable) as caught:
            self.made.reply(role, [user(prompt)])
        assert "without --from-recording" in caught.value.hint
        return caught.value.message

    def test_is_told_by_role_episode_and_the_first_line_that_differs(self):
        assert self.said("## Task\nput it on the table\nthen stop") == (
            "the recording runs/a has no reply for the role 'plan' in episode 3: beside the "
            "nearest prompt recorded, of episode 3, its line 3 has 'put it on the table' where "
            "that has 'put it on the shelf'."
        )

    def test_is_compared_with_any_episode_where_its_own_has_no_such_call(self):
        said = self.said("## Task\nput it there\nlater", episode=9)
        assert said.endswith("of episode 0, its line 4 has 'later' where that has 'now'.")

    def test_quotes_little_of_a_long_line_around_the_difference(self):
        made = recording(call("a" * 500 + "b" + "c" * 500, "x"))
        with pytest.raises(ModelUnavailable) as caught:
            made.reply("plan", [user("a" * 500 + "d" + "c" * 500)])
        there, now = "a" * 20 + "b" + "c" * 39, "a" * 20 + "d" + "c" * 39
        assert f"has '...{now}...' where that has '...{there}...'" in caught.value.message

    def test_a_longer_prompt_differs_where_the_other_ends(self):
        said = self.said("## Task\nput it there\nnow\nplease", episode=0)
        assert said.endswith("its line 5 has 'please' where that has nothing.")

    def test_says_so_of_a_role_that_was_never_asked(self):
        assert self.said("hello", role="judge").endswith("no call of that role is recorded.")

    def test_shows_no_control_characters(self):
        assert "\x1b" not in self.said("\x1b[31mred")


class TestTheToolsThatWereOffered:
    LOOK = Tool("look", "Looks.", {"type": "object"})
    REACH = Tool("reach", "Reaches.", {"type": "object"})

    def made(self, *tools):
        return recording(replace(call("hello", "hi"), tools=tools))

    def test_are_those_of_the_same_question(self):
        assert self.made(self.LOOK).reply("plan", [user("hello")], [self.LOOK]).text == "hi"

    @pytest.mark.parametrize(
        ("now", "said"),
        [
            ((REACH, LOOK), "sent there with the tools look, and now reach, look."),
            ((), "sent there with the tools look, and now none."),
            ((replace(LOOK, description="Sees."),), "sent there with other versions of look."),
        ],
        ids=str,
    )
    def test_make_another_question_where_they_differ(self, now, said):
        with pytest.raises(ModelUnavailable) as caught:
            self.made(self.LOOK).reply("plan", [user("hello")], now)
        assert caught.value.message.endswith(said)

    def test_do_not_count_in_a_recording_that_does_not_say(self):
        """As run folders written before tools were kept."""
        assert self.made().reply("plan", [user("hello")], [self.LOOK]).text == "hi"


def test_each_role_has_the_id_of_its_model_and_sees_if_it_saw():
    roles = RecordedRoles(
        recording(call([user(Image(PICTURE), "see")], "x"), call("text", "y", role="distil"))
    )
    assert roles.ids == IDS
    assert (roles.model("plan").id, roles.model("distil").id) == ("openai/m", "openai/d")
    assert roles.model("plan").sees_images and not roles.model("distil").sees_images
    assert "runs/a" in RecordedModel(roles.recording, "plan").caveat
    with pytest.raises(UnknownName):
        roles.model("planner")


@pytest.mark.parametrize(
    "replies",
    [
        ('{"answer": "yes"}',),
        ("no object", '{"answer": "yes"}'),
        (Completion("", problem="the model refused: no", finish_reason="length"), "still none"),
        (Completion('{"answer": "ye', finish_reason="length"), '{"answer": "yes"}'),
    ],
    ids=str,
)
def test_asking_again_from_what_was_recorded_gives_the_same_calls(replies):
    """Bad replies and re-asks that quote their errors included."""
    heard: list[ModelCall] = []
    asked = ModelRoles(ScriptedModel(*replies))
    asked.listen(heard.append)
    last = asked.ask("plan", [user("well?")], Answer, reasks=1)

    stored = [replace(c, completion=replace(c.completion, parsed=None)) for c in heard]
    again: list[ModelCall] = []
    roles = RecordedRoles(recording(*stored))
    roles.listen(again.append)
    repeated = roles.ask("plan", [user("well?")], Answer, reasks=1)
    assert vars(repeated) == vars(last)
    assert [(c.messages, vars(c.completion), c.attempt) for c in again] == [
        (c.messages, vars(c.completion), c.attempt) for c in heard
    ]


def test_what_is_recorded_again_is_stored_as_any_reply():
    """A `Repeated` is written and read back as the completion that it is."""
    from pydantic import TypeAdapter

    adapter = TypeAdapter(ModelCall)
    given = ModelCall("plan", (Message("user", ("hello",)),), Repeated("hi", usage=Usage(1, 2)))
    read = adapter.validate_json(adapter.dump_json(given))
    assert vars(read.completion) == vars(given.completion)
