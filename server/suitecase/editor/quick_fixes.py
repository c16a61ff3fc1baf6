"""The fixes of findings at a position, and all safe fixes combined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.checking.analysis import Analysis
from suitecase.checking.fixing import Analyze, fix_text
from suitecase.checking.suppression_edits import suppress_edit
from suitecase.format.rule import Edit, Finding
from suitecase.text.document import Document
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Span


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A fix as an editor offers it; its edits use the document's line breaks.

    `preferred` is whether it preserves the suite's meaning, so that it can be applied without
    review.
    """

    title: str
    finding: Finding
    edits: tuple[Edit, ...]
    preferred: bool


def quick_fixes(text: str, analysis: Analysis, span: Span) -> Iterator[QuickFix]:
    """Yield the fixes of the findings that touch a span."""
    first_break = LINE_BREAK.search(text)
    line_break = first_break.group() if first_break else "\n"
    for finding in analysis.touching(span):
        if finding.fix is not None:
            edits = tuple(
                Edit(edit.span, LINE_BREAK.sub(line_break, edit.text)) for edit in finding.fix.edits
            )
            yield QuickFix(finding.fix.title, finding, edits, finding.fix.safe)


def suppressions(document: Document, analysis: Analysis, span: Span) -> Iterator[QuickFix]:
    """Yield suppression comments for the findings that touch a span."""
    offered: set[str] = set()
    for finding in analysis.touching(span):
        if finding.code in offered:
            continue
        edit = suppress_edit(document, finding)
        if edit is not None:
            offered.add(finding.code)
            yield QuickFix(
                f"Ignore {finding.code} ({finding.rule.name}) here", finding, (edit,), False
            )


def fix_all(text: str, analyze: Analyze) -> tuple[Edit, int] | None:
    """Apply all safe fixes of a text.

    Returns:
        the edit, limited to the changed range, and the number of fixes; None if there is nothing to
        fix.
    """
    fixed = fix_text(text, analyze)
    if fixed.text == text:
        return None
    shorter = min(len(text), len(fixed.text))
    start = next(
        (number for number in range(shorter) if text[number] != fixed.text[number]), shorter
    )
    end = next(
        (
            number
            for number in range(shorter - start)
            if text[-1 - number] != fixed.text[-1 - number]
        ),
        shorter - start,
    )
    # Do not split a CRLF: no editor has a position inside it.
    if text[start - 1 : start] == "\r":
        start -= 1
    if end and text[len(text) - end] == "\n":
        end -= 1
    return Edit(
        Span(start, len(text) - end), fixed.text[start : len(fixed.text) - end]
    ), fixed.count
