"""The issues that a rule reports, and the names of their subjects in messages."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Rule
from suitecase.format.target_files import ParsedTargets
from suitecase.schema.validation import ValidatedPart, ValidationIssue


def issues_of(part: ValidatedPart | ParsedTargets, rule: Rule) -> Iterator[ValidationIssue]:
    """Yield the issues of a part that a rule reports."""
    return (issue for issue in part.issues if issue.kind in rule.issues)


def named(issue: ValidationIssue) -> str:
    """Return the name of an issue's subject: its field, or an item of a list."""
    if not isinstance(issue.path[-1], int):
        return f"`{issue.field}`"
    whole = whole_at(issue.path)
    return f"an {whole}" if whole[:1] in "aeiou" else f"a {whole}"


def whole_at(path: tuple[str | int, ...]) -> str:
    """Return the name of what a key belongs to."""
    names = [step for step in path if isinstance(step, str)]
    if not names:
        return ""
    singular = {
        "input_messages": "message",
        "expected_messages": "message",
        "input": "message",
        "evaluators": "evaluator",
        "rubrics": "rubric",
        "score_ranges": "score range",
        "fields": "field",
        "tool_calls": "tool call",
        "expected": "expected tool call",
        "content": "content part",
        "targets": "target",
    }
    last = names[-1]
    if isinstance(path[-1], int):
        return singular.get(last, f"item of `{last}`")
    return f"`{last}`"


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, to be used within another sentence."""
    sentence = text.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]
