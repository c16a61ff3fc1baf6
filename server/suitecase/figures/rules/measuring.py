"""Rules on what figures can be measured, and on what intervals of so many cases can show."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Call, Figure, Gate, Name, functions_in
from suitecase.figures.gates.meaning import ZERO_OR_ONE, FigureKind, Meaning, Unit
from suitecase.figures.gates.measured import measured_cases
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.scales import measured_figures
from suitecase.figures.gates.settings import confidence_of, groups_of, repeats_of
from suitecase.figures.gates.shown import shown_threshold
from suitecase.figures.gates.written import WrittenGate
from suitecase.figures.rules.file_figures import unmeasured_by_files
from suitecase.figures.statistics.binomial import (
    cases_for_lower_bound,
    cases_for_upper_bound,
    lower_bound_if_all_pass,
    upper_bound_if_none,
)
from suitecase.format.rewriting.inserting import entry_added
from suitecase.format.rewriting.lines import added_before
from suitecase.format.rule import DeferredFix, Edit, Finding, Fix, Severity, rule
from suitecase.text.document import Content
from suitecase.text.node import Mapping
from suitecase.text.plural import counted

#: Slices of fewer cases than this are small.
SMALL = 10
_PASSES = frozenset({FigureKind.PASS_RATE, FigureKind.EVALUATOR_PASS_RATE})


def _cases(figure: Figure, figures: SuiteFigures) -> tuple[int, ...] | None:
    """Return the cases of the slice of a figure; None if the slice is unknown."""
    if figure.slice is None:
        return figures.cases_of(None)
    choice = figures.choose(figure.slice.text)
    return figures.cases_of(choice) if choice is not None else None


@rule("SC809", affects="run")
def unmeasured_figure(figures: SuiteFigures) -> Iterator[Finding]:
    """No case that a gate is about is graded by the evaluator of its figure.

    Then there is nothing to measure, the gate can never be decided, and the run ends undecided.

    The figures of `human` and `judges` come from label files and calibrations, not from the answers of a
    run: they have neither slices nor a change, and cannot be part of a sum. Those of `judges.NAME`, and
    `corrected(NAME.pass_rate)`, need a `calibration` under `judges.NAME`.

    ```yaml bad
    gates:
      - polite.pass_rate[critical] >= 90%  # <- finding@5
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators: [{name: polite, type: icontains, value: please}]
      - id: refund
        input: I want my money back.
        expected_outcome: Helps
        tags: [critical]
        evaluators: [{name: helps, type: icontains, value: refund}]
    ```

    ```yaml good
    gates:
      - polite.pass_rate >= 90%
      - helps.pass_rate[critical] >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators: [{name: polite, type: icontains, value: please}]
      - id: refund
        input: I want my money back.
        expected_outcome: Helps
        tags: [critical]
        evaluators: [{name: helps, type: icontains, value: refund}]
    ```
    """
    yield from unmeasured_by_files(figures)
    if not figures.all_known:
        return
    for formula in figures.formulas:
        for figure in formula.figures():
            cases = _cases(figure, figures)
            if not cases:
                continue  # an empty slice has its own rule
            for part, meaning in measured_figures(figure, figures):
                of_part = _cases(part, figures) if part.slice is not None else cases
                if not of_part or measured_cases(part, meaning, figures, of_part):
                    continue
                yield Finding(
                    formula.span(Name(figure.start, figure.name_end, figure.name)),
                    _unmeasured(figure, part, meaning),
                )
                break


def _unmeasured(figure: Figure, part: Figure, meaning: Meaning) -> str:
    where = part.slice or figure.slice
    cases = f"no case of `{where.text}`" if where is not None else "no case"
    of = f", which is part of `{figure.name}`" if part is not figure else ""
    if meaning.kind is FigureKind.EVALUATOR_PART:
        return f"{cases} is graded by `{meaning.part}` of `{meaning.evaluator}`{of}"
    return f"{cases} is graded by `{meaning.evaluator}`{of}"


def _bounded(gate: Gate) -> tuple[str, Figure] | None:
    """Return the bound and the figure of a gate such as `lower(pass_rate) >= 90%`, else None."""
    expression = gate.expression
    if not isinstance(expression, Call) or isinstance(expression.of, Call):
        return None
    wanted = "lower" if gate.at_least else "upper"
    figure = expression.of.only_term
    is_plain = isinstance(figure, Figure) and expression.function.text == wanted
    return (wanted, figure) if is_plain and isinstance(figure, Figure) else None


@rule("SC807", gradable=True, affects="run")
def unreachable_gate(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate asks for a bound that so few cases cannot show.

    The fewer cases, the wider the interval. Even if all of 12 cases pass, the true pass rate may be
    as low as 0.735, at a confidence of 95%.

    | threshold of `lower(pass_rate)` | 80% | 85% | 90% | 95% | 98% | 99% |
    | --- | --- | --- | --- | --- | --- | --- |
    | cases at least | 17 | 23 | 36 | 72 | 183 | 368 |

    Add cases, lower the threshold, or compare the estimate: `pass_rate >= 90%`.

    ```yaml bad
    gates:
      - lower(pass_rate) >= 90%  # <- finding@25
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    if not figures.all_known:
        return
    for written in figures.gates:
        gate = written.tree
        bounded = None if isinstance(gate, GateProblem) else _bounded(gate)
        if isinstance(gate, GateProblem) or bounded is None:
            continue
        message = _out_of_reach(written, gate, *bounded, figures)
        if message is not None:
            yield Finding(written.span(gate.threshold), message)


def _out_of_reach(
    written: WrittenGate, gate: Gate, bound: str, figure: Figure, figures: SuiteFigures
) -> str | None:
    meaning, cases = figures.meaning(figure), _cases(figure, figures)
    if meaning is None or not cases or meaning.unit is not Unit.SHARE:
        return None
    limit = gate.threshold.value
    if not 0 <= limit <= 1 or meaning.kind is FigureKind.METRIC:
        return None
    certain = 1.0 if bound == "lower" else 0.0
    if limit == certain:
        side = "below 1" if bound == "lower" else "above 0"
        return f"the bound of an interval is always {side}, however many cases there are"
    measured = measured_cases(figure, meaning, figures, cases)
    if meaning.kind not in ZERO_OR_ONE or not measured or not _are_alone(measured, figures):
        return None  # values between 0 and 1 may have a narrower interval
    confidence = confidence_of(figures)
    is_lower = bound == "lower"
    best = (lower_bound_if_all_pass if is_lower else upper_bound_if_none)(len(measured), confidence)
    if gate.met_by(best):
        return None
    needed = (cases_for_lower_bound if is_lower else cases_for_upper_bound)(limit, confidence)
    side = "at most" if bound == "lower" else "at least"
    of = f" of `{figure.slice.text}`" if figure.slice is not None else ""
    return (
        f"with {counted(len(measured), 'case')}{of} the {bound} bound is {side} {best:.3g}, even "
        f"if {_best_case(meaning, bound)}; `{shown_threshold(gate, written.node.text)}` takes "
        f"{counted(needed, 'case')}"
    )


def _best_case(meaning: Meaning, bound: str) -> str:
    if meaning.kind in _PASSES:
        return "every case passes" if bound == "lower" else "no case passes"
    if meaning.kind is FigureKind.VIOLATION_RATE:
        return "every case is a violation" if bound == "lower" else "no case is a violation"
    return "the rate is 1" if bound == "lower" else "the rate is 0"


def _are_alone(cases: tuple[int, ...], figures: SuiteFigures) -> bool:
    """Whether each of some cases is asked once and is resampled alone, so that it is 0 or 1."""
    if repeats_of(figures) > 1:
        return False
    chosen = set(cases)
    groups = groups_of(figures)
    groups.pop(None, None)
    return all(len(chosen.intersection(group)) < 2 for group in groups.values())


@rule("SC808", Severity.INFO)
def small_slice(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate is about a slice of few cases.

    The figure of so few cases may be far from the true one. A gate on a bound of the interval, such
    as `lower(pass_rate[critical]) >= 60%`, takes that into account.

    ```yaml bad
    gates:
      - pass_rate[critical] >= 90%  # <- finding@15
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```

    ```yaml good
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```
    """
    if not figures.all_known:
        return
    with_bounds: set[str] = set()
    for written in figures.gates:
        if not isinstance(written.tree, GateProblem) and functions_in(written.tree):
            with_bounds |= {it.slice.text for it in written.figures() if it.slice is not None}
    for written in figures.gates:
        for figure in written.figures():
            meaning, cases = figures.meaning(figure), _cases(figure, figures)
            if figure.slice is None or figure.slice.text in with_bounds or not cases:
                continue
            if meaning is None or meaning.unit is not Unit.SHARE or len(cases) >= SMALL:
                continue
            with_bounds.add(figure.slice.text)  # it is said once
            means = _at_worst(meaning, len(cases), confidence_of(figures), written)
            yield Finding(
                written.span(figure.slice),
                f"`{figure.slice.text}` has {counted(len(cases), 'case')}: {means}",
            )


def _at_worst(meaning: Meaning, cases: int, confidence: float, gate: WrittenGate) -> str:
    """Return what the true rate may be, however good the figure of so few cases is."""
    if isinstance(gate.tree, Gate) and gate.tree.at_least:
        seen = "all pass" if meaning.kind in _PASSES else "the figure is 1"
        lowest = lower_bound_if_all_pass(cases, confidence)
        return f"even if {seen}, the true value may be as low as {lowest:z.2f}"
    is_violation = meaning.kind is FigureKind.VIOLATION_RATE
    seen = "none is a violation" if is_violation else "the figure is 0"
    highest = upper_bound_if_none(cases, confidence)
    return f"even if {seen}, the true value may be as high as {highest:z.2f}"


@rule("SC813", gradable=True, affects="run")
def too_few_repeats(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate needs more answers of each case than there are.

    `pass@5` is the probability that at least one of five answers passes, `pass^5` that all of them
    do. Both take at least five answers of each case, so `execution.repeats` has to be 5 or more.

    ```yaml bad
    gates:
      - pass@5 >= 90%  # <- finding@5
    execution:
      target: mock
      repeats: 3
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    gates:
      - pass@5 >= 90%
    execution:
      target: mock
      repeats: 5
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    repeats = repeats_of(figures)
    for formula in figures.formulas:
        for figure in formula.figures():
            meaning = figures.meaning(figure)
            if meaning is None or meaning.k is None or meaning.k <= repeats:
                continue
            times = "once" if repeats == 1 else f"{repeats} times"
            yield Finding(
                formula.span(Name(figure.start, figure.name_end, figure.name)),
                f"`{figure.name}` takes {counted(meaning.k, 'answer')} of each case, but each case "
                f"is asked {times}",
                deferred_fix=_repeated(meaning.k, formula.key_name),
            )


def _repeated(k: int, key: str) -> DeferredFix:
    """Return what makes the fix that asks each case `k` times."""

    def fix(content: Content) -> Fix | None:
        root = content.node
        if not isinstance(root, Mapping):
            return None
        execution, edit = root.get("execution"), None
        if isinstance(execution, Mapping):
            entry = execution.entries.get("repeats")
            if entry is None:
                edit = entry_added(content, execution, f"repeats: {k}", second=True)
            elif not entry.merged:
                edit = Edit(entry.value.span, str(k))
        elif execution is None and not root.flow:
            line = f"execution: {{repeats: {k}}}"
            edit = added_before(content.text, root, root.entries[key], line)
        return Fix(f"Ask each case {k} times", (edit,), safe=False) if edit else None

    return fix
