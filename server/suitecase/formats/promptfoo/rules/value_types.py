"""Rules on values of the wrong type, and on keys that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.issue_places import issues_of
from suitecase.checking.rules.misspelling import stands_misspelt
from suitecase.format.rewriting.lines import shifted
from suitecase.format.rule import Edit, Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.rules.placed_issues import (
    Part,
    in_place,
    place_named,
    subject_of,
)
from suitecase.formats.promptfoo.suite.parsed import PromptfooHead
from suitecase.schema.fields import field_at
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.node import Mapping, Node, Scalar, Span, describe, quote_value

#: Keys at the top whose values are only shown, or handed on: promptfoo warns, and goes on.
_SHOWN = frozenset(("description", "env", "metadata", "outputPath", "sharing", "tags"))


@rule("PF105", only_of="issues", issues=(IssueKind.WRONG_TYPE,))
def mistyped_value(part: Part) -> Iterator[Finding]:
    """A value has a type that promptfoo does not understand there.

    It refuses assertions with such a value, and ignores it elsewhere: a `threshold` in quotes is
    text, and no test is held to it.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        threshold: "0.5"  # <- finding
        assert:  # <- finding
          type: contains
          value: Paris
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        threshold: 0.5
        assert:
          - type: contains
            value: Paris
    ```
    """
    for issue in issues_of(part, mistyped_value):
        if not _is_only_shown(part, issue):
            yield _finding(part, issue)


@rule("PF106", Severity.WARNING, only_of="issues", issues=(IssueKind.WRONG_TYPE,))
def mistyped_setting(part: PromptfooHead) -> Iterator[Finding]:
    """A setting of the configuration has a type that promptfoo warns about.

    It prints `Invalid configuration file` for the whole configuration and goes on, so that other
    mistakes are easily missed.

    ```yaml bad
    tags: [geography]  # <- finding
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml good
    tags: {topic: geography}
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```
    """
    for issue in issues_of(part, mistyped_setting):
        if _is_only_shown(part, issue):
            yield _finding(part, issue)


def _is_only_shown(part: Part, issue: ValidationIssue) -> bool:
    return isinstance(part, PromptfooHead) and bool(_SHOWN.intersection(issue.path[:1]))


def _finding(part: Part, issue: ValidationIssue) -> Finding:
    message = f"{subject_of(issue)} {_wanted(part, issue)}; got {describe(issue.node)}"
    fix = None
    if isinstance(issue.node, Scalar):
        fix = _unquoted(issue.node, issue.type)
    elif isinstance(issue.node, Mapping) and issue.type == "list_type" and "type" in issue.node:
        fix = _as_item(part.source, issue.node)
    is_block = not isinstance(issue.node, Scalar) and not issue.node.flow
    span = issue.key.span if issue.key is not None and is_block else issue.span
    return Finding(span, message, fix)


def _wanted(part: Part, issue: ValidationIssue) -> str:
    """Return what a value has to be, where one of several types is allowed, too."""
    if not issue.type.startswith("union_tag") or part.node is None:
        return issue.message
    field = field_at(part.model_type, part.node, issue.path)
    return f"must be {field.expected}" if field is not None else "must be text or a mapping"


def _unquoted(node: Scalar, error: str) -> Fix | None:
    if node.style not in ("'", '"') or not error.startswith(("int", "float", "bool")):
        return None
    value = Scalar(0, 0, node.text, "").value
    fits = {"int": (int,), "float": (int, float), "bool": (bool,)}[error.split("_")[0]]
    if type(value) not in fits:
        return None
    return replace(node.span, node.text, "Remove the quotes")


def _as_item(source: str, node: Mapping) -> Fix | None:
    """Return the fix that makes a mapping the only item of a list."""
    title = "Make it an item of a list"
    if node.flow:
        start, end = Span(node.start, node.start), Span(node.end, node.end)
        return Fix(title, (Edit(start, "["), Edit(end, "]")))
    first = next(iter(node.entries.values()))
    if first.key.start != node.start or any(entry.merged for entry in node.entries.values()):
        return None
    dash = Edit(Span(first.key.start, first.key.start), "- ")
    return Fix(title, (dash, *shifted(source, Span(first.key.start, node.end), 2)))


#: The kinds of issues that other rules report, those on rubrics of every format included.
_OF_OTHER_RULES = {
    *(IssueKind.MISSING, IssueKind.UNKNOWN_KEY, IssueKind.WRONG_TYPE),
    *(IssueKind.NEGATIVE_WEIGHT, IssueKind.REQUIRED_MIN_SCORE, IssueKind.SCORE_RANGE_TEXT),
    *(IssueKind.SCORE_RANGE_BOUNDS, IssueKind.SCORE_RANGE_REVERSED),
    *(IssueKind.SCORE_RANGE_OVERLAP, IssueKind.SCORE_RANGE_COVERAGE, IssueKind.SCORE_RANGE_START),
}


@rule("PF107", only_of="issues", issues=set(IssueKind) - _OF_OTHER_RULES)
def impossible_value(part: Part) -> Iterator[Finding]:
    """A value has the right type, but is outside of what makes sense.

    A number of calls or of milliseconds cannot be negative, and a test cannot be asked less than
    once.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    evaluateOptions:
      delay: -500  # <- finding
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    evaluateOptions:
      delay: 500
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    """
    for issue in issues_of(part, impossible_value):
        message = f"{subject_of(issue)} {issue.message}; got {quote_value(issue.node)}"
        yield Finding(issue.span, message)


@rule("PF108", only_of="issues", issues=(IssueKind.MISSING,))
def lacking_key(part: Part) -> Iterator[Finding]:
    """A key is missing that promptfoo needs.

    A provider without `id` and a set without assertions are refused; so is a scenario without
    tests.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers:
      - label: gpt  # <- finding
        config: {temperature: 0}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers:
      - id: openai:gpt-4.1
        label: gpt
        config: {temperature: 0}
    tests:
      - vars: {country: France}
        assert:
          - {type: contains, value: Paris}
    ```
    """
    for issue in issues_of(part, lacking_key):
        if issue.type == "rubric_without_outcome":
            keys = (issue.context["one"], issue.context["other"])
            if not any(stands_misspelt(part, issue.path, key) for key in keys):
                yield Finding(_first(issue), issue.message)
            continue
        where = issue.path[:-1]
        listed = place_named(part, where) == "assertion"
        if listed and issue.path[-1] == "type":
            continue  # by the rule on assertions without a type
        place = in_place(part, where)
        yield Finding(_first(issue), f"`{issue.path[-1]}` is missing {place}")


def _first(issue: ValidationIssue) -> Span:
    node: Node = issue.node
    if isinstance(node, Mapping) and node.flow:
        return node.span
    return issue.span
