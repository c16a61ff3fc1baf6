"""Assertions that an answer is or contains XML, with required elements."""

from __future__ import annotations

from typing import Any, Final, Literal
from xml.parsers import expat

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.grade.expected_text import shown
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.ecmascript import as_text, trimmed
from suitecase_evaluators.promptfoo.grader import grader
from suitecase_evaluators.promptfoo.xml_tags import elements, spans

_NEEDED: Final = "needs a string or a list with paths of elements as its `value`, if it has one"


class IsXmlConfig(AssertionConfig):
    """The whole answer is XML; with a `value`, it has these elements."""

    type: Literal["promptfoo:is-xml"]


class ContainsXmlConfig(AssertionConfig):
    """The answer contains XML; with a `value`, it has these elements."""

    type: Literal["promptfoo:contains-xml"]


class _NotXmlError(ValueError):
    """A text is not XML; the message says why."""


def _paths(value: Any) -> list[str] | None:
    """Return the paths of the required elements; None if a mapping lacks them."""
    match value:
        case str():
            return [trimmed(it) for it in value.split(",")]
        case list():
            return [as_text(it) for it in value]
        case {"requiredElements": list(listed)}:
            return [as_text(it) for it in listed]
        case dict() if value:
            return None
    return []


@grader(
    IsXmlConfig,
    AssertionType(
        example="{type: is-xml, value: [answer.city]}",
        values=("text", "list", "mapping"),
        also_called=("xml",),
    ),
)
async def is_xml(config: IsXmlConfig, subject: Subject, services: Services) -> Score:
    """Parse the answer and look for the required elements."""
    paths = _paths(config.value)
    if paths is None:
        return Score.failed_to_grade(f"`{config.written_type}` {_NEEDED}")
    try:
        _check(subject.candidate_answer)
    except _NotXmlError as error:
        return passed_or_failed(config, False, f"the answer is not XML: {error}")
    missing = _missing(subject.candidate_answer, paths)
    if missing:
        return passed_or_failed(config, False, f"the XML lacks {shown(missing, 'and')}")
    return passed_or_failed(config, True, f"the answer is XML{_with(paths)}")


@grader(
    ContainsXmlConfig,
    AssertionType(
        example="{type: contains-xml, value: [answer.city]}",
        values=("text", "list", "mapping"),
    ),
)
async def contains_xml(config: ContainsXmlConfig, subject: Subject, services: Services) -> Score:
    """Look for closed elements in the answer that contain the required ones."""
    paths = _paths(config.value)
    if paths is None:
        return Score.failed_to_grade(f"`{config.written_type}` {_NEEDED}")
    answer = subject.candidate_answer
    found = spans(answer)
    for span in found:
        if not _missing(answer[span.start : span.end], paths):
            return passed_or_failed(config, True, f"the answer contains XML{_with(paths)}")
    if not found:
        return passed_or_failed(config, False, "the answer contains no XML")
    return passed_or_failed(config, False, f"no XML in the answer has {shown(paths, 'and')}")


def _with(paths: list[str]) -> str:
    return f" with {shown(paths, 'and')}" if paths else ""


def _missing(text: str, paths: list[str]) -> list[str]:
    """Return the paths without an element."""
    root = elements(text)
    return [it for it in paths if not root.has(it.split("."))]


def _check(text: str) -> None:
    """Parse a text as a whole.

    Raises:
        _NotXmlError: it is not XML with namespaces, or declares entities.
    """
    parser = expat.ParserCreate("utf-8", " ")

    def doctype(name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if has_subset:
            raise _NotXmlError("declarations within a DOCTYPE are not supported")
        if system and "#" in system:
            raise _NotXmlError("the address in the DOCTYPE has a fragment")

    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text.encode(), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise _NotXmlError(str(error)) from error
