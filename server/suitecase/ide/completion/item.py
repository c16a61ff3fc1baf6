"""What is offered at a cursor."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from suitecase.ide.completion.template import Template
from suitecase.syntax.node import Span


class ItemKind(StrEnum):
    """What an item is, for the sign an editor shows before it."""

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
    """Something to write.

    Attributes:
        label: what is shown.
        kind: what it is.
        template: what is written, in the place of the completion's span.
        detail: a few words behind the label.
        documentation: Markdown that says what it means.
        typed: what a person types to find it, where that is not the label.
        rule: the code of the rule it names; its documentation is long, and asked for apart.
        span: what is replaced, where that is not what the completion says.
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
    """What may be written at an offset, the likeliest first.

    Attributes:
        items: what is offered.
        offset: where the cursor is.
        span: what an item replaces: the word around the cursor.
        is_complete: False where there is more than is offered.
    """

    items: tuple[Item, ...]
    offset: int
    span: Span
    is_complete: bool = True
