"""Regrading the answers of a resumed run: only failed evaluators grade again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from suitecase.run.job_records import JobRecords
from suitecase.run.jobs import Job
from suitecase.run.record_fields import Judged
from suitecase.run.record_model import EvaluatorResult, RecordModel
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import Quote, Score, Verdict
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.targets.recorded_answer import recorded_answer
from suitecase_evaluators.targets.target import Reply


@dataclass(frozen=True, slots=True)
class PreviousAnswer:
    """An answer that was not graded completely, with its existing grades."""

    reply: Reply
    record: RecordModel

    def grade_by(self, number: int, config: EvaluatorConfig) -> EvaluatorResult | None:
        """Return the previous result of the evaluator with this number; None if it failed."""
        results = self.record.evaluator_results
        if number >= len(results):
            return None
        result = results[number]
        same = (result.name, result.type) == (config.name, config.type)
        return result if same and result.verdict is not Verdict.ERROR else None

    def broken(self, configs: Sequence[EvaluatorConfig]) -> list[EvaluatorConfig]:
        """Return the evaluators that have to grade the answer again."""
        return [it for number, it in enumerate(configs) if self.grade_by(number, it) is None]


@dataclass(frozen=True, slots=True)
class PreviousAnswers:
    """The answers of a results file that are only regraded, read on demand."""

    path: Path
    #: By the id of a case and the repeat.
    places: dict[tuple[str, int], int]

    @classmethod
    def of(cls, path: Path, previous: JobRecords) -> PreviousAnswers:
        """Return the answers of a file.

        Raises:
            OSError: it cannot be read.
        """
        keys = previous.answers()
        if not keys:
            return cls(path, {})
        places: dict[tuple[str, int], int] = {}
        with path.open("rb") as lines:
            place = 0
            for number, line in enumerate(lines):
                if number in keys:
                    places[keys[number]] = place
                place += len(line)
        return cls(path, places)

    def has(self, job: Job) -> bool:
        """Whether there is an answer for a job."""
        return (job.case.id, job.repeat) in self.places

    def find(self, job: Job) -> PreviousAnswer | None:
        """Return the answer for a job; None if there is none, or it can no longer be read."""
        place = self.places.get((job.case.id, job.repeat))
        if place is None:
            return None
        try:
            with self.path.open("rb") as file:
                file.seek(place)
                parsed = ResultRecord.parse(file.readline())
            if parsed is None:
                return None
            record = RecordModel.model_validate(parsed.fields, strict=False)
        except (OSError, ValueError):
            return None
        return PreviousAnswer(recorded_answer(parsed.fields, record.details), record)


def kept_grade(result: EvaluatorResult) -> tuple[Score, Judged]:
    """Return a recorded grade: the score and its judge."""
    score = Score(
        score=result.score,
        verdict=result.verdict,
        hits=tuple(result.hits),
        misses=tuple(result.misses),
        reasoning=result.reasoning,
        gate_failed=bool(result.gate_failed),
        details=result.details,
        request=result.evaluator_provider_request,
        parse_failed=result.parse_failed,
        attempts=result.attempts,
        sandbox=result.sandbox,
        confidence=result.confidence,
        quotes=None
        if result.quotes is None
        else tuple(Quote(quote.item, quote.quote, quote.in_answer) for quote in result.quotes),
        error=result.error,
    )
    return score, Judged(
        result.judge_usage,
        result.judged_by,
        result.judge_hash,
        result.reported_model,
        result.requested_model,
    )
