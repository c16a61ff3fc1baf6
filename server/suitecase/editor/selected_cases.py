"""The cases that a cursor or a selection refers to."""

from __future__ import annotations

from suitecase.editor.runnable_cases import RunnableCases
from suitecase.text.node import Span


def case_at(suite: RunnableCases, offset: int) -> str | None:
    """Return the id of the case at an offset; None outside cases with an id."""
    number = suite.document.case_at(offset)
    case_id = suite.cases[number].id if number is not None else None
    return case_id.text or None if case_id is not None else None


def cases_in(suite: RunnableCases, span: Span) -> list[str]:
    """Return the ids of the cases that a span touches.

    A selection of whole lines ends at the start of a case that is not selected; an empty one refers
    to the case at the cursor.
    """
    if span.start == span.end:
        case = case_at(suite, span.start)
        return [case] if case is not None else []
    ids: dict[str, None] = {}
    for number, parsed_case in enumerate(suite.cases):
        extent = _extent(suite, number)
        touched = extent is not None and extent.start < span.end and span.start < extent.end
        if touched and parsed_case.id is not None and parsed_case.id.text:
            ids[parsed_case.id.text] = None
    return [*ids]


def _extent(suite: RunnableCases, number: int) -> Span | None:
    """Return the span of a case, up to the next one if that is known."""
    piece = suite.document.cases[number]
    if suite.document.segmented:
        return Span(piece.start, piece.start + len(piece.content.text))
    return suite.place(number, piece.node.span) if piece.node is not None else None
