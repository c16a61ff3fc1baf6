"""`textDocument/foldingRange`."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from lsprotocol import types

from suitecase.editor.folding import Fold, FoldKind, folds, folds_beside_cases, folds_of_case
from suitecase.lsp.line_relative_json import LINE, CachedJson, LineRelativeJson, texts_of_cases
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document
from suitecase.text.garbage_collection import without_garbage_collection

_KINDS = {
    FoldKind.COMMENT: types.FoldingRangeKind.Comment,
    FoldKind.REGION: types.FoldingRangeKind.Region,
}


def folding_range(session: Session, params: types.FoldingRangeParams) -> JsonText:
    """Return the folding ranges; whole lines, which every client can fold."""
    document = session.documents.get(params.text_document.uri)
    parsed = session.snapshot(document).file if document is not None else None
    if parsed is None:
        return JsonText("[]")
    with without_garbage_collection():
        return _folding_ranges(parsed.document, session.client.most_folds)


_TEXTS: Cache[CachedJson] = Cache()


def _folding_ranges(document: Document, most: int | None) -> JsonText:
    first_lines = document.cases.first_lines(document.lines) if document.segmented else None
    if first_lines is None:
        return JsonText(json.dumps([_value(it) for it in _outermost(folds(document), most)]))
    beside = folds_beside_cases(document)
    deepest = None if most is None else _deepest(document, most - len(beside))
    if deepest is not None:
        inner_folds = [
            Fold(base + first, base + last, FoldKind.CODE, depth)
            for content, base in zip(document.cases.contents, first_lines, strict=True)
            for first, last, depth in folds_of_case(content)
            if depth <= deepest
        ]
        return JsonText(
            json.dumps([_value(it) for it in _outermost([*beside, *inner_folds], most)])
        )

    def make(number: int) -> LineRelativeJson:
        inside = folds_of_case(document.cases.contents[number])
        lines = [line for first, last, _ in inside for line in (first, last)]
        return LineRelativeJson.of([{"startLine": LINE, "endLine": LINE}] * len(inside), lines)

    cases = texts_of_cases(document, first_lines, _TEXTS, make)
    texts = [*(json.dumps(_value(it)) for it in beside), *(case for case in cases if case)]
    return JsonText(f"[{','.join(texts)}]")


def _outermost(all_folds: list[Fold], most: int | None) -> list[Fold]:
    """Return as many folds as the client accepts, outermost first, then by position."""
    if most is None or len(all_folds) <= most:
        return all_folds
    ordered = sorted(all_folds, key=lambda fold: (fold.depth, fold.first))
    return sorted(ordered[:most], key=lambda fold: fold.first)


def _deepest(document: Document, remaining: int) -> int | None:
    """Return the depth at which the folds in cases exceed the number left; None if they all fit."""
    counts = Counter[int]()
    for depths in document.case_index.values(_depths):
        counts.update(depths)
    for depth in sorted(counts):
        remaining -= counts[depth]
        if remaining < 0:
            return depth
    return None


def _depths(content: Content) -> dict[int, int]:
    return Counter(depth for _, _, depth in folds_of_case(content))


def _value(fold: Fold) -> dict[str, Any]:
    value: dict[str, Any] = {"startLine": fold.first, "endLine": fold.last}
    kind = _KINDS.get(fold.kind)
    return value if kind is None else {**value, "kind": kind.value}
