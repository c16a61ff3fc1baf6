"""Score ranges that leave scores without meaning: the neighbours widened, or ranges added.

An added range says where it lies between its neighbours, in their words. That is something a judge
can grade by, and a person will want to say better.
"""

from __future__ import annotations

from suitecase.format.rewriting.lines import column, dash_of, indented, line_end, newline
from suitecase.format.rule import Edit
from suitecase.text.emitting import in_quotes, yaml_text
from suitecase.text.node import Mapping, Scalar, Sequence, Span
from suitecase_evaluators.answers.rubric import TOP, range_problems, scores

Listed = list[tuple[int, int, Mapping]]
#: The title of a fix (a verb phrase) and its edits.
TitledEdits = tuple[str, tuple[Edit, ...]]


def widened(listed: Listed) -> TitledEdits | None:
    """Let the ranges of a list reach over the scores that none of them covers.

    None where there are none, or where something else is wrong with the ranges.
    """
    if not _only_gaps(listed):
        return None
    gaps = _gaps(listed)
    edits = tuple(_widened(listed, gap) for gap in gaps)
    return f"Widen the ranges over {_named(gaps)}", edits


def added_to_list(text: str, ranges: Sequence, listed: Listed) -> TitledEdits | None:
    """Add ranges for the scores that none of a list covers."""
    if not _only_gaps(listed):
        return None
    gaps = _gaps(listed)
    added = [_added(text, ranges, listed, gap) for gap in gaps]
    edits = tuple(it for it in added if it is not None)
    return (_add(_named(gaps)), edits) if len(edits) == len(gaps) else None


def added_to_map(
    text: str, ranges: Mapping, mapped: list[tuple[int, Scalar]]
) -> TitledEdits | None:
    """Add what the scores below the lowest key of a map mean; above it each one has a meaning."""
    lowest, key = min(mapped, key=lambda it: it[0])
    entry = ranges.entries.get(str(lowest))
    said = _between(None, entry.value) if entry is not None and not entry.merged else None
    if not 0 < lowest <= TOP or said is None:
        return None
    if ranges.flow:
        quote = key.style if key.style in ("'", '"') else ""
        lines = f"{quote}0{quote}: {in_quotes(said)}, "
    else:
        depth, br = column(text, key.start), newline(text)
        written = yaml_text({"score_ranges": {"0": said}}).partition("\n")[2]
        lines = indented(written, depth - 2).replace("\n", br)[depth:] + " " * depth
    return _add(scores(range(lowest))), (Edit(Span(key.start, key.start), lines),)


def _add(named: str) -> str:
    return f"Add what {named} {'means' if named.isdigit() else 'mean'}"


def _only_gaps(listed: Listed) -> bool:
    problems = range_problems([(low, high) for low, high, _ in listed])
    return bool(listed) and {problem.kind for problem in problems} == {"coverage"}


def _named(gaps: list[tuple[int, int]]) -> str:
    return scores([score for low, high in gaps for score in range(low, high + 1)])


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
        item += f"{in_quotes(said)}}}"
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
