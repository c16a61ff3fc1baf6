"""How often a record's evaluators asked a judge, and what came of it, at any depth of composites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase_evaluators.answers.records import values
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord


@dataclass(frozen=True, slots=True)
class Judgement:
    """One evaluator, or one aggregator of a composite, that asked a judge."""

    #: None of its replies could be read in full.
    unreadable: bool
    #: It could not be asked.
    broken: bool
    #: Of the unreadable ones: some rubric items were answered, and others left out.
    partly: bool = False
    #: The target that was asked, and why its last unreadable reply could not be read; None where that
    #: is not recorded.
    judge: str | None = None
    problem: str | None = None


def judgements(result: EvaluatorRecord) -> Iterator[Judgement]:
    """Yield the judgements of an evaluator in a record.

    Of a composite these are those of its members and of its aggregator; one of a version that did
    not tell them apart is a single judgement.
    """
    details = result.details
    own: EvaluatorRecord | None = result
    match result.type:
        case "composite":
            if all("attempts" in it.fields for it in result.members):
                for member in result.members:
                    yield from judgements(member)
                aggregator = values.mapping(details.get("aggregator"))
                own = EvaluatorRecord(aggregator) if aggregator else None
        case "code_judge" if details.get("target_calls"):
            # The script asked; whether it could use the replies is its own business.
            yield Judgement(unreadable=False, broken=bool(details.get("target_calls_failed")))
    if own is not None and own.attempts:
        partly = own.parse_failed and own is result and bool(details.get("missing_items"))
        judge = values.mapping(own.fields.get("evaluator_provider_request")).get("target")
        yield Judgement(
            own.parse_failed,
            own.error is not None,
            partly,
            judge=judge if isinstance(judge, str) else None,
            problem=trouble_of(own) or None,
        )


def judge_troubles(record: ResultRecord) -> list[str]:
    """Return what was wrong with the last reply of each judge that failed, each once."""
    return list(
        dict.fromkeys(trouble for of in record.evaluator_results for trouble in _troubles(of))
    )


def trouble_of(result: EvaluatorRecord) -> str:
    """Return what was wrong with the last reply of an evaluator's judge; empty if that is not known."""
    problems = values.texts(result.details.get("reply_problems"))
    return problems[-1] if problems else ""


def _troubles(result: EvaluatorRecord) -> Iterator[str]:
    if not result.parse_failed:
        return
    within = [trouble for member in result.members for trouble in _troubles(member)]
    yield from within or filter(None, [trouble_of(result)])
