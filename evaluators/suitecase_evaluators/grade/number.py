"""Grades an answer by a number in it, within a tolerance of the expected one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, Services, Subject, Window, evaluator
from suitecase_evaluators.grade.expected_text import NOTHING_EXPECTED
from suitecase_evaluators.grade.field_match import within_tolerance
from suitecase_evaluators.grade.text_match import TextMatchConfig, match_score
from suitecase_evaluators.schema.model import ExactNumber
from suitecase_evaluators.text.json_values import show_json
from suitecase_evaluators.text.written_number import exact

#: A number with a decimal point, whose thousands may be separated by commas. It does not begin within
#: a word or another number. A sign right behind one is a dash, as in `10-20`.
_NUMBER: Final = re.compile(
    r"(?<![\w.])(?:(?<![\w.)\]])[-+\u2212])?"
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"(?:[eE][-+]?[0-9]{1,3}(?![0-9]))?"
)
#: Numbers that take more digits are shown with an exponent.
_MOST_DIGITS: Final = 20


def _kind(value: object) -> str | None:
    if isinstance(value, list | tuple):
        return "<list>"
    return "<number>" if isinstance(value, int | float) and not isinstance(value, bool) else None


class NumberConfig(TextMatchConfig):
    """Scores 1 if a number in the answer is the expected one, within a tolerance, else 0.

    Numbers have a decimal point; commas may separate thousands: `1,250.5`. An answer without a
    number is wrong, and not an error.
    """

    type: Literal["number"]
    value: (
        Annotated[
            Annotated[ExactNumber, Tag("<number>")]
            | Annotated[list[ExactNumber], Field(min_length=1), Tag("<list>")],
            Discriminator(_kind),
        ]
        | None
    ) = Field(
        default=None,
        description="The expected number, or a list of numbers of which each is right. Default: the "
        "number in the case's expected output, found as in the answer.",
        examples=[42],
    )
    tolerance: ExactNumber = Field(
        default=0.0,
        ge=0,
        description="The maximum difference from the expected number. Default 0.",
        examples=[0.5],
    )
    relative: bool = Field(
        default=False,
        description="Whether `tolerance` is relative to the expected number, so that 0.05 means 5 percent. "
        "Default false.",
    )
    find: Literal["last", "first"] = Field(
        default="last",
        description="Which number of the answer is compared: the `last` or the `first`. Default `last`.",
    )


def number_in(text: str, find: Literal["last", "first"]) -> Decimal | None:
    """Return the first or last number in a text, exactly as it is written; None if it has none."""
    found = [match[0] for match in _NUMBER.finditer(text)]
    if not found:
        return None
    written = found[0 if find == "first" else -1]
    return Decimal(written.replace(",", "").replace("\u2212", "-"))


def _expected(config: NumberConfig, expected: tuple[Message, ...]) -> list[Decimal]:
    if config.value is not None:
        listed = config.value if isinstance(config.value, list) else [config.value]
        return [exact(value) for value in listed]
    found = number_in(expected[-1].text, config.find) if expected else None
    return [] if found is None else [found]


def _lacks_expected(config: NumberConfig, expected: tuple[Message, ...]) -> str | None:
    if _expected(config, expected):
        return None
    if not expected:
        return NOTHING_EXPECTED
    return f"the expected output {show_json(expected[-1].text)} has no number; add `value`"


def _windows(config: NumberConfig, expected: tuple[Message, ...]) -> Sequence[Window]:
    numbers = _expected(config, expected)
    return [Window(it, config.tolerance, config.relative) for it in numbers]


@evaluator(NumberConfig, description=Description(lacks_expected=_lacks_expected, windows=_windows))
async def number(config: NumberConfig, subject: Subject, services: Services) -> Score:
    """Compare the number."""
    lacking = _lacks_expected(config, subject.expected_messages)
    if lacking is not None:
        return Score.failed_to_grade(lacking)
    expected = _expected(config, subject.expected_messages)
    found = number_in(subject.candidate_answer, config.find)
    wanted = " or ".join(map(_shown, expected)) + _tolerance(config)
    if found is None:
        message = f"the answer has no number, expected {wanted}"
        return match_score(False, negate=config.negate, holds=message, fails=message)
    matches = any(
        within_tolerance(found, it, config.tolerance, relative=config.relative) for it in expected
    )
    named = f"the {config.find} number of the answer is {_shown(found)}"
    return match_score(
        matches,
        negate=config.negate,
        holds=f"{named}, which is {wanted}",
        fails=f"{named}, expected {wanted}",
    )


def _shown(number: Decimal) -> str:
    return f"{number:f}" if abs(number.adjusted()) < _MOST_DIGITS else f"{number:.6e}"


def _tolerance(config: NumberConfig) -> str:
    if not config.tolerance:
        return ""
    if config.relative:
        return f" within {config.tolerance * 100:.10g} %"
    return f" within {config.tolerance:.10g}"
