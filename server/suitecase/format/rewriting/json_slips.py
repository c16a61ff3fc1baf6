"""Slips in a text of JSON of which only one thing can be meant: commas too many, entries given twice."""

from __future__ import annotations

import json

from suitecase.format.rule import Edit
from suitecase.text.composed import Problem
from suitecase.text.jsonl import parse_json_text
from suitecase.text.node import Span

#: More slips than a person makes.
_MOST = 20


def without_trailing_commas(text: str) -> tuple[Edit, ...] | None:
    """Take away the commas that nothing follows, where the text is JSON without them."""
    commas: list[int] = []
    for _ in range(_MOST):
        problems = [problem for problem in parse_json_text(text).problems if problem.kind == "json"]
        if not problems:
            break
        comma = _comma_before(text, problems[0].span.start)
        if comma is None:
            return None
        commas.append(comma)
        text = f"{text[:comma]} {text[comma + 1 :]}"
    else:
        return None
    return tuple(Edit(Span(it, it + 1), "") for it in sorted(commas)) or None


def _comma_before(text: str, at: int) -> int | None:
    """Return where the comma stands that an object, a list or the text ends behind; readers differ in
    which of the two they complain of."""
    comma = at if text[at : at + 1] == "," else len(text[:at].rstrip()) - 1
    closes = text[comma + 1 :].lstrip()[:1] in ("}", "]", "")
    return comma if comma >= 0 and text[comma] == "," and closes else None


def without_repetition(text: str, problem: Problem) -> Edit | None:
    """Take the second of two equal entries of an object away; None where they differ."""
    if problem.other is None:
        return None
    first, second = (_value_behind(text, it) for it in (problem.other, problem.span))
    before = text[: problem.span.start].rstrip()
    if first is None or second is None or first[0] != second[0] or not before.endswith(","):
        return None
    return Edit(Span(len(before) - 1, second[1]), "")


def _value_behind(text: str, key: Span) -> tuple[str, int] | None:
    """Return the value of a key in one spelling, and where it ends."""
    start = text.find(":", key.end) + 1
    start += len(text[start:]) - len(text[start:].lstrip())
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None
    return json.dumps(value, sort_keys=True), end
