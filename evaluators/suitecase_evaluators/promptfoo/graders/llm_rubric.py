"""A model grades an answer by a rubric: `llm-rubric`, and those whose model can search or act."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, Literal

from suitecase_evaluators.answers.records.details import GIVEN_SCORE
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import Score, nearest_score, off_scale
from suitecase_evaluators.grade.evaluator import Description, Prompt, Services, Subject
from suitecase_evaluators.promptfoo.assertion import scored, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.default_prompts import RUBRIC_FORM, RUBRIC_TEXT, rubric_turns
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.promptfoo.grading import (
    GradedConfig,
    GradingRequest,
    calls,
    graded,
    graded_fields,
    variables_of,
)
from suitecase_evaluators.promptfoo.grading_prompt import (
    WrittenPrompt,
    json_or_text,
    rendered_answer,
    rendered_value,
)
from suitecase_evaluators.promptfoo.grading_replies import PassVerdict, read_rubric
from suitecase_evaluators.targets.target import Turn, user_prompt

#: The name of the suite's own prompt.
_PROMPT: Final = "rubric"


class LlmRubricConfig(GradedConfig):
    """A model grades the answer by this text."""

    type: Literal["promptfoo:llm-rubric"]

    @property
    def rubric(self) -> str:
        """The rubric as text."""
        return rendered_value(self.value) if self.value else ""

    @property
    def has_own_scale(self) -> bool:
        """Whether the suite's own prompt and threshold have another scale than 0 to 1."""
        return bool(self.prompts) and self.threshold is not None and off_scale(self.threshold)


def _turns(config: LlmRubricConfig, subject: Subject) -> tuple[Turn, ...]:
    own = config.own_turns(_PROMPT, {"output": rendered_answer(subject.candidate_answer)})
    return rubric_turns(subject, config.rubric) if own is None else own


def _prompt(config: LlmRubricConfig) -> Prompt:
    def filled(_: str | None, subject: Subject | None) -> str:
        if subject is not None:
            return user_prompt(_turns(config, subject))
        own = config.own_turns(_PROMPT, {"output": "{{ output }}"})
        return (
            RUBRIC_TEXT.replace("{{ criteria }}", config.rubric)
            if own is None
            else user_prompt(own)
        )

    return Prompt(filled=filled)


def _own_prompts(written: Any, value: Any, row: Row) -> Iterator[WrittenPrompt]:
    known = {**row.variables, "rubric": value or ""}
    yield WrittenPrompt(name=_PROMPT, written=written, known=known, holes=("output",))


def _converted(config: LlmRubricConfig) -> Fields:
    if config.threshold is not None:
        raise NotConvertibleError(
            "`threshold` of `llm-rubric` is a share that its grader gives; an item of a suite is met or not"
        )
    if config.prompts:
        raise NotConvertibleError(
            "`rubricPrompt` is a prompt of promptfoo; suites have prompts of their own"
        )
    if not isinstance(config.value, str) or not config.value.strip():
        raise NotConvertibleError("`llm-rubric` needs a string as its `value`")
    if config.negate:
        raise NotConvertibleError(
            "`not-llm-rubric` has no equivalent item; write what the answer must not do"
        )
    item = {"id": "rubric", "expected_outcome": config.value}
    return {"type": "llm_judge", "rubrics": [item]}


@grader(
    LlmRubricConfig,
    AssertionType(
        example="{type: llm-rubric, value: Is polite and names a price}",
        graded_by="model",
        values=("text", "mapping", "list"),
        value_required=True,
        criteria_elsewhere=True,
        content="rubric",
        threshold=Scale(),
        cell_starts=("grade:",),
        also_called=("llm", "llm-grader", "llm-judge", "llm_judge", "rubric"),
        rank=30,
    ),
    description=Description(judge_calls=calls, prompt=_prompt),
    read=graded_fields,
    convert=_converted,
    own_prompts=_own_prompts,
)
async def llm_rubric(config: LlmRubricConfig, subject: Subject, services: Services) -> Score:
    """Call the grader, which decides whether the answer passes."""
    value = config.value
    if config.has_value and not isinstance(value, str | list | dict | None):
        return unusable(config, "a string, a list or a mapping")
    request = GradingRequest(
        turns=_turns(config, subject),
        read=partial(read_rubric, any_scale=config.has_own_scale),
        form=None if config.prompts else RUBRIC_FORM,
        criterion=config.rubric,
        label="llm-rubric",
        variables={
            **variables_of(subject),
            "output": json_or_text(subject.candidate_answer),
            "rubric": value or "",
        },
    )
    return await graded(request, config, subject, services, lambda it: _score(config, it))


def _score(config: LlmRubricConfig, found: PassVerdict) -> Score:
    reaches = config.threshold is None or found.score >= config.threshold
    passes = found.passes and reaches
    reason = found.reason
    if not reason:
        reason = (
            "the grader says that it passes"
            if passes
            else f"the score {found.score:g} is less than {config.threshold:g}"
            if found.passes and config.threshold is not None
            else "the grader says that it does not pass"
        )
    score = 1 - found.score if config.negate else found.score
    taken = nearest_score(score)
    details: dict[str, Any] = {GIVEN_SCORE: found.score} if off_scale(found.score) else {}
    return scored(config, taken, passes is not config.negate, reason, details=details)


SEARCH_RUBRIC: Final = AssertionType(
    name="search-rubric",
    description="A model that can search the web grades the answer by this text.",
    example="{type: search-rubric, value: Names the current price}",
    graded_by="model",
    not_run="a model that can search the web grades",
    values=TEXT,
    value_required=True,
    content="rubric",
    threshold=Scale(),
)

AGENT_RUBRIC: Final = AssertionType(
    name="agent-rubric",
    description="An agent that can read files and run commands grades the answer by this text.",
    example="{type: agent-rubric, value: The tests in the workspace pass}",
    graded_by="model",
    not_run="an agent with tools grades",
    values=("text", "mapping", "list"),
    value_required=True,
    criteria_elsewhere=True,
    content="rubric",
    threshold=Scale(),
)
