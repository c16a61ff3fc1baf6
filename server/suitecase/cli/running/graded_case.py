"""A graded case, as it is printed."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.cli.suite_argument import SuiteArgument
from suitecase_evaluators.answers.records.record import ResultRecord


@dataclass(frozen=True, slots=True)
class GradedCase:
    """The record of a case, and how long all of it took.

    `kept` says that the record counts and is not of this run.
    """

    suite: SuiteArgument
    record: ResultRecord
    seconds: float | None = None
    kept: bool = False
