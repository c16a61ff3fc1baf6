"""What a run comes to: counts and a mean, kept as the records come."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.score import Verdict


@dataclass(slots=True)
class CaseTally:
    """How a case did each time it was asked.

    Attributes:
        runs: how often it has a record.
        passed: how often it passed.
        graded: how often it has a score, the lowest and the highest of which are kept.
    """

    runs: int = 0
    passed: int = 0
    graded: int = 0
    lowest: float | None = None
    highest: float | None = None
    _mean: float = 0.0
    _squares: float = 0.0

    def add(self, verdict: Verdict, score: float | None) -> None:
        """Count a record."""
        self.runs += 1
        self.passed += verdict is Verdict.PASS
        if score is None or not verdict.graded:
            return
        # Welford's method: sums of squares lose digits where scores are close to each other.
        self.graded += 1
        before = score - self._mean
        self._mean += before / self.graded
        self._squares += before * (score - self._mean)
        self.lowest = score if self.lowest is None else min(self.lowest, score)
        self.highest = score if self.highest is None else max(self.highest, score)

    @property
    def mean(self) -> float | None:
        """The mean score, None where there is none."""
        return self._mean if self.graded else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation of the scores, None for fewer than two."""
        return math.sqrt(self._squares / (self.graded - 1)) if self.graded > 1 else None

    def summary(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "passed": self.passed,
            "mean": self.mean,
            "lowest": self.lowest,
            "highest": self.highest,
            "deviation": self.deviation,
        }


class Tally:
    """Adds records up; it keeps none of them."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.judge_parse_failures = 0
        #: By case, of a run in which each case is asked several times.
        self.repeated: dict[str, CaseTally] = {}
        self._scores = 0.0
        self._done: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record."""
        verdict = Verdict(record["verdict"])
        self.verdicts[verdict] += 1
        if verdict.graded:
            self._scores += record["score"]
        self.judge_parse_failures += sum(it["parse_failed"] for it in record["evaluator_results"])
        self._done[record["eval_id"]] += 1
        if record.get("repeats", 1) > 1:
            case = self.repeated.setdefault(record["eval_id"], CaseTally())
            case.add(verdict, record["score"])

    @property
    def graded(self) -> int:
        """How many records have a score that counts."""
        return sum(number for verdict, number in self.verdicts.items() if verdict.graded)

    @property
    def mean_score(self) -> float | None:
        """The mean over the graded records, None where there are none."""
        return self._scores / self.graded if self.graded else None

    def not_run(self, cases: Sequence[str], repeats: int = 1) -> tuple[str, ...]:
        """Return those of the cases that have fewer records than they should."""
        return tuple(it for it in cases if self._done[it] < repeats)

    def summary(self, cases: Sequence[str], repeats: int = 1) -> dict[str, Any]:
        """Return the summary of a run of these cases, as `protocol.Finished` has it."""
        summary: dict[str, Any] = {
            "verdicts": {it.value: self.verdicts[it] for it in Verdict},
            "mean_score": self.mean_score,
            "judge_parse_failures": self.judge_parse_failures,
            "not_run": list(self.not_run(cases, repeats)),
        }
        if self.repeated:
            summary["repeats"] = {case: it.summary() for case, it in self.repeated.items()}
        return summary
