"""Inlay hints in a configuration or a list of tests: rows, what tests inherit, shares of weights."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.inlay_hints import Hint, HintKinds
from suitecase.editor.shares import Shares, share_label, weight_of
from suitecase.formats.promptfoo.editor.hover.inherited import inherited_assertions, line_of
from suitecase.formats.promptfoo.editor.row_counts import RowCount, count_rows
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody
from suitecase.formats.promptfoo.suite.test_cases.facts import TestFacts
from suitecase.text.document import Piece
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

_MOST = 5


def hints(whole: Whole, within: Span, kinds: HintKinds) -> list[Hint]:
    """Return the hints in a span of a file, in order."""
    file, document = whole.file, whole.file.document
    found: list[Hint] = []
    if kinds.rows and whole.is_configuration:
        found += _of_all(whole)
    body = whole.default_test
    if body is not None and whole.is_configuration:
        part = _Part(body, document.head, whole, kinds)
        found += part.placed()
    numbers = document.cases.touching(within) if document.segmented else range(len(file.tests))
    for number in numbers:
        if number >= len(file.tests):
            continue
        test_body = file.tests[number].body
        if test_body is not None:
            found += _Part(test_body, document.cases[number], whole, kinds).placed()
    inside = (it for it in found if within.start <= it.offset <= within.end)
    return sorted(inside, key=lambda it: it.offset)


def _of_all(whole: Whole) -> Iterator[Hint]:
    """Yield the number of rows at `tests`."""
    linked = whole.linked
    key = whole.file.document.list_key
    named = whole.root.entries.get("tests") if whole.root is not None else None
    if linked is None or (key is None and named is None):
        return
    counted = count_rows(linked)
    if not counted.rows:
        return
    piece = whole.file.document.head
    if named is not None and isinstance(named.value, Scalar):
        offset = named.value.end
    else:
        written = key if key is not None else named.key if named is not None else None
        if written is None:
            return
        offset = _behind(written, piece.content.text)
    yield Hint(piece.offset(offset, end=True), _rows(counted), _factors(counted))


def _rows(counted: RowCount) -> str:
    rows = "1 row" if counted.rows == 1 else f"{counted.rows:,} rows"
    return f"at least {rows}" if counted.is_open else rows


def _factors(counted: RowCount) -> str:
    factors = [
        _number(counted.tests, "test"),
        _number(counted.prompts, "prompt"),
        _number(counted.providers, "provider"),
    ]
    text = f"{' x '.join(factors)}: each row is one question to one provider."
    if counted.has_lists:
        text += " A list of texts in `vars` makes a row of each text."
    if counted.is_open:
        text += " Some tests or variables are only known when the suite runs."
    return text


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class _Part:
    """A test, or `defaultTest`, with the inputs of its hints; their offsets are in its text."""

    def __init__(self, body: ParsedTestBody, piece: Piece, whole: Whole, kinds: HintKinds) -> None:
        self._body = body
        self._piece = piece
        self._source = piece.content.text
        self._whole = whole
        self._kinds = kinds

    def placed(self) -> Iterator[Hint]:
        """Yield the hints with their offsets in the document."""
        for hint in self._hints():
            yield Hint(self._piece.offset(hint.offset, end=True), hint.label, hint.tooltip)

    def _hints(self) -> Iterator[Hint]:
        if self._kinds.rows:
            yield from self._lists()
        default = self._whole.default_test
        inherited: list[Node] = []
        if default is not None and not self._body.is_default:
            inherited = inherited_assertions(default, self._body)
            if self._kinds.inherited:
                yield from self._inherited(default, inherited)
        if self._kinds.weights:
            listed = self._body.node.entries.get("assert")
            if listed is not None and not listed.merged and isinstance(listed.value, Sequence):
                yield from self._shares(listed.value, inherited)

    def _lists(self) -> Iterator[Hint]:
        variables = self._body.variables
        for it in TestFacts(self._body.node).lists:
            entry = variables.entries.get(it.key.name) if variables is not None else None
            if entry is None or entry.merged or it.items < 2 or self._is_alias(entry.value):
                continue
            offset = self._first_line(entry.key, entry.value)
            tool = self._whole.file.reading.vocabulary.tool
            tooltip = f"{tool} asks each prompt once for each text of this list."
            yield Hint(offset, f"{it.items} rows", tooltip)

    def _inherited(self, default: ParsedTestBody, inherited: list[Node]) -> Iterator[Hint]:
        """Yield what the test takes over from `defaultTest`, at its assertions or its first key."""
        node = self._body.node
        name = self._whole.file.reading.key("defaultTest")
        labels: list[str] = []
        lines = [f"From `{name}`:"]
        if inherited:
            labels.append(f"+ {len(inherited)} from {name}")
            lines += [f"- {line_of(it)}" for it in inherited[:_MOST]]
            if len(inherited) > _MOST:
                lines.append(f"- and {len(inherited) - _MOST} more")
        threshold = default.node.get("threshold")
        if isinstance(threshold, Scalar) and "threshold" not in node:
            labels.append(f"threshold {threshold.text}")
            lines.append(f"- the threshold `{threshold.text}`")
        entries = [it for _, it in node if not it.merged]
        entry = node.entries.get("assert")
        if entry is None or entry.merged:
            entry = min(entries, key=lambda it: it.key.start, default=None)
        if not labels or entry is None or self._is_alias(entry.value):
            return
        offset = self._first_line(entry.key, entry.value)
        yield Hint(offset, ", ".join(labels), "\n".join(lines))

    def _shares(self, listed: Sequence, inherited: list[Node]) -> Iterator[Hint]:
        """Yield the share of each assertion, if any of them has a weight."""
        items = listed.items
        weights = tuple(map(weight_of, items))
        others = [weight_of(it) for it in inherited]
        written = any(isinstance(it, Mapping) and "weight" in it for it in (*items, *inherited))
        if written and None not in others:
            shares = Shares(
                weights, sum(other for other in others if other is not None), written=True
            )
            if len(weights) + len(others) > 1 and shares.total > 0:
                for index, item in enumerate(items):
                    yield from self._share(item, shares, index)
        for item in items:
            members = item.get("assert") if isinstance(item, Mapping) else None
            if isinstance(members, Sequence) and not self._is_alias(members):
                yield from self._shares(members, [])

    def _share(self, item: Node, shares: Shares, index: int) -> Iterator[Hint]:
        share = shares.of(index)
        if share is None or not isinstance(item, Mapping) or self._is_alias(item):
            return
        entries = [it for _, it in item if not it.merged]
        entry = item.entries.get("weight")
        if entry is None or entry.merged:
            entry = min(entries, key=lambda it: it.key.start, default=None)
        if entry is not None:
            tooltip = f"Weight {shares.weights[index]:g} of {shares.total:g} in all."
            yield Hint(self._first_line(entry.key, entry.value), share_label(share), tooltip)

    def _first_line(self, key: Scalar, value: Node) -> int:
        """Return the end of what stands on the line of a key."""
        in_line = LINE_BREAK.search(self._source, key.start, value.end) is None
        return value.end if in_line else _behind(key, self._source)

    def _is_alias(self, node: Node) -> bool:
        return self._source.startswith("*", node.start)


def _behind(key: Scalar, source: str) -> int:
    return key.end + source.startswith(":", key.end)
