"""Puts the answers of one target to one case together: the repeats of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: From best to worst; what was not graded stands beside the scale.
SCALE = (Verdict.PASS, Verdict.BORDERLINE, Verdict.FAIL)
#: The order in which verdicts are told.
TOLD = (*SCALE, Verdict.ERROR, Verdict.NOT_EVALUATED)


@dataclass(frozen=True, slots=True)
class Group:
    """One or more answers that belong together, in the order of their repeats."""

    answers: tuple[ResultRecord, ...]

    @property
    def first(self) -> ResultRecord:
        """The answer that says whose group it is."""
        return self.answers[0]

    @property
    def score(self) -> float | None:
        """The mean of the scores that count, None where there is none."""
        if len(self.answers) == 1:
            return self.first.graded_score
        return mean(it.graded_score for it in self.answers)

    @property
    def verdicts(self) -> Counter[Verdict]:
        """How many answers have each verdict."""
        return Counter(it.verdict for it in self.answers)

    @property
    def verdict(self) -> Verdict:
        """The verdict of most answers; of a tie the graver. Ungraded ones only where all are."""
        if len(self.answers) == 1:
            return self.first.verdict
        counts = self.verdicts
        graded = [it for it in SCALE if counts[it]] or [it for it in TOLD if counts[it]]
        return max(graded, key=lambda it: (counts[it], TOLD.index(it)))


def grouped(answers: Iterable[ResultRecord]) -> list[Group]:
    """Return the answers by suite, case and target, in the order in which these come."""
    groups: dict[tuple[str, str, str], list[ResultRecord]] = {}
    for it in answers:
        groups.setdefault((it.suite, it.eval_id, it.target), []).append(it)
    return [Group(tuple(sorted(them, key=lambda it: it.repeat))) for them in groups.values()]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, None where there is none."""
    there = [it for it in values if it is not None]
    return fmean(there) if there else None


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are there, None where there is none."""
    there = [it for it in values if it is not None]
    return sum(there) if there else None
