"""Fixes of a case or of a head, for rules that look at the whole suite."""

from __future__ import annotations

from suitecase.format.rule import DeferredFix, Edit, Fix
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.document import Piece


def fix_of_case(suite: ParsedSuite, number: int, fix: DeferredFix) -> Fix | None:
    """Return a fix of a case, with its places in the document."""
    return placed(fix(suite.cases[number].content), suite.document.cases[number])


def fix_of_head(suite: ParsedSuite, fix: DeferredFix) -> Fix | None:
    """Return a fix of the head; None for a data set, whose head is another file."""
    if suite.kind == "dataset":
        return None
    return placed(fix(suite.head.content), suite.document.head)


def placed(fix: Fix | None, piece: Piece) -> Fix | None:
    """Return a fix of a piece, with its places in the document."""
    if fix is None:
        return None
    gap = piece.gap_at
    if gap is not None and any(edit.span.start < gap < edit.span.end for edit in fix.edits):
        return None  # the cases stand there
    edits = tuple(Edit(piece.absolute(edit.span), edit.text) for edit in fix.edits)
    return Fix(fix.title, edits, fix.safe)
