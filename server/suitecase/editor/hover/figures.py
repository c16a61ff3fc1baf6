"""Hovers inside gates and metrics: on figures, functions, slices, facets and thresholds."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.figure_words import FUNCTION_WORDS, WORDS, intervals, units
from suitecase.editor.formula_parts import FormulaPart, FormulaPartKind, formula_parts
from suitecase.editor.gate_results import explained, gate_results
from suitecase.editor.hover.slices import facet_text, slice_text
from suitecase.editor.markdown import code, escaped, fenced
from suitecase.editor.place import Place
from suitecase.editor.results import DocumentResults
from suitecase.figures.decision import Decision
from suitecase.figures.gate_words import label_of
from suitecase.figures.gates.grammar import Extreme, Figure, Gate, figures_in, sum_of
from suitecase.figures.gates.meaning import (
    FROM_FILES,
    OF_PEOPLE,
    FigureKind,
    Meaning,
    Unit,
    meaning_of,
)
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.statistics.binomial import (
    cases_for_lower_bound,
    cases_for_upper_bound,
    lower_bound_if_all_pass,
    upper_bound_if_none,
)
from suitecase.figures.wording import short_figure, short_value
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.schema.role_texts import role_at
from suitecase.text.embedded import embedded
from suitecase.text.node import Scalar, Span
from suitecase.text.plural import counted
from suitecase_evaluators.schema.field_role import FieldRole

#: The parts of a gate that say how it came out.
_MEASURED = (FormulaPartKind.FIGURE, FormulaPartKind.NUMBER, FormulaPartKind.FUNCTION)
_OF_PEOPLE = frozenset(OF_PEOPLE.values())
_ROLES = (FieldRole.GATE, FieldRole.METRIC)


def formula_hover(
    suite: ParsedSuite, place: Place, offset: int, figures: SuiteFigures, results: DocumentResults
) -> tuple[Span, str] | None:
    """Return the hover at an offset of a gate or a metric, with its span; None elsewhere."""
    value = place.value
    if place.on_key or not isinstance(value, Scalar) or place.case is not None:
        return None
    if role_at(place.model, place.root, place.path) not in _ROLES:
        return None
    piece = suite.document.head
    text = embedded(value, suite.head.source)
    for part in formula_parts(value.text):
        span = piece.absolute(text.span(part.start, part.end))
        if span.start <= offset <= span.end:
            words = _of_part(part, value.text, suite, figures, results)
            last = _last(value, suite, results) if part.kind in _MEASURED else None
            texts = [it for it in (words, last) if it is not None]
            if texts:
                return span, "\n\n---\n\n".join(texts)
    return None


def _last(value: Scalar, suite: ParsedSuite, results: DocumentResults) -> str | None:
    """Return what the gate of a text came to in the last whole run."""
    found = next(
        (
            gate_result
            for gate_result in gate_results(suite, results)
            if gate_result.gate.node is value
        ),
        None,
    )
    if found is None or results.gates is None:
        return None
    sections = []
    for decision in found.decisions:
        target = f" with {code(decision.target)}" if len(found.decisions) > 1 else ""
        stale = " (stale: the suite or its results have changed since)" if found.stale else ""
        sections.append(f"**{label_of(decision)}**{target}: {escaped(explained(decision))}{stale}")
        sections.append(interval_bar(decision) or "")
        if decision.figure is not None:
            sections.append(
                f"Measured on {counted(decision.figure.cases, 'labeled answer')}."
                if decision.figure.of == "label"
                else f"Measured on {counted(decision.figure.cases, 'case')} in the last whole run."
            )
    return "\n\n".join(section for section in sections if section)


def metric_hover(name: str, figures: SuiteFigures) -> str | None:
    """Return what a metric is made of, and which gates name it."""
    metric = figures.metrics.get(name)
    if metric is None:
        return None
    users = [
        gate.node.text for gate in figures.gates if any(f.name == name for f in gate.figures())
    ]
    lines = [f"**{code(name)}** · metric", f"{WORDS[FigureKind.METRIC]} {code(metric.node.text)}"]
    if users:
        lines.append("Gates on it: " + ", ".join(map(code, users)))
    return "\n\n".join(lines)


def _of_part(
    part: FormulaPart,
    text: str,
    suite: ParsedSuite,
    figures: SuiteFigures,
    results: DocumentResults,
) -> str | None:
    gate = parse_gate(text)
    match part.kind:
        case FormulaPartKind.FUNCTION:
            return f"**{code(part.text)}** · function of gates\n\n{FUNCTION_WORDS[part.text]}"
        case FormulaPartKind.SLICE:
            return slice_text(part.text, suite, figures, results)
        case FormulaPartKind.FACET:
            return facet_text(part.text.strip("`"), suite, figures)
        case FormulaPartKind.NUMBER:
            return _threshold(gate, part, figures) if isinstance(gate, Gate) else None
        case FormulaPartKind.FIGURE:
            return _figure(part, text, suite, figures)
        case _:
            return None


def _figure(part: FormulaPart, text: str, suite: ParsedSuite, figures: SuiteFigures) -> str | None:
    gate = parse_gate(text)
    found: Figure | None = None
    if isinstance(gate, Gate):
        found = next((figure for figure in figures_in(gate) if figure.start == part.start), None)
    if found is None:  # half-written, or a metric
        alone = parse_gate(f"{part.text} >= 0")
        found = next(figures_in(alone), None) if isinstance(alone, Gate) else None
    meaning = meaning_of(found, figures.names) if found is not None else None
    if found is None or meaning is None:
        return None
    if meaning.kind in FROM_FILES:
        kind = f"**{code(found.name)}** · {_kind(meaning)} · {meaning.unit.value}"
        return f"{kind}\n\n{WORDS[meaning.kind]}"
    choice = figures.choose(found.slice.text) if found.slice is not None else None
    numbers = () if found.slice is not None and choice is None else figures.cases_of(choice)
    sections = [
        f"**{code(found.name)}** · {_kind(meaning)} · {meaning.unit.value}",
        WORDS[meaning.kind] + ("" if _is_pooled(meaning) else " Of several cases it is the mean."),
    ]
    if meaning.kind is FigureKind.METRIC and meaning.evaluator in figures.metrics:
        sections.append(code(figures.metrics[meaning.evaluator].node.text))
    elif meaning.evaluator is not None:
        sections.append(_measured_by(meaning, numbers, suite, figures))
    where = f" in {code(found.slice.text)}" if found.slice is not None else ""
    sections.append(f"Measured on {counted(len(numbers), 'case')}{where}.")
    if isinstance(gate, Gate) and isinstance(sum_of(gate).only_term, Figure):
        sections += _reach(gate, len(numbers), units(figures, numbers), meaning, figures)
    return "\n\n".join(section for section in sections if section)


def _is_pooled(meaning: Meaning) -> bool:
    kinds = (FigureKind.MACRO_F1, FigureKind.RECALL, FigureKind.TIES, FigureKind.CONSISTENCY)
    return meaning.kind in kinds or meaning.kind is FigureKind.METRIC


def _kind(meaning: Meaning) -> str:
    if meaning.kind is FigureKind.METRIC:
        return "metric"
    if meaning.kind in FROM_FILES:
        return "figure of people's labels" if meaning.kind in _OF_PEOPLE else "figure of a judge"
    return "built-in figure" if meaning.evaluator is None else "figure of an evaluator"


def _measured_by(
    meaning: Meaning, numbers: tuple[int, ...], suite: ParsedSuite, figures: SuiteFigures
) -> str:
    """Return which evaluator a figure comes from, where it is, and how many cases it grades."""
    name = meaning.evaluator or ""
    graded = [number for number in numbers if name in (figures.evaluators_of(number) or ())]
    entry, line = _entry(name, graded, suite)
    kind = f" ({code(entry.type)})" if entry is not None and entry.type else ""
    if entry is None and name == RUBRIC:
        kind = " (the judge of the cases' `rubrics`)"
    where = f", line {line}" if line is not None else ""
    item = f", item {code(meaning.part)}" if meaning.part is not None else ""
    count = f"It grades {len(graded):,} of them." if len(graded) < len(numbers) else ""
    return f"Evaluator {code(name)}{kind}{item}{where}. {count}".strip()


def _entry(
    name: str, graded: list[int], suite: ParsedSuite
) -> tuple[ParsedEvaluator | None, int | None]:
    """Return the first evaluator of a name, and its line."""
    found = _in_part(suite.head, name)
    if found is not None and found.name is not None and suite.kind != "dataset":
        return found, suite.head_line(found.name.span)
    if graded and graded[0] < len(suite.cases):
        found = _in_part(suite.cases[graded[0]], name)
        if found is not None and found.name is not None:
            return found, suite.line(graded[0], found.name.span)
    return found, None


def _in_part(part: ParsedHead | ParsedCase, name: str) -> ParsedEvaluator | None:
    for element in part.elements():
        if (
            isinstance(element, ParsedEvaluator)
            and element.name is not None
            and element.name.text == name
        ):
            return element
    return None


def _reach(
    gate: Gate, cases: int, n: int, meaning: Meaning, figures: SuiteFigures
) -> Iterator[str]:
    """Yield how far the bound of a share can be from 1 or 0 with its cases."""
    if meaning.unit is not Unit.SHARE or _is_pooled(meaning) or n == 0:
        return
    confidence = intervals(figures).confidence
    of = counted(cases, "case")
    of += f" in {counted(n, 'group')}" if n != cases else ""
    value = 1 if gate.at_least else 0
    if gate.at_least:
        bound = f"lower bound is at most {lower_bound_if_all_pass(n, confidence):.3f}"
    else:
        bound = f"upper bound is at least {upper_bound_if_none(n, confidence):.3f}"
    yield f"With {of} the {bound}: that is where every case has the value {value}."
    yield _needed(gate, n, confidence) or ""


def _needed(gate: Gate, n: int, confidence: float) -> str | None:
    """Return how many cases it takes for the bound to meet a threshold at best."""
    limit = gate.threshold.value
    if not 0 < limit < 1:
        return None
    needed = (
        cases_for_lower_bound(limit, confidence)
        if gate.at_least
        else cases_for_upper_bound(limit, confidence)
    )
    shown = f"{100 * limit:g}%"
    bound = "lower" if gate.at_least else "upper"
    value = 1 if gate.at_least else 0
    enough = "" if n >= needed else f" There are {n:,}."
    return (
        f"For the {bound} bound to reach {shown} it takes at least {counted(needed, 'case')}, all "
        f"with the value {value}.{enough}"
    )


def _threshold(gate: Gate, part: FormulaPart, figures: SuiteFigures) -> str | None:
    if part.start != gate.threshold.start:
        return f"**{code(part.text)}** · weight"
    of = sum_of(gate).only_term
    figure = of.figure if isinstance(of, Extreme) else of
    meaning = meaning_of(figure, figures.names) if figure is not None else None
    unit = meaning.unit if meaning is not None else Unit.SHARE
    sections = [f"**{code(part.text)}** · threshold, {unit.value}"]
    if unit is Unit.SHARE and gate.threshold.percent:
        sections.append(f"As a share: {gate.threshold.value:g}.")
    if isinstance(of, Figure) and (meaning is None or meaning.kind not in FROM_FILES):
        choice = figures.choose(of.slice.text) if of.slice is not None else None
        known = of.slice is None or choice is not None
        n = units(figures, figures.cases_of(choice)) if known else 0
        needed = _needed(gate, n, intervals(figures).confidence) if unit is Unit.SHARE else None
        sections += [needed] if needed else []
    return "\n\n".join(sections)


#: The number of steps of a bar.
_STEPS = 40


def interval_bar(decision: Decision) -> str | None:
    """Return a code block with the interval, the estimate and the threshold; None for no estimate."""
    figure, threshold = decision.figure, decision.threshold
    if figure is None or figure.estimate is None:
        return None
    low = figure.low if figure.low is not None else figure.estimate
    high = figure.high if figure.high is not None else figure.estimate
    first, last = _scale(figure, [low, high, *([] if threshold is None else [threshold])])

    def step(value: float) -> int:
        share = (value - first) / (last - first) if last > first else 0.0
        return round(_STEPS * min(max(share, 0.0), 1.0))

    cells = ["·"] * (_STEPS + 1)
    for place in range(step(low), step(high) + 1):
        cells[place] = "─"
    cells[step(low)], cells[step(high)] = "├", "┤"
    cells[step(figure.estimate)] = "●"
    ends = [short_value(end, figure.unit) for end in (first, last)]
    rows = [
        f"{ends[0]:<{_STEPS + 1 - len(ends[1])}}{ends[1]}",
        f"{''.join(cells)}  {short_figure(figure)}",
    ]
    if threshold is not None:
        mark = " " * step(threshold) + "▲"
        rows.append(f"{mark:<{_STEPS + 1}}  threshold {short_value(threshold, figure.unit)}")
    return fenced("\n".join(rows))


def _scale(figure: MeasuredFigure, values: list[float]) -> tuple[float, float]:
    """Return the ends of the bar: of a share or a coefficient 0 and 1, unless something is below."""
    if figure.unit in ("share", "coefficient"):
        return (-1.0 if min(values) < 0 else 0.0), 1.0
    return 0.0 if min(values) >= 0 else min(values), max(values) * 1.1 or 1.0
