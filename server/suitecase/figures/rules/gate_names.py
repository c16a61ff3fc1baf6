"""Rules on the text of gates and metrics: their syntax, and the names in it."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Extreme, Figure, Name, sum_of
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.spelling import figure_spellings, slice_spellings, spelt
from suitecase.figures.gates.written import WrittenGate, WrittenMetric
from suitecase.format.rule import Finding, Fix, replace, rule
from suitecase.text.near_names import nearest
from suitecase.text.node import Span

#: So many names are listed in a message at most.
_LISTED = 8


@rule("SC801", affects="run")
def gate_syntax(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate or a metric cannot be parsed.

    A gate compares a figure with a number: `pass_rate >= 90%`. The figure may be of a slice
    (`pass_rate[critical]`), a bound of its interval (`lower(...)`, `upper(...)`), its change since a
    baseline (`change(...)`), or a weighted sum. A metric is such a sum without the comparison.

    ```yaml bad
    gates:
      - pass_rate => 90%  # <- finding@15
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for formula in figures.formulas:
        problem = formula.tree
        if isinstance(problem, GateProblem):
            span = formula.span(problem)
            meant = problem.replacement
            fix = _rename(span, meant) if meant is not None else None
            yield Finding(span, problem.message, fix)


@rule("SC802", affects="run")
def unknown_figure(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate or a metric names an unknown figure.

    A figure is one that every suite has, such as `pass_rate` or `latency_ms`, a metric of the
    suite, or an evaluator by its name: `tone` is its mean score, `tone.pass_rate` the share of
    answers that pass it, and `tone.warm` the value of its rubric item `warm`.

    ```yaml bad
    gates:
      - pas_rate >= 90%  # <- finding@5
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    gates:
      - pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    gates:
      - polite.pass_rate >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - {name: polite, type: icontains, value: please}
    ```
    """
    if not figures.all_known:
        return
    for formula in figures.formulas:
        for figure in formula.figures():
            if figures.meaning(figure) is None and not _is_uncertain(figure, figures):
                span = formula.span(Name(figure.start, figure.name_end, figure.name))
                yield Finding(span, *_unknown(figure, figures, span))


def _is_uncertain(figure: Figure, figures: SuiteFigures) -> bool:
    return any(_evaluator_of(figure, {name}) is not None for name in figures.uncertain)


def _evaluator_of(figure: Figure, names: set[str] | frozenset[str]) -> tuple[str, str] | None:
    """Return the longest name of an evaluator that a figure starts with, and the rest."""
    parts = [it.text for it in figure.names]
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in names:
            return name, ".".join(parts[end:])
    return None


def _unknown(figure: Figure, figures: SuiteFigures, span: Span) -> tuple[str, Fix | None]:
    """Return the message for an unknown figure, and the fix."""
    names = figures.names
    of_evaluator = _evaluator_of(figure, frozenset(names.evaluators))
    if of_evaluator is None:
        known = figure_spellings(names)
        if len(figure.names) > 1:  # only an evaluator has parts
            known = [it for it in known if "." in it]
        meant = nearest(figure.name, known)
        what = "figure, metric or evaluator" if len(figure.names) == 1 else "figure or evaluator"
        message = f"no {what} is called `{figure.name}`"
    else:
        name, part = of_evaluator
        start = spelt(name) or name
        known = [
            figure_spelling
            for figure_spelling in figure_spellings(names)
            if figure_spelling.startswith(f"{start}.")
        ]
        meant = nearest(f"{name}.{part}", known)
        message = f"evaluator `{name}` has no `{part}`"
        if meant is None:
            listed = known[:_LISTED]
            return f"{message}; expected one of {', '.join(f'`{item}`' for item in listed)}", None
    if meant is None:
        return message, None
    return f"{message}; did you mean `{meant}`?", _rename(span, meant)


@rule("SC803", affects="run")
def unknown_slice(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate or a metric names an unknown slice.

    Between brackets is the name of a slice under `slices`, of a tag of the cases, or of a value of a
    facet: `language=de`. After `by` is the name of a facet, which is a slice with the key `by`.

    ```yaml bad
    gates:
      - pass_rate[critcal] >= 90%  # <- finding@15
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```

    ```yaml fixed
    gates:
      - pass_rate[critical] >= 90%
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```
    """
    if not figures.all_known or not figures.profiles:
        return
    for formula in figures.formulas:
        for figure in formula.figures():
            if figure.slice is not None and not _is_slice(figure.slice.text, figures):
                yield _unknown_slice(formula, figure.slice, figures)
        for extreme in _extremes(formula):
            if extreme.facet.text not in figures.facets and (
                extreme.facet.text not in figures.declared or extreme.facet.text in figures.slices
            ):
                yield _unknown_facet(formula, extreme.facet, figures)


def _is_slice(name: str, figures: SuiteFigures) -> bool:
    facet = name.partition("=")[0].strip()
    # Of a declared slice with errors nobody knows whether it is a facet.
    unread = figures.declared - figures.slices.keys()
    return figures.choose(name) is not None or name in unread or facet in unread


def _extremes(formula: WrittenGate | WrittenMetric) -> Iterator[Extreme]:
    if not isinstance(formula.tree, GateProblem):
        yield from (term.of for term in sum_of(formula.tree).terms if isinstance(term.of, Extreme))


def _unknown_slice(
    formula: WrittenGate | WrittenMetric, name: Name, figures: SuiteFigures
) -> Finding:
    span = formula.span(name)
    known = slice_spellings(figures)
    if name.text in figures.facets:
        values = [it for it in known if it.startswith(f"{name.text}=")]
        such = f", such as `{values[0]}`" if values else ""
        message = f"`{name.text}` is a facet; name one of its slices{such}"
        return Finding(span, message)
    meant = nearest(name.text, known)
    message = f"no slice and no tag is called `{name.text}`"
    if meant is None:
        return Finding(span, message)
    return Finding(span, f"{message}; did you mean `{meant}`?", _rename(span, meant))


def _unknown_facet(
    formula: WrittenGate | WrittenMetric, name: Name, figures: SuiteFigures
) -> Finding:
    span = formula.span(name)
    if name.text in figures.slices:
        message = f"slice `{name.text}` is not a facet: it has no `by`"
    else:
        message = f"no facet is called `{name.text}`"
    meant = nearest(name.text, figures.facets)
    if meant is None:
        return Finding(span, message)
    return Finding(span, f"{message}; did you mean `{meant}`?", _rename(span, meant))


def _rename(span: Span, meant: str) -> Fix:
    return replace(span, meant, f"Change to `{meant}`", safe=False)
