"""Code lenses of a suite's cases: their last verdicts, and commands that run them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from suitecase.editor.results import DocumentResults, NotRun, is_stale
from suitecase.editor.runnable_cases import RunnableCase, RunnableCases
from suitecase.editor.verdicts import not_run_short, short
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Span
from suitecase.text.replaced import shared_length

RUN_AGAIN = "▶ Run again"
CANCEL = "■ Cancel (running…)"

#: What a lens does: `open` opens the last result, `problem` leads to what keeps cases from running.
Action = Literal["run", "cancel", "open", "problem"]
#: Why cases were not run, by id; None stands for all cases.
Standing = Mapping[str | None, NotRun]
_NOTHING: Standing = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens on the first line of a case, or on the list of cases if `case` is None."""

    span: Span
    title: str
    case: str | None
    action: Action = "run"


@dataclass(frozen=True, slots=True)
class Anchors:
    """The positions of lenses in a text: the key of the list, and the first key of each case by id."""

    text: str
    cases: dict[str, Span]
    list_key: Span | None


def anchors(suite: RunnableCases, before: Anchors | None) -> Anchors:
    """Return the positions of a suite's lenses.

    Cases that do not parse keep their lenses, moved along with the text around them, so that lenses
    neither vanish nor jump while the user types.

    Args:
        suite: the suite, as far as it parses.
        before: the positions in an earlier version of the document.
    """
    document = suite.document
    positions: dict[str, Span] = {}
    for number, name, span in anchors_of_cases(suite):
        positions[name] = suite.place(number, span)
    list_key = suite.head_place(document.list_key.span) if document.list_key else None
    if isinstance(suite, ParsedSuite) and suite.kind == "dataset":  # its lines are the list
        list_key = Span(0, 0)
    if before is not None and document.broken:
        lost = {name: it for name, it in before.cases.items() if name not in positions}
        if lost or list_key is None:
            moved = _SpanMapping.between(before.text, document.text)
            parsed_spans = [
                suite.place(number, it) for number, it in suite.case_index.where(_sound)
            ]
            for name, it in lost.items():
                span = moved.span(it)
                enclosing = bisect_right(parsed_spans, span.start, key=lambda it: it.start) - 1
                if enclosing < 0 or span.start >= parsed_spans[enclosing].end:
                    positions[name] = span
            list_key = list_key or (before.list_key and moved.span(before.list_key))
    return Anchors(document.text, positions, list_key)


def anchors_of_cases(suite: RunnableCases) -> Iterator[tuple[int, str, Span]]:
    """Yield the number, the id and the first key of each case that parses.

    If an id is duplicated, only the first case counts.
    """
    seen: set[str] = set()
    first_keys = dict(suite.case_index.where(_anchor))
    for number, name in suite.named_cases():
        if name not in seen and number in first_keys:
            seen.add(name)
            yield number, name, first_keys[number]


def _anchor(case: RunnableCase) -> Span | None:
    return _first(case.node) if case.node is not None else None


def _sound(case: RunnableCase) -> Span | None:
    return case.node.span if case.node is not None else None


def lenses(
    suite: RunnableCases, at: Anchors, results: DocumentResults, not_run: Standing = _NOTHING
) -> list[Lens]:
    """Return the lenses of a suite, with the last verdict of each case.

    Args:
        suite: the suite.
        at: where they are.
        results: the last results.
        not_run: why cases were not run the last time, as far as that still holds.
    """
    result = lenses_of_list(suite, at, results, not_run)
    for name, span in sorted(at.cases.items(), key=lambda it: it[1]):
        result += lenses_of_case(suite, name, span, results, not_run)
    return result


def lenses_of_list(
    suite: RunnableCases,
    at: Anchors,
    results: DocumentResults,
    not_run: Standing = _NOTHING,
) -> list[Lens]:
    """Return the lenses on the key of the list; none if there is nothing to run."""
    # What a list names may stand in other files.
    list_key, cases = at.list_key, at.cases.keys() or {*suite.case_ids}
    if list_key is None or not cases:
        return []
    if results.running >= cases:
        return [Lens(list_key, CANCEL, None, "cancel")]
    run_all = Lens(list_key, f"▶ Run all {suite.noun}s", None)
    if None not in not_run:
        return [run_all]
    return [run_all, Lens(list_key, not_run_short(not_run[None]), None, "problem")]


def lenses_of_case(
    suite: RunnableCases,
    name: str,
    span: Span,
    results: DocumentResults,
    not_run: Standing = _NOTHING,
) -> list[Lens]:
    """Return the lenses of a case, at a span: its verdict, and what runs it."""
    if name in results.running:
        return [Lens(span, CANCEL, name, "cancel")]
    if name in not_run:
        title = not_run_short(not_run[name])
        return [Lens(span, title, name, "problem"), Lens(span, f"▶ Run {suite.noun}", name)]
    result = results.last.get(name)
    if result is None:
        return [Lens(span, f"▶ Run {suite.noun}", name)]
    number = suite.case_named(name)
    stale = number is None or is_stale(suite, number, result)
    return [Lens(span, short(result, stale=stale), name, "open"), Lens(span, RUN_AGAIN, name)]


def _first(case: Tree) -> Span:
    """Return the span of a case's first key, which is on its first line."""
    keys = [entry.key.span for _, entry in case if not entry.merged]
    return min(keys, default=Span(case.start, case.start))


@dataclass(frozen=True, slots=True)
class _SpanMapping:
    """The mapping of spans after part of a text was replaced.

    `before` and `after` are how many characters two versions share at their start and end.
    """

    before: int
    after: int
    old_length: int
    new_length: int

    @classmethod
    def between(cls, old: str, new: str) -> _SpanMapping:
        most = min(len(old), len(new))
        before = shared_length(old, new, most)
        after = shared_length(old, new, most, from_end=True)
        return cls(before, after, len(old), len(new))

    def span(self, span: Span) -> Span:
        """Return the span in the new text of a span in the old one."""
        if span.end <= self.before:
            return span
        if self.old_length - span.start <= self.after:
            return span.shifted(self.new_length - self.old_length)
        start = min(span.start, self.new_length)
        return Span(start, start)
