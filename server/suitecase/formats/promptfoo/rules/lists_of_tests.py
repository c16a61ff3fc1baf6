"""Rules on the tests of a configuration as a whole: none, two alike, and rows that lists make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from suitecase.format.rule import External, Finding, Related, Severity, rule
from suitecase.formats.promptfoo.suite.linked import (
    LinkedConfiguration,
    PromptfooConfiguration,
    TestTexts,
)
from suitecase.formats.promptfoo.suite.linked_tests import (
    PlacedFacts,
    alike,
    files_of_tests,
    with_lists,
)
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import ColumnKind, CsvRow, CsvTable
from suitecase.formats.promptfoo.suite.test_cases.facts import ListVariable, TestFacts
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, describe
from suitecase.text.plural import counted
from suitecase.text.recent import recent


@rule("PF521", Severity.WARNING)
def duplicate_test(texts: TestTexts) -> Iterator[Finding]:
    """Two tests are the same in all but their descriptions.

    The second one asks and grades the same again, and counts twice. Mostly it is a copy in which
    something was to be changed. For answers that differ from time to time there is `options.repeat`.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
      - vars: {city: Rome}  # <- finding
        assert: [{type: contains, value: Italy}]
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
      - vars: {city: Paris}
        assert: [{type: contains, value: France}]
    ```
    """
    configuration = texts.configuration
    for test, before in alike(configuration, _content):
        yield _second(test, before, "this test is the same as another one")
    for external, table, _ in _tables(configuration):
        for row, earlier in _rows_alike(table):
            related = (Related("the other one", earlier.span, external.path),)
            message = "this test is the same as another one"
            yield Finding(row.span, message, related=related, external=external)


@recent(most=64)
def _rows_alike(table: CsvTable) -> tuple[tuple[CsvRow, CsvRow], ...]:
    """Return each row that says what one before it says, with that one."""
    first: dict[tuple[str, ...], CsvRow] = {}
    found: list[tuple[CsvRow, CsvRow]] = []
    for row in table.rows:
        known = [
            cell.text
            for column, cell in zip(table.columns, row.cells, strict=False)
            if column.kind is not ColumnKind.DESCRIPTION
        ]
        earlier = first.setdefault(tuple(known), row)
        if earlier is not row and any(known):
            found.append((row, earlier))
    return tuple(found)


@rule("PF522", Severity.INFO)
def duplicate_description(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """Two tests have one description.

    In the results they cannot be told apart by it.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - description: a capital
        vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
      - description: a capital  # <- finding
        vars: {city: Paris}
        assert: [{type: contains, value: France}]
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - description: a capital in the south
        vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
      - description: a capital in the west
        vars: {city: Paris}
        assert: [{type: contains, value: France}]
    ```
    """
    for test, before in alike(configuration, _description):
        if before.facts.content != test.facts.content:
            name = _description(test.facts)
            yield _second(test, before, f"another test is called `{name}`, too")


def _content(facts: TestFacts) -> str:
    return facts.content if facts.node.entries else ""


def _description(facts: TestFacts) -> str:
    return facts.description.text.strip() if facts.description is not None else ""


def _second(test: PlacedFacts, before: PlacedFacts, message: str) -> Finding:
    """Return a finding at a test that repeats something of one before it."""
    own, other = (it.facts.description or _start(it.facts.node) for it in (test, before))
    found = test.finding(own.span, message)
    path = before.file.path if before.file is not None else None
    related = Related("the other one", before.piece.absolute(other.span), path)
    return Finding(found.span, message, related=(related,), external=found.external)


def _start(node: Mapping) -> Node:
    """Return the first key of a test."""
    return next((it.key for _, it in node), node)


def _tables(configuration: LinkedConfiguration) -> Iterator[tuple[External, CsvTable, str]]:
    for placed, file in files_of_tests(configuration):
        if file.read.table is not None:
            yield External(file.path, placed.span), file.read.table, file.text


@rule("PF523", Severity.WARNING)
def no_tests(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """A list of tests is empty, or a file has none.

    promptfoo asks each prompt once, without variables. As long as `defaultTest` asserts nothing, the
    run passes whatever the answers are.

    ```yaml bad
    prompts: ["Where is Rome?"]
    providers: [openai:gpt-4.1]
    tests: []  # <- finding
    ```

    ```yaml good
    prompts: ["Where is Rome?"]
    providers: [openai:gpt-4.1]
    tests:
      - assert: [{type: contains, value: Italy}]
    ```
    """
    document, head = configuration.file.document, configuration.head
    key, node = document.list_key, document.list_node
    for placed in configuration.test_sources:
        for file in placed.source.files:
            if file.unreadable is None and not file.tests and not file.read.broken:
                name = configuration.folder.shown(file.path)
                yield Finding(placed.span, f"there are no tests in `{name}`")
    if key is None or document.cases or head.default_test is not None:
        return
    if any(head.get(it) is not None for it in ("defaultTest", "scenarios", "redteam")):
        return
    is_empty = isinstance(node, Sequence) or (isinstance(node, Scalar) and node.value is None)
    if is_empty and not document.head.content.broken:
        message = f"there are no tests under `{key.text}`"
        if configuration.reading.vocabulary is PROMPTFOO:
            message += ": promptfoo asks each prompt once, and asserts nothing"
        yield Finding(document.head.absolute(key.span), message)


@rule("PF524")
def not_a_test(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """An entry of `tests` is neither a test nor the name of a file.

    promptfoo ends with an error before it asks anything. A test has at least one of `vars`, `assert`,
    `options`, `metadata`, `provider`, `providerOutput` and `threshold`.

    ```yaml bad
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      -  # <- finding
      - [city, Rome]  # <- finding
      - vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
    ```

    ```yaml good
    prompts: ["Where is {{city}}?"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Rome}
        assert: [{type: contains, value: Italy}]
    ```
    """
    document = configuration.file.document
    found: Iterable[tuple[int, Node]] = document.case_index.where(_no_test)
    for number, node in found:
        piece = document.cases[number]
        if isinstance(node, Mapping):
            first = _start(node)
            keys = ", ".join(f"`{it}`" for it in _NEEDED)
            message = f"promptfoo refuses a test without any of {keys}"
            yield Finding(piece.absolute(first.span), message)
            continue
        message = f"an entry of `tests` is a test or the name of a file; got {describe(node)}"
        yield Finding(_visible(piece.absolute(node.span), document.text), message)


#: What a test has at least one of.
_NEEDED = ("vars", "assert", "options", "metadata", "provider", "providerOutput", "threshold")


def _no_test(content: Content) -> Node | None:
    node = content.node
    if content.broken or node is None:
        return None
    if isinstance(node, Mapping):
        given = (node.get(it) for it in ("path", *_NEEDED))
        has_any = any(it is not None and not _is_nothing(it) for it in given)
        return None if has_any or any(it.merged for _, it in node) else node
    is_name = isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip()
    return None if is_name else node


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _visible(span: Span, text: str) -> Span:
    """Return the place of an entry; of one that is nothing, its dash."""
    if span.end > span.start:
        return span
    dash = text.rfind("-", 0, span.start + 1)
    return Span(dash, dash + 1) if dash >= 0 else span


@rule("PF525", Severity.INFO)
def rows_of_lists(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A variable has a list of texts, of which promptfoo makes a row each.

    Lists under several variables are combined, so that rows, and what they cost, multiply. A list that
    the prompt is to go through as a whole stays one if `options.disableVarExpansion` is set.

    ```yaml bad
    prompts: ["Say {{word}} in {{language}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          word: [hello, bye]  # <- finding
          language: [French, German, Italian]
        assert: [{type: javascript, value: output.length > 2}]
    ```

    ```yaml good
    prompts: ["Say {{word}} in {{language}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {word: hello, language: French}
        assert: [{type: javascript, value: output.length > 2}]
    ```
    """
    for test in with_lists(configuration):
        lists = [it for it in test.facts.lists if it.items > 1]
        if lists:
            yield test.finding(lists[0].key.span, _rows(lists))


def _rows(lists: list[ListVariable]) -> str:
    total = 1
    for it in lists:
        total *= it.items
    names = " x ".join(f"{it.items} `{it.key.text}`" for it in lists)
    if len(lists) == 1:
        return f"promptfoo makes {counted(total, 'row')} of this list, one for each item"
    return f"promptfoo makes {counted(total, 'row')} of these lists: {names}"
