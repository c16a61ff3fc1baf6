"""The lenses over a suite's cases: what to run, and how it went last."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from suitecase.ide.results import DocumentResults, is_stale
from suitecase.ide.verdicts import short
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.syntax.node import Mapping, Span
from suitecase.syntax.replaced import shared_length

RUN_ALL = "▶ Run all cases"
RUN_CASE = "▶ Run case"
CANCEL = "■ Cancel  … running"


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens at the first line of a case, or of the list of cases where `case` is None.

    It runs these, or, where they are being run, `cancels` that.
    """

    span: Span
    title: str
    case: str | None
    cancels: bool = False


@dataclass(frozen=True, slots=True)
class Anchors:
    """Where lenses stand in a text: the key of the list, and the first key of each case by id."""

    text: str
    cases: dict[str, Span]
    list_key: Span | None


def anchors(suite: ParsedSuite, before: Anchors | None) -> Anchors:
    """Return where the lenses of a suite stand.

    What does not parse keeps the lenses it had, moved along with the text around it, so that
    lenses neither vanish nor jump while someone types.

    Args:
        suite: the suite, as far as it can be read.
        before: the lenses of an earlier version of the document.
    """
    document = suite.document
    found: dict[str, Span] = {}
    for number, name, span in anchors_of_cases(suite):
        found[name] = suite.place(number, span)
    list_key = suite.head_place(document.list_key.span) if document.list_key else None
    if suite.kind == "dataset":  # whose lines are the list
        list_key = Span(0, 0)
    if before is not None and document.broken:
        lost = {name: it for name, it in before.cases.items() if name not in found}
        if lost or list_key is None:
            moved = _Moved.between(before.text, document.text)
            sound = [suite.place(number, it) for number, it in suite.case_index.where(_sound)]
            for name, it in lost.items():
                span = moved.span(it)
                around = bisect_right(sound, span.start, key=lambda it: it.start) - 1
                if around < 0 or span.start >= sound[around].end:
                    found[name] = span
            list_key = list_key or (before.list_key and moved.span(before.list_key))
    return Anchors(document.text, found, list_key)


def anchors_of_cases(suite: ParsedSuite) -> Iterator[tuple[int, str, Span]]:
    """Yield the number and the id of each case that can be read, and its first key within it.

    Of several cases with one id it is the first.
    """
    seen: set[str] = set()
    for number, (name, span) in suite.case_index.where(_anchor):
        if name not in seen:
            seen.add(name)
            yield number, name, span


def _anchor(case: ParsedCase) -> tuple[str, Span] | None:
    if case.node is None or case.id is None or not case.id.text:
        return None
    return case.id.text, _first(case.node)


def _sound(case: ParsedCase) -> Span | None:
    return case.node.span if case.node is not None else None


def lenses(suite: ParsedSuite, at: Anchors, results: DocumentResults) -> list[Lens]:
    """Return the lenses of a suite, with the last verdict of each case."""
    whole = lens_of_list(at.list_key, at.cases.keys(), results)
    shown = [whole] if whole is not None else []
    for name, span in sorted(at.cases.items(), key=lambda it: it[1]):
        shown.append(lens_of_case(suite, name, span, results))
    return shown


def lens_of_list(
    list_key: Span | None, cases: AbstractSet[str], results: DocumentResults
) -> Lens | None:
    """Return the lens at the key of the list; None where there is nothing to run."""
    if list_key is None or not cases:
        return None
    cancels = results.running >= cases
    return Lens(list_key, CANCEL if cancels else RUN_ALL, None, cancels)


def lens_of_case(suite: ParsedSuite, name: str, span: Span, results: DocumentResults) -> Lens:
    """Return the lens of a case, at a place."""
    cancels = name in results.running
    return Lens(span, CANCEL if cancels else _title(suite, name, results), name, cancels)


def _title(suite: ParsedSuite, name: str, results: DocumentResults) -> str:
    result = results.last.get(name)
    if result is None:
        return RUN_CASE
    number = suite.case_named(name)
    stale = number is None or is_stale(suite, number, result)
    return f"{RUN_CASE}  {short(result, stale=stale)}"


def _first(case: Mapping) -> Span:
    """Return the place of a case's first key, which stands in its first line."""
    keys = [entry.key.span for _, entry in case if not entry.merged]
    return min(keys, default=Span(case.start, case.start))


@dataclass(frozen=True, slots=True)
class _Moved:
    """What became of places in a text of which one part was replaced.

    `before` and `behind` are how many characters two versions share at their start and end.
    """

    before: int
    behind: int
    old_length: int
    new_length: int

    @classmethod
    def between(cls, old: str, new: str) -> _Moved:
        most = min(len(old), len(new))
        before = shared_length(old, new, most)
        behind = shared_length(old, new, most, from_end=True)
        return cls(before, behind, len(old), len(new))

    def span(self, span: Span) -> Span:
        """Return where a stretch of the old text is in the new one."""
        if span.end <= self.before:
            return span
        if self.old_length - span.start <= self.behind:
            return span.shifted(self.new_length - self.old_length)
        start = min(span.start, self.new_length)
        return Span(start, start)
