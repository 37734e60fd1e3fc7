import base64
import hashlib
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from report_sample import call, report_data, strategy

from journeyman.core.errors import RunError
from journeyman.core.messages import Completion, Image, Message, ModelCall, ToolCall, Usage, user
from journeyman.core.values import Lessons
from journeyman.models.ledger import RoleCost
from journeyman.report import render, write_report
from journeyman.report.page import PROMPT_CHARACTERS, clip, prompt_text, reply_text

HOSTILE = """<script>alert(1)</script>{{7*7}}{% raw %}" onmouseover="x' & </pre></details>"""
VOID = {"meta", "input"}


class Page(HTMLParser):
    """The tags of a page: their attributes, and whether they nest."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, attribute):
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]


def words(html):
    """The page's visible words in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def episode_html(html, number):
    start = html.index(f'id="episode-{number}"')
    return html[start : html.index("</details>\n", html.index("Model calls", start))]


@pytest.fixture(scope="module")
def html():
    return render(report_data())


def test_tags_nest_ids_are_unique_and_every_link_leads_somewhere(html):
    page = Page(html)
    ids = page.all("id")
    assert page.open == []
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.all("href")} <= set(ids)
    assert all(link.startswith("#") for link in page.all("href"))
    for attribute in ("aria-labelledby", "aria-describedby"):
        assert {name for names in page.all(attribute) for name in names.split()} <= set(ids)


def test_the_page_loads_nothing_and_its_policy_forbids_it(html):
    page = Page(html)
    assert page.all("src") == []
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, _ in page.tags}
    assert not re.search(r"https?:|url\(|@import", html)
    [policy] = [a["content"] for t, a in page.tags if a.get("http-equiv")]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        [block] = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert page.all("style") == []
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]


def test_sections_come_from_outcome_to_provenance(html):
    sections = [attrs["id"] for tag, attrs in Page(html).tags if tag == "section"]
    assert sections == ["outcome", "curve", "learnt", "cost", "episodes", "provenance"]


def test_every_table_has_a_caption_and_every_figure_a_name(html):
    page = Page(html)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") > 5
    figures = [attrs for tag, attrs in page.tags if tag == "svg"]
    assert all(
        attrs.get("aria-hidden") == "true"
        or (attrs["role"] == "img" and (attrs.get("aria-label") or attrs.get("aria-labelledby")))
        for attrs in figures
    )


def test_outcome_gives_count_rate_interval_and_both_halves(html):
    text = words(html[html.index('id="outcome"') : html.index('id="curve"')])
    assert "67 % 8 of 12 tasks solved" in text  # episodes 1 3 4 6 7 9 10 11 of 0 .. 11
    assert "95 % interval 39 to 86 % (Wilson)" in text
    assert "First half 50 % 3 of 6" in text
    assert "Second half 83 % 5 of 6" in text
    assert "83 % 95" in text  # progress (8 + 4 * .5) / 12
    assert "7 added, 1 revised, 1 removed" in text


def test_a_strategy_links_to_the_episode_that_taught_it_and_counts_its_uses(html):
    row = html[html.index('id="strategy-0"') : html.index('id="strategy-1"')]
    assert 'href="#episode-4"' in row
    assert "11 episodes" in words(row)  # retrieved in episodes 1 .. 11
    assert "8 of them solved" in words(row)
    assert "1 earlier wording" in words(row)
    assert 'href="#episode-0"' in row  # who wrote revision 1
    other_run = html[html.index('id="strategy-2"') : html.index("Every proposed change")]
    assert "run older , episode 3" in words(other_run)
    assert "#episode-3" not in other_run


def test_an_episode_shows_what_was_retrieved_why_and_what_came_of_it(html):
    text = words(episode_html(html, 4))
    assert "Ended: solved" in text
    assert "find the Apple" in text  # the coarse plan
    assert "1 0.910 S1 , in the pool now , revision 1" in text
    assert "The plan it was keyed by" in text
    assert "- revision 1" in text  # the key plan of the revision that was retrieved
    assert "3 0.770 S3 , revision 1" in text  # removed since: no link
    assert "3 turn on the Faucet ✓ done" in text
    assert "Not in the sink" in text
    assert "✓ revised S1" in text
    failed = words(episode_html(html, 5))
    assert "✗ failed Last action is invalid. Pan is not in the sink." in failed
    assert "✗ refused to add a duplicate of S1" in failed


def test_a_lesson_whose_revision_is_unknown_says_so():
    data = replace(report_data(), revisions=(), strategies=())
    assert "Keyed by a plan that this report was not given." in render(data)
    assert "Keyed by a plan that this report was not given." not in render(report_data())


def test_an_alias_that_moved_is_named_as_it_is_now():
    moved = replace(strategy(2, 1, "text", 1), alias="S1")
    text = words(episode_html(render(replace(report_data(), strategies=(moved,))), 4))
    assert "S2 , S1 in the pool now , revision 1" in text


def hostile(data):
    """The sample with a hostile string in every text that comes from outside."""
    [first, *rest] = data.episodes
    e = first.episode
    step = replace(e.trajectory.steps[0], feedback=HOSTILE)
    step = replace(step, action=replace(step.action, name=HOSTILE))
    plan = replace(
        e.trajectory.plans[0],
        visual_state_description=HOSTILE,
        reasoning_and_reflection=HOSTILE,
        language_plan=HOSTILE,
        error=HOSTILE,
        note=HOSTILE,
    )
    e = replace(
        e,
        task=replace(e.task, id=HOSTILE, subset=HOSTILE, instruction=HOSTILE),
        trajectory=replace(e.trajectory, plans=(plan,), steps=(step,), ended=HOSTILE),
        lessons=Lessons(
            tuple(
                replace(x, alias=HOSTILE, title=HOSTILE, text=HOSTILE, applies_when=HOSTILE)
                for x in rest[3].episode.lessons.items
            ),
            HOSTILE,
        ),
        delta=replace(e.delta, error=HOSTILE),
        calls=(call(HOSTILE, HOSTILE, HOSTILE),),
    )
    verdict = first.applied.verdicts[0]
    operation = replace(verdict.operation, title=HOSTILE, text=HOSTILE, applies_when=HOSTILE)
    applied = replace(
        first.applied, verdicts=(replace(verdict, operation=operation, reason=HOSTILE),)
    )
    evil = replace(
        data.strategies[0],
        alias=HOSTILE,
        title=HOSTILE,
        applies_when=HOSTILE,
        text=HOSTILE,
        plan=HOSTILE,
        instruction=HOSTILE,
        kind=HOSTILE,
        origin=replace(data.strategies[0].origin, run=HOSTILE),
    )
    return replace(
        data,
        **dict.fromkeys(
            ("run", "env", "method", "model", "embedder", "status", "command", "folder"), HOSTILE
        ),
        episodes=(replace(first, episode=e, applied=applied, file=HOSTILE), *rest),
        strategies=(evil,),
        caveats=(HOSTILE,),
        versions={HOSTILE: HOSTILE},
        facts={HOSTILE: HOSTILE},
        faults=(replace(data.faults[0], task=HOSTILE, message=HOSTILE),),
    )


def test_text_from_outside_is_never_markup_nor_template():
    html = render(hostile(report_data()), prompts=True)
    page = Page(html)
    assert page.open == []
    assert html.count("{{7*7}}{% raw %}") > 40
    assert html.count("<script>") == 1  # the page's own
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert {name for _, attrs in page.tags for name in attrs} <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "href", "id", "hidden"),
        *("aria-label", "aria-labelledby", "aria-hidden", "aria-live", "role", "tabindex"),
        *("viewbox", "d", "x", "y", "cx", "cy", "r", "stroke-width", "scope", "colspan"),
        *("data-is", "data-label", "value", "type", "placeholder"),
    }


def test_prompts_are_clipped_unless_wanted_whole_and_say_where_the_rest_is():
    data = report_data()
    line = "action id 7: find a Plate\n"
    folded, whole = render(data), render(data, prompts=True)
    assert whole.count(line) == 12 * 300
    assert folded.count(line) < 12 * 200
    length = len("You are a robot.\n") + 300 * len(line)
    assert f"{length - PROMPT_CHARACTERS:,} characters left out here" in folded
    assert "the whole is in runs/first/episodes/0004.json" in folded
    assert "left out here" not in whole


def test_replies_are_on_the_page_without_asking(html):
    assert html.count("{&#34;failure_causes&#34;: []}") == 12


def test_clip_keeps_a_quarter_from_the_start_and_the_rest_from_the_end():
    clipped = clip("a" * 10 + "b" * 10, 8)
    assert (clipped.head, clipped.left_out, clipped.tail) == ("aa", 12, "bbbbbb")
    assert clip("short", 8).left_out == 0
    assert clip("long" * 9, None).head == "long" * 9


def test_a_prompt_reads_with_its_roles_and_pictures():
    picture = Image(np.zeros((4, 6, 3), dtype=np.uint8))
    stored = Image(None, "0123456789abcdef")
    system = Message("system", ("Be brief.",))
    assert prompt_text([user("Look:", picture)]) == "Look:\n[picture, 6 x 4]"
    assert prompt_text([system, user(stored)]) == (
        "[system]\nBe brief.\n\n[user]\n[picture 0123456789ab]"
    )
    called = Completion("", tool_calls=(ToolCall("1", "find", {"what": "Plate"}),))
    assert reply_text(ModelCall("plan", (), called)) == 'find({"what": "Plate"})'


def test_costs_without_a_price_say_so(html):
    text = words(html)
    assert "no prices are known" in text
    assert "Together 36 39,600 84 9.0" in text


def test_given_costs_are_shown_with_their_prices():
    priced = (
        RoleCost("plan", 3, Usage(1000, 200), 2.5, usd=0.0125),
        RoleCost("distil", 1, Usage(500, 50), 0.5),
    )
    text = words(render(replace(report_data(), costs=priced)))
    assert "plan 3 1,000 200 2.5 0.0125" in text
    assert "distil 1 500 50 0.5 unknown" in text
    assert "Together 4 1,500 250 3.0 0.0125" in text


def test_caveats_and_faults_stand_before_the_numbers(html):
    before = words(html[: html.index('id="outcome-title"')])
    assert "not comparable to a paper's" in before
    assert "1 episode ended by a fault" in before
    assert "the model gave no reply within 4 tries" in html[html.index('id="provenance"') :]


def test_a_frozen_run_claims_no_learning():
    data = report_data()
    frozen = tuple(
        replace(r, applied=None, episode=replace(r.episode, delta=None)) for r in data.episodes
    )
    text = words(render(replace(data, episodes=frozen, strategies=())))
    assert "Strategies now" not in text
    assert "The memory was frozen" in text
    assert "Learning curve" not in text
    assert "What it learnt" not in text


def test_a_run_without_episodes_or_strategies_has_a_page():
    data = replace(report_data(), episodes=(), strategies=(), revisions=(), faults=())
    html = render(data)
    assert Page(html).open == []
    assert "No episode is finished yet." in html
    assert "Nothing: this run kept no memory of its own" in html


def test_one_episode_is_enough():
    html = render(replace(report_data(), episodes=report_data().episodes[:1]))
    assert "First half" not in html
    assert Page(html).open == []


def test_the_same_data_gives_the_same_bytes(tmp_path):
    first = write_report(report_data(), tmp_path / "a.html")
    second = write_report(report_data(), tmp_path / "deep" / "b.html")
    assert second == tmp_path / "deep" / "b.html"
    assert first.read_bytes() == second.read_bytes()


def test_half_a_surrogate_pair_from_a_model_can_be_written(tmp_path):
    data = replace(report_data(), caveats=("broken \ud800 text",))
    assert "broken ? text" in write_report(data, tmp_path / "a.html").read_text("utf-8")


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(tmp_path):
    with pytest.raises(RunError, match="cannot be written") as raised:
        write_report(report_data(), tmp_path)
    assert str(tmp_path) in raised.value.message


class TestALongRun:
    """The page stays within what a browser opens."""

    def test_has_the_course_of_the_first_episodes_and_the_outcome_of_all(self, monkeypatch):
        monkeypatch.setattr("journeyman.report.page.WHOLE_EPISODES", 5)
        html = render(report_data())
        assert html.count("<h4>What it did</h4>") == 5
        assert html.count("the page has that of the first 5 episodes") == 7
        assert "episodes/0011.json" in html[html.index('id="episode-11"') :]
        assert "8 of 12 tasks solved" in words(html)
        assert Page(html).open == []

    def test_has_the_model_calls_that_fit_and_counts_the_others(self, monkeypatch):
        data = report_data()
        sizes = [
            sum(
                min(PROMPT_CHARACTERS, len(c.messages[0].text)) + len(c.completion.text)
                for c in r.episode.calls
            )
            for r in data.episodes
        ]
        monkeypatch.setattr("journeyman.report.page.CALL_CHARACTERS", sum(sizes[:3]))
        html = render(data)
        assert html.count("calls, left out for the page") == 12 - 3
        assert "left out for" not in episode_html(html, 2)
        assert f"{len(data.episodes[3].episode.calls)} calls, left" in episode_html(html, 3)
        assert Page(html).open == []

    def test_is_whole_where_all_prompts_are_wanted(self, monkeypatch):
        monkeypatch.setattr("journeyman.report.page.WHOLE_EPISODES", 1)
        monkeypatch.setattr("journeyman.report.page.CALL_CHARACTERS", 0)
        html = render(report_data(), prompts=True)
        assert html.count("<h4>What it did</h4>") == 12 and "left out for" not in html
