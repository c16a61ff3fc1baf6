"""What a comparison needs of each answer of a run, taken as its records stream by."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from math import isnan, nan
from statistics import fmean
from typing import Any, NamedTuple

from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import Verdict

_UNKNOWN = bytes(16)
#: So many different tags and metadata are kept once for all cases that have them.
_MOST_SHARED = 1_000

#: Tags and metadata of a case.
Facts = tuple[frozenset[str], Mapping[str, Any]]


class Value(NamedTuple):
    """The mean over the answers to a case."""

    score: float
    pass_rate: float


class _Grades:
    """The scores of answers, not a number where there is none or a reply could not be read."""

    __slots__ = ("passed", "scores")

    def __init__(self) -> None:
        self.scores = array("d")
        self.passed = bytearray()

    def set(self, number: int, result: ResultRecord | EvaluatorRecord) -> None:
        """Set the grade of an answer; of those before it that have none there is none."""
        gap = number - len(self.scores)
        if gap > 0:
            self.scores.extend([nan] * gap)
            self.passed.extend(bytes(gap))
        score = result.graded_score
        self.scores.append(nan if score is None else score)
        self.passed.append(result.verdict is Verdict.PASS)

    def value(self, numbers: Sequence[int]) -> Value | None:
        """Return the mean over some answers; None if none of them has a score."""
        known = [
            number
            for number in numbers
            if number < len(self.scores) and not isnan(self.scores[number])
        ]
        if not known:
            return None
        if len(known) == 1:
            return Value(self.scores[known[0]], float(self.passed[known[0]]))
        score = fmean(self.scores[it] for it in known)
        return Value(score, sum(self.passed[it] for it in known) / len(known))


class GradedAnswers:
    """The grades of the answers of a run, what they are answers to, and who gave them, by number."""

    def __init__(self) -> None:
        self.whole = _Grades()
        self._by_evaluator: dict[str, _Grades] = {}
        #: By answer, digests of the text of its case.
        self._texts = bytearray()
        #: By answer, the place of what it is among those that occur.
        self._names, self._groups, self._facts = array("I"), array("I"), array("I")
        self._all_names: dict[tuple[str, ...], int] = {}
        self._all_groups: dict[str | None, int] = {}
        self._all_facts: list[Facts | None] = [None]
        self._shared: dict[str, int] = {}
        #: By answer, its score, not a number where there is none, and its target.
        self._scores, self._target_of = array("d"), array("I")
        self._targets: dict[str, int] = {}

    def add(self, record: ResultRecord) -> None:
        """Add the next answer."""
        number = len(self._names)
        self.whole.set(number, record)
        names: dict[str, None] = {}
        for result in record.evaluator_results:
            name = result.label
            if name not in names:  # of several with one name, the first counts
                names[name] = None
                self._by_evaluator.setdefault(name, _Grades()).set(number, result)
        text = record.version.text
        digest = _UNKNOWN if text is None else blake2b(_bytes(text), digest_size=16).digest()
        self._texts += digest
        self._names.append(self._all_names.setdefault(tuple(names), len(self._all_names)))
        # The prompts of another tool's suite are answers to one case.
        group = record.case if record.group is None and record.is_row else record.group
        self._groups.append(self._all_groups.setdefault(group, len(self._all_groups)))
        self._facts.append(self._facts_of(record))
        score = record.graded_score
        self._scores.append(nan if score is None else score)
        self._target_of.append(self._targets.setdefault(record.target, len(self._targets)))

    def _facts_of(self, record: ResultRecord) -> int:
        if "tags" not in record.fields and "metadata" not in record.fields:
            return 0
        tags, metadata = record.tags, record.metadata
        key = repr((tags, metadata))
        place = self._shared.get(key)
        if place is None:
            place = len(self._all_facts)
            self._all_facts.append((frozenset(tags), metadata))
            if len(self._shared) < _MOST_SHARED:
                self._shared[key] = place
        return place

    def finished(self) -> None:
        """Make names, groups and facts known by their place, once all answers were added."""
        self._listed_names = [*self._all_names]
        self._listed_groups = [*self._all_groups]

    @property
    def targets(self) -> Sequence[str]:
        """The targets, in the order of appearance."""
        return [*self._targets]

    def mean(self, target: str | None = None) -> float | None:
        """Return the mean score of a target's answers, or of all; None if there is none."""
        wanted = None if target is None else self._targets.get(target, -1)
        return self.mean_of(it for it, own in enumerate(self._target_of) if wanted in (None, own))

    def mean_of(self, numbers: Iterable[int]) -> float | None:
        """Return the mean score of some answers."""
        known = array("d", (it for at in numbers if not isnan(it := self._scores[at])))
        return fmean(known) if known else None

    def texts(self, numbers: Sequence[int]) -> set[bytes]:
        """Return digests of the texts that some answers are to; of an unknown one all are 0."""
        return {bytes(self._texts[number * 16 : number * 16 + 16]) for number in numbers}

    def by_evaluator(self, numbers: Sequence[int]) -> Iterator[tuple[str, Value | None]]:
        """Yield the evaluators of some answers with the mean of what each gave."""
        names = dict.fromkeys(
            n for number in numbers for n in self._listed_names[self._names[number]]
        )
        return ((name, self.of_evaluator(name, numbers)) for name in names)

    def of_evaluator(self, name: str, numbers: Sequence[int]) -> Value | None:
        """Return the mean of what an evaluator gave some answers."""
        grades = self._by_evaluator.get(name)
        return None if grades is None else grades.value(numbers)

    def group(self, number: int) -> str | None:
        """Return the group of the case of an answer."""
        return self._listed_groups[self._groups[number]]

    def facts(self, number: int) -> Facts | None:
        """Return the tags and metadata of the case of an answer; None where they are not recorded."""
        return self._all_facts[self._facts[number]]


def is_unknown(texts: Iterable[bytes]) -> bool:
    """Whether one of the digests is that of a text that is not known."""
    return _UNKNOWN in texts


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
