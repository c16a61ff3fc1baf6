"""What composing a text gives: its tree, and what is wrong with the text as YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from suitecase.syntax.node import Node, Span

ProblemKind = Literal[
    "syntax", "json", "duplicate_key", "alias", "limit", "document", "key", "merge", "tag"
]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the text as YAML. `other` is a second place it has to do with."""

    kind: ProblemKind
    span: Span
    message: str
    other: Span | None = None


@dataclass(frozen=True, slots=True)
class AnchorName:
    """The name of an anchor, where it is given or where an alias uses it.

    `number` counts the anchors of a text: a name may be given again, and an alias stands for the
    last one before it. None for an alias of nothing that is known.
    """

    name: str
    span: Span
    number: int | None
    defines: bool


@dataclass(slots=True)
class Composed:
    """The tree of a text.

    `broken` says that the text did not parse to its end: the tree holds what stood before.
    `open_ended` says that it only lacked its end, so that more text might have fixed it.
    `lacks_values` says that nothing, or `null`, stands where some value could, `has_old_readings`
    that some plain scalar is, or may be, another thing in YAML 1.1.
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
