"""What is expected at a cursor: where in the format it stands, and how it is written there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from suitecase.ide.completion.cursor import (
    Location,
    Marked,
    in_comment,
    line_end,
    line_start,
    locate,
    read_at,
)
from suitecase.ide.completion.layout import Layout, layout_of
from suitecase.ide.completion.outline import outline
from suitecase.suite.fields import Field, field_at, models_at, types_at
from suitecase.suite.model import CASE_LIST_KEYS, Case, SuiteFile, SuiteHead
from suitecase.suite.spelling import Speller, TargetSpeller
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenSuite, evaluator_keys
from suitecase.syntax.compose import compose
from suitecase.syntax.node import Entry, Mapping, Node, Sequence, Span, at
from suitecase.syntax.segment import split
from suitecase_evaluators.targets.config import TargetsFile

Shape = Literal["key", "inline", "own line", "item"]

_BLANKS = " \t\ufeff"
_KEY_LINE = re.compile(r"([ ]*)([^\s#:\-][^:\r\n]*?)[ \t]*:(?=[ \t\r\n]|\Z)")
_CONTENT_LINE = re.compile(r"(?:\r\n|\n|\r)([ ]*)([^\s#])(.?)")


class Part(NamedTuple):
    """A part of a text in today's spelling, and what it is written for."""

    model: type[BaseModel]
    root: Node


@dataclass(frozen=True, slots=False, kw_only=True)
class Context:
    """Where a cursor stands.

    Attributes:
        text: the document.
        offset: the cursor, in the document.
        span: the word around the cursor, on its line and within its quotes.
        model: what `root` is written for.
        root: the case, the head or the targets, as today's format spells it.
        path: the keys and indexes that lead from `root` to the key or the value.
        shape: what stands at the cursor: a `key`, a value on its key's line (`inline`), a value on
            its `own line`, or an `item` of a list.
        parent: what it stands in; None for a text that holds nothing else.
        present: the keys that the mapping around it has beside it.
        flow: whether it stands in braces or brackets.
        style: the quote or the sign of the text it stands in; empty in plain text.
        column: of a key and its neighbours, or of the value; for a value on the line of its key the
            column of that key.
        lead: what has to be written before anything else.
        has_colon: whether a colon follows the key.
        followed: whether a value already stands behind or below.
        next_dash: the column of the dash that the next line with something on it begins with.
        in_prose: whether it is within a text of several lines.
        layout: how the text is written.
    """

    text: str
    offset: int
    span: Span
    model: type[BaseModel]
    root: Node
    path: tuple[str | int, ...]
    shape: Shape
    parent: Mapping | Sequence | None
    present: frozenset[str]
    flow: bool
    style: str
    column: int
    lead: str
    has_colon: bool
    followed: bool
    next_dash: int | None
    in_prose: bool
    layout: Layout

    @property
    def typed(self) -> str:
        """What of the word stands before the cursor."""
        return self.text[self.span.start : self.offset]

    @property
    def holder(self) -> tuple[str | int, ...]:
        """The path of what the key or the value stands in."""
        return self.path[:-1]

    @cached_property
    def field(self) -> Field | None:
        """The field of a value, or of the list it is an item of."""
        return field_at(self.model, self.root, self.path)

    @cached_property
    def types(self) -> list[Any]:
        """What the value may be."""
        return types_at(self.model, self.root, self.path)

    @cached_property
    def models(self) -> list[type[BaseModel]]:
        """The models that the mapping around a key, or the mapping that begins here, may be."""
        path = self.holder if self.shape == "key" else self.path
        return models_at(self.model, self.root, path)

    def node_at(self, path: tuple[str | int, ...]) -> Node | None:
        """Return what stands at a path of the part."""
        node, _, taken = at(self.root, path)
        return node if taken == len(path) else None


def context_in_suite(suite: WrittenSuite, offset: int) -> Context | None:
    """Return where a cursor stands in a suite; None where nothing of its tree is."""
    text = suite.document.text
    if suite.kind == "dataset":
        return _context_in_line(suite, offset)
    for stretch, place, is_item in _stretches(suite, offset):
        part = _part_of_case if is_item else _part_of_suite
        if suite.kind == "sidecar":
            part = _part_of_sidecar
        context = _context(text, offset, stretch, place, part)
        if context is not None:
            return context
    return None


def context_in_targets(targets: WrittenTargets, offset: int) -> Context | None:
    """Return where a cursor stands in a targets file; None where nothing of its tree is."""
    text = targets.text
    return _context(text, offset, text, offset, _part_of_targets)


def _context_in_line(suite: WrittenSuite, offset: int) -> Context | None:
    document = suite.document
    number = next(
        (
            number
            for number, it in enumerate(document.cases)
            if it.start <= offset <= it.start + len(it.content.text)
        ),
        None,
    )
    if number is None:
        return None
    piece = document.cases[number]
    line, place = piece.content.text, offset - piece.start
    return _context(document.text, offset, line, place, _part_of_line, quotes_keys=True)


def _stretches(suite: WrittenSuite, offset: int) -> Iterator[tuple[str, int, bool]]:
    """Yield the stretches of a text to read alone: the case or the head, and the whole.

    Each with where the cursor is in it, and whether it is an item of the list of cases. Behind the
    last case a new key of the head may begin.
    """
    document = suite.document
    text = document.text
    gap = _cases_at(suite)
    if gap is not None:
        starts, end = gap
        if starts[0] <= offset <= end:
            number = bisect_right(starts, offset) - 1
            yield text[starts[number] : [*starts, end][number + 1]], offset - starts[number], True
            line = line_start(text, offset)
            if text[line : line + 1] != " " and not text[line_end(text, offset) : end].strip():
                yield text[: starts[0]] + text[line:], starts[0] + offset - line, False
        else:
            inside = offset if offset < starts[0] else offset - (end - starts[0])
            yield text[: starts[0]] + text[end:], inside, False
    if not document.segmented:
        yield text, offset, False


def context_between_cases(suite: WrittenSuite, offset: int) -> Context | None:
    """Return where another case begins, on an empty line less deep than the cases; None elsewhere.

    What has to be written before it begins with the blanks that the line lacks.
    """
    document = suite.document
    text = document.text
    gap = _cases_at(suite)
    line = line_start(text, offset)
    if gap is None or text[line : line_end(text, offset)].strip(_BLANKS):
        return None
    starts, end = gap
    number = bisect_right(starts, offset) - 1
    first = text[starts[0] : end]
    blanks = " " * (len(first) - len(first.lstrip(" ")) - (offset - line))
    if number < 0 or offset > end:
        return None
    begin = starts[number]
    stretch = text[begin:offset] + blanks + text[offset : [*starts, end][number + 1]]
    place = offset - begin + len(blanks)
    context = _context(text, offset, stretch, place, _part_of_case)
    if context is None or context.shape != "item" or context.path:
        return None
    below = _CONTENT_LINE.search(text, line_end(text, offset))
    deeper = below is not None and len(below[1]) > offset - line + len(blanks)
    return replace(context, lead=blanks + context.lead, followed=deeper)


def _cases_at(suite: WrittenSuite) -> tuple[list[int], int] | None:
    """Return where each case of a suite begins and where the last one ends, as lines tell."""
    document = suite.document
    if suite.kind != "suite":
        return None
    if document.segmented:
        last = document.cases[-1]
        return [it.start for it in document.cases], last.start + len(last.content.text)
    parts = split(document.text, CASE_LIST_KEYS)
    return (list(parts.items), parts.end) if parts else None


def _part_of_case(root: Node, mark: str) -> Part | None:
    """Return the case with the mark of a list of cases."""
    items = root.items if isinstance(root, Sequence) else []
    item = next((it for it in items if locate(it, mark)), None)
    if item is None:
        return None
    return Part(Case, Speller(evaluator_keys).case(item) if isinstance(item, Mapping) else item)


def _part_of_line(root: Node, mark: str) -> Part:
    node = Speller(evaluator_keys).case(root) if isinstance(root, Mapping) else root
    return Part(Case, node)


def _part_of_sidecar(root: Node, mark: str) -> Part:
    node = Speller(evaluator_keys).head(root) if isinstance(root, Mapping) else root
    return Part(SuiteHead, node)


def _part_of_suite(root: Node, mark: str) -> Part | None:
    """Return the case that holds the mark, or everything but the cases."""
    if not isinstance(root, Mapping):
        return Part(SuiteFile, root)
    key = next((name for name in root.entries if name in CASE_LIST_KEYS), None)
    listed = root.entries[key] if key is not None else None
    if listed is not None and isinstance(listed.value, Sequence):
        found = _part_of_case(listed.value, mark)
        if found is not None:
            return found
    rest = {name: it for name, it in root if name not in CASE_LIST_KEYS}
    head = Mapping(root.start, root.end, rest, flow=root.flow)
    head = Speller(evaluator_keys).head(head, list_key=key)
    if listed is not None:
        entries: dict[str, Entry] = {**head.entries, "evalcases": listed}
        head = Mapping(root.start, root.end, entries, flow=root.flow)
    return Part(SuiteFile, head)


def _part_of_targets(root: Node, mark: str) -> Part:
    node = TargetSpeller().targets(root) if isinstance(root, Mapping) else root
    return Part(TargetsFile, node)


def _context(
    text: str,
    offset: int,
    stretch: str,
    place: int,
    part_of: Callable[[Node, str], Part | None],
    *,
    quotes_keys: bool = False,
) -> Context | None:
    """Return where a cursor stands in a stretch of a document, in terms of the format.

    Args:
        text: the document.
        offset: the cursor in it.
        stretch: what of it is read.
        place: the cursor in that.
        part_of: makes of the stretch's tree the part of the format that holds a mark.
        quotes_keys: whether the document is JSON.
    """
    layout = layout_of(stretch, text, quotes_keys=quotes_keys)
    marked = read_at(stretch, place)
    found = _placed(text, offset, stretch, place, marked, part_of, layout) if marked else None
    if found is not None and marked is not None and not marked.broken:
        return found
    if in_comment(stretch, place) or not compose(stretch).broken:
        return None  # what may be written there would break a text that is sound
    if found is None and (lines := outline(stretch, place)) is not None:
        marked = read_at(*lines)
        found = _placed(text, offset, *lines, marked, part_of, layout) if marked else None
    return found


def _placed(
    text: str,
    offset: int,
    stretch: str,
    place: int,
    marked: Marked,
    part_of: Callable[[Node, str], Part | None],
    layout: Layout,
) -> Context | None:
    """Return where a mark is, in the format and in the document."""
    part = part_of(marked.root, marked.mark)
    written = marked.at
    found = None
    if part is not None:
        # Names that older spellings leave out are made of what the cursor may be in.
        found = locate(part.root, marked.mark, only=written.scalar)
        found = found or locate(part.root, marked.mark)
    if part is None or found is None:
        return None
    start = offset - place
    span = _span(text, offset, start, marked)
    shape = _shape(text, span.start - bool(written.scalar.style), written, marked.lead)
    own = written.parent
    around = own.start if own is not None and own.start <= place else place + len(marked.lead)
    if shape in ("own line", "item"):
        around = min(written.scalar.start, place + len(marked.lead))
    column = _column(stretch, min(around, place)) + max(around - place, 0)
    below = text[line_end(text, offset) :]
    present = _names(found.parent, marked.mark)
    if marked.broken and shape == "key" and not (own is not None and own.flow):
        present |= _keys_below(below, column)
    behind = text[span.end :]
    next_line = _CONTENT_LINE.search(below)
    if marked.lead.endswith("- ") and next_line is not None and len(next_line[1]) >= column:
        return None  # what stands below would become part of the item
    is_dash = next_line is not None and next_line[2] == "-" and next_line[3] in ("", " ")
    scalar = written.scalar
    return Context(
        text=text,
        offset=offset,
        span=span,
        model=part.model,
        root=part.root,
        path=found.path,
        shape=shape,
        parent=found.parent,
        present=present,
        flow=own.flow if own is not None else False,
        style=written.scalar.style,
        column=column,
        lead=marked.lead,
        has_colon=found.is_key and re.match(r"[\"']?[ \t]*:", behind) is not None,
        followed=_goes_deeper(below, _column(stretch, own.start) if own is not None else -1)
        if shape == "own line"
        else shape != "item" and _goes_deeper(below, column),
        next_dash=len(next_line[1]) if next_line is not None and is_dash else None,
        in_prose=scalar.style in ("|", ">") or scalar.start < line_start(stretch, place),
        layout=layout,
    )


def _span(text: str, offset: int, start: int, marked: Marked) -> Span:
    """Return the word around the cursor in the document, within its quotes and on its line."""
    scalar = marked.at.scalar
    if scalar.style in ("|", ">"):
        return Span(offset, offset)
    quoted = bool(scalar.style)
    first = scalar.start + start + quoted
    last = scalar.end + start - marked.added - quoted
    line = line_start(text, offset)
    first = max(first, line + len(text[line:offset]) - len(text[line:offset].lstrip(_BLANKS)))
    if marked.lead:
        first = offset
    last = offset if marked.closed else min(last, line_end(text, offset))
    return Span(min(first, offset), max(last, offset))


def _shape(text: str, start: int, found: Location, lead: str) -> Shape:
    if found.is_key:
        return "key"
    before = text[line_start(text, start) : start].strip(_BLANKS)
    if isinstance(found.parent, Sequence) and (lead or not before.strip("- ")):
        return "item"
    return "own line" if not before else "item" if not before.strip("- ") else "inline"


def _names(parent: Mapping | Sequence | None, mark: str) -> frozenset[str]:
    names = parent.entries if isinstance(parent, Mapping) else ()
    return frozenset(name for name in names if mark not in name)


def _keys_below(below: str, column: int) -> frozenset[str]:
    """Return the keys of a column in the lines below a cursor, up to what stands less deep."""
    names: set[str] = set()
    for line in _CONTENT_LINE.finditer(below):
        depth = len(line[1])
        if depth < column:
            break
        key = _KEY_LINE.match(below, line.start(1))
        if depth == column and key is not None:
            names.add(key[2].strip("\"'"))
    return frozenset(names)


def _goes_deeper(below: str, column: int) -> bool:
    """Whether the next line that says something belongs to what stands in a column."""
    line = _CONTENT_LINE.search(below)
    if line is None:
        return False
    depth = len(line[1])
    is_dash = line[2] == "-" and line[3] in ("", " ")
    return depth > column or (depth == column and is_dash)


def _column(text: str, offset: int) -> int:
    start = line_start(text, offset)
    return offset - start - text.startswith("\ufeff", start)
