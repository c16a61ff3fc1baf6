"""Rules on metrics, and on the sums of figures in gates."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Extreme, Figure, Term, figures_in, sum_of
from suitecase.figures.gates.meaning import BUILT_IN, FigureKind, Unit
from suitecase.figures.gates.metric_sizes import (
    DEEPEST,
    MOST_FIGURES,
    are_in_one_circle,
    metric_size,
    metrics_used,
)
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.scales import scale_of_term
from suitecase.figures.gates.shown import shown_number
from suitecase.format.rule import Finding, Severity, rule

_BUILT_IN = frozenset(it.value for it in BUILT_IN)


@rule("SC820", affects="run")
def mixed_units(figures: SuiteFigures) -> Iterator[Finding]:
    """A sum adds figures of different units.

    Milliseconds, US dollars, tokens and shares cannot be added to each other. Write a gate for each
    of them.

    ```yaml bad
    metrics:
      quality: 0.9 * score + 0.1 * latency_ms  # <- finding@26
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    gates:
      - score >= 0.9
      - latency_ms <= 2000
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for formula in figures.formulas:
        first: tuple[Unit, str] | None = None
        for term in () if isinstance(formula.tree, GateProblem) else sum_of(formula.tree).terms:
            scale = scale_of_term(term, figures)
            if scale is None:
                continue
            name = _figure(term).name
            if first is None:
                first = scale.unit, name
            elif scale.unit is not first[0]:
                yield Finding(
                    formula.span(term),
                    f"`{name}` is {scale.unit.value} and `{first[1]}` is {first[0].value}: they "
                    "cannot be added",
                )
                break


def _figure(term: Term) -> Figure:
    return term.of.figure if isinstance(term.of, Extreme) else term.of


@rule("SC821", Severity.WARNING)
def weights_not_one(figures: SuiteFigures) -> Iterator[Finding]:
    """The weights of a metric do not sum to 1.

    If they do, the metric lies between 0 and 1 as its figures do. Otherwise it is hard to read, and
    a threshold such as 90% means something else.

    ```yaml bad
    metrics:
      quality: 0.6 * score + 0.3 * pass_rate  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    metrics:
      quality: 0.6 * score + 0.4 * pass_rate
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for metric in figures.metrics.values():
        if isinstance(metric.tree, GateProblem):
            continue
        terms = metric.tree.terms
        scales = [scale_of_term(term, figures) for term in terms]
        if any(scale is None or scale.unit is not Unit.SHARE for scale in scales):
            continue
        total = sum(term.weight for term in terms)
        # A negative weight means a difference, whose weights sum to anything.
        if all(term.weight > 0 for term in terms) and abs(total - 1) > 1e-9:
            best = shown_number(round(total, 9))
            weights = f"the weights sum to {best}" if len(terms) > 1 else f"its weight is {best}"
            yield Finding(
                metric.span(metric.tree),
                f"{weights}, so `{metric.name}` is {best} at best, not 1",
            )


@rule("SC822", affects="run")
def circular_metric(figures: SuiteFigures) -> Iterator[Finding]:
    """A metric is made of itself.

    ```yaml bad
    metrics:
      quality: 0.5 * score + 0.5 * speed  # <- finding
      speed: 0.5 * pass_rate + 0.5 * quality  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    A metric may use others, as long as none of them uses it.

    ```yaml good
    metrics:
      quality: 0.5 * score + 0.5 * speed
      speed: 0.5 * pass_rate + 0.5 * pass@1
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for name, metric in figures.metrics.items():
        if isinstance(metric.tree, GateProblem):
            continue
        for figure in figures_in(metric.tree):
            meaning = figures.meaning(figure)
            used = meaning.evaluator if meaning is not None else None
            is_metric = meaning is not None and meaning.kind is FigureKind.METRIC
            if is_metric and used is not None and are_in_one_circle(name, used, figures):
                own = used == name
                via = "" if own else f" by way of `{used}`"
                yield Finding(metric.span(figure), f"metric `{name}` is made of itself{via}")
                break


@rule("SC829", affects="run")
def boundless_metric(figures: SuiteFigures) -> Iterator[Finding]:
    """A metric comes to too many figures.

    A metric that uses another one twice has twice its figures, and one that uses that twice has four
    times as many. A metric may come to 1,000 figures, counted as often as they are used, and 50 metrics
    may be inside one another.

    ```yaml bad
    metrics:
      a: 0.5 * score + 0.5 * pass_rate
      b: 0.2 * a + 0.2 * a + 0.2 * a + 0.2 * a + 0.2 * a
      c: 0.2 * b + 0.2 * b + 0.2 * b + 0.2 * b + 0.2 * b
      d: 0.2 * c + 0.2 * c + 0.2 * c + 0.2 * c + 0.2 * c
      e: 0.2 * d + 0.2 * d + 0.2 * d + 0.2 * d + 0.2 * d  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    metrics:
      a: 0.5 * score + 0.5 * pass_rate
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for name, metric in figures.metrics.items():
        size = metric_size(name, figures)
        if size is None or not size.is_too_much or isinstance(metric.tree, GateProblem):
            continue
        inner = [metric_size(it, figures) for it in metrics_used(name, figures) if it is not None]
        if any(it is not None and it.is_too_much for it in inner):
            continue  # the first one is reported
        what = (
            f"more than {MOST_FIGURES:,} figures"
            if size.figures > MOST_FIGURES
            else f"more than {DEEPEST} metrics inside one another"
        )
        yield Finding(metric.span(metric.tree), f"metric `{name}` comes to {what}")


@rule("SC826", Severity.WARNING)
def ambiguous_metric_name(figures: SuiteFigures) -> Iterator[Finding]:
    """A metric has the name of another figure.

    In gates, a built-in figure goes before a metric of its name, which nobody can use then. A metric
    goes before an evaluator of its name, whose score has no name then.

    ```yaml bad
    metrics:
      score: 0.5 * pass_rate + 0.5 * pass@1  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    metrics:
      quality: 0.5 * pass_rate + 0.5 * pass@1
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for name, metric in figures.metrics.items():
        if name in _BUILT_IN:
            yield Finding(
                metric.key.span,
                f"`{name}` is a built-in figure, which gates use instead of this metric; choose "
                "another name",
            )
        elif name in figures.names.evaluators:
            yield Finding(
                metric.key.span,
                f"an evaluator is called `{name}`, too; gates use the metric, not its score",
            )
