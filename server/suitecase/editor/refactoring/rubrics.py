"""Refactorings of rubrics and score ranges: other forms, and ranges for uncovered scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from suitecase.editor.refactoring.part import Part, Proposal
from suitecase.format.rewriting.lines import column, dash_of, line_end, line_start, newline, shifted
from suitecase.format.rewriting.score_range_gaps import added_to_list, added_to_map, widened
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.elements import ParsedRubric, ParsedRubrics
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.answers.rubric import bounds_of_map, map_problems, range_problems

_KEYS = ["expected_outcome", "score_range"]


def score_range_forms(part: Part) -> Iterator[Proposal]:
    """Propose the other form of the selected score ranges."""
    as_map: list[Edit] = []
    as_list: list[Edit] = []
    for rubric in part.written.elements():
        if not isinstance(rubric, ParsedRubric):
            continue
        entry = rubric.node.entries.get("score_ranges")
        if entry is None or not part.touches_entry(entry):
            continue
        listed, mapped = rubric.listed_ranges(), rubric.mapped_ranges()
        if listed and isinstance(entry.value, Sequence):
            as_map += _to_map(part.text, entry, entry.value, listed) or ()
        elif mapped and isinstance(entry.value, Mapping):
            as_list += _to_list(part.text, entry.value, [low for low, _ in mapped]) or ()
    if as_map:
        title = "Write the score ranges as a map from lowest scores"
        yield Proposal(title, "refactor.rewrite", tuple(as_map))
    if as_list:
        title = "Write the score ranges as a list with both ends"
        yield Proposal(title, "refactor.rewrite", tuple(as_list))


def _to_map(
    text: str, key: Entry, ranges: Sequence, listed: list[tuple[int, int, Mapping]]
) -> list[Edit] | None:
    if any(range_problems([(low, high) for low, high, _ in listed])):
        return None
    edits: list[Edit] = []
    deeper = 0
    if ranges.flow:
        edits += [
            Edit(Span(ranges.start, ranges.start + 1), "{"),
            Edit(Span(ranges.end - 1, ranges.end), "}"),
        ]
    else:
        first = dash_of(text, ranges.items[0])
        if first is None:
            return None
        # Items may be indented as little as their key; entries of a map may not.
        deeper = 2 if column(text, first) <= column(text, key.key.start) else 0
        edits += _comments_between(text, listed, deeper)
    for low, _, item in listed:
        entry_edits = _as_entry(text, item, low, deeper, in_brackets=ranges.flow)
        if entry_edits is None:
            return None
        edits += entry_edits
    return edits


def _comments_between(
    text: str, listed: list[tuple[int, int, Mapping]], deeper: int
) -> Iterator[Edit]:
    """Move the lines between items as deep as the items will stand."""
    for (_, _, before), (_, _, after) in itertools.pairwise(listed):
        start, end = line_end(text, before.end), line_start(text, after.start)
        if start < end and deeper:
            yield from shifted(text, Span(start - 1, end), deeper)


def _as_entry(
    text: str, item: Mapping, low: int, deeper: int, *, in_brackets: bool
) -> list[Edit] | None:
    """Convert a range to an entry of a map; comments before its text go above it."""
    if sorted(item.entries) != _KEYS or any(entry.merged for entry in item.entries.values()):
        return None
    pair, outcome = item.entries["score_range"], item.entries["expected_outcome"]
    start = item.start if in_brackets else dash_of(text, item)
    if start is None:
        return None
    name = f'"{low}"' if outcome.key.style == '"' else str(low)
    if item.flow:
        edits = [Edit(Span(outcome.value.end, item.end), "")]
        return [Edit(Span(start, outcome.key.end), " " * deeper + name), *edits]
    depth = column(text, start) + deeper
    above = ""
    edits = []
    if pair.key.start < outcome.key.start:
        for line in text[pair.value.end : outcome.key.start].splitlines():
            if line.strip():
                above += f"{line.strip()}{newline(text)}{' ' * depth}"
    else:
        end = line_end(text, pair.value.end)
        edits.append(Edit(Span(line_start(text, pair.key.start), end), ""))
    edits.append(Edit(Span(start, outcome.key.end), f"{' ' * deeper}{above}{name}"))
    by = depth - column(text, outcome.key.start)
    return [*edits, *shifted(text, Span(outcome.key.end, outcome.value.end), by)]


def _to_list(text: str, ranges: Mapping, lows: list[int]) -> list[Edit] | None:
    if any(map_problems(lows)) or any(entry.merged for entry in ranges.entries.values()):
        return None
    edits: list[Edit] = []
    if ranges.flow:
        edits += [
            Edit(Span(ranges.start, ranges.start + 1), "["),
            Edit(Span(ranges.end - 1, ranges.end), "]"),
        ]
    entries = list(ranges.entries.values())
    for (low, high), (key, value, _) in zip(bounds_of_map(lows), entries, strict=True):
        if ranges.flow:
            quote = '"' if key.style == '"' else ""
            lead = f"{{{quote}score_range{quote}: [{low}, {high}], "
            edits.append(Edit(key.span, f"{lead}{quote}expected_outcome{quote}"))
            edits.append(Edit(Span(value.end, value.end), "}"))
        else:
            lead = f"{newline(text)}{' ' * (column(text, key.start) + 2)}"
            edits.append(Edit(key.span, f"- score_range: [{low}, {high}]{lead}expected_outcome"))
            edits += shifted(text, Span(key.end, value.end), 2)
    return edits


_OUTCOME = "expected_outcome"


def rubric_forms(part: Part) -> Iterator[Proposal]:
    """Propose to convert the selected rubrics to mappings, or to strings if nothing is lost."""
    as_mapping: list[list[Edit]] = []
    as_text: list[list[Edit]] = []
    for element in part.written.elements():
        if not isinstance(element, ParsedRubrics):
            continue
        listed = element.node
        for item in listed.items:
            if not part.touches(item.span):
                continue
            if isinstance(item, Scalar):
                as_mapping.append(_to_mapping(part.text, listed, item))
            elif isinstance(item, Mapping) and list(item.entries) == [_OUTCOME]:
                as_text.append(_to_text(part.text, item))
    if as_mapping:
        yield _proposal(as_mapping, "as a mapping", "as mappings")
    if as_text:
        yield _proposal(as_text, "as a text", "as texts")


def _proposal(edits: list[list[Edit]], one: str, many: str) -> Proposal:
    subject = f"the rubric {one}" if len(edits) == 1 else f"the {len(edits)} rubrics {many}"
    return Proposal(
        f"Write {subject}", "refactor.rewrite", tuple(it for its in edits for it in its)
    )


def _to_mapping(text: str, listed: Sequence, item: Scalar) -> list[Edit]:
    start = Span(item.start, item.start)
    if listed.flow:
        name = f'"{_OUTCOME}"' if item.style == '"' and _is_json(text, listed) else _OUTCOME
        end = Span(item.end, item.end)
        return [Edit(start, f"{{{name}: "), Edit(end, "}")]
    return [Edit(start, f"{_OUTCOME}: "), *shifted(text, item.span, _depth(text, item))]


def _to_text(text: str, item: Mapping) -> list[Edit]:
    value = item.entries[_OUTCOME].value
    edits = [Edit(Span(item.start, value.start), "")]
    if item.flow:
        return [*edits, Edit(Span(value.end, item.end), "")]
    return [*edits, *shifted(text, value.span, -_depth(text, item))]


def _depth(text: str, item: Node) -> int:
    """Return how much deeper the lines of a text are indented as the value of a key of the item."""
    dash = dash_of(text, item)
    return 2 if dash is None else column(text, item.start) - column(text, dash)


def _is_json(text: str, listed: Sequence) -> bool:
    """Whether the list is in a context where keys are quoted too, as in JSON."""
    before = text[: listed.start].rstrip()
    return before.endswith('":')


def missing_ranges(part: Part) -> Iterator[Proposal]:
    """Propose ranges for the scores that the selected ranges do not cover."""
    for rubric in part.written.elements():
        if not isinstance(rubric, ParsedRubric):
            continue
        entry = rubric.node.entries.get("score_ranges")
        if entry is None or not part.touches_entry(entry):
            continue
        listed, mapped = rubric.listed_ranges(), rubric.mapped_ranges()
        if listed and isinstance(entry.value, Sequence):
            candidates = [added_to_list(part.text, entry.value, listed), widened(listed)]
        elif mapped and isinstance(entry.value, Mapping):
            candidates = [added_to_map(part.text, entry.value, mapped)]
        else:
            continue
        for fixed in candidates:
            if fixed is not None:
                title, edits = fixed
                yield Proposal(title, "refactor.rewrite", edits, adds=True)
