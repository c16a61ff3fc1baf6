"""Which evaluators grade each case by what the case expects, for rules that compare the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from suitecase.rules.evaluator_lists import own_list
from suitecase.suite.elements import ParsedEvaluator, evaluators_in
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.resolve import expected_messages
from suitecase.syntax.node import Span
from suitecase_evaluators.message import Message

#: Whether an evaluator is of interest. It is asked of each case once, so it has to be a function of
#: a module.
Wanted = Callable[[ParsedEvaluator], bool]


class GradedCase(NamedTuple):
    """A case that can be read, with the evaluators of interest that grade it.

    Attributes:
        number: of the case in the suite.
        case: the case.
        expected: the messages that it expects.
        own: its own evaluators, with members.
        inherited: those that it inherits from the suite.
    """

    number: int
    case: ParsedCase
    expected: tuple[Message, ...]
    own: list[ParsedEvaluator]
    inherited: list[ParsedEvaluator]


def graded_cases(suite: ParsedSuite, wanted: Wanted) -> Iterator[GradedCase]:
    """Yield the cases that evaluators of interest grade."""
    common = graders_of(suite.head, wanted)
    cases = suite.case_index.where(_with(wanted)) if not common else enumerate(suite.cases)
    for number, case in cases:
        if case.model is None or case.node is None or case.content.unknown_aliases:
            continue
        inherits = own_list(case) is None or suite.appended_to(number)
        own = graders_of(case, wanted)
        if own or inherits:
            expected = expected_messages(case.model)
            yield GradedCase(number, case, expected, own, common if inherits else [])


def graders_of(part: ParsedHead | ParsedCase, wanted: Wanted) -> list[ParsedEvaluator]:
    """Return the effective evaluators of a part that are of interest, with members."""
    listed = own_list(part)
    if part.node is None or listed is None:
        return []
    # The elements of a part are kept as they were read, but they are those of both its lists.
    has_both = "evaluators" in part.node and "execution" in part.node
    elements = evaluators_in(listed.value) if has_both else part.elements()
    return [it for it in elements if isinstance(it, ParsedEvaluator) and wanted(it)]


@cache
def _with(wanted: Wanted) -> Callable[[ParsedCase], ParsedCase | None]:
    def look(case: ParsedCase) -> ParsedCase | None:
        evaluators = (it for it in case.elements() if isinstance(it, ParsedEvaluator))
        return case if any(map(wanted, evaluators)) else None

    return look


def expectation_of(case: ParsedCase) -> Span:
    """Return the key of a case's expected answer, or else the case's id."""
    keys = (
        case.node.key(name) if case.node else None
        for name in ("expected_messages", "expected_output", "id")
    )
    return next((it.span for it in keys if it is not None), Span(0, 1))
