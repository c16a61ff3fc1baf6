"""Gates are parsed with the place of each part, and mistakes are named at their place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.figures.gates.grammar import (
    Call,
    Extreme,
    Figure,
    Gate,
    Part,
    Sum,
    figures_in,
    functions_in,
    sum_of,
)
from suitecase.figures.gates.parsing import LONGEST, GateProblem, parse_gate, parse_metric


def _gate(text: str) -> Gate:
    found = parse_gate(text)
    assert isinstance(found, Gate), found
    return found


def _problem(text: str) -> tuple[str, str, str | None]:
    """Return the text that a problem points at, its message, and what was meant."""
    found = parse_gate(text)
    assert isinstance(found, GateProblem), found
    return text[found.start : found.end], found.message, found.replacement


def _cut(text: str, part: Part) -> str:
    return text[part.start : part.end]


def test_each_part_has_its_place() -> None:
    text = "  lower( 0.5*pass_rate[ red team ]  + tone.warm ) >=  12.5 % "
    gate = _gate(text)
    call = gate.expression
    assert isinstance(call, Call)
    first, second = sum_of(gate).terms

    assert _cut(text, gate) == text.strip()
    assert _cut(text, call) == "lower( 0.5*pass_rate[ red team ]  + tone.warm )"
    assert _cut(text, call.function) == "lower"
    assert _cut(text, sum_of(gate)) == "0.5*pass_rate[ red team ]  + tone.warm"
    assert _cut(text, first) == "0.5*pass_rate[ red team ]"
    assert first.number is not None
    assert _cut(text, first.number) == "0.5"
    assert isinstance(first.of, Figure)
    assert _cut(text, first.of) == "pass_rate[ red team ]"
    assert first.of.slice is not None
    assert _cut(text, first.of.slice) == first.of.slice.text == "red team"
    assert isinstance(second.of, Figure)
    assert [_cut(text, it) for it in second.of.names] == ["tone", "warm"]
    assert text[second.of.start : second.of.name_end] == "tone.warm"
    assert _cut(text, gate.operator) == ">="
    assert _cut(text, gate.threshold) == "12.5 %"


def test_a_comparison_by_a_facet_has_its_parts() -> None:
    text = "gap( score[new] by `spoken language` ) <= 10%"
    of = sum_of(_gate(text)).only_term

    assert isinstance(of, Extreme)
    assert (of.function.text, of.figure.name, of.facet.text) == ("gap", "score", "spoken language")
    assert _cut(text, of.facet) == "`spoken language`"
    assert _cut(text, of) == "gap( score[new] by `spoken language` )"


@pytest.mark.parametrize(
    ("written", "value", "percent"),
    [
        ("90%", 0.9, True),
        ("90 %", 0.9, True),
        ("99.9%", 0.999, True),
        (".5", 0.5, False),
        ("-2%", -0.02, True),
        ("0", 0.0, False),
        ("007", 7.0, False),
        ("4000", 4000.0, False),
    ],
)
def test_thresholds(written: str, value: float, percent: bool) -> None:
    threshold = _gate(f"pass_rate >= {written}").threshold

    assert (threshold.value, threshold.percent) == (value, percent)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pass@3", ["pass@3"]),
        ("pass^10", ["pass^10"]),
        ("red-team.tone_2", ["red-team", "tone_2"]),
        ("ton_größe", ["ton_größe"]),
        ("`any name.x`.pass_rate", ["any name.x", "pass_rate"]),
        ("tone.2nd", ["tone", "2nd"]),
        ("tone.`so warm!`", ["tone", "so warm!"]),
        ("по_русски", ["по_русски"]),
        ("min", ["min"]),
        ("by", ["by"]),
        ("lower", ["lower"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    (figure,) = figures_in(_gate(f"{text} >= 0"))

    assert [it.text for it in figure.names] == names


def test_a_hyphen_belongs_to_a_name_and_a_minus_stands_between_blanks() -> None:
    assert [it.name for it in figures_in(_gate("a-b - c-d >= 0"))] == ["a-b", "c-d"]
    assert [it.weight for it in sum_of(_gate("a - 0.5 * b + c >= 0")).terms] == [1, -0.5, 1]


def test_functions_are_around_sums() -> None:
    gate = _gate("upper(change(score - pass_rate)) < 0.1")

    assert [it.text for it in functions_in(gate)] == ["upper", "change"]
    assert not gate.at_least


MISTAKES = [
    ("pass_rate => 90%", "=>", "`=>` is not a comparison; did you mean `>=`?", ">="),
    ("pass_rate ≥ 90%", "≥", "`≥` is not a comparison; did you mean `>=`?", ">="),
    ("pass_rate == 1", "==", "`==` is not a comparison; expected `>=`, `<=`, `>` or `<`", None),
    ("pass_rate", "e", "expected a comparison, such as `>= 90%`, after the figure", None),
    ("pass_rate >=", "=", "expected a number, such as `90%`, after this", None),
    ("pass_rate >= high", "high", "expected a number here, such as `90%` or `0.9`", None),
    ("pass_rate >= 5 %%", "%", "unexpected `%`", None),
    ("90% <= pass_rate", "90%", "expected a figure here, such as `pass_rate`", None),
    (">= 90%", ">", "expected a figure here, such as `pass_rate`", None),
    ("0 < pass_rate < 1", "0", "expected a figure here, such as `pass_rate`", None),
    ("pass_rate > 0 < 1", "< 1", "a gate has one comparison; write a second gate", None),
    ("pass_rate[critical >= 1", "[critical >= 1", "this `[` is not closed by `]`", None),
    ("pass_rate[ ] >= 1", "[ ]", "expected the name of a slice between `[` and `]`", None),
    ("tone. >= 1", ".", "expected a name after the dot", None),
    ("lowr(score) >= 1", "lowr", "unknown function `lowr`; did you mean `lower`?", "lower"),
    ("mean(score) >= 1", "mean", "unknown function `mean`", None),
    ("lower(score >= 1", ">", "expected `)` here", None),
    ("lower(upper(score)) >= 1", "upper", "`upper` cannot be inside `lower`", None),
    ("change(change(score)) >= 1", "change", "`change` cannot be inside `change`", None),
    (
        "lower(a) - lower(b) >= 0",
        "-",
        "the bound or change of a figure cannot be part of a sum",
        None,
    ),
    ("a + lower(b) >= 0", "lower", "`lower(...)` cannot be part of a sum", None),
    ("a and b >= 0", "and", "expected `>=`, `<=`, `>` or `<` in place of `and`", None),
    ("gap(score) <= 1", ")", "expected `by` and a facet, as in `gap(score by language)`", None),
    ("gap(score by ) <= 1", "by", "expected the name of a facet after `by`", None),
    ("score >= 1e400", "e400", "unexpected `e400`", None),
    ("", "", "expected a figure here, such as `pass_rate`", None),
]


@pytest.mark.parametrize(("text", "at", "message", "meant"), MISTAKES)
def test_mistakes(text: str, at: str, message: str, meant: str | None) -> None:
    found_at, found, replacement = _problem(text)

    assert (found_at, replacement) == (at, meant)
    assert found.startswith(message)


def test_a_number_without_end_is_refused() -> None:
    assert _problem("score >= " + "9" * 400)[1] == "this number is too large"


def test_a_very_long_text_is_refused_at_once() -> None:
    assert "longer than 2,000 characters" in _problem("a + " * LONGEST)[1]
    assert isinstance(parse_gate("(" * LONGEST), GateProblem)
    assert isinstance(parse_gate("lower(" * 300 + "a"), GateProblem)


def test_a_metric_is_a_sum() -> None:
    found = parse_metric("0.6 * tone + 0.4 * score")
    assert isinstance(found, Sum)
    assert [it.weight for it in found.terms] == [0.6, 0.4]
    assert isinstance(parse_metric("tone >= 1"), GateProblem)
    assert isinstance(parse_metric("lower(tone)"), GateProblem)


def test_thresholds_that_are_met() -> None:
    assert _gate("score >= 30%").met_by(0.1 + 0.2)
    assert _gate("score <= 30%").met_by(0.1 + 0.2)
    assert not _gate("score > 30%").met_by(0.1 + 0.2)
    assert not _gate("score >= 90%").met_by(0.899)


# --- properties ---------------------------------------------------------------------------------

_SIGNS = st.sampled_from(
    [*"()[].*+-%<>=` ,0159ab\n", "lower", "gap", " by ", "pass_rate", ">=", "≥", "é", "50 %"]
)


@given(st.lists(_SIGNS, max_size=30).map("".join) | st.text(max_size=60))
def test_no_text_raises_and_parts_are_within_it(text: str) -> None:
    for found in (parse_gate(text), parse_metric(text)):
        assert 0 <= found.start <= found.end <= len(text)
        for outer, inner in _nested(found):
            assert outer.start <= inner.start <= inner.end <= outer.end


def _nested(node: Part) -> Iterator[tuple[Part, Part]]:
    """Yield each part with those directly in it."""
    match node:
        case Gate():
            inner: tuple[Part, ...] = (node.expression, node.operator, node.threshold)
        case Call():
            inner = (node.function, node.of)
        case Sum():
            inner = node.terms
        case Extreme():
            inner = (node.function, node.figure, node.facet)
        case Figure():
            inner = (*node.names, *([node.slice] if node.slice is not None else []))
        case _:
            inner = tuple(
                it for it in (getattr(node, "number", None), getattr(node, "of", None)) if it
            )
    for it in inner:
        yield node, it
        yield from _nested(it)


_NAMES = st.from_regex(r"[a-z_][a-z0-9_@^-]{0,8}", fullmatch=True) | st.from_regex(
    r"`[^`\n\]]{1,8}`", fullmatch=True
)
_SLICES = st.none() | st.from_regex(r"[a-z][a-z =0-9.-]{0,8}[a-z]", fullmatch=True)
_NUMBERS = st.from_regex(r"(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?%?", fullmatch=True)


@st.composite
def _figures(draw: st.DrawFn) -> str:
    name = ".".join(draw(st.lists(_NAMES, min_size=1, max_size=3)))
    chosen = draw(_SLICES)
    return name if chosen is None else f"{name}[{chosen}]"


@st.composite
def _terms(draw: st.DrawFn) -> str:
    of = draw(_figures())
    if draw(st.booleans()):
        of = f"{draw(st.sampled_from(['min', 'max', 'gap']))}({of} by {draw(_NAMES)})"
    return f"{draw(_NUMBERS)} * {of}" if draw(st.booleans()) else of


@st.composite
def _texts(draw: st.DrawFn) -> str:
    text = draw(_terms())
    for term in draw(st.lists(_terms(), max_size=2)):
        text = f"{text} {draw(st.sampled_from('+-'))} {term}"
    if draw(st.booleans()):
        text = f"change({text})"
    if draw(st.booleans()):
        text = f"{draw(st.sampled_from(['lower', 'upper']))}({text})"
    comparison = draw(st.sampled_from([">=", "<=", ">", "<"]))
    return f"{text} {comparison} {draw(st.sampled_from(['', '-']))}{draw(_NUMBERS)}"


def _written(gate: Gate, text: str) -> str:
    """Write a gate by its parts, in the form of `_texts`."""

    def figure(it: Figure, text: str) -> str:
        chosen = f"[{it.slice.text}]" if it.slice is not None else ""
        return ".".join(text[n.start : n.end] for n in it.names) + chosen

    def expression(it: Call | Sum, text: str) -> str:
        if isinstance(it, Call):
            return f"{it.function.text}({expression(it.of, text)})"
        found = ""
        for number, term in enumerate(it.terms):
            of = (
                f"{term.of.function.text}({figure(term.of.figure, text)} by "
                f"{text[term.of.facet.start : term.of.facet.end]})"
                if isinstance(term.of, Extreme)
                else figure(term.of, text)
            )
            if term.number is not None:
                of = f"{text[term.number.start : term.number.end]} * {of}"
            between = text[it.terms[number - 1].end : term.start].strip() if number else ""
            found += f" {between} {of}" if number else of
        return found

    threshold = text[gate.threshold.start : gate.threshold.end]
    return f"{expression(gate.expression, text)} {gate.comparison} {threshold}"


@given(_texts())
def test_what_the_grammar_allows_is_parsed_and_its_parts_are_the_text(text: str) -> None:
    assert _written(_gate(text), text) == text
