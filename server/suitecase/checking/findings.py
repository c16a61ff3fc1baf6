"""The findings of a file, of which those in cases get their places only where they are looked at.

An editor shows a part of thousands of findings. The others are counted, and nothing else is done with
them for a keystroke.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import lt
from typing import Any, NamedTuple, overload

from suitecase.format.rule import Finding, Severity
from suitecase.text.document import Pieces
from suitecase.text.node import Span

#: The severities, the worst first.
SEVERITIES = tuple(Severity)


class At(NamedTuple):
    """A finding whose places count from `start`: the start of the text, or that of a case."""

    finding: Finding
    start: int = 0
    case: int | None = None

    @property
    def offset(self) -> int:
        """Where it starts in the text."""
        return self.start + self.finding.span.start

    def placed(self) -> Finding:
        """Return the finding with its places in the text."""
        start = self.start
        return self.finding.moved(lambda span: span.shifted(start)) if start else self.finding


class InCase(NamedTuple):
    """The findings in a case, in the order of its text, with places in it.

    `counts` is how many of them there are of each severity.
    """

    findings: tuple[Finding, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> InCase:
        ordered = tuple(sorted(findings, key=order))
        return cls(ordered, tuple(sum(it.severity is of for it in ordered) for of in SEVERITIES))


def order(finding: Finding) -> tuple[Span, str]:
    """Return the key that findings of a file are sorted by."""
    return finding.span, finding.code


@dataclass(frozen=True, slots=True)
class InCases:
    """The findings in the cases of a document.

    `entries` have the number of their case, in order; a case may have several.
    """

    pieces: Pieces
    entries: Sequence[tuple[int, InCase]]
    #: Completes a finding when it gets its place.
    completed: Callable[[Finding], Finding] = lambda it: it


_NONE = InCases(Pieces((), ()), ())


class Findings(Sequence[Finding]):
    """Findings in the order of their text.

    Args:
        others: the findings that are not in cases, or have their places already.
        in_cases: the findings in cases.
    """

    def __init__(self, others: Sequence[Finding], in_cases: InCases = _NONE) -> None:
        self._others = others
        self._in_cases = in_cases
        self._entries = in_cases.entries
        self._counted: dict[Severity, list[int]] = {}

    def __len__(self) -> int:
        return sum(map(self.of_severity, SEVERITIES))

    def __bool__(self) -> bool:
        return bool(self._others or self._entries)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._all)

    @overload
    def __getitem__(self, number: int) -> Finding: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Finding]: ...
    def __getitem__(self, number: int | slice) -> Finding | Sequence[Finding]:
        return self._all[number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == list(other)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return repr(self._all)

    def __reduce__(self) -> tuple[Any, ...]:
        return Findings, (self._all,)

    @cached_property
    def _all(self) -> list[Finding]:
        placed = [
            self._placed(it) for number in range(len(self._entries)) for it in self._at(number)
        ]
        return sorted([*self._others, *placed], key=order) if placed else list(self._others)

    def _at(self, number: int) -> list[At]:
        """Return the findings of an entry."""
        case, found = self._entries[number]
        start = self._in_cases.pieces.starts[case]
        return [At(finding, start, case) for finding in found.findings]

    def _placed(self, at: At) -> Finding:
        return self._in_cases.completed(at.placed())

    def with_others(self, others: Sequence[Finding]) -> Findings:
        """Return these findings and others, which have their places."""
        return Findings([*self._others, *others], self._in_cases) if others else self

    def only_in_cases(self) -> Findings:
        """Return those in cases that depend on their case alone."""
        return Findings((), self._in_cases)

    def touching(self, span: Span) -> list[Finding]:
        """Return the findings that touch a stretch of the text."""
        found = list(self._others)
        if self._entries:
            near = self._in_cases.pieces.touching(span)
            first = bisect_left(self._entries, near.start, key=_number)
            after = bisect_left(self._entries, near.stop, key=_number)
            found += [self._placed(it) for n in range(first, after) for it in self._at(n)]
            found.sort(key=order)
        return [it for it in found if it.span.start <= span.end and span.start <= it.span.end]

    def each(self) -> Iterator[Finding]:
        """Yield the findings without the places of those in cases."""
        yield from self._others
        for _, found in self._entries:
            yield from found.findings

    def of_severity(self, severity: Severity) -> int:
        """Return how many findings have a severity."""
        others, counts = self._others_of(severity), self._counts(severity)
        return len(others) + (counts[-1] if counts else 0)

    def everything(self) -> list[At]:
        """Return all findings, those in cases without their places."""
        starts = self._in_cases.pieces.starts
        found = [
            At(finding, starts[case], case)
            for case, of_case in self._entries
            for finding in of_case.findings
        ]
        cases = [case for case, _ in self._entries]
        if not self._others and all(map(lt, cases, cases[1:])):
            return found  # in order, as the findings of each case are
        found += [At(other) for other in self._others]
        return sorted(found, key=_by_place)

    def before(self, severity: Severity, offset: int) -> int:
        """Return how many findings of a severity stand before an offset, or the case at it."""
        others, _, entry, start = self._split(severity, offset)
        counts = self._counts(severity)
        return sum(other.span.start < start for other in others) + (
            counts[entry - 1] if entry else 0
        )

    def nearest(self, severity: Severity, offset: int, most: int) -> list[At]:
        """Return the findings of a severity that are nearest to an offset, half of them before it."""
        others, kind, entry, start = self._split(severity, offset)
        ahead = self.before(severity, offset)
        behind = self.of_severity(severity) - ahead
        ahead = min(ahead, max(most // 2, most - behind))
        behind = min(behind, most - ahead)
        above = [At(other) for other in others if other.span.start < start]
        below = [At(other) for other in others if other.span.start >= start]
        above = [*above[len(above) - min(ahead, len(above)) :], *self._some(kind, entry, -ahead)]
        below = [*below[:behind], *self._some(kind, entry, behind)]
        above, below = sorted(above, key=_by_place), sorted(below, key=_by_place)
        return [*above[len(above) - ahead :], *below[:behind]]

    def _split(self, severity: Severity, offset: int) -> tuple[list[Finding], int, int, int]:
        """Return the findings of a severity that are not in cases, the index of the severity, the
        first entry at or behind an offset, and where that begins.
        """
        others = self._others_of(severity)
        case = self._in_cases.pieces.at(offset) if self._entries else None
        start = offset if case is None else self._in_cases.pieces[case].start
        if case is None and self._entries:
            case = self._in_cases.pieces.touching(Span(offset, offset)).stop
        entry = 0 if case is None else bisect_left(self._entries, case, key=_number)
        return others, SEVERITIES.index(severity), entry, start

    def _some(self, kind: int, entry: int, most: int) -> list[At]:
        """Return findings of a severity from an entry on, or those before it if `most` is negative."""
        numbers = range(entry, len(self._entries)) if most > 0 else range(entry - 1, -1, -1)
        found: list[At] = []
        for number in numbers:
            # The entries of one case are in no order.
            if len(found) >= abs(most) and (
                not found or found[-1].case != self._entries[number][0]
            ):
                break
            if self._entries[number][1].counts[kind]:
                found += [it for it in self._at(number) if it.finding.severity is SEVERITIES[kind]]
        return found

    def _counts(self, severity: Severity) -> list[int]:
        """Return how many findings of a severity there are up to each entry."""
        counts = self._counted.get(severity)
        if counts is None:
            kind = SEVERITIES.index(severity)
            counts = list(accumulate([it.counts[kind] for _, it in self._entries]))
            self._counted[severity] = counts
        return counts

    def _others_of(self, severity: Severity) -> list[Finding]:
        return [other for other in self._others if other.severity is severity]


def _number(entry: tuple[int, InCase]) -> int:
    return entry[0]


def _by_place(at: At) -> tuple[int, int, str]:
    start, end = at.finding.span
    return at.start + start, at.start + end, at.finding.code
