"""The items of a completion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from suitecase.editor.completion.template import Part, Template
from suitecase.text.node import Span


class ItemKind(StrEnum):
    """The kind of an item, for its icon."""

    KEY = "key"
    WORD = "word"
    EVALUATOR = "evaluator"
    TARGET = "target"
    NAME = "name"
    NUMBER = "number"
    SCAFFOLD = "scaffold"
    FILE = "file"
    FOLDER = "folder"
    VARIABLE = "variable"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A completion item.

    Attributes:
        label: the text shown.
        kind: the kind of item.
        template: the text inserted, in place of the completion's span.
        detail: a short text after the label.
        documentation: Markdown that explains it.
        typed: the text to filter by, if it is not the label.
        rule: the code of its rule; the long documentation of rules is requested separately.
        span: the text it replaces, if it differs from the completion's.
    """

    label: str
    kind: ItemKind
    template: Template
    detail: str = ""
    documentation: str = ""
    typed: str = ""
    rule: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """The completions at an offset, the likeliest first.

    Attributes:
        items: the items.
        offset: the cursor.
        span: the text an item replaces: the word around the cursor.
        is_complete: False if there are more items.
    """

    items: tuple[Item, ...]
    offset: int
    span: Span
    is_complete: bool = True


def prefixed(item: Item, lead: Part) -> Item:
    """Return an item with a text before what it inserts."""
    return replace(item, template=(lead, *item.template))
