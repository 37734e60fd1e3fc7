"""Error location: which module failed, by two consistency checks (section III-D2).

Nobody tells the agent why a task failed. (a) Image-description consistency asks whether matched
pictures are described alike; (b) action-to-instruction consistency writes the instruction anew from
the actions and compares. Both run; where neither finds a fault, both modules are blamed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from journeyman.core.messages import Message, user
from journeyman.core.values import PROMPT, ImageHWC, Observation, Trajectory
from journeyman.methods.eeagent.entities import cut_out, enlarged, trimmed
from journeyman.methods.eeagent.findings import Findings, Match
from journeyman.methods.eeagent.matching import labelled
from journeyman.methods.eeagent.memory import MODULES, Module
from journeyman.methods.eeagent.replies import (
    ConsistencyReply,
    DescriptionsReply,
    InstructionReply,
    MatchVerdictsReply,
)
from journeyman.methods.eeagent.strategies import PACKAGE
from journeyman.methods.prompting import no_heading, one_line, template
from journeyman.models.roles import ModelRoles


@dataclass(frozen=True)
class MatchCheck:
    """One match under check (a), with the texts that were compared."""

    target: str
    entity: int
    target_features: str
    entity_features: str
    consistent: bool | None = None
    reason: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a check says of a module: ``consistent``, or None where it could not tell."""

    consistent: bool | None
    reason: str = ""
    matches: tuple[MatchCheck, ...] = ()
    original: str = ""
    regenerated: str = ""


@dataclass(frozen=True)
class ErrorLocation:
    """Both verdicts."""

    interpreter: Verdict
    planner: Verdict

    @property
    def blamed(self) -> tuple[Module, ...]:
        """The modules found at fault; both where neither was."""
        found = tuple(module for module in MODULES if self.of(module).consistent is False)
        return found or MODULES

    def of(self, module: Module) -> Verdict:
        return self.interpreter if module == "interpreter" else self.planner

    def values(self) -> dict[str, Any]:
        """As JSON values, the quoted texts included."""
        return {
            "blamed": list(self.blamed),
            "interpreter": _values(self.interpreter, "matches"),
            "planner": _values(self.planner, "original", "regenerated"),
        }

    def text(self, module: Module) -> str:
        """The evidence about ``module``, for its reflection."""
        verdict = self.of(module)
        said = {True: "consistent", False: "not consistent", None: "not known"}
        if module == "planner":
            lines = [f"Action-to-instruction consistency: {said[verdict.consistent]}"]
            lines.append(f"Original: {one_line(verdict.original)}")
            lines.append(f"Regenerated: {one_line(verdict.regenerated) or '(none)'}")
        else:
            lines = [f"Image-description consistency: {said[verdict.consistent]}"]
            for check in verdict.matches:
                lines.append(
                    f"- {check.target} / Entity {check.entity}: {said[check.consistent]}. "
                    f"Target: {one_line(check.target_features)} "
                    f"Entity: {one_line(check.entity_features)} Reason: {one_line(check.reason)}"
                )
        return "\n".join([*lines, f"Reason: {one_line(verdict.reason) or '(none)'}"])


class ErrorLocator:
    """Runs both checks after a failed trial.

    Args:
        models: ``interpret`` describes pictures, ``judge`` compares texts.
        reasks: Re-asks of a bad reply; a check without a usable reply knows nothing.
    """

    def __init__(self, models: ModelRoles, *, reasks: int = 2) -> None:
        self.models = models
        self.reasks = reasks

    def locate(self, trajectory: Trajectory) -> ErrorLocation:
        """Algorithm 1 line 15, for the trial's one plan."""
        working = trajectory.plans[0].working if trajectory.plans else {}
        findings = Findings.read(working)
        return ErrorLocation(
            self.image_descriptions(findings, trajectory),
            self.actions_to_instruction(findings, trajectory, str(working.get("rules", ""))),
        )

    # (a) Image-description consistency

    def image_descriptions(self, findings: Findings, trajectory: Trajectory) -> Verdict:
        """Whether target and chosen entity are described alike, match by match.

        The pictures are described once more, each by itself and without saying which belong
        together: descriptions written while choosing tend to agree with the choice. Without
        pictures (words, a model that does not see) those of the match tools are compared.
        """
        matches = [match for match in findings.matches if match.entity]
        if not findings.matches and findings.dialogue and findings.problem is not None:
            return Verdict(False, f"nothing was interpreted: {findings.problem}")
        if not matches:
            return Verdict(None, "no match was made")
        described = self._described(matches, findings, trajectory.first_observation)
        checks = [
            MatchCheck(
                match.name,
                match.entity,
                described.get((index, "target")) or match.target_features or match.target,
                described.get((index, "entity")) or match.entity_features,
            )
            for index, match in enumerate(matches)
        ]
        text = template(PACKAGE, "check_descriptions").substitute(
            instruction=one_line(trajectory.instruction),
            matches="\n\n".join(_check_text(n, check) for n, check in enumerate(checks, start=1)),
        )
        reply = self.models.ask("judge", [user(text)], MatchVerdictsReply, self.reasks)
        if not isinstance(reply.parsed, MatchVerdictsReply):
            reason = f"the check's reply could not be used: {reply.problem}"
            return Verdict(None, reason, tuple(checks))
        said = {verdict.match: verdict for verdict in reply.parsed.verdicts}
        judged = tuple(
            MatchCheck(
                **{**asdict(check), "consistent": said[n].consistent, "reason": said[n].reason}
            )
            if n in said
            else check
            for n, check in enumerate(checks, start=1)
        )
        wrong = [check for check in judged if check.consistent is False]
        if wrong:
            return Verdict(False, "; ".join(c.reason or c.target for c in wrong), judged)
        known = any(check.consistent for check in judged)
        return Verdict(True if known else None, "", judged)

    def _described(
        self, matches: list[Match], findings: Findings, obs: Observation
    ) -> dict[tuple[int, str], str]:
        """Fresh descriptions by (index of the match, target or entity); none without pictures."""
        if "image" not in obs or not self.models.model("interpret").sees_images:
            return {}
        shown: dict[tuple[int, str], ImageHWC] = {}
        for index, match in enumerate(matches):
            target = _target_picture(match, findings, obs)
            if target is not None:
                shown[index, "target"] = target
            chosen = _entity_picture(match, findings, obs)
            if chosen is not None:
                shown[index, "entity"] = chosen
        if not shown:
            return {}
        names = [f"Picture {number}:" for number in range(1, len(shown) + 1)]
        text = template(PACKAGE, "describe").substitute()
        asked = Message("user", (text, *labelled(names, enlarged(list(shown.values())))))
        reply = self.models.ask("interpret", [asked], DescriptionsReply, self.reasks)
        if not isinstance(reply.parsed, DescriptionsReply):
            return {}
        said = {item.picture: item.features for item in reply.parsed.pictures}
        return {key: said.get(number, "") for number, key in enumerate(shown, start=1)}

    # (b) Action-to-instruction consistency

    def actions_to_instruction(
        self, findings: Findings, trajectory: Trajectory, rules: str
    ) -> Verdict:
        """Whether the actions, read back, ask for what was asked for.

        The paper reads back the executed ones. Here it is the whole plan where the trial ended
        before its last action, which says nothing against the planner; and an empty plan tells
        nothing: by wrong matches, all may seem to lie in place. The interpreter's own words are
        left out of what is read back: they repeat the instruction.
        """
        original = trajectory.instruction
        plan = trajectory.plans[0] if trajectory.plans else None
        if plan is not None and plan.error is not None:
            return Verdict(False, f"no plan was made: {plan.error}", original=original)
        if plan is None or not plan.actions:
            return Verdict(None, "nothing was planned", original=original)
        text = template(PACKAGE, "regenerate_instruction").substitute(
            rules=no_heading(rules) or "(none)",
            environment=no_heading(findings.facts),
            actions="\n".join(
                f"{number}. {one_line(str(action))}"
                for number, action in enumerate(plan.actions, start=1)
            ),
        )
        reply = self.models.ask("judge", [user(text)], InstructionReply, self.reasks)
        if not isinstance(reply.parsed, InstructionReply):
            reason = f"the check's reply could not be used: {reply.problem}"
            return Verdict(None, reason, original=original)
        regenerated = reply.parsed.instruction
        text = template(PACKAGE, "compare_instructions").substitute(
            original=one_line(original), regenerated=one_line(regenerated)
        )
        reply = self.models.ask("judge", [user(text)], ConsistencyReply, self.reasks)
        if not isinstance(reply.parsed, ConsistencyReply):
            reason = f"the check's reply could not be used: {reply.problem}"
            return Verdict(None, reason, original=original, regenerated=regenerated)
        said = reply.parsed
        return Verdict(said.consistent, said.reason, original=original, regenerated=regenerated)


def _values(verdict: Verdict, *fields: str) -> dict[str, Any]:
    values = asdict(verdict)
    return {
        key: list(values[key]) if key == "matches" else values[key]
        for key in ("consistent", "reason", *fields)
    }


def _check_text(number: int, check: MatchCheck) -> str:
    return (
        f"Match {number}\n"
        f"Target {check.target}: {one_line(check.target_features)}\n"
        f"Entity {check.entity}: {one_line(check.entity_features) or '(not described)'}"
    )


def _target_picture(match: Match, findings: Findings, obs: Observation) -> ImageHWC | None:
    if match.tool != "image_match":
        return None
    scene, _, number = match.target.partition("/")
    if PROMPT + scene not in obs:
        return None
    picture: ImageHWC = obs[PROMPT + scene]
    if not number:
        return trimmed(picture)
    entities = (findings.scenes or {}).get(scene, ())
    found = next((entity for entity in entities if str(entity.number) == number), None)
    return None if found is None else cut_out(picture, found)


def _entity_picture(match: Match, findings: Findings, obs: Observation) -> ImageHWC | None:
    entity = findings.entity(match)
    if entity is None or entity.mask is None:
        return None
    return cut_out(obs[PROMPT + match.scene] if match.scene else obs["image"], entity)
