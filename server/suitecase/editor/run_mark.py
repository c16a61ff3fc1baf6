"""A mark of a run result, at the place in the document that it concerns."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.format.rule import Related, Severity
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.status import Status

#: The severity of each status that is marked.
SEVERITIES = {
    Status.FAIL: Severity.WARNING,
    Status.JUDGE_FAILED: Severity.ERROR,
    Status.ERROR: Severity.ERROR,
    Status.BORDERLINE: Severity.INFO,
    Status.NOT_EVALUATED: Severity.INFO,
}


@dataclass(frozen=True, slots=True)
class RunMark:
    """A status, a miss, a doubtful grade, or the reason a case could not be run.

    Attributes:
        status: the status of the case.
        case: the id of the case.
        related: the score range of a score, as a span of the suite.
        judge: the target that judged; None for a verdict, and if no judge was called.
        is_miss: whether it is a miss.
        is_hint: whether it fails nothing, such as a miss of a case that passed, or a case without criteria.
    """

    span: Span
    severity: Severity
    message: str
    status: Status
    case: str
    related: tuple[Related, ...] = ()
    judge: str | None = None
    is_miss: bool = False
    is_hint: bool = False
