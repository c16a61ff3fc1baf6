"""Rules on the thresholds of assertions in a CSV."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from suitecase.format.rule import External, Finding, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import Column, CsvTable
from suitecase.formats.promptfoo.suite.test_cases.csv_thresholds import (
    cells_of_thresholds,
    number_in,
    problem_of_column,
)
from suitecase.text.csv_text import Cell
from suitecase.text.recent import recent

#: No more cells of one file are reported.
_MOST_CELLS = 20


@rule("PF517")
def csv_threshold(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A cell with the threshold of an assertion has no number, or the column names no assertion.

    promptfoo refuses to run. A column `__config:__expected1:threshold` needs a number in every row, also
    where the assertion has no threshold. Most types that have one take it in parentheses, too, which rows
    can leave out: `similar(0.9): a text`. An empty cell under `__threshold` is allowed.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,__expected1,__config:__expected1:threshold,__config:__expected1:weight  # <- finding
    Rome,similar:In Italy,0.9,1
    Lima,similar:In Peru,,1  # <- finding
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    city,__expected1,__config:__expected1:threshold
    Rome,similar:In Italy,0.9
    Lima,similar:In Peru,0.75
    ```
    """
    for placed, file in files_of_tests(configuration):
        table = file.read.table
        if table is None:
            continue
        external = External(file.path, placed.span)
        for column in table.columns:
            problem = problem_of_column(column)
            if problem is not None:
                yield Finding(
                    column.span, f"promptfoo refuses to run: {problem}", external=external
                )
        for column, cell in _without_number(table):
            got = f"`{cell.text.strip()}`" if cell.text.strip() else "nothing"
            message = (
                f"promptfoo refuses to run: `{column.name}` needs a number in each row; got {got}"
            )
            yield Finding(cell.span, message, external=external)


@recent(most=64)
def _without_number(table: CsvTable) -> tuple[tuple[Column, Cell], ...]:
    found = (
        (column, cell)
        for row in table.rows
        for _, column, cell in cells_of_thresholds(table, row)
        if number_in(cell.text) is None
    )
    return tuple(islice(found, _MOST_CELLS))
