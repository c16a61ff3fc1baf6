"""What a comment silences: the rule that a code in it names."""

from __future__ import annotations

from suitecase.ide.comments import own_pieces_at
from suitecase.ide.markdown import code
from suitecase.rule import Rule
from suitecase.rules.naming import named_rules
from suitecase.suite.comments import comments, key_comment
from suitecase.suite.suppression import is_json
from suitecase.syntax.document import Document
from suitecase.syntax.node import Span

_MOST = 12


def rule_at(document: Document, offset: int) -> tuple[Span, str] | None:
    """Return the place of a code in a comment and the rules it names; None where none is."""
    in_json = is_json(document)
    for piece in own_pieces_at(document, offset):
        if not in_json and "suitecase:" not in piece.content.text:
            continue
        own = key_comment(piece.content) if in_json else None
        for comment in (own,) if own is not None else comments(piece.content):
            for name, place in comment.names or ():
                span = piece.absolute(place)
                if span.start <= offset <= span.end and (said := rules_text(name)):
                    return span, said
    return None


def rules_text(name: str) -> str | None:
    """Return what the rules of a code or a name find; None where there are none."""
    found = named_rules(name)
    if not found:
        return None
    if len(found) == 1:
        return _rule(found[0])
    rows = [f"- `{it.code}` [{it.name}]({it.url}): {it.title}" for it in found[:_MOST]]
    more = f"\n- and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"**{code(name)}** · {len(found)} rules\n\n" + "\n".join(rows) + more


def _rule(rule: Rule) -> str:
    body = rule.documentation.partition("\n")[2].partition("```")[0].strip()
    fix = "quick fix available" if rule.fixable else "no quick fix"
    return (
        f"**`{rule.code}` {rule.name}** · {rule.severity.value} · {fix}\n\n"
        f"{rule.title}.\n\n{body}\n\n[All about {rule.name}]({rule.url})"
    )
