"""The assertion `regex`: a JavaScript regular expression matches."""

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
from suitecase_evaluators.promptfoo.python_pattern import python_pattern
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
