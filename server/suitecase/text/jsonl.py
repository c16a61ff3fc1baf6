"""JSON Lines as pieces of a document: each line is a case.

The trees are the same as those of YAML, so that everything that works on cases works on these.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from functools import lru_cache
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, but not in the stubs

from suitecase.text.compose import MAX_DEPTH, TOO_DEEP_MESSAGE
from suitecase.text.composed import Problem
from suitecase.text.document import Content, Document, Piece, Pieces
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Lines
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span, at
from suitecase.text.passing import Expected, PassingContents, PassingPieces
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

_LINE = re.compile(r"[^\r\n]+")
_BLANK = re.compile(r"[ \t]*")
#: What may stand between the tokens of a text on any number of lines.
BLANK_LINES = re.compile(r"[ \t\r\n]*")
_ATOM = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")


def parse_lines(
    text: str | Lines, *, reuse: Document | None = None, expected: Expected | None = None
) -> Document:
    """Parse a text with a JSON value on each line. Never raises on any text.

    Args:
        text: the text; empty lines are ignored.
        reuse: an earlier version, whose unchanged lines are reused.
        expected: keep no trees of lines, of which this is going to be asked.
    """
    lines = Lines(text) if isinstance(text, str) else text
    nothing = Content(
        "",
        None,
        (),
        broken=False,
        open_ended=False,
        anchors=frozenset(),
        unknown_aliases=frozenset(),
    )
    cases = _kept(lines, reuse) if expected is None else _passing(lines, expected)
    return Document(lines, Piece(nothing), cases, None, None, segmented=True)


def _kept(lines: Lines, reuse: Document | None) -> Pieces:
    reusable = {it.text: it for it in reuse.cases.contents} if reuse else {}
    contents: list[Content] = []
    starts: list[int] = []
    with without_garbage_collection():
        for start, line in _values(lines):
            content = reusable.get(line)
            if content is None:
                content = reusable[line] = json_content(line)
            contents.append(content)
            starts.append(start)
    return Pieces(tuple(contents), starts)


def _passing(lines: Lines, expected: Expected) -> Pieces:
    starts, sizes = array("Q"), array("I")
    for start, line in _values(lines):
        starts.append(start)
        sizes.append(len(line))

    def text_of(number: int) -> str:
        return lines.slice(starts[number], starts[number] + sizes[number])

    return PassingPieces(PassingContents(starts, text_of, json_content, expected), starts)


def _values(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, each with where it starts."""
    for offset, chunk in zip(lines.starts, lines.chunks, strict=True):
        text = chunk.text
        for line in _LINE.finditer(text, not offset and text.startswith("\ufeff")):
            if line.group().strip(" \t"):
                yield offset + line.start(), line.group()


@lru_cache(maxsize=8)
def parse_json_text(text: str) -> Content:
    """Parse a text with one JSON value, on any number of lines. Never raises on any text.

    The last results are cached, since callers look up many places in one text.
    """
    start = text.startswith("\ufeff")
    # A blank instead of a byte order mark preserves the offsets.
    return json_content(" " * start + text[start:], "this", BLANK_LINES)


def span_in_json(text: str, path: tuple[str | int, ...]) -> Span:
    """Return the span of the value at a path in a JSON text, as far as the path exists.

    For a list or an object it is only the opening bracket, so that a finding does not mark the
    whole content.
    """
    root = parse_json_text(text).node
    if root is None:
        return Span(0, min(1, len(text)))
    node, _, _ = at(root, path)
    return node.span if isinstance(node, Scalar) else Span(node.start, node.start + 1)


def json_content(line: str, what: str = "this line", blank: re.Pattern[str] = _BLANK) -> Content:
    """Return the content of a text with one JSON value; its node is None if it is not one.

    Args:
        line: the text.
        what: what it is called in messages.
        blank: what may stand between its tokens.
    """
    reader = _Reader(line, blank)
    node: Node | None = None
    try:
        node = reader.read()
    except (_NotReadError, JSONDecodeError) as error:
        reader.problems.append(_problem(line, what, error))
    return Content(
        line,
        node,
        tuple(reader.problems),
        broken=node is None,
        open_ended=False,
        anchors=frozenset(),
        unknown_aliases=frozenset(),
    )


def _problem(text: str, what: str, error: _NotReadError | JSONDecodeError) -> Problem:
    """Return the problem in the words of the library that parses JSON everywhere else."""
    if isinstance(error, _NotReadError) and error.deep:
        message = TOO_DEEP_MESSAGE
        return Problem("limit", Span(error.pos, error.pos + 1), message)
    slip = _slip(text, error.pos)
    if slip is not None:
        at, reason = slip
        return Problem("json", Span(at, at + 1), f"{what} is not JSON: {reason}")
    try:
        parse_json(text)
    except NotJsonError as found:
        if (found.line, found.column) == (1, 1):  # it does not say where
            at = min(error.pos, max(len(text) - 1, 0))
            return Problem("json", Span(at, at + 1), f"{what} is not JSON: {found.reason}")
        line_start = len("".join(text.split("\n")[: found.line - 1])) + found.line - 1
        at = min(line_start + found.column - 1, max(len(text) - 1, 0))
        reason = f"{found.reason[:1].lower()}{found.reason[1:]}"
        return Problem("json", Span(at, at + 1), f"{what} is not JSON: {reason}")
    return Problem("json", Span(error.pos, error.pos + 1), f"{what} is not JSON")


def _slip(text: str, at: int) -> tuple[int, str] | None:
    """Return what is wrong at a place where YAML or JavaScript would read on, and where that is."""
    if text[at : at + 1] == "'":
        return at, "texts are in double quotes"
    if text.startswith(("//", "/*", "#"), at):
        return at, "it has no comments"
    before = text[:at].rstrip()
    if before.endswith(",") and text[at : at + 1] in ("}", "]"):
        return len(before) - 1, "nothing follows this comma"
    return None


class _NotReadError(Exception):
    """The text is not JSON from `pos` on, or nests too deeply there."""

    def __init__(self, pos: int, *, deep: bool = False) -> None:
        super().__init__(pos)
        self.pos = pos
        self.deep = deep


class _Reader:
    """Parses one JSON value without recursion, so that no depth of nesting can crash the process."""

    def __init__(self, text: str, blank: re.Pattern[str]) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self._blank = blank
        self._open: list[tuple[Mapping | Sequence, Scalar | None]] = []

    def read(self) -> Node:
        """Return the value.

        Raises:
            _NotReadError, JSONDecodeError: the text is not JSON.
        """
        at = self._skip(0)
        while True:
            node, at = self._value(at)
            if node is None:
                continue  # a list or a mapping was opened: its first value follows
            while True:
                at = self._skip(at)
                if not self._open:
                    if at < len(self.text):
                        raise _NotReadError(at)
                    return node
                parent, key = self._open.pop()
                self._add(parent, key, node)
                closing = "}" if isinstance(parent, Mapping) else "]"
                if self.text.startswith(",", at):
                    at = self._skip(at + 1)
                    if isinstance(parent, Mapping):
                        key, at = self._key(at)
                    self._open.append((parent, key))
                    break
                if not self.text.startswith(closing, at):
                    raise _NotReadError(at)
                at += 1
                parent.end = at
                node = parent

    def _value(self, at: int) -> tuple[Node | None, int]:
        """Parse a scalar or an empty collection; of another one only its opening bracket."""
        char = self.text[at : at + 1]
        if char == '"':
            value, end = scanstring(self.text, at + 1, True)
            return Scalar(at, end, value, '"'), end
        if char and char in "{[":
            if len(self._open) >= MAX_DEPTH:
                raise _NotReadError(at, deep=True)
            node: Mapping | Sequence
            node = (
                Mapping(at, at, {}, flow=True) if char == "{" else Sequence(at, at, [], flow=True)
            )
            inside = self._skip(at + 1)
            if self.text.startswith("}" if char == "{" else "]", inside):
                node.end = inside + 1
                return node, inside + 1
            key = None
            if char == "{":
                key, inside = self._key(inside)
            self._open.append((node, key))
            return None, inside
        atom = _ATOM.match(self.text, at)
        if atom is None:
            raise _NotReadError(at)
        return Scalar(at, atom.end(), atom.group(), ""), atom.end()

    def _key(self, at: int) -> tuple[Scalar, int]:
        if not self.text.startswith('"', at):
            raise _NotReadError(at)
        name, end = scanstring(self.text, at + 1, True)
        colon = self._skip(end)
        if not self.text.startswith(":", colon):
            raise _NotReadError(colon)
        return Scalar(at, end, name, '"'), self._skip(colon + 1)

    def _add(self, parent: Mapping | Sequence, key: Scalar | None, node: Node) -> None:
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif key is not None:
            first = parent.entries.pop(key.text, None)
            if first is not None:
                message = f"the key `{key.text}` is given twice"
                self.problems.append(Problem("duplicate_key", key.span, message, first.key.span))
            parent.entries[key.text] = Entry(key, node)

    def _skip(self, at: int) -> int:
        blank = self._blank.match(self.text, at)
        return blank.end() if blank else at
