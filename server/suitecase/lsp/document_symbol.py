"""`textDocument/documentSymbol`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lsprotocol import types

from suitecase.editor.dialect_features import features_of
from suitecase.editor.symbols import Kind, Outline, Symbol, outline_of, symbols
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LINE, CachedJson, LineRelativeJson, texts_of_cases
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Lines
from suitecase.text.node import Span

#: The outline of a suite with more cases lists the cases only: with all their parts it would be
#: larger than the suite, and too long to navigate.
MOST_WITH_PARTS = 1_000
_KINDS = {
    Kind.SUITE: types.SymbolKind.Module,
    Kind.CASE: types.SymbolKind.Class,
    Kind.MESSAGE: types.SymbolKind.String,
    Kind.RUBRIC: types.SymbolKind.EnumMember,
    Kind.EVALUATOR: types.SymbolKind.Function,
    Kind.TARGET: types.SymbolKind.Interface,
    Kind.PROMPT: types.SymbolKind.String,
    Kind.DEFAULTS: types.SymbolKind.Object,
    Kind.GATE: types.SymbolKind.Boolean,
    Kind.SLICE: types.SymbolKind.Namespace,
    Kind.METRIC: types.SymbolKind.Variable,
}


def document_symbol(
    session: Session, params: types.DocumentSymbolParams
) -> JsonText | list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """Return the outline; flat if the client does not support nesting."""
    document = session.documents.get(params.text_document.uri)
    file = session.snapshot(document).file if document is not None else None
    if document is None or file is None:
        return []
    with without_garbage_collection():
        outline = _outline(file)
        if outline is not None and session.client.nests_symbols:
            syntax = outline.document
            first_lines = syntax.cases.first_lines(syntax.lines) if syntax.segmented else None
            if first_lines is not None:
                dialect = file.dialect.name if isinstance(file, DialectFile) else ""
                return _by_case(session, document, outline, first_lines, dialect)
        listed = outline.symbols() if outline is not None else _other_symbols(file)
        if session.client.nests_symbols:
            return JsonText(json.dumps([_value(document.positions, item) for item in listed]))
        return [one for item in listed for one in _flat(document, item, None)]


def _outline(file: ParsedFile) -> Outline | None:
    if isinstance(file, DialectFile):
        return features_of(file.dialect).outline(file)
    return outline_of(file) if isinstance(file, ParsedSuite) else None


def _other_symbols(file: ParsedFile) -> list[Symbol]:
    return [] if isinstance(file, DialectFile | OtherFile) else symbols(file)


_TEXTS: Cache[CachedJson] = Cache()


def _by_case(
    session: Session,
    document: OpenDocument,
    outline: Outline,
    first_lines: list[int],
    dialect: str,
) -> JsonText:
    """Return the outline as JSON; symbols of unchanged cases come from a cache."""
    whole = outline.whole
    if whole is None:
        return JsonText("[]")
    contents = outline.document.cases.contents
    with_parts = len(contents) <= MOST_WITH_PARTS

    def make(number: int) -> LineRelativeJson:
        symbol = outline.of_case(number)
        positions = Positions(Lines(contents[number].text), session.encoding)
        lines: list[int] = []
        outlined = symbol if with_parts else replace(symbol, children=())
        return LineRelativeJson.of([_value(positions, outlined, lines)], lines)

    depends_on = (dialect, with_parts)
    cases = texts_of_cases(outline.document, first_lines, _TEXTS, make, depends_on)
    for number in outline.numbered:
        cases[number] = make(number).at(first_lines[number])
    value = _value(document.positions, whole)
    head = [json.dumps(it) for it in value.pop("children", ())]
    children = ",".join([*head, *cases])
    return JsonText(f'[{json.dumps(value)[:-1]}, "children": [{children}]}}]')


def _value(positions: Positions, symbol: Symbol, lines: list[int] | None = None) -> dict[str, Any]:
    """Return a symbol as JSON values; with `lines`, its lines are collected there and become
    `LINE`.
    """
    value: dict[str, Any] = {
        "name": symbol.name,
        "kind": _KINDS[symbol.kind].value,
        "range": _range(positions, symbol.span, lines),
        "selectionRange": _range(positions, symbol.selection, lines),
    }
    if symbol.detail:
        value["detail"] = symbol.detail
    if symbol.children:
        value["children"] = [_value(positions, child, lines) for child in symbol.children]
    return value


def _range(positions: Positions, span: Span, lines: list[int] | None) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, offset in (("start", span.start), ("end", span.end)):
        place = positions.position(offset)
        if lines is not None:
            lines.append(place.line)
        value[name] = {"line": place.line if lines is None else LINE, "character": place.character}
    return value


def _flat(
    document: OpenDocument, symbol: Symbol, container: str | None
) -> Iterator[types.SymbolInformation]:
    place = types.Location(document.uri, document.positions.range(symbol.span))
    yield types.SymbolInformation(place, symbol.name, _KINDS[symbol.kind], container_name=container)
    for child in symbol.children:
        yield from _flat(document, child, symbol.name)
