"""Assertions that an answer is or contains XML, with required elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple
from xml.parsers import expat

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.grade.expected_text import shown
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.ecmascript import as_text, trimmed
from suitecase_evaluators.promptfoo.grader import grader

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
            return [trimmed(part) for part in value.split(",")]
        case list():
            return [as_text(it) for it in value]
        case {"requiredElements": list(listed)}:
            return [as_text(item) for item in listed]
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
    return [path for path in paths if not root.has(path.split("."))]


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


_FIRST: Final = (
    ":A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME: Final = f"[{_FIRST}][{_FIRST}.0-9\u00b7\u0300-\u036f\u203f\u2040-]*+"
_TAG: Final = re.compile(
    rf"""<(?P<close>/?)(?P<name>{_NAME})(?P<rest>(?:[^"'<>]|"[^"]*"|'[^']*')*+)>"""
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CDATA: Final = re.compile(r"<!\[CDATA\[(?P<text>.*?)(?:\]\]>|\Z)", re.DOTALL)
_INSTRUCTION: Final = re.compile(r"<\?(?P<name>[^\s?]*)(?P<rest>.*?)(?:\?>|\Z)", re.DOTALL)
_DECLARED: Final = re.compile(r""""[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[\[\]>]""")
_ATTRIBUTE: Final = re.compile(r"""([^\s=/]+)\s*(?:=\s*(?:"[^"]*"|'[^']*'))?""")

Kind = Literal["open", "close", "empty", "text", "instruction", "other"]


class Tag(NamedTuple):
    """A tag, a CDATA section, an instruction, or another declaration, and its place."""

    kind: Kind
    start: int
    end: int
    name: str = ""
    rest: str = ""


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags in a text; a `<` that does not start one is skipped."""
    at = text.find("<")
    while at != -1:
        tag = _tag(text, at)
        if tag is not None:
            yield tag
        at = text.find("<", at + 1 if tag is None else tag.end)


def _tag(text: str, at: int) -> Tag | None:
    if text.startswith("<!--", at):
        found = _COMMENT.match(text, at)
        return Tag("other", at, found.end() if found else len(text))
    if text.startswith("<![CDATA[", at):
        found = _CDATA.match(text, at)
        return Tag("text", at, found.end(), rest=found["text"]) if found else None
    if text.startswith("<!", at):
        return Tag("other", at, _end_of_declaration(text, at + 2))
    if text.startswith("<?", at):
        found = _INSTRUCTION.match(text, at)
        return Tag("instruction", at, found.end(), found["name"], found["rest"]) if found else None
    found = _TAG.match(text, at)
    if found is None:
        return None
    kind: Kind = "close" if found["close"] else "open"
    if kind == "open" and found["rest"].rstrip().endswith("/"):
        kind = "empty"
    return Tag(kind, at, found.end(), found["name"], found["rest"])


def _end_of_declaration(text: str, at: int) -> int:
    depth = 0
    for sign in _DECLARED.finditer(text, at):
        if sign[0] == "[":
            depth += 1
        elif sign[0] == "]":
            depth = max(depth - 1, 0)
        elif sign[0] == ">" and not depth:
            return sign.end()
    return len(text)


@dataclass(slots=True)
class Element:
    """An element: its attributes, its child elements by name, and whether it has text."""

    attributes: set[str] = field(default_factory=set)
    parts: dict[str, list[Element]] = field(default_factory=dict)
    has_text: bool = False

    def has(self, path: list[str]) -> bool:
        """Whether a path of names leads to something; a number selects among elements of one name."""
        if not path:
            return True
        name, *rest = path
        named = self.parts.get(name)
        if named is None:
            is_text = name == "#text" and self.has_text and bool(self.attributes or self.parts)
            return not rest and (is_text or name.removeprefix("@_") in self.attributes - {name})
        if len(named) == 1 or not rest:
            return named[0].has(rest)
        number, *rest = rest
        if not re.fullmatch("0|[1-9][0-9]*", number, re.ASCII) or int(number) >= len(named):
            return False
        return named[int(number)].has(rest)


def elements(text: str) -> Element:
    """Return the root of the elements in a text; the names of closing tags are ignored."""
    root = Element()
    stack = [root]
    at = 0
    for tag in tags(text):
        inner = stack[-1]
        inner.has_text |= bool(text[at : tag.start].strip()) or bool(
            tag.kind == "text" and tag.rest
        )
        at = tag.end
        if tag.kind in ("open", "empty", "instruction"):
            element = Element({attribute[1] for attribute in _ATTRIBUTE.finditer(tag.rest)})
            name = f"?{tag.name}" if tag.kind == "instruction" else tag.name
            inner.parts.setdefault(name, []).append(element)
            if tag.kind == "open":
                stack.append(element)
        elif tag.kind == "close" and len(stack) > 1:
            stack.pop()
    return root


class Span(NamedTuple):
    """A part of a text that may be XML; `parent` is the start of the element around it."""

    start: int
    end: int
    parent: int | None


def spans(text: str) -> list[Span]:
    """Return the outermost closed elements of a text; siblings also as one span."""
    closed: list[Span] = []
    stack: list[Tag] = []
    for tag in tags(text):
        if tag.kind == "open":
            stack.append(tag)
        elif tag.kind == "empty":
            closed.append(Span(tag.start, tag.end, stack[-1].start if stack else None))
        elif tag.kind == "close":
            if stack and stack[-1].name == tag.name:
                start = stack.pop().start
                closed.append(Span(start, tag.end, stack[-1].start if stack else None))
            else:
                stack.clear()
    starts = {span.start for span in closed}
    outer: dict[int | None, list[Span]] = {}
    for span in closed:
        if span.parent not in starts:
            outer.setdefault(span.parent, []).append(span)
    together = [
        Span(min(span.start for span in group), max(span.end for span in group), parent)
        for parent, group in outer.items()
        if len(group) > 1
    ]
    alone = sorted(
        (span for group in outer.values() for span in group),
        key=lambda span: (span.start, -span.end),
    )
    return [*together, *alone]
