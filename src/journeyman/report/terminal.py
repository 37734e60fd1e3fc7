"""Runs, strategies, episodes and comparisons on the terminal.

Each has a renderable and a ``print_`` function. Every text of a model, an environment or memory is
put in as `rich.text.Text`, so that markup in it stays text, and without control characters, so
that it cannot move the cursor or colour the screen. Rich leaves colours out where output is piped.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from journeyman.core.values import Lesson, Plan, Step, Strategy, Verdict
from journeyman.report.data import EpisodeRecord, Uses
from journeyman.report.terms import term_of
from journeyman.report.words import ENDED, counted, percent, spread, steps_word, troubles, verb
from journeyman.report.working import Located, Working, read_located, read_working, said
from journeyman.studies import Difference, halves

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (not tab and newline), direction overrides, halves of surrogate pairs."""


def plain(text: object, style: str = "") -> Text:
    """Text of others, safe to show: no markup, no control characters."""
    return Text(_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", str(text).expandtabs(2)), style=style)


def console(**settings: Any) -> Console:
    """Where results go: stdout, without guessing at numbers or markup in them.

    Characters that stdout's encoding lacks are shown as ``?`` instead of ending the program.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False, markup=False, emoji=False, **settings)


def print_summary(document: Mapping[str, Any], to: Console | None = None) -> None:
    (to or console()).print(summary(document))


def print_strategies(
    strategies: Sequence[Strategy],
    uses: Mapping[str, Uses] | None = None,
    to: Console | None = None,
) -> None:
    (to or console()).print(strategy_table(strategies, uses))


def print_episode(record: EpisodeRecord, to: Console | None = None) -> None:
    (to or console()).print(episode(record))


def print_note(text: str, to: Console | None = None) -> None:
    (to or console()).print(plain(text))


def print_comparison(
    a: str, b: str, differences: Mapping[str, Difference], to: Console | None = None
) -> None:
    (to or console()).print(comparison(a, b, differences))


def summary(document: Mapping[str, Any]) -> RenderableType:
    """The table after a run, from its ``--json`` document."""
    success, memory, usage = (document[key] for key in ("success", "memory", "usage"))
    n = document["episodes"]
    grid = _grid()
    grid.add_row(
        _quiet("what"),
        plain(f"{document['method']} on {document['env']}, {document['model']}, ", "")
        + Text(f"seed {document['seed']}"),
    )
    if n:
        grid.add_row(
            _quiet("success"),
            Text(f"{success['count']}/{n} = {percent(success['rate'])}", "bold")
            + Text(f"  [{spread(*success['ci95'])}]")
            + _quiet("  95 % interval"),
        )
    else:
        grid.add_row(_quiet("success"), Text("no episode is finished"))
    if n > 1:
        first, second = halves([episode["success"] for episode in document["per_task"]])
        grid.add_row(
            _quiet("by half"),
            Text(
                f"{first.count}/{first.n} = {percent(first.rate)}, then "
                f"{second.count}/{second.n} = {percent(second.rate)}"
            ),
        )
    if n and document["first_trial_success"] != success["rate"]:
        grid.add_row(_quiet("first trial"), Text(percent(document["first_trial_success"])))
    if n:
        grid.add_row(_quiet("task progress"), Text(percent(document["task_progress"])))
    grid.add_row(
        _quiet("memory"),
        Text(f"{counted(memory['entries'])}, version {memory['version']}"),
    )
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    grid.add_row(
        _quiet("model"),
        Text(f"{usage['calls']:,} calls, {tokens:,} tokens, {document['wall_s']:.1f} s"),
    )
    if said := troubles(usage):
        grid.add_row(_quiet("server"), plain(said))
    grid.add_row(_quiet("status"), plain(document["status"]))
    return grid


def strategy_table(
    strategies: Sequence[Strategy], uses: Mapping[str, Uses] | None = None
) -> RenderableType:
    """The pool's entries; ``uses`` by entry id adds how often each was retrieved."""
    if not strategies:
        return Text("The pool is empty.")
    table = _table()
    table.add_column("alias")
    table.add_column("strategy", ratio=1, overflow="fold")
    table.add_column("taught by")
    if uses is not None:
        table.add_column("retrieved", justify="right")
    for item in strategies:
        row: list[RenderableType] = [plain(item.alias, "bold"), _strategy(item), _taught(item)]
        if uses is not None:
            use = uses.get(item.id, Uses())
            row.append(Text(f"{use.times}x, {use.wins} solved" if use.times else "-"))
        table.add_row(*row)
    return table


def episode(record: EpisodeRecord) -> RenderableType:
    """One episode step by step: what was recalled and why, done, and learnt."""
    whole = record.episode
    outcome = whole.outcome
    blocks: list[RenderableType] = [
        Text(f"Episode {record.number}  ", "bold")
        + _mark(record.success, "solved", "failed")
        + Text(f"  {percent(outcome.task_progress)} progress, {steps_word(outcome.num_steps)}, ")
        + plain(f"ended: {ENDED.get(whole.trajectory.ended, whole.trajectory.ended)}"),
        plain(whole.task.instruction),
        plain(whole.task.id + (f", trial {whole.trial + 1}" if whole.trial else ""), "dim"),
    ]
    if outcome.failure_reason:
        blocks.append(_quiet("Why, which the agent is not told: ") + plain(outcome.failure_reason))
    if whole.lessons.coarse_plan:
        blocks += [_heading("Coarse plan"), _indent(plain(whole.lessons.coarse_plan))]
    if whole.lessons.items:
        blocks.append(_heading("Recalled"))
        blocks += [_indent(_lesson(rank, x)) for rank, x in enumerate(whole.lessons.items, 1)]
    for number, plan in enumerate(whole.trajectory.plans):
        steps = [step for step in whole.trajectory.steps if step.plan == number]
        working = read_working(plan.working)
        blocks += [_heading(f"Plan {number + 1}"), *(_matches(working) if working else ())]
        blocks += _plan(plan, steps)
    delta = whole.delta
    evidence = read_located(delta.reflection.evidence) if delta and delta.reflection else None
    if evidence and evidence.checks:
        blocks += [_heading("Where the error lies"), *_located(evidence)]
    if delta and delta.reflection and delta.reflection.insights:
        blocks.append(_heading("Learnt"))
        blocks += [
            _indent(_quiet(insight.kind.replace("_", " ") + ": ") + plain(insight.text))
            for insight in delta.reflection.insights
        ]
    errors = (delta.reflection.error if delta.reflection else None, delta.error) if delta else ()
    blocks += [_indent(_mark(False, "", "error ") + plain(error)) for error in errors if error]
    if record.applied and record.applied.verdicts:
        blocks.append(_heading("Changes to the pool"))
        blocks += [_indent(_verdict(verdict)) for verdict in record.applied.verdicts]
    return Group(*blocks)


def comparison(a: str, b: str, differences: Mapping[str, Difference]) -> RenderableType:
    """Two runs paired by task; one row a metric, the difference is a minus b."""
    table = _table()
    table.collapse_padding = True  # the widest comparison fits 80 columns
    table.add_column("")
    for name in ("A", "B", "A - B", "95 % interval", "won / lost / tied", "p"):
        table.add_column(name, justify="right")
    for name, found in differences.items():
        table.add_row(
            plain(name),
            percent(found.mean_a),
            percent(found.mean_b),
            Text(f"{100 * found.difference:+.0f} points", "bold"),
            f"[{100 * found.interval.low:+.0f}, {100 * found.interval.high:+.0f}]",
            f"{found.wins} / {found.losses} / {found.ties}",
            "< 0.001" if found.p_value < 0.001 else f"{found.p_value:.3f}",
        )
    names = _grid()
    names.add_row(Text("A"), plain(a))
    names.add_row(Text("B"), plain(b))
    blocks: list[RenderableType] = [names, table]
    for found in list(differences.values())[:1]:
        note = f"{found.pairs} pairs: {found.tasks} tasks, {found.seeds} seed(s)."
        if found.unpaired:
            note += f" {found.unpaired} that only one of the two has are left out."
        blocks.append(_quiet(note + " p: exact two-sided sign test over tasks."))
    return Group(*blocks)


def _strategy(item: Strategy | Lesson) -> Text:
    lines = [plain(item.title, "bold")] if item.title else []
    if term_of(item.kind):
        lines.append(plain(str(item.kind).replace("_", " "), "dim"))
    if item.applies_when:
        lines.append(plain(f"When: {item.applies_when}", "dim"))
    return Text("\n").join([*lines, plain(item.text)])


def _taught(item: Strategy) -> Text:
    origin = item.origin
    where = f"episode {origin.episode}" if origin.episode >= 0 else origin.author or "unknown"
    return plain(where + (f"\nrevision {item.revision}" if item.revision > 1 else ""))


def _lesson(rank: int, lesson: Lesson) -> Text:
    score = "" if lesson.similarity is None else f" similarity {lesson.similarity:.3f}"
    head = plain(f"{rank}. {lesson.alias}", "bold") + _quiet(score)
    return Text("\n").join([head, _strategy(lesson)])


def _plan(plan: Plan, steps: Sequence[Step]) -> list[RenderableType]:
    blocks: list[RenderableType] = []
    if plan.language_plan:
        blocks.append(_indent(plain(plan.language_plan, "dim")))
    if plan.error:
        blocks.append(_indent(_mark(False, "", "unusable reply: ") + plain(plan.error)))
    if plan.note:
        blocks.append(_indent(plain(plan.note, "dim")))
    if steps:
        grid = _grid()
        grid.add_column(overflow="fold", ratio=1)
        grid.add_column(overflow="fold", ratio=2)
        for step in steps:
            grid.add_row(
                _quiet(str(step.index)),
                _mark(step.success, "done", "failed"),
                plain(step.action),
                plain(step.feedback, "dim"),
            )
        blocks.append(_indent(grid))
    return blocks


def _matches(working: Working) -> list[RenderableType]:
    lines = [
        plain(f"{match.target} is {match.thing}, confidence {match.sureness}")
        + (plain(f": {match.reason}", "dim") if match.reason else Text(""))
        for match in working.matches
    ]
    found = f"Of {len(working.things)} entities found:" if lines else "Nothing was matched."
    return [_indent(_quiet(found)), *[_indent(_indent(line)) for line in lines]]


def _located(found: Located) -> list[RenderableType]:
    """Each check's verdict with the texts that spoke against it, then what was concluded."""
    blocks: list[RenderableType] = []
    for check in found.checks:
        reason = f": {check.reason}" if check.reason else ""
        head = plain(f"{check.module}, {check.name}: ")
        blocks.append(_indent(head + plain(said(check.consistent), "bold") + plain(reason)))
        texts = [
            f"{pair.target}: {pair.target_text or '(not described)'}; "
            f"entity {pair.number}: {pair.thing_text or '(not described)'}"
            for pair in check.pairs
            if pair.consistent is False
        ]
        if check.original or check.regenerated:
            texts += [f"given: {check.original}", f"read back: {check.regenerated or '(none)'}"]
        blocks += [_indent(_indent(plain(text, "dim"))) for text in texts]
    blocks.append(_indent(plain(found.conclusion)))
    told = (found.diagnoses or {}).items()
    return blocks + [_indent(_quiet("diagnosis: ") + plain(f"{who}: {text}")) for who, text in told]


def _verdict(verdict: Verdict) -> Text:
    operation = verdict.operation
    words = verb(operation)
    text = _mark(verdict.accepted, words.done, words.refused)
    if alias := getattr(operation, "alias", ""):
        text += Text(" ") + plain(alias, "bold")
    kind = getattr(operation, "kind", None)
    if term_of(kind):
        text += plain(f" {str(kind).replace('_', ' ')}", "dim")
    if verdict.reason:
        text += plain(f" ({verdict.reason})", "dim")
    parts = [getattr(operation, part, "") for part in ("title", "text", "reason")]
    return text + Text(": ") + Text("; ").join(plain(part) for part in parts if part)


def _mark(success: bool, yes: str, no: str) -> Text:
    return Text(yes, "bold blue") if success else Text(no, "bold yellow")


def _quiet(text: str) -> Text:
    return Text(text, "dim")


def _heading(text: str) -> Text:
    return Text(f"\n{text}", "bold")


def _indent(what: RenderableType) -> RenderableType:
    return Padding(what, (0, 0, 0, 2))


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
