"""What people's labels come to, for the evaluators of a run that are graded by people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from suitecase.run.case_store import Cases
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.workspace import Folder
from suitecase_evaluators.human import HumanConfig

if TYPE_CHECKING:
    from suitecase.suite.labels.label import LabelValue

HUMAN = "human"
#: By the name of an evaluator and the id and the digest of an answer: the value of each item, None where
#: people differ.
PeoplesScores = Mapping[str, Mapping[tuple[str, str], Mapping[str, bool | int | None]]]


def peoples_scores(parsed: ParsedSuite, cases: Cases, folder: Folder) -> PeoplesScores:
    """Return what the labels come to; nothing is read for suites that people do not grade."""
    if HUMAN not in cases.types:
        return {}
    configs = (it.config for case in cases for it in case.evaluators)
    names = {it.name for it in configs if isinstance(it, HumanConfig)}
    from suitecase.suite.labels.people import peoples_labels

    found = {name: peoples_labels(parsed, name, folder) for name in sorted(names)}
    return {
        name: {
            answer: {item: _whole(value) for item, value in values.items()}
            for answer, values in it.adjudicated().items()
        }
        for name, it in found.items()
        if it is not None
    }


def _whole(value: LabelValue | None) -> bool | int | None:
    """Return a value that counts, which is on its item's scale, as judges give it."""
    return int(value) if isinstance(value, float) else value


def labels_of_answer(
    people: PeoplesScores, case: str, text: str
) -> Mapping[str, Mapping[str, bool | int | None]]:
    """Return what the labels of one answer come to, by the name of the evaluator.

    Args:
        people: the labels of the run.
        case: the id of the case.
        text: the answer.
    """
    if not people:
        return {}
    from suitecase.suite.labels.digests import answer_digest

    key = (case, answer_digest(text))
    return {name: answers[key] for name, answers in people.items() if key in answers}
