"""Searches text by a regular expression of a suite, without ever hanging on one."""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path

from pydantic_core import PydanticCustomError

from suitecase_evaluators.schema.regex_cost import may_take_long

#: Seconds for a search that may take exponential time.
SEARCH_SECONDS = 10.0

_SEARCH = "import json, re, sys; print(int(bool(re.search(*json.load(sys.stdin)))))"


class RegexError(Exception):
    """A search could not be done. `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def regex_problem(pattern: str) -> str | None:
    """Return why a text is not a regular expression of Python's `re`, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of spellings whose meaning may change one day
            re.compile(pattern)
    except re.error as error:
        where = f" at position {error.pos}" if error.pos is not None else ""
        return f"{error.msg}{where}"
    except (OverflowError, RecursionError):
        return "a repetition is too large, or it is nested too deeply"
    return None


def valid_regex(value: str) -> str:
    """Return a regular expression of a configuration as it is.

    Raises:
        PydanticCustomError: it is not one.
    """
    problem = regex_problem(value)
    if problem is not None:
        raise PydanticCustomError(
            "regular_expression", "not a regular expression: {problem}", {"problem": problem}
        )
    return value


async def found_in(pattern: str, text: str, *, folder: Path) -> bool:
    """Say whether `re.search` finds the pattern in the text.

    A search that might take long is done in a program of its own, which can be stopped.

    Raises:
        RegexError: the pattern is not a regular expression, or the search did not end in time.
        ProgramError: the program could not be started.
    """
    problem = regex_problem(pattern)
    if problem is not None:
        raise RegexError(f"`{pattern}` is not a regular expression: {problem}")
    if not may_take_long(pattern, len(text)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.search(pattern, text) is not None
    from suitecase_evaluators.targets.program import run_program

    ended = await run_program(
        [sys.executable, "-I", "-S", "-W", "ignore", "-c", _SEARCH],
        stdin=json.dumps([pattern, text]),
        cwd=folder,
        timeout_seconds=SEARCH_SECONDS,
    )
    if ended.timed_out:
        raise RegexError(
            f"the search for `{pattern}` did not finish within {SEARCH_SECONDS:g} s on this answer; "
            "avoid nested repetitions"
        )
    if ended.exit_code != 0:
        raise RegexError(f"the search for `{pattern}` stopped early: {ended.stderr_tail()}")
    return ended.stdout.strip() == "1"
