"""Applying the fixes of findings until none is left."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from suitecase.checking.analysis import Analysis
from suitecase.format.rule import Edit, Finding, Severity
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Span

#: One fix may make another possible; a longer chain is a cycle.
MAX_ROUNDS = 50

#: Analyzes a text as the new content of the file.
Analyze = Callable[[str], Analysis]


@dataclass(slots=True)
class Fixed:
    """A text with its fixes applied, and its remaining findings.

    `made` counts the fixes by the code of their rule.
    """

    text: str
    analysis: Analysis
    made: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return self.made.total()


def fix_text(text: str, analyze: Analyze, *, unsafe: bool = False) -> Fixed:
    """Apply the fixes of a text.

    If fixes overlap, only the first is applied and the text is analyzed again, until no fix is
    left. A fix that would result in more errors, or in text that does not parse, is not applied.
    Line breaks are those of the text.

    Args:
        text: the text of a suite.
        analyze: returns the findings to fix.
        unsafe: whether to also apply fixes that may change the meaning of the suite.
    """
    fixed = Fixed(text, analyze(text))
    refused: set[tuple[str, str, tuple[str, ...]]] = set()
    seen = {text}
    for _ in range(MAX_ROUNDS):
        chosen = _non_overlapping(
            finding
            for finding in fixed.analysis.findings
            if finding.fix and (unsafe or finding.fix.safe) and _identity(finding) not in refused
        )
        if not chosen:
            break
        left = [chosen]
        while left:
            batch = left.pop()
            edited = _apply_edits(fixed.text, batch)
            after = analyze(edited)
            if edited not in seen and _is_not_worse(fixed.analysis, after):
                seen.add(edited)
                fixed.text, fixed.analysis = edited, after
                fixed.made.update(it.code for it in batch)
                # The other findings have moved; the next round has their new places.
                break
            if len(batch) == 1:
                refused.add(_identity(batch[0]))
            else:
                half = len(batch) // 2
                left += (batch[half:], batch[:half])
    return fixed


def _identity(found: Finding) -> tuple[str, str, tuple[str, ...]]:
    edits = found.fix.edits if found.fix else ()
    return found.code, found.message, tuple(edit.text for edit in edits)


def _non_overlapping(findings: Iterable[Finding]) -> list[Finding]:
    """Choose findings whose fixes do not overlap, earlier ones first."""
    chosen: list[Finding] = []
    taken: list[Span] = []
    for finding in findings:
        spans = [edit.span for edit in finding.fix.edits] if finding.fix else []
        if not any(_overlaps(span, taken) for span in spans):
            chosen.append(finding)
            for span in spans:
                insort(taken, span)
    return chosen


def _overlaps(span: Span, taken: list[Span]) -> bool:
    """Whether a stretch overlaps one of the chosen ones, which are sorted and do not overlap."""
    place = bisect_left(taken, span)
    return (place > 0 and taken[place - 1].end >= span.start) or (
        place < len(taken) and taken[place].start <= span.end
    )


def _apply_edits(text: str, batch: list[Finding]) -> str:
    found = LINE_BREAK.search(text)
    line_break = found.group() if found else "\n"
    edits: list[Edit] = [edit for it in batch if it.fix for edit in it.fix.edits]
    parts: list[str] = []
    place = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        parts += (text[place : edit.span.start], LINE_BREAK.sub(line_break, edit.text))
        place = edit.span.end
    return "".join((*parts, text[place:]))


def _is_not_worse(before: Analysis, after: Analysis) -> bool:
    if len(after.failures) > len(before.failures):
        return False
    return _errors(after) <= _errors(before) and _unreadable(after) <= _unreadable(before)


def _errors(analysis: Analysis) -> int:
    known = (it for other in (analysis, *analysis.external.values()) for it in other.known)
    found = (*analysis.everything, *analysis.silenced, *known)
    return sum(it.severity is Severity.ERROR for it in found)


def _unreadable(analysis: Analysis) -> int:
    return sum(finding.rule.unreadable for finding in analysis.findings)
