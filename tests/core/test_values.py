"""Values: what agents may see of a task, observations that draw late, libraries, messages."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import io
from typing import Any

import numpy as np
import pytest

from journeyman.core.messages import Image, Message, Usage, user
from journeyman.core.values import Action, ActionLibrary, Observation, Task, TaskView

PICTURE = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


class TestTask:
    def test_the_view_is_the_instruction_and_nothing_else(self) -> None:
        task = Task("heat-egg", "e/x-v0", "base", "Warm it.", {"goal": "heat"}, ("find",))
        assert task.view() == TaskView("Warm it.")
        assert [field.name for field in dataclasses.fields(TaskView)] == ["instruction"]

    @pytest.mark.parametrize("value", [TaskView("x"), Action(0, "go"), Task("i", "e", "s", "x")])
    def test_values_do_not_change(self, value: object) -> None:
        name = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, "other")


class TestObservation:
    def test_is_a_mapping_of_text_and_where_it_can_be_drawn_image(self) -> None:
        assert dict(Observation("here")) == {"text": "here"}
        seen = Observation("here", lambda: PICTURE)
        assert set(seen) == {"text", "image"} and len(seen) == 2
        assert seen["image"] is PICTURE
        with pytest.raises(KeyError):
            Observation("here")["image"]

    def test_is_drawn_once_and_only_when_looked_at(self) -> None:
        drawn = []

        def draw() -> np.ndarray:
            drawn.append(1)
            return PICTURE

        seen = Observation("here", draw)
        assert "image" in seen and seen["text"] == "here" and not drawn
        assert seen.image is seen["image"] and drawn == [1]

    def test_without_a_way_to_draw_there_is_no_image(self) -> None:
        assert Observation("here").image is None and "image" not in Observation("here")


class TestActionLibrary:
    LIBRARY = ActionLibrary((Action(0, "go"), Action(1, "stop")))

    def test_lists_one_action_a_line_and_finds_by_name(self) -> None:
        assert self.LIBRARY.listing == "action id 0: go\naction id 1: stop"
        assert self.LIBRARY.by_name["stop"] == Action(1, "stop")
        assert len(self.LIBRARY) == 2


class TestMessages:
    def test_text_and_pictures_keep_their_order(self) -> None:
        image = Image(PICTURE)
        message = user(image, "look", "here")
        assert message == Message("user", (image, "look", "here"))
        assert message.text == "look\nhere" and message.images == (image,)

    def test_a_picture_is_encoded_without_loss_and_named_by_its_bytes(self) -> None:
        from PIL import Image as Pillow

        image = Image(PICTURE)
        np.testing.assert_array_equal(np.asarray(Pillow.open(io.BytesIO(image.png))), PICTURE)
        assert image.sha256 == hashlib.sha256(image.png).hexdigest()
        head, _, body = image.data_url.partition(",")
        assert head == "data:image/png;base64" and base64.b64decode(body) == image.png
        assert Image(PICTURE.copy()).sha256 == image.sha256 != Image(PICTURE + 1).sha256

    def test_a_stored_picture_knows_its_name_only(self) -> None:
        stored = Image(None, "abc")
        assert stored.sha256 == "abc"
        with pytest.raises(ValueError, match="media folder"):
            _ = stored.png

    def test_usage_adds_up(self) -> None:
        assert Usage(1, 2, 3) + Usage(10, 20, 30) == Usage(11, 22, 33)


class TestSkillsWithParameters:
    LIBRARY = ActionLibrary(
        (Action(0, "wave"), Action(1, "PickRotate")),
        parameters={"PickRotate": {"type": "object"}},
    )

    def test_an_action_is_read_back_from_how_it_prints(self) -> None:
        action = Action(1, "PickRotate", {"pick_location": [0.5, -0.125], "angle_deg": 30})
        assert str(action) == "PickRotate(pick_location=[0.5, -0.125], angle_deg=30)"
        assert self.LIBRARY.read(str(action)) == action

    def test_an_action_without_arguments_is_its_name(self) -> None:
        assert str(Action(0, "wave")) == "wave"
        assert self.LIBRARY.read("wave") == Action(0, "wave")

    @pytest.mark.parametrize(
        "text",
        [
            "Fly(height=3)",
            "wave(at=3)",
            "PickRotate(0.5)",
            "PickRotate(angle_deg=__import__('os').getpid())",
            "PickRotate(angle_deg=open)",
            "PickRotate(**{'angle_deg': 3})",
            "PickRotate(angle_deg=3",
            "PickRotate(" + "(" * 5000,
        ],
    )
    def test_what_is_no_plain_call_of_a_skill_with_parameters_is_no_action(self, text: str) -> None:
        assert self.LIBRARY.read(text) is None


class TestViews:
    def test_each_view_is_drawn_once_when_looked_at(self) -> None:
        drawn: list[str] = []

        def draw(name: str) -> Any:
            def picture() -> Any:
                drawn.append(name)
                return np.zeros((2, 2, 3), np.uint8)

            return picture

        views = {"front": draw("front"), "prompt/object": draw("object")}
        obs = Observation("words", draw("top"), views)
        assert list(obs) == ["text", "image", "front", "prompt/object"]
        assert len(obs) == 4 and "front" in obs and "back" not in obs and drawn == []
        assert obs["front"] is obs["front"] and drawn == ["front"]
        assert list(obs.prompt_pictures) == ["object"] and drawn == ["front", "object"]
        with pytest.raises(KeyError):
            obs["back"]
