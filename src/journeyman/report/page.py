"""The report page: one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from journeyman.core.errors import RunError
from journeyman.core.messages import Image, Message, ModelCall
from journeyman.core.values import Add, Lesson, Plan, Strategy, Verdict
from journeyman.learning import lesson_uses
from journeyman.report.data import EpisodeRecord, ReportData, uses_of
from journeyman.report.figures import (
    NARROW,
    WIDE,
    Mark,
    interval_bar,
    learning_curve,
    meter,
)
from journeyman.report.picture import outlined, png_size
from journeyman.report.terms import module_memories, term_of
from journeyman.report.words import ENDED, VERBS, percent, spread, troubles, verb
from journeyman.report.working import Located, Working, read_located, read_working
from journeyman.studies import Rate, cumulative, halves, rolling, summarise

if TYPE_CHECKING:
    import jinja2

PROMPT_CHARACTERS = 4_000
"""Of each prompt, unless all are wanted: 50 episodes stay near 3 MB instead of 10."""
REPLY_CHARACTERS = 20_000
WHOLE_EPISODES = 500
"""On the page with their course; of the others it has the outcome and says where they are."""
CALL_CHARACTERS = 8_000_000
"""Of prompts and replies on the page together; calls beyond are counted, and the page says so."""
WINDOW = 10


@dataclass(frozen=True)
class Clip:
    """A text of which the middle may be left out: prompts differ most at their end."""

    head: str
    left_out: int = 0
    tail: str = ""


def clip(text: str, most: int | None) -> Clip:
    """``text`` in at most ``most`` characters, a quarter from its start and the rest its end."""
    if most is None or len(text) <= most:
        return Clip(text)
    head = most // 4
    tail = most - head
    return Clip(text[:head], len(text) - most, text[-tail:])


@dataclass(frozen=True)
class Drawing:
    """A picture with its outlines; ``scene`` names one of the instruction.

    ``pictured`` is False where the outlines stand alone.
    """

    svg: Markup
    scene: str
    count: int
    pictured: bool


@dataclass(frozen=True)
class View:
    """What the templates ask about the data: where a thing is, what stood there before."""

    data: ReportData
    prompts: bool = False

    @cached_property
    def rows(self) -> dict[str, int]:
        return {strategy.id: row for row, strategy in enumerate(self.data.strategies)}

    @cached_property
    def revisions(self) -> dict[tuple[str, int], Strategy]:
        every = (*self.data.revisions, *self.data.strategies)
        return {(strategy.id, strategy.revision): strategy for strategy in every}

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(record.number for record in self.data.episodes)

    def anchor(self, entry: str) -> str:
        """The id of an entry's row in the pool table, empty where it is not there now."""
        return f"strategy-{self.rows[entry]}" if entry in self.rows else ""

    def alias_now(self, entry: str) -> str:
        """The alias of a living entry: aliases number the pool and move when entries go."""
        return self.data.strategies[self.rows[entry]].alias if entry in self.rows else ""

    def teacher(self, strategy: Strategy) -> int | None:
        """The episode on this page that wrote the strategy's revision."""
        origin = strategy.origin
        here = origin.run == self.data.run and origin.episode in self.numbers
        return origin.episode if here else None

    def key(self, lesson: Lesson) -> str | None:
        """The plan that the retrieved revision was keyed by, None where it is not known."""
        strategy = self.revisions.get((lesson.entry, lesson.revision))
        return strategy.plan if strategy else None

    def earlier(self, strategy: Strategy) -> list[Strategy]:
        """The revisions before the living one, latest first."""
        numbers = range(strategy.revision - 1, 0, -1)
        return [r for n in numbers if (r := self.revisions.get((strategy.id, n)))]

    def tag(self, verdict: Verdict) -> str:
        """The kind that a change gave or was about, where the pool has long and short terms."""
        operation = verdict.operation
        kind = operation.kind if isinstance(operation, Add) else ""
        latest = self.latest(verdict)
        kind = kind or (latest.kind if latest else "")
        return kind if term_of(kind) else ""

    def latest(self, verdict: Verdict) -> Strategy | None:
        """The last revision of the entry that a change touched, None where it is not known."""
        numbers = [number for entry, number in self.revisions if entry == verdict.entry]
        return self.revisions[verdict.entry, max(numbers)] if numbers else None

    @property
    def most_episodes(self) -> int:
        return WHOLE_EPISODES

    @cached_property
    def _with_calls(self) -> frozenset[int]:
        """The first episodes whose calls fit on the page together."""
        room, found = CALL_CHARACTERS, []
        for record in self.data.episodes:
            for call in record.episode.calls:
                prompt = sum(len(message.text) for message in call.messages)
                reply = len(call.completion.text)
                room -= min(prompt, PROMPT_CHARACTERS) + min(reply, REPLY_CHARACTERS)
            if room < 0:
                break
            found.append(record.number)
        return frozenset(found)

    @cached_property
    def _whole(self) -> frozenset[int]:
        return frozenset(r.number for r in self.data.episodes[: self.most_episodes])

    def is_whole(self, record: EpisodeRecord) -> bool:
        """Whether the page has the course of the episode and not only its outcome."""
        return self.prompts or record.number in self._whole

    def has_calls(self, record: EpisodeRecord) -> bool:
        return self.prompts or record.number in self._with_calls

    def working(self, plan: Plan) -> Working | None:
        return read_working(plan.working)

    def located(self, record: EpisodeRecord) -> Located | None:
        delta = record.episode.delta
        reflection = delta.reflection if delta else None
        return read_located(reflection.evidence) if reflection else None

    def drawings(self, record: EpisodeRecord, number: int, found: Working) -> list[Drawing]:
        """What plan ``number`` was made by; the pictures are those seen before the first plan."""
        drawings = []
        pictures = record.pictures if number == 0 else {}
        things_of = {"": found.things, **dict.fromkeys(pictures, ()), **(found.scenes or {})}
        things_of[""] = found.things
        for scene, things in things_of.items():
            picture = pictures.get(scene)
            labels = found.labels(scene)
            targets = {match.target for match in found.matches}
            names = {thing.number: f"{{{scene}/{thing.number}}}" for thing in things if scene}
            labels |= {number: name for number, name in names.items() if name in targets}
            title = f"{scene or 'The environment'}, {len(things)} entities outlined"
            svg = outlined(things, labels, title=title, picture=picture)
            if svg:
                shown = picture is not None and png_size(picture) is not None
                drawings.append(Drawing(svg, scene, len(things), shown))
        return drawings

    def missing(self, record: EpisodeRecord) -> str:
        """Why a picture is not there."""
        if record.pictured:
            return "the picture itself is not in the run folder"
        count = sum(bool(record.pictures) for record in self.data.episodes)
        return f"without the picture: this page has those of the first {count} episodes only"

    def where(self, record: EpisodeRecord) -> str:
        return "/".join(part for part in (self.data.folder.rstrip("/"), record.file) if part)

    def meter(self, progress: float) -> Markup:
        return meter(progress, label="Task progress")

    def prompt(self, call: ModelCall) -> Clip:
        text = prompt_text(call.messages)
        return clip(text, None if self.prompts else PROMPT_CHARACTERS)

    def reply(self, call: ModelCall) -> Clip:
        return clip(reply_text(call), REPLY_CHARACTERS)


def prompt_text(messages: Iterable[Message]) -> str:
    """The messages as people read them: pictures by size, several messages by role."""
    messages = list(messages)
    texts = []
    for message in messages:
        parts = [_picture(p) if isinstance(p, Image) else p for p in message.content]
        parts += [_call(call.name, call.arguments) for call in message.tool_calls]
        head = [f"[{message.role}]"] if len(messages) > 1 else []
        texts.append("\n".join([*head, *parts]))
    return "\n\n".join(texts)


def reply_text(call: ModelCall) -> str:
    tools = [_call(tool.name, tool.arguments) for tool in call.completion.tool_calls]
    return "\n".join(part for part in (call.completion.text, *tools) if part)


def _picture(image: Image) -> str:
    if image.array is None:
        return f"[picture {image.sha256[:12]}]"
    height, width = image.array.shape[:2]
    return f"[picture, {width} x {height}]"


def _call(name: str, arguments: Any) -> str:
    return f"{name}({json.dumps(dict(arguments), ensure_ascii=False, default=str)})"


def write_report(data: ReportData, path: Path, *, prompts: bool = False) -> Path:
    """Write the run's report page and give its path.

    Args:
        data: The run; all its texts are escaped.
        path: The HTML file; folders are made, an old page is replaced.
        prompts: Put every episode and every prompt on the page whole, whatever its size; otherwise
            each prompt shows its start and end, up to `PROMPT_CHARACTERS`, and says in which file
            the whole is, and of long runs see `WHOLE_EPISODES` and `CALL_CHARACTERS`.

    Raises:
        RunError: the file cannot be written.
    """
    html = render(data, prompts=prompts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A model's JSON may hold half a surrogate pair, which UTF-8 cannot.
        path.write_bytes(html.encode("utf-8", errors="replace"))
    except OSError as error:
        raise RunError(
            f"the report cannot be written to {path}: {error.strerror or error}.",
            hint="Name a file in a folder that you may write to.",
        ) from error
    return path


def render(data: ReportData, *, prompts: bool = False) -> str:
    """The page as text; see `write_report`."""
    templates = files("journeyman.report").joinpath("templates")
    style = templates.joinpath("style.css").read_text("utf-8")
    script = templates.joinpath("filter.js").read_text("utf-8")
    view = View(data, prompts)
    page = _environment().get_template("page.html.j2")
    return page.render(
        data=data,
        view=view,
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        costs=data.costs,
        met=[(cost.role, said) for cost in data.costs if (said := troubles(vars(cost)))],
        uses=uses_of(
            use
            for record in data.episodes
            for use in lesson_uses(record.episode.lessons, record.success)
        ),
        changes=_changes(data),
        modules=module_memories(data),
        groups=trial_groups(data.episodes),
        pictures=any(record.pictures for record in data.episodes),
        **_outcome(data, view),
    )


def trial_groups(records: Sequence[EpisodeRecord]) -> list[list[EpisodeRecord]]:
    """The episodes by task: the trials of one in a row are together."""
    groups: list[list[EpisodeRecord]] = []
    for record in records:
        again = groups and groups[-1][-1].episode.task.id == record.episode.task.id
        if again and record.trials > 1:
            groups[-1].append(record)
        else:
            groups.append([record])
    return groups


def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("journeyman.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=lambda share: percent(share).replace(" ", "\N{NO-BREAK SPACE}"),
        spread=lambda interval: spread(interval.low, interval.high),
        thousands=lambda count: f"{count:,}",
        words=lambda name: str(name).replace("_", " "),
        ended=lambda how: ENDED.get(how, how),
        verb=verb,
    )
    return environment


def _hash(text: str) -> str:
    """What a content security policy calls an inline block that may be used."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _changes(data: ReportData) -> dict[str, int]:
    """How many operations memory took, by what they did, and refused."""
    verdicts = [v for r in data.episodes if r.applied for v in r.applied.verdicts]
    taken = Counter(verb(v.operation).done for v in verdicts if v.accepted)
    return {
        **{verb.done: taken[verb.done] for verb in VERBS.values()},
        "refused": sum(not v.accepted for v in verdicts),
        "operations": len(verdicts),
    }


def _outcome(data: ReportData, view: View) -> dict[str, Any]:
    """The numbers and figures of the first two sections; ``summary`` None without episodes."""
    if not data.episodes:
        return {"summary": None}
    last = [trials[-1] for trials in trial_groups(data.episodes)]
    outcomes = [record.success for record in last]
    summary = summarise([record.summary() for record in last])
    at_first = [r.success and r.trials <= 1 for r in last]
    marks = [
        Mark(first, f"Episode {r.number}: {r.episode.task.instruction}", f"#episode-{r.number}")
        for first, r in zip(at_first, last, strict=True)
    ]
    retried = len(last) < len(data.episodes)
    what = "at the first trial over the tasks" if retried else "over the episodes"
    success, first_trial = summary.success, summary.first_trial_success
    so_far, lately = cumulative(at_first), rolling(at_first, WINDOW)
    curves = {
        f"curve_{name}": learning_curve(
            so_far,
            lately,
            marks,
            title=f"Success rate {what} of the run",
            description=f"Of {success.n} in all: {_numbers(first_trial)}.",
            frame=frame,
            name=name,
            axis="Task" if retried else "Episode",
        )
        for name, frame in (("wide", WIDE), ("narrow", NARROW))
    }
    return {
        "summary": summary,
        "retried": retried,
        "halves": halves(outcomes) if len(outcomes) > 1 else None,
        "first_halves": halves(at_first),
        "window": WINDOW if lately else 0,
        "success_bar": interval_bar(
            success.rate,
            success.interval.low,
            success.interval.high,
            label=f"Success rate {_numbers(success)}",
        ),
        **curves,
    }


def _numbers(found: Rate) -> str:
    return f"{percent(found.rate)}, 95 % interval {spread(found.interval.low, found.interval.high)}"
