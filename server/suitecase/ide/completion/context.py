"""What is expected at a cursor: where in the format it stands, and how it is written there."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

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
from suitecase.ide.completion.stretches import (
    Stretch,
    cases_at,
    outline,
    part_of_case,
    part_of_targets,
    stretches,
)
from suitecase.suite.fields import Field, field_at, models_at, types_at
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.target_files import ParsedTargets
from suitecase.syntax.compose import compose
from suitecase.syntax.node import Mapping, Node, Sequence, Span, at

Shape = Literal["key", "inline", "own line", "item"]

_BLANKS = " \t\ufeff"
_KEY_LINE = re.compile(r"([ ]*)([^\s#:\-][^:\r\n]*?)[ \t]*:(?=[ \t\r\n]|\Z)")
_CONTENT_LINE = re.compile(r"(?:\r\n|\n|\r)([ ]*)([^\s#])(.?)")


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
    def word(self) -> str:
        """The word around the cursor."""
        return self.text[self.span.start : self.span.end]

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


def context_in_suite(suite: ParsedSuite, offset: int) -> Context | None:
    """Return where a cursor stands in a suite; None where nothing of its tree is."""
    text, is_json = suite.document.text, suite.kind == "dataset"
    found = (_context(text, offset, it, is_json=is_json) for it in stretches(suite, offset))
    return next((it for it in found if it is not None), None)


def context_in_targets(targets: ParsedTargets, offset: int) -> Context | None:
    """Return where a cursor stands in a targets file; None where nothing of its tree is."""
    return _context(targets.text, offset, Stretch(targets.text, offset, part_of_targets))


def context_between_cases(suite: ParsedSuite, offset: int) -> Context | None:
    """Return where another case begins, on an empty line less deep than the cases; None elsewhere.

    What has to be written before it begins with the blanks that the line lacks.
    """
    text = suite.document.text
    cases = cases_at(suite)
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
    place = offset - case.start + len(blanks)
    context = _context(text, offset, Stretch(stretch, place, part_of_case))
    if context is None or context.shape != "item" or context.path:
        return None
    return replace(context, lead=blanks + context.lead)


def _context(text: str, offset: int, stretch: Stretch, *, is_json: bool = False) -> Context | None:
    """Return where the cursor of a stretch of a document stands, in terms of the format."""
    layout = layout_of(stretch.text, text, quotes_keys=is_json)
    marked = read_at(stretch.text, stretch.at)
    found = _placed(text, offset, stretch, marked, layout) if marked else None
    if found is not None and marked is not None and not marked.broken:
        return found
    if in_comment(stretch.text, stretch.at) or not compose(stretch.text).broken:
        return None  # what may be written there would break a text that is sound
    lines = outline(stretch.text, stretch.at) if found is None else None
    if lines is not None:
        stretch = Stretch(*lines, stretch.part_of)
        marked = read_at(stretch.text, stretch.at)
        cut = replace(marked, broken=True) if marked else None
        found = _placed(text, offset, stretch, cut, layout) if cut else None
    return found


def _placed(
    text: str, offset: int, stretch: Stretch, marked: Marked, layout: Layout
) -> Context | None:
    """Return where a mark is, in the format and in the document."""
    place = stretch.at
    part = stretch.part_of(marked.root, marked.mark)
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
    column = _column(stretch.text, min(around, place)) + max(around - place, 0)
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
        followed=_goes_deeper(below, _column(stretch.text, own.start) if own is not None else -1)
        if shape == "own line"
        else shape != "item" and _goes_deeper(below, column),
        next_dash=len(next_line[1]) if next_line is not None and is_dash else None,
        in_prose=scalar.style in ("|", ">") or scalar.start < line_start(stretch.text, place),
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
