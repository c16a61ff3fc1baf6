"""The tests of a configuration that are written in other files, with their places there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase.editor.dialect_tests import GradedPlace, TestElsewhere, named_at
from suitecase.format.dialect import NamedTest
from suitecase.formats.promptfoo.editor.graded import places_in, with_shared
from suitecase.formats.promptfoo.suite.effective.tests import fields_of_row, tests_in_order
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvRow, CsvTable
from suitecase.formats.promptfoo.suite.test_cases.files import LinkedTest, TestsFile
from suitecase.text.document import Content
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Span, plain


def tests_elsewhere(
    linked: LinkedConfiguration, named: Sequence[NamedTest]
) -> Mapping[str, TestElsewhere]:
    """Return the tests of a configuration that are written in other files, by name.

    Args:
        linked: the configuration.
        named: its tests in the order of promptfoo.
    """
    entries: dict[Path, Span] = {}
    for placed in linked.test_sources:
        for file in placed.source.files:
            entries.setdefault(file.path, placed.span)
    return {
        it.name: _TestInFile(linked.file, file, test, entries[file.path])
        for it, (file, test) in zip(named, tests_in_order(linked), strict=False)
        if file is not None
    }


@dataclass(frozen=True, slots=True, eq=False)
class _TestInFile:
    """A test in a file; a `TestElsewhere`."""

    configuration: PromptfooFile
    file: TestsFile
    test: LinkedTest
    entry: Span

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def text(self) -> str:
        return self.file.text

    @property
    def name_span(self) -> Span:
        table, row = self.file.read.table, self.test.row
        if table is not None and row is not None:
            return _named_cell(table, row)
        node = self.test.node
        if node is None:
            return Span(0, 0)
        return self.test.absolute(named_at(node) if isinstance(node, Tree) else node.span)

    @property
    def content(self) -> Content | None:
        return self.test.piece.content if self.test.piece is not None else None

    @property
    def said(self) -> Any:
        table = self.file.read.table
        if table is not None:
            return fields_of_row(self.test, table)
        return plain(self.test.node) if self.test.node is not None else None

    def graded(self, count: int) -> Sequence[GradedPlace]:
        table, row = self.file.read.table, self.test.row
        if table is not None and row is not None:
            cells = table.cells(row, ColumnKind.EXPECTED)
            own = [GradedPlace(cell.span) for _, cell in cells if cell.text.strip()]
        else:
            own = places_in(self.test.node, self.test.absolute)
        return with_shared(self.configuration, own, count)


def _named_cell(table: CsvTable, row: CsvRow) -> Span:
    """Return the place of the description of a row, or of its first variable if it has none."""
    for kind in (ColumnKind.DESCRIPTION, ColumnKind.VARIABLE):
        for _, cell in table.cells(row, kind):
            if cell.text.strip():
                return cell.span
    return row.span
