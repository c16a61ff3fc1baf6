"""A part of a gate has its place in the suite, however the text is written in YAML."""

from __future__ import annotations

import pytest

from suitecase.figures.gates.names import suite_figures
from suitecase.figures.gates.written import WrittenGate
from suitecase.formats.suitecase.parsed import parse_suite

CASES = "evalcases:\n  - {id: a, input: Hi, expected_outcome: Greets}\n"
STYLES = {
    "plain": "gates:\n  - lower(tone.warm[über uns]) >= 90%\n",
    "single quotes": "gates:\n  - 'lower(tone.warm[über uns]) >= 90%'\n",
    "double quotes": 'gates:\n  - "lower(tone.warm[\\u00fcber uns]) \\x3e= 90%"\n',
    "in brackets": "gates: [score >= 0.1, 'lower(tone.warm[über uns]) >= 90%']\n",
    "folded": "gates:\n  - >-\n    lower(tone.warm[über uns])\n    >= 90%\n",
    "lines": "gates:\n  - |\n    lower(tone.warm[über uns])\n      >= 90%\n",
    "plain lines": "gates:\n  - lower(tone.warm[über\n    uns])\n    >= 90%\n",
    "with a level": "gates:\n  - gate: lower(tone.warm[über uns]) >= 90%\n    level: warning\n",
    "behind the cases": "",
}


def _last_gate(text: str) -> WrittenGate:
    return suite_figures(parse_suite(text)).gates[-1]


@pytest.mark.parametrize("style", STYLES)
def test_parts_have_places(style: str) -> None:
    head = STYLES[style] or STYLES["plain"]
    text = head + CASES if STYLES[style] else CASES + head
    suite = parse_suite(text)
    gate = _last_gate(text)
    (figure,) = gate.figures()
    assert figure.slice is not None

    def written(span_of_head: tuple[int, int]) -> str:
        first, end = span_of_head
        placed = suite.head_place(gate.span(figure)._replace(start=first, end=end))
        return text[placed.start : placed.end]

    assert written(gate.span(figure)).startswith("tone.warm[")
    assert written(gate.span(figure)).endswith("]")
    slice_text = " ".join(written(gate.span(figure.slice)).split())
    assert slice_text in ("über uns", "\\u00fcber uns")


def test_an_alias_has_the_place_of_the_alias() -> None:
    text = "x-gate: &gate score >= 0.5\ngates:\n  - *gate\n" + CASES
    gate = _last_gate(text)
    (figure,) = gate.figures()
    span = gate.span(figure)

    assert text[span.start : span.end].startswith("*")


def test_the_level_of_a_gate() -> None:
    assert _last_gate(STYLES["with a level"] + CASES).is_warning
    assert not _last_gate(STYLES["plain"] + CASES).is_warning
