"""The fixes of what was found at a place, and all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.checking.analysis import Analysis
from suitecase.checking.fixing import Analyze, fix_text
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


def fix_all(text: str, analyze: Analyze) -> tuple[Edit, int] | None:
    """Make every fix of a text that keeps its meaning.

    Returns:
        the edit, which leaves alone what stands before the first and behind the last change, and
        how many fixes it makes; None where there is nothing to fix.
    """
    fixed = fix_text(text, analyze)
    if fixed.text == text:
        return None
    shorter = min(len(text), len(fixed.text))
    start = next((it for it in range(shorter) if text[it] != fixed.text[it]), shorter)
    end = next(
        (it for it in range(shorter - start) if text[-1 - it] != fixed.text[-1 - it]),
        shorter - start,
    )
    # A line break of two characters is not taken apart: no editor has a place within it.
    if text[start - 1 : start] == "\r":
        start -= 1
    if end and text[len(text) - end] == "\n":
        end -= 1
    return Edit(
        Span(start, len(text) - end), fixed.text[start : len(fixed.text) - end]
    ), fixed.count
