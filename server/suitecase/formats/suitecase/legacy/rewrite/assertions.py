"""Lists of evaluators under `assert` and `assertions`, as `evaluators` or `rubrics`.

A case with such a list need not say what it achieves; that is written out with it.
"""

from __future__ import annotations

from suitecase.format.rewriting.lines import (
    QUOTE,
    added_before,
    apply,
    block_of,
    column,
    dash_of,
    line_end,
    line_start,
    moved_under,
    newline,
)
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.legacy.normalize import AssertionList, LegacySyntax
from suitecase.formats.suitecase.legacy.normalize.evaluators import ASSERTION_KEYS
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Node, Span


def all_converted(part: ParsedHead | ParsedCase) -> list[Edit] | None:
    """Write every such list of a part in the current format; None where one has to be done by hand."""
    edits: list[Edit] = []
    moved = [
        syntax.parent.entries[syntax.name].value.span
        for syntax in part.legacy_syntax
        if syntax.kind == "assertions" and syntax.what == "a suite"
    ]
    for syntax in part.legacy_syntax:
        if syntax.kind != "assertions" or (syntax.what == "a composite" and _within(syntax, moved)):
            continue
        found = converted(part, syntax)
        if found is None:
            return None
        edits += found
    return edits


def _within(found: LegacySyntax, spans: list[Span]) -> bool:
    return any(start <= found.node.start < end for start, end in spans)


def converted(part: ParsedHead | ParsedCase, found: LegacySyntax) -> tuple[Edit, ...] | None:
    """Write such a list in the current format; None where it has to be done by hand."""
    text, listed = part.source, found.listed
    if listed is None or listed.key is None:
        return None
    entry = found.parent.entries[found.name]
    if entry.merged:
        return None
    if found.what != "a suite":
        inner = inner_edits(text, listed)
        outcome = outcome_written(part, found.name) if found.what == "a case" else []
        if inner is None or outcome is None:
            return None
        return (*outcome, Edit(found.node.span, listed.key), *inner)
    inner = whole_edits(part, listed)
    block = block_of(text, entry)
    root = part.content.node
    if inner is None or block is None or not isinstance(root, Mapping):
        return None
    lines = apply(text, inner, block)
    return moved_under(text, root, found.name, "execution", "evaluators", lines)


def whole_edits(part: ParsedHead | ParsedCase, listed: AssertionList) -> tuple[Edit, ...] | None:
    """Return the edits within such a list, with those of the composites in it."""
    edits = inner_edits(part.source, listed)
    for syntax in part.legacy_syntax:
        if edits is None:
            return None
        is_inside = syntax.what == "a composite" and _within(syntax, [listed.sequence.span])
        if syntax.kind == "assertions" and is_inside:
            found = converted(part, syntax)
            edits = (*edits, *found) if found is not None else None
    return edits


def inner_edits(text: str, listed: AssertionList) -> tuple[Edit, ...] | None:
    """Name the items of such a list, and make one judge of its texts."""
    edits: list[Edit] = []
    for index, name in listed.names.items():
        item = listed.sequence.items[index]
        edit = _named(text, item, name)
        if edit is None:
            return None
        edits.append(edit)
    for judge in listed.criteria:
        if judge.entries["type"].merged or judge.entries["prompt"].merged:
            return None
        edits.append(Edit(judge.entries["type"].value.span, "criteria"))
        edits.append(Edit(judge.entries["prompt"].key.span, "criteria"))
    for call in listed.exact:
        edit = added_before(text, call, call.entries["args"], "args_match: exact")
        if edit is None:
            return None
        edits.append(edit)
    if listed.key != "rubrics" and listed.texts:
        grouped = _grouped(text, listed)
        if grouped is None:
            return None
        edits += grouped
    return tuple(edits)


def _named(text: str, item: Node, name: str) -> Edit | None:
    if not isinstance(item, Mapping) or text.startswith("*", item.start):
        return None
    own = [entry for entry in item.entries.values() if not entry.merged]
    if not own:
        return None
    first = min(own, key=lambda it: it.key.start)
    return added_before(text, item, first, f"name: {plain_name(name)}")


def _runs(texts: tuple[int, ...]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for index in texts:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _grouped(text: str, listed: AssertionList) -> list[Edit] | None:
    """Make one judge of the texts of a list, where the first of them stands."""
    items, runs = listed.sequence.items, _runs(listed.texts)
    first = items[runs[0][0]]
    name = plain_name(listed.group)
    if listed.sequence.flow:
        if len(runs) > 1:
            return None
        weight = f"weight: {listed.weight}, " if listed.weight != 1 else ""
        before = f"{{name: {name}, type: llm_judge, {weight}rubrics: ["
        if text.startswith(QUOTE, first.start):
            judge = {"name": listed.group, "type": "llm_judge", "weight": listed.weight}
            if listed.weight == 1:
                del judge["weight"]
            before = f'{in_quotes(judge)[:-1]}, "rubrics": ['
        end = items[runs[0][1]].end
        return [Edit(Span(first.start, first.start), before), Edit(Span(end, end), "]}")]
    dash = dash_of(text, first)
    if dash is None or any(dash_of(text, items[low]) is None for low, _ in runs):
        return None
    deep = column(text, first.start)
    lead, br = " " * deep, newline(text)
    weight = f"weight: {listed.weight}{br}{lead}" if listed.weight != 1 else ""
    opening = f"- name: {name}{br}{lead}type: llm_judge{br}{lead}{weight}rubrics:{br}{lead}  - "
    shift = deep + 2 - column(text, dash)
    end = line_end(text, items[runs[0][1]].end)
    edits = [Edit(Span(dash, first.start), opening)]
    edits += _deeper(text, Span(line_end(text, dash), end), shift)
    for low, high in runs[1:]:
        span = Span(line_start(text, items[low].start), line_end(text, items[high].end))
        moved = apply(text, _deeper(text, span, shift), span)
        edits.append(Edit(Span(end, end), moved if moved.endswith("\n") else moved + br))
        edits.append(Edit(span, ""))
    return _joined(edits)


def _deeper(text: str, span: Span, by: int) -> list[Edit]:
    edits = []
    start = span.start
    while start < span.end:
        end = line_end(text, start)
        if text[start:end].strip():
            edits.append(Edit(Span(start, start), " " * by))
        start = end
    return edits


def _joined(edits: list[Edit]) -> list[Edit]:
    """Make one edit of those that insert at the same place, in their order."""
    joined: dict[Span, str] = {}
    for edit in edits:
        joined[edit.span] = joined.get(edit.span, "") + edit.text
    return [Edit(span, text) for span, text in joined.items()]


def outcome_written(part: ParsedHead | ParsedCase, under: str | None = None) -> list[Edit] | None:
    """Write what a case is said to achieve; no edit where it says so itself.

    Args:
        under: the list of assertions that the case need not say it for; None where that follows
            from the name of the suite's list of cases.

    Returns:
        edits of the case, or None where it has to be done by hand.
    """
    for syntax in part.legacy_syntax:
        if syntax.kind == "implied_outcome":
            if syntax.name != under and (under is not None or syntax.name in ASSERTION_KEYS):
                continue
            entry = syntax.parent.entries[syntax.name]
            edit = added_before(
                part.source, syntax.parent, entry, f"expected_outcome: {syntax.new}"
            )
            return [edit] if edit else None
    return []


def outcomes_written(suite: ParsedSuite) -> list[Edit] | None:
    """Write out what cases achieve that need not say it because their list is called `tests`.

    Returns:
        edits of the document, or None where it has to be done by hand.
    """
    edits: list[Edit] = []
    for number, case in suite.case_index.where(_unsaid):
        found = outcome_written(case)
        if found is None:
            return None
        edits += [Edit(suite.place(number, it.span), it.text) for it in found]
    return edits


def _unsaid(case: ParsedCase) -> ParsedCase | None:
    has_outcome = all(it.kind != "implied_outcome" for it in case.legacy_syntax)
    return None if has_outcome else case
