"""The assertion `regex`: a JavaScript regular expression matches.

It is converted to one of Python if that certainly matches the same.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    scored,
    unusable,
)
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, Refused, grader
from suitecase_evaluators.promptfoo.javascript_regex import (
    LONGEST,
    InvalidRegexError,
    compiled,
    found_in,
    too_long,
)
from suitecase_evaluators.schema.regex_cost import may_take_long
from suitecase_evaluators.schema.regex_search import SEARCH_SECONDS
from suitecase_evaluators.targets.program import run_program
from suitecase_evaluators.text.unseen_differences import as_seen, unseen_in

_MODIFIERS: Final = re.compile(r"(?<!\\)(?:\\\\)*\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):")


class RegexConfig(AssertionConfig):
    """A regular expression, in the syntax of JavaScript, matches somewhere in the answer. It is
    written without slashes and flags.
    """

    type: Literal["promptfoo:regex"]


def _read(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any] | Refused:
    """Refuse regular expressions that only some versions of Node.js accept."""
    value = assertion.get("value")
    found = _MODIFIERS.search(value) if isinstance(value, str) else None
    if found is None:
        return {}
    return Refused(
        f"`{found[0].lstrip(chr(92))}` sets flags in a group, which only Node.js 23 and later accept, "
        "so promptfoo's verdict depends on the version"
    )


def _converted(config: RegexConfig) -> Fields:
    value = config.value
    pattern = python_pattern(value) if isinstance(value, str) and value else None
    if pattern is None:
        raise NotConvertibleError(
            f"it is not certain that `{value}` finds the same in Python, by which suites search; write it with "
            "groups, classes and repetitions alone"
        )
    return {"type": "regex", "value": pattern, "negate": config.negate}


@grader(
    RegexConfig,
    AssertionType(
        example=r"{type: regex, value: '\d{4}-\d{2}-\d{2}'}",
        values=TEXT,
        value_required=True,
        content="regex",
        also_called=("ends-with", "match", "matches"),
        unmistakable=True,
        rank=70,
    ),
    read=_read,
    convert=_converted,
)
async def regex(config: RegexConfig, subject: Subject, services: Services) -> Score:
    """Search for the regular expression; an invalid one fails, even with `not-`."""
    pattern, answer = config.value, subject.candidate_answer
    if not isinstance(pattern, str) or not pattern:
        return unusable(config, "a string that is not empty")
    if len(pattern) > LONGEST:
        return Score.failed_to_grade(too_long(pattern))
    try:
        compiled(pattern)
    except InvalidRegexError as error:
        return scored(config, 0.0, False, f"`{pattern}` is not a regular expression: {error}")
    unseen = ""
    if not may_take_long(pattern, len(answer)):
        found = found_in(pattern, answer)
        if not found and found_in(pattern, as_seen(answer)):
            unseen = unseen_in(answer)
    else:
        ended = await run_program(
            # -P keeps modules in the suite's folder from standing in for those of the library.
            [sys.executable, "-P", "-m", "suitecase_evaluators.promptfoo.javascript_regex"],
            stdin=json.dumps([pattern, answer]),
            cwd=subject.folder,
            timeout_seconds=SEARCH_SECONDS,
        )
        if ended.timed_out:
            return Score.failed_to_grade(
                f"the search for `{pattern}` did not finish within {SEARCH_SECONDS:g} s on this "
                "answer; avoid nested repetitions"
            )
        if ended.exit_code != 0:
            return Score.failed_to_grade(
                f"the search for `{pattern}` stopped early: {ended.stderr_tail()}"
            )
        found = ended.stdout == "1"
    verb = "matches" if found else "does not match"
    return passed_or_failed(config, found, f"the answer {verb} `{pattern}`{unseen}")


#: JavaScript's white space and line terminators, as parts of a character class in Python.
_SPACES: Final = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_LINE_ENDS: Final = r"\n\r\u2028\u2029"
#: By the letter of an escape, its characters within a class.
_IN_CLASS: Final = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": _SPACES,
    **{letter: rf"\{letter}" for letter in "ntrfv"},
}
_TOKEN: Final = re.compile(
    r"""
    \\(?P<escape>[dDwWsSbBntrfv]|[^\w\s])
    | \[(?P<no>\^?)(?P<class>(?:\\[dwsntrfv]|\\[^\w\s]|[^\\\]\[&~|])+)\]
    | (?P<group>\((?:\?[:=!])?)
    | (?P<quantifier>(?:[*+?]|\{\d+(?:,\d*)?\})\??)
    | (?P<sign>[.^$|)])
    | (?P<literal>[^\\\[\](){}*+?.^$|\ud800-\udfff\U00010000-\U0010ffff])
    """,
    re.VERBOSE,
)
_OF_CLASS: Final = re.compile(r"\\(?P<escape>.)|(?P<sign>.)", re.DOTALL)


def python_pattern(pattern: str) -> str | None:
    """Return the Python equivalent of a JavaScript expression; None if it is not certain to be equivalent."""
    parts: list[str] = []
    at = 0
    repeats = True  # a quantifier may not follow here
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None or (token["quantifier"] and repeats):
            return None
        at = token.end()
        parts.append(_written(token))
        ends_group = token[0] == ")"
        if ends_group and parts and _is_assertion(pattern[:at]):
            repeats = True  # JavaScript lets one that looks ahead be repeated, Python does not say the same
        else:
            repeats = bool(
                token["quantifier"]
                or token["group"]
                or (token["sign"] and token["sign"] not in ".)")
                or token["escape"] in ("b", "B")
            )
    converted = "".join(parts)
    try:
        re.compile(converted)
    except (re.error, OverflowError, RecursionError):
        return None
    return converted


def _written(token: re.Match[str]) -> str:
    if token["escape"]:
        return _escape(token["escape"])
    if token["class"]:
        return f"[{token['no']}{''.join(map(_in_class, _OF_CLASS.finditer(token['class'])))}]"
    return {".": f"[^{_LINE_ENDS}]", "$": r"\Z"}.get(token[0], token[0])


def _escape(sign: str) -> str:
    if sign in "bB":
        return rf"(?a:\{sign})"
    if sign in _IN_CLASS:
        return f"[{_IN_CLASS[sign]}]"
    return f"[^{_IN_CLASS[sign.lower()]}]" if sign in "DWS" else rf"\{sign}"


def _in_class(part: re.Match[str]) -> str:
    sign = part["escape"]
    if sign is None:
        return part["sign"]
    return _IN_CLASS.get(sign, rf"\{sign}")


def _is_assertion(text: str) -> bool:
    """Whether the group that ends a text looks ahead."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if at and text[at - 1] == "\\":
            continue
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[at : at + 3] in ("(?=", "(?!")
    return False
