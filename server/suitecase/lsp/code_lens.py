"""`textDocument/codeLens`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from suitecase.editor.gate_results import head_lenses
from suitecase.editor.lenses import (
    Lens,
    anchors_of_cases,
    lenses,
    lenses_of_case,
    lenses_of_list,
)
from suitecase.evidence.governed import governed
from suitecase.lsp.command_names import (
    CANCEL_RUN,
    OPEN_LOG,
    RUN_CASE,
    RUN_SELECTION,
    RUN_SUITE,
    SHOW_PROBLEM,
)
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.line_relative_json import LINE, CachedJson, LineRelativeJson, texts_of_cases
from suitecase.lsp.not_run import standing
from suitecase.lsp.positions import Positions
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Lines
from suitecase.text.node import Span


def code_lens(session: Session, params: types.CodeLensParams) -> JsonText:
    """Return lenses that run the suite and each of its cases, and lenses with the last verdicts,
    which open the results.
    """
    document = session.documents.get(params.text_document.uri)
    if document is None or session.snapshot(document).runnable is None:
        return JsonText("[]")
    if not session.settings_for(document).code_lens:
        return JsonText("[]")
    with without_garbage_collection():
        parts = _by_case(session, document)
        if parts is None:
            suite, results = session.cases_of(document), session.results(document)
            not_run = standing(session, document)
            suite_lenses = lenses(suite, session.anchors(document), results, not_run)
            parts = [
                json.dumps(_value(document.uri, document.positions, suite_lense))
                for suite_lense in suite_lenses
            ]
        parts += _of_head(session, document)
        parts += _states(session, document)
        return JsonText(f"[{','.join(parts)}]")


_TEXTS: Cache[CachedJson] = Cache()


def _by_case(session: Session, document: OpenDocument) -> list[str] | None:
    """Return the lenses as JSON; positions within unchanged cases come from a cache.

    None if the document was not parsed case by case, or if part of it does not parse.
    """
    suite, results = session.cases_of(document), session.results(document)
    parsed = suite.document
    if not parsed.segmented or parsed.broken:
        return None
    first_lines = parsed.cases.first_lines(parsed.lines)
    if first_lines is None:
        return None
    cases = {number: (name, span) for number, name, span in anchors_of_cases(suite)}

    def make(number: int) -> LineRelativeJson:
        if number not in cases:
            return LineRelativeJson.of([], [])
        positions = Positions(Lines(suite.cases[number].content.text), session.encoding)
        value = _range(positions, cases[number][1])
        lines = [value[name]["line"] for name in ("start", "end")]
        value["start"]["line"] = value["end"]["line"] = LINE
        return LineRelativeJson.of([value], lines)

    places = texts_of_cases(parsed, first_lines, _TEXTS, make)
    not_run = standing(session, document)
    whole = lenses_of_list(suite, session.anchors(document), results, not_run)
    parts = [json.dumps(_value(document.uri, document.positions, it)) for it in whole]
    for number, (name, span) in cases.items():
        for lens in lenses_of_case(suite, name, span, results, not_run):
            command = json.dumps(_command(document.uri, lens))
            parts.append(f'{{"range": {places[number]}, "command": {command}}}')
    return parts


def _of_head(session: Session, document: OpenDocument) -> Iterator[str]:
    """Yield the lenses on keys of the head as JSON."""
    for lens in head_lenses(session.suite_of(document), session.results(document)):
        yield json.dumps(
            {
                "range": _range(document.positions, lens.span),
                "command": {
                    "title": lens.title,
                    "command": RUN_SUITE if lens.cases is None else RUN_SELECTION,
                    "arguments": [document.uri, *([] if lens.cases is None else [[*lens.cases]])],
                },
            }
        )


def _states(session: Session, document: OpenDocument) -> Iterator[str]:
    """Yield the lenses without a command as JSON, which clients show as text."""
    snapshot = session.snapshot(document)
    if snapshot.suite is None:
        return
    suite = governed(snapshot.suite, snapshot.folder, document.path)
    if suite is None:
        return
    # Most suites have none of these keys.
    from suitecase.editor.governance_lenses import state_lenses

    for lens in state_lenses(suite, snapshot.folder):
        command = {"title": lens.title, "command": ""}
        yield json.dumps({"range": _range(document.positions, lens.span), "command": command})


def _value(uri: str, positions: Positions, lens: Lens) -> dict[str, Any]:
    return {"range": _range(positions, lens.span), "command": _command(uri, lens)}


def _range(positions: Positions, span: Span) -> dict[str, Any]:
    ends = (positions.position(span.start), positions.position(span.end))
    start, end = ({"line": it.line, "character": it.character} for it in ends)
    return {"start": start, "end": end}


def _command(uri: str, lens: Lens) -> dict[str, Any]:
    run = RUN_SUITE if lens.case is None else RUN_CASE
    commands = {"cancel": CANCEL_RUN, "open": OPEN_LOG, "problem": SHOW_PROBLEM, "run": run}
    return {
        "title": lens.title,
        "command": commands[lens.action],
        "arguments": [uri] if lens.case is None else [uri, lens.case],
    }
