"""Rules on tests that pass whatever the answer is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from suitecase.format.rule import External, Finding, Severity, rule
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PlacedSource
from suitecase.formats.promptfoo.suite.linked_tests import files_of_tests
from suitecase.formats.promptfoo.suite.parsed import (
    READING,
    ParsedAssertion,
    PromptfooTest,
    Reading,
)
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import Column, ColumnKind
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node
from suitecase.formats.promptfoo.suite.test_cases.files import TestsFile, TestsText
from suitecase.formats.promptfoo.suite.vocabulary import PROMPTFOO
from suitecase.schema.validation import IssueKind
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, is_empty
from suitecase.text.plural import counted
from suitecase.text.recent import recent

#: Names that other tools give to what should be `assert`.
_OF_OTHER_TOOLS = ("assertions", "checks", "evaluators", "expectations", "rubrics")
#: Names that people give to what should be `assert`, or `defaultTest`.
_MEANT = ("assert", "asserts", *_OF_OTHER_TOOLS, "defaultTest")
#: No more tests of one file are reported.
_MOST_OF_FILE = 20


class _Unasserted(NamedTuple):
    """A test whose own assertions cannot fail.

    `is_written` is whether it has any; `alone`, whether those of `defaultTest` do not hold for it;
    `apart`, whether those at the top of a suite do not; `has_criteria`, whether it has `criteria` that would grade it.
    """

    span: Span
    is_written: bool
    alone: bool = False
    apart: bool = False
    has_criteria: bool = False


def _unasserted(test: PromptfooTest) -> _Unasserted | None:
    """Return the test, if nothing that it has itself can fail."""
    node = test.node
    if node is None or _stands_elsewhere(test, node):
        return None
    return _unasserted_in(node, test.reading)


def _unasserted_in(node: Mapping, reading: Reading) -> _Unasserted | None:
    elsewhere = ("path", "include", "$ref", reading.key("assertScoringFunction"))
    if any(it in node for it in elsewhere) or _turns_assert(node, reading):
        return None
    criteria = node.get("criteria") if reading.grades_by_criteria else None
    has_criteria = criteria is not None and not is_empty(criteria)
    if has_criteria and "assert" not in node:
        return None
    listed = node.get("assert")
    if _may_fail(listed, reading):
        return None
    items = listed.items if isinstance(listed, Sequence) else []
    key = node.key("assert" if items else "description") or node.key("id") or node.key("vars")
    entry = key or next(iter(node.entries.values())).key if node.entries else None
    span = entry.span if entry is not None else Span(node.start, node.start + 1)
    alone = _says_true(node, "options", reading.key("disableDefaultAsserts"))
    apart = _says_true(node, "execution", "skip_defaults")
    return _Unasserted(span, bool(items), alone, apart, has_criteria)


def _turns_assert(node: Mapping, reading: Reading) -> bool:
    """Whether a turn of a conversation has assertions."""
    turns = node.get("turns") if reading is not READING else None
    listed = turns.items if isinstance(turns, Sequence) else []
    return any(
        isinstance(item, Mapping) and _may_fail(item.get("assert"), reading) for item in listed
    )


def _may_fail(listed: Node | None, reading: Reading) -> bool:
    """Whether a list of assertions has one that counts; what is not a list is reported otherwise."""
    if not isinstance(listed, Sequence):
        return isinstance(listed, Mapping) or (isinstance(listed, Scalar) and bool(listed.value))
    return any(_counts(item, reading) for item in listed.items)


def _counts(item: Node, reading: Reading) -> bool:
    if not isinstance(item, Mapping) or "$ref" in item:
        return True
    weight, kind = item.get("weight"), item.get("type")
    if _is_zero(weight) and reading.passes_without_weight:
        return False
    known = reading.assertion_type(kind.text) if isinstance(kind, Scalar) else None
    return known is None or known[0].graded_by != "set" or _may_fail(item.get("assert"), reading)


def _is_zero(node: Node | None) -> bool:
    return (
        isinstance(node, Scalar)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value == 0
    )


def _stands_elsewhere(test: PromptfooTest, node: Mapping) -> bool:
    """Whether assertions stand in a wrong place, or under a wrong name, which is reported there."""
    variables = node.get("vars")
    if isinstance(variables, Mapping) and isinstance(variables.get("assert"), Sequence):
        return True
    unknown = (
        issue
        for issue in test.issues
        if issue.kind == IssueKind.UNKNOWN_KEY and len(issue.path) == 1
    )
    if any(nearest(str(it.path[0]), _MEANT) is not None for it in unknown):
        return True
    return any(name in node for name in _MEANT if name != "assert")


def _says_true(node: Mapping, name: str, key: str) -> bool:
    within = node.get(name)
    flag = within.get(key) if isinstance(within, Mapping) else None
    return isinstance(flag, Scalar) and flag.value is True


def _is_test(test: PromptfooTest) -> bool:
    return test.node is not None and "path" not in test.node and "include" not in test.node


class _InFile(NamedTuple):
    """What a file has of tests that nothing is asserted of: one, or a whole table of so many."""

    placed: PlacedSource
    file: TestsFile
    test: _Unasserted
    number: int


class _OfSuite(NamedTuple):
    """The tests that nothing is asserted of, and whether anything is asserted at all."""

    own: list[tuple[int, _Unasserted]]
    in_files: list[_InFile]
    asserts: bool


_UNKNOWN = _OfSuite([], [], True)


def _of_suite(configuration: LinkedConfiguration) -> _OfSuite:
    head, reading = configuration.head, configuration.reading
    if head.node is None or any(it in head.node for it in _ASSERTING_OTHERWISE):
        return _UNKNOWN
    unknown = (
        issue
        for issue in head.issues
        if issue.kind == IssueKind.UNKNOWN_KEY and len(issue.path) == 1
    )
    if any(nearest(str(it.path[0]), _MEANT) is not None for it in unknown):
        return _UNKNOWN
    default, body = head.get("defaultTest"), default_node(configuration)
    of_default = False
    if body is not None:
        if "$ref" in body or reading.key("assertScoringFunction") in body:
            return _UNKNOWN
        of_default = _may_fail(body.get("assert"), reading)
        variables = body.get("vars")
        if isinstance(variables, Mapping) and isinstance(variables.get("assert"), Sequence):
            return _UNKNOWN
    elif isinstance(default, Scalar) and default.value is not None:
        return _UNKNOWN  # a file has it that is not there, or is a script
    at_top = _may_fail(head.node.get("assert"), reading)

    def is_bare(test: _Unasserted) -> bool:
        return not ((of_default and not test.alone) or (at_top and not test.apart))

    index = configuration.file.case_index
    own = [(number, it) for number, it in index.where(_unasserted) if is_bare(it)]
    in_files = [
        _InFile(placed, file, test, count)
        for placed, file in files_of_tests(configuration)
        for test, count in _unasserted_of(file.read, reading)
        if is_bare(test)
    ]
    others = len(own) < len(index.numbers(_is_test))
    asserts = of_default or at_top or others or any(it.is_written for _, it in own)
    return _OfSuite(own, in_files, asserts or _files_assert(configuration))


#: Keys at the top with which something may be asserted that is not seen here, or is reported as a mistake.
_ASSERTING_OTHERWISE = ("redteam", "extensions", "plugins", "execution", *_OF_OTHER_TOOLS)


@recent(most=64)
def _unasserted_of(read: TestsText, reading: Reading) -> tuple[tuple[_Unasserted, int], ...]:
    """Return the tests of a file whose own assertions cannot fail; a table that has none is one, with their count."""
    table = read.table
    if table is None:
        nodes = ((piece, piece.node) for piece in read.pieces if not piece.content.broken)
        found = (
            (piece, it)
            for piece, node in nodes
            if isinstance(node, Mapping) and (it := _unasserted_in(node, reading)) is not None
        )
        return tuple((it._replace(span=piece.absolute(it.span)), 1) for piece, it in found)
    kinds = {column.kind for column in table.columns}
    rows = [row for row in table.rows if not row.is_blank and len(row.cells) == len(table.columns)]
    if ColumnKind.EXPECTED in kinds:
        bare = (row for row in rows if not table.assertions(row))
        return tuple((_Unasserted(it.span, False), 1) for it in bare)
    if not rows or any(map(_is_expected, table.columns)):
        return ()
    header = Span(table.columns[0].span.start, table.columns[-1].span.end)
    return ((_Unasserted(header, False), len(rows)),)


def _files_assert(configuration: LinkedConfiguration) -> bool:
    """Whether anything is asserted of the tests in files, or may be."""
    for placed in configuration.test_sources:
        source = placed.source
        if source.is_open or source.problem is not None or not source.files:
            return True
        for file in source.files:
            if file.unreadable is not None:
                return True
            table = file.read.table
            if table is not None:
                if any(map(_is_expected, table.columns)):
                    return True
                continue
            bare = _unasserted_of(file.read, configuration.reading)
            if len(bare) < len(file.tests) or any(it.is_written for it, _ in bare):
                return True
    return False


def _is_expected(column: Column) -> bool:
    """Whether a column has assertions, or is meant to."""
    if column.kind is ColumnKind.EXPECTED:
        return True
    return nearest(column.name, [ColumnKind.EXPECTED.value]) is not None


@rule("PF220", gradable=True)
def test_without_assertions(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """Nothing is asserted of the answers to a test.

    In promptfoo it passes with a score of 1 whatever the answer is. That is also so where every assertion
    has the weight 0. `suitecase run` does not grade it, and neither does it grade such a test of AgentV, unless
    the test has `criteria` and no `assert`. Tests in files are looked at, too.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
      - description: Italy  # <- finding
        vars: {country: Italy}
      - vars: {country: Spain}
        assert:  # <- finding
          - {type: contains, value: Madrid, weight: 0}
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      assert:
        - {type: latency, threshold: 5000}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
      - vars: {country: Italy}
    ```

    In a table, each row needs something under `__expected`.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv bad file=tests.csv
    country,__expected
    France,contains:Paris
    Italy,  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests: tests.csv
    ```

    ```csv good file=tests.csv
    country,__expected
    France,contains:Paris
    Italy,contains:Rome
    ```
    """
    found, reading = _of_suite(configuration), configuration.reading
    if not found.asserts:
        return
    for number, test in found.own:
        yield Finding(configuration.test_span(number, test.span), _why(test, reading))
    of_file = Counter(file.path for _, file, _, _ in found.in_files)
    reported = Counter[Path]()
    for placed, file, test, count in found.in_files:
        reported[file.path] += 1
        if reported[file.path] <= _MOST_OF_FILE:
            message = _why(test, reading, count)
            unreported = of_file[file.path] - _MOST_OF_FILE
            if reported[file.path] == _MOST_OF_FILE and unreported > 0:
                message += f"; {counted(unreported, 'more test')} of this file {'is' if unreported == 1 else 'are'} like it"
            yield Finding(test.span, message, external=External(file.path, placed.span))


def _why(test: _Unasserted, reading: Reading, count: int = 1) -> str:
    """Return what is wrong with a test that nothing is asserted of, or with so many in a table."""
    them = "it" if count == 1 else "they"
    is_promptfoo = reading.vocabulary is PROMPTFOO
    effect = f"{them} always pass{'es' if count == 1 else ''}"
    if not is_promptfoo:
        effect = f"{them} {'is' if count == 1 else 'are'} not graded"
    if test.is_written:
        return f"no assertion of this test counts (weight 0, or an empty `assert-set`), so that {effect}"
    tests = "this test" if count == 1 else f"the {counted(count, 'test')} of this table"
    message = f"nothing is asserted of {tests}, so that {effect}"
    if test.has_criteria:
        message += ": its `criteria` grade it only without `assert`"
    return message


@rule("PF221", Severity.WARNING)
def suite_without_assertions(configuration: LinkedConfiguration) -> Iterator[Finding]:
    """Nothing is asserted of the answers to any test.

    In promptfoo every test passes, and the run ends with exit code 0; `suitecase run` grades none. For
    comparing answers by eye that is enough.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:  # <- finding
      - vars: {country: France}
      - vars: {country: Italy}
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    defaultTest:
      assert:
        - {type: llm-rubric, value: Names the capital and nothing else}
    tests:
      - vars: {country: France}
      - vars: {country: Italy}
    ```
    """
    found = _of_suite(configuration)
    key = configuration.file.document.list_key
    if (found.own or configuration.test_sources) and not found.asserts and key is not None:
        is_promptfoo = configuration.reading.vocabulary is PROMPTFOO
        effect = "every answer passes" if is_promptfoo else "no answer is graded"
        message = f"nothing is asserted of any test, so that {effect}"
        yield Finding(configuration.head_span(key.span), message)


@rule("PF222", Severity.INFO, keys=("weight",))
def weight_zero(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion with the weight 0 decides nothing.

    In promptfoo it passes whatever it finds; in AgentV its score is left out of the mean. Results show what
    it found, and its score is part of its `metric`; the test does not depend on it.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - {type: word-count, value: {max: 20}, weight: 0}  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        threshold: 0.6
        assert:
          - {type: contains, value: Paris}
          - {type: word-count, value: {max: 20}, weight: 0.5}
    ```
    """
    node = assertion.node.get("weight")
    if node is None or not _is_zero(node):
        return
    required = assertion.node.get("required")
    if assertion.reading.passes_without_weight:
        yield Finding(node.span, "with a `weight` of 0, this assertion passes whatever it finds")
    elif not isinstance(required, Scalar) or not required.value:
        message = "with a `weight` of 0, the score of this assertion does not count"
        yield Finding(node.span, message)


@rule("PF223", Severity.WARNING, keys=("weight",))
def negative_assertion_weight(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion has a negative weight.

    The score of a test is a weighted mean: with a negative weight it falls where the assertion
    passes, and it may be more than 1 or less than 0.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - {type: contains, value: Lyon, weight: -1}  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
          - {type: not-contains, value: Lyon}
    ```
    """
    if assertion.reading.head is not READING.head:
        return  # the model of another tool has the scale
    node = assertion.node.get("weight")
    value = node.value if isinstance(node, Scalar) else None
    if node is not None and isinstance(value, int | float) and value < 0:
        yield Finding(
            node.span,
            f"a `weight` must not be negative; got {value:g}. `not-` inverts an assertion",
        )
