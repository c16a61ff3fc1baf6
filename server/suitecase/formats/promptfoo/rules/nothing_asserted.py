"""Rules on tests that pass whatever the answer is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PromptfooConfiguration
from suitecase.formats.promptfoo.suite.parsed import READING, ParsedAssertion, PromptfooTest
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import Column, ColumnKind
from suitecase.near_names import nearest
from suitecase.rule import Finding, Severity, rule
from suitecase.suite.validation import IssueKind
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span

#: Names that people give to what should be `assert`, or `defaultTest`.
_MEANT = ("assert", "asserts", "assertions", "checks", "evaluators", "expectations", "defaultTest")


class _Unasserted(NamedTuple):
    """A test whose own assertions cannot fail.

    `is_written` is whether it has any; `alone`, whether those of `defaultTest` do not hold for it.
    """

    span: Span
    is_written: bool
    alone: bool


def _unasserted(test: PromptfooTest) -> _Unasserted | None:
    """Return the test, if nothing that it has itself can fail."""
    node = test.node
    if node is None or "path" in node or "$ref" in node or "assertScoringFunction" in node:
        return None
    listed = node.get("assert")
    if _may_fail(listed) or _stands_elsewhere(test, node):
        return None
    items = listed.items if isinstance(listed, Sequence) else []
    key = node.key("assert" if items else "description") or node.key("vars")
    entry = key or next(iter(node.entries.values())).key if node.entries else None
    span = entry.span if entry is not None else Span(node.start, node.start + 1)
    return _Unasserted(span, bool(items), _ignores_default(node))


def _may_fail(listed: Node | None) -> bool:
    """Whether a list of assertions has one that counts; what is not a list is reported otherwise."""
    if not isinstance(listed, Sequence):
        return isinstance(listed, Mapping) or (isinstance(listed, Scalar) and bool(listed.value))
    return any(_counts(it) for it in listed.items)


def _counts(item: Node) -> bool:
    if not isinstance(item, Mapping) or "$ref" in item:
        return True
    weight, kind = item.get("weight"), item.get("type")
    if _is_zero(weight):
        return False
    is_set = isinstance(kind, Scalar) and kind.text == "assert-set"
    return not is_set or _may_fail(item.get("assert"))


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
    unknown = (it for it in test.issues if it.kind == IssueKind.UNKNOWN_KEY and len(it.path) == 1)
    return any(nearest(str(it.path[0]), _MEANT) is not None for it in unknown)


def _ignores_default(node: Mapping) -> bool:
    options = node.get("options")
    flag = options.get("disableDefaultAsserts") if isinstance(options, Mapping) else None
    return isinstance(flag, Scalar) and flag.value is True


def _is_test(test: PromptfooTest) -> bool:
    return test.node is not None and "path" not in test.node


def _of_suite(configuration: LinkedConfiguration) -> tuple[list[tuple[int, _Unasserted]], bool]:
    """Return the tests that nothing is asserted of, and whether anything is asserted at all."""
    head = configuration.head
    if head.node is None or any(it in head.node for it in ("redteam", "extensions", "plugins")):
        return [], True
    unknown = (it for it in head.issues if it.kind == IssueKind.UNKNOWN_KEY and len(it.path) == 1)
    if any(nearest(str(it.path[0]), _MEANT) is not None for it in unknown):
        return [], True
    default, body = head.get("defaultTest"), head.default_test
    if isinstance(default, Scalar) and default.value is not None:
        return [], True  # a file has it
    of_default = False
    if body is not None:
        if "$ref" in body.node or "assertScoringFunction" in body.node:
            return [], True
        of_default = _may_fail(body.node.get("assert"))
        variables = body.variables
        if variables is not None and isinstance(variables.get("assert"), Sequence):
            return [], True
    index = configuration.file.case_index
    found = [(number, it) for number, it in index.where(_unasserted) if it.alone or not of_default]
    others = len(found) < len(index.numbers(_is_test))
    asserts = of_default or others or any(it.is_written for _, it in found)
    return found, asserts or _files_assert(configuration)


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
            elif any(_asserts(it.node) for it in file.tests):
                return True
    return False


def _is_expected(column: Column) -> bool:
    """Whether a column has assertions, or is meant to."""
    if column.kind is ColumnKind.EXPECTED:
        return True
    return nearest(column.name, [ColumnKind.EXPECTED.value]) is not None


def _asserts(node: Node | None) -> bool:
    return not isinstance(node, Mapping) or "assert" in node or "$ref" in node


@rule("PF220", gradable=True)
def test_without_assertions(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Nothing is asserted of the answers to a test.

    It passes with a score of 1 whatever the answer is. That is also so where every assertion has
    the weight 0.

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
    """
    found, asserts = _of_suite(configuration)
    for number, test in found if asserts else []:
        if test.is_written:
            message = "every assertion of this test has the weight 0, so that it always passes"
        else:
            message = "nothing is asserted of this test, so that it always passes"
        yield Finding(configuration.test_span(number, test.span), message)


@rule("PF221", Severity.WARNING)
def suite_without_assertions(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Nothing is asserted of the answers to any test.

    Every test passes, and the run ends with exit code 0. For comparing answers by eye that is
    enough.

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
    found, asserts = _of_suite(configuration)
    key = configuration.file.document.list_key
    if (found or configuration.test_sources) and not asserts and key is not None:
        message = "nothing is asserted of any test, so that every answer passes"
        yield Finding(configuration.head_span(key.span), message)


@rule("PF222", Severity.INFO, keys=("weight",))
def weight_zero(assertion: ParsedAssertion) -> Iterator[Finding]:
    """An assertion with the weight 0 always passes.

    Results show what it found, and its score is part of its `metric`; the test does not depend on
    it.

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
    if node is not None and _is_zero(node) and assertion.reading.passes_without_weight:
        yield Finding(node.span, "with a `weight` of 0, this assertion passes whatever it finds")


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
