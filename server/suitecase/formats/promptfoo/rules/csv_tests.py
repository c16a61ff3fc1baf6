"""Rules on tests in a CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from suitecase.format.rule import Edit, External, Finding, Fix, Severity, rule
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.test_cases.csv_assertions import meant_assertion
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import (
    SEPARATOR,
    SPECIAL_NAMES,
    ColumnKind,
    CsvRow,
    CsvTable,
)
from suitecase.text.csv_text import Cell
from suitecase.text.near_names import nearest
from suitecase.text.node import Span
from suitecase.text.plural import counted
from suitecase.text.recent import recent

#: No more rows of one file are reported for the same reason.
_MOST_ROWS = 20
_BREAK = re.compile(r"\r\n|\n|\r")
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def _tables(
    configuration: LinkedConfiguration,
) -> Iterator[tuple[External, CsvTable, str]]:
    """Yield the tables that a configuration names, with their texts."""
    for placed, file in files_of_tests(configuration):
        if file.read.table is not None:
            yield External(file.path, placed.span), file.read.table, file.text


@rule("PF511", gradable=True)
def csv_cells(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A row of a CSV has more or fewer cells than the header.

    promptfoo refuses to run. Put quotes around a cell with a comma in it. A blank line is a row with
    one empty cell, also at the end of the file.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,__expected
    Rome,contains:Italy
    Paris,contains-any:France,Texas  # <- finding
    Lima  # <- finding
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    city,__expected
    Rome,contains:Italy
    Paris,"contains-any:France,Texas"
    Lima,contains:Peru
    ```
    """
    for external, table, text in _tables(configuration):
        width = len(table.columns)
        if table.separator != SEPARATOR:
            continue
        for row in _wrong_rows(table):
            if row.is_blank:
                message = f"a blank line is a row with 1 cell, and the header has {width}"
                fix = _without_line(row, text)
            else:
                message = f"this row has {counted(len(row.cells), 'cell')}, and the header {width}"
                fix = None
                if len(row.cells) > width:
                    message += "; put quotes around cells that have commas in them"
            message += ": promptfoo refuses to run"
            yield Finding(row.span, message, fix, external=external)
            if any(cell.problem for cell in row.cells):
                break


@recent(most=64)
def _wrong_rows(table: CsvTable) -> tuple[CsvRow, ...]:
    width = len(table.columns)
    return tuple(islice((row for row in table.rows if _is_wrong(row, width)), _MOST_ROWS))


def _is_wrong(row: CsvRow, width: int) -> bool:
    if any(cell.problem and "closed" not in cell.problem for cell in row.cells):
        return False  # promptfoo reads such quotes in a way of its own
    return len(row.cells) != width


def _without_line(row: CsvRow, text: str) -> Fix | None:
    start = row.span.start
    line_break = _BREAK.match(text, row.span.end)
    end = line_break.end() if line_break else row.span.end
    return Fix("Remove the blank line", (Edit(Span(start, end), ""),)) if end > start else None


@rule("PF512", Severity.WARNING)
def csv_separator(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A CSV has cells that are not separated by commas.

    promptfoo takes each line for a single cell, unless the environment variable
    `PROMPTFOO_CSV_DELIMITER` names another separator.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city;__expected  # <- finding
    Rome;contains:Italy
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    city,__expected
    Rome,contains:Italy
    ```
    """
    for external, table, _ in _tables(configuration):
        if table.separator != SEPARATOR and table.columns:
            header = Span(table.columns[0].span.start, table.columns[-1].span.end)
            yield Finding(
                header,
                f"the cells are separated by {_SEPARATORS[table.separator]}: promptfoo takes each line "
                "for one cell, unless `PROMPTFOO_CSV_DELIMITER` is set",
                external=external,
            )


@rule("PF513", Severity.WARNING)
def csv_column_name(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A column of a CSV nearly has one of the names that mean something.

    promptfoo takes it for a variable. What it expects is then not checked, and the test passes
    whatever the answer is.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,_expected,__Description  # <- finding  # <- finding
    Rome,contains:Italy,the capital
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv fixed file=tests.csv
    city,__expected,__description
    Rome,contains:Italy,the capital
    ```
    """
    for external, table, text in _tables(configuration):
        for column in table.columns:
            if column.kind is ColumnKind.IGNORED:
                message = (
                    "promptfoo leaves `__metadata` out, since it has no key; write `__metadata:KEY`"
                )
                yield Finding(column.span, message, external=external)
            if column.kind is not ColumnKind.VARIABLE or not column.name.startswith("_"):
                continue
            meant = _meant_name(column.name)
            message = f"promptfoo takes `{column.name}` for a variable"
            fix = None
            if meant is not None:
                message += f"; did you mean `{meant}`?"
                if text[slice(*column.span)] == column.name:
                    edit = Edit(column.span, meant)
                    fix = Fix(f"Change to `{meant}`", (edit,), safe=False)
            elif not column.name.startswith("__"):
                continue
            yield Finding(column.span, message, fix, external=external)


def _meant_name(name: str) -> str | None:
    """Return the name with a meaning that a column most likely is meant to have."""
    word = name.lstrip("_").lower()
    number = re.search(r"(?<!\d)\d*+\Z", word)
    digits = number[0] if number else ""
    base, colon, key = word.removesuffix(digits).partition(":")
    by_word = {special_name.strip("_:").lower(): special_name for special_name in SPECIAL_NAMES}
    found = nearest(base, by_word)
    if found is None:
        return None
    meant = by_word[found].rstrip(":")
    if meant == ColumnKind.EXPECTED.value:
        return meant + digits
    return f"{meant}{colon}{key}{digits}" if colon else meant


@rule("PF514", Severity.WARNING)
def csv_duplicate_column(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Two columns of a CSV have one name.

    promptfoo reads only the last of them. Several things that are expected have names with numbers:
    `__expected1`, `__expected2`.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,__expected,__expected  # <- finding
    Rome,contains:Italy,contains:Lazio
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    city,__expected1,__expected2
    Rome,contains:Italy,contains:Lazio
    ```
    """
    for external, table, _ in _tables(configuration):
        last = {it.name: it for it in table.columns}
        for column in table.columns:
            if last[column.name] is not column and column.name:
                hint = ""
                if column.name == ColumnKind.EXPECTED.value:
                    hint = "; name them `__expected1`, `__expected2`"
                message = (
                    f"promptfoo reads only the last column `{column.name}`, not this one{hint}"
                )
                yield Finding(column.span, message, external=external)


@rule("PF515", Severity.WARNING)
def csv_expected_text(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A cell under `__expected` looks like an assertion and is not one.

    promptfoo knows an assertion by its exact type with a colon behind it. It takes anything else for
    the whole text of the answer, and the test fails.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,__expected
    Rome,Contains: Italy  # <- finding
    Paris,llm_rubric: Names France  # <- finding
    Lima,In Peru
    ```

    ```yaml fixed
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv fixed file=tests.csv
    city,__expected
    Rome,contains: Italy
    Paris,llm-rubric: Names France
    Lima,In Peru
    ```
    """
    for external, table, text in _tables(configuration):
        for cell, meant in _meant_assertions(table):
            start = cell.text.split(":")[0].strip()
            message = (
                f"promptfoo compares the answer with this text, since `{start}:` is not the start of an "
                f"assertion; did you mean `{meant}`?"
            )
            colon = text.find(":", *cell.span) + 1
            edit = Edit(Span(cell.span.start, colon), meant)
            fix = Fix(f"Change to `{meant}`", (edit,), safe=False) if colon else None
            yield Finding(cell.span, message, fix, external=external)


@recent(most=64)
def _meant_assertions(table: CsvTable) -> tuple[tuple[Cell, str], ...]:
    """Return the cells that look like assertions, with the start of those that are meant."""
    found = (
        (cell, meant)
        for row in table.rows
        for _, cell in table.cells(row, ColumnKind.EXPECTED)
        if ":" in cell.text and (meant := meant_assertion(cell.text)) is not None
    )
    return tuple(islice(found, _MOST_ROWS))
