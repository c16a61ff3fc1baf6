"""The assertion `word-count`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeGuard

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.ecmascript import (
    as_double,
    as_number,
    split_at_spaces,
)
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.text.unspaced_scripts import uncounted_words


class WordCountConfig(AssertionConfig):
    """The answer has this number of words, or one between `min` and `max`."""

    type: Literal["promptfoo:word-count"]


def _converted(config: WordCountConfig) -> Fields:
    value = config.value
    limits: Mapping[str, Any] = value if isinstance(value, dict) else {"min": value, "max": value}
    numbers = {
        key: int(limits[key])
        for key in ("min", "max")
        if isinstance(limits.get(key), int | float) and float(limits[key]).is_integer()
    }
    given = [key for key in ("min", "max") if limits.get(key) is not None]
    if not given or given != list(numbers) or any(number < 0 for number in numbers.values()):
        raise NotConvertibleError("`word-count` needs whole numbers")
    return {"type": "word_count", **numbers, "negate": config.negate}


@grader(
    WordCountConfig,
    AssertionType(
        example="{type: word-count, value: {max: 50}}",
        values=("number", "mapping", "numeral"),
        value_required=True,
        needed_keys=("min", "max"),
    ),
    convert=_converted,
)
async def word_count(config: WordCountConfig, subject: Subject, services: Services) -> Score:
    """Count the parts between white space."""
    limits = _limits(config.value)
    if limits is None:
        return unusable(config, "a number, or a mapping with numbers under `min`, `max` or both")
    least, most = limits
    if least is not None and most is not None and least > most:
        return Score.failed_to_grade(
            f"`min` of `{config.written_type}` is {least:.12g}, which is more than `max`, {most:.12g}"
        )
    count = sum(map(bool, split_at_spaces(subject.candidate_answer)))
    words = "1 word" if count == 1 else f"{count} words"
    words += uncounted_words(subject.candidate_answer)
    if least is not None and count < least:
        holds, how = False, f"fewer than {least:.12g}"
    elif most is not None and count > most:
        holds, how = False, f"more than {most:.12g}"
    else:
        holds, how = True, f"within {_described(least, most)}"
    return passed_or_failed(config, holds, f"the answer has {words}, {how}")


def _limits(value: Any) -> tuple[float | None, float | None] | None:
    """Return the minimum and the maximum of words; None if a value has neither."""
    if isinstance(value, dict):
        limits = value.get("min"), value.get("max")
        if limits == (None, None) or not all(
            limit is None or _is_number(limit) for limit in limits
        ):
            return None
        least, most = (None if limit is None else as_double(limit) for limit in limits)
        return least, most
    number = as_number(value) if isinstance(value, str) else value
    return (as_double(number), as_double(number)) if _is_number(number) else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _described(least: float | None, most: float | None) -> str:
    if least is None:
        return f"0 to {most:.12g}"
    if most is None:
        return f"{least:.12g} or more"
    return f"{least:.12g}" if least == most else f"{least:.12g} to {most:.12g}"
