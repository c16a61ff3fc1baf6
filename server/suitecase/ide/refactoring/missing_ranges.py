"""Score ranges that leave scores without meaning: the neighbours widened, or ranges added.

An added range says where it lies between its neighbours, in their words. That is something a judge
can grade by, and a person will want to say better.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from suitecase.ide.refactoring.part import Part, Proposal
from suitecase.rewriting.lines import column, dash_of, indented, line_end, newline
from suitecase.rule import Edit
from suitecase.suite.elements import WrittenRubric
from suitecase.syntax.emitting import yaml_text
from suitecase.syntax.node import Mapping, Scalar, Sequence, Span
from suitecase_evaluators.rubric import TOP, range_problems, scores

Listed = list[tuple[int, int, Mapping]]


def missing_ranges(part: Part) -> Iterator[Proposal]:
    """Propose to give the scores a meaning that the ranges that are touched leave without one."""
    for rubric in part.written.elements():
        if not isinstance(rubric, WrittenRubric):
            continue
        entry = rubric.node.entries.get("score_ranges")
        if entry is None or not part.touches_entry(entry):
            continue
        listed, mapped = rubric.listed_ranges(), rubric.mapped_ranges()
        if listed and isinstance(entry.value, Sequence):
            yield from _in_list(part.text, entry.value, listed)
        elif mapped and isinstance(entry.value, Mapping):
            yield from _in_map(part.text, entry.value, mapped)


def _in_list(text: str, ranges: Sequence, listed: Listed) -> Iterator[Proposal]:
    if {it.kind for it in range_problems([(low, high) for low, high, _ in listed])} != {"coverage"}:
        return
    gaps = _gaps(listed)
    named = scores([score for low, high in gaps for score in range(low, high + 1)])
    added = [_added(text, ranges, listed, gap) for gap in gaps]
    if None not in added:
        title = f"Add what {named} {'means' if named.isdigit() else 'mean'}"
        edits = tuple(it for it in added if it is not None)
        yield Proposal(title, "refactor.rewrite", edits, adds=True)
    widened = tuple(_widened(listed, gap) for gap in gaps)
    yield Proposal(f"Widen the ranges over {named}", "refactor.rewrite", widened, adds=True)


def _gaps(listed: Listed) -> list[tuple[int, int]]:
    """Return the runs of scores that no range covers; the ranges overlap nowhere."""
    gaps: list[tuple[int, int]] = []
    free = 0
    for low, high, _ in sorted(listed, key=lambda it: it[0]):
        if free < low:
            gaps.append((free, low - 1))
        free = high + 1
    return gaps if free > TOP else [*gaps, (free, TOP)]


def _neighbours(listed: Listed, gap: tuple[int, int]) -> tuple[Mapping | None, Mapping | None]:
    below = next((it for _, high, it in listed if high == gap[0] - 1), None)
    above = next((it for low, _, it in listed if low == gap[1] + 1), None)
    return below, above


def _widened(listed: Listed, gap: tuple[int, int]) -> Edit:
    """Let the range below reach over a gap; where there is none, the one above."""
    below, above = _neighbours(listed, gap)
    pair = (below or above or listed[0][2]).get("score_range")
    ends = pair.items if isinstance(pair, Sequence) else []
    return Edit(ends[1].span, str(gap[1])) if below else Edit(ends[0].span, str(gap[0]))


def _added(text: str, ranges: Sequence, listed: Listed, gap: tuple[int, int]) -> Edit | None:
    below, above = _neighbours(listed, gap)
    said = _between(*(it.get("expected_outcome") if it else None for it in (below, above)))
    if said is None:
        return None
    falling = [low for low, _, _ in listed] == sorted((it[0] for it in listed), reverse=True)
    before, behind = (above, below) if falling and len(listed) > 1 else (below, above)
    pair = f"[{gap[0]}, {gap[1]}]"
    if ranges.flow:
        first = before or behind
        quote = '"' if first is not None and first.entries["score_range"].key.style == '"' else ""
        item = f"{{{quote}score_range{quote}: {pair}, {quote}expected_outcome{quote}: "
        item += f"{json.dumps(said, ensure_ascii=False)}}}"
        if before is not None:
            return Edit(Span(before.end, before.end), f", {item}")
        start = behind.start if behind is not None else ranges.end - 1
        return Edit(Span(start, start), f"{item}, ")
    br = newline(text)
    dash = dash_of(text, before or behind or ranges.items[0])
    if dash is None:
        return None
    depth = column(text, dash)
    outcome = indented(yaml_text({"expected_outcome": said}), 2)
    lines = indented(f"- score_range: {pair}\n{outcome}", depth).replace("\n", br)
    if before is None:
        return Edit(Span(dash, dash), lines[depth:] + " " * depth)
    end = line_end(text, before.end)
    at_end = not text[:end].endswith("\n")
    return Edit(Span(end, end), br + lines.removesuffix(br) if at_end else lines)


def _in_map(text: str, ranges: Mapping, mapped: list[tuple[int, Scalar]]) -> Iterator[Proposal]:
    """Propose what the scores below the lowest key mean; above it each one has a meaning."""
    lowest, key = min(mapped, key=lambda it: it[0])
    entry = ranges.entries.get(str(lowest))
    said = _between(None, entry.value) if entry is not None and not entry.merged else None
    if not 0 < lowest <= TOP or said is None:
        return
    if ranges.flow:
        quote = key.style if key.style in ("'", '"') else ""
        lines = f"{quote}0{quote}: {json.dumps(said, ensure_ascii=False)}, "
    else:
        depth, br = column(text, key.start), newline(text)
        written = yaml_text({"score_ranges": {"0": said}}).partition("\n")[2]
        lines = indented(written, depth - 2).replace("\n", br)[depth:] + " " * depth
    named = scores(range(lowest))
    title = f"Add what {named} {'means' if named.isdigit() else 'mean'}"
    edit = Edit(Span(key.start, key.start), lines)
    yield Proposal(title, "refactor.rewrite", (edit,), adds=True)


def _between(below: object, above: object) -> str | None:
    """Return what a range between two is like, in their words; None where neither says any."""
    lower, upper = (
        " ".join(it.text.split()) if isinstance(it, Scalar) and isinstance(it.value, str) else ""
        for it in (below, above)
    )
    if lower and upper:
        return f"Better than “{lower}”, not yet “{upper}”"
    if lower:
        return f"Better than “{lower}”"
    return f"Worse than “{upper}”" if upper else None
