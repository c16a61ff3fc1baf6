"""What a run comes to: counts and a mean, kept as the records come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from suitecase_evaluators.score import Verdict


class Tally:
    """Adds records up; it keeps none of them."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.judge_parse_failures = 0
        self._scores = 0.0
        self._done: set[str] = set()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record."""
        verdict = Verdict(record["verdict"])
        self.verdicts[verdict] += 1
        if verdict.graded:
            self._scores += record["score"]
        self.judge_parse_failures += sum(it["parse_failed"] for it in record["evaluator_results"])
        self._done.add(record["eval_id"])

    @property
    def graded(self) -> int:
        """How many cases have a score that counts."""
        return sum(number for verdict, number in self.verdicts.items() if verdict.graded)

    @property
    def mean_score(self) -> float | None:
        """The mean over the graded cases, None where there are none."""
        return self._scores / self.graded if self.graded else None

    def not_run(self, cases: Sequence[str]) -> tuple[str, ...]:
        """Return those of the cases that have no record."""
        return tuple(it for it in cases if it not in self._done)

    def summary(self, cases: Sequence[str]) -> dict[str, Any]:
        """Return the summary of a run of these cases, as `protocol.Finished` has it."""
        return {
            "verdicts": {it.value: self.verdicts[it] for it in Verdict},
            "mean_score": self.mean_score,
            "judge_parse_failures": self.judge_parse_failures,
            "not_run": list(self.not_run(cases)),
        }
