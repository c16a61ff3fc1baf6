"""What a result is shown as: its verdict, unless nobody graded the answer.

A verdict alone does not tell whether an answer was graded. Where no reply of a judge could be read the
score is 0, and a score on another scale is taken to the nearest one; neither says anything about the
answer. A rehearsal, in which nothing but stand-ins answered or judged, passes nothing. Whatever shows,
counts or decides by results goes by the status, and has its words from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from suitecase_evaluators.answers.score import Verdict


class Status(StrEnum):
    """The status of a result, in the order in which results are counted for people."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    #: It would pass, but no model was called, or a stand-in judged.
    REHEARSED = "rehearsed"
    BORDERLINE = "borderline"
    FAIL = "fail"
    #: The judge gave no verdict that could be read, or only scores on another scale.
    JUDGE_FAILED = "judge_failed"
    ERROR = "error"
    NOT_EVALUATED = "not_evaluated"

    # Equal to its text, and as fast to look up; the hash of Enum is written in Python.
    __hash__ = str.__hash__

    @property
    def graded(self) -> bool:
        """Whether the score says something about the answer."""
        return self in _GRADED

    @property
    def word(self) -> str:
        """What one result is: `pass`, `judge failed`, `not evaluated`."""
        return self.value.replace("_", " ")

    @property
    def heading(self) -> str:
        """What the results of this status have in common: `passed`, `judge failures`."""
        return _HEADINGS[self]

    def counted(self, number: int) -> str:
        """Return a number of results: `3 passed`, `1 judge failure`."""
        one = number == 1 and self is Status.JUDGE_FAILED
        return f"{number:,} {'judge failure' if one else self.heading}"


_GRADED = frozenset({Status.PASS, Status.REHEARSED, Status.BORDERLINE, Status.FAIL})
_HEADINGS: Mapping[Status, str] = MappingProxyType(
    {
        Status.PASS: "passed",
        Status.REHEARSED: "rehearsed",
        Status.BORDERLINE: "borderline",
        Status.FAIL: "failed",
        Status.JUDGE_FAILED: "judge failures",
        Status.ERROR: "could not be graded",
        Status.NOT_EVALUATED: "not evaluated",
    }
)
_OF_VERDICT: Mapping[Verdict, Status] = MappingProxyType(
    {verdict: Status(verdict.value) for verdict in Verdict}
)

#: The gravest first: what several results of a case, or several rows of a test, come to.
GRAVEST_FIRST = (
    Status.ERROR,
    Status.JUDGE_FAILED,
    Status.FAIL,
    Status.BORDERLINE,
    Status.NOT_EVALUATED,
    Status.REHEARSED,
    Status.PASS,
)
#: Those that nobody has to look at, and that `--failed` does not run again.
SETTLED = frozenset({Status.PASS, Status.REHEARSED, Status.NOT_EVALUATED})


def status_of(verdict: Verdict, *, judge_failed: bool, rehearsed: bool) -> Status:
    """Return the status of a result.

    Args:
        judge_failed: whether a judge that counts gave no verdict that could be read.
        rehearsed: whether a stand-in took the place of a model.
    """
    if not verdict.graded:
        return _OF_VERDICT[verdict]
    if judge_failed:
        return Status.JUDGE_FAILED
    if rehearsed and verdict is Verdict.PASS:
        return Status.REHEARSED
    return _OF_VERDICT[verdict]
