"""A job with everything that its grading needs beside the suite."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.evidence.releases.case_digests import CaseDigests
from suitecase.run.jobs import Job
from suitecase.run.regrading import PreviousAnswer
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.targets.target import Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A job with everything that its grading needs beside the suite; can be pickled.

    Attributes:
        version: the current version of the case.
        digests: the digests of its question, of what it expects, and of its grading.
        previous: a recorded answer: the target is not called, and only the evaluators that have not
            graded it yet do.
        reply: the target's answer, from a process that ended before it had graded it.
    """

    job: Job
    version: CaseVersion
    digests: CaseDigests
    previous: PreviousAnswer | None = None
    reply: Reply | None = None
