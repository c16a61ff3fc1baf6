"""The context of a cursor: its position in the format, and in the layout of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel

from suitecase.editor.completion.cursor import (
    Location,
    Marked,
    in_comment,
    line_end,
    line_start,
    locate,
    read_at,
)
from suitecase.editor.completion.layout import Layout, layout_of
from suitecase.editor.completion.parsed_range import (
    CasesAt,
    PartOf,
    Stretch,
    cases_at,
    outline,
    part_of_case,
    part_of_targets,
    stretches,
)
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.schema.fields import Field, field_at, models_at, types_at
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Node, Sequence, Span, at

Shape = Literal["key", "inline", "own line", "item"]

_BLANKS = " \t\ufeff"
_KEY_LINE = re.compile(
    r"([ ]*+)([^\s#:\-](?:[^: \t\r\n]++|[ \t]++(?!:))*+)[ \t]*+:(?=[ \t\r\n]|\Z)"
)
_CONTENT_LINE = re.compile(r"(?:\r\n|\n|\r)([ ]*)([^\s#])(.?)")


@dataclass(frozen=True, slots=False, kw_only=True)
class Context:
    """The position of a cursor.

    Attributes:
        text: the document.
        offset: the cursor, in the document.
        span: the word around the cursor, on its line and within its quotes.
        model: the model of `root`.
        root: the case, the head or the targets, in the current format.
        path: the keys and indexes from `root` to the key or value.
        shape: what is at the cursor: a `key`, a value on its key's line (`inline`), a value on its
            `own line`, or an `item` of a list.
        parent: the mapping or list around it; None for a bare scalar.
        present: the other keys of the mapping around it.
        flow: whether it is in braces or brackets.
        style: the quote or block indicator of the scalar around it; empty in plain text.
        column: the column of the key and its siblings, or of the value; for an inline value, that
            of its key.
        lead: what has to be inserted before anything else.
        has_colon: whether a colon follows the key.
        followed: whether a value already follows, on the line or below.
        next_dash: the column of the dash that begins the next non-empty line.
        in_prose: whether it is in a multi-line text.
        layout: the layout of the text.
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
        """The part of the word before the cursor."""
        return self.text[self.span.start : self.offset]

    @property
    def word(self) -> str:
        """The word around the cursor."""
        return self.text[self.span.start : self.span.end]

    @property
    def holder(self) -> tuple[str | int, ...]:
        """The path of the mapping or list around the key or value."""
        return self.path[:-1]

    @cached_property
    def field(self) -> Field | None:
        """The field of the value, or of the list it is an item of."""
        return field_at(self.model, self.root, self.path)

    @cached_property
    def types(self) -> list[Any]:
        """The types the value may have."""
        return types_at(self.model, self.root, self.path)

    @cached_property
    def models(self) -> list[type[BaseModel]]:
        """The models that the mapping around a key, or one that begins here, may have."""
        path = self.holder if self.shape == "key" else self.path
        return models_at(self.model, self.root, path)

    def node_at(self, path: tuple[str | int, ...]) -> Node | None:
        """Return the node at a path of the part."""
        node, _, taken = at(self.root, path)
        return node if taken == len(path) else None


def context_in_suite(suite: ParsedSuite, offset: int) -> Context | None:
    """Return the context of a cursor in a suite; None outside its tree."""
    text, is_json = suite.document.text, suite.kind == "dataset"
    return context_in(text, offset, stretches(suite, offset), is_json=is_json)


def context_in(
    text: str, offset: int, among: Iterable[Stretch], *, is_json: bool = False
) -> Context | None:
    """Return the context of a cursor in the first stretch of a text that yields one."""
    contexts = (_context(text, offset, it, is_json=is_json) for it in among)
    return next((context for context in contexts if context is not None), None)


def context_in_targets(targets: ParsedTargets, offset: int) -> Context | None:
    """Return the context of a cursor in a targets file; None outside its tree."""
    return _context(targets.text, offset, Stretch(targets.text, offset, part_of_targets))


def context_between_cases(suite: ParsedSuite, offset: int) -> Context | None:
    """Return the context of another case, on an empty line less indented than the cases; else None.

    Its `lead` begins with the spaces that the line lacks.
    """
    return context_of_another(suite.document.text, offset, cases_at(suite), part_of_case)


def context_of_another(
    text: str, offset: int, cases: CasesAt | None, of_case: PartOf
) -> Context | None:
    """Return the context of another case; see `context_between_cases`."""
    line = line_start(text, offset)
    if cases is None or not cases.starts[0] <= offset <= cases.end:
        return None
    if text[line : line_end(text, offset)].strip(_BLANKS):
        return None
    case = cases.around(offset)
    depth = len(text[case.start : case.end]) - len(text[case.start : case.end].lstrip(" "))
    below = _CONTENT_LINE.search(text, line_end(text, offset))
    if below is not None and len(below[1]) > depth:
        return None  # the line is within a case
    blanks = " " * (depth - (offset - line))
    stretch = text[case.start : offset] + blanks + text[offset : case.end]
    cursor = offset - case.start + len(blanks)
    context = _context(text, offset, Stretch(stretch, cursor, of_case))
    if context is None or context.shape != "item" or context.path:
        return None
    return replace(context, lead=blanks + context.lead)


def _context(text: str, offset: int, stretch: Stretch, *, is_json: bool = False) -> Context | None:
    """Return the context of a stretch's cursor."""
    layout = layout_of(stretch.text, text, quotes_keys=is_json)
    marked = read_at(stretch.text, stretch.at)
    context = _context_at_mark(text, offset, stretch, marked, layout) if marked else None
    if context is not None and marked is not None and not marked.broken:
        return context
    if in_comment(stretch.text, stretch.at) or not compose(stretch.text).broken:
        return None  # a completion there would break a valid text
    lines = outline(stretch.text, stretch.at) if context is None else None
    if lines is not None:
        stretch = Stretch(*lines, stretch.part_of)
        marked = read_at(stretch.text, stretch.at)
        cut = replace(marked, broken=True) if marked else None
        context = _context_at_mark(text, offset, stretch, cut, layout) if cut else None
    return context


def _context_at_mark(
    text: str, offset: int, stretch: Stretch, marked: Marked, layout: Layout
) -> Context | None:
    """Return the context of a mark, in the format and in the document."""
    cursor = stretch.at
    part = stretch.part_of(marked.root, marked.mark)
    location = marked.at
    normalized = None
    if part is not None:
        # Names omitted in legacy syntax are generated from what the cursor may be in.
        normalized = locate(part.root, marked.mark, only=location.scalar)
        normalized = normalized or locate(part.root, marked.mark)
    if part is None or normalized is None:
        return None
    start = offset - cursor
    span = _span(text, offset, start, marked)
    shape = _shape(text, span.start - bool(location.scalar.style), location, marked.lead)
    parent_node = location.parent
    anchor_offset = (
        parent_node.start
        if parent_node is not None and parent_node.start <= cursor
        else cursor + len(marked.lead)
    )
    if shape in ("own line", "item"):
        anchor_offset = min(location.scalar.start, cursor + len(marked.lead))
    column = _column(stretch.text, min(anchor_offset, cursor)) + max(anchor_offset - cursor, 0)
    below = text[line_end(text, offset) :]
    present = _names(normalized.parent, marked.mark)
    if marked.broken and shape == "key" and not (parent_node is not None and parent_node.flow):
        present |= _keys_below(below, column)
    rest = text[span.end :]
    next_line = _CONTENT_LINE.search(below)
    if marked.lead.endswith("- ") and next_line is not None and len(next_line[1]) >= column:
        return None  # the lines below would become part of the item
    is_dash = next_line is not None and next_line[2] == "-" and next_line[3] in ("", " ")
    scalar = location.scalar
    return Context(
        text=text,
        offset=offset,
        span=span,
        model=part.model,
        root=part.root,
        path=normalized.path,
        shape=shape,
        parent=normalized.parent,
        present=present,
        flow=parent_node.flow if parent_node is not None else False,
        style=location.scalar.style,
        column=column,
        lead=marked.lead,
        has_colon=normalized.is_key and re.match(r"[\"']?[ \t]*:", rest) is not None,
        followed=_goes_deeper(
            below, _column(stretch.text, parent_node.start) if parent_node is not None else -1
        )
        if shape == "own line"
        else shape != "item" and _goes_deeper(below, column),
        next_dash=len(next_line[1]) if next_line is not None and is_dash else None,
        in_prose=scalar.style in ("|", ">") or scalar.start < line_start(stretch.text, cursor),
        layout=layout,
    )


def _span(text: str, offset: int, start: int, marked: Marked) -> Span:
    """Return the word around the cursor, within its quotes and on its line."""
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


def _shape(text: str, start: int, location: Location, lead: str) -> Shape:
    if location.is_key:
        return "key"
    before = text[line_start(text, start) : start].strip(_BLANKS)
    if isinstance(location.parent, Sequence) and (lead or not before.strip("- ")):
        return "item"
    return "own line" if not before else "item" if not before.strip("- ") else "inline"


def _names(parent: Mapping | Sequence | None, mark: str) -> frozenset[str]:
    names = parent.entries if isinstance(parent, Mapping) else ()
    return frozenset(name for name in names if mark not in name)


def _keys_below(below: str, column: int) -> frozenset[str]:
    """Return the keys in a column below a cursor, up to the first line with less indentation."""
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
    """Whether the next non-empty line belongs to a node in this column."""
    line = _CONTENT_LINE.search(below)
    if line is None:
        return False
    depth = len(line[1])
    is_dash = line[2] == "-" and line[3] in ("", " ")
    return depth > column or (depth == column and is_dash)


def _column(text: str, offset: int) -> int:
    start = line_start(text, offset)
    return offset - start - text.startswith("\ufeff", start)
