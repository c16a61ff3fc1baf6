"""The summary of a run: counts, means, the distribution of scores, evaluators and rubrics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from suitecase.report.groups import VERDICT_ORDER, mean, total
from suitecase.report.results_file import Run
from suitecase_evaluators.records import values
from suitecase_evaluators.records.doubts import doubts_of
from suitecase_evaluators.records.graded import EvaluatorRecord, Tokens
from suitecase_evaluators.records.tally import Tally, TargetTally
from suitecase_evaluators.rubric import TOP
from suitecase_evaluators.score import Verdict

#: The number of bins of the histogram of scores; the thresholds 0.6 and 0.8 are bin edges.
BINS = 20
_RUBRIC = re.compile(r"\[([^\]\n]{1,200})\]\s")


@dataclass(slots=True)
class Part:
    """The results of an evaluator or a rubric over all answers."""

    name: str
    type: str
    scores: list[float] = field(default_factory=list)
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
    cost_usd: float | None
    #: The total time of all answers, in milliseconds.
    duration_ms: float | None
    began: datetime | None
    ended: datetime | None
    #: The number of scores in each of the `BINS` bins, by verdict.
    distribution: tuple[Mapping[Verdict, int], ...]
    evaluators: tuple[Part, ...]
    #: Sorted by mean score, lowest first.
    rubrics: tuple[Part, ...]

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
        return [name for name in names if any(getattr(it, name) for it in self.evaluators)]

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """The number of answers with each verdict, in the order of reports."""
        return {it: self.tally.verdicts[it] for it in VERDICT_ORDER}

    @property
    def by_target(self) -> Mapping[str, TargetTally]:
        """The results of each target; empty if there is only one."""
        return self.tally.targets if self.tally.several_targets else {}


def summarize(run: Run) -> Summary:
    """Return the summary of a run."""
    answers, tally = run.answers, run.tally
    moments: list[datetime] = []
    tokens: list[Tokens] = []
    costs: list[float | None] = []
    durations: list[float | None] = []
    bins: list[Counter[Verdict]] = [Counter() for _ in range(BINS)]
    evaluators: dict[tuple[str, str], Part] = {}
    rubrics: dict[tuple[str, str], Part] = {}
    # One pass: an answer that is looked at again has to be fetched from memory again.
    for answer in answers:
        at, score = answer.graded_at, answer.graded_score
        if at is not None:
            moments.append(at)
        tokens.append(answer.answer_tokens)
        costs.append(answer.answer_usd)
        durations.append(answer.duration_ms)
        if score is not None:
            # The epsilon keeps 0.6, whose binary value is slightly lower, above its threshold.
            bins[min(int(score * BINS + 1e-9), BINS - 1)][answer.verdict] += 1
        for name, result in named_results(answer.evaluator_results):
            if tally.several_targets:
                name = f"{name} ({answer.target})"
            kind = result.type
            _add(_part(evaluators, name, kind), result)
            for rubric, value, hit in rubrics_of(result):
                part = _part(rubrics, rubric, name)
                part.scores += [] if value is None else [value]
                part.hits += hit is True
                part.misses += hit is False
    return Summary(
        tally=tally,
        cases=len({(it.suite, it.eval_id) for it in answers}),
        suites=_distinct(it.suite for it in answers),
        datasets=_distinct(it.dataset or it.suite for it in answers),
        targets=_distinct(it.target for it in answers),
        tokens_in=total(it.input for it in tokens),
        tokens_out=total(it.output for it in tokens),
        cost_usd=total(costs),
        duration_ms=total(durations),
        began=min(moments, default=None),
        ended=max(moments, default=None),
        distribution=tuple(bins),
        evaluators=tuple(evaluators.values()),
        rubrics=tuple(
            sorted(rubrics.values(), key=lambda it: it.mean if it.mean is not None else 2.0)
        ),
    )


def _part(parts: dict[tuple[str, str], Part], name: str, kind: str) -> Part:
    found = parts.get((name, kind))
    if found is None:
        found = parts[name, kind] = Part(name, kind)
    return found


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


def _distinct(values: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(it for it in values if it))
