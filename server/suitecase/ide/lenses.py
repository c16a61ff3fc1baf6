"""The lenses over a suite's cases: what to run, and how it went last."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.ide.results import DocumentResults, is_stale
from suitecase.ide.verdicts import short
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.node import Mapping, Span

RUN_ALL = "▶ Run all cases"
RUN_CASE = "▶ Run case"


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens at the first line of a case, or of the list of cases where `case` is None."""

    span: Span
    title: str
    case: str | None


@dataclass(frozen=True, slots=True)
class Anchors:
    """Where lenses stand in a text: the key of the list, and the first key of each case by id."""

    text: str
    cases: dict[str, Span]
    list_key: Span | None


def anchors(suite: WrittenSuite, before: Anchors | None) -> Anchors:
    """Return where the lenses of a suite stand.

    What does not parse keeps the lenses it had, moved along with the text around it, so that
    lenses neither vanish nor jump while someone types.

    Args:
        suite: the suite, as far as it can be read.
        before: the lenses of an earlier version of the document.
    """
    document = suite.document
    found: dict[str, Span] = {}
    sound: list[Span] = []
    for number, case in enumerate(suite.cases):
        if case.node is not None:
            sound.append(suite.place(number, case.node.span))
            if case.id is not None and case.id.text:
                found.setdefault(case.id.text, suite.place(number, _first(case.node)))
    list_key = suite.head_place(document.list_key.span) if document.list_key else None
    broken = document.head.content.broken or any(it.content.broken for it in document.cases)
    if before is not None and broken:
        moved = Anchors(
            document.text,
            {name: _moved(it, before.text, document.text) for name, it in before.cases.items()},
            before.list_key and _moved(before.list_key, before.text, document.text),
        )
        for name, span in moved.cases.items():
            if not any(it.start <= span.start < it.end for it in sound):
                found.setdefault(name, span)
        list_key = list_key or moved.list_key
    return Anchors(document.text, found, list_key)


def lenses(suite: WrittenSuite, at: Anchors, results: DocumentResults) -> list[Lens]:
    """Return the lenses of a suite, with the last verdict of each case."""
    shown: list[Lens] = []
    if at.list_key is not None and at.cases:
        shown.append(Lens(at.list_key, RUN_ALL, None))
    numbers = {it.id.text: number for number, it in enumerate(suite.cases) if it.id is not None}
    for name, span in sorted(at.cases.items(), key=lambda it: it[1]):
        shown.append(Lens(span, _title(suite, name, numbers.get(name), results), name))
    return shown


def _title(suite: WrittenSuite, name: str, number: int | None, results: DocumentResults) -> str:
    if name in results.running:
        return f"{RUN_CASE}  … running"
    result = results.last.get(name)
    if result is None:
        return RUN_CASE
    stale = number is None or is_stale(suite, number, result)
    return f"{RUN_CASE}  {short(result, stale=stale)}"


def _first(case: Mapping) -> Span:
    """Return the place of a case's first key, which stands in its first line."""
    keys = [entry.key.span for _, entry in case if not entry.merged]
    return min(keys, default=Span(case.start, case.start))


def _moved(span: Span, old: str, new: str) -> Span:
    """Return where a stretch of a text is after one part of the text was replaced."""
    if span.end <= _shared(old, new, len(min(old, new, key=len)), from_end=False):
        return span
    shift = len(new) - len(old)
    if len(old) - span.start <= _shared(old, new, len(min(old, new, key=len)), from_end=True):
        return span.shifted(shift)
    start = min(span.start, len(new))
    return Span(start, start)


def _shared(old: str, new: str, most: int, *, from_end: bool) -> int:
    """Return how many characters two texts share at their start or end, by halving."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        same = (
            old[len(old) - middle :] == new[len(new) - middle :]
            if from_end
            else old[:middle] == new[:middle]
        )
        low, high = (middle, high) if same else (low, middle - 1)
    return low
