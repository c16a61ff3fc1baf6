"""Rules on the tolerances of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from suitecase.checking.rules.expected_by_cases import expectation_of, graded_cases, graders_of
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Node, Scalar, Span, at
from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.grade.evaluator import Window
from suitecase_evaluators.text.written_number import exact


@rule("SC837", Severity.WARNING)
def zero_tolerance(suite: ParsedSuite) -> Iterator[Finding]:
    """A number with a fraction is compared with a tolerance of 0.

    Numbers that a program computed are seldom exact: 0.1 + 0.2 is 0.30000000000000004. Give a small
    tolerance, or leave out `tolerance` if the number is to be written exactly so.

    ```yaml bad
    evalcases:
      - id: total
        input: What do 3 pairs for 29.95 cost?
        expected_outcome: Names the total
        evaluators:
          - {name: total, type: number, value: 89.85, tolerance: 0}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: total
        input: What do 3 pairs for 29.95 cost?
        expected_outcome: Names the total
        evaluators:
          - {name: total, type: number, value: 89.85, tolerance: 0.005}
    ```
    """
    for window in _windows(suite):
        number, written = window.of.expected, window.key("tolerance")
        has_fraction = number != number.to_integral_value()
        if written is not None and not window.of.tolerance and has_fraction:
            yield window.finding(
                "tolerance",
                f"a tolerance of 0 on {_shown(number)}: a computed number is seldom exact, since "
                "0.1 + 0.2 is not 0.3",
            )


@rule("SC838", Severity.WARNING)
def tolerance_includes_zero(suite: ParsedSuite) -> Iterator[Finding]:
    """A tolerance is as large as the expected number, so that 0 passes.

    A tolerance has the unit of the number, or is a share of it with `relative: true`: 0.05 are 5
    percent, and 5 are 500 percent.

    ```yaml bad
    evalcases:
      - id: days
        input: In how many days do I get my money back?
        expected_outcome: Names the number of days
        evaluators:
          - {name: days, type: number, value: 42, tolerance: 100}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: days
        input: In how many days do I get my money back?
        expected_outcome: Names the number of days
        evaluators:
          - {name: days, type: number, value: 42, tolerance: 1}
    ```
    """
    for window in _windows(suite):
        number, tolerance = window.of.expected, exact(window.of.tolerance)
        if number and tolerance >= (1 if window.of.relative else number.copy_abs()):
            share = f" times the expected {_shown(number)}" if window.of.relative else ""
            than = "" if window.of.relative else f" is not less than the expected {_shown(number)}"
            yield window.finding(
                "tolerance",
                f"a tolerance of {window.of.tolerance:.10g}{share}{than}, so an answer of 0 would pass",
            )


@rule("SC840", Severity.WARNING)
def relative_to_zero(suite: ParsedSuite) -> Iterator[Finding]:
    """A tolerance is relative to an expected number of 0.

    Any share of 0 is 0, so that the tolerance allows nothing. Give an absolute tolerance.

    ```yaml bad
    evalcases:
      - id: balance
        input: 40 euros owed, 40 euros paid. What is the balance?
        expected_outcome: Names the balance
        evaluators:
          - name: balance
            type: number
            value: 0
            tolerance: 0.05
            relative: true  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: balance
        input: 40 euros owed, 40 euros paid. What is the balance?
        expected_outcome: Names the balance
        evaluators:
          - name: balance
            type: number
            value: 0
            tolerance: 0.05
    ```
    """
    for window in _windows(suite):
        if window.of.relative and window.of.tolerance and not window.of.expected:
            yield window.finding(
                "relative", "the expected number is 0, so a tolerance relative to it allows nothing"
            )


class _Placed:
    """A window with the mapping it is written in, and where a finding of it lies.

    Attributes:
        case: the number of the case; None in the head.
        expectation: where a case expects the number of an evaluator that it inherits.
    """

    def __init__(
        self,
        suite: ParsedSuite,
        evaluator: ParsedEvaluator,
        window: Window,
        case: int | None,
        expectation: Span | None = None,
    ) -> None:
        self.of = window
        self._suite = suite
        self._case = case
        self._expectation = expectation
        node, _, _ = at(evaluator.node, window.path)
        self._node: Node = node if isinstance(node, Mapping) else evaluator.node

    def key(self, name: str) -> Node | None:
        """Return the value of a key of the mapping."""
        return self._node.get(name) if isinstance(self._node, Mapping) else None

    def finding(self, name: str, message: str) -> Finding:
        """Return a finding at a key of the mapping, or at the case that inherits it."""
        node = self.key(name) or self._node
        span = node.span if isinstance(node, Scalar) else Span(node.start, node.start + 1)
        if self._case is None:
            return Finding(self._suite.head_place(span), message)
        if self._expectation is None:
            return Finding(self._suite.place(self._case, span), message)
        related = Related("the tolerance", self._suite.head_place(span))
        place = self._suite.place(self._case, self._expectation)
        return Finding(place, message, related=(related,) if self._suite.sidecar is None else ())


def _windows(suite: ParsedSuite) -> Iterator[_Placed]:
    """Yield the windows of all evaluators; those of the suite that are the same for each case once."""
    # Of a data set, those of the head are reported in its sidecar.
    common = graders_of(suite.head, _has_windows) if suite.kind != "dataset" else []
    for evaluator in common:
        for window in _of(evaluator, ()):
            yield _Placed(suite, evaluator, window, None)
    for graded in graded_cases(suite, _has_windows):
        for evaluator in graded.own:
            for window in _of(evaluator, graded.expected):
                yield _Placed(suite, evaluator, window, graded.number)
        for evaluator in graded.inherited if graded.expected else ():
            if not _of(evaluator, ()):
                for window in _of(evaluator, graded.expected):
                    span = expectation_of(graded.case)
                    yield _Placed(suite, evaluator, window, graded.number, span)


def _has_windows(evaluator: ParsedEvaluator) -> bool:
    return evaluator.description.windows is not None


def _of(evaluator: ParsedEvaluator, expected: tuple[Message, ...]) -> list[Window]:
    config, windows = evaluator.read(), evaluator.description.windows
    return list(windows(config, expected)) if config is not None and windows is not None else []


def _shown(number: Decimal) -> str:
    return f"{number:f}" if abs(number.adjusted()) < 20 else f"{number:.6e}"
