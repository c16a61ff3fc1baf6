"""libyaml's errors in plain English."""

from __future__ import annotations

import re

import yaml

from suitecase.text.node import Mapping, Node, Sequence, Span

_PLAINER = {
    "mapping values are not allowed in this context": "a mapping cannot start here; if the `:` "
    "belongs to the text, quote the text",
    "could not find expected ':'": "expected a `:` after the key",
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
    "block sequence entries are not allowed in this context": "a list cannot start here",
    "did not find expected <document start>": "text after the end of the document",
    "did not find expected <stream-start>": "expected the text to start here",
    "did not find expected alphabetic or numeric character": "expected a name after `&` or `*`; "
    "quote a text that starts with one of them",
}
#: The error of libyaml from 0.2.6 on for 1,000 levels, which it reads ahead of the first event.
TOO_DEEP = "exceeded maximum nesting depth"
#: libyaml's errors for a list or a mapping in brackets that does not end.
_UNCLOSED = ("did not find expected ',' or ']'", "did not find expected ',' or '}'")
#: A line that looks like a key with a value, or a comment, as few lines of a quoted text do.
_KEY_LINE = re.compile(r"\n[ \t]*(?:#|(?:- +)?[\w$.-]+:(?:[ \t]|\r?\n))")
_STARTS_NO_TOKEN = "found character that cannot start any token"  # noqa: S105 - libyaml's words


def problem_of(error: yaml.YAMLError, text: str) -> tuple[Span, str, bool]:
    """Return where an error is, its message, and whether only the text's end was missing."""
    mark = getattr(error, "problem_mark", None)
    context_mark = getattr(error, "context_mark", None)
    problem = str(getattr(error, "problem", None) or error)
    end = len(text.rstrip())
    if mark is None:
        return Span(0, 0), problem, False
    at_end = mark.index >= end
    place = min(mark.index, len(text))
    if at_end and context_mark is not None:
        place = min(context_mark.index, len(text))
    message = _PLAINER.get(problem, problem)
    if problem in _UNCLOSED and context_mark is not None and not at_end:
        place = _opening(text, min(context_mark.index, len(text)), place)
    if problem == _STARTS_NO_TOKEN and place < len(text):
        if text[place] == "\t":
            message = "a tab cannot indent YAML; use spaces"
        else:
            message = f"a text cannot start with `{text[place]}`; quote it"
    return _word_at(text, place), message, at_end


def _opening(text: str, opening: int, place: int) -> int:
    """Return where brackets go wrong: at what opens them, if they were to end on that line."""
    line_end = text.find("\n", opening)
    is_one_line = 0 <= line_end < place and text[opening + 1 : line_end].strip(" \t\r") != ""
    return opening if is_one_line else place


def open_quote(root: Node | None, text: str, place: int) -> Span | None:
    """Return the first line of a quoted text that ends just before an error, lines too late.

    Where a closing quote is missing the text runs on to the next quote, over whole lines of keys
    and values, and only what stands behind it is an error.
    """
    end = len(text[:place].rstrip())
    if text[end - 1 : end] not in ("'", '"'):
        return None
    waiting: list[Node] = [root] if root is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            waiting += [part for _, entry in node for part in (entry.key, entry.value)]
        elif isinstance(node, Sequence):
            waiting += node.items
        elif (
            node.end == end and node.style in ("'", '"') and _KEY_LINE.search(text, node.start, end)
        ):
            return Span(node.start, len(text[: text.index("\n", node.start)].rstrip()))
    return None


def _word_at(text: str, place: int) -> Span:
    """Return the span of the word at a place, at least a character where there is one."""
    end = place
    while end < len(text) and not text[end].isspace():
        end += 1
    return Span(place, max(end, min(place + 1, len(text))))
