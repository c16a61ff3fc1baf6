"""Moving evaluators that cases have in common to the suite, and back into the cases.

Evaluators of a case replace those of the suite, so they may only move if each case is graded by the
same ones afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.editor.refactoring.meaning import comments_of, meaning, plain_values, reread_whole
from suitecase.editor.refactoring.part import Part
from suitecase.format.rewriting.lines import (
    block_of,
    column,
    comments_above,
    indented,
    line_end,
    line_start,
    newline,
    on_one_line,
    removed,
)
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.document import Piece
from suitecase.text.node import Entry, Mapping, Span

_KEY = "evaluators"


def suite_evaluators(part: Part) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """Yield the move of a list of evaluators, if its key is selected.

    The result is parsed again: each case must be graded by the same evaluators as before.
    """
    suite, entry = part.suite, own_list(part.written)
    if suite.kind != "suite" or suite.appends or entry is None or entry.merged:
        return
    if entry.key.text != _KEY or not part.touches(entry.key.span):
        return
    if any(case.model is None for case in suite.cases):
        return  # the evaluators that grade them are unknown
    move = _into_suite(part, entry) if part.number is not None else _into_cases(part, entry)
    if move is None:
        return
    title, edits = move
    reparsed = reread_whole(suite, edits)
    if _graded_by(reparsed) == _graded_by(suite) and _comments(suite) <= _comments(reparsed):
        yield title, edits


def _into_suite(part: Part, entry: Entry) -> tuple[str, tuple[Edit, ...]] | None:
    suite = part.suite
    lines = _lines(part.text, entry)
    if lines is None or own_list(suite.head) is not None or suite.document.list_key is None:
        return None
    own = [_own(case) for case in suite.cases]
    selected_list = own[part.number or 0]
    same = [number for number, it in enumerate(own) if it == selected_list]
    if len(same) < 2 or None in own:
        return None  # cases without evaluators would be graded by them too
    edits: list[Edit] = []
    for number in same:
        removal = _removed(suite.cases[number])
        if removal is None:
            return None
        edits += (Edit(suite.document.cases[number].absolute(it.span), it.text) for it in removal)
    head = _in_head(suite.head, suite.document.list_key.start, lines)
    if head is None:
        return None
    edits.append(_placed(suite.document.head, head))
    which = f"all {len(same)} cases" if len(same) == len(own) else f"{len(same)} cases"
    return f"Move the evaluators of {which} to the suite", tuple(edits)


def _into_cases(part: Part, entry: Entry) -> tuple[str, tuple[Edit, ...]] | None:
    suite = part.suite
    lines, removal = _lines(part.text, entry), _removed(part.written)
    if lines is None or removal is None:
        return None
    edits = [Edit(part.piece.absolute(it.span), it.text) for it in removal]
    inheriting = [number for number, it in enumerate(suite.cases) if own_list(it) is None]
    for number in inheriting:
        case = suite.cases[number]
        node = case.content.node
        added = _at_end(case.source, node, lines) if isinstance(node, Mapping) else None
        if added is None:
            return None
        edits.append(_placed(suite.document.cases[number], added))
    if not inheriting:
        return None
    which = "the case" if len(inheriting) == 1 else f"the {len(inheriting)} cases"
    return f"Move the suite's evaluators to {which} they grade", tuple(edits)


def _placed(piece: Piece, edit: Edit) -> Edit:
    offset = piece.offset(edit.span.start, end=True)
    return Edit(Span(offset, offset), edit.text)


def _lines(text: str, entry: Entry) -> str | None:
    """Return a list with its key as separate lines, indented from column 0."""
    block = block_of(text, entry)
    if block is not None:
        return indented(text[block.start : block.end], -column(text, entry.key.start)).rstrip()
    flow = on_one_line(text[entry.value.start : entry.value.end])
    return f"{_KEY}: {flow}" if flow is not None and flow.startswith("[") else None


def _removed(part: ParsedCase | ParsedHead) -> tuple[Edit, ...] | None:
    """Remove the list of a part, along with `execution` if nothing else is in it."""
    root, entry = part.content.node, own_list(part)
    if entry is None or not isinstance(root, Mapping):
        return None
    removal = removed(part.source, root, entry.key)
    execution = root.entries.get("execution")
    if removal is None and execution is not None and isinstance(execution.value, Mapping):
        is_alone = list(execution.value.entries) == [_KEY]
        removal = removed(part.source, root, execution.key) if is_alone else None
    return removal


def _in_head(head: ParsedHead, list_start: int, lines: str) -> Edit | None:
    """Insert a list under `execution` of the head, which is created if missing."""
    text = head.source
    root = head.content.node
    entry = root.entries.get("execution") if isinstance(root, Mapping) else None
    br = newline(text)
    if entry is None:
        if isinstance(root, Mapping) and root.flow:
            return None
        start = line_start(text, list_start)
        at = comments_above(text, Span(start, start), 0)
        return Edit(Span(at, at), f"execution:{br}{indented(lines, 2)}{br}")
    return None if entry.merged else _at_end(text, entry.value, lines)


def _at_end(text: str, node: object, lines: str) -> Edit | None:
    """Append an entry to a mapping."""
    if not isinstance(node, Mapping) or any(entry.merged for entry in node.entries.values()):
        return None
    last = max(node.entries.values(), key=lambda it: it.key.start, default=None)
    if last is None:
        return None
    if node.flow:
        end = last.value.end
        return None if "\n" in lines else Edit(Span(end, end), f", {lines}")
    block = block_of(text, last)
    end = block.end if block is not None else line_end(text, last.value.end)
    if block is None and text[last.value.end : end].strip():
        return None
    br, block_text = newline(text), indented(lines, column(text, last.key.start))
    at_end = not text[:end].endswith("\n")
    return Edit(Span(end, end), f"{br}{block_text}" if at_end else f"{block_text}{br}")


def _own(case: ParsedCase) -> Any:
    """Return the evaluators of a case as values; None if it has none of its own."""
    model = case.model
    return _listed(model) if isinstance(model, Case) else None


def _listed(model: BaseModel) -> Any:
    dumped = plain_values(model)
    listed = (dumped.get("execution") or {}).get(_KEY)
    return listed if listed is not None else dumped.get(_KEY)


def _graded_by(suite: ParsedSuite) -> list[Any]:
    """Return the meaning of each case, with the evaluators that grade it."""
    head = suite.head.model
    common = _listed(head) if head is not None else None
    graded: list[Any] = []
    for case in suite.cases:
        if case.model is None:
            graded.append(None)
            continue
        own = _own(case)
        case_meaning = {**meaning(case.model), _KEY: case.model.rubrics}
        graded.append((case_meaning, common if own is None else own))
    return graded


def _comments(suite: ParsedSuite) -> set[str]:
    return {text for piece in suite.document.pieces for text in comments_of(piece.content)}
