import re
from dataclasses import replace

import numpy as np
import pytest
from report_sample import record, report_data, strategy
from test_page import HOSTILE, Page, words
from test_terminal import one_line, shown

from journeyman import api
from journeyman.core.messages import Image
from journeyman.core.values import (
    Action,
    Add,
    Applied,
    Origin,
    Reflection,
    Remove,
    Verdict,
)
from journeyman.report import render
from journeyman.report.build import report_data as data_of
from journeyman.report.page import trial_groups
from journeyman.report.picture import outline, outlined, png_size
from journeyman.report.terminal import print_episode, print_strategies
from journeyman.report.terms import module_memories
from journeyman.report.working import Thing, read_located, read_working

PNG = Image(np.zeros((32, 64, 3), dtype=np.uint8)).png
WORKING = {
    "entities": [
        {"entity": 1, "box": [2, 3, 5, 5], "location": [0.4, -0.25], "mask": [0, 6]},
        {"entity": 2, "box": [40, 10, 50, 20], "location": None, "mask": []},
    ],
    "scenes": {"scene": [{"entity": 1, "box": [0, 0, 4, 4], "mask": [0, 16]}]},
    "matches": [
        {
            "target": "object",
            "tool": "image_match",
            "entity": 2,
            "scene": "",
            "confidence": 0.87,
            "reason": "both are red",
            "target_features": "a red heart",
            "entity_features": "a red thing",
            "place": [0.5, 0.125],
        },
        {"target": "the base", "tool": "semantic_match", "entity": 0, "confidence": 0.1},
    ],
    "dialogue": "Call: extract_env_entities()",
    "problem": None,
}
EVIDENCE = {
    "blamed": ["interpreter"],
    "interpreter": {
        "consistent": False,
        "reason": "a heart is no ring",
        "matches": [
            {
                "target": "object",
                "entity": 2,
                "target_features": "a red heart",
                "entity_features": "a red ring",
                "consistent": False,
                "reason": "other shapes",
            }
        ],
    },
    "planner": {
        "consistent": None,
        "reason": "",
        "original": "Put the {object} there.",
        "regenerated": "Put the ring there.",
    },
    "diagnoses": {"interpreter": "colour was looked at alone", "planner": ""},
    "gate": [{"module": "interpreter", "text": "Look at shapes.", "general": True, "reason": "ok"}],
    "optimization": {"interpreter": {"dropped": [{"text": "Old.", "reason": "full"}]}},
}


def held(number, kind, text, revision=1, episode=0):
    made = strategy(number, revision, text, episode)
    origin = Origin("first", episode, "task-0", author="seer")
    return replace(made, kind=kind, title="", applies_when="", plan="", origin=origin)


PRINCIPLE = held(1, "interpreter_principle", "Compare the shapes.")
PROMOTED = (
    held(2, "interpreter_suggestion", "Here, look at holes."),
    held(2, "interpreter_principle", "Look at holes.", 2, 1),
)
CLEARED = held(3, "planner_suggestion", "Here, go left first.")


def retried(working=WORKING, evidence=EVIDENCE, pictures=None, trials=2):
    """One task in two trials: the first fails and says how it saw, the second solves it."""
    whole = record(0).episode
    action = Action(0, "PickPlace", {"pick_location": [0.4, -0.25]})
    path = whole.trajectory
    plan = replace(path.plans[0], actions=(action, Action(1, "Wait")), working=working)
    path = replace(path, plans=(plan,), steps=(replace(path.steps[0], action=action),))
    verdicts = (
        Verdict(Add("Compare the shapes.", kind="interpreter_principle"), True, "", "entry-1"),
        Verdict(Remove("S3", "the task is over"), True, "", "entry-3"),
    )
    delta = replace(whole.delta, reflection=Reflection("failure", (), None, evidence))
    first = replace(
        record(0),
        episode=replace(whole, trajectory=path, delta=delta),
        applied=Applied(1, verdicts),
        pictures={"": PNG} if pictures is None else pictures,
    )
    second = replace(record(1), trials=2)
    second = replace(second, episode=replace(second.episode, trial=1, task=whole.task))
    return replace(
        report_data(),
        episodes=(first, second, record(3))[: trials + 1],
        strategies=(PRINCIPLE, PROMOTED[1]),
        revisions=(PRINCIPLE, *PROMOTED, CLEARED),
    )


@pytest.fixture(scope="module")
def html():
    return render(retried())


def episode_of(html):
    start = html.index('id="episode-0"')
    return html[start : html.index("<h4>Model calls", start)]


def test_an_episode_shows_its_picture_with_outlines_numbers_and_labels(html):
    part = episode_of(html)
    assert part.count("data:image/png;base64,") == 1
    assert 'viewBox="0 0 64 32"' in part
    assert 'd="M40 10H50V20H40Z"' in part  # the box, for want of a mask
    assert 'class="outline matched"' in part
    assert ">1</text>" in part
    assert ">2 {object}</text>" in part
    assert "Picture {scene} of the instruction; 1 outlined" in words(part)
    assert "img-src data:;" in html


def test_matches_come_with_confidence_reason_and_descriptions(html):
    text = words(episode_of(html))
    assert "{object} entity 2 0.87 both are red" in text
    assert "Target: a red heart . Entity: a red thing ." in text
    assert "The picture shows it at [0.500, 0.125]" in text
    assert 'the base" no entity 0.10 No reason was given.' in text
    assert "1 box [2, 3, 5, 5] [0.400, -0.250]" in text


def test_actions_have_arguments_and_those_not_executed_are_named(html):
    text = words(episode_of(html))
    assert "0 PickPlace(pick_location=[0.4, -0.25]) ✓ done" in text
    assert "Planned and not executed: Wait" in text


def test_the_located_error_quotes_what_both_checks_compared(html):
    text = words(episode_of(html))
    assert "Found at fault: interpreter." in text
    assert "interpreter , image-description consistency: ✗ not consistent a heart is no" in text
    assert "object a red heart a red ring (entity 2) ✗ not consistent other shapes" in text
    assert "planner , action-to-instruction consistency: not known" in text
    assert "The instruction as given Put the {object} there." in text
    assert "from the executed actions Put the ring there." in text
    assert "Diagnosis: colour was looked at alone" in text
    assert "✓ general interpreter Look at shapes. ok" in text
    assert "dropped Old. full" in text


def test_changes_say_which_memory_they_are_about_and_what_went(html):
    text = words(episode_of(html))
    assert "✓ added interpreter principle in the pool now Compare the shapes." in text
    assert "✓ removed planner suggestion S3 the task is over Here, go left first." in text


def test_without_a_contradiction_nobody_is_called_at_fault():
    checks = {"consistent": True, "reason": ""}
    found = read_located({"blamed": ["a", "b"], "a": checks, "b": checks})
    assert found.conclusion == (
        "No check found a contradiction. Parts that reflected on their work: a, b."
    )


def test_trials_of_a_task_are_together_and_the_task_counts_once(html):
    text = words(html)
    assert "One task, 2 trials: solved in trial 2" in text
    assert html.count('<div class="trials">') == 1
    assert "2 of 2 tasks solved" in text  # episode 0 failed, and was the first trial of two
    assert "of each task's last trial; 3 trials in all" in text
    assert [[r.number for r in g] for g in trial_groups(retried().episodes)] == [[0, 1], [3]]


def test_the_curve_is_of_first_trials_where_tasks_are_tried_again(html):
    """Retries solve both tasks of two; of the first trials, which learning betters, one failed."""
    assert "Of 2 in all: 50 %, 95 % interval 9 to 91 %." in html
    assert "success rate at the first trial so far" in words(html)


def test_the_halves_tell_what_was_solved_in_the_first_trial(html):
    """The first task was solved in its second trial, the other one at once."""
    text = words(html)
    assert re.search(r"First half 100 % 1 of 1, [^,]* in the first trial 0 of 1", text)
    assert re.search(r"Second half 100 % 1 of 1, [^,]* in the first trial 1 of 1", text)


def test_why_an_episode_failed_is_said_as_what_the_agent_is_not_told():
    data = retried()
    first = data.episodes[0]
    outcome = replace(first.episode.outcome, failure_reason="wrong object: <b>the ring</b>")
    first = replace(first, episode=replace(first.episode, outcome=outcome))
    html = render(replace(data, episodes=(first, *data.episodes[1:])))
    assert "Why, which the agent is not told: wrong object: <b>the ring</b>" in words(html)
    assert "&lt;b&gt;the ring" in html and html.count("is not told") == 1
    told = one_line(shown(print_episode, first, width=200))
    assert "Why, which the agent is not told: wrong object" in told


def test_a_memory_that_is_shown_whole_is_not_called_retrieved(html):
    data = retried()
    lessons = data.episodes[1].episode.lessons
    whole = replace(
        lessons, coarse_plan="", items=tuple(replace(x, similarity=None) for x in lessons.items)
    )
    second = replace(data.episodes[1], episode=replace(data.episodes[1].episode, lessons=whole))
    page = render(replace(data, episodes=(data.episodes[0], second)))
    assert "in the order in which it was learnt" in page and "Similarity" not in page
    assert "in the order of retrieval" in html and "Similarity" in html


def test_both_memories_have_a_section_with_origin_use_and_fate(html):
    part = html[html.index('id="terms"') : html.index('id="cost"')]
    text = words(part)
    assert "Long-term memory now: 2 principles" in text
    # Shown to episode 1 and to episode 3, as entries 1 to 3; both were solved.
    assert "S1 Compare the shapes. episode 0 2 episodes 2 of them solved" in text
    assert "Here, look at holes. from episode 0 ; became a principle" in text
    assert "Here, go left first. from episode 0 ; removed" in text
    assert "planner No principle is held now." in text


def test_a_suggestion_that_is_held_and_a_principle_that_is_gone_are_told_apart():
    gone = held(4, "planner_principle", "Gone.")
    data = replace(
        report_data(), strategies=(CLEARED,), revisions=(gone, replace(CLEARED, id="other"))
    )
    [memory] = module_memories(data)
    assert (memory.principles, memory.gone) == ((), 1)
    assert [s.fate for s in memory.tasks[0].suggestions] == ["removed", "held now"]


def test_the_page_nests_and_its_links_lead_somewhere(html):
    page = Page(html)
    assert page.open == []
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    links = [link for link in page.all("href") if not link.startswith("data:image/png;base64,")]
    assert {link[1:] for link in links} <= set(ids)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption")


def test_another_methods_run_shows_nothing_of_this():
    html = render(report_data())
    for what in ("Long- and short-term", "img-src", "What matched", "Where the error", "trials"):
        assert what not in re.sub(r"<style>.*?</style>", "", html, flags=re.S)


def test_without_the_picture_the_outlines_stand_alone_and_the_page_says_why():
    data = retried(pictures={})
    html = render(data)
    assert "data:image" not in html
    assert 'viewBox="0 0 60 30"' in html  # what was found, and ten pixels
    assert "the picture itself is not in the run folder" in html
    [first, *rest] = data.episodes
    left_out = replace(data, episodes=(replace(first, pictured=False), *rest))
    assert "this page has those of the first 0 episodes only" in render(left_out)


def test_words_instead_of_pictures_are_listed():
    working = {"entities": [{"entity": 1, "words": "a red block"}], "matches": []}
    text = words(episode_of(render(retried(working=working, pictures={}))))
    assert "1 a red block none" in text
    assert "Nothing in the instruction was matched." in text


def spoil(value):
    if isinstance(value, dict):
        return {key: spoil(item) for key, item in value.items()}
    if isinstance(value, list):
        return [spoil(item) for item in value]
    return HOSTILE if isinstance(value, str) and value != "image_match" else value


def test_text_of_models_is_never_markup():
    html = render(retried(working=spoil(WORKING), evidence=spoil(EVIDENCE)))
    page = Page(html)
    assert page.open == []
    assert html.count("<script>") == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]


@pytest.mark.parametrize(
    "odd", [None, 3, "text", [], {}, [1, "a", None], [[]], {"a": 1}, -1.5, 10**4000]
)
def test_odd_values_neither_crash_nor_show(odd):
    for key in WORKING:
        render(retried(working={**WORKING, key: odd}))
    for key in EVIDENCE:
        render(retried(evidence={**EVIDENCE, key: odd}))
    for key in WORKING["entities"][0]:
        item = {**WORKING["entities"][0], key: odd}
        render(retried(working={"entities": [item], "matches": odd}))
    assert read_working({"entities": odd, "matches": odd}) is None


def test_a_box_out_of_all_bounds_is_no_box():
    far = [{"entity": 1, "box": [0, 0, 9**9, 9**9], "mask": [0, 9**18]}]
    assert read_working({"entities": far}).things[0].box is None


def test_an_outline_follows_the_mask():
    corner = Thing(1, box=(10, 20, 12, 22), runs=(0, 3, 1))  # three of four pixels
    assert outline(corner) == ("M10 20H12M11 21H12M10 22H11M10 20V22M11 21V22M12 20V21")
    assert outline(replace(corner, runs=(0, 5))) == "M10 20H12V22H10Z"


def test_what_is_no_png_is_not_shown():
    assert png_size(PNG) == (64, 32)
    assert png_size(b"<svg onload='x'>") is None
    assert outlined((), {}, title="", picture=b"GIF89a") == ""


def test_the_terminal_says_of_which_memory_an_entry_is():
    strategies = (PRINCIPLE, replace(PRINCIPLE, id="e9", alias="S9", kind="planner_principle"))
    text = one_line(shown(print_strategies, strategies, width=100))
    assert "interpreter principle" in text and "planner principle" in text
    told = one_line(shown(print_episode, retried().episodes[0], width=200))
    assert "added interpreter principle: Compare the shapes." in told
    assert "trial 2" in one_line(shown(print_episode, retried().episodes[1], width=200))
    assert "trial" not in one_line(shown(print_episode, report_data().episodes[0], width=200))


def test_the_terminal_says_what_matched_and_where_the_error_lies():
    text = one_line(shown(print_episode, retried().episodes[0], width=200))
    assert "{object} is entity 2, confidence 0.87: both are red" in text
    assert '"the base" is no entity, confidence 0.10' in text
    assert "PickPlace(pick_location=[0.4, -0.25])" in text
    assert "interpreter, image-description consistency: not consistent: a heart is no" in text
    assert "object: a red heart; entity 2: a red ring" in text
    assert "given: Put the {object} there. read back: Put the ring there." in text
    assert "Found at fault: interpreter." in text
    assert "diagnosis: interpreter: colour was looked at alone" in text


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seen") / "run"
    return api.learn(
        "eeagent", "tabletop/rearrange-v0", model="stand-in-tabletop", tasks=2, out=folder
    )


def test_a_run_of_eeagent_has_its_pictures_and_principles_on_the_page(run):
    data = data_of(run)
    first = data.episodes[0]
    assert set(first.pictures) == {"", "scene"}
    assert png_size(first.pictures[""]) == (256, 128)
    html = render(data)
    assert html.count("data:image/png;base64,") == sum(len(r.pictures) for r in data.episodes)
    assert "{scene/1}</text>" in html
    assert "Long-term memory now" in html
    assert str(run.path) in html


def test_only_so_many_episodes_have_pictures_and_the_rest_say_so(run, monkeypatch):
    monkeypatch.setattr("journeyman.report.build.PICTURED", 1)
    data = data_of(run)
    assert [bool(record.pictures) for record in data.episodes][:2] == [True, False]
    assert "this page has those of the first 1 episodes only" in render(data)


def test_a_picture_that_is_gone_or_another_one_is_not_shown(run, monkeypatch):
    [image, *_] = [
        image
        for call in run.folder.episode(0).calls
        for message in call.messages
        for image in message.images
    ]
    file = run.path / "media" / f"{image.sha256}.png"
    kept = file.read_bytes()
    try:
        assert run.folder.picture(image) == kept
        file.write_bytes(kept + b"more")
        assert run.folder.picture(image) is None
        file.unlink()
        assert run.folder.picture(image) is None
        assert data_of(run).episodes[0].pictures == {}
    finally:
        file.write_bytes(kept)
    assert run.folder.picture(Image(None, "../run")) is None
