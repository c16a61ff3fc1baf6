"""The result of composing a text: its tree, and the errors of the text as YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suitecase.text.node import Node, Span

ProblemKind = Literal[
    "syntax",
    "json",
    "duplicate_key",
    "alias",
    "limit",
    "document",
    "key",
    "template",
    "merge",
    "tag",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in the text as YAML. `other` is a related second place."""

    kind: ProblemKind
    span: Span
    message: str
    other: Span | None = None


@dataclass(frozen=True, slots=True)
class AnchorName:
    """The name of an anchor, at its definition or in an alias.

    `number` counts the anchors of a text: a name may be defined again, and an alias refers to the
    last definition before it. None for an alias of an unknown anchor.
    """

    name: str
    span: Span
    number: int | None
    defines: bool


@dataclass(slots=True)
class Composed:
    """The tree of a text.

    `broken` is whether the text did not parse to its end: the tree has what is before the error.
    `open_ended` is whether it was only incomplete, so that more text might fix it. `lacks_values`
    is whether some value is missing or `null`, `has_old_readings` whether some plain scalar may
    have another meaning in YAML 1.1.
    """

    root: Node | None = None
    problems: list[Problem] = field(default_factory=list)
    broken: bool = False
    open_ended: bool = False
    anchors: frozenset[str] = frozenset()
    unknown_aliases: frozenset[str] = frozenset()
    anchor_names: list[AnchorName] = field(default_factory=list)
    lacks_values: bool = False
    has_old_readings: bool = False
