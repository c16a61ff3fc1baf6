"""A suite that was run with several targets: what each came to, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from suitecase.cli.running.model_use import ModelUse
from suitecase.cli.suite_argument import SuiteArgument
from suitecase_evaluators.answers.records.answered_by import STAND_INS
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import GRAVEST_FIRST, Status
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.answers.score import Verdict


@dataclass(slots=True)
class AnswerFigures:
    """What the answers of a target cost and how long they took, fed with records as they arrive.

    Attributes:
        models: by each model that answered or judged, as its provider names it, what that came to.
        statuses: the gravest status of each case.
        answers: what all answers came to.
        tokens: read and written for the answers; None where no answer has it.
    """

    models: dict[str, ModelUse] = field(default_factory=dict)
    statuses: dict[str, Status] = field(default_factory=dict)
    answers: ModelUse = field(default_factory=ModelUse)
    tokens: int | None = None

    def add(self, record: ResultRecord) -> None:
        """Count a record."""
        before = self.statuses.get(record.eval_id, record.status)
        self.statuses[record.eval_id] = min(before, record.status, key=GRAVEST_FIRST.index)
        if record.candidate_answer is not None:
            self._add_answer(record)
        for result in record.evaluator_results:
            if result.reported_model is not None:
                use = self.models.setdefault(result.reported_model, ModelUse())
                use.judgements += 1
                free = result.judge_usd is None and not result.judge_calls_unpriced
                use.pay(0.0 if free else result.judge_usd)

    def _add_answer(self, record: ResultRecord) -> None:
        uses = [self.answers]
        if record.reported_model is not None:
            uses.append(self.models.setdefault(record.reported_model, ModelUse()))
        usd, duration = record.answer_usd, record.duration_ms
        for use in uses:
            use.answers += 1
            if record.cached:
                continue
            use.pay(0.0 if usd is None and record.answered_by in STAND_INS else usd)
            if duration is not None:
                use.seconds.append(duration / 1000)
        if record.answer_tokens != (None, None) and not record.cached:
            self.tokens = (self.tokens or 0) + sum(
                answer_token or 0 for answer_token in record.answer_tokens
            )


@dataclass(frozen=True, slots=True)
class TargetRow:
    """What the run with one of the targets came to.

    `cases` are in the order of the suite, and answers in that in which they came.
    """

    suite: SuiteArgument
    cases: tuple[str, ...]
    tally: Tally
    figures: AnswerFigures
    results_path: str | None = None

    @property
    def target(self) -> str:
        return self.suite.target or ""

    @property
    def models(self) -> list[str]:
        """The models that answered, as far as they are known."""
        return [name for name, use in self.figures.models.items() if use.answers]

    def to_json(self) -> dict[str, Any]:
        answers, usage = self.figures.answers, self.tally.usage.summary()
        return {
            "target": self.target,
            "models": self.models,
            "verdicts": {verdict.value: self.tally.verdicts[verdict] for verdict in Verdict},
            "statuses": {status.value: self.tally.statuses[status] for status in Status},
            "mean_score": self.tally.mean_score,
            "cost_usd": {"answers": answers.cost_usd, "judges": usage["cost_usd"]["judges"]},
            "latency_seconds": {"median": answers.median, "p95": answers.p95},
            "tokens": usage["tokens"],
            "results_file": self.results_path,
        }


@dataclass(frozen=True, slots=True)
class DifferingCase:
    """A case that passes with some targets, and fails or is borderline with others."""

    case: str
    statuses: dict[str, Status]

    @property
    def text(self) -> str:
        """Who came to which status, as people say it."""
        by_status: dict[Status, list[str]] = {}
        for target, status in self.statuses.items():
            by_status.setdefault(status, []).append(target)
        return "; ".join(
            f"{status.word}: {', '.join(by_status[status])}"
            for status in reversed(GRAVEST_FIRST)
            if status in by_status
        )


@dataclass(frozen=True, slots=True)
class TargetComparison:
    """The runs of a suite, one for each target."""

    rows: tuple[TargetRow, ...]

    @property
    def suite(self) -> SuiteArgument:
        return self.rows[0].suite

    @property
    def cases(self) -> int:
        """The number of cases that at least one target has a result of."""
        return len({case for row in self.rows for case in row.figures.statuses})

    @property
    def differing(self) -> list[DifferingCase]:
        """The cases that pass with one target and do not with another, as far as they were graded."""
        cases = dict.fromkeys(case for row in self.rows for case in row.cases)
        found: list[DifferingCase] = []
        for case in cases:
            statuses = {
                row.target: row.figures.statuses[case]
                for row in self.rows
                if case in row.figures.statuses
            }
            values = set(statuses.values())
            passes = values & {Status.PASS, Status.REHEARSED}
            if passes and values & {Status.FAIL, Status.BORDERLINE}:
                found.append(DifferingCase(case, statuses))
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite.shown,
            "targets": [row.to_json() for row in self.rows],
            "differing": [
                {
                    "case": differing.case,
                    "verdicts": {name: v.value for name, v in differing.statuses.items()},
                }
                for differing in self.differing
            ],
        }


def comparisons(rows: Sequence[TargetRow]) -> list[TargetComparison]:
    """Return the comparison of each suite that was run with several targets."""
    by_suite: dict[Any, list[TargetRow]] = {}
    for row in rows:
        if row.suite.target is not None:
            by_suite.setdefault(row.suite.path, []).append(row)
    return [
        TargetComparison(tuple(listed))
        for listed in by_suite.values()
        if any(row.tally.verdicts for row in listed)
    ]
