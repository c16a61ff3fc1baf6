"""Hovers on suppression comments: the rules they name."""

from __future__ import annotations

from suitecase.checking.rules.rule_names import named_rules
from suitecase.editor.comments import own_pieces_at
from suitecase.editor.markdown import code
from suitecase.format.comments import comments, key_comment
from suitecase.format.rule import Rule
from suitecase.format.suppression import is_json
from suitecase.text.document import Document
from suitecase.text.node import Span

_MOST = 12


def rule_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the span of a code in a comment and its rules; None if there is none."""
    in_json = is_json(document)
    for piece in own_pieces_at(document, offset):
        if not in_json and "suitecase:" not in piece.content.text:
            continue
        own = key_comment(piece.content) if in_json else None
        for comment in (own,) if own is not None else comments(piece.content):
            for name, place in comment.names or ():
                span = piece.absolute(place)
                if span.start <= offset <= span.end and (description := rules_text(name)):
                    return span, description
    return None


def rules_text(name: str) -> str | None:
    """Return the description of the rules with a code or name; None if there are none."""
    rules = named_rules(name)
    if not rules:
        return None
    if len(rules) == 1:
        return _rule(rules[0])
    rows = [f"- `{rule.code}` [{rule.name}]({rule.url}): {rule.title}" for rule in rules[:_MOST]]
    more = f"\n- and {len(rules) - _MOST} more" if len(rules) > _MOST else ""
    return f"**{code(name)}** · {len(rules)} rules\n\n" + "\n".join(rows) + more


def _rule(rule: Rule) -> str:
    body = rule.documentation.partition("\n")[2].partition("```")[0].strip()
    fix = "quick fix available" if rule.fixable else "no quick fix"
    return (
        f"**`{rule.code}` {rule.name}** · {rule.severity.value} · {fix}\n\n"
        f"{rule.title}.\n\n{body}\n\n"
        f"[All about {rule.name}]({rule.url}), or `suitecase explain {rule.code}`"
    )
