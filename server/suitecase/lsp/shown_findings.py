"""Which findings of a file are shown if there are more than an editor should get.

The worst come first, and of one severity those nearest the cursor. They stay the same while the cursor
is among them, so that nothing jumps while the user types.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from suitecase.checking.findings import SEVERITIES, At, Findings
from suitecase.format.rule import Severity
from suitecase.text.replaced import Replaced

T = TypeVar("T")

#: So many more are chosen than are shown: others take the places of those that are held back while
#: the user types.
SPARE = 20
#: What is shown is chosen anew once the cursor is in the first or the last part of it: one in so many.
MARGIN = 8


@dataclass(slots=True)
class Place:
    """Where in a text findings are shown; it moves with the text.

    Attributes:
        cursor: where the cursor was last.
        anchor: where it was when findings were chosen.
        first: where it can go before others are chosen: from here
        last: to here. None if there is no limit on that side.
    """

    cursor: int = 0
    anchor: int = 0
    first: int | None = None
    last: int | None = None

    def edited(self, edits: Iterable[Replaced]) -> None:
        """Move with consecutive edits; the cursor is where the last one ends."""
        for edit in edits:
            self.anchor = _moved(self.anchor, edit)
            self.first = None if self.first is None else _moved(self.first, edit)
            self.last = None if self.last is None else _moved(self.last, edit)
            self.cursor = edit.new_end

    @property
    def is_left(self) -> bool:
        """Whether the cursor has left what is shown."""
        return (self.first is not None and self.cursor < self.first) or (
            self.last is not None and self.cursor > self.last
        )

    def begin(self, *, stays: bool) -> None:
        """Begin to choose what is shown now.

        Args:
            stays: whether it is chosen around the same place although the cursor has left it.
        """
        if self.is_left and not stays:
            self.anchor = self.cursor
        self.first = self.last = None

    def keep_within(self, chosen: Sequence[int], *, above: bool, below: bool) -> None:
        """Note the places of what was chosen, and whether more was left out above and below."""
        margin = len(chosen) // MARGIN
        if above and chosen:
            first = chosen[margin]
            self.first = first if self.first is None else max(first, self.first)
        if below and chosen:
            last = chosen[len(chosen) - 1 - margin]
            self.last = last if self.last is None else min(last, self.last)


def _moved(offset: int, edit: Replaced) -> int:
    if offset >= edit.end:
        return offset + edit.shift
    return min(offset, edit.start)


class Shown(NamedTuple):
    """The findings to show, in the order of the text, and how many are left out of each severity."""

    findings: list[At]
    left_out: dict[Severity, int]


def choose(
    findings: Findings,
    most: int | None,
    place: Place,
    calm: Callable[[list[At]], list[At]] = lambda it: it,
) -> Shown:
    """Choose the findings to show.

    Args:
        findings: the findings of a file.
        most: how many are shown at most; None for all of them.
        place: where the cursor is.
        calm: returns those of some findings that are not held back while the user types.
    """
    if most is None or len(findings) <= most:
        return Shown(calm(findings.everything()), {})
    candidates: list[At] = []
    room, anchor = most + SPARE, place.anchor
    for severity in SEVERITIES:
        candidates += findings.nearest(severity, anchor, room - len(candidates))
    visible = calm(candidates)
    shown: list[At] = []
    left_out: dict[Severity, int] = {}
    for severity in SEVERITIES:
        of_severity = [it for it in visible if it.finding.severity is severity]
        chosen = nearest(of_severity, anchor, most - len(shown), _offset)
        held_back = sum(candidate.finding.severity is severity for candidate in candidates) - len(
            of_severity
        )
        count = findings.of_severity(severity)
        if more := count - held_back - len(chosen):
            left_out[severity] = more
            starts = [it.offset for it in chosen]
            ahead = bool(starts) and findings.before(severity, starts[0]) > 0
            behind = bool(starts) and findings.before(severity, starts[-1]) + 1 < count
            place.keep_within(starts, above=ahead, below=behind)
        shown += chosen
    return Shown(sorted(shown, key=_offset), left_out)


def nearest(items: Sequence[T], offset: int, most: int, place: Callable[[T], Any]) -> list[T]:
    """Return the items nearest to an offset, half of them before it.

    Args:
        items: the items in the order of their places.
        offset: the offset.
        most: how many.
        place: returns the place of an item.
    """
    if len(items) <= most:
        return list(items)
    at = bisect_left(items, offset, key=place)
    first = max(min(at - most // 2, len(items) - most), 0)
    return list(items[first : first + max(most, 0)])


def _offset(at: At) -> int:
    return at.offset
