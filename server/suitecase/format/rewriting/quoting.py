"""Putting a text into quotes that YAML reads as something else, or cannot read."""

from __future__ import annotations

import re

from suitecase.format.rewriting.lines import line_end, line_start
from suitecase.format.rule import Edit, Fix
from suitecase.text.compose import compose
from suitecase.text.composed import Problem
from suitecase.text.document import Content
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Span

#: Dashes and a key, or dashes alone, and the text behind them up to the end of the line. Behind a
#: dash a word with a capital is not a key, but begins a sentence.
_VALUE = re.compile(
    r"(?P<lead>[ ]*(?:(?:-[ ]+)+(?:[a-z_$][\w.$-]*:[ ]+)?|[\w.$-]+:[ ]+))"
    r"(?P<text>[^\s#](?:[^ \t\n]++|[ \t]++(?!#|\Z))*+)[ \t]*(?P<comment>[ \t]#.*)?\Z"
)
#: Reading a part again to see whether quotes help is not worth more, in characters.
_LONGEST = 20_000


def quoted_value(text: str, problem: Problem) -> Edit | None:
    """Return the edit that quotes the text on a line, where that alone makes the part readable.

    Args:
        text: a part that does not parse.
        problem: why.
    """
    if len(text) > _LONGEST:
        return None
    start = line_start(text, problem.span.start)
    line = text[start : line_end(text, problem.span.start)].rstrip("\r\n")
    found = _VALUE.match(line)
    if found is None or _is_open_list(found["text"]):
        return None
    value = Span(start + found.start("text"), start + found.end("text"))
    if not value.start <= problem.span.start <= value.end:
        return None
    edit = Edit(value, _quoted(text[value.start : value.end]))
    fixed = compose(text[: value.start] + edit.text + text[value.end :])
    return None if fixed.broken or fixed.problems else edit


def template_quoted(content: Content, problem: Problem) -> Fix | None:
    """Put a template into quotes, where it is all of a value and on one line."""
    text = content.text[slice(*problem.span)]
    behind = content.text[problem.span.end : line_end(content.text, problem.span.end)].strip()
    if "\n" in text or (behind and behind[0] not in "#,]}"):
        return None
    quoted = f"'{text}'" if '"' in text and "'" not in text else in_quotes(text)
    return Fix("Write it in quotes", (Edit(problem.span, quoted),))


def _is_open_list(text: str) -> bool:
    """Whether a text begins as a list or a mapping whose end is missing."""
    closing = {"[": "]", "{": "}"}.get(text[0])
    return closing is not None and text.count(text[0]) > text.count(closing)


def _quoted(text: str) -> str:
    """Return a text of one line in quotes, instead of those that it has or that it only opens."""
    quote = text[0]
    if quote in "'\"":
        if text.count(quote) == 1:
            text = text[1:]
        elif text.endswith(quote):
            text = text[1:-1]
    return in_quotes(text)
