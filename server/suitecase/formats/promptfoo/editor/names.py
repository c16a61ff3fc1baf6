"""The names in configurations and lists of tests of promptfoo, and in the files that they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from suitecase.editor.index.dialect_names import DialectNames, NamedFile
from suitecase.editor.index.occurrence import FIXED, Occurrence, Part
from suitecase.format.dialect import DialectFile
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.editor.names_by_role import (
    CODE_ENDINGS,
    finder,
    finder_of_files,
    names_in_head,
    names_in_tree,
)
from suitecase.formats.promptfoo.editor.names_in_code import code_uses
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, Reading
from suitecase.formats.promptfoo.suite.prompts.prompts import prompt_entries, prompts_of
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    files_of,
)
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvTable, read_table
from suitecase.formats.promptfoo.suite.test_cases.files import TestsFile
from suitecase.formats.promptfoo.suite.test_cases.lists import source_of
from suitecase.formats.promptfoo.templates.template import read_template
from suitecase.schema.key_roles import File, Kind
from suitecase.text.compose import compose
from suitecase.text.csv_text import Cell
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.recent import recent

#: What a cell of `__expected` starts with, if the rest is code.
_CODE_IN_CELLS = ("javascript:", "python:", "fn:", "eval:")


class PromptfooNames(DialectNames):
    """Finds the names in the files of the promptfoo family."""

    def parts(self, file: DialectFile) -> Iterable[Part]:
        return _parts(file) if isinstance(file, PromptfooFile) else ()

    def named_files(self, file: DialectFile, folder: Folder) -> Iterable[NamedFile]:
        """Return the files that a configuration names, each once, with the names in them."""
        if not isinstance(file, PromptfooFile) or file.kind != "configuration":
            return ()
        found: dict[Path, NamedFile] = {}
        for named in _files(file, folder):
            earlier = found.get(named.path)
            parts = (*earlier.parts, *named.parts) if earlier is not None else named.parts
            found[named.path] = named._replace(parts=tuple(dict.fromkeys(parts)))
        return found.values()


def _parts(file: PromptfooFile) -> Iterator[Part]:
    if file.kind == "configuration":
        yield Part("head", 0, names_in_head(file).occurrences)
    find = finder(file.reading)
    for number, piece in enumerate(file.document.cases):
        yield Part(number, piece.start, find(piece.content).occurrences)


def _files(file: PromptfooFile, folder: Folder) -> Iterator[NamedFile]:
    yield from _prompt_files(file, folder)
    find = finder(file.reading)
    named = dict.fromkeys(names_in_head(file).files)
    for source in _sources(file):
        entry = source_of(source, folder, in_list=True)
        for tests in entry.files if entry is not None else ():
            yield _tests_file(tests, folder, file.reading)
            for piece in tests.read.pieces:
                named |= dict.fromkeys(find(piece.content).files)
    for found in file.document.case_index.values(finder_of_files(file.reading)):
        named |= dict.fromkeys(found)
    for path, holds in named:
        yield from _files_that_hold(holds, path, file.reading, folder)


def _files_that_hold(
    holds: str, name: str, reading: Reading, folder: Folder
) -> Iterator[NamedFile]:
    """Yield the files of a path, with the names in them."""
    for path in files_of(FileReference(name), folder):
        text = folder.read(path)
        if not isinstance(text, str):
            continue
        match holds:
            case "code":
                yield NamedFile(path, _code_names(text), is_code=True)
            case "variables":
                yield NamedFile(path, _variables_in(text))
            case "template":
                yield NamedFile(path, _text_names(text))
            case "defaults":
                yield NamedFile(path, _defaults_in(text, reading))


def _prompt_files(file: PromptfooFile, folder: Folder) -> Iterator[NamedFile]:
    entries = prompt_entries(file.head.get("prompts"), folder, file.head.source)
    occurrences: dict[Path, list[Occurrence]] = {}
    for prompt in prompts_of(entries):
        if prompt.path is not None:
            occurrences.setdefault(prompt.path, [])
        for part in prompt.parts:
            if part.path is not None:
                occurrences.setdefault(part.path, []).extend(
                    Occurrence(Kind.TEST_VARIABLE, use.name, part.span(use.start, use.end))
                    for use in read_template(part.text).uses
                    if not use.is_environment
                )
    for path, names in occurrences.items():
        if not path.name.endswith(CODE_ENDINGS):
            yield NamedFile(path, (Part("text", _start(path, folder), tuple(names)),))


def _start(path: Path, folder: Folder) -> int:
    """Return what places in a file are off by, which lack its byte order mark."""
    text = folder.read(path)
    return -1 if isinstance(text, str) and text.startswith("\ufeff") else 0


@cache
def _type_of_defaults(reading: Reading) -> Any:
    """Return the type of what applies to each test, which a file may have."""
    return next(
        info.annotation
        for info in reading.head.model_fields.values()
        if any(isinstance(mark, File) and mark.holds == "defaults" for mark in info.metadata)
    )


@recent(most=32)
def _defaults_in(text: str, reading: Reading) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    root = compose(bare).root
    if not isinstance(root, Mapping):
        return ()
    found = names_in_tree(_type_of_defaults(reading), root, bare, reading)
    return (Part("defaults", 0, found.occurrences),)


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


def _tests_file(tests: TestsFile, folder: Folder, reading: Reading) -> NamedFile:
    start = _start(tests.path, folder)
    if tests.read.table is not None:
        return NamedFile(tests.path, (Part("table", start, _in_table(tests.text)),))
    find = finder(reading)
    parts = (
        Part(number, start + piece.start, find(piece.content).occurrences)
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
                    (use.name, use.start, use.end)
                    for use in read_template(cell.text).uses
                    if not use.is_environment
                ]
            if column.kind is ColumnKind.EXPECTED and cell.text.startswith(_CODE_IN_CELLS):
                uses += [(use.name, use.start, use.end) for use in code_uses(cell.text)]
            for name, start, end in uses:
                yield Occurrence(Kind.TEST_VARIABLE, name, _in_cell(cell, text, start, end))


def _in_cell(cell: Cell, text: str, start: int, end: int) -> Span:
    first = cell.span.start
    if text[cell.span.start : cell.span.end] != cell.text:
        # Each quote of the cell is two in the file.
        first += cell.text.count('"', 0, start)
    return Span(first + start, first + end)


@recent(most=64)
def _variables_in(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    root = compose(bare).root
    keys = (entry.key for _, entry in root) if isinstance(root, Mapping) else ()
    names = (Occurrence(Kind.TEST_VARIABLE, key.text, key.span, defines=True) for key in keys)
    return (Part("variables", 0, tuple(names)),)


@recent(most=64)
def _text_names(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    uses = (use for use in read_template(bare).uses if not use.is_environment)
    names = (Occurrence(Kind.TEST_VARIABLE, use.name, Span(use.start, use.end)) for use in uses)
    return (Part("text", 0, tuple(names)),)


@recent(most=64)
def _code_names(text: str) -> tuple[Part, ...]:
    bare = text.removeprefix("\ufeff")
    names = (
        Occurrence(
            Kind.TEST_VARIABLE,
            use.name,
            Span(use.start, use.end),
            () if use.is_certain else FIXED,
        )
        for use in code_uses(bare)
    )
    return (Part("code", 0, tuple(names)),)


NAMES = PromptfooNames()
