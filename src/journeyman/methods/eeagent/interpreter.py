"""The environment interpreter: F_ei, a model that calls tools until it can explain (III-B)."""

from __future__ import annotations

import json
from dataclasses import replace

from journeyman.core.messages import Message
from journeyman.core.values import PROMPT, Observation, TaskView
from journeyman.methods.eeagent.findings import Findings
from journeyman.methods.eeagent.matching import Matcher, labelled
from journeyman.methods.eeagent.memory import LongShortMemory
from journeyman.methods.eeagent.replies import Interpretation
from journeyman.methods.eeagent.strategies import PACKAGE, Asking
from journeyman.methods.eeagent.tools import AnySegmenter, Toolbox
from journeyman.methods.prompting import no_heading, one_line, template
from journeyman.models.function_calling import Conversation, ToolUse
from journeyman.models.tools import whole

MAX_REPLIES = 14
"""Of the interpreter's model; six matches, one a reply, with room for mistakes."""


class Interpreter:
    """O^ = F_ei(I, O): Algorithm 1 line 5.

    Args:
        asking: The prompting strategy of the match tools, with the models.
        segmenter: Finds the entities of pictures.
    """

    def __init__(self, asking: Asking, segmenter: AnySegmenter) -> None:
        self.asking = asking
        self.segmenter = segmenter

    def interpret(self, task: TaskView, obs: Observation, memory: LongShortMemory) -> Findings:
        """What the environment holds and which entity each thing in the instruction is.

        Where the model gives no final answer, what its tools had found stays, and ``problem`` says
        what went wrong.
        """
        matcher = Matcher(self.asking, task.instruction, memory)
        toolbox = Toolbox(matcher, self.segmenter, obs)
        names = ", ".join(f"{{{name}}}" for name in toolbox.pictures)
        text = template(PACKAGE, "interpret").substitute(
            **memory.sections("interpreter"),
            instruction=one_line(task.instruction),
            pictures=names or "(none)",
            observation=no_heading(obs.text),
        )
        models = self.asking.models
        conversation = models.converse(
            "interpret",
            [self._opening(text, obs, toolbox)],
            toolbox.functions,
            Interpretation,
            needs_call=True,
            max_replies=MAX_REPLIES,
            reasks=self.asking.reasks,
        )
        answer = conversation.reply
        return replace(
            toolbox.findings,
            interpretation=answer.interpretation if isinstance(answer, Interpretation) else "",
            dialogue=dialogue_text(conversation),
            problem=conversation.problem,
        )

    def _opening(self, text: str, obs: Observation, toolbox: Toolbox) -> Message:
        if obs.image is None or not self.asking.models.model("interpret").sees_images:
            return Message("user", (text,))
        names = ["Environment:", *(f"Picture {{{name}}}:" for name in toolbox.pictures)]
        pictures = [obs.image, *(obs[PROMPT + name] for name in toolbox.pictures)]
        return Message("user", (text, *labelled(names, pictures)))


def dialogue_text(conversation: Conversation) -> str:
    """The dialogue in short: each call with its result or error, what went wrong, the answer.

    A call that was refused for half a character in its arguments is shown with a ``?`` there.
    """
    lines = [line for use in conversation.uses for line in _use_lines(use)]
    if conversation.bad_replies:
        lines.append(f"Replies that could not be used: {conversation.bad_replies}")
    if isinstance(conversation.reply, Interpretation):
        lines.append(f"Answer: {one_line(conversation.reply.interpretation)}")
    if conversation.problem is not None:
        lines.append(f"No answer: {one_line(conversation.problem)}")
    return whole("\n".join(lines))


def _use_lines(use: ToolUse) -> list[str]:
    given = ", ".join(f"{key}={_json(value)}" for key, value in use.call.arguments.items())
    call = f"Call: {one_line(use.call.name)}({one_line(given)})"
    if use.error is not None:
        return [call, f"Error: {one_line(use.error)}"]
    return [call, "Result: " + "\n".join(part for part in use.result if isinstance(part, str))]


def _json(value: object) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return "?"
