"""Comparing the bound of a figure's interval in a gate, or its estimate."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.refactoring.meaning import comments_of, placed, reread_whole
from suitecase.editor.refactoring.part import Part
from suitecase.figures.gates.grammar import Call, Gate
from suitecase.figures.gates.written import WrittenGate, gates_of
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.parsed import ParsedHead
from suitecase.text.embedded import embedded
from suitecase.text.node import Copied, Span

_BOUNDS = ("lower", "upper")


def gate_forms(part: Part) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield edits that make the selected gate one on the bound, or on the estimate again."""
    head = part.written
    if not isinstance(head, ParsedHead) or part.suite.kind == "dataset":
        return
    gates = gates_of(head)
    for number, gate in enumerate(gates):
        tree = gate.tree
        if not isinstance(tree, Gate) or isinstance(gate.node, Copied):
            continue
        if not part.touches(gate.node.span) or "\n" in part.text[slice(*gate.node.span)]:
            continue
        title, edits, wanted = _other(gate, tree)
        edits = placed(part, edits)
        after = reread_whole(part.suite, edits).head
        found = gates_of(after)
        kept = not comments_of(head.content) - comments_of(after.content)
        if kept and len(found) == len(gates) and found[number].node.text == wanted:
            yield title, edits


def _other(gate: WrittenGate, tree: Gate) -> tuple[str, tuple[Edit, ...], str]:
    """Return the title, the edits and the text of the other form of a gate."""
    expression, text = tree.expression, gate.node.text
    if isinstance(expression, Call) and expression.function.text in _BOUNDS:
        inner = expression.of
        first = Span(_at(gate, expression.start), _at(gate, inner.start))
        last = Span(_end(gate, inner.end), _end(gate, expression.end))
        wanted = text[: expression.start] + text[inner.start : inner.end] + text[expression.end :]
        title = "Write the gate on the estimate"
        return title, (Edit(first, ""), Edit(last, "")), wanted
    name = "lower" if tree.at_least else "upper"
    start, end = _at(gate, expression.start), _end(gate, expression.end)
    edits = (Edit(Span(start, start), f"{name}("), Edit(Span(end, end), ")"))
    inside = text[expression.start : expression.end]
    wanted = f"{text[: expression.start]}{name}({inside}){text[expression.end :]}"
    return f"Write the gate on the {name} bound", edits, wanted


def _at(gate: WrittenGate, offset: int) -> int:
    return _span(gate, offset, offset + 1).start


def _end(gate: WrittenGate, offset: int) -> int:
    return _span(gate, offset - 1, offset).end


def _span(gate: WrittenGate, start: int, end: int) -> Span:
    return embedded(gate.node, gate.source).span(start, end)
