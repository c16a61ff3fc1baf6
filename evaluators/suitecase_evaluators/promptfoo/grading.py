"""Assertions that a model grades: the request to the grader, and the score of its reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import Field, ValidationError

from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import MEMBER_OF, JudgeCalls, Services, Subject
from suitecase_evaluators.grade.judge.attempts import MOST_ATTEMPTS
from suitecase_evaluators.grade.judge.dialogue import JSON_ALONE, Dialogue
from suitecase_evaluators.grade.judge.reply import Unreadable
from suitecase_evaluators.grade.judge.template import shown_answer
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, scored
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.grading_prompt import GradingPrompt
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.target import Criterion, Judging, Question, TargetError, Turn

#: Keys of an assertion that promptfoo does not have: the target that grades, whether it takes a string
#: rather than messages, and the suite's own prompts.
GRADER: Final = "grader"
TAKES_TEXT: Final = "graderTakesText"
PROMPTS: Final = "gradingPrompts"

T = TypeVar("T")


class GradedConfig(AssertionConfig):
    """An assertion that a model grades."""

    target: Annotated[str | None, FieldRole.TARGET] = Field(
        default=None, description="The target that grades."
    )
    takes_text: bool = Field(
        default=False,
        description="Whether the grader, such as a program, takes a string. It gets messages as JSON.",
    )
    prompts: dict[str, GradingPrompt] = Field(
        default_factory=dict,
        description="The suite's own prompts in place of the default ones, by name.",
    )

    def own_turns(self, name: str, values: Mapping[str, str]) -> tuple[Turn, ...] | None:
        """Return the messages of the suite's own prompt of a name; None if the default one is sent.

        Args:
            name: the prompt's name.
            values: the values of its holes, by name.
        """
        prompt = self.prompts.get(name)
        return None if prompt is None else prompt.turns(values)


def graded_fields(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any] | Refused:
    """Return the fields of assertions that a model grades; a `Reader`."""
    own: dict[str, Any] = {}
    if assertion.get(GRADER) is not None:
        own["target"] = assertion[GRADER]
        own["takes_text"] = bool(assertion.get(TAKES_TEXT))
    try:
        prompts = assertion.get(PROMPTS) or {}
        own["prompts"] = {name: GradingPrompt.model_validate(it) for name, it in prompts.items()}
    except ValidationError:
        return Refused(
            f"the grader prompt of `{assertion.get('type')}` must be a list of messages with text"
        )
    return own


def calls(config: GradedConfig, times: int = 1) -> tuple[JudgeCalls, ...]:
    """Return how often a grader is called; each call may have to be repeated."""
    return (JudgeCalls(least=times, most=times * MOST_ATTEMPTS, target=config.target),)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRequest(Generic[T]):
    """What is sent to a grader, and how its reply is read.

    Attributes:
        turns: the messages of the default prompt.
        read: reads a reply; the second argument says whether it was cut off.
        form: the JSON Schema of the reply; None for a suite's own prompt, which states the form itself.
        retry: the instruction sent after a reply that could not be read.
        criterion: what is judged, for records and for targets that judge without a model; None if the
            reply is not a verdict.
        label: the prompt's label that graders written as programs receive.
        variables: the variables that they receive, by promptfoo's names.
    """

    turns: tuple[Turn, ...]
    read: Callable[[str, bool], T | Unreadable]
    form: Mapping[str, Any] | None = None
    retry: str = JSON_ALONE
    criterion: str | None = None
    label: str
    variables: Mapping[str, Any] = field(default_factory=dict)

    def with_own_turns(self, turns: tuple[Turn, ...] | None) -> GradingRequest[T]:
        """Return the request with the messages of the suite's own prompt, if it has one."""
        return self if turns is None else replace(self, turns=turns, form=None)


def dialogue_of(
    request: GradingRequest[T], config: GradedConfig, subject: Subject, services: Services
) -> Dialogue[T]:
    """Return the dialogue with a grader, before its first message.

    Raises:
        TargetError: there is no such target, or it cannot be set up.
    """
    judging = None
    if request.criterion is not None:
        judging = Judging(
            evaluator=config.name,
            criteria=(Criterion("rubric", request.criterion, "free"),),
            candidate_answer=shown_answer(subject),
            reference_answer=subject.reference_answer,
            within=MEMBER_OF.get(),
        )
    question = Question(
        eval_id=subject.eval_id,
        turns=request.turns,
        judging=judging,
        response_schema=request.form,
    )
    if config.takes_text:
        question = _as_text(question, request, subject)
    retry = None if config.takes_text else request.retry
    return Dialogue(services.judge(config.target), question, request.read, retry=retry)


def _as_text(question: Question, request: GradingRequest[Any], subject: Subject) -> Question:
    """Return a question as programs receive it: a string, with promptfoo's variables beside it."""
    first, *others = question.turns
    text = first.text
    if others or first.role != "user":
        messages = [{"role": turn.role, "content": turn.text} for turn in question.turns]
        text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    row = subject.row
    if row is not None:
        label, variables = request.label, request.variables
        row = replace(row, prompt=text, prompt_label=label, variables=variables, settings={})
    return replace(question, turns=(Turn("user", text),), response_schema=None, row=row)


async def graded(
    request: GradingRequest[T],
    config: GradedConfig,
    subject: Subject,
    services: Services,
    score_of: Callable[[T], Score],
) -> Score:
    """Call a grader, and make a score of its verdict.

    A grader that cannot be called gives a score of the verdict `error`; replies that cannot be read in
    any attempt fail the answer with a score of 0, with `not-` too. A score that stays outside 0 to 1
    counts as one that could not be read; the nearest score is recorded.
    """
    try:
        dialogue = dialogue_of(request, config, subject, services)
    except TargetError as error:
        return Score.failed_to_grade(error.message)
    try:
        found = await dialogue.verdict()
    except TargetError as error:
        return Score.failed_to_grade(error.message, **dialogue.record())
    record = dialogue.record()
    verdict: T | None = dialogue.problems[-1].off_scale if found is None else found
    if verdict is None:
        return unreadable(config, dialogue.problems[-1].reason, record)
    score = with_record(score_of(verdict), record, ambiguous=getattr(verdict, "ambiguous", False))
    return replace(score, parse_failed=found is None)


def variables_of(subject: Subject) -> Mapping[str, Any]:
    """Return the variables of the row that was answered."""
    return subject.row.variables if subject.row is not None else {}


def unreadable(config: GradedConfig, reason: str, record: Mapping[str, Any]) -> Score:
    """Return the score for replies that could not be read."""
    message = f"the grader's reply could not be read: {reason}"
    return scored(config, 0.0, False, message, parse_failed=True, **record)


def with_record(score: Score, record: Mapping[str, Any], *, ambiguous: bool = False) -> Score:
    """Return a score with the record of the dialogue with the grader."""
    details = {**score.details, **record.get("details", {})}
    if ambiguous:
        details[AMBIGUOUS_REPLY] = True
    return replace(score, **{**record, "details": details})
