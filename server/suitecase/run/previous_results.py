"""Previous results: which cases failed, and which need not be rerun."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.format.results_files import newest_of_suite
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase_evaluators.answers.records.reading import numbered_records, read_records
from suitecase_evaluators.answers.records.record import why_newer
from suitecase_evaluators.answers.records.status import SETTLED, Status
from suitecase_evaluators.answers.score import Verdict

#: Verdicts for which `--failed` asks no case again.
_SETTLED = frozenset({Verdict.PASS, Verdict.NOT_EVALUATED})


@dataclass(frozen=True, slots=True)
class FailedCases:
    """The cases whose last record in a file failed or could not be graded."""

    path: Path
    cases: frozenset[str]
    #: For each case that passed, the targets that answered and the effective hashes, where known.
    passed: Mapping[str, Sequence[tuple[str, str]]]
    #: By target and case, the verdict for which it is asked again: that of an answer that was not good,
    #: rather than that of one that could not be graded.
    verdicts: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)
    #: The targets that answered, and how often each case was to be asked.
    targets: frozenset[str] = frozenset()
    repeats: int = 1
    #: Why the file cannot be used, if a newer version of Suitecase wrote results of it; else None.
    newer: str | None = None


def results_of(place: Path, suite_path: str, target: str | None = None) -> Iterator[Path]:
    """Yield the results files with records of a suite, newest first.

    Args:
        place: a results file or a folder.
        suite_path: the suite's path as in its records.
        target: the target that answered; None for any.

    Raises:
        OSError: one of them, or a folder of them, cannot be read.
    """
    for path in newest_of_suite(place, suite_path):
        if any(
            record.suite_path == suite_path and target in (None, record.target)
            for record in read_records(path)
        ):
            yield path


def failed_cases(place: Path, suite_path: str, target: str | None = None) -> FailedCases | None:
    """Return the failures in the newest results of a suite, or None if it has no results.

    A repeated case has failed if any of its last records has.

    Args:
        place: a results file or a folder.
        suite_path: the suite's path as in its records.
        target: the target whose records count; None for any.

    Raises:
        OSError: results cannot be read.
    """
    path = next(results_of(place, suite_path, target), None)
    if path is None:
        return None
    #: The target and the effective hash; None for a failure.
    last: dict[tuple[str, int], tuple[str, str | None] | None] = {}
    verdicts: dict[tuple[str, str, int], Verdict] = {}
    repeats = 1
    newer: str | None = None
    with without_garbage_collection():
        for line, record in numbered_records(path):
            if record is None:
                continue
            if record.suite_path == suite_path and target in (None, record.target):
                newer = newer or why_newer(record, line + 1)
                settled = record.status in SETTLED
                target_name = sys.intern(record.target)
                answered = (target_name, record.effective_hash) if settled else None
                last[record.eval_id, record.repeat] = answered
                earlier = record.asked_again_after if record.is_second_chance else None
                # An answer whose judge failed was not graded.
                failed_judge = record.status is Status.JUDGE_FAILED
                verdict = Verdict.ERROR if failed_judge else record.verdict
                verdict = verdict if verdict.graded else earlier or verdict
                verdicts[target_name, record.eval_id, record.repeat] = verdict
                repeats = max(repeats, record.repeats)
    failed = frozenset(case for (case, _), answered in last.items() if answered is None)
    passed: dict[str, list[tuple[str, str]]] = {}
    for (case, _), answered in last.items():
        if answered is not None and answered[1] is not None and case not in failed:
            passed.setdefault(case, []).append((answered[0], answered[1]))
    asked_again: dict[tuple[str, str], Verdict] = {}
    for (name, case, _), verdict in verdicts.items():
        if case in failed and verdict not in _SETTLED:
            earlier = asked_again.get((name, case), Verdict.ERROR)
            asked_again[name, case] = earlier if earlier.graded else verdict
    targets = frozenset(name for name, _, _ in verdicts)
    return FailedCases(path, failed, passed, asked_again, targets, repeats, newer)


def answers_of(path: Path, targets: Collection[str], suite_path: str) -> bool:
    """Whether a results file has a record of a suite and one of the targets.

    Raises:
        OSError: the file cannot be read.
    """
    return any(
        record.suite_path == suite_path and record.target in targets
        for record in read_records(path)
    )


def is_unfinished(path: Path, suite_path: str) -> bool:
    """Whether a results file has fewer answers to a suite than its run was to have.

    Raises:
        OSError: the file cannot be read.
    """
    answers: set[tuple[str, str, int]] = set()
    planned = 0
    for record in read_records(path):
        if record.suite_path == suite_path:
            answers.add((sys.intern(record.target), record.eval_id, record.repeat))
            planned = max(planned, record.planned or 0)
    return len(answers) < planned


def repeats_in(place: Path, suite_path: str) -> int:
    """Return the planned repeats of a suite according to the records of a file."""
    repeats = (record.repeats for record in read_records(place) if record.suite_path == suite_path)
    return max(repeats, default=1)


def why_unread(place: Path, error: OSError) -> str:
    """Return what to print where previous results cannot be read, so that nobody pays for them again.

    Args:
        place: where they were looked for.
        error: names the file or folder, if it is known.
    """
    reason = (error.strerror or str(error)).lower()
    return f"{error.filename or place} cannot be read: {reason}"
