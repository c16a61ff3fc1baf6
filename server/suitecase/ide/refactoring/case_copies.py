"""A case written a second time, under an id of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.ide.refactoring.meaning import meaning, reread_whole
from suitecase.ide.refactoring.part import Part
from suitecase.rewriting.assertions import plain_name
from suitecase.rewriting.lines import apply, dash_of, line_end, line_start, newline
from suitecase.rule import Edit
from suitecase.suite.written import WrittenCase, case_id_text
from suitecase.syntax.node import Mapping, Scalar, Span

_NUMBERED = re.compile(r"(?P<base>.*?)-(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def case_copies(part: Part) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield, where a case's id is touched, the title and the edits of the document that copy it.

    What was made is read again: the other cases mean what they did, and the copy what the case does.
    """
    case, number = part.written, part.number
    if number is None or not isinstance(case, WrittenCase) or case.model is None:
        return
    entry = case.node.entries.get("id") if case.node is not None else None
    if entry is None or entry.merged or not isinstance(entry.value, Scalar):
        return
    # An anchor given twice would stand for something else behind the copy.
    if not part.touches_entry(entry) or not part.suite.document.segmented or case.content.anchors:
        return
    new = _free_id(part, entry.value.text)
    edit = _copied(part, case, entry.value, new)
    if edit is None:
        return
    placed = Edit(Span(*(part.piece.offset(edit.span.start, end=True),) * 2), edit.text)
    again = reread_whole(part.suite, (placed,))
    same = [meaning(case.model), {**meaning(case.model), "id": new}]
    both = [it.model for it in again.cases[number : number + 2]]
    if len(again.cases) == len(part.suite.cases) + 1 and same == [
        meaning(it) for it in both if it is not None
    ]:
        yield f"Duplicate the case as `{new}`", (placed,)


def _free_id(part: Part, id_: str) -> str:
    """Return the id with the next number behind it that no case has yet."""
    counted = _NUMBERED.fullmatch(id_)
    base, number = (counted["base"], int(counted["number"])) if counted else (id_, 1)
    taken = set(part.suite.facts.values(case_id_text))
    while True:
        number += 1
        if f"{base}-{number}" not in taken:
            return f"{base}-{number}"


def _copied(part: Part, case: WrittenCase, id_: Scalar, new: str) -> Edit | None:
    """Return the case's own lines written behind them, with a blank line where cases have one."""
    text, node = part.text, case.content.node
    dash = dash_of(text, node) if isinstance(node, Mapping) else None
    if dash is None or node is None:
        return None
    start, end = line_start(text, dash), line_end(text, node.end)
    rest = text[node.end : end].strip()
    if rest and not rest.startswith("#"):
        return None
    br = newline(text)
    lines = apply(text, [Edit(id_.span, _spelled(id_, new))], Span(start, end))
    if not lines.endswith("\n"):
        lines = f"{br}{lines}"
    apart = not text[end : line_end(text, end)].strip() and end < len(text)
    return Edit(Span(end, end), f"{br if apart else ''}{lines}")


def _spelled(id_: Scalar, new: str) -> str:
    """Return the new id in the quotes of the old one."""
    if id_.style == "'":
        return "'" + new.replace("'", "''") + "'"
    return f'"{new}"' if id_.style == '"' and new.isascii() and '"' not in new else plain_name(new)
