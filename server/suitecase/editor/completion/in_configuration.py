"""Completion in a configuration: settings, their values, and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args, get_origin

from pydantic import BaseModel

from suitecase.checking.rules import all_rules
from suitecase.editor.completion.cursor import line_end, line_start
from suitecase.editor.completion.item import Completion, Item, ItemKind
from suitecase.editor.completion.skeletons import choices, fields_of
from suitecase.editor.completion.suppressions import rule_item
from suitecase.editor.completion.template import Break, Stop, Template
from suitecase.editor.hover.keys import meaning_of
from suitecase.format.configuration import PROJECT_FILE, TABLE
from suitecase.format.rule import Rule
from suitecase.format.settings import Configuration
from suitecase.schema.fields import Field, alternatives
from suitecase.text.node import Span

_HEADER = re.compile(r"^[ \t]*\[([^\[\]\r\n]+)\][ \t]*(?:#.*)?$", re.MULTILINE)
_BEGUN_HEADER = re.compile(r"[ \t]*\[([\w. \"-]*)\Z")
_BEGUN_KEY = re.compile(r"[ \t]*([\w-]*)\Z")
_KEY = re.compile(r"^[ \t]*([\w-]+|\"[^\"\r\n]*\")[ \t]*=[ \t]*", re.MULTILINE)
_WORD = re.compile(r"[\w-]*")
_QUOTED = re.compile(r"(['\"])([\w-]*)\Z")
_BARE = re.compile(r"(?:[=\[,][ \t]*|^[ \t]*)()\Z")
#: Settings that are lists of rules, or tables of such lists.
_RULE_LISTS = ("select", "ignore", "per-file-ignores")
_LEVELS = "severity"


@dataclass(frozen=True, slots=True)
class _Table:
    """The table of a configuration around a cursor: its name within ours, and its keys."""

    name: str
    present: frozenset[str]


def complete_in_configuration(path: Path, text: str, offset: int) -> Completion:
    """Return the completions at an offset of a `suitecase.toml` or a `pyproject.toml`."""
    prefix = f"{'.'.join(TABLE)}." if path.name == PROJECT_FILE else ""
    line = text[line_start(text, offset) : offset]
    header = _BEGUN_HEADER.fullmatch(line)
    span = Span(offset, offset)
    if header is not None and not _open_list(text, offset):
        end = _word_end(text, offset)
        word = Span(offset - len(header[1]), end)
        closing = "" if text.startswith("]", end) else "]"
        return Completion(tuple(_headers(prefix, text, closing)), offset, word)
    table = _table(text, offset, prefix)
    if table is None:
        return Completion((), offset, span)
    key = _BEGUN_KEY.fullmatch(line)
    if key is not None and not _open_list(text, offset):
        word = Span(offset - len(key[1]), _word_end(text, offset))
        has_value = re.match(r"[ \t]*=", text[word.end :]) is not None
        return Completion(tuple(_keys(table, has_value, prefix, text)), offset, word)
    return Completion(tuple(_values(table, text, offset)), offset, span)


def _fields(table: _Table) -> dict[str, Field]:
    """Return the settings of a table; empty if its keys are free."""
    if not table.name:
        return fields_of(Configuration)
    field = fields_of(Configuration).get(table.name)
    model = _model(field) if field is not None else None
    return fields_of(model) if model is not None else {}


def _model(field: Field) -> type[BaseModel] | None:
    kinds = alternatives(field.info.annotation)
    return next(
        (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None
    )


def _is_table(field: Field) -> bool:
    kinds = list(alternatives(field.info.annotation))
    return _model(field) is not None or any(get_origin(kind) is dict for kind in kinds)


def _table(text: str, offset: int, prefix: str) -> _Table | None:
    """Return our table that a cursor is in; None if it is in another tool's."""
    headers = list(_HEADER.finditer(text))
    above = [header for header in headers if header.end() < offset]
    name = above[-1][1].strip() if above else ""
    start = above[-1].end() if above else 0
    end = next((header.start() for header in headers if header.start() >= offset), len(text))
    present = frozenset(match[1].strip('"') for match in _KEY.finditer(text, start, end))
    if not prefix:
        return _Table(name, present)
    if name == prefix.rstrip("."):
        return _Table("", present)
    return _Table(name.removeprefix(prefix), present) if name.startswith(prefix) else None


def _headers(prefix: str, text: str, closing: str) -> Iterator[Item]:
    existing = {match[1].strip() for match in _HEADER.finditer(text)}
    if prefix and prefix.rstrip(".") not in existing:
        yield Item(
            label=prefix.rstrip("."),
            kind=ItemKind.KEY,
            template=(f"{prefix.rstrip('.')}{closing}",),
            documentation=Configuration.__doc__ or "",
        )
    for field in fields_of(Configuration).values():
        if _is_table(field) and f"{prefix}{field.name}" not in existing:
            yield Item(
                label=f"{prefix}{field.name}",
                kind=ItemKind.KEY,
                template=(f"{prefix}{field.name}{closing}",),
                documentation=meaning_of(field),
            )


def _keys(table: _Table, has_value: bool, prefix: str, text: str) -> Iterator[Item]:
    if table.name == _LEVELS:
        levels: Template = ("", Stop(choices=("error", "warning", "info")))
        for rule in _silenceable():
            if not {rule.code, rule.name} & table.present:
                rest = () if has_value else (' = "', *levels, '"')
                yield replace(rule_item(rule), template=(rule.code, *rest))
        return
    if table.name == "per-file-ignores":
        if not has_value:
            yield Item(
                label='"pattern" = […]',
                kind=ItemKind.SCAFFOLD,
                template=('"', Stop("tests/**"), '" = ["', Stop(), '"]'),
                detail="rules ignored in some files",
            )
        return
    existing = {match[1].strip() for match in _HEADER.finditer(text)}
    for field in _fields(table).values():
        if field.name in table.present:
            continue
        if _is_table(field):
            if f"{prefix}{field.name}" in existing or has_value or table.name:
                continue
            template: Template = (f"[{prefix}{field.name}]", Break(0), Stop())
        else:
            template = (field.name,) if has_value else (f"{field.name} = ", *_value(field))
        yield Item(
            label=field.name,
            kind=ItemKind.KEY,
            template=template,
            detail=field.expected,
            documentation=meaning_of(field),
        )


def _value(field: Field) -> Template:
    words = choices(field)
    if words:
        return ('"', Stop(choices=words), '"')
    kinds = list(alternatives(field.info.annotation))
    if any(get_origin(kind) is list for kind in kinds):
        return ('["', Stop(), '"]')
    if str in kinds:
        return ('"', Stop(), '"')
    return (Stop(str(field.info.default)),)


def _values(table: _Table, text: str, offset: int) -> Iterator[Item]:
    """Yield the values of a setting, with quotes if there are none yet."""
    above = text[:offset]
    keys = list(_KEY.finditer(above))
    if not keys:
        return
    name = keys[-1][1].strip('"')
    line = above[max(line_start(text, offset), keys[-1].end()) :]
    quoted = _QUOTED.search(line)
    bare = re.search(r"(?<![\w-])([\w-]*+)\Z", line)
    if quoted is None and _is_in_quotes(line):
        return
    prefix_length = len(quoted[2]) if quoted else len(bare[1]) if bare else 0
    span = Span(offset - prefix_length, _word_end(text, offset))
    quote = "" if quoted else '"'

    def quoted_word(word: str) -> str:
        closing = quoted[1] if quoted and not text.startswith(quoted[1], span.end) else quote
        return f"{quote}{word}{closing}"

    if table.name == "per-file-ignores" or (not table.name and name in _RULE_LISTS):
        for rule in all_rules() if name == "select" and not table.name else _silenceable():
            yield replace(rule_item(rule, quoted_word(rule.code)), span=span)
        return
    field = fields_of(Configuration).get(_LEVELS) if table.name == _LEVELS else None
    field = field or _fields(table).get(name)
    if field is None:
        return
    words = choices(field)
    if table.name == _LEVELS:
        kinds = alternatives(field.info.annotation)
        words = tuple(get_args(get_args(next(kinds))[1]))
    for word in words:
        yield Item(label=word, kind=ItemKind.WORD, template=(quoted_word(word),), span=span)


def _silenceable() -> Iterator[Rule]:
    """Yield the rules that a setting can disable or make less than an error."""
    yield from (rule for rule in all_rules() if not rule.cannot_be_silenced)


def _open_list(text: str, offset: int) -> bool:
    """Whether a cursor is in a list that began on an earlier line."""
    keys = list(_KEY.finditer(text, 0, offset))
    if not keys:
        return False
    value = re.sub(r"\"[^\"\r\n]*\"|'[^'\r\n]*'|#[^\r\n]*", "", text[keys[-1].end() : offset])
    return value.startswith("[") and value.count("[") > value.count("]")


def _is_in_quotes(line: str) -> bool:
    bare = re.sub(r"\"[^\"\r\n]*\"|'[^'\r\n]*'", "", line)
    return '"' in bare or "'" in bare


def _word_end(text: str, offset: int) -> int:
    match = _WORD.match(text, offset)
    return match.end() if match else min(offset, line_end(text, offset))
