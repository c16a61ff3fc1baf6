"""The precedence of operators.

nunjucks parses expressions with its own precedence, and then writes them as JavaScript without
parentheses, so the precedence of JavaScript decides: `not a == b` compares `not a` with `b`. A
tree of nunjucks is therefore flattened into a row of operators and operands, which is parsed again.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.templates.tree import Binary, Literal, Node, Test, Unary

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


def binary(operator: str, left: Node, right: Node) -> Node:
    """Return an operator of nunjucks between two values, whose own operators may still be in its order."""
    place = left.start, right.end
    if operator == "//":
        return Unary(*place, "floor", javascript_order(Binary(*place, "/", left, right)))
    if operator in _CALLED:
        left, right = javascript_order(left), javascript_order(right)
    return Binary(*place, operator, left, right)


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
        part = stack.pop()
        match part:
            case Unary() if part.operator != "floor":
                stack += (part.operand, f" {part.operator}")
            case Test():
                stack += (Literal(part.start, part.end, True), "===")
                yield part
            case Binary(operator="~"):
                empty = Literal(part.start, part.end, "")
                stack += (part.right, "+", empty, "+", part.left)
            case Binary() if part.operator not in _CALLED:
                stack += (part.right, part.operator, part.left)
            case _:
                yield part


def _read(row: _Row, level: int) -> Node:
    left = _operand(row)
    while row:
        operator = str(row[-1])
        if _LEVELS[operator] <= level:
            break
        row.pop()
        right = _read(row, _LEVELS[operator])
        left = Binary(left.start, right.end, operator, left, right)
    return left


def _operand(row: _Row) -> Node:
    signs: list[str] = []
    while isinstance(part := row.pop(), str):
        signs.append(part.strip())
    for sign in reversed(signs):
        part = Unary(part.start, part.end, sign, part)
    return part
