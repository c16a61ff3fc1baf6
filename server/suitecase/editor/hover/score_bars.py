"""Score ranges drawn as bars: the meaning of each score from 0 to 10, gaps, and the gate."""

from __future__ import annotations

from suitecase.editor.markdown import fenced
from suitecase.formats.suitecase.elements import ParsedRubric
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.answers.rubric import HIT_AT, TOP, bounds_of_map, range_score_text

#: Characters per score, and for the name of a row.
_CELL = 3
_NAME = 6
_LONGEST = 40
#: More ranges than this are a mistake, and not worth drawing.
_MOST = 2 * (TOP + 1)


def score_bars(rubric: ParsedRubric, last: int | None = None, *, stale: bool = False) -> str | None:
    """Return a code block with a row per range; None if the ranges are invalid.

    Args:
        rubric: the rubric.
        last: the score of the last answer; None if unknown.
        stale: whether the case has changed since.
    """
    ranges = readable_ranges(rubric)
    if not ranges or len(ranges) > _MOST:
        return None
    counts = [sum(low <= score <= high for low, high, _ in ranges) for score in range(TOP + 1)]
    rows = [" " * _NAME + "".join(f"{score:>{_CELL}}" for score in range(TOP + 1))]
    for low, high, text in ranges:
        inside = [low <= score <= high for score in range(TOP + 1)]
        rows.append(_row(f"{low}-{high}" if low != high else str(low), inside, "■", text))
    if 0 in counts:
        rows.append(_row("gap", [count == 0 for count in counts], "?", "no range covers these"))
    if max(counts) > 1:
        rows.append(
            _row("twice", [count > 1 for count in counts], "!", "more than one range covers these")
        )
    gate = _gate(rubric)
    if gate is not None:
        fails = [score < gate for score in range(TOP + 1)]
        rows.append(_row("gate", fails, "✗", f"below {gate} fails the case"))
    least = max(HIT_AT, gate or 0)
    rows.append(_row("hit", [score >= least for score in range(TOP + 1)], "✓", f"from {least}"))
    if last is not None:
        rows.append(
            _row("last", [number == last for number in range(TOP + 1)], "●", _judged(last, gate))
        )
        rows[-1] += " (stale)" if stale else ""
    return fenced("\n".join(rows))


def _judged(score: int, gate: int | None) -> str:
    """Return what a score means by the current ranges."""
    sign = "✓" if score >= max(HIT_AT, gate or 0) else "✗"
    return f"{sign} {range_score_text(score, gate)}"


def _row(name: str, marked: list[bool], mark: str, text: str) -> str:
    cells = "".join(f"{mark if it else '·':>{_CELL}}" for it in marked)
    label = " ".join(text.split())
    label = label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…"
    return f"{name:<{_NAME}}{cells}  {label}".rstrip()


def readable_ranges(rubric: ParsedRubric) -> list[tuple[int, int, str]]:
    """Return the ranges as (lowest, highest, text), lowest first, valid or not."""
    listed = rubric.listed_ranges()
    if listed is not None:
        return sorted((low, high, _text(node)) for low, high, node in listed)
    mapped = rubric.mapped_ranges()
    node = rubric.node.get("score_ranges")
    if not mapped or not isinstance(node, Mapping):
        return []
    values = [_text(entry.value) for _, entry in node]
    lows = [low for low, _ in mapped]
    if len(set(lows)) < len(lows):
        return []
    bounds = bounds_of_map(lows)
    return sorted((low, high, text) for (low, high), text in zip(bounds, values, strict=True))


def _text(node: object) -> str:
    if isinstance(node, Mapping):
        node = node.get("expected_outcome")
    return node.text if isinstance(node, Scalar) else ""


def _gate(rubric: ParsedRubric) -> int | None:
    """Return the score below which the item fails the case."""
    minimum, required = rubric.node.get("required_min_score"), rubric.node.get("required")
    if isinstance(minimum, Scalar):
        value = minimum.value
        return value if type(value) is int and 0 < value <= TOP else None
    return TOP if isinstance(required, Scalar) and required.value is True else None
