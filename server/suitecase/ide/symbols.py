"""The outline of a document: a suite with its cases and what stands in them, or targets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from suitecase.suite.elements import ParsedEvaluators, ParsedRubrics
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.suite.target_files import ParsedTarget, ParsedTargets
from suitecase.syntax.cache import Cache
from suitecase.syntax.document import Piece
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.rubric import TOP

#: Names and details are read in passing.
_LONGEST = 60
#: What names a case whose text does not parse.
_ID = re.compile(r"(?:^|[-{,\s])(?:\"id\"|id)[ \t]*:[ \t]+(\"[^\"\r\n]+\"|[^\s#,}][^\r\n#,}]*)")
_INPUTS = ("input_messages", "input")
_EXPECTED = ("expected_messages", "expected_output")


class Kind(StrEnum):
    """What a symbol is."""

    SUITE = "suite"
    CASE = "case"
    MESSAGE = "message"
    RUBRIC = "rubric"
    EVALUATOR = "evaluator"
    TARGET = "target"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something with a name. `selection` is where the name stands, within `span`."""

    name: str
    detail: str
    kind: Kind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()

    def placed(self, place: Callable[[Span], Span]) -> Symbol:
        """Return the symbol with other places."""
        return Symbol(
            self.name,
            self.detail,
            self.kind,
            place(self.span),
            place(self.selection),
            tuple(it.placed(place) for it in self.children),
        )


def symbols(written: ParsedSuite | ParsedTargets) -> list[Symbol]:
    """Return the outline of a document, as far as it can be read: one symbol with all others."""
    whole = symbol_of_all(written)
    if whole is None or isinstance(written, ParsedTargets):
        return [whole] if whole is not None else []
    cases = [
        symbol_of_case(written, number).placed(piece.absolute)
        for number, piece in enumerate(written.document.cases)
    ]
    children = [*whole.children, *cases]
    name, detail = whole.name, whole.detail
    return [_symbol(name, detail, Kind.SUITE, whole.span, whole.selection, children)]


def symbol_of_all(written: ParsedSuite | ParsedTargets) -> Symbol | None:
    """Return a document with what it holds beside cases; None where it is empty."""
    document = written.document
    if not document.text.strip("\ufeff \t\r\n"):
        return None
    if isinstance(written, ParsedTargets):
        children = [_target(it) for it in written.items]
        name, detail, selection = "targets", "", _first_key(written.node)
    else:
        children = [*_in_head(written)]
        name, detail, selection = _suite_name(written)
    selection = selection or Span(0, 0)
    return _symbol(name, detail, Kind.SUITE, Span(0, len(document.text)), selection, children)


def _symbol(
    name: str,
    detail: str,
    kind: Kind,
    span: Span,
    selection: Span,
    children: list[Symbol] | None = None,
) -> Symbol:
    """Make a symbol that holds all that belongs to it, wherever older spellings have it."""
    parts = [selection, *(it.span for it in children or ())]
    span = Span(
        min(span.start, *(it.start for it in parts)), max(span.end, *(it.end for it in parts))
    )
    return Symbol(
        _short(name) or f"({kind.value} without a name)",
        _short(detail),
        kind,
        span,
        selection,
        tuple(children or ()),
    )


def _suite_name(suite: ParsedSuite) -> tuple[str, str, Span | None]:
    root = suite.head.node or suite.document.root
    place = suite.head_place
    for key in ("dataset", "description"):
        node = root.get(key) if root is not None else None
        if isinstance(node, Scalar) and node.text.strip() and suite.kind != "dataset":
            detail = root.get("description") if root is not None and key == "dataset" else None
            return node.text, _text(detail), place(node.span)
    list_key = suite.document.list_key
    count = len(suite.cases)
    detail_text = "1 case" if count == 1 else f"{count} cases"
    return suite.kind, detail_text, place(list_key.span) if list_key else None


def _in_head(suite: ParsedSuite) -> Iterator[Symbol]:
    root = suite.head.node or suite.document.root
    if root is None or suite.kind == "dataset":
        return
    found: list[Symbol] = []
    prompt = root.entries.get("prompt")
    if prompt is not None:
        value = prompt.value
        named = value.get("file") if isinstance(value, Mapping) else value
        span = Span(prompt.key.start, value.end)
        found.append(_symbol("prompt", _text(named), Kind.PROMPT, span, prompt.key.span))
    execution = root.get("execution")
    if isinstance(execution, Mapping):
        found += _evaluators(execution.get("evaluators"))
    place = suite.head_place
    yield from sorted((it.placed(place) for it in found), key=lambda it: it.span)


def is_nameless(case: ParsedCase) -> bool:
    """Whether a case has no id: a look for `ParsedSuite.case_index`."""
    return case.id is None or not case.id.text.strip()


def symbol_of_case(suite: ParsedSuite, number: int) -> Symbol:
    """Return a case with what stands in it, with places in its own text.

    Where it has no name its number is one.
    """
    case, piece = suite.cases[number], suite.document.cases[number]
    symbol = _SYMBOLS.of(case.content, _case, case, piece, suite)
    return symbol if symbol.name else replace(symbol, name=f"case {number + 1}")


_SYMBOLS: Cache[Symbol] = Cache()


def _case(case: ParsedCase, piece: Piece, suite: ParsedSuite) -> Symbol:
    """Return a case without its name where it has none; places count in the text of the case."""
    node = case.node or piece.node
    source = piece.content.text
    if suite.document.segmented:
        bare = source.rstrip()
        span = Span(min(len(source) - len(source.lstrip()), len(bare)), len(bare))
    else:
        span = node.span if node is not None else Span(0, 0)
    selection = Span(span.start, span.start)
    name, detail, children = "", "", list[Symbol]()
    if isinstance(node, Mapping):
        # Trailing comments stand before the next case, and are about it.
        span = Span(span.start, node.end) if not case.content.broken else span
        detail = _text(node.get("expected_outcome"))
        children = sorted(_in_case(node), key=lambda it: it.span)
        own = node.get("id")
        selection = _first_key(node) or selection
        if isinstance(own, Scalar) and own.text.strip():
            name, selection = own.text, own.span
    if not name and case.content.broken and suite.document.segmented:
        found = _ID.search(source)
        if found:
            name, selection = found[1].strip("\"' \t"), Span(*found.span(1))
    made = _symbol(name or "-", detail, Kind.CASE, span, selection, children)
    return (
        made
        if name
        else Symbol("", made.detail, made.kind, made.span, made.selection, made.children)
    )


def _in_case(node: Mapping) -> Iterator[Symbol]:
    for key in _INPUTS:
        yield from _messages(node, key, "user", "")
    for key in _EXPECTED:
        yield from _messages(node, key, "assistant", "expected ")
    yield from _rubrics(node.get("rubrics"))
    yield from _evaluators(node.get("evaluators"))
    execution = node.get("execution")
    if isinstance(execution, Mapping):
        yield from _evaluators(execution.get("evaluators"))


def _messages(node: Mapping, key: str, role: str, prefix: str) -> Iterator[Symbol]:
    entry = node.entries.get(key)
    if entry is None or entry.merged:
        return
    value = entry.value
    if isinstance(value, Scalar):
        span = Span(entry.key.start, max(entry.key.end, value.end))
        yield _symbol(prefix + role, value.text, Kind.MESSAGE, span, entry.key.span)
    elif isinstance(value, Sequence):
        for item in value.items:
            said = item.get("role") if isinstance(item, Mapping) else None
            if isinstance(item, Mapping) and isinstance(said, Scalar):
                name = prefix + (said.text or role)
                yield _symbol(name, _content(item), Kind.MESSAGE, item.span, said.span)


def _content(message: Mapping) -> str:
    content = message.get("content")
    if isinstance(content, Sequence):
        parts = (it.get("value") for it in content.items if isinstance(it, Mapping))
        return " ".join(_text(it) for it in parts)
    if content is None:
        calls = message.get("tool_calls")
        items = calls.items if isinstance(calls, Sequence) else []
        tools = (it.get("tool") for it in items if isinstance(it, Mapping))
        return ", ".join(f"{_text(it)}()" for it in tools)
    return _text(content)


def _rubrics(node: Node | None) -> Iterator[Symbol]:
    if not isinstance(node, Sequence):
        return
    mappings = {id(it.node): it for it in ParsedRubrics(node).items}
    for number, item in enumerate(node.items, 1):
        rubric = mappings.get(id(item))
        if rubric is not None:
            own = rubric.node.get("id")
            place = own.span if isinstance(own, Scalar) else _first_key(rubric.node)
            detail = _text(rubric.node.get("expected_outcome"))
            if "score_ranges" in rubric.node:
                detail = f"0 to {TOP}" + (f": {detail}" if detail else "")
            yield _symbol(rubric.id, detail, Kind.RUBRIC, item.span, place or item.span)
        elif isinstance(item, Scalar):
            yield _symbol(f"rubric-{number}", item.text, Kind.RUBRIC, item.span, item.span)


def _evaluators(node: Node | None) -> Iterator[Symbol]:
    if not isinstance(node, Sequence):
        return
    for entry in ParsedEvaluators(node).items:
        own = entry.name
        place = own.span if own is not None else _first_key(entry.node)
        name = own.text if own is not None else entry.type or ""
        weight = entry.node.get("weight")
        detail = (entry.type or "") if own is not None else ""
        if isinstance(weight, Scalar) and weight.text:
            detail = f"{detail}, weight {weight.text}".removeprefix(", ")
        inside = [
            *_rubrics(entry.node.get("rubrics")),
            *_evaluators(entry.node.get("evaluators")),
        ]
        yield _symbol(
            name, detail, Kind.EVALUATOR, entry.node.span, place or entry.node.span, inside
        )


def _target(target: ParsedTarget) -> Symbol:
    node = target.node
    place = target.name.span if target.name else _first_key(node)
    facts = (_text(node.get(key)) for key in ("provider", "model", "deployment"))
    detail = " ".join(it for it in facts if it)
    name = target.name.text if target.name else ""
    return _symbol(name, detail, Kind.TARGET, node.span, place or node.span)


def _first_key(node: Mapping | None) -> Span | None:
    """Return the place of a mapping's first key, which stands in its first line."""
    keys = (entry.key.span for _, entry in node or () if not entry.merged)
    return min(keys, default=None)


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _short(text: str) -> str:
    text = " ".join(text[: 4 * _LONGEST].split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
