"""What is wrong with another file, in the words that the rule of that issue has for it there."""

from __future__ import annotations

from suitecase.rules import rule_of
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.validation import ValidationIssue
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import Span


def told(
    part: WrittenHead | WrittenCase | WrittenTargets, issue: ValidationIssue
) -> tuple[str, Span]:
    """Return what the rule of an issue finds, and where; the rule is asked once for a text."""
    key = f"told of {issue.path} {issue.type}"
    memo = part.content.memo
    if key not in memo:
        memo[key] = _told(part, issue)
    found: tuple[str, Span] = memo[key]
    return found


def _told(
    part: WrittenHead | WrittenCase | WrittenTargets, issue: ValidationIssue
) -> tuple[str, Span]:
    rule = rule_of(issue.kind)
    node, key = issue.node, issue.key
    start = node.start if key is None else min(key.start, node.start)
    end = max(node.end, issue.span.end)
    for found in rule.check(part):
        if start <= found.span.start and found.span.end <= end:
            return found.message, found.span
    return f"`{issue.field}` {issue.message}" if issue.field else issue.message, issue.span
