"""What a calibration came to, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from suitecase.authoring.judging.choice import ChosenJudge
from suitecase.authoring.judging.session import CalibratedJudge
from suitecase.cli.output.gates_text import gates_text
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.run.facts import question_text
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_reading import read_suite
from suitecase.evidence.calibration_file import Calibration
from suitecase.figures.asked import Asked, asked_of
from suitecase.figures.deciding import decide_from_files
from suitecase.figures.decision import Decision
from suitecase.figures.file_names import file_figure
from suitecase.figures.gates.grammar import Gate
from suitecase.figures.gates.meaning import FigureKind, Meaning
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.measuring_files import FileFigures
from suitecase.figures.statistics.correction import JudgeErrors, MoreLabels, more_labels
from suitecase.figures.wording import short_figure
from suitecase.format.protocols import PROBES
from suitecase.text.encoders.terminal import Line
from suitecase.text.plural import capitalized, counted, dollars

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class EstimatedJudge:
    """What a judge would be asked."""

    judge: ChosenJudge
    questions: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What the calibration of a judge came to.

    Attributes:
        errors: how the judge errs, by its verdicts.
        confidence: that of intervals.
        kappa: how it agrees with people about items; None if that does not exist, for `why_no_kappa`.
        unread: how many answers it gave no readable reply on.
        quotes: how many of its quotes are in the answer, and how many it gave.
        turned: by probe, how many verdicts it turned, of how many.
        decisions: the gates about the judge.
    """

    judge: ChosenJudge
    calibration: Calibration
    errors: JudgeErrors
    confidence: float
    kappa: MeasuredFigure | None
    why_no_kappa: str
    unread: int
    quotes: tuple[int, int]
    turned: dict[str, tuple[int, int]]
    failed_probes: int
    usd: float
    decisions: tuple[Decision, ...]

    @property
    def more(self) -> MoreLabels | None:
        """What more labels would do."""
        return more_labels(self.errors, self.confidence)


@dataclass(slots=True)
class CalibrationReport:
    """What an invocation came to."""

    suite: str
    dry_run: bool = False
    estimates: list[EstimatedJudge] = field(default_factory=list)
    judges: list[JudgeReport] = field(default_factory=list)
    spending: dict[str, Any] = field(default_factory=dict)


def errors_of(calibration: Calibration) -> JudgeErrors:
    """Return how a judge errs; answers without a readable reply are left out."""
    seen = Counter(
        (answer.people_pass, answer.judge_pass)
        for answer in calibration.answers
        if answer.judge_pass is not None
    )
    return JudgeErrors(
        good=seen[True, True] + seen[True, False],
        good_passed=seen[True, True],
        bad=seen[False, True] + seen[False, False],
        bad_failed=seen[False, False],
    )


def decisions_about(name: str, suite: Path) -> tuple[Asked, tuple[Decision, ...]]:
    """Return a suite, and the decisions about its gates on a judge, with the calibration on disk."""
    parsed, folder = read_suite(suite)
    asked = asked_of(parsed, suite, folder)
    gates = []
    for entry in asked.gates:
        gate = parse_gate(entry.text)
        if isinstance(gate, Gate):
            meaning = file_figure(gate.expression, asked.names)
            if meaning is not None and meaning.evaluator == name and meaning.kind in _OF_JUDGES:
                gates.append(entry)
    return asked, tuple(decide_from_files(replace(asked, gates=tuple(gates))))


_OF_JUDGES = frozenset(
    {
        FigureKind.JUDGE_KAPPA,
        FigureKind.SENSITIVITY,
        FigureKind.SPECIFICITY,
        FigureKind.SELF_AGREEMENT,
        FigureKind.QUOTES,
        FigureKind.FLIPS,
    }
)


def report_of(result: CalibratedJudge, asked: Asked, decisions: Sequence[Decision]) -> JudgeReport:
    """Return what a calibration came to.

    Args:
        result: the calibration.
        asked: the suite, with the calibration that was written.
        decisions: the gates about the judge.
    """
    calibration = result.calibration
    figures = FileFigures(asked)
    kappa = figures.measured(Meaning(FigureKind.JUDGE_KAPPA, result.judge.name), "kappa", "")
    answers = calibration.answers
    tried = Counter(name for answer in answers for name in answer.probed)
    turned = Counter(name for answer in answers for name in answer.flips)
    return JudgeReport(
        judge=result.judge,
        calibration=calibration,
        errors=errors_of(calibration),
        confidence=asked.intervals.confidence,
        kappa=kappa.figure,
        why_no_kappa=kappa.problem or "",
        unread=sum(answer.judge_pass is None for answer in answers),
        quotes=(
            sum(answer.quotes[0] for answer in answers),
            sum(answer.quotes[1] for answer in answers),
        ),
        turned={name: (turned[name], tried[name]) for name in PROBES if name in tried},
        failed_probes=result.failed_probes,
        usd=result.usd,
        decisions=tuple(decisions),
    )


def text_of(report: CalibrationReport) -> Iterator[Line]:
    """Yield the lines for people."""
    for estimate in report.estimates:
        number = counted(len(estimate.judge.labeled.answers), "labeled answer")
        yield f"{estimate.judge.name}: {number} of {_cases(estimate.judge)}"
        for question in estimate.questions:
            yield f"    {question_text(question)}"
    if report.estimates:
        yield "Nothing was asked."
    for judge in report.judges:
        yield from _judge_lines(judge)


def _cases(judge: ChosenJudge) -> str:
    return counted(len({answer.case.id for answer in judge.labeled.answers}), "case")


def _judge_lines(report: JudgeReport) -> Iterator[Line]:
    errors, calibration = report.errors, report.calibration
    answers = calibration.answers
    model = calibration.reported_model or calibration.asked.get("model")
    by = f" by {model}" if model else ""
    good = sum(answer.people_pass for answer in answers)
    yield (
        f"{report.judge.name}{by}: {counted(len(answers), 'labeled answer')} of "
        f"{_cases(report.judge)}, {good:,} good, {len(answers) - good:,} bad"
    )
    sensitivity, specificity = _shares(report)
    yield f"{'':20}{'judge passes':>12}{'judge fails':>14}"
    rows = (
        ("people: good", errors.good_passed, errors.good - errors.good_passed, sensitivity),
        ("people: bad", errors.bad - errors.bad_failed, errors.bad_failed, specificity),
    )
    for label, passed, failed, share in rows:
        yield f"  {label:<18}{passed:>12,}{failed:>14,}    {share}"
    yield f"  {', '.join(_facts(report))}"
    if report.turned:
        yield f"  verdicts turned by probes: {', '.join(_probes(report))}"
    if report.failed_probes:
        yield f"  {counted(report.failed_probes, 'question')} of probes had no readable reply"
    if report.more is not None:
        yield f"{capitalized(report.more.text)}."
    cost = f" ({dollars(report.usd)})" if report.usd else ""
    yield f"Written: {shown_path(report.judge.path)}{cost}"
    if report.decisions:
        yield from gates_text(report.decisions)


def _shares(report: JudgeReport) -> tuple[str, str]:
    errors, confidence = report.errors, report.confidence
    return (
        _share("sensitivity", errors.sensitivity, errors.sensitivity_bounds(confidence)),
        _share("specificity", errors.specificity, errors.specificity_bounds(confidence)),
    )


def _share(name: str, value: float | None, bounds: tuple[float, float]) -> str:
    if value is None:
        return f"{name} unknown"
    return f"{name} {value:z.2f} [{bounds[0]:z.2f}, {bounds[1]:z.2f}]"


def _facts(report: JudgeReport) -> Iterator[str]:
    if report.kappa is not None:
        yield f"kappa {short_figure(report.kappa)}"
    else:
        yield f"no kappa: {report.why_no_kappa}"
    valid, given = report.quotes
    if given:
        yield f"valid quotes {valid / given:.2f} of {given:,}"
    yield f"unreadable replies {report.unread:,} of {len(report.calibration.answers):,}"


def _probes(report: JudgeReport) -> Iterator[str]:
    for name, (turned, tried) in report.turned.items():
        yield f"{name} {turned:,} of {tried:,}"


def json_of(report: CalibrationReport) -> str:
    """Return the report for programs."""
    values: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "suite": report.suite,
        "dry_run": report.dry_run,
        "judges": [_judge_json(judge) for judge in report.judges],
        "spending": report.spending,
    }
    if report.dry_run:
        values["estimates"] = [
            {
                "judge": estimate.judge.name,
                "answers": len(estimate.judge.labeled.answers),
                "questions": estimate.questions,
            }
            for estimate in report.estimates
        ]
    return json_text(values, indent=2)


def _judge_json(report: JudgeReport) -> dict[str, Any]:
    errors, labeled = report.errors, report.judge.labeled
    more = report.more
    return {
        "judge": report.judge.name,
        "file": shown_path(report.judge.path),
        "model": report.calibration.reported_model or report.calibration.asked.get("model"),
        "answers": len(report.calibration.answers),
        "good": {"answers": errors.good, "passed": errors.good_passed},
        "bad": {"answers": errors.bad, "failed": errors.bad_failed},
        "confidence": report.confidence,
        "sensitivity": _bounds_json(
            errors.sensitivity, errors.sensitivity_bounds(report.confidence)
        ),
        "specificity": _bounds_json(
            errors.specificity, errors.specificity_bounds(report.confidence)
        ),
        "kappa": None
        if report.kappa is None
        else {
            "estimate": report.kappa.estimate,
            "low": report.kappa.low,
            "high": report.kappa.high,
        },
        "quotes": {"valid": report.quotes[0], "given": report.quotes[1]},
        "unreadable": report.unread,
        "probes": {
            name: {"turned": turned, "tried": tried}
            for name, (turned, tried) in report.turned.items()
        },
        "left_out": {
            name: [{"case": case, "answer": digest} for case, digest in getattr(labeled, name)]
            for name in ("not_found", "unsettled", "incomplete", "ungraded")
        },
        "more_labels": None
        if more is None
        else {"kind": more.kind, "more": more.more, "low": more.low, "high": more.high},
        "cost_usd": report.usd,
        "gates": [decision.to_json() for decision in report.decisions],
    }


def _bounds_json(value: float | None, bounds: tuple[float, float]) -> dict[str, float] | None:
    return None if value is None else {"estimate": value, "low": bounds[0], "high": bounds[1]}
