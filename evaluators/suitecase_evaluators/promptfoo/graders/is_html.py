"""The assertion `contains-html`, which adds up signs of HTML in an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.ecmascript import WHITE_SPACE, code_units
from suitecase_evaluators.promptfoo.grader import grader

#: The maximum length of an answer that is searched, in code units.
_LONGEST: Final = 10 * 1024 * 1024
#: The points at which an answer contains HTML.
_ENOUGH: Final = 2

_SPACE: Final = f"[{WHITE_SPACE}]"
_NAME: Final = "[a-zA-Z][a-zA-Z0-9-]*"
#: These match what precedes a `>`.
_OPENING: Final = re.compile(rf"<{_NAME}(?:{_SPACE}.*)?\Z", re.DOTALL)
_SELF_CLOSING: Final = re.compile(rf"<{_NAME}(?:{_SPACE}.*)?/\Z", re.DOTALL)
_CLOSING: Final = re.compile(rf"</{_NAME}{_SPACE}*\Z")
_ENTITY: Final = re.compile("&(?:[a-zA-Z]+|#[0-9]+|#x[0-9a-fA-F]+);")
_DOCTYPE: Final = re.compile(f"<!DOCTYPE{_SPACE}+html", re.ASCII | re.IGNORECASE)
_COMMENT: Final = re.compile("<!--[^-]*(?:-[^-]+)*-->")
_ATTRIBUTE: Final = re.compile(rf"""{_SPACE}[a-zA-Z-]+={_SPACE}*["'][^"']*["']""")
_COMMON: Final = re.compile(
    r"<(?:html|head|body|div|span|p|a|img|h[1-6]|ul|ol|li|table|tr|td|th|form|input|button|script"
    r"|style|link|meta|br|hr)\b",
    re.ASCII | re.IGNORECASE,
)


class ContainsHtmlConfig(AssertionConfig):
    """The answer contains HTML."""

    type: Literal["promptfoo:contains-html"]


@grader(
    ContainsHtmlConfig,
    AssertionType(
        example="{type: contains-html}",
    ),
)
async def contains_html(config: ContainsHtmlConfig, subject: Subject, services: Services) -> Score:
    """Add up the points of the signs of HTML."""
    answer = subject.candidate_answer
    found = list(_signs(answer)) if len(code_units(answer)) <= _LONGEST else []
    if sum(points for _, points in found) >= _ENOUGH:
        named = ", ".join(name for name, _ in found)
        return passed_or_failed(config, True, f"the answer contains HTML: {named}")
    what = f"only {found[0][0]}" if found else "no sign of it"
    return passed_or_failed(config, False, f"the answer contains no HTML: it has {what}")


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """Yield the signs of HTML in a text, each with its points."""
    before = text.split(">")[:-1]
    opens = any(_OPENING.search(it) for it in before)
    closes = any(_CLOSING.search(it) for it in before)
    if opens or closes:
        yield "a tag that is closed" if opens and closes else "a tag", opens + closes
    # Without the first test, text with many tags that stay open would be searched from each of them.
    if any(it.endswith("/") and _SELF_CLOSING.search(it) for it in before):
        yield "a tag that closes itself", 1
    for name, pattern, points in (
        ("an entity", _ENTITY, 1),
        ("a doctype", _DOCTYPE, 2),
        ("a comment", _COMMENT, 1),
        ("an attribute", _ATTRIBUTE, 1),
        ("a common element", _COMMON, 2),
    ):
        if pattern.search(text):
            yield name, points


IS_HTML: Final = AssertionType(
    name="is-html",
    description="The whole answer is HTML.",
    example="{type: is-html}",
    not_run="no parser reads HTML as browsers do",
    also_called=("html",),
)
