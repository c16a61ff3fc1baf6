"""The fixes of what was found at a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.checking.analysis import Analysis
from suitecase.checking.suppression_edits import suppress_edit
from suitecase.rule import Edit, Finding
from suitecase.syntax.document import Document
from suitecase.syntax.lines import LINE_BREAK
from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A fix as an editor offers it; its edits have the line breaks of the document.

    `preferred` says that it keeps the suite's meaning, so that it may be made unseen.
    """

    title: str
    finding: Finding
    edits: tuple[Edit, ...]
    preferred: bool


def touches(found: Finding, span: Span) -> bool:
    """Whether a finding lies at a stretch of the text that it lies in."""
    return found.span.start <= span.end and span.start <= found.span.end


def quick_fixes(text: str, analysis: Analysis, span: Span) -> Iterator[QuickFix]:
    """Yield the fixes of the findings that touch a stretch of the text."""
    found = LINE_BREAK.search(text)
    line_break = found.group() if found else "\n"
    for it in analysis.findings:
        if it.fix is not None and touches(it, span):
            edits = tuple(
                Edit(edit.span, LINE_BREAK.sub(line_break, edit.text)) for edit in it.fix.edits
            )
            yield QuickFix(it.fix.title, it, edits, it.fix.safe)


def suppressions(document: Document, analysis: Analysis, span: Span) -> Iterator[QuickFix]:
    """Yield, for the findings that touch a stretch of the text, the comments that silence them."""
    offered: set[str] = set()
    for it in analysis.findings:
        if not touches(it, span) or it.code in offered:
            continue
        edit = suppress_edit(document, it)
        if edit is not None:
            offered.add(it.code)
            yield QuickFix(f"Ignore {it.code} ({it.rule.name}) here", it, (edit,), False)
