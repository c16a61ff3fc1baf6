"""Every fix of a document at once, as one edit."""

from __future__ import annotations

from suitecase.checking.fixing import Analyze, fix_text
from suitecase.rule import Edit
from suitecase.syntax.node import Span


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
