"""The syntax tree of a template; `start` is an offset in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, eq_default=False)
@dataclass(frozen=True, eq=False)
class Node:
    """A part of a template; its subclasses are frozen dataclasses, too."""

    start: int

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)


# Expressions


class Literal(Node):
    """A string, a number, `true`, `false` or `none`."""

    value: Any


class Symbol(Node):
    """A variable."""

    name: str


class Group(Node):
    """Expressions in parentheses; the last one is the value."""

    items: tuple[Node, ...]


class Array(Node):
    """A list."""

    items: tuple[Node, ...]


class Dict(Node):
    """A mapping."""

    entries: tuple[tuple[str, Node], ...]


class Lookup(Node):
    """A member: `a.b` or `a[b]`."""

    target: Node
    key: Node


class Call(Node):
    """A call of a function or a method."""

    function: Node
    arguments: tuple[Node, ...]


class Filter(Node):
    """A filter; its first argument is the value that it is applied to."""

    name: str
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...] = ()


class Test(Node):
    """`VALUE is NAME(ARGUMENTS)`."""

    name: str
    arguments: tuple[Node, ...]


class Choice(Node):
    """`BODY if CONDITION else OTHERWISE`."""

    condition: Node
    body: Node
    otherwise: Node


class Unary(Node):
    """`!`, `-` or `+` before a value; `floor` rounds it down."""

    operator: str
    operand: Node


class Binary(Node):
    """An operator between two values.

    The parser reads the operators of nunjucks; `precedence.py` turns them into those of JavaScript.
    """

    operator: str
    left: Node
    right: Node


# Statements


class Text(Node):
    """Text between tags, which is kept."""

    text: str


class Output(Node):
    """`{{ VALUE }}`."""

    value: Node


Body = tuple[Node, ...]


class If(Node):
    """`{% if %}`; what follows `elif` is an `If` in `otherwise`."""

    condition: Node
    body: Body
    otherwise: Body


class For(Node):
    """`{% for %}`."""

    names: tuple[str, ...]
    items: Node
    body: Body
    otherwise: Body


class Set(Node):
    """`{% set %}`; the value is a `Capture` if `{% endset %}` closes it."""

    names: tuple[str, ...]
    value: Node


class Capture(Node):
    """The text that a body is filled in to."""

    body: Body


class Switch(Node):
    """`{% switch %}`."""

    value: Node
    cases: tuple[tuple[Node, Body], ...]
    default: Body
