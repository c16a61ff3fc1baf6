"""Grades an answer field by field against the structured answer that is expected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    ComparedText,
    Description,
    EntryProblem,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    Window,
    evaluator,
)
from suitecase_evaluators.grade.field_match import (
    MISSING,
    PATH_PATTERN,
    field_at,
    format_problem,
    read_date,
    read_number,
    within_tolerance,
)
from suitecase_evaluators.grade.normalize import STEPS_IN_WORDS, NormalizeKey, comparable, steps_of
from suitecase_evaluators.grade.synonyms import (
    SYNONYMS_IN_WORDS,
    SynonymsKey,
    SynonymTable,
    read_synonyms,
)
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import ExactNumber, Model
from suitecase_evaluators.schema.shares import shares_of
from suitecase_evaluators.text.json_values import (
    FoundJson,
    NotJsonError,
    find_json,
    parse_json,
    same_json,
    show_json,
)
from suitecase_evaluators.text.unseen_differences import unseen_difference

#: The settings that only one way of matching looks at.
ONLY_FOR = {
    "tolerance": "numeric_tolerance",
    "relative": "numeric_tolerance",
    "formats": "date",
    "normalize": "exact",
    "synonyms": "exact",
}


class FieldCheck(Model):
    """A field to compare."""

    path: str = Field(
        pattern=PATH_PATTERN,
        description="The path of the field, in the answer and in the expected message: names separated by "
        "dots, `[n]` for the position in a list, counted from 0: `items[0].total`.",
    )
    match: Literal["exact", "date", "numeric_tolerance"] = Field(
        default="exact",
        description="`exact`: the same JSON value, texts within it after `normalize`. `date`: the same day, in any notation. "
        "`numeric_tolerance`: numbers that differ by at most `tolerance`. Default `exact`.",
    )
    required: bool = Field(
        default=True,
        description="Whether an answer without the field loses its weight. An optional field that is "
        "missing is left out of the score. Default true.",
    )
    weight: float = Field(
        default=1.0, ge=0, description="How much the field counts in the score. Default 1."
    )
    tolerance: ExactNumber = Field(
        default=0.0,
        ge=0,
        description="For `numeric_tolerance`: the maximum difference from the expected number. Default 0.",
    )
    relative: bool = Field(
        default=False,
        description="For `numeric_tolerance`: whether `tolerance` is relative to the expected number, so "
        "that 0.05 means 5 percent. Default false.",
    )
    formats: list[Annotated[str, Field(min_length=1)]] | None = Field(
        default=None,
        min_length=1,
        description="For `date`: how dates may be written, tried in this order: `YYYY`, `YY`, "
        "`MMMM` (January), `MMM` (Jan), `MM`, `DD`, `HH`, `mm`, `ss`, as in `DD-MMM-YYYY`. "
        "Default: ISO 8601, and spellings that name the month or start with the year.",
    )

    normalize: NormalizeKey = Field(
        default=None,
        description=f"For `exact`: {STEPS_IN_WORDS} White space at both ends is ignored with any other "
        "than `none`. Default: `none`.",
        examples=["squad", ["casefold", "punctuation", "spaces"]],
    )
    synonyms: SynonymsKey = Field(
        default=None,
        description=f"For `exact`: {SYNONYMS_IN_WORDS} A field that is one of them as a whole is the "
        "same as any other.",
        examples=[{"Germany": ["Deutschland", "DE"]}],
    )

    @model_validator(mode="after")
    def _settings_fit(self) -> FieldCheck:
        for field, match in ONLY_FOR.items():
            if field in self.model_fields_set and self.match != match:
                raise PydanticCustomError(
                    "field_setting_unused",
                    "`{field}` applies only to `match: {needed}`, not to `{match}`",
                    {"field": field, "needed": match, "match": self.match, "place": (field,)},
                )
        for number, form in enumerate(self.formats or ()):
            problem = format_problem(form)
            if problem is not None:
                raise PydanticCustomError(
                    "date_format",
                    "`{form}` is not a valid date format: {problem}",
                    {"form": form, "problem": problem, "place": ("formats", number)},
                )
        return self


class FieldAccuracyConfig(EvaluatorConfig):
    """Compares the answer's fields with those of the last expected message, which must be structured.

    The score is the weighted share of fields that match. The answer is structured content or JSON,
    which may stand in a code fence or within other text.
    """

    type: Literal["field_accuracy"]
    fields: Annotated[list[FieldCheck], FieldRole.CRITERIA] = Field(
        min_length=1, description="The fields to compare."
    )
    aggregation: Literal["weighted_average", "all_or_nothing"] = Field(
        default="weighted_average",
        description="`weighted_average`: the weight of the matching fields divided by that of all. "
        "`all_or_nothing`: 1 if every field matches, else 0. Default `weighted_average`.",
    )


@dataclass(frozen=True, slots=True)
class _Compared:
    """A field's result; `met` is None where it is left out."""

    check: FieldCheck
    met: bool | None
    said: str


class _UnfitExpectationError(Exception):
    """The expected message says nothing that a field could be compared with."""


def _unfit(config: FieldAccuracyConfig, messages: tuple[Message, ...]) -> EntryProblem | None:
    path: tuple[str | int, ...] = ()
    try:
        expected = _expected(messages)
        for number, check in enumerate(config.fields):
            path = ("fields", number, "path")
            # A file of synonyms is not read yet, and has no part in this.
            _compare(check.model_copy(update={"synonyms": None}), expected, expected)
    except _UnfitExpectationError as error:
        return EntryProblem(str(error), path)
    return None


def _windows(config: FieldAccuracyConfig, messages: tuple[Message, ...]) -> Iterator[Window]:
    try:
        expected = _expected(messages)
    except _UnfitExpectationError:
        return  # reported as unfit
    for number, check in enumerate(config.fields):
        if check.match == "numeric_tolerance":
            value = read_number(field_at(check.path, expected))
            if value is not None:
                yield Window(value, check.tolerance, check.relative, ("fields", number))


def _compared_texts(
    config: FieldAccuracyConfig, messages: tuple[Message, ...]
) -> Iterator[ComparedText]:
    try:
        expected = _expected(messages)
    except _UnfitExpectationError:
        return  # reported as unfit
    for check in config.fields:
        for text in _texts_in(field_at(check.path, expected)):
            yield ComparedText(text, steps_of(check.normalize))


def _texts_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts_in(item)
        case dict():
            for item in value.values():
                yield from _texts_in(item)


def _no_effect(config: FieldAccuracyConfig) -> EntryProblem | None:
    counts = any(field.weight for field in config.fields) or config.aggregation == "all_or_nothing"
    message = "`fields` gives this evaluator nothing to grade, so it has no score"
    return None if counts else EntryProblem(message, ("fields",))


def _as_graded(config: FieldAccuracyConfig, reading: Reading) -> FieldAccuracyConfig:
    fields = [
        field.model_copy(update={"synonyms": read_synonyms(field.synonyms, reading)})
        for field in config.fields
    ]
    return config.model_copy(update={"fields": fields})


@evaluator(
    FieldAccuracyConfig,
    description=Description(
        no_effect=_no_effect,
        unfit=_unfit,
        windows=_windows,
        compared_texts=_compared_texts,
        as_graded=_as_graded,
    ),
)
async def field_accuracy(
    config: FieldAccuracyConfig, subject: Subject, services: Services
) -> Score:
    """Compare field by field."""
    try:
        expected = _expected(subject.expected_messages)
    except _UnfitExpectationError as error:
        return Score.failed_to_grade(str(error))
    try:
        found = _candidate(subject)
    except NotJsonError as error:
        miss = f"the answer is not JSON: {error}"
        return Score.graded(0.0, misses=(miss,), reasoning=miss)
    try:
        results = [_compare(field, found.value, expected) for field in config.fields]
    except _UnfitExpectationError as error:
        return Score.failed_to_grade(str(error))
    return _score(config, found, results)


def _expected(messages: tuple[Message, ...]) -> Any:
    if not messages:
        raise _UnfitExpectationError(
            "the case has no expected message to compare fields with; add `expected_messages` "
            "whose last message has the fields as its content"
        )
    content = messages[-1].content
    if isinstance(content, dict):
        return content
    try:
        return parse_json(messages[-1].text)
    except NotJsonError as error:
        raise _UnfitExpectationError(
            "the last expected message is neither structured content nor JSON, so there are no "
            f"fields to compare with: {error}"
        ) from error


def _candidate(subject: Subject) -> FoundJson:
    last = subject.output_messages[-1].content if subject.output_messages else None
    if isinstance(last, dict):
        return FoundJson(last, "whole text")
    return find_json(subject.candidate_answer)


def _compare(check: FieldCheck, candidate: Any, expected: Any) -> _Compared:
    """Compare one field.

    Raises:
        _UnfitExpectationError: the expected message has no such field, or not of the right kind.
    """
    path = f"`{check.path}`"
    actual, reference = field_at(check.path, candidate), field_at(check.path, expected)
    if reference is MISSING:
        if check.required:
            raise _UnfitExpectationError(
                f"the last expected message has no {path}; add it, remove it from `fields`, or mark "
                "it `required: false`"
            )
        if actual is MISSING:
            return _Compared(check, None, f"{path} is neither expected nor present")
        return _Compared(check, False, f"{path} is {show_json(actual)}, but nothing is expected")
    if actual is MISSING:
        return _Compared(
            check,
            False if check.required else None,
            f"{path} is missing, expected {show_json(reference)}",
        )
    if _matches(check, actual, reference):
        return _Compared(check, True, f"{path} is {show_json(actual)}")
    return _Compared(
        check,
        False,
        f"{path} is {show_json(actual)}, expected {show_json(reference)}"
        f"{_unseen(check, actual, reference)}",
    )


def _unseen(check: FieldCheck, actual: Any, reference: Any) -> str:
    """Return what differs where two texts look alike."""
    if not isinstance(actual, str) or not isinstance(reference, str) or check.match != "exact":
        return ""
    expected = _prepared(check, reference)
    return unseen_difference(_prepared(check, actual), [expected], str.__eq__)


def _matches(check: FieldCheck, actual: Any, reference: Any) -> bool:
    match check.match:
        case "exact":
            return same_json(_prepared(check, actual), _prepared(check, reference))
        case "date":
            formats = check.formats or ()
            day = read_date(reference, formats)
            if day is None:
                among = f" in any of the formats {', '.join(formats)}" if formats else ""
                raise _UnfitExpectationError(
                    f"the expected {check.path}, {show_json(reference)}, is not a date{among}; "
                    "add its format to `formats`"
                )
            return read_date(actual, formats) == day
        case "numeric_tolerance":
            number, given = read_number(reference), read_number(actual)
            if number is None:
                raise _UnfitExpectationError(
                    f"the expected {check.path}, {show_json(reference)}, is not a number, which "
                    "`match: numeric_tolerance` needs"
                )
            return given is not None and within_tolerance(
                given, number, check.tolerance, relative=check.relative
            )


def _prepared(check: FieldCheck, value: Any) -> Any:
    """Return a value with every text in it as it is compared; names of keys stay."""
    if check.normalize is None and check.synonyms is None:
        return value

    def prepare(text: str) -> str:
        return comparable(text, check.normalize or "none")

    synonyms = SynonymTable(check.synonyms, prepare)

    def prepared(value: Any) -> Any:
        match value:
            case str():
                return synonyms.of(prepare(value))
            case list():
                return [prepared(it) for it in value]
            case dict():
                return {key: prepared(it) for key, it in value.items()}
            case _:
                return value

    return prepared(value)


def _score(config: FieldAccuracyConfig, found: FoundJson, results: list[_Compared]) -> Score:
    counted = [result for result in results if result.met is not None]
    shares = shares_of([it.check.weight for it in counted])
    if not counted or (not any(shares) and config.aggregation == "weighted_average"):
        return Score.not_evaluated(
            "no field counts: each has weight 0, or is neither required nor present"
        )
    if config.aggregation == "all_or_nothing":
        score = float(all(it.met for it in counted))
    else:
        score = sum(share for share, it in zip(shares, counted, strict=True) if it.met)
    hits = tuple(it.said for it in counted if it.met)
    misses = tuple(it.said for it in counted if not it.met)
    reasoning = f"{len(hits)} of {len(counted)} fields match"
    if found.place != "whole text":
        reasoning += f" (JSON taken from the answer's {found.place.removeprefix('within the ')})"
    return Score.graded(
        score,
        hits=hits,
        misses=misses,
        reasoning=reasoning,
        details={
            "json_found": found.place,
            "fields": [
                {"path": result.check.path, "met": result.met, "weight": result.check.weight}
                for result in results
            ],
        },
    )
