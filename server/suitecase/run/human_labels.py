"""What people's labels come to, for the evaluators of a run that are graded by people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.run.case_store import Cases
from suitecase_evaluators.grade.human import HumanConfig

if TYPE_CHECKING:
    from suitecase.evidence.labels.label import LabelValue

HUMAN = "human"
_Values = Mapping[str, bool | int | None]


@dataclass(frozen=True, slots=True)
class PeoplesScores:
    """What people's labels of answers come to, by the name of the evaluator.

    Attributes:
        values: by the id of the case and the digest of the answer, the value of each item; None where
            people differ.
        unread: why some of the labels cannot be read, as a clause, so that none of the values is sure.
        awaited: the label files that are not there yet, as a clause.
    """

    values: Mapping[str, Mapping[tuple[str, str], _Values]] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    awaited: Mapping[str, str] = field(default_factory=dict)


def peoples_scores(parsed: ParsedSuite, cases: Cases, folder: Folder) -> PeoplesScores:
    """Return what the labels come to; nothing is read for suites that people do not grade."""
    if HUMAN not in cases.types:
        return PeoplesScores()
    configs = (evaluator.config for case in cases for evaluator in case.evaluators)
    names = {config.name for config in configs if isinstance(config, HumanConfig)}
    from suitecase.evidence.labels.people import first_clauses, peoples_labels

    read = {name: peoples_labels(parsed, name, folder) for name in sorted(names)}
    found = {name: it for name, it in read.items() if it is not None}
    return PeoplesScores(
        values={
            name: {
                answer: {item: _whole(value) for item, value in values.items()}
                for answer, values in it.adjudicated().items()
            }
            for name, it in found.items()
        },
        unread={name: first_clauses(it.unread) for name, it in found.items() if it.unread},
        awaited={name: first_clauses(it.not_found) for name, it in found.items() if it.not_found},
    )


def _whole(value: LabelValue | None) -> bool | int | None:
    """Return a value that counts, which is on its item's scale, as judges give it."""
    return int(value) if isinstance(value, float) else value


def labels_of_answer(people: PeoplesScores, case: str, text: str) -> Mapping[str, _Values]:
    """Return what the labels of one answer come to, by the name of the evaluator.

    Args:
        people: the labels of the run.
        case: the id of the case.
        text: the answer.
    """
    if not people.values:
        return {}
    from suitecase.evidence.labels.digests import answer_digest

    key = (case, answer_digest(text))
    return {name: answers[key] for name, answers in people.values.items() if key in answers}
