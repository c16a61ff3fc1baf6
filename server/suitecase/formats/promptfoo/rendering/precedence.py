"""Operators in the order in which they are computed.

nunjucks has an order of its own, and then writes a program of JavaScript without parentheses, which
has another: `not a == b` compares `not a` with `b`. So a tree in the first order is written as a
row of operators and values, and read again in the second.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.rendering.tree import Binary, Literal, Node, Test, Unary

#: How tightly operators bind in JavaScript.
_LEVELS = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "===", "!=="), 3),
    **dict.fromkeys(("<", ">", "<=", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
#: What nunjucks writes as a call of a function, whose arguments stay together.
_CALLED = ("in", "**")
_Row = list[Node | str]


def in_order(node: Node) -> Node:
    """Return a tree of nunjucks's operators in the order of JavaScript."""
    if not isinstance(node, Binary | Unary | Test):
        return node
    row = list(_written(node))
    row.reverse()
    return _read(row, 0)


def _written(node: Node) -> Iterator[Node | str]:
    """Yield operators and values as nunjucks writes them; what stands before a value has a space."""
    stack: _Row = [node]
    while stack:
        it = stack.pop()
        match it:
            case Unary(operator="floor"):
                yield it
            case Unary():
                stack += (it.operand, f" {it.operator}")
            case Test():
                stack += (Literal(it.start, True), "===")
                yield it
            case Binary(operator="//"):
                divided = in_order(Binary(it.start, "/", it.left, it.right))
                yield Unary(it.start, "floor", divided)
            case Binary(operator="~"):
                stack += (it.right, "+", Literal(it.start, ""), "+", it.left)
            case Binary() if it.operator not in _CALLED:
                stack += (it.right, it.operator, it.left)
            case Binary():
                yield Binary(it.start, it.operator, in_order(it.left), in_order(it.right))
            case _:
                yield it


def _read(row: _Row, level: int) -> Node:
    left = _operand(row)
    while row:
        operator = str(row[-1])
        if _LEVELS[operator] <= level:
            break
        row.pop()
        left = Binary(left.start, operator, left, _read(row, _LEVELS[operator]))
    return left


def _operand(row: _Row) -> Node:
    it = row.pop()
    if isinstance(it, str):
        operand = _operand(row)
        return Unary(operand.start, it.strip(), operand)
    return it
