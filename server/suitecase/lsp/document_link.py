"""`textDocument/documentLink`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from lsprotocol import types

from suitecase.ide.index.summary import Summary
from suitecase.ide.navigation.links import Link, Targets, links, links_of_part, targets
from suitecase.lsp.line_relative_json import LINE, CachedJson, LineRelativeJson, texts_of_cases
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.request_context import RequestContext, inner, request_context
from suitecase.lsp.session import Session
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.cache import Cache
from suitecase.syntax.garbage_collection import without_garbage_collection
from suitecase.syntax.lines import Lines


def document_link(session: Session, params: types.DocumentLinkParams) -> JsonText | None:
    """Return the names of files in a document, for those that are there."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    here = request_context(session, document)
    if here.summary is None:
        return None
    with without_garbage_collection():
        known = targets(here.surroundings, here.summary)
        written = session.snapshot(document).parsed
        told: list[str] | None = None
        if isinstance(written, ParsedSuite):
            told = _by_case(session, written, here, here.summary, known)
        if told is None:
            found = links(here.summary, known)
            told = [json.dumps(it) for it in _values(document.positions, here, found)]
        return JsonText(f"[{','.join(it for it in told if it)}]")


def _by_case(
    session: Session, suite: ParsedSuite, here: RequestContext, summary: Summary, known: Targets
) -> list[str] | None:
    """Return the links as JSON; of the cases all but what was typed in is at hand.

    None where the document was not parsed case by case.
    """
    document = suite.document
    first_lines = document.cases.first_lines(document.lines) if document.segmented else None
    if first_lines is None:
        return None
    cases = {it.number: it for it in summary.parts if isinstance(it.number, int)}
    head = (
        it for part in summary.parts if part.number == "head" for it in links_of_part(part, known)
    )
    told = [
        json.dumps(it) for it in _values(Positions(document.lines, session.encoding), here, head)
    ]

    def make(number: int) -> LineRelativeJson:
        lines: list[int] = []
        positions = Positions(Lines(suite.cases[number].content.text), session.encoding)
        found = links_of_part(cases[number], known)
        return LineRelativeJson.of(_values(positions, here, found, lines), lines)

    # A file that came or went makes others of them.
    led = repr(sorted((*map(str, reference), str(path)) for reference, path in known.items()))
    digest = hashlib.sha256(led.encode()).hexdigest()
    return [*told, *texts_of_cases(document, first_lines, _TEXTS, make, digest)]


_TEXTS: Cache[CachedJson] = Cache()


def _values(
    positions: Positions,
    here: RequestContext,
    found: Iterable[Link],
    lines: list[int] | None = None,
) -> list[dict[str, Any]]:
    """Return links as the protocol has them, with `LINE` for their lines where these are taken."""
    values: list[dict[str, Any]] = []
    text = str(positions.lines)
    for link in found:
        span = inner(text, link.span)
        place: dict[str, Any] = {}
        for name, offset in (("start", span.start), ("end", span.end)):
            at = positions.position(offset)
            if lines is not None:
                lines.append(at.line)
            place[name] = {"line": at.line if lines is None else LINE, "character": at.character}
        values.append({"range": place, "target": here.uri(link.path)})
    return values
