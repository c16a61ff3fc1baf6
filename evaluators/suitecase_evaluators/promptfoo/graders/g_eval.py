"""The assertion `g-eval`: a model derives steps from a criterion, then scores by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, JudgeCalls, Services, Subject
from suitecase_evaluators.promptfoo.assertion import scored, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXTS, AssertionType, Scale
from suitecase_evaluators.promptfoo.default_prompts import (
    SCALE_FORM,
    STEPS_FORM,
    scale_turns,
    sent_prompt,
    steps_turns,
)
from suitecase_evaluators.promptfoo.grader import grader
from suitecase_evaluators.promptfoo.grading import (
    GradedConfig,
    GradingRequest,
    calls,
    dialogue_of,
    graded_fields,
    unreadable,
    with_record,
)
from suitecase_evaluators.promptfoo.grading_prompt import (
    WrittenPrompt,
    json_or_text,
    rendered_answer,
)
from suitecase_evaluators.promptfoo.grading_replies import TOP, ScaleVerdict, read_scale, read_steps
from suitecase_evaluators.targets.target import TargetError

#: The names of the suite's own prompts.
_STEPS: Final = "steps"
_EVALUATE: Final = "evaluate"
#: The score to reach without a `threshold`.
_THRESHOLD: Final = 0.7

T = TypeVar("T")


def _own_prompts(written: Any, value: Any, row: Row) -> Iterator[WrittenPrompt]:
    if not isinstance(written, dict):
        return  # promptfoo reads only a mapping
    if written.get(_STEPS):
        yield WrittenPrompt(name=_STEPS, written=written[_STEPS], known={}, holes=("criteria",))
    if written.get(_EVALUATE):
        yield WrittenPrompt(
            name=_EVALUATE,
            written=written[_EVALUATE],
            known={"maxScore": str(TOP), "input": row.prompt},
            as_json=frozenset({"input"}),
            holes=("criteria", "steps", "output"),
        )


class GEvalConfig(GradedConfig):
    """A model first derives steps from this criterion, then grades by them; of several criteria the
    mean counts.
    """

    type: Literal["promptfoo:g-eval"]

    @property
    def criteria(self) -> list[str] | None:
        """The criteria; None if `value` is something else."""
        listed = self.value if isinstance(self.value, list) else [self.value]
        return listed if all(isinstance(item, str) for item in listed) else None


def _calls(config: GEvalConfig) -> tuple[JudgeCalls, ...]:
    # Each criterion takes a call for its steps and one for the score.
    return calls(config, 2 * len(config.criteria or ()))


class _UnreadableError(Exception):
    """No reply could be read; the message says why."""


@dataclass
class _Grading:
    """The grading of one answer, and the record of its calls."""

    config: GEvalConfig
    subject: Subject
    services: Services
    attempts: int = 0
    request: Any = None
    problems: list[str] = field(default_factory=list)
    criteria: list[dict[str, Any]] = field(default_factory=list)

    async def criterion(self, criterion: str) -> ScaleVerdict:
        """Grade by a criterion.

        Raises:
            TargetError: the grader could not be called.
            _UnreadableError: no reply could be read.
        """
        request = GradingRequest(
            turns=steps_turns(criterion),
            read=read_steps,
            form=STEPS_FORM,
            label="g-eval-steps",
            variables={"criteria": criterion},
        )
        own = self.config.own_turns(_STEPS, {"criteria": criterion})
        listed = await self._verdict(request.with_own_turns(own))
        steps = "\n- ".join(listed)
        values = {
            "criteria": criterion,
            "steps": steps,
            "input": rendered_answer(sent_prompt(self.subject)),
            "output": rendered_answer(self.subject.candidate_answer),
        }
        scale = GradingRequest(
            turns=scale_turns(self.subject, criterion, steps),
            read=read_scale,
            form=SCALE_FORM,
            label="g-eval",
            variables={
                "criteria": criterion,
                "steps": steps,
                "maxScore": str(TOP),
                "input": json_or_text(sent_prompt(self.subject)),
                "output": json_or_text(self.subject.candidate_answer),
            },
        )
        own = self.config.own_turns(_EVALUATE, values)
        scaled = await self._verdict(scale.with_own_turns(own))
        found = {"criterion": criterion, "steps": list(listed), "score": scaled.score / TOP}
        self.criteria.append({**found, "reason": scaled.reason})
        return scaled

    async def _verdict(self, request: GradingRequest[T]) -> T:
        dialogue = dialogue_of(request, self.config, self.subject, self.services)
        try:
            found = await dialogue.verdict()
        finally:
            record = dialogue.record()
            self.attempts += record["attempts"]
            self.request = record["request"]
            self.problems += record["details"].get("reply_problems", [])
        if found is None:
            raise _UnreadableError(dialogue.problems[-1].reason)
        return found

    def record(self) -> dict[str, Any]:
        """Return the record of the calls, as fields of `Score`.

        Replies are not part of it: they are recorded with their prompts, of which there are several.
        """
        details: dict[str, Any] = {"criteria": self.criteria}
        if self.problems:
            details["reply_problems"] = self.problems
        return {"attempts": self.attempts, "request": self.request, "details": details}


@grader(
    GEvalConfig,
    AssertionType(
        example="{type: g-eval, value: Is coherent and says nothing twice, threshold: 0.8}",
        graded_by="model",
        values=TEXTS,
        value_required=True,
        threshold=Scale(default=_THRESHOLD),
    ),
    description=Description(judge_calls=_calls),
    read=graded_fields,
    own_prompts=_own_prompts,
)
async def g_eval(config: GEvalConfig, subject: Subject, services: Services) -> Score:
    """Call the grader for the steps of each criterion, then for a score by them."""
    criteria = config.criteria
    if criteria is None:
        return unusable(config, "a string or a list of strings")
    if not criteria:
        return scored(config, 0.0, False, "there is no criterion to grade by")
    if not sent_prompt(subject):
        return Score.failed_to_grade(f"`{config.written_type}` needs a prompt that is not empty")
    grading = _Grading(config, subject, services)
    found: list[ScaleVerdict] = []
    for criterion in criteria:
        try:
            found.append(await grading.criterion(criterion))
        except TargetError as error:
            return Score.failed_to_grade(error.message, **grading.record())
        except _UnreadableError as error:
            return unreadable(config, str(error), grading.record())
    # Summed in promptfoo's order: a rounding error may decide whether the threshold is reached.
    score = sum(it.score / TOP for it in found) / len(found)
    threshold = _THRESHOLD if config.threshold is None else config.threshold
    return with_record(
        scored(
            config,
            1 - score if config.negate else score,
            (score >= threshold) is not config.negate,
            "\n\n".join(it.reason for it in found),
        ),
        grading.record(),
        ambiguous=any(it.ambiguous for it in found),
    )
