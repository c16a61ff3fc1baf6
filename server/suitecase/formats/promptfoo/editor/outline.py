"""The outline of a configuration or a list of tests: prompts, providers, defaults, tests with their assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from suitecase.editor.symbols import Kind, Outline, Symbol, first_key, make_symbol
from suitecase.formats.promptfoo.suite.parsed import (
    PromptfooFile,
    PromptfooHead,
    PromptfooTest,
    listed,
)
from suitecase.formats.promptfoo.suite.providers.providers import id_of
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

#: A test without a description is named by the values of so many variables.
_VALUES = 3
_SYMBOLS: Cache[Symbol | None] = Cache()


def outline_of(file: PromptfooFile) -> Outline:
    """Return the outline of a file."""

    def of_case(number: int) -> Symbol:
        symbol = _SYMBOLS.of(file.tests[number].content, _named_test, file.tests[number])
        return symbol or _test(file.tests[number], f"test {number + 1}")

    return Outline(file.document, _whole(file), of_case, file.case_index.numbers(_is_nameless))


def _whole(file: PromptfooFile) -> Symbol | None:
    document = file.document
    if not document.text.strip("\ufeff \t\r\n"):
        return None
    count = len(document.cases)
    counted = "1 test" if count == 1 else f"{count} tests"
    name, selection = ("tests" if file.kind == "tests" else "configuration"), Span(0, 0)
    description = file.head.get("description")
    if isinstance(description, Scalar) and description.text.strip():
        name, selection = description.text, document.head.absolute(description.span)
    elif document.list_key is not None:
        selection = document.head.absolute(document.list_key.span)
    in_head = [*_in_head(file.head)]
    tests = document.list_node
    if isinstance(tests, Scalar) and tests.text.strip():
        in_head.append(make_symbol(tests.text, "", Kind.CASE, tests.span, tests.span))
    children = [it.placed(document.head.absolute) for it in in_head]
    children.sort(key=lambda it: it.span)
    whole = Span(0, len(document.text))
    return make_symbol(name, counted if count else "", Kind.SUITE, whole, selection, children)


def _in_head(head: PromptfooHead) -> Iterator[Symbol]:
    for key, kind, named in (
        ("prompts", Kind.PROMPT, _prompt),
        ("providers", Kind.TARGET, _provider),
        ("targets", Kind.TARGET, _provider),
    ):
        value = head.get(key)
        yield from _entries(value, kind, named)
    body = head.default_test
    if body is not None and head.node is not None:
        name = head.reading.key("defaultTest")
        key_node = head.node.key(name)
        span = body.node.span if key_node is None else Span(key_node.start, body.node.end)
        place = key_node.span if key_node is not None else span
        children = [*_assertions(body.node.get("assert"))]
        yield make_symbol(name, "", Kind.DEFAULTS, span, place, children)


_Named = Callable[[Node], tuple[str, str, Scalar | None]]


def _entries(value: Node | None, kind: Kind, named: _Named) -> Iterator[Symbol]:
    for item in listed(value):
        name, detail, place = named(item)
        if not name.strip():
            continue
        yield make_symbol(name, detail, kind, item.span, place.span if place else item.span)


def _prompt(item: Node) -> tuple[str, str, Scalar | None]:
    if isinstance(item, Scalar):
        return item.text, "", item
    if not isinstance(item, Mapping):
        return "", "", None
    label, raw = (_scalar(item, it) for it in ("label", "raw"))
    own = _scalar(item, "id")
    place = label or own or raw
    detail = raw or (own if place is not own else None)
    name = place.text if place is not None else ""
    return name, detail.text if detail is not None and detail is not place else "", place


def _provider(item: Node) -> tuple[str, str, Scalar | None]:
    written = id_of(item)
    label = _scalar(item, "label") if isinstance(item, Mapping) else None
    if written is not None and written[1] is not None:
        label = label or _scalar(written[1], "label")
    if written is None:
        return (label.text, "", label) if label is not None else ("", "", None)
    name = written[0]
    return (label.text, name.text, label) if label is not None else (name.text, "", name)


def _scalar(node: Mapping, key: str) -> Scalar | None:
    found = node.get(key)
    return found if isinstance(found, Scalar) and found.text.strip() else None


def _is_nameless(test: PromptfooTest) -> bool:
    return _SYMBOLS.of(test.content, _named_test, test) is None


def _named_test(test: PromptfooTest) -> Symbol | None:
    """Return the symbol of a test that has a name; None if only its number tells it apart."""
    name = _name(test)
    return _test(test, name) if name else None


def _name(test: PromptfooTest) -> str:
    if test.file_name is not None:
        return test.file_name.text
    if test.node is None:
        return ""
    path = _scalar(test.node, "path")
    return test.description.strip() or _values(test.node) or (path.text if path else "")


def _values(test: Mapping) -> str:
    given = test.get("vars")
    if isinstance(given, Scalar):
        return given.text
    if not isinstance(given, Mapping):
        return ""
    values = (value.text for _, (_, value, _) in given if isinstance(value, Scalar))
    return ", ".join([value for value in values if value.strip()][:_VALUES])


def _test(test: PromptfooTest, name: str) -> Symbol:
    source = test.source
    node = test.content.node
    bare = source.rstrip()
    span = Span(min(len(source) - len(source.lstrip()), len(bare)), len(bare))
    selection, detail, children = Span(span.start, span.start), "", list[Symbol]()
    if node is not None:
        span = node.span if not test.content.broken else span
        selection = node.span
    if isinstance(node, Mapping):
        description = _scalar(node, "description")
        selection = (description.span if description else first_key(node)) or selection
        detail = _values(node) if description is not None else ""
        children = [*_assertions(node.get("assert"))]
    return make_symbol(name, detail, Kind.CASE, span, selection, children)


def _assertions(node: Node | None) -> Iterator[Symbol]:
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Scalar):
            yield make_symbol(item.text, "", Kind.EVALUATOR, item.span, item.span)
        if not isinstance(item, Mapping):
            continue
        metric, kind, value = (_scalar(item, it) for it in ("metric", "type", "value"))
        place = metric or kind
        name = place.text if place is not None else "assertion"
        facts = [kind if metric is not None else None, value]
        detail = ": ".join(fact.text for fact in facts if fact is not None)
        own = place.span if place is not None else first_key(item) or item.span
        inside = [*_assertions(item.get("assert"))]
        yield make_symbol(name, detail, Kind.EVALUATOR, item.span, own, inside)
