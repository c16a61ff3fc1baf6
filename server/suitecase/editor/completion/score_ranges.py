"""Completion of the next score range of a rubric: the scores not covered yet."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.skeletons import key
from suitecase.editor.completion.template import Break, Stop, Template, separated
from suitecase.editor.hover.score_bars import readable_ranges
from suitecase.formats.suitecase.elements import ParsedRubric
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.answers.rubric import TOP, bounds_of_map, scores

_RANGES = "score_ranges"
_RANGE = "score_range"


def score_ranges(context: Context) -> Iterator[Item]:
    """Yield the next score ranges of a rubric, if the cursor is among them."""
    path = context.path
    if context.shape == "key":
        if len(path) > 1 and path[-2] == _RANGES:
            yield from _next_bounds(context)
    elif path[-1:] == ("required_min_score",) and context.shape == "inline":
        yield from _gates(context)
    elif path[-1:] == (_RANGE,) and context.shape == "inline":
        if free := _free(context, path[:-2]):
            yield _item(f"[{free[0]}, {free[1]}]", _pair(free))
    elif path[-2:-1] == (_RANGE,) and isinstance(path[-1], int):
        yield from _limits(context, path[-1])
    elif path[-2:-1] == (_RANGES,) and context.shape == "item":
        if free := _free(context, path[:-1]):
            yield _item(f"range {free[0]} to {free[1]}", _range(free, context))
    elif path[-1:] == (_RANGES,) and context.shape == "own line":
        column = Break(context.column)
        bounds = separated(((f"{low}: ", Stop()) for low in (0, 4, 7)), column)
        yield _item("ranges by their lowest score", bounds)


def next_range(context: Context) -> Template:
    """Return the next range as the value of a key: `[4, 10]`."""
    ranges = context.holder if context.shape == "key" else context.path
    free = _free(context, ranges[:-1])
    return (": ", *_pair(free)) if free else (": ", Stop())


def _pair(free: tuple[int, int]) -> Template:
    return ("[", Stop(str(free[0])), ", ", Stop(str(free[1])), "]")


def _range(free: tuple[int, int], context: Context) -> Template:
    layout = context.layout
    outcome = (*key("expected_outcome", layout), ": ", Stop())
    return (*key(_RANGE, layout), ": ", *_pair(free), Break(context.column), *outcome)


def _next_bounds(context: Context) -> Iterator[Item]:
    """Yield the lowest scores that another range of the mapping form can begin at."""
    lows = sorted(int(it) for it in context.present if it.isdigit() and int(it) <= TOP)
    taken = set(lows)
    if 0 not in taken:
        likeliest = 0
    else:
        widths = [high - low + 1 for low, high in bounds_of_map(lows)[:-1]]
        likeliest = min(lows[-1] + (widths[-1] if widths else 4), TOP)
    free = [number for number in range(TOP + 1) if number not in taken]
    free = [likeliest] if likeliest == 0 else free
    for low in sorted(free, key=lambda it: (it != likeliest, it <= max(taken, default=-1), it)):
        (reached,) = (high for start, high in bounds_of_map([*lows, low]) if start == low)
        quote = '"' if context.layout.quotes_keys else ""
        yield Item(
            label=str(low),
            kind=ItemKind.NUMBER,
            template=(f"{quote}{low}{quote}",)
            if context.has_colon
            else (f"{quote}{low}{quote}: ",),
            detail=f"what {scores(range(low, reached + 1))} means",
        )


def _gates(context: Context) -> Iterator[Item]:
    """Yield the lowest scores of a rubric's ranges: the likeliest required scores."""
    if not isinstance(context.parent, Mapping) or context.typed.strip("0123456789"):
        return
    for low, _, text in readable_ranges(ParsedRubric(context.parent, 1)):
        if 0 < low <= TOP:
            yield Item(
                label=str(low),
                kind=ItemKind.NUMBER,
                template=(str(low),),
                detail=" ".join(text.split())[:60],
            )


def _limits(context: Context, index: int) -> Iterator[Item]:
    """Yield the numbers that an end of a range may be, the likeliest first."""
    low, high = _free(context, context.path[:-3]) or (TOP, TOP)
    pair = context.node_at(context.holder)
    ends = pair.items if isinstance(pair, Sequence) else []
    if len(ends) > 2:
        return
    first = ends[0] if ends else None
    if index == 0:
        yield from (_number(number) for number in range(low, TOP + 1))
    elif index == 1 and isinstance(first, Scalar) and type(first.value) is int:
        end = high if high >= first.value else TOP
        offered = range(max(first.value, 0), TOP + 1)
        yield from (_number(it) for it in sorted(offered, key=lambda it: it != end))


def _free(context: Context, path: tuple[str | int, ...]) -> tuple[int, int] | None:
    """Return the first uncovered scores after the last range, or else the first uncovered ones."""
    covered = _covered(context.node_at(path), context)
    free = [score for score in range(TOP + 1) if score not in covered]
    if not free:
        return None
    after_last = [it for it in free if it > max(covered, default=-1)]
    low = (after_last or free)[0]
    high = low
    while high + 1 in free:
        high += 1
    return low, high


def _covered(ranges: Node | None, context: Context) -> set[int]:
    covered: set[int] = set()
    path = context.path
    for number, item in enumerate(ranges.items if isinstance(ranges, Sequence) else ()):
        pair = item.get(_RANGE) if isinstance(item, Mapping) else None
        if not isinstance(pair, Sequence) or len(pair.items) != 2:
            continue
        if (_RANGES, number, _RANGE) in (path[-3:], path[-4:-1]):
            continue  # the range at the cursor
        ends = [it.value for it in pair.items if isinstance(it, Scalar)]
        if len(ends) == 2 and all(type(end) is int and 0 <= end <= TOP for end in ends):
            covered |= set(range(int(str(ends[0])), int(str(ends[1])) + 1))
    return covered


def _number(score: int) -> Item:
    return Item(label=str(score), kind=ItemKind.NUMBER, template=(str(score),))


def _item(label: str, template: Template) -> Item:
    return Item(
        label=label,
        kind=ItemKind.SCAFFOLD,
        template=template,
        detail="score ranges",
        typed=f"score_range {label}",
    )
