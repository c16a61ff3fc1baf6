"""Locating a cursor in unfinished YAML.

A mark is inserted at the cursor and the text is parsed; the position of the mark in the tree is
that of the cursor. If the text does not parse with it, a colon, a dash, or closing quotes and
brackets are inserted too, or the rest is cut off: a tree up to the cursor is always enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.text.compose import compose
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Copied, Mapping, Node, Scalar, Sequence

#: Private-use characters; the first that is not in the text is the mark.
_MARKS = tuple(chr(code) for code in range(0xF8FF, 0xF8AF, -1))
_DASHES = re.compile(r"\ufeff?[ ]*(?:-[ ]+)*-")
_BEFORE_WORD = re.compile(r"\ufeff?[ ]*(?:-[ ]+)*[\w$-]*")
_WORD = re.compile(r"[\w$-]*")
#: The dash that begins the next non-empty line.
_NEXT_DASH = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*([ ]*)-(?=[ \t\r\n]|\Z)")
_BREAK = re.compile(r"[\r\n]")
_CLOSING = {"{": "}", "[": "]"}

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Location:
    """A scalar in a tree: its path, whether it is a key, and its parent."""

    path: Path
    scalar: Scalar
    is_key: bool
    parent: Mapping | Sequence | None


@dataclass(frozen=True, slots=True)
class Marked:
    """A text parsed with a mark at the cursor.

    Attributes:
        root: the tree, with the mark in it.
        mark: the mark.
        at: the location of the scalar with the mark.
        lead: what has to be inserted before anything else: a space after a colon, a dash.
        added: the number of characters inserted before the end of the scalar, without its quote.
        closed: whether the quote around it was closed for it.
        broken: whether the text after the cursor does not parse, or was cut off.
    """

    root: Node
    mark: str
    at: Location
    lead: str
    added: int
    closed: bool
    broken: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    lead: str
    #: The number of characters inserted before the end of the scalar, including the mark.
    added: int
    closed: bool = False
    cut: bool = False


def read_at(text: str, at: int) -> Marked | None:
    """Return the location of a cursor in a text; None outside the tree, such as in comments."""
    mark = next((it for it in _MARKS if it not in text), None)
    if mark is None:
        return None
    for number, candidate in enumerate(_candidates(text, at, mark)):
        composed = compose(candidate.text)
        location = locate(composed.root, mark) if composed.root is not None else None
        broken = composed.broken or candidate.cut
        if composed.root is not None and location is not None:
            if not (broken and _swallows(location.scalar, candidate.text)):
                return Marked(
                    root=composed.root,
                    mark=mark,
                    at=location,
                    lead=candidate.lead,
                    added=candidate.added,
                    closed=candidate.closed,
                    broken=broken,
                )
        elif number == 0 and not broken and not candidate.lead:
            return None
    return None


def mark_in(text: str, document: str) -> str | None:
    """Return the mark that is in a text parsed from a document, and not in the document."""
    return next((mark for mark in _MARKS if mark in text and mark not in document), None)


def _swallows(scalar: Scalar, text: str) -> bool:
    """Whether a scalar extends over lines that the author surely did not mean to be part of it."""
    return scalar.style not in ("|", ">") and bool(
        LINE_BREAK.search(text, scalar.start, scalar.end)
    )


def _candidates(text: str, at: int, mark: str) -> Iterator[_Candidate]:
    before, after = text[:at], text[at:]
    line_break = LINE_BREAK.search(after)
    rest, below = (
        (after[: line_break.start()], after[line_break.start() :]) if line_break else (after, "")
    )
    line = before[line_start(text, at) :]
    if line.endswith(":") or _DASHES.fullmatch(line):
        yield _Candidate(f"{before} {mark}{after}", " ", 2)
        yield _Candidate(f"{before} {mark}: {after}", " ", 2)
    yield _Candidate(f"{before}{mark}{after}", "", 1)
    starts = _BEFORE_WORD.fullmatch(line) is not None
    word = _WORD.match(rest)
    end = word.end() if word else 0
    blank = not line.strip(" \ufeff") and not rest.strip()
    item = _Candidate(f"{before}- {mark}{rest}{below}", "- ", 3)
    goes_on = _NEXT_DASH.match(below)
    if blank and goes_on is not None and len(goes_on[1]) == len(line.lstrip("\ufeff")):
        yield item
    if starts:
        yield _Candidate(f"{before}{mark}{rest[:end]}: {rest[end:]}{below}", "", 1)
    if blank:
        yield item
    closing, quoted = _open_at_end(line)
    if closing:
        yield _Candidate(f"{before}{mark}{rest[:end]}{closing}{below}", "", 1, quoted, True)
    yield _Candidate(f"{before}{mark}{rest[:end]}{closing}", "", 1, quoted, True)
    if starts:
        yield _Candidate(f"{before}{mark}{rest[:end]}:{below}", "", 1, False, True)
        yield _Candidate(f"{before}{mark}{rest[:end]}:", "", 1, False, True)


def in_comment(text: str, at: int) -> bool:
    """Whether a cursor is in a comment, judged by its line."""
    return _scanned(text[line_start(text, at) : at])[2]


def is_open_quote(line: str) -> bool:
    """Whether the start of a line ends with an opening quote."""
    return bool(_scanned(line)[0]) and line[-1:] in ("'", '"')


def is_in_quotes(line: str) -> bool:
    """Whether a quote is open at the end of the start of a line."""
    return bool(_scanned(line)[0])


def _open_at_end(line: str) -> tuple[str, bool]:
    """Return what closes the quotes and brackets open at the end of the start of a line.

    Returns:
        the closing characters, and whether the innermost one is a quote.
    """
    quote, opened, _ = _scanned(line)
    return quote + opened, bool(quote)


def _scanned(line: str) -> tuple[str, str, bool]:
    """Return the open quote, the closing brackets, and whether a comment has begun."""
    opened: list[str] = []
    quote = ""
    escaped = False
    previous = " "
    for character in line.lstrip("\ufeff"):
        if quote:
            if escaped:
                escaped = False
            elif character == "\\" and quote == '"':
                escaped = True
            elif character == quote:
                quote = ""
        elif character in "\"'" and previous in " [{,:(":
            quote = character
        elif character in _CLOSING and (opened or previous in " :"):
            opened.append(_CLOSING[character])
        elif opened and character == opened[-1]:
            opened.pop()
        elif character == "#" and previous in " \t":
            return quote, "".join(reversed(opened)), True
        previous = character
    return quote, "".join(reversed(opened)), False


def locate(
    node: Node, mark: str, path: Path = (), *, only: Scalar | None = None
) -> Location | None:
    """Return where in a tree a scalar with a mark in it stands; of several `only` one counts."""

    def is_it(scalar: Scalar) -> bool:
        return scalar is only or (only is None and mark in scalar.text)

    if isinstance(node, Scalar):
        return Location(path, node, False, None) if is_it(node) else None
    steps: list[tuple[str | int, Node]] = []
    if isinstance(node, Mapping):
        for name, entry in node:
            if entry.merged:
                continue
            if is_it(entry.key):
                return Location((*path, name), entry.key, True, node)
            steps.append((name, entry.value))
    else:
        steps += enumerate(node.items)
    for step, value in steps:
        if isinstance(value, Copied):
            continue
        if isinstance(value, Scalar):
            if is_it(value):
                return Location((*path, step), value, False, node)
        elif found := locate(value, mark, (*path, step), only=only):
            return found
    return None


def line_start(text: str, offset: int) -> int:
    """Return the start of an offset's line."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    """Return the end of an offset's line, without its line break."""
    line_break = _BREAK.search(text, offset)
    return line_break.start() if line_break else len(text)
