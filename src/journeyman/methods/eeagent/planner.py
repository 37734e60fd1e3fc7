"""The policy planner: F_pp, from the findings to a sequence of library actions (III-C)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from journeyman.core.messages import user
from journeyman.core.values import Action, ActionLibrary, Plan, TaskView
from journeyman.methods.eeagent.findings import Findings
from journeyman.methods.eeagent.memory import LongShortMemory
from journeyman.methods.eeagent.replies import PlannedCall, PlanReply
from journeyman.methods.eeagent.strategies import PACKAGE, Asking
from journeyman.methods.prompting import no_heading, one_line, template
from journeyman.models.wire import DEEPEST, deeper_than

MOST_EXAMPLES = 3


class Planner:
    """A = F_pp(I, O^): Algorithm 1 line 6 (the paper prints F_ei there).

    It sees no picture: section III-C makes it an LLM over what the interpreter found.
    """

    def __init__(self, asking: Asking) -> None:
        self.asking = asking

    def plan(
        self, task: TaskView, findings: Findings, library: ActionLibrary, memory: LongShortMemory
    ) -> Plan:
        """The plan, or one with ``error`` where no reply could be used.

        A reply is used whole or not at all: an action outside the library, or with arguments that
        do not fit, is quoted back to the model in one sentence.
        """
        text = template(PACKAGE, "plan").substitute(
            **memory.sections("planner"),
            **self.asking.words,
            role=no_heading(library.role),
            rules=no_heading(library.rules),
            actions=no_heading(library_text(library)),
            examples=examples(library),
            instruction=one_line(task.instruction),
            environment=no_heading(findings.text),
        )

        def check(reply: PlanReply) -> str | None:
            return next((p for p in problems(reply.actions, library) if p), None)

        reply = self.asking.ask("plan", user(text), PlanReply, sequence_key, check)
        if not isinstance(reply.parsed, PlanReply):
            return Plan(error=reply.problem or "the reply is no plan")
        said = reply.parsed
        return Plan(
            tuple(as_action(call, library) for call in said.actions),
            reasoning_and_reflection=said.thoughts,
            language_plan=said.plan,
        )


def library_text(library: ActionLibrary) -> str:
    """The actions, a line each; those with parameters with the JSON schema of their arguments."""
    lines = []
    for action in library.actions:
        schema = library.parameters.get(action.name)
        name = one_line(action.name)
        lines.append(f"- {name}" if schema is None else f"- {name}: {json.dumps(schema)}")
    return "\n".join(lines)


def examples(library: ActionLibrary) -> str:
    """Worked examples in the reply's form.

    Those of the environment where it has any, else the prompt's own where the library has their
    skills, else none.
    """
    shown = [text for example in library.examples if (text := _example(example))]
    if shown:
        return "\n\n".join(shown[:MOST_EXAMPLES])
    if {"PickPlace", "PickRotate"} <= set(library.by_name):
        return template(PACKAGE, "examples").template.strip()
    return "(none)"


def _example(example: str) -> str:
    """An example in EmbodiedBench's form (instruction, JSON plan), in this planner's form."""
    instruction, _, text = example.partition("\n")
    try:
        plan = json.loads(text)
        calls = [{"name": a["action_name"], "arguments": {}} for a in plan["executable_plan"]]
        reply = {"plan": plan["language_plan"], "actions": calls}
    except (ValueError, KeyError, TypeError):
        return ""
    return f"{one_line(instruction)}\n{json.dumps(reply)}"


def as_action(call: PlannedCall, library: ActionLibrary) -> Action:
    """The action of the library with the call's arguments."""
    return replace(library.by_name[call.name], arguments=dict(call.arguments))


def problems(calls: Sequence[PlannedCall], library: ActionLibrary) -> list[str | None]:
    """For each call what is wrong with it, as one sentence without a full stop, or None."""
    found = []
    for number, call in enumerate(calls, start=1):
        problem = _problem(call, library)
        found.append(None if problem is None else f"action {number}: {problem}")
    return found


def _problem(call: PlannedCall, library: ActionLibrary) -> str | None:
    name = one_line(call.name)[:60]
    if call.name not in library.by_name:
        return f"'{name}' is no action of the library"
    if deeper_than(DEEPEST, call.arguments):
        return f"the arguments of {name} are nested too deep"
    schema = library.parameters.get(call.name, {"type": "object", "additionalProperties": False})
    known = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in call.arguments:
            return f"{name} needs {key}"
    for key, value in call.arguments.items():
        if key not in known:
            if schema.get("additionalProperties") is False:
                return f"{name} has no argument '{one_line(key)[:40]}'"
            continue
        problem = misfit(value, known[key])
        if problem is not None:
            return f"{key} of {name} {problem}"
    return None


def misfit(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Why ``value`` is not of the JSON schema, or None; numbers, texts and lists of them."""
    kind = schema.get("type")
    if "enum" in schema and value not in schema["enum"]:
        return f"has to be one of {', '.join(map(str, schema['enum']))}"
    if kind in ("number", "integer"):
        if not _is_number(value):
            return "has to be a number"
        if kind == "integer" and value != int(value):
            return "has to be a whole number"
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        return None if low <= value <= high else f"has to be from {low:g} to {high:g}"
    if kind == "array":
        first, others = schema.get("prefixItems", ()), schema.get("items")
        least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
        if not isinstance(value, list) or not least <= len(value) <= most:
            return f"has to be a list of {least}" if least == most else "has to be a list"
        for number, part in enumerate(value, start=1):
            of = first[number - 1] if number <= len(first) else others
            problem = misfit(part, of) if isinstance(of, Mapping) else None
            if problem is not None:
                return f"(item {number}) {problem}"
        return None
    if kind == "string" and not isinstance(value, str):
        return "has to be a text"
    return None


def _is_number(value: Any) -> bool:
    """Whether it is one that a float can hold: JSON has any, and calls NaN and Infinity numbers."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -sys.float_info.max <= value <= sys.float_info.max


def sequence_key(reply: PlanReply) -> Hashable:
    """Equal for plans of the same actions, numbers to two decimals."""
    return json.dumps([[call.name, _rounded(call.arguments)] for call in reply.actions])


def _rounded(value: Any) -> Any:
    if _is_number(value):
        return round(float(value), 2) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return value
