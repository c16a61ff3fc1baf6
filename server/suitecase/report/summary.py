"""What a run comes to: counts, means, the distribution of scores, each evaluator and rubric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from suitecase.report.answer import (
    Answer,
    evaluator_results,
    grade_of,
    mapping_of,
    number_of,
    texts_of,
)
from suitecase.report.groups import TOLD, mean, total
from suitecase_evaluators.doubts import doubts_of
from suitecase_evaluators.rubric import TOP
from suitecase_evaluators.score import Verdict, verdict_for

#: How many stretches of equal width the scores are counted in; the thresholds of verdicts, 0.6 and
#: 0.8, lie between two of them.
BINS = 20
_RUBRIC = re.compile(r"\[([^\]\n]{1,200})\]\s")


@dataclass(slots=True)
class Part:
    """What an evaluator or a rubric came to over all answers."""

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
        """The mean score in 0..1, None where nothing was graded."""
        return mean(self.scores)

    @property
    def hit_rate(self) -> float | None:
        """The share of hits in all hits and misses, None where there is neither."""
        points = self.hits + self.misses
        return self.hits / points if points else None


@dataclass(frozen=True, slots=True)
class TargetSummary:
    """What the answers of one of several targets come to."""

    name: str
    verdicts: Mapping[Verdict, int]
    graded: int
    mean_score: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run comes to."""

    answers: int
    cases: int
    suites: tuple[str, ...]
    datasets: tuple[str, ...]
    targets: tuple[str, ...]
    #: What each target came to, where there are several; empty for one.
    by_target: tuple[TargetSummary, ...]
    verdicts: Mapping[Verdict, int]
    #: None where nothing was graded, and where several targets answered.
    mean_score: float | None
    #: The mean of what judges gave that could be read: a reply that cannot counts 0 elsewhere.
    mean_without_parse_failures: float | None
    parse_failures: int
    tokens_in: float | None
    tokens_out: float | None
    cost_usd: float | None
    #: The time of all answers together, in milliseconds.
    duration_ms: float | None
    began: datetime | None
    ended: datetime | None
    #: How many scores lie in each of the `BINS` stretches, with the verdicts they belong to.
    distribution: tuple[Mapping[Verdict, int], ...]
    evaluators: tuple[Part, ...]
    #: The worst first.
    rubrics: tuple[Part, ...]

    @property
    def troubles(self) -> list[str]:
        """The counts of `Part` that are not 0 for every evaluator, by their names."""
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
    def graded(self) -> int:
        """How many answers have a score that counts."""
        return sum(number for verdict, number in self.verdicts.items() if verdict.graded)


def summarize(answers: Sequence[Answer]) -> Summary:
    """Return what the answers of a run come to."""
    counts = Counter(it.verdict for it in answers)
    moments = [it.at for it in answers if it.at is not None]
    bins: list[Counter[Verdict]] = [Counter() for _ in range(BINS)]
    evaluators: dict[tuple[str, str], Part] = {}
    rubrics: dict[tuple[str, str], Part] = {}
    targets = _distinct(it.target for it in answers)
    several = len(targets) > 1
    for answer in answers:
        if answer.score is not None:
            # The epsilon keeps 0.6, which is a little less in binary, above its threshold.
            bins[min(int(answer.score * BINS + 1e-9), BINS - 1)][answer.verdict] += 1
        for name, result in _flat(evaluator_results(answer.record), ""):
            if several:
                name = f"{name} ({answer.target})"
            kind = str(result.get("type") or "")
            _add(evaluators.setdefault((name, kind), Part(name, kind)), result)
            for rubric, value, met in _rubrics(result):
                part = rubrics.setdefault((name, rubric), Part(rubric, name))
                part.scores += [] if value is None else [value]
                part.hits += met is True
                part.misses += met is False
    tokens = (total(it.tokens_in for it in answers), total(it.tokens_out for it in answers))
    return Summary(
        answers=len(answers),
        cases=len({(it.suite, it.case) for it in answers}),
        suites=_distinct(it.suite for it in answers),
        datasets=_distinct(it.dataset or it.suite for it in answers),
        targets=targets,
        by_target=tuple(_by_target(answers, targets)) if several else (),
        verdicts={it: counts[it] for it in TOLD},
        mean_score=None if several else mean(it.score for it in answers),
        mean_without_parse_failures=None
        if several
        else mean(it.score for it in answers if not it.parse_failed),
        parse_failures=sum(it.parse_failed for it in answers),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        cost_usd=total(it.cost_usd for it in answers),
        duration_ms=total(it.duration_ms for it in answers),
        began=min(moments, default=None),
        ended=max(moments, default=None),
        distribution=tuple(bins),
        evaluators=tuple(evaluators.values()),
        rubrics=tuple(
            sorted(rubrics.values(), key=lambda it: it.mean if it.mean is not None else 2.0)
        ),
    )


def _by_target(answers: Sequence[Answer], targets: Iterable[str]) -> Iterator[TargetSummary]:
    for name in targets:
        own = [it for it in answers if it.target == name]
        counts = Counter(it.verdict for it in own)
        graded = sum(number for verdict, number in counts.items() if verdict.graded)
        yield TargetSummary(
            name, {it: counts[it] for it in TOLD}, graded, mean(it.score for it in own)
        )


def gate_decided(score: float | None, verdict: Verdict) -> bool:
    """Return whether an answer failed although its score would not have: a gate decided it."""
    return verdict is Verdict.FAIL and score is not None and verdict_for(score) is not Verdict.FAIL


def _add(part: Part, result: Mapping[str, Any]) -> None:
    score, verdict = grade_of(result)
    if score is not None:
        part.scores.append(score)
        part.hits += len(texts_of(result.get("hits")))
        part.misses += len(texts_of(result.get("misses")))
    told = result.get("gate_failed")
    part.gates_failed += told if isinstance(told, bool) else gate_decided(score, verdict)
    part.errors += verdict is Verdict.ERROR
    part.not_evaluated += verdict is Verdict.NOT_EVALUATED
    part.parse_failures += result.get("parse_failed") is True
    for it in doubts_of(result):
        part.clamped_scores += it.kind == "clamped_score"
        part.ambiguous_replies += it.kind == "ambiguous_reply"


def _flat(
    results: Iterator[Mapping[str, Any]] | list[Mapping[str, Any]], above: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield evaluators with their names, and the members of composites below theirs."""
    for it in results:
        name = f"{above}{it.get('name') or it.get('type') or 'evaluator'}"
        yield name, it
        members = mapping_of(it.get("details")).get("members") or it.get("evaluator_results")
        if isinstance(members, list):
            yield from _flat([it for it in members if isinstance(it, Mapping)], f"{name} / ")


def _rubrics(result: Mapping[str, Any]) -> Iterator[tuple[str, float | None, bool | None]]:
    """Yield the rubrics of a judge's result: id, score in 0..1, and whether it was a hit."""
    if mapping_of(result.get("details")).get("members") or result.get("evaluator_results"):
        return  # a composite repeats the points of its members
    raw = mapping_of(mapping_of(result.get("details")).get("raw_scores"))
    met = {
        found[1]: hit
        for points, hit in (("misses", False), ("hits", True))
        for text in texts_of(result.get(points))
        if (found := _RUBRIC.match(text))
    }
    for rubric in dict.fromkeys([*raw, *met]):
        value = raw.get(rubric)
        number = number_of(value)
        if isinstance(value, bool):
            yield rubric, float(value), met.get(rubric, value)
        elif number is not None:
            yield rubric, min(max(number / TOP, 0.0), 1.0), met.get(rubric)
        else:
            # Records of other tools have the points alone; a rubric without a verdict counts 0.
            yield rubric, float(met.get(rubric, False)), met.get(rubric)


def _distinct(values: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(it for it in values if it))
