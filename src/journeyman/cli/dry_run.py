"""``learn --dry-run``: the first prompts and the bill, before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from journeyman.cli.options import one_line, print_json, printable

if TYPE_CHECKING:
    from journeyman.api import Preview
    from journeyman.core.messages import ModelCall
    from journeyman.runs import RunSpec


def say_plan(spec: RunSpec, *, as_json: bool) -> None:
    """Print what the run of ``spec`` would ask first and need; its keys are an interface."""
    from journeyman import api

    found = api.preview(spec)
    if as_json:
        print_json(found.document())
        return
    click.echo(f"{spec.method} on {', '.join(spec.env)} with {spec.model}, seed {spec.seed}:")
    first = one_line(found.tasks[0].instruction) if found.tasks else "-"
    click.echo(f"{len(found.tasks)} tasks, the first: {first}")
    for call in found.first:
        _say_prompt(call)
    _say_estimate(found)
    click.echo("Nothing was run and no model was called.")


def _say_prompt(call: ModelCall) -> None:
    from journeyman.api.preview import tokens
    from journeyman.core.messages import Image

    count = tokens(call.messages, call.tools)
    head = f"first prompt of the role {call.role}, about {count:,} tokens"
    click.echo(f"\n---- {head} ----")
    for message in call.messages:
        for part in message.content:
            if isinstance(part, Image):
                height, width = part.array.shape[:2] if part.array is not None else (0, 0)
                click.echo(f"(a picture of {width} x {height} pixels)")
            else:
                click.echo(printable(part).rstrip("\n"))
    click.echo(f"---- end of the prompt of the role {call.role} ----")


def _say_estimate(found: Preview) -> None:
    click.echo(f"\nEstimate for {found.episodes} tasks:")
    click.echo(f"  {'role':<12} {'calls':>8} {'prompt tokens':>15} {'reply tokens':>15}  model")
    for role in found.roles:
        click.echo(
            f"  {role.role:<12} {role.calls:>8,} {role.prompt_tokens:>15,} "
            f"{role.completion_tokens:>15,}  {one_line(role.model)}"
        )
    click.echo(
        f"  {'all':<12} {found.calls:>8,} {found.prompt_tokens:>15,} {found.completion_tokens:>15,}"
    )
    click.echo(f"  {_price(found)}")
    for remark in found.remarks:
        click.echo(remark)


def _price(found: Preview) -> str:
    if found.usd is not None:
        return f"about {found.usd:,.2f} US dollars"
    if found.spec.prices is None:
        return "no price: give a price table with --set prices=FILE"
    return f"no price: {one_line(found.spec.prices)} has none for {', '.join(found.unpriced)}"
