"""Grouping the repeats of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: From best to worst, without the verdicts of ungraded answers.
SCALE = (Verdict.PASS, Verdict.BORDERLINE, Verdict.FAIL)
#: The order of verdicts in reports.
VERDICT_ORDER = (*SCALE, Verdict.ERROR, Verdict.NOT_EVALUATED)


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one target to one case, in the order of repeats."""

    answers: tuple[ResultRecord, ...]

    @property
    def first(self) -> ResultRecord:
        """The first answer, with the suite, case and target of the group."""
        return self.answers[0]

    @property
    def score(self) -> float | None:
        """The mean of the scores, None if there is none."""
        if len(self.answers) == 1:
            return self.first.graded_score
        return mean(it.graded_score for it in self.answers)

    @property
    def verdicts(self) -> Counter[Verdict]:
        """The number of answers with each verdict."""
        return Counter(it.verdict for it in self.answers)

    @property
    def verdict(self) -> Verdict:
        """The most frequent verdict; the worst one of a tie. Graded ones take precedence."""
        if len(self.answers) == 1:
            return self.first.verdict
        counts = self.verdicts
        graded = [it for it in SCALE if counts[it]] or [it for it in VERDICT_ORDER if counts[it]]
        return max(graded, key=lambda it: (counts[it], VERDICT_ORDER.index(it)))


def grouped(answers: Iterable[ResultRecord]) -> list[Group]:
    """Return the answers grouped by suite, case and target, in order of appearance."""
    groups: dict[tuple[str, str, str], list[ResultRecord]] = {}
    for answer in answers:
        groups.setdefault((answer.suite, answer.eval_id, answer.target), []).append(answer)
    return [
        Group(tuple(sorted(them, key=lambda answer: answer.repeat))) for them in groups.values()
    ]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None, if any."""
    numbers = [it for it in values if it is not None]
    return fmean(numbers) if numbers else None


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are not None, if any."""
    numbers = [it for it in values if it is not None]
    return sum(numbers) if numbers else None
