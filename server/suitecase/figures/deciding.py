"""Deciding gates: the one place that says whether a gate holds.

Missing answers are bounded, not guessed (Manski 1990): a gate holds if it also holds with every missing
answer counted against it, fails if it also fails with every one counted in its favour, and is
undecided otherwise. What is undecided is not passed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from suitecase.figures.asked import Asked, AskedGate
from suitecase.figures.decision import MOST_CASES, Decision, Outcome
from suitecase.figures.file_names import file_figure
from suitecase.figures.gates.grammar import Extreme, Gate, figures_in, functions_in, sum_of
from suitecase.figures.gates.parsing import GateProblem, parse_gate
from suitecase.figures.measured import Measured, MeasuredFigure
from suitecase.figures.measuring import Measurer, Wanted
from suitecase.figures.measuring_files import FileFigures
from suitecase.figures.statistics.binomial import (
    cases_for_lower_bound,
    cases_for_upper_bound,
    lower_bound_if_all_pass,
    upper_bound_if_none,
)
from suitecase.figures.statistics.interval import Interval
from suitecase.figures.table import Table, Tables
from suitecase.figures.wording import compared_text
from suitecase.text.plural import counted


def decide(
    tables: Tables,
    asked: Asked,
    baseline: Tables | None = None,
    files: FileFigures | None = None,
) -> list[Decision]:
    """Decide the gates of a suite by the answers of a run, for each target apart.

    Args:
        tables: the answers, added record by record.
        asked: today's suite.
        baseline: the answers of an earlier run, for `change`.
        files: what measures figures from files, if it has measured some already.
    """
    found: list[Decision] = []
    files = files if files is not None else FileFigures(asked)
    for table in tables.by_target.values():
        before = _earlier(baseline, table) if baseline is not None else None
        found += _of_target(table, tables, asked, before, files)
    return found


def of_unfinished_run(decision: Decision) -> Decision:
    """Return a decision about a run that lacks answers of some target: none of its gates holds yet."""
    if not decision.outcome.is_met:
        return decision
    return replace(
        decision,
        outcome=Outcome.UNDECIDED,
        reason="the run is not finished",
        needed="continue it with `suitecase run --resume`",
    )


def decide_from_files(asked: Asked) -> list[Decision]:
    """Decide those gates of a suite that are about people's labels and calibrations: no run is needed."""
    files, found = FileFigures(asked), []
    for entry in asked.gates:
        gate = parse_gate(entry.text)
        if isinstance(gate, GateProblem):
            continue
        meaning = file_figure(gate.expression, asked.names)
        if meaning is not None:
            measured = files.measured(meaning, _expression_text(gate, entry.text), "")
            plain = replace(_plain(entry, ""), threshold=gate.threshold.value)
            found.append(_decided(plain, gate, measured, asked))
    return found


def _earlier(baseline: Tables, table: Table) -> Table | None:
    own = baseline.by_target.get(table.target)
    if own is None and len(baseline.by_target) == 1:
        return next(iter(baseline.by_target.values()))
    return own


def _of_target(
    table: Table, tables: Tables, asked: Asked, before: Table | None, files: FileFigures
) -> list[Decision]:
    left_out = not_asked(table, tables, asked)
    parsed = [(it, parse_gate(it.text)) for it in asked.gates]
    fewer = table.repeats < asked.repeats
    is_part = bool(left_out) or fewer
    # What is computed from files needs no answers.
    wanted = [
        Wanted(it.expression, _expression_text(it, text))
        for text, it in _gates(parsed)
        if not is_part or file_figure(it.expression, asked.names) is not None
    ]
    found = iter(Measurer(table, asked, before, files).measure(wanted) if wanted else ())
    decisions: list[Decision] = []
    for entry, gate in parsed:
        plain = _plain(entry, table.target)
        if isinstance(gate, GateProblem):
            decisions.append(replace(plain, reason=f"this is not a gate: {gate.message}"))
            continue
        plain = replace(plain, threshold=gate.threshold.value, safety=_is_safety(gate, asked))
        if is_part and file_figure(gate.expression, asked.names) is not None:
            decisions.append(_decided(plain, gate, next(found), asked))
        elif left_out:
            decisions.append(_of_part(plain, left_out, asked))
        elif fewer:
            decisions.append(_of_fewer_repeats(plain, table.repeats, asked))
        else:
            decision = _decided(plain, gate, next(found), asked)
            # Labels and calibrations do not come from this run, so a rehearsal does not affect them.
            of_run = file_figure(gate.expression, asked.names) is None
            decisions.append(_rehearsed(decision, table) if of_run else decision)
    if table.second_chances:
        decisions = [_after_second_chances(decided, table, asked) for decided in decisions]
    return decisions


def _rehearsed(decision: Decision, table: Table) -> Decision:
    """Return a decision about the answers of a run; one that holds is rehearsed if any of them is."""
    number = table.rehearsed
    if decision.outcome is not Outcome.HOLDS or not number:
        return decision
    if number == table.answers:
        rehearsed = "each answer or its grade is from a stand-in"
    elif number == 1:
        rehearsed = f"1 of {table.answers:,} answers, or its grade, is from a stand-in"
    else:
        rehearsed = f"{number:,} of {table.answers:,} answers, or their grades, are from stand-ins"
    reason = f"{rehearsed}, which says nothing of a model"
    reasons = "; ".join(filter(None, (reason, decision.reason)))
    return replace(decision, outcome=Outcome.REHEARSED, reason=reasons)


def _after_second_chances(decision: Decision, table: Table, asked: Asked) -> Decision:
    """Return a decision that says how to have it made; `--resume` asks none of these cases again."""
    if decision.outcome is not Outcome.UNDECIDED or decision.figure is None:
        return decision
    again = counted(len(table.second_chances), "case")
    return replace(
        decision,
        needed=f"{again} that had failed got a second chance by `--failed`, which does not count; run the "
        f"whole suite with `suitecase run {asked.suite_path}`",
    )


def _plain(entry: AskedGate, target: str) -> Decision:
    return Decision(
        gate=entry.text,
        target=target,
        outcome=Outcome.UNDECIDED,
        level=entry.level,
        why=entry.why,
        line=entry.line,
    )


def not_asked(table: Table, tables: Tables, asked: Asked) -> tuple[str, ...]:
    """Return the cases of the suite that have no record of a target although they should.

    A case that names its own target is asked of that one only.
    """
    own = all(asked.cases[it].target == table.target for it in table.cases if it in asked.cases)
    others = [it for it in tables.by_target.values() if it is not table]
    found: list[str] = []
    for case, known in asked.cases.items():
        if case in table.cases or (known.rows and table.asked_by not in known.rows):
            continue
        elsewhere = any(case in other.cases and known.target == other.target for other in others)
        if not (own and elsewhere):
            found.append(case)
    return tuple(found)


def _gates(
    parsed: Sequence[tuple[AskedGate, Gate | GateProblem]],
) -> list[tuple[str, Gate]]:
    return [(entry.text, it) for entry, it in parsed if isinstance(it, Gate)]


def _expression_text(gate: Gate, text: str) -> str:
    """Return the text of what is measured: without `lower` and `upper`."""
    expression = gate.expression
    functions = functions_in(gate)
    if functions and functions[0].text in ("lower", "upper"):
        expression = getattr(expression, "of", expression)
    return text[expression.start : expression.end].strip()


def _is_safety(gate: Gate, asked: Asked) -> bool:
    """Whether a gate is about a safety slice."""
    names = {figure.slice.text for figure in figures_in(gate) if figure.slice is not None}
    names |= {name.partition("=")[0].strip() for name in names}
    names |= {term.of.facet.text for term in sum_of(gate).terms if isinstance(term.of, Extreme)}
    return not names.isdisjoint(asked.safety_slices)


def _of_part(plain: Decision, left_out: tuple[str, ...], asked: Asked) -> Decision:
    total = len(asked.cases)
    return replace(
        plain,
        reason=f"the run has {total - len(left_out):,} of the suite's {counted(total, 'case')}",
        needed=f"ask the others with `suitecase run {asked.suite_path} --resume`",
        missing_cases=left_out[:MOST_CASES],
    )


def _of_fewer_repeats(plain: Decision, repeats: int, asked: Asked) -> Decision:
    times = "once" if repeats == 1 else f"{repeats:,} times"
    return replace(
        plain,
        reason=f"each case was asked {times}, and the suite asks it {asked.repeats:,} times",
        needed=f"ask as often with `suitecase run {asked.suite_path}`",
    )


def _decided(plain: Decision, gate: Gate, measured: Measured, asked: Asked) -> Decision:
    figure = measured.figure
    if figure is None:
        return replace(plain, reason=measured.problem or "", needed=measured.needed)
    plain = replace(plain, figure=figure, missing_cases=measured.missing[:MOST_CASES])
    if figure.estimate is None:
        reason = measured.problem or _why_no_estimate(figure, unanswered=measured.unanswered)
        needed = measured.needed or _asking(measured, asked)
        return replace(plain, reason=reason, needed=needed)
    bound = next(
        (function.text for function in functions_in(gate) if function.text in ("lower", "upper")),
        None,
    )
    if bound is None:
        decision = _by_estimate(plain, gate, figure, figure.estimate)
    else:
        decision = _by_bound(plain, gate, figure, measured, lower=bound == "lower")
    if decision.outcome.is_met:
        return decision
    against = _against(gate, measured)
    if decision.outcome is Outcome.UNDECIDED:
        return replace(decision.naming(against), needed=_asking(measured, asked))
    needed = measured.needed or _needed(gate, figure, measured, bound)
    return replace(decision.naming(against), needed=needed)


def _by_estimate(plain: Decision, gate: Gate, figure: MeasuredFigure, estimate: float) -> Decision:
    ends = (
        -math.inf if figure.lowest is None else figure.lowest,
        math.inf if figure.highest is None else figure.highest,
    )
    met = {gate.met_by(end) for end in (*ends, estimate)}
    plain = replace(plain, value=estimate)
    if len(met) > 1:
        return replace(plain, reason=_missing_text(gate, figure))
    holds = met.pop()
    clear = figure.low is not None and figure.high is not None
    clear = clear and {gate.met_by(it) for it in (figure.low, figure.high)} == {holds}  # type: ignore[arg-type]
    outcome = Outcome.HOLDS if holds else Outcome.FAILS
    return replace(
        plain,
        outcome=outcome,
        clear=clear,
        reason="" if clear else _unclear(gate, plain.gate, figure),
    )


def _by_bound(
    plain: Decision, gate: Gate, figure: MeasuredFigure, measured: Measured, *, lower: bool
) -> Decision:
    def end(interval: Interval) -> float:
        return interval.low if lower else interval.high

    if not isinstance(figure.interval, Interval):
        return replace(plain, reason=f"there is no interval: {figure.why_no_interval}")
    value = end(figure.interval)
    plain = replace(plain, value=value)
    if measured.bounds is None or not all(isinstance(bound, Interval) for bound in measured.bounds):
        return replace(
            plain,
            reason=f"{_are_missing(figure)}, and how far they could move the bound of this figure "
            "is not known",
        )
    bounds = [value, *(end(bound) for bound in measured.bounds if isinstance(bound, Interval))]
    reach = _reach(min(bounds), max(bounds), figure, sharp=measured.sharp)
    met = {gate.met_by(it) for it in (value, *reach)}
    if len(met) > 1:
        ends = [compared_text(it, gate, figure.unit) for it in reach]
        return replace(
            plain,
            reason=f"{_are_missing(figure)}; with them the bound is from {ends[0]} to {ends[1]}",
        )
    return replace(plain, outcome=Outcome.HOLDS if met.pop() else Outcome.FAILS, clear=True)


def _reach(low: float, high: float, figure: MeasuredFigure, *, sharp: bool) -> tuple[float, float]:
    """Return between which values a bound lies, whatever the missing answers are.

    A bound of a resampled interval need not rise with each answer: a single high one among low ones
    makes the interval wider. So what was computed for several completions is extended by as much again.
    """
    if sharp or low == high:
        return low, high
    margin = high - low
    low, high = low - margin, high + margin
    if figure.unit == "share" and figure.lowest is not None and figure.lowest >= 0:
        low = max(low, 0.0)
    return low, high


def _why_no_estimate(figure: MeasuredFigure, *, unanswered: bool) -> str:
    if figure.missing and not figure.cases and figure.unit != "share" and not unanswered:
        return "nothing was measured: the target does not report it"
    if figure.missing and not figure.cases:
        return f"{_are_missing(figure)}, and no other answer counts for this figure"
    empty = [name for name, value in figure.values.items() if value is None]
    if empty and figure.cases:
        return f"no answer of `{empty[0]}` counts for this figure"
    if figure.not_evaluated:
        return (
            f"nothing was measured: {counted(figure.not_evaluated, 'answer')} had nothing to be "
            "graded by"
        )
    return "nothing was measured: no answer of these cases counts for this figure"


def _are_missing(figure: MeasuredFigure) -> str:
    return f"{counted(figure.missing, 'answer')} {'is' if figure.missing == 1 else 'are'} missing"


def _missing_text(gate: Gate, figure: MeasuredFigure) -> str:
    if figure.highest is None or figure.lowest is None:
        return f"{_are_missing(figure)}, and may have any value"
    ends = [compared_text(it, gate, figure.unit) for it in (figure.lowest, figure.highest)]
    return f"{_are_missing(figure)}; with them the figure is from {ends[0]} to {ends[1]}"


def _unclear(gate: Gate, text: str, figure: MeasuredFigure) -> str:
    if figure.low is None or figure.high is None:
        return f"there is no interval: {figure.why_no_interval}"
    threshold = text[gate.threshold.start : gate.threshold.end]
    return f"not clear: the interval reaches beyond {threshold}"


def _asking(measured: Measured, asked: Asked) -> str:
    figure = measured.figure
    if figure is None or not figure.missing:
        return ""
    if figure.of == "label":
        return "calibrate the judge again: some of its replies could not be read"
    if measured.unanswered:
        return f"ask again for missing answers with `suitecase run {asked.suite_path} --resume`"
    if figure.unit == "share":
        return "run these cases again: what they were graded by could not be read"
    return "" if figure.estimate is None else "the target does not report this for each answer"


def _against(gate: Gate, measured: Measured) -> list[str]:
    """Return the cases that do not meet the threshold alone, the worst first."""
    values = measured.by_case or {}
    worst = sorted(values.items(), key=lambda it: it[1] if gate.at_least else -it[1])
    return [case for case, value in worst if not gate.met_by(value)]


def _needed(gate: Gate, figure: MeasuredFigure, measured: Measured, bound: str | None) -> str:
    """Say what it would take for a gate that fails to hold, of shares of cases."""
    values = [*(measured.by_case or {}).values()]
    threshold = gate.threshold.value
    changes = any(function.text == "change" for function in functions_in(gate))
    if figure.unit != "share" or changes or figure.values or not values or not 0 < threshold < 1:
        return ""
    best = _best(figure, high=gate.at_least)
    if bound is None:
        if not all(value in (0.0, 1.0) for value in values):
            return ""
        bad = sum(value != float(gate.at_least) for value in values)
        came = sum(values)
        for number in range(1, bad + 1):
            total = came + (number if gate.at_least else -number)
            if gate.met_by(total / len(values)):
                more = f"{number:,} more of the {len(values):,} cases"
                return f"it would hold if {more} {best}"
        return ""
    if (bound == "lower") is not gate.at_least:
        return ""
    units, confidence = figure.interval.units, figure.confidence
    reached = (
        lower_bound_if_all_pass(units, confidence)
        if gate.at_least
        else upper_bound_if_none(units, confidence)
    )
    text = compared_text(reached, gate, figure.unit)
    what = "case" if units == figure.cases else "group"
    groups = "" if what == "case" else f" of the {units:,} groups"
    every = f"if {'all' if figure.cases > 1 else 'the'} {_cases(figure.cases)}{groups} {best}"
    if gate.met_by(reached):
        return f"{every}, the bound would be {text}"
    takes = (cases_for_lower_bound if gate.at_least else cases_for_upper_bound)(
        threshold, confidence
    )
    return f"even {every}, the bound would be {text}; at least {counted(takes, what)} are needed"


def _cases(number: int) -> str:
    return "case" if number == 1 else f"{number:,} cases"


def _best(figure: MeasuredFigure, *, high: bool) -> str:
    """Say what a case does that has the highest or lowest value."""
    words = {
        "pass_rate": ("passed", "failed"),
        "violation_rate": ("had a violation", "had no violation"),
        "refusal_rate": ("were refused", "were answered"),
        "error_rate": ("had an error", "had no error"),
    }
    highest, lowest = words.get(figure.figure, ("scored 1", "scored 0"))
    return highest if high else lowest
