"""The precedence of operators.

nunjucks parses expressions with its own precedence, and then writes them as JavaScript without
parentheses, so the precedence of JavaScript decides: `not a == b` compares `not a` with `b`. A
tree of nunjucks is therefore flattened into a row of operators and operands, which is parsed again.
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
#: nunjucks writes these as function calls, whose arguments stay together.
_CALLED = ("in", "**")
_Row = list[Node | str]


def javascript_order(node: Node) -> Node:
    """Return a tree with the precedence of nunjucks as one with the precedence of JavaScript."""
    if not isinstance(node, Binary | Unary | Test):
        return node
    row = list(_flattened(node))
    row.reverse()
    return _read(row, 0)


def _flattened(node: Node) -> Iterator[Node | str]:
    """Yield operators and operands as nunjucks writes them; unary operators start with a space."""
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
                divided = javascript_order(Binary(it.start, "/", it.left, it.right))
                yield Unary(it.start, "floor", divided)
            case Binary(operator="~"):
                stack += (it.right, "+", Literal(it.start, ""), "+", it.left)
            case Binary() if it.operator not in _CALLED:
                stack += (it.right, it.operator, it.left)
            case Binary():
                yield Binary(
                    it.start, it.operator, javascript_order(it.left), javascript_order(it.right)
                )
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
