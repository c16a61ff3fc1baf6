"""The names in the files that a configuration names: prompts, tests, tables, defaults, code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from suitecase.editor.index.dialect_names import NamedFile
from suitecase.editor.index.occurrence import FIXED, Kind, Occurrence, Part
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.names_in_code import code_uses
from suitecase.formats.promptfoo.editor.names_in_head import names_in_head
from suitecase.formats.promptfoo.editor.names_in_tests import names_in_body, names_in_test
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.formats.promptfoo.suite.prompts.paths import FILE_SCHEME
from suitecase.formats.promptfoo.suite.prompts.prompts import prompt_entries, prompts_of
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    bare_reference,
    files_of,
)
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvTable, read_table
from suitecase.formats.promptfoo.suite.test_cases.facts import Place, TestFacts
from suitecase.formats.promptfoo.suite.test_cases.files import TestsFile
from suitecase.formats.promptfoo.suite.test_cases.lists import source_of
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.text.cache import Cache
from suitecase.text.compose import compose
from suitecase.text.csv_text import Cell
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.recent import recent

_CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb")
#: What a cell of `__expected` starts with, if the rest is code.
_CODE_IN_CELLS = ("javascript:", "python:", "fn:", "eval:")


def files_of_configuration(file: PromptfooFile, folder: Folder) -> list[NamedFile]:
    """Return the files that a configuration names, each once, with the names in them."""
    found: dict[Path, NamedFile] = {}
    for it in _files(file, folder):
        earlier = found.get(it.path)
        parts = it.parts if earlier is None else tuple(dict.fromkeys((*earlier.parts, *it.parts)))
        found[it.path] = it._replace(parts=parts)
    return [*found.values()]


def _files(file: PromptfooFile, folder: Folder) -> Iterator[NamedFile]:
    yield from _prompt_files(file, folder)
    yield from _default_test(file, folder)
    named: dict[FileInTest, None] = {}
    for source in _sources(file):
        entry = source_of(source, folder, in_list=True)
        for tests in entry.files if entry is not None else ():
            yield _tests_file(tests, folder)
            for piece in tests.read.pieces:
                named |= dict.fromkeys(_files_in_test(piece.content) or ())
    for found in file.document.case_index.values(_files_in_test):
        named |= dict.fromkeys(found)
    named |= dict.fromkeys(_files_in_head(file))
    yield from _files_of_tests(named, folder)


class FileInTest(NamedTuple):
    """A path in a test, and what promptfoo takes the file for."""

    path: str
    place: Literal["variables", "template", "code"]


_FILES_IN_TEST: Cache[tuple[FileInTest, ...]] = Cache()


def _files_in_test(content: Content) -> tuple[FileInTest, ...]:
    return _FILES_IN_TEST.of(content, lambda: (*_files_in(content.node),))


def _files_in(test: Node | None) -> Iterator[FileInTest]:
    for it in TestFacts(test).files if isinstance(test, Mapping) else ():
        if it.reference.path.endswith(_CODE):
            yield FileInTest(it.reference.path, "code")
        elif it.place is Place.VARIABLES:
            yield FileInTest(it.reference.path, "variables")
        elif it.place is Place.RUBRIC:
            yield FileInTest(it.reference.path, "template")


def _files_in_head(file: PromptfooFile) -> Iterator[FileInTest]:
    body = file.head.default_test
    if body is not None:
        yield from _files_in(body.node)
    for it in names_in_head(file):
        if it.kind is Kind.FILE and it.name.endswith(_CODE):
            yield FileInTest(it.name, "code")
    for piece in file.document.cases:
        if isinstance(piece.node, Scalar):
            names = (it.name for it in names_in_test(piece.content) if it.kind is Kind.FILE)
            yield from (FileInTest(it, "code") for it in names if it.endswith(_CODE))


def _prompt_files(file: PromptfooFile, folder: Folder) -> Iterator[NamedFile]:
    entries = prompt_entries(file.head.get("prompts"), folder, file.head.source)
    occurrences: dict[Path, list[Occurrence]] = {}
    for prompt in prompts_of(entries):
        if prompt.path is not None:
            occurrences.setdefault(prompt.path, [])
        for part in prompt.parts:
            if part.path is not None:
                occurrences.setdefault(part.path, []).extend(
                    Occurrence(Kind.TEST_VARIABLE, it.name, part.span(it.start, it.end))
                    for it in read_template(part.text).uses
                    if not it.is_environment
                )
    for path, names in occurrences.items():
        if path.suffix not in _CODE:
            yield NamedFile(path, (Part("text", _start(path, folder), tuple(names)),))


def _start(path: Path, folder: Folder) -> int:
    """Return what places in a file are off by, which lack its byte order mark."""
    text = folder.read(path)
    return -1 if isinstance(text, str) and text.startswith("\ufeff") else 0


def _default_test(file: PromptfooFile, folder: Folder) -> Iterator[NamedFile]:
    node = file.head.get("defaultTest")
    if isinstance(node, Scalar) and node.text.startswith(FILE_SCHEME):
        for path in files_of(bare_reference(node.text), folder):
            text = folder.read(path)
            if isinstance(text, str):
                yield NamedFile(path, _body_in(text))


@recent(most=32)
def _body_in(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    root = compose(bare).root
    if not isinstance(root, Mapping):
        return ()
    return (Part("defaults", 0, tuple(names_in_body(root, bare))),)


def _sources(file: PromptfooFile) -> Iterator[Node]:
    """Yield what may name a file of tests."""
    listed = file.document.list_node
    if isinstance(listed, Scalar | Mapping):
        yield listed
    entries: Iterable[Node] = file.document.case_index.values(_source)
    yield from entries


def _source(content: Content) -> Node | None:
    node = content.node
    if isinstance(node, Scalar) or (isinstance(node, Mapping) and "path" in node):
        return node
    return None


def _tests_file(tests: TestsFile, folder: Folder) -> NamedFile:
    start = _start(tests.path, folder)
    if tests.read.table is not None:
        return NamedFile(tests.path, (Part("table", start, _in_table(tests.text)),))
    parts = (
        Part(number, start + piece.start, names_in_test(piece.content))
        for number, piece in enumerate(tests.read.pieces)
    )
    return NamedFile(tests.path, tuple(parts))


@recent(most=32)
def _in_table(text: str) -> tuple[Occurrence, ...]:
    return tuple(_table_names(read_table(text), text))


def _table_names(table: CsvTable, text: str) -> Iterator[Occurrence]:
    for column in table.columns:
        if column.kind is ColumnKind.VARIABLE and column.name:
            start = text.index(column.name, column.span.start)
            span = Span(start, start + len(column.name))
            yield Occurrence(Kind.TEST_VARIABLE, column.name, span, defines=True)
    if "{{" not in text and "{%" not in text and "vars" not in text:
        return
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=False):
            uses: list[tuple[str, int, int]] = []
            if "{" in cell.text:
                uses = [
                    (it.name, it.start, it.end)
                    for it in read_template(cell.text).uses
                    if not it.is_environment
                ]
            if column.kind is ColumnKind.EXPECTED and cell.text.startswith(_CODE_IN_CELLS):
                uses += [(it.name, it.start, it.end) for it in code_uses(cell.text)]
            for name, start, end in uses:
                yield Occurrence(Kind.TEST_VARIABLE, name, _in_cell(cell, text, start, end))


def _in_cell(cell: Cell, text: str, start: int, end: int) -> Span:
    first = cell.span.start
    if text[cell.span.start : cell.span.end] != cell.text:
        # Each quote of the cell is two in the file.
        first += cell.text.count('"', 0, start)
    return Span(first + start, first + end)


def _files_of_tests(named: Iterable[FileInTest], folder: Folder) -> Iterator[NamedFile]:
    """Yield the files that tests name which have variables or use them."""
    for name, place in named:
        for path in files_of(FileReference(name), folder):
            text = folder.read(path)
            if not isinstance(text, str):
                continue
            if place == "code":
                yield NamedFile(path, _code_names(text), is_code=True)
            else:
                parts = _variables_in(text) if place == "variables" else _text_names(text)
                yield NamedFile(path, parts)


@recent(most=64)
def _variables_in(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    root = compose(bare).root
    keys = (entry.key for _, entry in root) if isinstance(root, Mapping) else ()
    names = (Occurrence(Kind.TEST_VARIABLE, it.text, it.span, defines=True) for it in keys)
    return (Part("variables", 0, tuple(names)),)


@recent(most=64)
def _text_names(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    uses = (it for it in read_template(bare).uses if not it.is_environment)
    names = (Occurrence(Kind.TEST_VARIABLE, it.name, Span(it.start, it.end)) for it in uses)
    return (Part("text", 0, tuple(names)),)


@recent(most=64)
def _code_names(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    names = (
        Occurrence(
            Kind.TEST_VARIABLE,
            it.name,
            Span(it.start, it.end),
            () if it.is_certain else FIXED,
        )
        for it in code_uses(bare)
    )
    return (Part("code", 0, tuple(names)),)
