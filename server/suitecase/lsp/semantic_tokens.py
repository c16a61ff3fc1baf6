"""`textDocument/semanticTokens`: full documents, deltas, and ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from lsprotocol import types

from suitecase.editor.dialect_features import features_of
from suitecase.editor.semantic_tokens import (
    Token,
    TokenModifier,
    TokenType,
    in_order,
    prompt_tokens,
    tokens,
    tokens_of_case,
    tokens_of_head,
)
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.text.cache import Cache
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Lines
from suitecase.text.node import Span

LEGEND = types.SemanticTokensLegend(
    token_types=[it.value for it in TokenType], token_modifiers=[it.value for it in TokenModifier]
)
_TYPES = {it: number for number, it in enumerate(TokenType)}
_MODIFIERS = {it: 1 << number for number, it in enumerate(TokenModifier)}


@dataclass(frozen=True, slots=True)
class _Sent:
    """The tokens last sent for a document, from which the next delta is computed."""

    number: int
    data: list[int]


_sent: WeakKeyDictionary[OpenDocument, _Sent] = WeakKeyDictionary()


def full(session: Session, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    """Return all tokens of a document."""
    document = session.documents.get(params.text_document.uri)
    return _stored(document, _data(session, document)) if document is not None else None


def delta(
    session: Session, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    """Return the delta to the tokens sent before, or all tokens if those are unknown."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    before = _sent.get(document)
    data = _data(session, document)
    now = _stored(document, data)
    if before is None or str(before.number) != params.previous_result_id:
        return now
    return types.SemanticTokensDelta(edits=_edits(before.data, data), result_id=now.result_id)


def in_range(
    session: Session, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens | None:
    """Return the tokens of a range."""
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return None
    return types.SemanticTokens(_data(session, document, document.positions.span(params.range)))


def _stored(document: OpenDocument, data: list[int]) -> types.SemanticTokens:
    before = _sent.get(document)
    number = before.number + 1 if before is not None else 1
    _sent[document] = _Sent(number, data)
    return types.SemanticTokens(data, result_id=str(number))


def _edits(before: list[int], now: list[int]) -> list[types.SemanticTokensEdit]:
    """Return the one range in which two lists differ."""
    if before == now:
        return []
    shorter = min(len(before), len(now))
    start = next((it for it in range(shorter) if before[it] != now[it]), shorter)
    end = next(
        (it for it in range(shorter - start) if before[-1 - it] != now[-1 - it]), shorter - start
    )
    inserted = now[start : len(now) - end]
    return [types.SemanticTokensEdit(start, len(before) - end - start, inserted)]


def _data(session: Session, document: OpenDocument, within: Span | None = None) -> list[int]:
    snapshot = session.snapshot(document)
    parsed, file = snapshot.parsed, snapshot.dialect_file
    token_list: list[Token] = []
    with without_garbage_collection():
        if isinstance(parsed, ParsedSuite) and within is None:
            data = _by_case(session, document, parsed)
            if data is not None:
                return data
        if parsed is not None:
            token_list = tokens(parsed, within)
        elif file is not None:
            found = features_of(file.dialect).tokens(file, snapshot.folder, within)
            token_list = in_order(found, document.text, within)
        elif session.is_named_prompt(document):
            token_list = in_order(_in_prompt_file(session, document), document.text, within)
        return _encoded(document.positions, token_list)


def _in_prompt_file(session: Session, document: OpenDocument) -> list[Token]:
    """Return the tokens of a file that suites name, as each of them reads it."""
    found: list[Token] = []
    suites = (
        session.suite(referrer) for referrer in session.referenced_files.referrers(document.paths)
    )
    for suite in suites:
        snapshot = session.snapshot(suite) if suite is not None else None
        file = snapshot.dialect_file if snapshot is not None else None
        if snapshot is None or file is None:
            found += prompt_tokens(document.text)
        else:
            features = features_of(file.dialect)
            found += features.tokens_beside(file, snapshot.folder, document.paths, document.text)
    return found


class _OfCase(NamedTuple):
    """The tokens of a case as LSP encodes them, the first one relative to the start of the case.

    `last` is the line of the last one, from that of the case.
    """

    encoding: str
    data: list[int]
    last: int


_OF_CASES: Cache[_OfCase] = Cache()


def _by_case(session: Session, document: OpenDocument, suite: ParsedSuite) -> list[int] | None:
    """Return the tokens of a suite, encoded; those of unchanged cases come from a cache.

    None if it was not parsed case by case.
    """
    parsed, encoding = suite.document, session.encoding
    first_lines = parsed.cases.first_lines(parsed.lines) if parsed.segmented else None
    if first_lines is None or not suite.cases:
        return None
    of_head = in_order(tokens_of_head(suite), document.text, None)
    begin = parsed.cases.starts[0]
    data = _encoded(document.positions, [it for it in of_head if it.span.start < begin])
    line = sum(data[::5])

    def make(case: ParsedCase) -> _OfCase:
        positions = Positions(Lines(case.source), encoding)
        encoded = _encoded(positions, tokens_of_case(case))
        return _OfCase(encoding, encoded, sum(encoded[::5]))

    for case, first_line in zip(suite.cases, first_lines, strict=True):
        # Its tokens depend on how it is parsed, as this content does.
        of_case = _OF_CASES.get(case.content)
        if of_case is None or of_case.encoding != encoding:
            of_case = make(case)
            _OF_CASES.set(case.content, of_case)
        if of_case.data:
            data.append(of_case.data[0] + first_line - line)
            data += of_case.data[1:]
            line = first_line + of_case.last
    behind = _encoded(document.positions, [it for it in of_head if it.span.start >= begin])
    if behind:
        data += [behind[0] - line, *behind[1:]]
    return data


def _encoded(positions: Positions, token_list: list[Token]) -> list[int]:
    """Return tokens as LSP encodes them: five numbers each, positions relative to the previous one."""
    line, character = 0, 0
    data: list[int] = []
    for token in token_list:
        start, end = positions.position(token.span.start), positions.position(token.span.end)
        down = start.line - line
        right = start.character if down else start.character - character
        modifiers = _MODIFIERS[token.modifier] if token.modifier is not None else 0
        data += (down, right, end.character - start.character, _TYPES[token.type], modifiers)
        line, character = start.line, start.character
    return data
