"""Tests in files of their own: lists in YAML, JSON and JSON lines, and tables in CSV.

A file is read once for each text it has. Scripts, spreadsheets and what a service keeps are not
read: which tests they give is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import CsvRow, CsvTable, read_table
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document, Piece
from suitecase.text.json_list import json_instead
from suitecase.text.jsonl import parse_lines
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.parsing import parse
from suitecase.text.recent import recent

#: Endings of files that promptfoo reads tests from without running them.
YAML = (".yaml", ".yml")
LISTS = (*YAML, ".json", ".jsonl")
TABLES = (".csv",)
#: Endings of files that only promptfoo can read.
UNREAD_TABLES = (".xlsx", ".xls")


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """A test of a configuration, in whichever file it stands.

    Attributes:
        path: the file; None where it stands in the configuration.
        number: which test of its file it is, from 1.
        piece: its text and tree in its file; None for a row of a table.
        row: the row of a table.
        variables: the names of its own variables, with their places, of which `absolute` says
            where they are in the file.
        is_open: it has variables that are not known, since a script or a service gives them.
    """

    path: Path | None
    number: int
    piece: Piece | None
    row: CsvRow | None
    variables: dict[str, Span]
    is_open: bool = False

    @property
    def node(self) -> Node | None:
        return self.piece.node if self.piece is not None else None

    def absolute(self, span: Span) -> Span:
        """Return the place in the file of a place in the test."""
        return self.piece.absolute(span) if self.piece is not None else span


@dataclass(frozen=True, eq=False)
class TestsText:
    """The text of a file of tests as it is read, one object for each: a list of trees, or a table."""

    document: Document | None = None
    table: CsvTable | None = None

    @property
    def broken(self) -> bool:
        """Whether a part of the text cannot be read."""
        return self.document is not None and self.document.broken

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The tests of a list; of a file with a single test, that one."""
        if self.document is None:
            return ()
        root = self.document.head
        if self.document.cases or self.document.root_list or not isinstance(root.node, Mapping):
            return tuple(self.document.cases)
        return (root,)


@dataclass(frozen=True)
class TestsFile:
    """A file of tests; `unreadable` says why it cannot be read, if so."""

    path: Path
    text: str
    read: TestsText
    unreadable: str | None = None

    @cached_property
    def tests(self) -> tuple[LinkedTest, ...]:
        table = self.read.table
        if table is not None:
            names = table.variables
            return tuple(LinkedTest(self.path, row.number, None, row, names) for row in table.rows)
        return tuple(
            test_of(piece, number, self.path) for number, piece in enumerate(self.read.pieces, 1)
        )


def read_tests(path: Path, folder: Folder) -> TestsFile:
    """Return the tests of a file that promptfoo reads without running it."""
    text = folder.read(path)
    if isinstance(text, Unreadable):
        return TestsFile(path, "", TestsText(), text.reason)
    return TestsFile(path, text, _read(text, path.suffix.lower()))


@recent(most=64)
def _read(text: str, ending: str) -> TestsText:
    if ending in TABLES:
        return TestsText(table=read_table(text))
    if ending == ".jsonl":
        return TestsText(parse_lines(text))
    return TestsText(json_instead(parse(text, (), root_list=True), ()))


def test_of(piece: Piece, number: int, path: Path | None) -> LinkedTest:
    """Return the test of a tree."""
    names, is_open = variables_of(piece.content)
    return LinkedTest(path, number, piece, None, names, is_open)


#: The variables of a test, kept with its text.
_VARIABLES: Cache[tuple[dict[str, Span], bool]] = Cache()


def variables_of(content: Content) -> tuple[dict[str, Span], bool]:
    """Return the variables of a test with the places of their names, and whether there are more."""
    return _VARIABLES.of(content, _variables_of, content)


def _variables_of(content: Content) -> tuple[dict[str, Span], bool]:
    node = content.node
    if not isinstance(node, Mapping):
        return {}, True
    options = node.get("options")
    is_open = content.broken or (isinstance(options, Mapping) and "transformVars" in options)
    given = node.get("vars")
    if isinstance(given, Mapping):
        return {name: it.key.span for name, it in given}, is_open
    # Text is the name of a file with the variables, a list has several names.
    is_empty = given is None or (isinstance(given, Scalar) and given.value is None)
    return {}, is_open or not is_empty
