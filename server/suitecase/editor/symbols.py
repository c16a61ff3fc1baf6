"""The outline of a document: a suite with its cases and their parts, or targets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from suitecase.format.target_files import ParsedTarget, ParsedTargets
from suitecase.formats.suitecase.elements import ParsedEvaluators, ParsedRubrics
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.document import Document, Piece
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.answers.rubric import TOP

#: The maximum length of names and details.
_LONGEST = 60
#: The id of a case that does not parse.
_ID = re.compile(r"(?:^|[-{,\s])(?:\"id\"|id)[ \t]*:[ \t]+(\"[^\"\r\n]+\"|[^\s#,}][^\r\n#,}]*)")
_INPUTS = ("input_messages", "input")
_EXPECTED = ("expected_messages", "expected_output")


class Kind(StrEnum):
    """The kind of a symbol."""

    SUITE = "suite"
    CASE = "case"
    MESSAGE = "message"
    RUBRIC = "rubric"
    EVALUATOR = "evaluator"
    TARGET = "target"
    PROMPT = "prompt"
    #: What holds for every case.
    DEFAULTS = "defaults"
    GATE = "gate"
    SLICE = "slice"
    METRIC = "metric"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named element. `selection` is the span of its name, within `span`."""

    name: str
    detail: str
    kind: Kind
    span: Span
    selection: Span
    children: tuple[Symbol, ...] = ()

    def placed(self, place: Callable[[Span], Span]) -> Symbol:
        """Return the symbol with its spans mapped."""
        return Symbol(
            self.name,
            self.detail,
            self.kind,
            place(self.span),
            place(self.selection),
            tuple(child.placed(place) for child in self.children),
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of a document with cases.

    Attributes:
        document: the document.
        whole: the root symbol without the cases; None if the document is empty.
        of_case: returns the symbol of a case by its number, with spans in its own text.
        numbered: the cases that are named by their number.
    """

    document: Document
    whole: Symbol | None
    of_case: Callable[[int], Symbol]
    numbered: Sequence[int]

    def symbols(self) -> list[Symbol]:
        """Return the root symbol with the cases."""
        whole = self.whole
        if whole is None:
            return []
        cases = [
            self.of_case(number).placed(piece.absolute)
            for number, piece in enumerate(self.document.cases)
        ]
        children = [*whole.children, *cases]
        name, detail = whole.name, whole.detail
        return [make_symbol(name, detail, Kind.SUITE, whole.span, whole.selection, children)]


def outline_of(suite: ParsedSuite) -> Outline:
    """Return the outline of a suite."""
    return Outline(
        suite.document,
        symbol_of_all(suite),
        lambda number: symbol_of_case(suite, number),
        suite.case_index.numbers(is_nameless),
    )


def symbols(parsed: ParsedSuite | ParsedTargets) -> list[Symbol]:
    """Return the outline of a document, as far as it parses: one root symbol."""
    if isinstance(parsed, ParsedSuite):
        return outline_of(parsed).symbols()
    whole = symbol_of_all(parsed)
    return [whole] if whole is not None else []


def symbol_of_all(parsed: ParsedSuite | ParsedTargets) -> Symbol | None:
    """Return the root symbol without the cases; None if the document is empty."""
    document = parsed.document
    if not document.text.strip("\ufeff \t\r\n"):
        return None
    if isinstance(parsed, ParsedTargets):
        children = [_target(item) for item in parsed.items]
        name, detail, selection = "targets", "", first_key(parsed.node)
    else:
        children = [*_in_head(parsed)]
        name, detail, selection = _suite_name(parsed)
    selection = selection or Span(0, 0)
    return make_symbol(name, detail, Kind.SUITE, Span(0, len(document.text)), selection, children)


def make_symbol(
    name: str,
    detail: str,
    kind: Kind,
    span: Span,
    selection: Span,
    children: list[Symbol] | None = None,
) -> Symbol:
    """Create a symbol that spans all its parts, including those of legacy syntax."""
    parts = [selection, *(child.span for child in children or ())]
    span = Span(
        min(span.start, *(part.start for part in parts)),
        max(span.end, *(part.end for part in parts)),
    )
    return Symbol(
        shortened(name) or f"({kind.value} without a name)",
        shortened(detail),
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
    result: list[Symbol] = []
    prompt = root.entries.get("prompt")
    if prompt is not None:
        value = prompt.value
        file_name = value.get("file") if isinstance(value, Mapping) else value
        span = Span(prompt.key.start, value.end)
        result.append(make_symbol("prompt", _text(file_name), Kind.PROMPT, span, prompt.key.span))
    execution = root.get("execution")
    if isinstance(execution, Mapping):
        result += _evaluators(execution.get("evaluators"))
    result += _gates(root.get("gates"))
    for key, kind in (("slices", Kind.SLICE), ("metrics", Kind.METRIC)):
        result += _named(root.get(key), kind)
    place = suite.head_place
    yield from sorted((it.placed(place) for it in result), key=lambda it: it.span)


def _gates(node: Node | None) -> Iterator[Symbol]:
    for item in node.items if isinstance(node, Listed) else ():
        gate = item.get("gate") if isinstance(item, Mapping) else item
        if isinstance(gate, Scalar) and gate.text.strip():
            level = _text(item.get("level")) if isinstance(item, Mapping) else ""
            yield make_symbol(gate.text, level, Kind.GATE, item.span, gate.span)


def _named(node: Node | None, kind: Kind) -> Iterator[Symbol]:
    for name, entry in node if isinstance(node, Mapping) else ():
        value = entry.value
        if entry.merged:
            continue
        detail = _text(value.get("description") if isinstance(value, Mapping) else value)
        span = Span(entry.key.start, max(entry.key.end, value.end))
        yield make_symbol(name, detail, kind, span, entry.key.span)


def is_nameless(case: ParsedCase) -> bool:
    """Whether a case has no id; a predicate for `ParsedSuite.case_index`."""
    return case.id is None or not case.id.text.strip()


def symbol_of_case(suite: ParsedSuite, number: int) -> Symbol:
    """Return the symbol of a case and its parts, with spans in its own text.

    A case without an id is named by its number.
    """
    case, piece = suite.cases[number], suite.document.cases[number]
    symbol = _SYMBOLS.of(case.content, _case, case, piece, suite)
    return symbol if symbol.name else replace(symbol, name=f"case {number + 1}")


_SYMBOLS: Cache[Symbol] = Cache()


def _case(case: ParsedCase, piece: Piece, suite: ParsedSuite) -> Symbol:
    """Return the symbol of a case, with an empty name if it has no id; spans are in its own text."""
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
        # Comments at the end of a case precede the next case, and are about that one.
        span = Span(span.start, node.end) if not case.content.broken else span
        detail = _text(node.get("expected_outcome"))
        children = sorted(_in_case(node), key=lambda it: it.span)
        own = node.get("id")
        selection = first_key(node) or selection
        if isinstance(own, Scalar) and own.text.strip():
            name, selection = own.text, own.span
    if not name and case.content.broken and suite.document.segmented:
        id_match = _ID.search(source)
        if id_match:
            name, selection = id_match[1].strip("\"' \t"), Span(*id_match.span(1))
    symbol = make_symbol(name or "-", detail, Kind.CASE, span, selection, children)
    return (
        symbol
        if name
        else Symbol("", symbol.detail, symbol.kind, symbol.span, symbol.selection, symbol.children)
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
        yield make_symbol(prefix + role, value.text, Kind.MESSAGE, span, entry.key.span)
    elif isinstance(value, Listed):
        for item in value.items:
            role_node = item.get("role") if isinstance(item, Mapping) else None
            if isinstance(item, Mapping) and isinstance(role_node, Scalar):
                name = prefix + (role_node.text or role)
                yield make_symbol(name, _content(item), Kind.MESSAGE, item.span, role_node.span)


def _content(message: Mapping) -> str:
    content = message.get("content")
    if isinstance(content, Listed):
        parts = (item.get("value") for item in content.items if isinstance(item, Mapping))
        return " ".join(_text(part) for part in parts)
    if content is None:
        calls = message.get("tool_calls")
        items = calls.items if isinstance(calls, Listed) else []
        tools = (item.get("tool") for item in items if isinstance(item, Mapping))
        return ", ".join(f"{_text(tool)}()" for tool in tools)
    return _text(content)


def _rubrics(node: Node | None) -> Iterator[Symbol]:
    if not isinstance(node, Listed):
        return
    mappings = {id(it.node): it for it in ParsedRubrics(node).items}
    for number, item in enumerate(node.items, 1):
        rubric = mappings.get(id(item))
        if rubric is not None:
            own = rubric.node.get("id")
            place = own.span if isinstance(own, Scalar) else first_key(rubric.node)
            detail = _text(rubric.node.get("expected_outcome"))
            if "score_ranges" in rubric.node:
                detail = f"0 to {TOP}" + (f": {detail}" if detail else "")
            yield make_symbol(rubric.id, detail, Kind.RUBRIC, item.span, place or item.span)
        elif isinstance(item, Scalar):
            yield make_symbol(f"rubric-{number}", item.text, Kind.RUBRIC, item.span, item.span)


def _evaluators(node: Node | None) -> Iterator[Symbol]:
    if not isinstance(node, Listed):
        return
    for entry in ParsedEvaluators(node).items:
        own = entry.name
        place = own.span if own is not None else first_key(entry.node)
        name = own.text if own is not None else entry.type or ""
        weight = entry.node.get("weight")
        detail = (entry.type or "") if own is not None else ""
        if isinstance(weight, Scalar) and weight.text:
            detail = f"{detail}, weight {weight.text}".removeprefix(", ")
        inside = [
            *_rubrics(entry.node.get("rubrics")),
            *_evaluators(entry.node.get("evaluators")),
        ]
        yield make_symbol(
            name, detail, Kind.EVALUATOR, entry.node.span, place or entry.node.span, inside
        )


def _target(target: ParsedTarget) -> Symbol:
    node = target.node
    place = target.name.span if target.name else first_key(node)
    facts = (_text(node.get(key)) for key in ("provider", "model", "deployment"))
    detail = " ".join(fact for fact in facts if fact)
    name = target.name.text if target.name else ""
    return make_symbol(name, detail, Kind.TARGET, node.span, place or node.span)


def first_key(node: Mapping | None) -> Span | None:
    """Return the span of a mapping's first key, which is on its first line."""
    keys = (entry.key.span for _, entry in node or () if not entry.merged)
    return min(keys, default=None)


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def shortened(text: str) -> str:
    text = " ".join(text[: 4 * _LONGEST].split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
