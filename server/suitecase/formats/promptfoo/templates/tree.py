"""The syntax tree of a template.

Operators stand in the order in which JavaScript evaluates them (`precedence.py`). A template that
nunjucks refuses has a tree, too: of what stands before the mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any


@dataclass(slots=True, eq=False)
class Node:
    """A part of a template, and the place that messages about it point at, as offsets in its text."""

    start: int
    end: int


Body = tuple[Node, ...]


# Expressions


@dataclass(slots=True, eq=False)
class Literal(Node):
    """A string, a number, `true`, `false` or `none`."""

    value: Any


@dataclass(slots=True, eq=False)
class Regex(Node):
    """A regular expression: `r/.../g`."""


@dataclass(slots=True, eq=False)
class Missing(Node):
    """Where nunjucks expects a value, and none is written."""


@dataclass(slots=True, eq=False)
class Symbol(Node):
    """A variable."""

    name: str


@dataclass(slots=True, eq=False)
class Group(Node):
    """Expressions in parentheses; the last one is the value."""

    items: Body


@dataclass(slots=True, eq=False)
class Array(Node):
    """A list."""

    items: Body


@dataclass(slots=True, eq=False)
class Dict(Node):
    """A mapping; each key has its place."""

    entries: tuple[tuple[Literal, Node], ...]


@dataclass(slots=True, eq=False)
class Lookup(Node):
    """A member: `a.b` or `a[b]`. Its place is from `.` or `[` on."""

    target: Node
    key: Node


@dataclass(slots=True, eq=False)
class NamedArgument(Node):
    """An argument with a name: `KEY=VALUE`. nunjucks takes any expression before `=`."""

    key: Node
    value: Node


@dataclass(slots=True, eq=False)
class Call(Node):
    """A call of a function or a method, whose arguments start at the offset `opening`."""

    function: Node
    opening: int
    arguments: Body
    named: tuple[NamedArgument, ...]


@dataclass(slots=True, eq=False)
class Filter(Node):
    """A filter; its first argument is the value that it is applied to. Its place is that of its name."""

    name: str
    arguments: Body
    named: tuple[NamedArgument, ...]


@dataclass(slots=True, eq=False)
class Test(Node):
    """`VALUE is NAME(ARGUMENTS)`.

    `asked` is what stands behind `is`: the name, or a call of it, or what is no test at all.
    The place is that of the first word of it; `name` is "" where that is no word.
    """

    name: str
    value: Node
    asked: Node


@dataclass(slots=True, eq=False)
class Choice(Node):
    """`BODY if CONDITION else OTHERWISE`."""

    body: Node
    condition: Node
    otherwise: Node


@dataclass(slots=True, eq=False)
class Unary(Node):
    """`!`, `-` or `+` before a value; `floor` rounds it down."""

    operator: str
    operand: Node


@dataclass(slots=True, eq=False)
class Binary(Node):
    """An operator between two values.

    The parser reads the operators of nunjucks; `precedence.py` turns them into those of JavaScript.
    """

    operator: str
    left: Node
    right: Node


# Statements


@dataclass(slots=True, eq=False)
class Text(Node):
    """Text between tags, without the white space that tags beside it drop."""


@dataclass(slots=True, eq=False)
class Output(Node):
    """`{{ VALUE }}`."""

    value: Node


@dataclass(slots=True, eq=False)
class If(Node):
    """`{% if %}`: the conditions with their bodies, and the body of `else`."""

    branches: tuple[tuple[Node, Body], ...]
    otherwise: Body


@dataclass(slots=True, eq=False)
class For(Node):
    """`{% for %}`."""

    names: tuple[str, ...]
    items: Node
    body: Body
    otherwise: Body


@dataclass(slots=True, eq=False)
class Capture(Node):
    """The text that a body is filled in to."""

    body: Body


@dataclass(slots=True, eq=False)
class Set(Node):
    """`{% set %}`; the value is a `Capture` if `{% endset %}` closes it."""

    names: tuple[str, ...]
    value: Node


@dataclass(slots=True, eq=False)
class Switch(Node):
    """`{% switch %}`.

    What stands before the first case is read and dropped. `has_case` is False if another tag stands
    where the first case should, which nunjucks then reads as the value of one.
    """

    value: Node
    dropped: Body
    has_case: bool
    cases: tuple[tuple[Node, Body], ...]
    default: Body


@dataclass(slots=True, eq=False)
class FilterBlock(Node):
    """`{% filter NAME(ARGUMENTS) %}`; the filter is applied to a `Capture` of the body."""

    filter: Node


@dataclass(slots=True, eq=False)
class Asynchronous(Node):
    """`{% ifAsync %}`, `{% asyncEach %}` or `{% asyncAll %}`, as the statement that is computed so."""

    tag: str
    statement: Node


@dataclass(slots=True, eq=False)
class Parameter(Node):
    """A parameter of a macro; its default is None if it has none."""

    name: str
    default: Node | None


@dataclass(slots=True, eq=False)
class Macro(Node):
    """`{% macro NAME(PARAMETERS) %}`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Body


@dataclass(slots=True, eq=False)
class CallBlock(Node):
    """`{% call(PARAMETERS) CALL %}`: a call of a macro that is handed a body."""

    parameters: tuple[Parameter, ...]
    call: Node
    body: Body


@dataclass(slots=True, eq=False)
class NamedBlock(Node):
    """`{% block NAME %}`."""

    name: str
    body: Body


@dataclass(slots=True, eq=False)
class Include(Node):
    """`{% include %}`, `{% extends %}`, `{% import %}` or `{% from %}`, with the names that it sets."""

    tag: str
    template: Node
    names: tuple[str, ...]


_FIELDS = {
    kind: tuple(field.name for field in fields(kind) if field.name not in ("start", "end"))
    for kind in Node.__subclasses__()
}


def nodes_in(body: Body) -> Iterator[Node]:
    """Yield all nodes of a tree, each before what is in it."""
    stack: list[Any] = [body]
    while stack:
        part = stack.pop()
        if isinstance(part, Node):
            yield part
            stack += [getattr(part, name) for name in reversed(_FIELDS[type(part)])]
        elif isinstance(part, tuple):
            stack += reversed(part)
