"""Inserting rubrics into the text of a suite without changing anything else."""

from __future__ import annotations

import json
from collections.abc import Mapping as Values
from collections.abc import Sequence as Items
from typing import Any

from suitecase.format.rewriting.lines import (
    block_of,
    column,
    dash_of,
    indented,
    line_end,
    newline,
    starts_line,
)
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text.emitting import in_quotes, yaml_text
from suitecase.text.node import Entry, Mapping, Scalar, Sequence, Span

KEY = "rubrics"
#: Rubrics are inserted after these keys, in any format.
_BEFORE = frozenset(
    {
        "expected_output",
        "expected_messages",
        "input",
        "input_messages",
        "messages",
        "expected_outcome",
        "criteria",
        "outcome",
    }
)

Rubrics = Items[Values[str, Any]]


def rubric_edits(suite: ParsedSuite, number: int, rubrics: Rubrics) -> tuple[Edit, ...] | None:
    """Return the edits that add rubrics to a case or replace its existing ones.

    None if the case is formatted so that there is no safe edit.
    """
    case = suite.cases[number]
    node = case.content.node
    if not isinstance(node, Mapping) or not node.entries:
        return None
    edit = _edit(suite, case, node, [dict(rubric) for rubric in rubrics])
    return None if edit is None else (Edit(suite.place(number, edit.span), edit.text),)


def _edit(
    suite: ParsedSuite, case: ParsedCase, node: Mapping, rubrics: list[dict[str, Any]]
) -> Edit | None:
    text = case.source
    existing = node.entries.get(KEY)
    if existing is not None and (existing.merged or text.startswith("*", existing.value.start)):
        return None
    if node.flow:
        return _flow_edit(text, node, existing, rubrics)
    lines = yaml_text({KEY: rubrics})
    if _is_indentless(suite, text, node):
        lines = _outdented(lines)
    if existing is not None:
        return _replaced(text, existing, lines)
    after = max(
        (entry for key, entry in node if key in _BEFORE and _may_precede(text, entry)),
        key=lambda entry: entry.key.start,
        default=None,
    )
    return _added(text, node, after, lines)


def _may_precede(text: str, entry: Entry) -> bool:
    """Whether lines can be inserted after an entry without changing it."""
    if entry.merged or block_of(text, entry) is None:
        return False
    value = entry.value
    # A block scalar at the end of a file without a newline would get one.
    is_block = isinstance(value, Scalar) and value.style in ("|", ">")
    return not is_block or line_end(text, value.end) < len(text) or text.endswith("\n")


def _flow_edit(
    text: str, node: Mapping, existing: Entry | None, rubrics: list[dict[str, Any]]
) -> Edit | None:
    """Insert rubrics into a flow mapping: as JSON if its keys are quoted."""
    own = [entry for entry in node.entries.values() if not entry.merged]
    if not own:
        return None
    last = max(own, key=lambda entry: entry.key.start)
    end = max(last.key.end, last.value.end)
    quoted = last.key.style == '"'
    text_of_rubrics = in_quotes(rubrics) if quoted else _in_brackets(rubrics)
    if existing is not None:
        return Edit(Span(existing.value.start, existing.value.end), text_of_rubrics)
    key = json.dumps(KEY) if quoted else KEY
    return Edit(Span(end, end), f", {key}: {text_of_rubrics}")


def _in_brackets(rubrics: list[dict[str, Any]]) -> str:
    """Return rubrics on one line, with unquoted keys."""
    items = (
        ", ".join(f"{key}: {in_quotes(value)}" for key, value in rubric.items())
        for rubric in rubrics
    )
    return f"[{', '.join(f'{{{item}}}' for item in items)}]"


def _added(text: str, node: Mapping, after: Entry | None, lines: str) -> Edit | None:
    br = newline(text)
    if after is None:
        # Only the entry after the dash: the new one goes below it.
        own = [entry for entry in node.entries.values() if not entry.merged]
        last = max(own, key=lambda entry: entry.key.start, default=None)
        if last is None:
            return None
        end = line_end(text, max(last.key.end, last.value.end))
        rest = text[max(last.key.end, last.value.end) : end].strip().lstrip(":").strip()
        if rest and not rest.startswith("#"):
            return None
        depth = column(text, last.key.start)
    else:
        block = block_of(text, after)
        if block is None:
            return None
        end, depth = block.end, column(text, after.key.start)
    lead = "" if text[:end].endswith("\n") else br
    new_lines = indented(lines, depth).replace("\n", br)
    return Edit(Span(end, end), lead + (new_lines if not lead else new_lines.removesuffix(br)))


def _replaced(text: str, existing: Entry, lines: str) -> Edit | None:
    start = existing.key.start
    end = max(existing.key.end, existing.value.end)
    if isinstance(existing.value, Sequence) and existing.value.flow:
        rest = text[end : line_end(text, end)].strip()
        if rest and not rest.startswith("#"):
            return None
    depth = column(text, start)
    if not starts_line(text, start) and text[start - depth : start].strip(" -"):
        return None
    new_lines = indented(lines, depth).strip(" \n").replace("\n", newline(text))
    return Edit(Span(start, end), new_lines)


def _is_indentless(suite: ParsedSuite, text: str, node: Mapping) -> bool:
    """Whether lists are indented like their keys: those of the case, else the list of cases."""
    for _, entry in node:
        value = entry.value
        if isinstance(value, Sequence) and value.items and not (value.flow or entry.merged):
            dash = dash_of(text, value.items[0])
            if dash is not None:
                return column(text, dash) == column(text, entry.key.start)
    if suite.document.list_key is None or not suite.document.cases:
        return False
    dash = dash_of(text, node)
    return dash is not None and column(text, dash) == 0


def _outdented(lines: str) -> str:
    first, _, rest = lines.partition("\n")
    return f"{first}\n{indented(rest, -2)}"
