"""The cases that a cursor or a selection means."""

from __future__ import annotations

from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Span


def case_at(suite: ParsedSuite, offset: int) -> str | None:
    """Return the id of the case an offset lies in; None outside of cases that have one."""
    number = suite.document.case_at(offset)
    written = suite.cases[number].id if number is not None else None
    return written.text or None if written is not None else None


def cases_in(suite: ParsedSuite, span: Span) -> list[str]:
    """Return the ids of the cases that a stretch of text touches.

    A selection of whole lines ends at the start of a case that is not meant; one of nothing means
    the case that the cursor is in.
    """
    if span.start == span.end:
        case = case_at(suite, span.start)
        return [case] if case is not None else []
    found: dict[str, None] = {}
    for number, it in enumerate(suite.cases):
        here = _extent(suite, number)
        touched = here is not None and here.start < span.end and span.start < here.end
        if touched and it.id is not None and it.id.text:
            found[it.id.text] = None
    return [*found]


def _extent(suite: ParsedSuite, number: int) -> Span | None:
    """Return where a case stands, with what follows it up to the next one where that is known."""
    piece = suite.document.cases[number]
    if suite.document.segmented:
        return Span(piece.start, piece.start + len(piece.content.text))
    return suite.place(number, piece.node.span) if piece.node is not None else None
