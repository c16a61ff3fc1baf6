"""Rules on what the columns of a CSV are for."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import External, Finding, Severity, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvTable
from suitecase.formats.promptfoo.suite.variables import variables
from suitecase.text.recent import recent
from suitecase_evaluators.system.path_kinds import FILE_SCHEME


@rule("PF516", Severity.INFO)
def unused_csv_column(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A column of a CSV is a variable that nothing uses.

    No prompt has it in double braces, and neither does an assertion, a provider or another variable. A
    note for people may stand in a column such as `__metadata:category`. Nothing is reported where a
    script, which is not read here, is given all variables.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    city,category,__expected  # <- finding
    Rome,capital,contains:Italy
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    city,__metadata:category,__expected
    Rome,capital,contains:Italy
    ```
    """
    tables = [
        (placed, file, file.read.table)
        for placed, file in files_of_tests(configuration)
        if file.read.table is not None
    ]
    if not tables:
        return
    known = variables(configuration)
    if known.is_open or known.sees_all or not known.are_prompts_known or not known.asks_models:
        return
    if not all(map(known.is_answered_by_text, known.shapes)):
        return
    texts = [prompt.text or "" for prompt in configuration.prompts]
    for placed, file, table in tables:
        external = External(file.path, placed.span)
        cells = _texts_with_names(table)
        if FILE_SCHEME in cells or "package:" in cells:  # such a script is given all variables
            return
        for name, span in table.variables.items():
            # A prompt that has the name in it in any way has a finding of its own.
            if (
                name
                and name not in known.used
                and not any(name in text for text in (*texts, cells))
            ):
                message = f"the column `{name}` is used by no prompt, assertion or provider"
                yield Finding(span, message, external=external)


@recent(most=64)
def _texts_with_names(table: CsvTable) -> str:
    """Return what is asserted in a table, and its other cells with templates, as one text."""
    found: list[str] = []
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=False):
            if column.kind is ColumnKind.EXPECTED or "{{" in cell.text:
                found.append(cell.text)
    return "\n".join(found)
