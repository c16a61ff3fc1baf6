"""Completion in a JSON Schema, written as YAML or as JSON in a string."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.cursor import line_end, line_start, mark_in, read_at
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Break, Stop, Template
from suitecase.editor.hover.schemas import meaning_of_keyword
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.editor.schema_place import draft_at, node_at, schema_at, texts_of
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.schema.drafts import DRAFTS
from suitecase_evaluators.schema.formats import FORMATS
from suitecase_evaluators.schema.keywords import KEYWORDS, TYPES, Keyword
from suitecase_evaluators.schema.walk import Path, stands_for

#: The part of a JSON word before a cursor, and the part after it.
_BEFORE = re.compile(r"(?<![\w$#/.:-])[\w$#/.:-]*+\Z")
_BEHIND = re.compile(r"[\w$#/.:-]*")
#: Keywords for authors of metaschemas and vocabularies.
_RARE = frozenset({"$vocabulary", "$dynamicRef", "$dynamicAnchor", "$recursiveAnchor", "$anchor"})
#: Keywords whose subschemas apply to the same value.
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cursor:
    """The position of a cursor in a schema.

    Attributes:
        schema: the whole schema.
        path: the path to the key or value, or to what begins here.
        on_key: whether it is a key of an existing mapping.
        beside: the mapping around a key.
        present: the keys of that mapping.
        style: the quote around it.
        is_json: whether keys and strings are in double quotes.
        flow: whether it is in braces or brackets.
        column: the column of a key.
        steps: the indentation of mappings and lists.
        has_colon: whether a colon follows a key.
        followed: whether a value follows it.
        span: the text to replace, if it is more than the word.
    """

    schema: Node
    path: Path
    on_key: bool
    beside: Mapping | None
    present: frozenset[str]
    style: str
    is_json: bool
    flow: bool
    column: int = 0
    steps: tuple[int, int] = (2, 2)
    has_colon: bool = False
    followed: bool = False
    span: Span | None = None


def schema_keys(context: Context) -> Iterator[Item]:
    """Yield the keywords or property names that can be keys at a cursor."""
    cursor = _in_yaml(context)
    if cursor is not None:
        yield from _keys(cursor)


def schema_words(context: Context) -> Iterator[Item]:
    """Yield the values in a schema: types, formats, names, references."""
    cursor = _in_yaml(context) if context.shape != "key" else None
    if cursor is not None:
        yield from _words(cursor)


def in_schema_text(context: Context) -> list[Item] | None:
    """Return the completions in a schema that is JSON in a string; None outside one.

    Nothing is offered in double-quoted YAML, where every quote of the JSON is escaped.
    """
    if context.shape == "key" or context.style not in ("|", ">", "'"):
        return None
    if schema_at(context.model, context.root, context.path) != context.path:
        return None
    node = context.node_at(context.path)
    mark = mark_in(node.text, context.text) if isinstance(node, Scalar) else None
    if mark is None or not isinstance(node, Scalar):
        return None
    at = node.text.index(mark)
    marked = read_at(node.text.replace(mark, ""), at)
    if marked is None or marked.lead:
        return []
    location = marked.at
    beside = location.parent if isinstance(location.parent, Mapping) else None
    span, opened = _json_word(context)
    rest_of_line = context.text[span.end : line_end(context.text, context.offset)]
    cursor = _Cursor(
        schema=marked.root,
        path=location.path,
        on_key=location.is_key,
        beside=beside if location.is_key else None,
        present=frozenset(entry for entry in beside.entries if marked.mark not in entry)
        if beside
        else frozenset(),
        style='"' if opened else "",
        is_json=True,
        flow=True,
        has_colon=location.is_key and rest_of_line.lstrip().startswith(":"),
        span=span,
    )
    return [*(_keys(cursor) if location.is_key else _words(cursor))]


def _json_word(context: Context) -> tuple[Span, bool]:
    """Return the JSON word around a cursor with its quotes, and whether a quote is open before it."""
    line = context.text[line_start(context.text, context.offset) : context.offset]
    word = _BEFORE.search(line)
    start = context.offset - (len(word[0]) if word else 0)
    opened = context.text[start - 1 : start] == '"' and line.count('"') % 2 == 1
    rest_of_word = _BEHIND.match(context.text, context.offset)
    end = rest_of_word.end() if rest_of_word else context.offset
    if opened:
        return Span(start - 1, end + context.text.startswith('"', end)), True
    return Span(start, end), False


def _in_yaml(context: Context) -> _Cursor | None:
    on_key = context.shape == "key"
    start = schema_at(context.model, context.root, context.holder if on_key else context.path)
    if start is None:
        return None
    schema = context.node_at(start)
    span = None
    if context.style in ("'", '"'):
        closed = context.text.startswith(context.style, context.span.end)
        span = Span(context.span.start - 1, context.span.end + closed)
    return _Cursor(
        schema=schema if schema is not None else Mapping(0, 0, {}, flow=False),
        path=context.path[len(start) :],
        on_key=on_key,
        beside=context.parent if on_key and isinstance(context.parent, Mapping) else None,
        present=context.present if on_key else frozenset(),
        style=context.style,
        is_json=context.layout.quotes_keys,
        flow=context.flow,
        column=context.column,
        steps=(context.layout.step, context.layout.dash_step),
        has_colon=context.has_colon,
        followed=context.followed,
        span=span,
    )


def _keys(cursor: _Cursor) -> Iterator[Item]:
    holder = cursor.path[:-1] if cursor.on_key else cursor.path
    match stands_for(holder):
        case "names" if holder[-1:] == ("properties",):
            owner = node_at(cursor.schema, holder[:-1])
            required = owner.get("required") if isinstance(owner, Mapping) else None
            for name in texts_of(required):
                if name not in cursor.present:
                    yield _key(name, _value(KEYWORDS["not"], cursor), cursor, detail="required")
        case "schema":
            for keyword in _useful_keywords(cursor, is_root=not holder):
                value = _value(keyword, cursor)
                documentation = meaning_of_keyword(keyword)
                yield _key(
                    keyword.name, value, cursor, detail=keyword.takes, documentation=documentation
                )


def _useful_keywords(cursor: _Cursor, *, is_root: bool) -> Iterator[Keyword]:
    """Yield the keywords that are useful beside the existing ones, the likeliest first."""
    draft = draft_at(cursor.schema)
    types = (
        {text for text in texts_of(cursor.beside.get("type")) if text in TYPES}
        if cursor.beside
        else set()
    )
    offered = [
        keyword
        for keyword in KEYWORDS.values()
        if keyword.name not in cursor.present
        and keyword.name not in _RARE
        and keyword.holds_in(draft)
        and (keyword.name != "$schema" or is_root)
        and (
            keyword.name == "if"
            or not keyword.beside
            or not cursor.present.isdisjoint(keyword.beside)
        )
        and not (types and keyword.types and types.isdisjoint(keyword.types))
        and not (draft <= 7 and keyword.checks and "$ref" in cursor.present)
        and not (keyword.name == "definitions" and draft >= 2019)
    ]
    of_type = [it for it in offered if types and it.types]
    yield from (*of_type, *(it for it in offered if it not in of_type))


def _key(
    name: str, value: Template, cursor: _Cursor, *, detail: str, documentation: str = ""
) -> Item:
    style = '"' if cursor.is_json else cursor.style if cursor.on_key else ""
    quoted = spelled(name, style, is_json=cursor.is_json) or name
    after = () if cursor.has_colon else (":",) if cursor.followed else value
    return Item(
        label=name,
        kind=ItemKind.KEY,
        template=(quoted, *after),
        detail=detail,
        documentation=documentation,
        typed=f"{cursor.style}{name}" if cursor.style else "",
        span=cursor.span,
    )


def _value(keyword: Keyword, cursor: _Cursor) -> Template:
    """Return the colon after a keyword and the initial text of its value."""
    quote = '"' if cursor.is_json else ""
    if "`false`" in keyword.takes:
        return (": ", "true" if keyword.holds == "values" else "false")
    match keyword.holds:
        case "schemas":
            if cursor.flow:
                return (": [{", Stop(), "}]")
            return (":", Break(cursor.column + cursor.steps[1]), "- ", Stop())
        case "schema" | "schemas by name" | "schema or schemas":
            if cursor.flow:
                return (": {", Stop(), "}")
            return (":", Break(cursor.column + cursor.steps[0]), Stop())
        case _:
            pass
    if keyword.takes.startswith("a list"):
        return (": [", Stop(), "]")
    if keyword.name == "$ref":
        return (': "', Stop(), '"')
    is_text = "number" not in keyword.takes and keyword.takes != "a value"
    return (": ", quote, Stop(), quote) if is_text and quote else (": ", Stop())


def _words(cursor: _Cursor) -> Iterator[Item]:
    path = cursor.path
    if not path:
        return
    in_list = isinstance(path[-1], int)
    name = str(next((it for it in reversed(path) if isinstance(it, str)), ""))
    holder = path[:-2] if in_list else path[:-1]
    by_name = in_list and path[-3:-2] == ("dependentRequired",)
    if stands_for(path[:-3] if by_name else holder) != "schema":
        return
    owner = node_at(cursor.schema, path[:-3] if by_name else holder)
    beside = owner if isinstance(owner, Mapping) else Mapping(0, 0, {}, flow=False)
    taken = set(texts_of(beside.get(name))) if in_list else set()
    if by_name or (name == "required" and in_list):
        properties = beside.get("properties")
        names = properties.entries if isinstance(properties, Mapping) else ()
        yield from (_word(it, "property", "", cursor) for it in names if it not in taken)
    elif name == "type":
        fitting = _types_beside(beside) if not in_list else TYPES
        for type_name in fitting:
            if type_name not in taken:
                yield _word(type_name, "type", TYPES[type_name], cursor)
    elif in_list:
        return
    elif name == "format":
        yield from (
            _word(it, "format", format_info.meaning, cursor) for it, format_info in FORMATS.items()
        )
    elif name == "$ref":
        for reference in _references(cursor.schema, path[:-1]):
            yield _word(reference, "reference", "", cursor)
    elif name == "$schema" and not holder:
        for uri, draft in DRAFTS.items():
            yield _word(f"{uri}#" if draft <= 7 else uri, "draft", "", cursor)
    elif name in KEYWORDS and "`false`" in KEYWORDS[name].takes and not cursor.style:
        yield from (
            Item(label=it, kind=ItemKind.WORD, template=(it,), span=cursor.span)
            for it in ("true", "false")
        )


def _types_beside(owner: Mapping) -> Iterable[str]:
    """Return the types that the other keywords of a schema apply to."""
    typed = [
        set(KEYWORDS[entry].types)
        for entry in owner.entries
        if entry in KEYWORDS and KEYWORDS[entry].types
    ]
    return [kind for kind in TYPES if all(kind in types for types in typed)] or list(TYPES)


def _references(schema: Node, holder: Path) -> Iterator[str]:
    """Yield references to definitions, except those that would recurse endlessly."""
    for keyword in ("$defs", "definitions"):
        defined = schema.get(keyword) if isinstance(schema, Mapping) else None
        for name in defined.entries if isinstance(defined, Mapping) else ():
            inside = holder[:2] == (keyword, name)
            if inside and all(isinstance(it, int) or it in _IN_PLACE for it in holder[2:]):
                continue
            yield f"#/{keyword}/{name.replace('~', '~0').replace('/', '~1')}"


def _word(name: str, detail: str, documentation: str, cursor: _Cursor) -> Item:
    style = '"' if cursor.is_json else cursor.style
    if not style and name in ("null", "true", "false"):
        style = '"'
    quoted = spelled(name, style, is_json=cursor.is_json) or name
    return Item(
        label=name,
        kind=ItemKind.NAME if detail in ("property", "reference") else ItemKind.WORD,
        template=(quoted,),
        detail=detail,
        documentation=documentation,
        typed=f"{cursor.style}{name}" if cursor.style else "",
        span=cursor.span,
    )
