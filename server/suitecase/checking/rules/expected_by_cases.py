"""Which evaluators grade each case by what the case expects, for rules that compare the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.formats.suitecase.case_messages import expected_messages
from suitecase.formats.suitecase.elements import ParsedEvaluator, evaluators_in
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.answers.message import Message

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
    look = _looks(wanted)[0 if common else 1]
    index = suite.case_index
    # Nothing is made of the cases here: of many, that would set off garbage collections.
    for number, found in zip(index.numbers(look), index.values(look), strict=True):
        case, expected, own, has_list = found
        inherits = not has_list or suite.appended_to(number)
        if own or (common and inherits):
            yield GradedCase(number, case, expected, own, common if inherits else [])


def graders_of(part: ParsedHead | ParsedCase, wanted: Wanted) -> list[ParsedEvaluator]:
    """Return the effective evaluators of a part that are of interest, with members."""
    listed = own_list(part)
    if part.node is None or listed is None:
        return []
    # The elements of a part are kept as they were read, but they are those of both its lists.
    has_both = "evaluators" in part.node and "execution" in part.node
    elements = evaluators_in(listed.value) if has_both else part.elements()
    return [
        element for element in elements if isinstance(element, ParsedEvaluator) and wanted(element)
    ]


#: A case, what it expects, its own evaluators of interest, and whether it has a list of its own.
_Readable = tuple[ParsedCase, tuple[Message, ...], list[ParsedEvaluator], bool]
_Look = Callable[[ParsedCase], _Readable | None]


@cache
def _looks(wanted: Wanted) -> tuple[_Look, _Look]:
    """Return looks for `ParsedSuite.case_index`: for all cases that can be read, and for those with own
    evaluators of interest.
    """

    def readable(case: ParsedCase) -> _Readable | None:
        if case.model is None or case.node is None or case.content.unknown_aliases:
            return None
        own = graders_of(case, wanted)
        return case, expected_messages(case.model), own, own_list(case) is not None

    def with_own(case: ParsedCase) -> _Readable | None:
        evaluators = (
            element for element in case.elements() if isinstance(element, ParsedEvaluator)
        )
        found = readable(case) if any(map(wanted, evaluators)) else None
        return found if found is not None and found[2] else None

    return readable, with_own


def expectation_of(case: ParsedCase) -> Span:
    """Return the key of a case's expected answer, or else the case's id."""
    keys = (
        case.node.key(name) if case.node else None
        for name in ("expected_messages", "expected_output", "id")
    )
    return next((key.span for key in keys if key is not None), Span(0, 1))
