"""Rules on the regular expressions of assertions, which are JavaScript's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.rules.placed_issues import Part
from suitecase.formats.promptfoo.suite.models.field_types import stands_for_another
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase.text.embedded import embedded
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.promptfoo.assertion_types import content_of
from suitecase_evaluators.promptfoo.javascript_regex import (
    LONGEST,
    InvalidRegexError,
    compiled,
    too_long,
)
from suitecase_evaluators.schema.regex_cost import nested_repetition

#: What other languages have, and what to write instead.
_ELSEWHERE = (
    (
        re.compile(r"\(\?[aiLmsux]+\)"),
        "flags cannot be written in it; for both cases write `[Pp]aris`",
    ),
    (re.compile(r"\(\?P[<=]"), "named groups are written `(?<name>...)`"),
    (re.compile(r"[*+?}]\+"), "JavaScript has no possessive repetition"),
    (re.compile(r"\(\?>"), "JavaScript has no atomic groups"),
    (re.compile(r"\(\?#"), "JavaScript has no comments in expressions"),
)
_SLASHES = re.compile(r"/(?P<inner>.+)/(?P<flags>[dgimsuvy]{0,7})", re.DOTALL)
_SIGNS = re.compile(r"[\\^$.*+?()\[\]{}|]")
#: What JavaScript reads otherwise than the author surely means.
_OTHERWISE = (
    (re.compile(r"(?<!\\)(?:\\\\)*(\\[AZz])"), "is a letter in JavaScript; the ends of the text are `^` and `$`"),
    (re.compile(r"(\[:\w+:\])"), "is not a class in JavaScript; write `\\w`, `\\d` or the letters"),
    (re.compile(r"(?<!\\)(?:\\\\)*(\\[pP]\{[^{}\\]*\})"), "means nothing without the flag `u`, which cannot be set"),
    (re.compile(r"(\(\?-?[ims]+(?:-[ims]+)?:)"), "sets flags in a group, which Node.js only knows from version 23 on"),
)  # fmt: skip


def _regex_of(assertion: ParsedAssertion) -> Scalar | None:
    """Return the expression of an assertion, if it is one that is written here."""
    written, value = assertion.type, assertion.node.get("value")
    if written is None or content_of(written.text) != "regex":
        return None
    if not isinstance(value, Scalar) or not isinstance(value.value, str):
        return None
    is_known = bool(value.text) and not stands_for_another(value.text)
    return value if is_known else None


def regex_error(pattern: str) -> str | None:
    """Return why JavaScript refuses a regular expression; None if it does not."""
    try:
        compiled(pattern)
    except InvalidRegexError as error:
        hint = next((text for found, text in _ELSEWHERE if found.search(pattern)), None)
        return hint or str(error)
    return None


@rule("PF211", keys=("value",))
def invalid_javascript_regex(assertion: ParsedAssertion) -> Iterator[Finding]:
    """A regular expression is not one of JavaScript.

    promptfoo searches with JavaScript's `RegExp`, without flags. What it refuses fails on every
    answer, with `not-regex` too.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: regex
            value: (?i)paris  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: regex
            value: "[Pp]aris"
    ```
    """
    value = _regex_of(assertion)
    if value is not None and len(value.text) > LONGEST:
        yield Finding(value.span, too_long(value.text))
    elif value is not None:
        problem = regex_error(value.text)
        if problem is not None:
            yield Finding(value.span, f"JavaScript refuses this regular expression: {problem}")


@rule("PF212", Severity.WARNING, keys=("value",))
def regex_of_other_language(assertion: ParsedAssertion) -> Iterator[Finding]:
    """A regular expression means something else in JavaScript.

    Slashes around an expression are searched for as slashes, since it is a text and not code. `\\A`
    and `\\Z` are letters, and `[[:alpha:]]` is a set of signs.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: regex
            value: /^Paris$/  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: regex
            value: ^Paris$
    ```
    """
    value = _regex_of(assertion)
    if value is None or regex_error(value.text) is not None:
        return
    slashes = _SLASHES.fullmatch(value.text)
    if slashes is not None and (slashes["flags"] or _SIGNS.search(slashes["inner"])):
        flags = slashes["flags"]
        message = "the slashes are a part of the expression, and are searched for"
        if flags:
            message += f"; flags such as `{flags}` cannot be set"
        if "i" in flags:
            message += ", so for both cases write `[Pp]aris`"
        yield Finding(value.span, message, _without_slashes(value, slashes["inner"], flags))
        return
    for found, says in _OTHERWISE:
        match = found.search(value.text)
        if match is not None:
            yield Finding(value.span, f"`{match[1]}` {says}")
            return


def _without_slashes(value: Scalar, inner: str, flags: str) -> Fix | None:
    if (
        set(flags) - set("dgy")
        or value.style in ("|", ">")
        or ("\\" in inner and value.style == '"')
    ):
        return None
    if not value.style and Scalar(0, 0, inner, "").value != inner:
        return None
    if not value.style and (inner[0] in "[]{}&*!|>'\"%@`#,?:-" or ": " in inner or " #" in inner):
        text = "'" + inner.replace("'", "''") + "'"
    else:
        text = f"{value.style}{inner}{value.style}"
    return replace(value.span, text, "Remove the slashes", safe=False)


@rule("PF213", Severity.WARNING)
def exponential_regex(part: Part) -> Iterator[Finding]:
    """A regular expression of an assertion has nested repetitions.

    On an answer that nearly matches, `(a+)+b` tries every way to split a run of `a`; for thirty
    letters that is a billion, and promptfoo hangs.

    ```yaml bad
    prompts: ["List some words about {{topic}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {topic: rain}
        assert:
          - type: regex
            value: ^(\\w+\\s?)*$  # <- finding
    ```

    ```yaml good
    prompts: ["List some words about {{topic}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {topic: rain}
        assert:
          - type: regex
            value: ^\\w+(\\s\\w+)*$
    ```
    """
    for element in part.elements():
        value = _regex_of(element) if isinstance(element, ParsedAssertion) else None
        if value is None or ")" not in value.text or regex_error(value.text) is not None:
            continue
        found = nested_repetition(value.text)
        if found is not None:
            span: Span = embedded(value, part.source).span(*found)
            yield Finding(
                span,
                f"`{value.text[found[0] : found[1]]}` is a nested repetition, which takes exponential "
                "time on an answer that nearly matches; begin each repeated part with a distinct "
                "character",
            )
