"""Completion of comments that suppress findings: `# suitecase: ignore[SC201]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from suitecase.checking.rules import own_rules
from suitecase.editor.completion.cursor import line_start
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Stop
from suitecase.format.comments import MARK
from suitecase.format.rule import Finding, Rule
from suitecase.text.lines import Lines
from suitecase.text.node import Span

#: Returns the current findings of the document.
Findings = Callable[[], Sequence[Finding]]

_NAMING = re.compile(r"\bignore[ \t]*\[(?:[^\[\]\r\n]*,)?[ \t]*+([\w-]*+)\Z")
_BEGUN = re.compile(r"#[ \t]*+([a-z:]*+[ \t]*+[a-z]*+)\Z")
_NAME_REST = re.compile(r"[\w-]*")
_IGNORE = f"{MARK} ignore"


def in_comment_of_yaml(
    text: str, offset: int, findings: Findings, rules: Sequence[Rule] | None = None
) -> list[Item]:
    """Return the completions in a comment: a suppression, or the rules in its brackets.

    `rules` are those that apply to the file; our own if none are given.
    """
    line = text[line_start(text, offset) : offset]
    brackets = _NAMING.search(line)
    if brackets is not None and MARK in line:
        return list(rules_to_silence(text, offset, findings, rules))
    prefix = _BEGUN.search(line)
    if prefix is None or not _IGNORE.startswith(prefix[1].rstrip(" \t")):
        return []
    span = Span(offset - len(prefix[1]), offset)
    return [
        Item(
            label=f"{_IGNORE}[…]",
            kind=ItemKind.SCAFFOLD,
            template=(f"{_IGNORE}[", Stop(code), "]"),
            detail="silence a finding",
            typed=_IGNORE,
            span=span,
        )
        for code in (next(iter(_codes_near(text, offset, findings)), ""),)
    ]


def rules_to_silence(
    text: str, offset: int, findings: Findings, rules: Sequence[Rule] | None = None
) -> Iterator[Item]:
    """Yield the rules for the brackets of `ignore[...]`, those with findings here first."""
    brackets = _NAMING.search(text[line_start(text, offset) : offset])
    rest = _NAME_REST.match(text, offset)
    if brackets is None or rest is None:
        return
    span = Span(offset - len(brackets[1]), rest.end())
    codes = _codes_near(text, offset, findings)
    offered = own_rules() if rules is None else rules
    for rule in sorted(offered, key=lambda it: (it.code not in codes, it.code)):
        if not rule.cannot_be_silenced:
            item = rule_item(rule)
            detail = f"{rule.name} · found here" if rule.code in codes else rule.name
            yield replace(item, span=span, detail=detail)


def rule_item(rule: Rule, template: str | None = None) -> Item:
    """Return a rule as an item that inserts its code, and is also found by its name."""
    return Item(
        label=rule.code,
        kind=ItemKind.RULE,
        template=(template or rule.code,),
        detail=rule.name,
        typed=f"{rule.code} {rule.name}",
        rule=rule.code,
    )


def _codes_near(text: str, offset: int, findings: Findings) -> tuple[str, ...]:
    """Return the codes of the findings on a line, or on the next one that is not a comment."""
    lines = Lines(text)
    line = lines.position(offset)[0]
    below = line + 1
    while below < len(lines) and lines.text(below).strip(" \t")[:1] in ("", "#"):
        below += 1
    near = (line, below)
    codes = (
        finding.code
        for finding in findings()
        if lines.position(finding.span.start)[0] in near and not finding.rule.cannot_be_silenced
    )
    return tuple(dict.fromkeys(codes))
