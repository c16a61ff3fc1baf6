"""`textDocument/documentLink`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from lsprotocol import types

from suitecase.editor.index.summary import Summary
from suitecase.editor.navigation.links import Link, Targets, links, links_of_part, targets
from suitecase.format.dialect import DialectFile
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.lsp.line_relative_json import LINE, CachedJson, LineRelativeJson, texts_of_cases
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.request_context import RequestContext, inner, request_context
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.document import Document
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Lines


def document_link(session: Session, params: types.DocumentLinkParams) -> JsonText | None:
    """Return links for the file names in a document, for files that exist."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    context = request_context(session, document)
    if context.summary is None:
        return None
    with without_garbage_collection():
        existing = targets(context.view, context.summary)
        file = session.snapshot(document).file
        texts: list[str] | None = None
        if isinstance(file, ParsedSuite | DialectFile):
            texts = _by_case(session, file.document, context, context.summary, existing)
        if texts is None:
            document_links = links(context.summary, existing)
            texts = [
                json.dumps(value) for value in _values(document.positions, context, document_links)
            ]
        return JsonText(f"[{','.join(text for text in texts if text)}]")


def _by_case(
    session: Session,
    document: Document,
    context: RequestContext,
    summary: Summary,
    existing: Targets,
) -> list[str] | None:
    """Return the links as JSON; links of unchanged cases come from a cache.

    None if the document was not parsed case by case.
    """
    first_lines = document.cases.first_lines(document.lines) if document.segmented else None
    if first_lines is None:
        return None
    cases = {part.number: part for part in summary.parts if isinstance(part.number, int)}
    head = (
        link
        for part in summary.parts
        if part.number == "head"
        for link in links_of_part(part, existing)
    )
    texts = [
        json.dumps(value)
        for value in _values(Positions(document.lines, session.encoding), context, head)
    ]

    def make(number: int) -> LineRelativeJson:
        lines: list[int] = []
        positions = Positions(Lines(document.cases.contents[number].text), session.encoding)
        case_links = links_of_part(cases[number], existing) if number in cases else ()
        return LineRelativeJson.of(_values(positions, context, case_links, lines), lines)

    # Creating or removing a file changes which links exist.
    resolved = repr(
        sorted((*map(str, reference), str(path)) for reference, path in existing.items())
    )
    digest = hashlib.sha256(resolved.encode()).hexdigest()
    return [*texts, *texts_of_cases(document, first_lines, _TEXTS, make, digest)]


_TEXTS: Cache[CachedJson] = Cache()


def _values(
    positions: Positions,
    context: RequestContext,
    document_links: Iterable[Link],
    lines: list[int] | None = None,
) -> list[dict[str, Any]]:
    """Return links as JSON values; with `lines`, their lines are collected there and become `LINE`."""
    values: list[dict[str, Any]] = []
    text = str(positions.lines)
    for link in document_links:
        span = inner(text, link.span)
        place: dict[str, Any] = {}
        for name, offset in (("start", span.start), ("end", span.end)):
            position = positions.position(offset)
            if lines is not None:
                lines.append(position.line)
            place[name] = {
                "line": position.line if lines is None else LINE,
                "character": position.character,
            }
        values.append({"range": place, "target": context.uri(link.path)})
    return values
