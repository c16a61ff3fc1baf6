"""What makes a recorded grade doubtful: a score on another scale, verdicts that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY, GIVEN_SCORE
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import shown_number


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why somebody should look at a grade; `text` says it to people, as a sentence without its end."""

    kind: Literal["clamped_score", "ambiguous_reply"]
    text: str
    #: The evaluator, after the composites that it is a member of.
    where: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """Say where it is, too."""
        return f"{' / '.join(self.where)}: {self.text}" if self.where else self.text


def doubts_of(result: EvaluatorRecord) -> list[Doubt]:
    """Return what is doubtful in what one evaluator says, without the members of composites."""
    found: list[Doubt] = []
    details = result.details
    given = details.get(GIVEN_SCORE)
    if isinstance(given, int | float) and not isinstance(given, bool) and not 0 <= given <= 1:
        taken = 1 if given > 1 else 0
        text = f"the score {shown_number(given)} is outside 0 to 1 and counts as {taken}"
        if result.parse_failed:
            text = (
                f"the judge gave the score {shown_number(given)}, outside 0 to 1, also when it was asked "
                f"again; {taken} is recorded, and counts as no grade"
            )
        found.append(Doubt("clamped_score", text))
    if details.get(AMBIGUOUS_REPLY) is True:
        text = "the judge's reply contains different verdicts; the first one counts"
        found.append(Doubt("ambiguous_reply", text))
    return found


def doubts_in(record: ResultRecord) -> Iterator[Doubt]:
    """Yield what is doubtful in the grades of a record, the members of composites included."""
    for result in record.evaluator_results:
        yield from doubts_within(result)


def doubts_within(result: EvaluatorRecord, above: tuple[str, ...] = ()) -> Iterator[Doubt]:
    """Yield what is doubtful in what an evaluator and its members say.

    Args:
        above: the composites that it is a member of.
    """
    where = (*above, result.label)
    for found in doubts_of(result):
        yield Doubt(found.kind, found.text, where)
    for member in result.members:
        yield from doubts_within(member, where)
