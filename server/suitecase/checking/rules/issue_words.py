"""The message of an issue in another file, in the words of the rule that reports it there."""

from __future__ import annotations

from typing import Any

from suitecase.checking.rules import rule_of
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.validation import ValidationIssue
from suitecase.text.cache import Cache
from suitecase.text.node import Span


def told(part: ParsedHead | ParsedCase | ParsedTargets, issue: ValidationIssue) -> tuple[str, Span]:
    """Return the message and place of an issue's finding; the rule runs once for each text."""
    by_issue = _TOLD.of(part.content, dict)
    key = (issue.path, issue.type)
    if key not in by_issue:
        by_issue[key] = _told(part, issue)
    return by_issue[key]


_TOLD: Cache[dict[tuple[Any, str], tuple[str, Span]]] = Cache()


def _told(
    part: ParsedHead | ParsedCase | ParsedTargets, issue: ValidationIssue
) -> tuple[str, Span]:
    rule = rule_of(issue.kind)
    node, key = issue.node, issue.key
    start = node.start if key is None else min(key.start, node.start)
    end = max(node.end, issue.span.end)
    for found in rule.check(part):
        if start <= found.span.start and found.span.end <= end:
            return found.message, found.span
    return f"`{issue.field}` {issue.message}" if issue.field else issue.message, issue.span
