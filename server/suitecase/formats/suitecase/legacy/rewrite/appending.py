"""The evaluators of a suite written out in each case that has its own.

In some formats a suite's evaluators grade beside a case's own; in the current one a case's own replace them.
"""

from __future__ import annotations

import re

from suitecase.format.rewriting.lines import (
    appended_items,
    apply,
    hanging,
    indented,
    item_lines,
    line_end,
    line_start,
    newline,
    on_one_line,
)
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.legacy.normalize import (
    AssertionList,
    LegacySyntax,
    is_list_of_tests,
)
from suitecase.formats.suitecase.legacy.rewrite.assertions import (
    all_converted,
    outcome_written,
    outcomes_written,
    whole_edits,
)
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Scalar, Sequence, Span
from suitecase.text.taken_names import TakenNames
from suitecase.text.tree_changes import text_of


def written_out(suite: ParsedSuite) -> tuple[Edit, ...] | None:
    """Write the suite's evaluators out, and in the current format what said that they are appended.

    All of it is one step, since with half of it the suite would mean something else.

    Returns:
        edits of the document, or None where it has to be done by hand.
    """
    texts = _suite_items(suite.head)
    key = suite.document.list_key
    if texts is None or key is None:
        return None
    edits: list[Edit] = []
    waiting = set(suite.all_appended_to)
    for number, case in enumerate(suite.cases):
        found = _case(case, texts) if number in waiting else all_converted(case)
        if found is None:
            return None
        edits += [Edit(suite.place(number, it.span), it.text) for it in found]
    found = all_converted(suite.head)
    if found is None:
        return None
    edits += [Edit(suite.head_place(it.span), it.text) for it in found]
    if is_list_of_tests(key):
        outcomes = outcomes_written(suite)
        if outcomes is None:
            return None
        edits += [*outcomes, Edit(suite.head_place(key.span), "evalcases")]
    return tuple(sorted(edits, key=lambda it: it.span))


def _case(case: ParsedCase, texts: list[str]) -> list[Edit] | None:
    """Write evaluators out in a case, and its own list in the current format."""
    listed = _assertions(case)
    sequence = listed.sequence if listed else _listed(_raw(case))
    effective = _listed(case.node)
    if sequence is None or effective is None:
        return None
    own = [text_of(item.get("name")) for item in effective.items if isinstance(item, Mapping)]
    items = _renamed(texts, TakenNames(name for name in own if name))
    if items is None:
        return None
    if sequence.flow:
        return _opened(case, sequence, listed, items)
    converted_list = all_converted(case)
    added = appended_items(case.source, sequence, items)
    return [*converted_list, added] if converted_list is not None and added else None


def _opened(
    case: ParsedCase, sequence: Sequence, listed: AssertionList | None, items: list[str]
) -> list[Edit] | None:
    """Write a list in brackets line by line, with more items behind its own."""
    text = case.source
    inner = whole_edits(case, listed) if listed else ()
    own = _flow_items(apply(text, inner, sequence.span)) if inner is not None else None
    start = line_start(text, sequence.start)
    before = text[start : sequence.start]
    key = re.fullmatch(r"( *(?:- +)?)[\w-]+:[ ]*", before)
    if own is None or key is None:
        return None
    lead, br = " " * (len(key[1]) + 2), newline(text)
    written = "".join(br + indented(f"- {hanging(item, 2)}", len(lead)) for item in (*own, *items))
    edits = [Edit(Span(sequence.start - len(before) + len(before.rstrip()), sequence.end), written)]
    for syntax in case.legacy_syntax:
        if syntax.kind == "assertions" and syntax.listed is listed:
            outcome = outcome_written(case, syntax.name)
            if outcome is None:
                return None
            edits += [*outcome, Edit(syntax.node.span, "evaluators")]
    return edits


def _assertions(part: ParsedHead | ParsedCase) -> AssertionList | None:
    found = (it for it in part.legacy_syntax if it.is_assertion_list)
    first: LegacySyntax | None = next(found, None)
    return first.listed if first else None


def _listed(node: Mapping | None) -> Sequence | None:
    """Return the list as it is written under a key of the current format."""
    if node is None:
        return None
    execution = node.get("execution")
    listed = execution.get("evaluators") if isinstance(execution, Mapping) else None
    listed = listed if listed is not None else node.get("evaluators")
    return listed if isinstance(listed, Sequence) else None


def _raw(part: ParsedHead | ParsedCase) -> Mapping | None:
    node = part.content.node
    return node if isinstance(node, Mapping) else None


def _suite_items(head: ParsedHead) -> list[str] | None:
    """Return the suite's evaluators as they are written, each as a text at column 0."""
    text = head.source
    listed = _assertions(head)
    sequence = listed.sequence if listed else _listed(_raw(head))
    if sequence is None or not sequence.items:
        return None
    inner = whole_edits(head, listed) if listed else ()
    if inner is None:
        return None
    if sequence.flow:
        return _flow_items(apply(text, inner, sequence.span))
    start, end = sequence.items[0].start, sequence.items[-1].end
    lines = apply(text, inner, Span(line_start(text, start), line_end(text, end)))
    again = compose(lines).root
    if not isinstance(again, Sequence):
        return None
    items = [item_lines(lines, item) for item in again.items]
    return [item for item in items if item is not None] if None not in items else None


def _flow_items(text: str) -> list[str] | None:
    """Return the items of a list in brackets, each on one line."""
    again = compose(text).root
    if not isinstance(again, Sequence):
        return None
    items = [on_one_line(text[item.start : item.end]) for item in again.items]
    return [item for item in items if item is not None] if None not in items else None


def _renamed(items: list[str], taken: TakenNames) -> list[str] | None:
    """Return the texts of evaluators under names that are not taken."""
    renamed: list[str] = []
    for item in items:
        node = compose(item).root
        name = node.get("name") if isinstance(node, Mapping) else None
        if not isinstance(name, Scalar):
            return None
        new = taken.take(name.text)
        edits = [] if new == name.text else [Edit(name.span, plain_name(new))]
        renamed.append(apply(item, edits))
    return renamed
