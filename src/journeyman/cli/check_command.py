"""``journeyman check``: an environment against its contract, and its demonstrations."""

from __future__ import annotations

import click

from journeyman.cli.options import data_option, json_option, one_line, print_json


@click.command("check")
@click.argument("env")
@click.option("--experts", is_flag=True, help="Replay every task's demonstration.")
@data_option
@json_option
def command(env: str, experts: bool, data: str | None, as_json: bool) -> int:
    """Say what ENV still lacks, or replay its expert demonstrations.

    Ends with exit code 2 where something is missing from the contract.
    """
    from journeyman import api
    from journeyman.envs.check import check_env, check_experts

    made = api.make(env, data=data)
    if experts:
        results = check_experts(made)
        failures = [r for r in results if not r["success"]]
        document = {
            "env": env,
            "tasks": len(results),
            "succeeded": len(results) - len(failures),
            "failures": [{"task": r["task"], "reason": r["reason"]} for r in failures],
        }
        if as_json:
            print_json(document)
            return 0
        click.echo(f"{env}: {document['succeeded']} of {len(results)} demonstrations succeed")
        for failure in failures:
            click.echo(f"  {one_line(failure['task'])}: {one_line(failure['reason'])}")
        return 0
    problems = check_env(made)
    if as_json:
        print_json({"env": env, "problems": problems})
    elif problems:
        click.echo(f"{env}: {len(problems)} problems")
        for problem in problems:
            click.echo(f"  {one_line(problem)}")
    else:
        click.echo(f"{env}: nothing is missing")
    return 2 if problems else 0
