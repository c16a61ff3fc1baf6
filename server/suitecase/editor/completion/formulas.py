"""Completion inside gates and metrics: figures, functions, slices, comparisons, thresholds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Stop, Template
from suitecase.editor.completion.thresholds import thresholds
from suitecase.editor.completion.whole_gates import quoted_whole, whole_gates
from suitecase.editor.figure_words import FUNCTION_WORDS, WORDS, FigureChoice, figure_choices
from suitecase.editor.formula_parts import EXTREMES, FUNCTIONS
from suitecase.figures.gates.meaning import FROM_FILES, OF_PEOPLE, FigureKind, Meaning
from suitecase.figures.gates.names import SuiteFigures, suite_figures
from suitecase.figures.gates.slices import SliceChoice
from suitecase.figures.gates.spelling import facet_text, slice_text
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.schema.role_texts import role_at
from suitecase.text.node import Span
from suitecase.text.plural import counted
from suitecase_evaluators.schema.field_role import FieldRole

_SLICE = re.compile(r"\[([^\]]*)\Z")
_FACET = re.compile(r"[\w`\]]\s+by\s+(`[^`]*|[\w@^-]*)\Z")
_NUMBER = re.compile(r"[<>=]\s*(-?[\d.]*)\Z")
#: After a figure and a blank: a comparison, an operator, or `by`.
_OPERATOR = re.compile(r"(?<![\w`)\]%])(?P<operand>[\w`)\]%]++)\s++(?P<operator>[<>=b]?[=y]?)\Z")
_FIGURE = re.compile(
    r"(?:(?:`[^`]*`|[^\W\d][\w@^-]*)(?:\.(?:`[^`]*`|[\w@^-]*))*|`[^`]*)?(?<![)\]])\Z"
)
#: In characters. A figure is not looked for in more, whatever stands before the cursor.
_LONGEST_FIGURE = 1_000
_WEIGHT = re.compile(r"(?:^|[\s(+-])[\d.]+\Z")
_REST_OF_SLICE = re.compile(r"[^\[\]<>=()]*(?=\])|[\w=@^-]*")
_REST_OF_NAME = re.compile(r"[\w@^.-]*`?")
_REST_OF_NUMBER = re.compile(r"[\d.]*%?")
_IN_CORRECTED = re.compile(r"\bcorrected\s*\(\s*\Z")
#: What may stand before a function, or before a figure that is no part of a sum.
_OUTERMOST = re.compile(r"\s*(?:(?:lower|upper)\s*\(\s*)?")
_OPEN_EXTREME = re.compile(r"\b(?:min|max|gap)\s*\([^)]*\Z")
#: What ends a plain scalar, everywhere and inside brackets.
_ENDS_PLAIN = re.compile(r":(?:\s|\Z)|\s#")
_ENDS_FLOW = re.compile(r"[,\[\]{}]")


@dataclass(frozen=True, slots=True)
class _Cursor:
    """A cursor in a gate or a metric: the text before it and after it."""

    context: Context
    figures: SuiteFigures
    before: str
    after: str
    is_metric: bool

    def item(
        self,
        label: str,
        typed: str,
        rest: re.Pattern[str],
        *,
        template: Template | None = None,
        kind: ItemKind = ItemKind.NAME,
        detail: str = "",
        documentation: str = "",
    ) -> Item:
        """Return an item that replaces a word, from its start to where the text goes on."""
        offset = self.context.offset
        match = rest.match(self.after)
        span = Span(offset - len(typed), offset + (match.end() if match else 0))
        return Item(
            label=label,
            kind=kind,
            template=template or (label,),
            detail=detail,
            documentation=documentation,
            span=span,
        )


def formulas(context: Context, suite: ParsedSuite | None) -> list[Item] | None:
    """Return what is offered at a cursor in a gate or a metric; None elsewhere, and in an empty item."""
    if suite is None or context.shape == "key" or context.in_prose:
        return None
    role = role_at(context.model, context.root, context.path)
    if role not in (FieldRole.GATE, FieldRole.METRIC):
        return None
    figures = suite_figures(suite)
    after = context.text[context.offset : context.span.end]
    cursor = _Cursor(context, figures, context.typed, after, role is FieldRole.METRIC)
    is_start = not re.search(r"[\s([`<>=]", cursor.before)
    items = [*_at(cursor)]
    if is_start and not cursor.is_metric and not after.strip():
        items = [*whole_gates(context, figures), *items]
    if not cursor.before.strip() and context.shape == "item":
        return None  # the start of a mapping is offered there, too: see `empty_gate`
    return items


def empty_gate(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield whole gates and figures where an item of `gates` begins."""
    if suite is None or role_at(context.model, context.root, context.path) is not FieldRole.GATE:
        return
    figures = suite_figures(suite)
    yield from whole_gates(context, figures)
    yield from _figures(_Cursor(context, figures, "", "", is_metric=False), "")


def _at(cursor: _Cursor) -> Iterator[Item]:
    if match := _SLICE.search(cursor.before):
        yield from _slices(cursor, match[1].lstrip())
    elif match := _FACET.search(cursor.before):
        yield from _facets(cursor, match[1])
    elif match := _NUMBER.search(cursor.before):
        if not cursor.is_metric:
            yield from _thresholds(cursor, match[1])
    elif match := _OPERATOR.search(cursor.before):
        yield from _operators(cursor, match["operand"], match["operator"])
    elif not _WEIGHT.search(cursor.before) and (
        match := _FIGURE.search(cursor.before[-_LONGEST_FIGURE:])
    ):
        yield from _figures(cursor, match[0])
        yield from _functions(cursor, match[0])


def _figures(cursor: _Cursor, typed: str) -> Iterator[Item]:
    starts_scalar = len(cursor.before) == len(typed) and not cursor.context.style
    for choice in figure_choices(cursor.figures):
        meaning = choice.meaning
        if not _is_offered(choice, cursor, cursor.before[: len(cursor.before) - len(typed)]):
            continue
        is_own = meaning.kind is FigureKind.METRIC and cursor.context.path[-1] == meaning.evaluator
        if cursor.is_metric and is_own:
            continue
        template: Template = (choice.text,)
        if choice.text.startswith("`") and starts_scalar:
            template = quoted_whole((choice.text, Stop()))
        elif not _fits(choice.text, cursor.context):
            continue
        yield cursor.item(
            choice.text,
            typed,
            _REST_OF_NAME,
            template=template,
            kind=ItemKind.VARIABLE,
            detail=_detail(meaning),
            documentation=WORDS[meaning.kind],
        )


def _detail(meaning: Meaning) -> str:
    if meaning.kind in FROM_FILES:
        of_people = meaning.kind in OF_PEOPLE.values()
        return f"{'people' if of_people else 'judge'}, by {meaning.evaluator}"
    match meaning.kind:
        case FigureKind.METRIC:
            return "metric"
        case FigureKind.EVALUATOR_SCORE | FigureKind.EVALUATOR_PASS_RATE:
            return "evaluator"
        case FigureKind.EVALUATOR_PART:
            return f"part of {meaning.evaluator}"
        case FigureKind.RECALL | FigureKind.MACRO_F1:
            return f"labels of {meaning.evaluator}"
        case FigureKind.TIES | FigureKind.CONSISTENCY:
            return f"comparisons of {meaning.evaluator}"
        case _:
            return "built-in figure"


def _can_be_corrected(choice: FigureChoice, cursor: _Cursor) -> bool:
    """Whether a figure is the pass rate of an evaluator under `judges`."""
    meaning = choice.meaning
    return (
        meaning.kind is FigureKind.EVALUATOR_PASS_RATE
        and meaning.evaluator in cursor.figures.names.judges
    )


def _is_offered(choice: FigureChoice, cursor: _Cursor, start: str) -> bool:
    """Whether a figure can stand after the start of a gate."""
    if _IN_CORRECTED.search(start):
        return _can_be_corrected(choice, cursor)
    if choice.meaning.kind in FROM_FILES:  # alone, or its bound
        return not cursor.is_metric and _OUTERMOST.fullmatch(start) is not None
    return True


def _functions(cursor: _Cursor, typed: str) -> Iterator[Item]:
    start = cursor.before[: len(cursor.before) - len(typed)]
    if "." in typed or "`" in typed or _OPEN_EXTREME.search(start) or _IN_CORRECTED.search(start):
        return
    outside = not cursor.is_metric and _OUTERMOST.fullmatch(start)
    inside = {"change", "corrected"} if "(" in start else FUNCTIONS
    rates = [
        figure_choice.text
        for figure_choice in figure_choices(cursor.figures)
        if _can_be_corrected(figure_choice, cursor)
    ]
    facet = Stop(choices=tuple(filter(None, map(facet_text, cursor.figures.facets))))
    for name, words in FUNCTION_WORDS.items():
        if name in FUNCTIONS and not (outside and name in inside):
            continue
        if name == "corrected" and not rates:
            continue
        closed = cursor.after.startswith("(")
        of: Template = (Stop("pass_rate"),)
        if name in EXTREMES:
            of = (Stop("pass_rate"), " by ", facet)
        elif name == "corrected":
            of = (Stop(rates[0]),)
        yield cursor.item(
            name,
            typed,
            _REST_OF_NAME,
            template=(name,) if closed else (f"{name}(", *of, ")"),
            kind=ItemKind.WORD,
            detail="function",
            documentation=words,
        )


def _slices(cursor: _Cursor, typed: str) -> Iterator[Item]:
    rest = _REST_OF_SLICE.match(cursor.after)
    closing = "" if cursor.after.startswith("]", rest.end() if rest else 0) else "]"
    for choice, what in _slice_choices(cursor.figures):
        text = slice_text(choice.name)
        if text is None or not _fits(text, cursor.context):
            continue
        count = counted(len(cursor.figures.cases_of(choice)), "case")
        yield cursor.item(
            text, typed, _REST_OF_SLICE, template=(text + closing,), detail=f"{what}, {count}"
        )


def _slice_choices(figures: SuiteFigures) -> Iterator[tuple[SliceChoice, str]]:
    """Yield the slices of a suite: declared ones, the values of facets, and tags, common ones first."""
    names = [(name, "slice") for name, it in figures.slices.items() if not it.by]
    for facet in figures.facets:
        names += [
            (f"{facet}={value}", "facet") for value in figures.values_of(facet) if value is not None
        ]
    names += [(name, "tag") for name, _ in figures.tags.most_common()]
    seen: set[str] = set()
    for name, what in names:
        choice = figures.choose(name)
        if choice is not None and name not in seen:
            seen.add(name)
            yield choice, what


def _facets(cursor: _Cursor, typed: str) -> Iterator[Item]:
    for name, facet in cursor.figures.facets.items():
        text = facet_text(name)
        if text is not None and _fits(text, cursor.context):
            values = sum(value is not None for value in cursor.figures.values_of(name))
            yield cursor.item(
                text,
                typed,
                _REST_OF_NAME,
                detail=f"facet, {counted(values, 'value')}",
                documentation=f"By `{facet.by}`.",
            )


def _operators(cursor: _Cursor, operand: str, typed: str) -> Iterator[Item]:
    rest = re.compile(r"[<>=]*")
    in_extreme = _OPEN_EXTREME.search(cursor.before) is not None
    if re.fullmatch(r"[\d.]+%?", operand):
        words = {"*": "times a figure"}
    elif in_extreme:
        words = {"by": "and a facet"}
    else:
        words = {"+": "plus a figure", "-": "minus a figure"}
        if not cursor.is_metric and cursor.before.count("(") == cursor.before.count(")"):
            words = {
                ">=": "at least",
                "<=": "at most",
                ">": "more than",
                "<": "less than",
                **words,
            }
    for word, what in words.items():
        space = "" if cursor.after.startswith(" ") else " "
        yield cursor.item(
            word, typed, rest, template=(word + space,), kind=ItemKind.WORD, detail=what
        )


def _thresholds(cursor: _Cursor, typed: str) -> Iterator[Item]:
    before = cursor.before[: len(cursor.before) - len(typed)]
    for text, detail in thresholds(before, cursor.figures):
        yield cursor.item(text, typed, _REST_OF_NUMBER, kind=ItemKind.NUMBER, detail=detail)


def _fits(text: str, context: Context) -> bool:
    """Whether a text means the same in the scalar around the cursor."""
    if context.style == "'":
        return "'" not in text
    if context.style == '"':
        return '"' not in text and "\\" not in text
    return not _ENDS_PLAIN.search(text) and not (context.flow and _ENDS_FLOW.search(text))
