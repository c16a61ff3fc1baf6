"""The tree of a template. Places are offsets in its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part of a template."""

    start: int


# Expressions


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    """A text, a number, `true`, `false` or `none`."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(Node):
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Group(Node):
    """Expressions in parentheses, of which the last is the value."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Array(Node):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Dict(Node):
    """A mapping."""

    entries: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(Node):
    """A member: `a.b` or `a[b]`."""

    target: Node
    key: Node


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A call of a function or a method."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Filter(Node):
    """A filter, of which the first argument is the value; the others may have names."""

    name: str
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Test(Node):
    """`VALUE is NAME(ARGUMENTS)`."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Node):
    """`BODY if CONDITION else OTHERWISE`."""

    condition: Node
    body: Node
    otherwise: Node


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`!`, `-` or `+` before a value; `floor` rounds it down."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """An operator of JavaScript, `in` or `**` between two values; before they are ordered, one of nunjucks."""

    operator: str
    left: Node
    right: Node


# Statements


@dataclass(frozen=True, slots=True, eq=False)
class Text(Node):
    """Text that is kept."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Output(Node):
    """`{{ VALUE }}`."""

    value: Node


Body = tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class If(Node):
    """`{% if %}`; what follows `elif` is an `If` in `otherwise`."""

    condition: Node
    body: Body
    otherwise: Body


@dataclass(frozen=True, slots=True, eq=False)
class For(Node):
    """`{% for %}`."""

    names: tuple[str, ...]
    items: Node
    body: Body
    otherwise: Body


@dataclass(frozen=True, slots=True, eq=False)
class Set(Node):
    """`{% set %}` with a value, or with what is between it and `{% endset %}`."""

    names: tuple[str, ...]
    value: Node


@dataclass(frozen=True, slots=True, eq=False)
class Capture(Node):
    """What a body is filled in to."""

    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Node):
    """`{% switch %}`."""

    value: Node
    cases: tuple[tuple[Node, Body], ...]
    default: Body = field(default=())
