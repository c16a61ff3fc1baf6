"""Assertions that an answer equals, contains or starts with a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from suitecase_evaluators.evaluator import Services, Subject, evaluator
from suitecase_evaluators.expected_text import shown
from suitecase_evaluators.json_values import same_json, show_json
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import as_text, parsed_json
from suitecase_evaluators.score import Score
from suitecase_evaluators.unseen_differences import unseen_difference

_NEEDED: Final = "a string that is not empty"


class EqualsConfig(AssertionConfig):
    """The answer is this text, or the JSON of this value."""

    type: Literal["promptfoo:equals"]


class ContainsConfig(AssertionConfig):
    """The answer contains this text."""

    type: Literal["promptfoo:contains"]


class IContainsConfig(AssertionConfig):
    """The answer contains this text, in upper or lower case."""

    type: Literal["promptfoo:icontains"]


class ContainsAnyConfig(AssertionConfig):
    """The answer contains one of these texts."""

    type: Literal["promptfoo:contains-any"]


class IContainsAnyConfig(AssertionConfig):
    """The answer contains one of these texts, in upper or lower case."""

    type: Literal["promptfoo:icontains-any"]


class ContainsAllConfig(AssertionConfig):
    """The answer contains all of these texts."""

    type: Literal["promptfoo:contains-all"]


class IContainsAllConfig(AssertionConfig):
    """The answer contains all of these texts, in upper or lower case."""

    type: Literal["promptfoo:icontains-all"]


class StartsWithConfig(AssertionConfig):
    """The answer starts with this text."""

    type: Literal["promptfoo:starts-with"]


@evaluator(EqualsConfig)
async def equals(config: EqualsConfig, subject: Subject, services: Services) -> Score:
    """Compare the whole answer: as JSON with a mapping, a list or null, else as text."""
    answer, value = subject.candidate_answer, config.value
    if config.has_value and isinstance(value, dict | list | None):
        try:
            same = same_json(value, parsed_json(answer))
        except ValueError:
            return passed_or_failed(config, False, "the answer is not JSON")
        except RecursionError:
            return Score.failed_to_grade("the answer is nested too deeply to be read")
        return _is(config, same, f"the JSON {show_json(value)}")
    expected = as_text(value) if config.has_value else "undefined"
    same = expected == answer
    unseen = "" if same else unseen_difference(answer, [expected], str.__eq__)
    return _is(config, same, f"{show_json(expected)}{unseen}")


def _is(config: AssertionConfig, same: bool, what: str) -> Score:
    return passed_or_failed(
        config, same, f"the answer {'equals' if same else 'does not equal'} {what}"
    )


def _contains_one(config: AssertionConfig, subject: Subject, *, any_case: bool = False) -> Score:
    value = config.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number and not (isinstance(value, str) and value):
        return unusable(config, f"{_NEEDED}, or a number")
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


@evaluator(ContainsConfig)
async def contains(config: ContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text."""
    return _contains_one(config, subject)


@evaluator(IContainsConfig)
async def icontains(config: IContainsConfig, subject: Subject, services: Services) -> Score:
    """Look for the text; case is ignored."""
    return _contains_one(config, subject, any_case=True)


@evaluator(ContainsAnyConfig)
async def contains_any(config: ContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts."""
    return _contains_several(config, subject, any)


@evaluator(IContainsAnyConfig)
async def icontains_any(config: IContainsAnyConfig, subject: Subject, services: Services) -> Score:
    """Look for one of the texts; case is ignored."""
    return _contains_several(config, subject, any, any_case=True)


@evaluator(ContainsAllConfig)
async def contains_all(config: ContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts."""
    return _contains_several(config, subject, all)


@evaluator(IContainsAllConfig)
async def icontains_all(config: IContainsAllConfig, subject: Subject, services: Services) -> Score:
    """Look for all of the texts; case is ignored."""
    return _contains_several(config, subject, all, any_case=True)


@evaluator(StartsWithConfig)
async def starts_with(config: StartsWithConfig, subject: Subject, services: Services) -> Score:
    """Look at the start of the answer."""
    value = config.value
    if not isinstance(value, str) or not value:
        return unusable(config, _NEEDED)
    holds = subject.candidate_answer.startswith(value)
    verb = "starts" if holds else "does not start"
    answer = subject.candidate_answer
    unseen = "" if holds else unseen_difference(answer, [value], str.startswith)
    return passed_or_failed(config, holds, f"the answer {verb} with {show_json(value)}{unseen}")
