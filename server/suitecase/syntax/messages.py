"""libyaml's errors in words for people."""

from __future__ import annotations

import yaml

from suitecase.syntax.node import Span

_PLAINER = {
    "mapping values are not allowed in this context": "a `:` stands where no mapping can start; "
    "if it belongs to the text, quote the text",
    "could not find expected ':'": "expected a `:` behind the key",
    "did not find expected key": "expected a key here; is the indentation that of the lines above?",
    "did not find expected '-' indicator": "expected `- ` here; is the indentation that of the "
    "items above?",
    "did not find expected ',' or ']'": "expected `,` or `]`: the list that starts with `[` is "
    "not closed",
    "did not find expected ',' or '}'": "expected `,` or `}`: the mapping that starts with `{` is "
    "not closed",
    "found unexpected end of stream": "the text ends before the quote is closed",
    "did not find expected node content": "expected a value here",
    "found unknown escape character": "unknown escape; in a double-quoted text write `\\\\` for a "
    "backslash, or use single quotes",
    "block sequence entries are not allowed in this context": "a `- ` stands where no list can "
    "start",
    "did not find expected <document start>": "text stands behind the end of the document",
    "did not find expected <stream-start>": "expected the text to start here",
    "did not find expected alphabetic or numeric character": "expected a name behind `&` or `*`; "
    "quote a text that starts with one of them",
}
_STARTS_NO_TOKEN = "found character that cannot start any token"  # noqa: S105 - libyaml's words


def problem_of(error: yaml.YAMLError, text: str) -> tuple[Span, str, bool]:
    """Return where an error is, what to say of it, and whether only the text's end was missing."""
    mark = getattr(error, "problem_mark", None)
    context_mark = getattr(error, "context_mark", None)
    said = str(getattr(error, "problem", None) or error)
    end = len(text.rstrip())
    if mark is None:
        return Span(0, 0), said, False
    at_end = mark.index >= end
    place = min(mark.index, len(text))
    if at_end and context_mark is not None:
        place = min(context_mark.index, len(text))
    message = _PLAINER.get(said, said)
    if said == _STARTS_NO_TOKEN and place < len(text):
        if text[place] == "\t":
            message = "a tab cannot indent YAML; use spaces"
        else:
            message = f"a text cannot start with `{text[place]}`; quote it"
    return _word_at(text, place), message, at_end


def _word_at(text: str, place: int) -> Span:
    """Return the span of the word at a place, at least a character where there is one."""
    end = place
    while end < len(text) and not text[end].isspace():
        end += 1
    return Span(place, max(end, min(place + 1, len(text))))
