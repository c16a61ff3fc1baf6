"""Assertions that an answer contains texts, with `any` or `all` of several, in any case with `i`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.grade.expected_text import shown
from suitecase_evaluators.promptfoo.assertion import (
    PREFIX,
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.promptfoo.assertion_type import TEXTS, AssertionType
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import as_text
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.text.unseen_differences import unseen_difference

#: What the `value` has to be.
NEEDED: Final = "a string that is not empty"


class ContainsConfig(AssertionConfig):
    """The answer contains this text; upper and lower case differ."""

    type: Literal["promptfoo:contains"]


class IContainsConfig(AssertionConfig):
    """The answer contains this text, in upper or lower case."""

    type: Literal["promptfoo:icontains"]


class ContainsAnyConfig(AssertionConfig):
    """The answer contains at least one of these texts."""

    type: Literal["promptfoo:contains-any"]


class IContainsAnyConfig(AssertionConfig):
    """The answer contains at least one of these texts, in upper or lower case."""

    type: Literal["promptfoo:icontains-any"]


class ContainsAllConfig(AssertionConfig):
    """The answer contains all of these texts."""

    type: Literal["promptfoo:contains-all"]


class IContainsAllConfig(AssertionConfig):
    """The answer contains all of these texts, in upper or lower case."""

    type: Literal["promptfoo:icontains-all"]


def searched_text(config: AssertionConfig) -> str:
    """Return the text that an answer is searched for.

    Raises:
        NotConvertibleError: promptfoo reports an error for each answer.
    """
    value = config.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_text(value)
    if isinstance(value, str) and value:
        return value
    raise NotConvertibleError(
        f"`{config.written_type}` needs a string as its `value`; promptfoo reports an error"
    )


def _searched_texts(config: AssertionConfig) -> list[str]:
    value: Any = config.value
    if isinstance(value, str) and value:
        try:
            value = comma_separated(value)
        except NotSeparatedError as error:
            raise NotConvertibleError(f"`value` of `{config.written_type}`: {error}") from error
    texts = [as_text(text) for text in value] if isinstance(value, list) else []
    if not texts or not all(texts):
        raise NotConvertibleError(
            f"`{config.written_type}` needs strings as its `value`, none of which is empty"
        )
    return texts


def _converted(config: AssertionConfig) -> Fields:
    kind = str(config.type).removeprefix(PREFIX)
    is_one = kind in ("contains", "icontains")
    texts = [searched_text(config)] if is_one else _searched_texts(config)
    if kind.startswith("icontains"):
        _refuse_other_case(texts)
    value: Any = texts[0] if is_one else texts
    return {"type": kind.replace("-", "_"), "value": value, "negate": config.negate}


def _refuse_other_case(texts: list[str]) -> None:
    for text in texts:
        if text.lower() != text.casefold():
            raise NotConvertibleError(
                f"`{text}` has letters whose case suites ignore in another way than promptfoo"
            )


def _contains_one(config: AssertionConfig, subject: Subject, *, any_case: bool = False) -> Score:
    value = config.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number and not (isinstance(value, str) and value):
        return unusable(config, f"{NEEDED}, or a number")
    return _found(config, subject, [as_text(value)], all, any_case=any_case)


def _contains_several(
    config: AssertionConfig,
    subject: Subject,
    needed: Callable[[Iterable[bool]], bool],
    *,
    any_case: bool = False,
) -> Score:
    value: Any = config.value
    if isinstance(value, str) and value:
        try:
            value = comma_separated(value)
        except NotSeparatedError as error:
            return Score.failed_to_grade(f"`value` of `{config.written_type}`: {error}")
    if not isinstance(value, list):
        return unusable(config, "a list of strings, or a string with commas")
    return _found(config, subject, [as_text(it) for it in value], needed, any_case=any_case)


def _found(
    config: AssertionConfig,
    subject: Subject,
    texts: Sequence[str],
    needed: Callable[[Iterable[bool]], bool],
    *,
    any_case: bool,
) -> Score:
    """Grade by texts: with `any` one has to be found, with `all` each of them."""
    answer = subject.candidate_answer.lower() if any_case else subject.candidate_answer
    searched = [text.lower() if any_case else text for text in texts]
    found = [text in answer for text in searched]
    holds = needed(found)
    # The message names the texts that decide: those found if the assertion holds, else those missing.
    named = [it for it, is_found in zip(texts, found, strict=True) if is_found is holds]
    verb = "contains" if holds else "does not contain"
    word = "and" if holds and needed is all else "or"
    what = (
        shown(named, word) if named else "any of no texts" if needed is any else "all of no texts"
    )
    how = ", case ignored" if any_case else ""
    if not holds:
        missing = (text for text, is_found in zip(searched, found, strict=True) if not is_found)
        how += unseen_difference(answer, missing, str.__contains__)
    return passed_or_failed(config, holds, f"the answer {verb} {what}{how}")


@grader(
    ContainsConfig,
    AssertionType(
        example="{type: contains, value: Paris}",
        values=("text", "number"),
        value_required=True,
        for_lists=("contains-any", "contains-all"),
        also_called=("includes",),
        negated_also_called=("does-not-contain", "not"),
        unmistakable=True,
        rank=10,
    ),
    convert=_converted,
)
async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text."""
    return _contains_one(config, subject)


@grader(
    IContainsConfig,
    AssertionType(
        example="{type: icontains, value: paris}",
        values=("text", "number"),
        value_required=True,
        for_lists=("icontains-any", "icontains-all"),
        unmistakable=True,
        rank=20,
    ),
    convert=_converted,
)
async def icontains(config: IContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text; case is ignored."""
    return _contains_one(config, subject, any_case=True)


@grader(
    ContainsAnyConfig,
    AssertionType(
        example="{type: contains-any, value: [Paris, Lyon]}",
        values=TEXTS,
        value_required=True,
        finds="any",
        rank=90,
    ),
    convert=_converted,
)
async def contains_any(config: ContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts."""
    return _contains_several(config, subject, any)


@grader(
    IContainsAnyConfig,
    AssertionType(
        example="{type: icontains-any, value: [paris, lyon]}",
        values=TEXTS,
        value_required=True,
        finds="any",
        rank=92,
    ),
    convert=_converted,
)
async def icontains_any(config: IContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts; case is ignored."""
    return _contains_several(config, subject, any, any_case=True)


@grader(
    ContainsAllConfig,
    AssertionType(
        example="{type: contains-all, value: [Paris, France]}",
        values=TEXTS,
        value_required=True,
        finds="all",
        rank=100,
    ),
    convert=_converted,
)
async def contains_all(config: ContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts."""
    return _contains_several(config, subject, all)


@grader(
    IContainsAllConfig,
    AssertionType(
        example="{type: icontains-all, value: [paris, france]}",
        values=TEXTS,
        value_required=True,
        finds="all",
        rank=102,
    ),
    convert=_converted,
)
async def icontains_all(config: IContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts; case is ignored."""
    return _contains_several(config, subject, all, any_case=True)
