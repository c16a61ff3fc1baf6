"""The summary of a run: counts, means, the distribution of scores, evaluators and rubrics."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isnan, nan
from statistics import fmean

from suitecase.report.groups import STATUS_ORDER, mean, total
from suitecase.report.results_file import Run
from suitecase_evaluators.answers.records import values
from suitecase_evaluators.answers.records.doubts import doubts_of
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally, TargetTally
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.answers.score import Verdict

#: The number of bins of the histogram of scores; the thresholds 0.6 and 0.8 are bin edges.
BINS = 20
#: More rubrics are counted and not listed: a case may have some of its own.
MOST_RUBRICS = 1_000
_RUBRIC = re.compile(r"\[([^\]\n]{1,200})\]\s")


@dataclass(slots=True)
class Part:
    """The results of an evaluator or a rubric over all answers."""

    name: str
    type: str
    #: The text of a rubric, where another one has its name; empty otherwise.
    text: str = ""
    scores: array[float] = field(default_factory=lambda: array("d"))
    hits: int = 0
    misses: int = 0
    gates_failed: int = 0
    errors: int = 0
    not_evaluated: int = 0
    parse_failures: int = 0
    clamped_scores: int = 0
    ambiguous_replies: int = 0

    @property
    def mean(self) -> float | None:
        """The mean score in 0..1, None if nothing was graded."""
        return mean(self.scores)

    @property
    def hit_rate(self) -> float | None:
        """The share of hits in all hits and misses, None if there are neither."""
        points = self.hits + self.misses
        return self.hits / points if points else None


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a run."""

    tally: Tally
    cases: int
    suites: tuple[str, ...]
    datasets: tuple[str, ...]
    targets: tuple[str, ...]
    tokens_in: float | None
    tokens_out: float | None
    #: What the answers cost, in US dollars, as far as is known, and how many have no known cost.
    cost_usd: float | None
    unpriced: int
    #: The total time of all answers, in milliseconds.
    duration_ms: float | None
    began: datetime | None
    ended: datetime | None
    #: The number of scores in each of the `BINS` bins, by status.
    distribution: tuple[Mapping[Status, int], ...]
    #: Whether any answer passes by its score, rather than by the rule of another tool.
    passes_by_score: bool
    evaluators: tuple[Part, ...]
    #: Sorted by mean score, lowest first; the `MOST_RUBRICS` lowest of `rubrics_in_all`.
    rubrics: tuple[Part, ...]
    rubrics_in_all: int

    @property
    def troubles(self) -> list[str]:
        """The names of the problem counts of `Part` that are not 0 for every evaluator."""
        names = (
            "gates_failed",
            "errors",
            "not_evaluated",
            "parse_failures",
            "clamped_scores",
            "ambiguous_replies",
        )
        return [
            name for name in names if any(getattr(evaluator, name) for evaluator in self.evaluators)
        ]

    @property
    def statuses(self) -> Mapping[Status, int]:
        """The number of answers with each status, in the order of reports."""
        return {status: self.tally.statuses[status] for status in STATUS_ORDER}

    @property
    def by_target(self) -> Mapping[str, TargetTally]:
        """The results of each target; empty if there is only one."""
        return self.tally.targets if self.tally.several_targets else {}


def summarize(run: Run) -> Summary:
    """Return the summary of a run."""
    found = Summarizer(run.tally)
    for answer in run.answers:
        found.add(answer)
    return found.summary()


class Summarizer:
    """Makes the summary of a run from its answers, none of which it keeps."""

    def __init__(self, tally: Tally) -> None:
        """
        Args:
            tally: of all answers.
        """
        self._tally = tally
        self._cases: dict[str, set[str]] = {}
        self._datasets: dict[str, None] = {}
        self._tokens_in: int | None = None
        self._tokens_out: int | None = None
        self._costs = array("d")
        self._unpriced = 0
        self._durations = array("d")
        self._began: datetime | None = None
        self._ended: datetime | None = None
        self._bins: list[Counter[Status]] = [Counter() for _ in range(BINS)]
        self._passes_by_score = False
        self._evaluators: dict[tuple[str, str], Part] = {}
        self._rubrics = RubricParts()

    def add(self, answer: ResultRecord) -> None:
        """Take from an answer what the summary needs."""
        self._passes_by_score = self._passes_by_score or not answer.is_row
        self._cases.setdefault(answer.suite, set()).add(answer.case)
        self._datasets[answer.dataset or answer.suite] = None
        at, score = answer.graded_at, answer.graded_score
        if at is not None:
            self._began = at if self._began is None else min(self._began, at)
            self._ended = at if self._ended is None else max(self._ended, at)
        tokens = answer.answer_tokens
        if tokens.input is not None:
            self._tokens_in = (self._tokens_in or 0) + tokens.input
        if tokens.output is not None:
            self._tokens_out = (self._tokens_out or 0) + tokens.output
        if (cost := answer.answer_usd) is not None:
            self._costs.append(cost)
        self._unpriced += answer.answer_unpriced
        if (duration := answer.duration_ms) is not None:
            self._durations.append(duration)
        if score is not None:
            # The epsilon keeps 0.6, whose binary value is slightly lower, above its threshold.
            self._bins[min(int(score * BINS + 1e-9), BINS - 1)][answer.status] += 1
        for name, result in named_results(answer.evaluator_results):
            if self._tally.several_targets:
                name = f"{name} ({answer.target})"
            key = (name, result.type)
            part = self._evaluators.get(key)
            if part is None:
                part = self._evaluators[key] = Part(*key)
            _add(part, result)
            texts = result.rubric_texts
            for rubric, value, hit in rubrics_of(result):
                self._rubrics.add(rubric, name, values.text(texts.get(rubric)) or "", value, hit)

    def summary(self) -> Summary:
        """Return the summary of the answers that were added."""
        return Summary(
            tally=self._tally,
            cases=sum(len(case) for case in self._cases.values()),
            suites=tuple(case for case in self._cases if case),
            datasets=tuple(dataset for dataset in self._datasets if dataset),
            targets=tuple(target for target in self._tally.targets if target),
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            cost_usd=total(self._costs),
            unpriced=self._unpriced,
            duration_ms=total(self._durations),
            began=self._began,
            ended=self._ended,
            passes_by_score=self._passes_by_score,
            distribution=tuple(self._bins),
            evaluators=tuple(self._evaluators.values()),
            rubrics=tuple(
                Part(name, evaluator, text, scores, hits, misses)
                for name, evaluator, text, scores, hits, misses in self._rubrics.lowest(
                    MOST_RUBRICS
                )
            ),
            rubrics_in_all=len(self._rubrics),
        )


def _add(part: Part, result: EvaluatorRecord) -> None:
    score, verdict = result.graded_score, result.verdict
    if score is not None:
        part.scores.append(score)
        part.hits += len(result.hits)
        part.misses += len(result.misses)
    part.gates_failed += result.gate_failed
    part.errors += verdict is Verdict.ERROR
    part.not_evaluated += verdict is Verdict.NOT_EVALUATED
    part.parse_failures += result.parse_failed
    for doubt in doubts_of(result):
        part.clamped_scores += doubt.kind == "clamped_score"
        part.ambiguous_replies += doubt.kind == "ambiguous_reply"


def named_results(
    results: Iterable[EvaluatorRecord], above: str = ""
) -> Iterator[tuple[str, EvaluatorRecord]]:
    """Yield evaluators with their names, each composite followed by its members."""
    for result in results:
        name = f"{above}{result.label}"
        yield name, result
        yield from named_results(result.members, f"{name} / ")


def rubrics_of(result: EvaluatorRecord) -> Iterator[tuple[str, float | None, bool | None]]:
    """Yield the rubrics of a judge's result: id, score in 0..1, and whether it was a hit."""
    if result.members:
        return  # a composite repeats the points of its members
    raw = result.raw_scores
    hits = {
        match[1]: hit
        for points, hit in ((result.misses, False), (result.hits, True))
        for text in points
        if (match := _RUBRIC.match(text))
    }
    for rubric in dict.fromkeys([*raw, *hits]):
        value = raw.get(rubric)
        number = values.number(value)
        if isinstance(value, bool):
            yield rubric, float(value), hits.get(rubric, value)
        elif number is not None:
            yield rubric, min(max(number / TOP, 0.0), 1.0), hits.get(rubric)
        else:
            # Records of other tools have only hits and misses; a rubric without either counts 0.
            yield rubric, float(hits.get(rubric, False)), hits.get(rubric)


class RubricParts:
    """Counts rubrics by name, evaluator and text: 20 bytes each and its text, for most are graded once."""

    def __init__(self) -> None:
        #: By name and evaluator, the place of each text.
        self._places: dict[tuple[str, str], dict[str, int]] = {}
        #: By place: the first score, and how often it was met and missed.
        self._score = array("d")
        self._hits = array("I")
        self._misses = array("I")
        #: By place, the further scores.
        self._more: dict[int, array[float]] = {}

    def __len__(self) -> int:
        return len(self._score)

    def add(
        self, name: str, evaluator: str, text: str, score: float | None, hit: bool | None
    ) -> None:
        """Count what one answer has for a rubric."""
        texts = self._places.setdefault((name, evaluator), {})
        place = texts.setdefault(text, len(self._score))
        if place == len(self._score):
            self._score.append(nan)
            self._hits.append(0)
            self._misses.append(0)
        if score is not None:
            if isnan(self._score[place]):
                self._score[place] = score
            else:
                self._more.setdefault(place, array("d")).append(score)
        self._hits[place] += hit is True
        self._misses[place] += hit is False

    def lowest(self, most: int) -> list[tuple[str, str, str, array[float], int, int]]:
        """Return rubrics by mean score, the lowest first: name, evaluator, text, scores, hits, misses.

        Those without a score come last. The text is empty where an evaluator has no other rubric of the
        name.
        """
        means = array("d", self._score)
        for place, scores in self._more.items():
            means[place] = fmean((means[place], *scores))
        order = sorted(range(len(means)), key=lambda it: 2.0 if isnan(means[it]) else means[it])
        rank = {place: at for at, place in enumerate(order[:most])}
        found = [
            (rank[place], (*key, "" if len(texts) == 1 else text, *self._numbers(place)))
            for key, texts in self._places.items()
            for text, place in texts.items()
            if place in rank
        ]
        return [part for _, part in sorted(found, key=lambda placed: placed[0])]

    def _numbers(self, place: int) -> tuple[array[float], int, int]:
        score = self._score[place]
        scores = array("d", () if isnan(score) else (score, *self._more.get(place, ())))
        return scores, self._hits[place], self._misses[place]
