"""What failing cases have in common: tags, values of metadata, evaluators, rubrics.

A tag or value is tested by Fisher's exact test: are cases that have it failing more often than the
others? The p-values are adjusted for all that were tested, by Holm's method. Evaluators and rubrics
are only counted, since the verdicts follow from them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from suitecase.figures.gates.slices import value_text
from suitecase.figures.statistics.exact_tests import fisher_exact, holm
from suitecase.report.groups import Group
from suitecase.report.summary import named_results, rubrics_of
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status

ALPHA = 0.05
#: The number of tags and values shown, of evaluators, and of rubrics.
MOST = 10
#: The number of tags and values shown if chance explains all of them.
FEW = 5
#: A key of metadata with more values, such as a customer's number, is not looked at.
MOST_VALUES = 20
#: A key of metadata with so many values is not even counted.
_TOO_MANY_VALUES = 1_000
#: What fewer cases have says nothing.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Trait:
    """A tag or a value of metadata that failing cases have more often than the others.

    Attributes:
        kind: `tag` or `metadata`.
        failing: how many of the cases with it fail.
        cases: how many cases have it.
        others_failing, others: the same of the cases without it.
        p: adjusted for all traits that were tested; None where cases are not independent.
    """

    kind: str
    name: str
    failing: int
    cases: int
    others_failing: int
    others: int
    p: float | None

    @property
    def share(self) -> float:
        """The share of cases with it that fail."""
        return self.failing / self.cases

    @property
    def others_share(self) -> float:
        """The share of cases without it that fail."""
        return self.others_failing / self.others


@dataclass(frozen=True, slots=True)
class Failures:
    """What the failing cases of a run have in common.

    Attributes:
        failing: the number of cases with the verdict `fail`.
        graded: the number of cases with a grade.
        traits: the most over-represented first.
        tested: the number of traits that were looked at.
        grouped: whether cases belong to groups, so that they are not independent.
        evaluators: in how many failing cases each evaluator failed.
        rubrics: in how many failing cases each rubric was missed, with its evaluator.
    """

    failing: int
    graded: int
    traits: tuple[Trait, ...]
    tested: int
    grouped: bool
    evaluators: tuple[tuple[str, int], ...]
    rubrics: tuple[tuple[tuple[str, str], int], ...]

    @property
    def established(self) -> bool:
        """Whether a trait is over-represented beyond chance."""
        return any(map(_established, self.traits))


def _established(trait: Trait) -> bool:
    return trait.p is not None and trait.p <= ALPHA


class Traits:
    """The tags and the values of metadata of answers, as they are read: four bytes an answer."""

    def __init__(self) -> None:
        #: Whether cases belong to groups.
        self.grouped = False
        self._codes = array("I")
        self._sets: dict[tuple[tuple[str, str], ...], int] = {}
        self._values: dict[str, set[str]] = {}

    def add(self, record: ResultRecord) -> None:
        """Add the next answer of a run."""
        self.grouped = self.grouped or record.group is not None
        found = tuple(self._found(record))
        self._codes.append(self._sets.setdefault(found, len(self._sets)))

    def _found(self, record: ResultRecord) -> Iterator[tuple[str, str]]:
        for tag in dict.fromkeys(record.tags):
            yield "tag", tag
        for key, value in record.metadata.items():
            seen = self._values.setdefault(key, set())
            if len(seen) > _TOO_MANY_VALUES:
                continue
            text = value_text(value)
            if text is not None:
                seen.add(text)
                yield "metadata", f"{key}={text}"

    def counts(self, groups: Sequence[Group]) -> Counter[tuple[str, str]]:
        """Return how many cases have each trait."""
        of_sets = Counter(self._codes[group.numbers[0]] for group in groups)
        counts: Counter[tuple[str, str]] = Counter()
        for found, code in self._sets.items():
            if number := of_sets[code]:
                for trait in found:
                    counts[trait] += number
        return counts


def traits_of(answers: Sequence[ResultRecord]) -> Traits:
    """Return the traits of the answers of a run."""
    traits = Traits()
    for record in answers:
        traits.add(record)
    return traits


def failures_of(groups: Sequence[Group], found: Traits) -> Failures | None:
    """Return what failing cases have in common; None if no case fails.

    Args:
        groups: the cases.
        found: the traits of the run's answers.
    """
    graded = [group for group in groups if group.status.graded]
    failing = [group for group in graded if group.status is Status.FAIL]
    if not failing:
        return None
    grouped = found.grouped
    traits = _traits(graded, failing, found)
    if not grouped:
        p_values = holm([_p(trait) for trait in traits])
        traits = [replace(it, p=p) for it, p in zip(traits, p_values, strict=True)]
    over = [trait for trait in traits if trait.share > trait.others_share]
    over.sort(key=lambda it: (1.0 if it.p is None else it.p, it.others_share - it.share))
    evaluators: Counter[str] = Counter()
    rubrics: Counter[tuple[str, str]] = Counter()
    for case in failing:
        evaluators.update(_failed_evaluators(case))
        rubrics.update(_missed_rubrics(case))
    return Failures(
        failing=len(failing),
        graded=len(graded),
        traits=tuple(over[:MOST] if any(map(_established, over)) or grouped else over[:FEW]),
        tested=len(traits),
        grouped=grouped,
        evaluators=tuple(evaluators.most_common(MOST)),
        rubrics=tuple(rubrics.most_common(MOST)),
    )


def _traits(graded: Sequence[Group], failing: Sequence[Group], found: Traits) -> list[Trait]:
    every, bad = found.counts(graded), found.counts(failing)
    values = Counter(name.partition("=")[0] for kind, name in every if kind == "metadata")
    return [
        Trait(
            kind,
            name,
            failing=bad[kind, name],
            cases=number,
            others_failing=len(failing) - bad[kind, name],
            others=len(graded) - number,
            p=None,
        )
        for (kind, name), number in every.items()
        if number >= FEWEST
        and number < len(graded)
        and (kind == "tag" or values[name.partition("=")[0]] <= MOST_VALUES)
    ]


def _p(trait: Trait) -> float:
    return fisher_exact(
        trait.failing,
        trait.cases - trait.failing,
        trait.others_failing,
        trait.others - trait.others_failing,
    )


def _failed_evaluators(case: Group) -> set[str]:
    return {
        name
        for answer in case.answers
        for name, result in named_results(answer.evaluator_results)
        if result.status is Status.FAIL
    }


def _missed_rubrics(case: Group) -> set[tuple[str, str]]:
    return {
        (rubric, name)
        for answer in case.answers
        for name, result in named_results(answer.evaluator_results)
        for rubric, _, hit in rubrics_of(result)
        if hit is False
    }
